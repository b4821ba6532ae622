//! The machine as another engine uses it that has activations of its own: their searches and bodies read tables by
//! [`Views`], and come here for all that changes the store or takes long.
//!
//! Instructions that the engine does not execute itself read and set the registers of one frame, those at
//! [`Engine::registers`], at the same places as in the interpreter.

use std::time::Instant;

use super::{Frame, Machine, QUERY, Stop};
use crate::exec::code::{Code, Ins, Level, Pc};
use crate::exec::common::{self, End};
use crate::exec::index::{Chain, NONE};
use crate::exec::step::{EvalCtx, Trap};
use crate::exec::table::DEAD;
use crate::exec::views::Views;
use crate::exec::{FactError, Outcome, Stopped, Store, read_fact};
use crate::ir::ChrPlan;
use gchr_base::control::Control;
use gchr_base::error::StopReason;
use gchr_base::facts::Facts;
use gchr_base::ids::Id;
use gchr_base::memory::Shortage;
use gchr_base::rule::{Program, RuleId, Semantics};
use gchr_base::stats::Stats;
use gchr_base::value::Heap;

/// Ids that have been given before they get 64 bits: code may compare those of 32 bits as they are.
const NARROW_IDS: u64 = 1 << 31;

/// A run whose activations are somebody else's.
pub struct Engine<'a, 'c> {
    machine: Machine<'a, 'c>,
    views: Views,
    /// The frame of the instructions that are executed one at a time.
    frame: Frame,
}

/// Goals of a query that are still to be executed.
pub struct Goals {
    query: usize,
    pc: Pc,
}

impl<'a, 'c> Engine<'a, 'c> {
    /// The code of a plan, and the heap with its constants; none if they do not fit there.
    pub fn code(program: &Program, plan: &ChrPlan) -> Option<(Code, Heap)> {
        let mut heap = Heap::new();
        let (code, usable) = common::code(program, plan, &mut heap);
        usable.ok().map(|()| (code, heap))
    }

    /// A run with an empty store; `heap` came with the code.
    pub fn new(
        program: &'a Program,
        plan: &'a ChrPlan,
        code: &'a Code,
        heap: Heap,
        control: &'a mut Control<'c>,
    ) -> Self {
        let mut machine = Machine::new(program, plan, code, heap, control);
        let base = code.queries.iter().map(|query| query.registers).max().unwrap_or(0);
        let own = code.activations.iter().map(|activation| activation.registers).max().unwrap_or(0);
        machine.stack = vec![0; base + own];
        let views = Views::new(&machine.tables);
        Self { machine, views, frame: Frame { top: base + own, ..Frame::new(base, QUERY) } }
    }

    /// What the run came to.
    pub fn outcome(self, start: Instant, result: Result<(), Stop>) -> Result<Outcome, Box<Stopped>> {
        let machine = self.machine;
        let (progress, peak) = (machine.progress(), machine.peak);
        let store = Store { tables: machine.tables, heap: machine.heap };
        let end = End { start, semantics: Semantics::Refined, progress, peak, store };
        end.outcome(result, Stats::default())
    }

    /// Where tables are.
    pub fn views(&mut self) -> &mut Views {
        &mut self.views
    }

    /// How rows of a list of an index follow each other: this never changes.
    pub fn chain(&self, table: usize, index: usize) -> Chain {
        self.machine.tables[table].indexes[index].chain()
    }

    /// Whether an index only says whether there is a key: row 0 stands for any then. This never changes.
    pub fn is_set(&self, table: usize, index: usize) -> bool {
        self.machine.tables[table].indexes[index].is_set()
    }

    /// Whether an index is the list of all rows: this never changes.
    pub fn is_list(&self, table: usize, index: usize) -> bool {
        self.machine.tables[table].indexes[index].is_all()
    }

    /// The registers of the instructions that are executed one at a time. They stay where they are.
    pub fn registers(&mut self) -> &mut [u64] {
        &mut self.machine.stack[self.frame.base..]
    }

    // Counts.

    /// How many firings are left before [`poll`](Self::poll) must be called, and how many rows may be tried.
    pub fn granted(&self) -> (u64, u64) {
        (self.machine.fuel, u64::from(self.machine.until_poll))
    }

    /// What has happened since: firings of those granted that are left, the next id, and the rule that fired last.
    pub fn note(&mut self, fuel: u64, next_id: u64, rule: Option<RuleId>) {
        let machine = &mut self.machine;
        machine.firings += machine.fuel - fuel;
        (machine.fuel, machine.next_id) = (fuel, next_id);
        machine.last_rule = rule.or(machine.last_rule);
    }

    // Limits.

    /// Looks at the control; `firing`: since a rule is to fire. `roots` are what frames hold of the heap.
    pub fn poll(&mut self, firing: bool, roots: Vec<u64>) -> Result<(), Stop> {
        let machine = &mut self.machine;
        machine.other_roots = roots;
        if machine.next_id >= NARROW_IDS {
            for (t, table) in machine.tables.iter_mut().enumerate() {
                table.widen_ids();
                self.views.note(t, table, true);
            }
        }
        machine.ask_control(machine.stack.len(), firing)
    }

    /// Whether the heap is to be collected.
    pub fn wants_collection(&self) -> bool {
        self.machine.heap.wants_collection()
    }

    /// Collects the heap; `roots` as for [`poll`](Self::poll).
    pub fn collect(&mut self, roots: Vec<u64>) -> Result<(), Stop> {
        self.machine.other_roots = roots;
        self.machine.collect(self.machine.stack.len())
    }

    /// Frames have grown to so many bytes.
    pub fn take_frames(&mut self, bytes: u64) -> Result<(), Stop> {
        let machine = &mut self.machine;
        let more = bytes.saturating_sub(machine.other_frames);
        let answer = machine.control.ask_memory(machine.bytes(), more);
        answer.map_err(|shortage| self.no_frames(shortage))?;
        self.machine.other_frames = bytes;
        Ok(())
    }

    /// There is no memory for frames.
    pub fn no_frames(&self, shortage: Shortage) -> Stop {
        self.machine.stop(shortage.of("suspended activations"))
    }

    /// A stop at the rule that fired last.
    pub fn stop(&self, reason: StopReason) -> Stop {
        self.machine.stop(reason)
    }

    // The store.

    /// Stores the constraint whose arguments are in the first registers.
    pub fn insert(&mut self, table: usize, id: u64) -> Result<u32, Stop> {
        let mut frame = Frame { owner: table as u32, id, ..self.frame };
        let stored = self.machine.store(&mut frame);
        let grown = *stored.as_ref().unwrap_or(&true);
        self.views.note(table, &self.machine.tables[table], grown);
        stored.map(|_| frame.row)
    }

    /// Removes a constraint.
    pub fn remove(&mut self, table: usize, row: u32) {
        self.kill(table, row);
        self.unlink(table, row);
    }

    /// Marks a constraint as removed; [`unlink`](Self::unlink) must follow, or the end of a [`hold`](Self::hold).
    pub fn kill(&mut self, table: usize, row: u32) {
        self.machine.tables[table].kill(row);
    }

    /// Takes a removed constraint out of its lists, unless a search is to go on from it.
    pub fn unlink(&mut self, table: usize, row: u32) {
        let table_now = &mut self.machine.tables[table];
        table_now.unlink(row);
        self.views.note(table, table_now, false);
    }

    /// A search is to go on from a row.
    pub fn hold(&mut self, table: usize, row: u32) {
        self.machine.tables[table].pin(row);
    }

    /// The search goes on.
    pub fn release(&mut self, table: usize, row: u32) {
        let table_now = &mut self.machine.tables[table];
        table_now.unpin(row);
        self.views.note(table, table_now, false);
    }

    /// The newest row with a key.
    #[inline]
    pub fn find(&self, table: usize, index: usize, key: &[u64]) -> u32 {
        let table = &self.machine.tables[table];
        table.indexes[index].lookup(&table.columns, key)
    }

    /// The same for a join whose key is in the registers.
    pub fn find_level(&self, level: &Level) -> u32 {
        let key: Vec<u64> = level
            .access
            .registers()
            .iter()
            .map(|&r| self.machine.stack[self.frame.base + r as usize])
            .collect();
        self.find(level.table, level.index, &key)
    }

    /// The frame of an instance: the active constraint with its rows in the registers.
    fn instance_frame(&self, table: usize, id: u64, row: u32) -> Frame {
        Frame { owner: table as u32, id, row, ..self.frame }
    }

    /// Whether an instance, whose rows are in the registers, has not fired yet.
    pub fn is_new(&self, table: usize, occurrence: usize, id: u64) -> bool {
        let frame = self.instance_frame(table, id, NONE);
        self.machine.is_new_instance(&frame, &self.machine.code.activations[table].occurrences[occurrence])
    }

    /// Remembers that an instance fires.
    pub fn remember(&mut self, table: usize, occurrence: usize, id: u64, row: u32) -> Result<(), Stop> {
        let frame = self.instance_frame(table, id, row);
        self.machine.remember(&frame, &self.machine.code.activations[table].occurrences[occurrence])
    }

    /// Puts the active constraint, whose arguments are in the first registers, into the store that a stopped run
    /// leaves.
    pub fn store_at_stop(&mut self, table: usize) {
        let frame = Frame { owner: table as u32, row: NONE, ..self.frame };
        self.machine.store_at_stop(&frame);
    }

    // Instructions.

    /// Executes an instruction on the registers; says whether it holds, or nothing if it has no result.
    pub fn step(&mut self, pc: Pc) -> Option<bool> {
        self.one(pc).ok()
    }

    fn one(&mut self, pc: Pc) -> Result<bool, Trap> {
        let machine = &mut self.machine;
        let mut context = EvalCtx {
            code: machine.code,
            signature: &machine.program.signature,
            tables: &machine.tables,
            heap: &mut machine.heap,
        };
        context.one(&mut machine.stack[self.frame.base..], pc)
    }

    /// The stop at an instruction that has no result.
    pub fn trapped(&mut self, pc: Pc) -> Stop {
        match self.one(pc) {
            Err(trap) => self.machine.trapped(&self.frame, trap),
            Ok(_) => self.failed(pc),
        }
    }

    /// The stop at a goal that does not hold.
    pub fn failed(&self, pc: Pc) -> Stop {
        self.machine.stop_at(StopReason::Failed, pc)
    }

    /// Executes an instruction of output.
    pub fn effect(&mut self, pc: Pc) -> Result<(), Stop> {
        self.machine.effect(&self.frame, pc)
    }

    // What the run starts with.

    /// The arguments of a fact.
    pub fn fact(&mut self, facts: &Facts, row: usize) -> Result<Vec<u64>, Stop> {
        let machine = &mut self.machine;
        let kinds = &machine.tables[facts.constraint.index()].kinds;
        let mut args = vec![0; kinds.len()];
        let read = read_fact(&mut machine.heap, facts, row, kinds, &mut args);
        let name = |column| machine.column_name(facts.constraint, column);
        read.map_err(|error: FactError| error.reason(row, name)).map_err(|reason| machine.stop(reason))?;
        Ok(args)
    }

    /// All goals of a query.
    pub fn goals(&self, query: usize) -> Goals {
        Goals { query, pc: self.machine.code.queries[query].body }
    }

    /// Executes goals up to the next that adds a constraint: its symbol and its arguments.
    pub fn next_goal(&mut self, goals: &mut Goals) -> Result<Option<(usize, Vec<u64>)>, Stop> {
        let machine = &mut self.machine;
        let frame = Frame { top: machine.code.queries[goals.query].registers, ..Frame::new(0, QUERY) };
        while let Some(at) = machine.run(&frame, goals.pc)? {
            goals.pc = at + 1;
            match machine.code.ins[at as usize] {
                Ins::Call { call } | Ins::CallLast { call } => {
                    let call = &machine.code.calls[call as usize];
                    let args = call.args.iter().map(|&r| machine.stack[r as usize]).collect();
                    return Ok(Some((call.constraint.index(), args)));
                }
                _ => machine.effect(&frame, at)?,
            }
        }
        Ok(None)
    }
}

/// The id of a row without a constraint, where ids have 64 bits; where they have 32, all bits of these are set, too.
const _: () = assert!(DEAD == u64::MAX);
