//! µ-SIMD programs: the instructions of figure 5 of the paper, and what a run starts from.

use gchr_base::define_id;
use gchr_base::diagnostic::Diagnostic;
use gchr_base::ids::IdVec;
use gchr_base::source::Span;

define_id!(
    /// A variable: every thread has its own copy.
    Variable, "v"
);

/// What a variable or a memory cell holds; `None` is undefined: never written, or written with an undefined result.
pub type Value = Option<i64>;

/// Most threads of a run.
pub const MAX_THREADS: u32 = 1 << 16;
/// Most memory cells of a run.
pub const MAX_CELLS: usize = 1 << 24;

/// What an instruction reads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operand {
    /// A number.
    Const(i64),
    /// The thread's copy of a variable.
    Variable(Variable),
    /// `tid`: number of the thread.
    Thread,
    /// `lane`: its number within the warp.
    Lane,
    /// `warp_size`: number of lanes of its warp.
    WarpSize,
    /// `threads`: number of threads of the run.
    Threads,
}

impl Operand {
    /// The operands that have names of their own.
    pub const NAMED: [(&'static str, Operand); 4] = [
        ("tid", Operand::Thread),
        ("lane", Operand::Lane),
        ("warp_size", Operand::WarpSize),
        ("threads", Operand::Threads),
    ];
}

/// Arithmetic (⊕ of figure 8), on integers of 64 bits. Comparisons give 1 or 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the names say it all; docs/simd.md has the table")]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Min,
    Max,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl BinaryOp {
    /// All of them, with their names in the text form.
    pub const ALL: [(&'static str, BinaryOp); 18] = [
        ("add", Self::Add),
        ("sub", Self::Sub),
        ("mul", Self::Mul),
        ("div", Self::Div),
        ("mod", Self::Mod),
        ("min", Self::Min),
        ("max", Self::Max),
        ("and", Self::And),
        ("or", Self::Or),
        ("xor", Self::Xor),
        ("shl", Self::Shl),
        ("shr", Self::Shr),
        ("eq", Self::Eq),
        ("ne", Self::Ne),
        ("lt", Self::Lt),
        ("le", Self::Le),
        ("gt", Self::Gt),
        ("ge", Self::Ge),
    ];

    /// Name in the text form.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, op)| *op == self).map_or("?", |(name, _)| name)
    }

    /// The result, or why there is none.
    pub fn apply(self, a: i64, b: i64) -> Result<i64, &'static str> {
        const OVERFLOW: &str = "the result does not fit 64 bits";
        let shift = || match u32::try_from(b) {
            Ok(by @ 0..64) => Ok(by),
            _ => Err("a shift is by 0 to 63"),
        };
        let divisible = |found: Option<i64>| match found {
            Some(value) => Ok(value),
            None if b == 0 => Err("division by zero"),
            None => Err(OVERFLOW),
        };
        Ok(match self {
            Self::Add => a.checked_add(b).ok_or(OVERFLOW)?,
            Self::Sub => a.checked_sub(b).ok_or(OVERFLOW)?,
            Self::Mul => a.checked_mul(b).ok_or(OVERFLOW)?,
            Self::Div => divisible(a.checked_div(b))?,
            Self::Mod => divisible(a.checked_rem(b))?,
            Self::Min => a.min(b),
            Self::Max => a.max(b),
            Self::And => a & b,
            Self::Or => a | b,
            Self::Xor => a ^ b,
            Self::Shl => {
                let by = shift()?;
                let moved = a << by;
                if moved >> by == a { moved } else { return Err(OVERFLOW) }
            }
            Self::Shr => a >> shift()?,
            Self::Eq => i64::from(a == b),
            Self::Ne => i64::from(a != b),
            Self::Lt => i64::from(a < b),
            Self::Le => i64::from(a <= b),
            Self::Gt => i64::from(a > b),
            Self::Ge => i64::from(a >= b),
        })
    }
}

/// An instruction. Targets are positions in [`Program::code`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Instr {
    /// `bz`, `bnz`: the lanes whose value is zero, or is not, go to the target. Opens a region that a `sync` closes.
    Branch {
        /// Whether zero jumps (`bz`), or anything else (`bnz`).
        on_zero: bool,
        /// What is tested.
        value: Operand,
        /// Where the jumping lanes go.
        target: u32,
    },
    /// `branch_mask`: jumps if the lane of that number asked for the innermost `everywhere` block.
    BranchMask {
        /// Number of the lane, the same in all active lanes.
        lane: Operand,
        /// Where they go.
        target: u32,
    },
    /// `jump`.
    Jump {
        /// Where the active lanes go.
        target: u32,
    },
    /// `load`.
    Load {
        /// Takes the cell's value.
        to: Variable,
        /// Number of the cell.
        address: Operand,
    },
    /// `store`.
    Store {
        /// Number of the cell.
        address: Operand,
        /// The cell's new value.
        value: Operand,
    },
    /// `atomic_inc`: adds one to a cell.
    Increment {
        /// Takes the new value.
        to: Variable,
        /// Number of the cell.
        address: Operand,
    },
    /// Arithmetic and comparison.
    Binary {
        /// Operation.
        op: BinaryOp,
        /// Takes the result.
        to: Variable,
        /// Left operand.
        a: Operand,
        /// Right operand.
        b: Operand,
    },
    /// `const` and `copy`.
    Copy {
        /// Takes the value.
        to: Variable,
        /// The value.
        from: Operand,
    },
    /// `shfl`: the value that another lane has in a variable.
    Shuffle {
        /// Takes the value.
        to: Variable,
        /// The variable that is read there.
        from: Variable,
        /// Number of the lane.
        lane: Operand,
    },
    /// `sync`: where the lanes of a branch meet.
    Sync,
    /// `everywhere`: all lanes wake up.
    Everywhere,
    /// `end_everywhere`: all lanes are as they were before the block.
    EndEverywhere,
    /// `stop`: the warp is done.
    Stop,
}

impl Instr {
    /// Where it may jump.
    pub fn target(self) -> Option<u32> {
        match self {
            Self::Branch { target, .. } | Self::BranchMask { target, .. } | Self::Jump { target } => {
                Some(target)
            }
            _ => None,
        }
    }
    /// Whether the next instruction is never reached from it.
    fn ends(self) -> bool {
        matches!(self, Self::Jump { .. } | Self::Stop)
    }
}

/// A name for a position in the code.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Label {
    /// The name.
    pub name: String,
    /// The position.
    pub target: u32,
}

/// What the text of a program says about its run; the command line may say otherwise.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Settings {
    /// Number of threads.
    pub threads: Option<u32>,
    /// Lanes of a warp.
    pub warp: Option<u32>,
    /// Cells of a memory segment.
    pub segment: Option<u32>,
    /// Memory at the start.
    pub memory: Vec<Value>,
}

/// A program.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Program {
    /// What a run starts from.
    pub settings: Settings,
    /// Names of the variables.
    pub variables: IdVec<Variable, String>,
    /// Instructions.
    pub code: Vec<Instr>,
    /// Place of each instruction in the text; empty for a program without one.
    pub spans: Vec<Span>,
    /// Named positions, in increasing order.
    pub labels: Vec<Label>,
}

impl Program {
    /// What is wrong with the program as a whole: a jump outside, an end that is no `stop` or `jump`. A program without
    /// findings always has a next instruction until it stops.
    pub fn verify(&self) -> Vec<Diagnostic> {
        let mut diagnostics = Vec::new();
        let length = self.code.len();
        for (pc, instr) in self.code.iter().enumerate() {
            if let Some(target) = instr.target().filter(|&t| t as usize >= length) {
                diagnostics.push(
                    self.at(
                        pc,
                        Diagnostic::error(
                            "S0005",
                            format!("there is no instruction {} to jump to", u64::from(target) + 1),
                        )
                        .note(format!("the program has {length} instructions"))
                        .help("put a label before an instruction and jump to it"),
                        "this jumps outside of the program",
                    ),
                );
            }
        }
        match self.code.last() {
            None => diagnostics.push(
                Diagnostic::error("S0008", "the program has no instructions")
                    .help("docs/simd.md lists them; the smallest program is `stop`"),
            ),
            Some(last) if !last.ends() => diagnostics.push(
                self.at(
                    length - 1,
                    Diagnostic::error("S0008", "control runs past the last instruction")
                        .help("end the program with `stop`"),
                    "nothing follows",
                ),
            ),
            _ => {}
        }
        diagnostics
    }

    /// The diagnostic with the place of an instruction as its label.
    pub(super) fn at(&self, pc: usize, diagnostic: Diagnostic, text: &str) -> Diagnostic {
        match self.spans.get(pc) {
            Some(&span) => diagnostic.label(span, text),
            None => diagnostic.note(format!("at instruction {} ({text})", pc + 1)),
        }
    }
}
