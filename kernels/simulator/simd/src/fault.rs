//! What goes wrong in a run: faults, for which no rule of the machine applies, and undefined results, after which it
//! goes on.

use std::time::Duration;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::error::StopReason;
use gchr_base::limit::Limit;

use super::program::{BinaryOp, Program};
use gchr_simulator::divergence::{Lanes, lanes};

/// Why no rule applies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// A variable is read that has no value in this thread.
    Variable {
        /// Name.
        name: String,
        /// The thread.
        thread: u32,
    },
    /// A cell is read that has no value.
    Cell {
        /// Its address.
        address: i64,
        /// The thread.
        thread: u32,
    },
    /// There is no such cell.
    Address {
        /// The address.
        address: i64,
        /// Number of cells.
        cells: usize,
        /// The thread.
        thread: u32,
    },
    /// An operation has no result.
    Arithmetic {
        /// The operation.
        op: BinaryOp,
        /// Its operands.
        operands: [i64; 2],
        /// Why.
        cause: &'static str,
        /// The thread.
        thread: u32,
    },
    /// `sync` outside of all regions.
    NoBranch,
    /// The end of the program or of an `everywhere` block in a region that no `sync` has closed.
    Open {
        /// Position of the branch that opened the innermost one.
        branch: u32,
    },
    /// `stop` within an `everywhere` block while lanes around it wait for their turn.
    Asleep {
        /// Those threads.
        threads: Vec<u32>,
    },
    /// An instruction that only `everywhere` blocks have, outside of all.
    NoEverywhere,
    /// The active lanes of a `branch_mask` do not name the same lane.
    Disagree {
        /// What two of them name.
        lanes: [i64; 2],
    },
    /// There is no next instruction: the program breaks a rule of [`Program::verify`].
    NoInstruction,
}

impl Fault {
    fn describe(&self) -> (&'static str, String, &'static str) {
        match self {
            Fault::Variable { name, thread } => (
                "S0101",
                format!("{name} has no value in thread {thread}"),
                "write the variable in every thread that reads it",
            ),
            Fault::Cell { address, thread } => (
                "S0102",
                format!("cell {address} has no value, and thread {thread} reads it"),
                "store to the cell first, or give it a value with .memory or --memory",
            ),
            Fault::Address { address, cells, thread } => (
                "S0103",
                format!("thread {thread} accesses cell {address}, but memory has {cells} cells"),
                "memory is as large as .memory or --memory says; `_*100` makes 100 cells without a value",
            ),
            Fault::Arithmetic { op, operands: [a, b], cause, thread } => (
                "S0104",
                format!("{cause}: {} {a}, {b} in thread {thread}", op.name()),
                "keep the operands in range; integers have 64 bits",
            ),
            Fault::NoBranch => (
                "S0105",
                "sync without a branch".into(),
                "each bz or bnz has one sync, which closes what it opened",
            ),
            Fault::Open { .. } => (
                "S0106",
                "a branch has no sync".into(),
                "put the sync of the branch where both its ways meet, before this instruction",
            ),
            Fault::Asleep { threads } => (
                "S0107",
                format!("stop in an everywhere block while threads {threads:?} wait outside of it"),
                "end the block with end_everywhere first",
            ),
            Fault::NoEverywhere => (
                "S0108",
                "outside of all everywhere blocks".into(),
                "put it between everywhere and end_everywhere",
            ),
            Fault::Disagree { lanes: [a, b] } => (
                "S0109",
                format!("the active lanes disagree: one names lane {a}, another one lane {b}"),
                "branch_mask has one outcome for the whole warp: give all lanes the same number",
            ),
            Fault::NoInstruction => (
                "I0701",
                "internal error: control left the program".into(),
                "this is a bug of gchr; please report it with the program",
            ),
        }
    }
}

/// A result that the semantics leaves open.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Undefined {
    /// Rule Si: a shuffle reads from a lane that is not in Θ_mask, or does not exist.
    Shuffle {
        /// The lane.
        source: i64,
        /// Θ_mask.
        mask: Lanes,
        /// The thread.
        thread: u32,
    },
    /// Rule TL: two lanes store different values to one cell.
    Stores {
        /// The cell.
        address: i64,
        /// The threads.
        threads: [u32; 2],
        /// The values.
        values: [i64; 2],
    },
    /// Two warps touch one cell, one of them writes, and nothing orders them.
    Warps {
        /// The cell.
        address: i64,
        /// The thread that came second here.
        thread: u32,
    },
}

impl Undefined {
    /// Distinguishes findings at one instruction.
    pub(super) fn kind(&self) -> u8 {
        match self {
            Undefined::Shuffle { .. } => 0,
            Undefined::Stores { .. } => 1,
            Undefined::Warps { .. } => 2,
        }
    }
    fn describe(&self) -> (&'static str, String, &'static str) {
        match self {
            Undefined::Shuffle { source, mask, thread } => {
                let mask: Vec<_> = lanes(*mask).collect();
                (
                    "S0121",
                    format!(
                        "undefined result: thread {thread} shuffles from lane {source}, which is not in the mask {mask:?}"
                    ),
                    "read only from lanes that asked for the everywhere block (branch_mask tells), outside of blocks from active ones",
                )
            }
            Undefined::Stores { address, threads: [s, t], values: [a, b] } => (
                "S0122",
                format!(
                    "undefined result: thread {s} stores {a} and thread {t} stores {b} to cell {address}"
                ),
                "let one thread store, or use atomic_inc",
            ),
            Undefined::Warps { address, thread } => (
                "S0123",
                format!(
                    "undefined result: thread {thread} accesses cell {address}, which another warp accesses too, and one of them writes"
                ),
                "nothing orders the accesses of two warps: let one warp work on the cell, or use atomic_inc only",
            ),
        }
    }
}

/// An undefined result; equal ones at the same instruction are counted, not repeated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// What is undefined; the first one found.
    pub what: Undefined,
    /// Position of the instruction.
    pub pc: u32,
    /// How often it was found.
    pub count: u64,
}

impl Report {
    /// The finding for the user.
    pub fn diagnostic(&self, program: &Program) -> Diagnostic {
        let (code, message, help) = self.what.describe();
        let d = program.at(self.pc as usize, Diagnostic::error(code, message), "here").help(help);
        if self.count > 1 { d.note(format!("{} times; this is the first", self.count)) } else { d }
    }
}

/// Why a run ended before its warps stopped.
#[derive(Clone, PartialEq, Debug)]
pub enum Stop {
    /// No rule applies.
    Fault {
        /// Why.
        fault: Fault,
        /// Position of the instruction.
        pc: u32,
        /// The warp.
        warp: u32,
        /// Steps before it.
        steps: u64,
    },
    /// A limit is reached, or the caller asked to stop.
    Limit {
        /// Which one.
        reason: StopReason,
        /// Position of the next instruction of the warp whose turn it was.
        pc: u32,
        /// Steps so far.
        steps: u64,
    },
}

impl Stop {
    /// The reason for the user.
    pub fn diagnostic(&self, program: &Program) -> Diagnostic {
        match self {
            Stop::Fault { fault, pc, warp, steps } => {
                let (code, message, help) = fault.describe();
                let mut d =
                    program.at(*pc as usize, Diagnostic::error(code, message), "no rule applies here");
                if let Fault::Open { branch } = fault {
                    d = program.at(*branch as usize, d, "this branch is still open");
                }
                d.note(format!("in warp {warp}, after {steps} steps")).help(help)
            }
            Stop::Limit { reason, pc, steps } => {
                let d = limit(reason).note(format!("stopped after {steps} steps"));
                program.at(*pc as usize, d, "the next step is here")
            }
        }
    }
}

fn limit(reason: &StopReason) -> Diagnostic {
    match reason {
        StopReason::Steps { limit } => Diagnostic::error("S0201", format!("step limit of {limit} reached"))
            .note("a trace shows an endless loop")
            .limit(Limit::Steps),
        StopReason::Timeout { limit } => {
            let seconds = Duration::as_secs_f64(limit);
            Diagnostic::error("S0202", format!("time limit of {seconds:.3} s reached")).limit(Limit::Time)
        }
        _ => Diagnostic::error("S0203", "interrupted"),
    }
}
