//! The machine of native code for constraints: what it reads and writes, and the helpers that it calls.

use std::mem::offset_of;
use std::ptr::from_mut;

use gchr_base::error::StopReason;
use gchr_base::facts::Facts;
use gchr_base::ids::Id;
use gchr_base::memory::Shortage;
use gchr_base::rule::RuleId;
use gchr_constraints::exec::code::Level;
use gchr_constraints::exec::engine::{Engine, Stop};

use crate::code::{Code, Refused};
use crate::function::Func;
use crate::stack::{RESERVE, Stack};
use crate::vm::{NOT_COMPILED, STOPPED, Vm};

/// The stack is taken in steps of at least so many bytes.
const STACK_STEP: u64 = 64 << 10;
/// No row, and no rule.
pub(super) const NONE: i64 = u32::MAX as i64;
/// What helpers that give rows give when the run has to stop.
pub(super) const FAILED: i64 = -1;
/// What [`step`] gives for an instruction without a result.
pub(super) const TRAPPED: i64 = 2;

/// A run of native code. Helpers are given a pointer to it, by its head.
#[repr(C)]
pub(super) struct Machine<'a, 'c, 'm> {
    vm: Vm,
    /// Rows that may be tried before a look at the control.
    until_poll: i64,
    next_id: u64,
    /// The rule that fired last.
    last_rule: u64,
    /// Where the tables are.
    views: *const u64,
    /// Registers of instructions that helpers execute.
    registers: *mut u64,
    /// Whether terms are to be collected.
    wants_collection: u64,
    engine: Engine<'a, 'c>,
    code: &'m Code<'m>,
    stack: Stack,
    stack_bytes: u64,
    stop: Option<Stop>,
    not_compiled: bool,
}

pub(super) const UNTIL_POLL: usize = offset_of!(Machine<'static, 'static, 'static>, until_poll);
pub(super) const NEXT_ID: usize = offset_of!(Machine<'static, 'static, 'static>, next_id);
pub(super) const LAST_RULE: usize = offset_of!(Machine<'static, 'static, 'static>, last_rule);
pub(super) const VIEWS: usize = offset_of!(Machine<'static, 'static, 'static>, views);
pub(super) const REGISTERS: usize = offset_of!(Machine<'static, 'static, 'static>, registers);
pub(super) const WANTS_COLLECTION: usize = offset_of!(Machine<'static, 'static, 'static>, wants_collection);

impl<'a, 'c, 'm> Machine<'a, 'c, 'm> {
    pub(super) fn new(mut engine: Engine<'a, 'c>, code: &'m Code<'m>, stack: Stack) -> Box<Self> {
        let (fuel, until_poll) = engine.granted();
        // No frame fits before the stack is taken from memory.
        let vm = Vm { fuel: fuel.cast_signed(), stack_limit: u64::MAX, ..Vm::new() };
        Box::new(Self {
            vm,
            until_poll: until_poll.cast_signed(),
            next_id: 0,
            last_rule: NONE.cast_unsigned(),
            views: engine.views().start(),
            registers: engine.registers().as_mut_ptr(),
            wants_collection: 0,
            engine,
            code,
            stack,
            stack_bytes: 0,
            stop: None,
            not_compiled: false,
        })
    }

    pub(super) fn into_engine(self: Box<Self>) -> Engine<'a, 'c> {
        self.engine
    }

    /// Why a function could not be compiled, if that ended the run.
    pub(super) fn refused(&self) -> Option<Refused> {
        self.not_compiled.then(|| self.code.refusal())
    }

    /// Adds facts in order.
    pub(super) fn facts(&mut self, facts: &Facts) -> Result<(), Stop> {
        for row in 0..facts.rows {
            let args = self.engine.fact(facts, row)?;
            self.activate(facts.constraint.index(), &args)?;
        }
        Ok(())
    }

    /// Executes the goals of a query.
    pub(super) fn query(&mut self, query: usize) -> Result<(), Stop> {
        let mut goals = self.engine.goals(query);
        while let Some((constraint, args)) = self.engine.next_goal(&mut goals)? {
            self.activate(constraint, &args)?;
        }
        Ok(())
    }

    fn activate(&mut self, constraint: usize, args: &[u64]) -> Result<(), Stop> {
        self.wants_collection = u64::from(self.engine.wants_collection());
        let (code, top) = (self.code, self.stack.top());
        // SAFETY: the code was emitted for this machine, of which the head is the first field; the arguments are words
        // of the kinds of the columns, and the stack is the machine's.
        let entered = unsafe { code.enter_at(from_mut(self).cast(), Func(constraint as u32), args, top) };
        self.note(self.vm.fuel);
        match entered {
            Ok(_) => Ok(()),
            Err(status) => {
                self.not_compiled = status == NOT_COMPILED;
                Err(self.stop.take().unwrap_or_else(|| self.engine.stop(StopReason::Interrupted)))
            }
        }
    }

    /// Tells the engine how far the run is, where so much fuel is left.
    fn note(&mut self, fuel: i64) {
        let rule =
            (self.last_rule != NONE.cast_unsigned()).then(|| RuleId::from_index(self.last_rule as usize));
        self.engine.note(fuel.max(0).cast_unsigned(), self.next_id, rule);
        self.vm.fuel = fuel;
    }

    /// What frames hold of the heap.
    fn roots(&self) -> Vec<u64> {
        let mut roots = Vec::new();
        // SAFETY: only helpers ask, which native code has called.
        unsafe { self.code.for_each_root(&self.vm, &mut |_, word| roots.push(word)) };
        roots
    }

    /// Looks at the control; `firing`: since a rule is to fire, for which fuel has been taken already.
    fn poll(&mut self, firing: bool) -> Result<(), Stop> {
        let taken = i64::from(firing);
        self.note(self.vm.fuel + taken);
        let roots = self.roots();
        self.engine.poll(firing, roots)?;
        let (fuel, until_poll) = self.engine.granted();
        self.vm.fuel = fuel.cast_signed() - taken;
        self.until_poll = until_poll.cast_signed();
        self.wants_collection = u64::from(self.engine.wants_collection());
        Ok(())
    }

    /// Takes more of the stack for the frames that there are.
    fn grow(&mut self) -> Result<(), Stop> {
        self.note(self.vm.fuel);
        // SAFETY: only helpers ask, which native code has called.
        let end = unsafe { self.code.end_of_frames(&self.vm) };
        let needed = self.stack.used(end) + RESERVE;
        if needed > self.stack.most() {
            return Err(self.engine.no_frames(Shortage::System));
        }
        let bytes = needed.next_multiple_of(STACK_STEP).max(self.stack_bytes + self.stack_bytes / 2);
        let bytes = bytes.min(self.stack.most());
        self.engine.take_frames(bytes)?;
        self.stack.touch(bytes);
        self.stack_bytes = bytes;
        self.vm.stack_limit = self.stack.limit(bytes);
        Ok(())
    }

    /// The status of a helper that can only stop: 0 to go on.
    fn status(&mut self, result: Result<(), Stop>) -> u64 {
        match result {
            Ok(()) => 0,
            Err(stop) => {
                self.stop = Some(stop);
                1
            }
        }
    }

    /// Ends the run as soon as the helper returns. The constraint of `table`, whose arguments are in the registers, is
    /// put into the store, unless there is none or it is there, in `row`.
    fn leave(&mut self, stop: Stop, table: u64, row: u64) -> u64 {
        if table != NONE.cast_unsigned() && row == NONE.cast_unsigned() {
            self.engine.store_at_stop(table as usize);
        }
        self.stop = Some(stop);
        self.vm.leave(STOPPED);
        0
    }
}

/// The machine that a helper was called on.
///
/// # Safety
/// `vm` is the head of a machine whose code calls the helper; nothing else uses it until the helper returns.
unsafe fn machine<'m>(vm: *mut Vm) -> &'m mut Machine<'m, 'm, 'm> {
    // SAFETY: by the contract, and the layout of the machine.
    unsafe { &mut *vm.cast() }
}

/// Declares helpers: what they do with the machine and their words. All are called by code of the machine only.
macro_rules! helpers {
    ($($(#[$doc:meta])* fn $name:ident($m:ident $(, $word:ident)*) $body:block)*) => {
        $($(#[$doc])*
        pub(super) unsafe extern "C" fn $name(vm: *mut Vm, a: u64, b: u64, c: u64, d: u64) -> u64 {
            // SAFETY: called by code of this machine.
            let $m = unsafe { machine(vm) };
            helpers!(@bind [$($word)*] [a b c d]);
            $body
        })*
    };
    (@bind [] [$($rest:ident)*]) => { $(let _ = $rest;)* };
    (@bind [$first:ident $($word:ident)*] [$from:ident $($rest:ident)*]) => {
        let $first = $from;
        helpers!(@bind [$($word)*] [$($rest)*]);
    };
}

helpers! {
    /// Helper: a rule is to fire, and there is no fuel left.
    fn refuel(m) {
        let polled = m.poll(true);
        m.status(polled)
    }
    /// Helper: many rows were tried.
    fn poll(m) {
        let polled = m.poll(false);
        m.status(polled)
    }
    /// Helper: collects terms.
    fn collect(m) {
        m.note(m.vm.fuel);
        let roots = m.roots();
        let collected = m.engine.collect(roots);
        m.wants_collection = u64::from(m.engine.wants_collection());
        m.status(collected)
    }
    /// Helper: more stack for a function that has been entered.
    fn grow(m) {
        let grown = m.grow();
        m.status(grown)
    }
    /// Helper: stores the constraint whose arguments are in the registers; gives its row.
    fn insert(m, table, id) {
        m.note(m.vm.fuel);
        match m.engine.insert(table as usize, id) {
            Ok(row) => u64::from(row),
            Err(stop) => {
                m.stop = Some(stop);
                FAILED.cast_unsigned()
            }
        }
    }
    /// Helper: removes a constraint.
    fn remove(m, table, row) {
        m.engine.remove(table as usize, row as u32);
        0
    }
    /// Helper: marks a constraint as removed.
    fn kill(m, table, row) {
        m.engine.kill(table as usize, row as u32);
        0
    }
    /// Helper: takes a removed constraint out of its lists.
    fn unlink(m, table, row) {
        m.engine.unlink(table as usize, row as u32);
        0
    }
    /// Helper: a search is to go on from a row, which is removed if `dies`.
    fn hold(m, table, row, dies) {
        m.engine.hold(table as usize, row as u32);
        if dies != 0 {
            m.engine.kill(table as usize, row as u32);
        }
        0
    }
    /// Helper: the search goes on.
    fn release(m, table, row) {
        m.engine.release(table as usize, row as u32);
        0
    }
    /// Helper: the first row with a key of one word.
    fn find_one(m, table, index, a) {
        u64::from(m.engine.find(table as usize, index as usize, &[a]))
    }
    /// Helper: the first row with a key of two words; table and index in the halves of a word.
    fn find_two(m, table_index, a, b) {
        let (table, index) = (table_index >> 32, table_index as u32);
        u64::from(m.engine.find(table as usize, index as usize, &[a, b]))
    }
    /// Helper: the first row for a join whose key is in the registers.
    fn find_many(m, level) {
        // SAFETY: emitted from a reference into the code, which outlives the machine.
        let level = unsafe { &*(level as *const Level) };
        u64::from(m.engine.find_level(level))
    }
    /// Helper: executes an instruction: 1 if it holds, 0 if not, [`TRAPPED`] if it has no result.
    fn step(m, pc) {
        let done = m.engine.step(pc as u32);
        m.wants_collection = u64::from(m.engine.wants_collection());
        done.map_or(TRAPPED.cast_unsigned(), u64::from)
    }
    /// Helper: executes an instruction of output.
    fn effect(m, pc) {
        m.note(m.vm.fuel);
        let done = m.engine.effect(pc as u32);
        m.status(done)
    }
    /// Helper: whether the instance in the registers has not fired yet.
    fn is_new(m, table, occurrence, id) {
        u64::from(m.engine.is_new(table as usize, occurrence as usize, id))
    }
    /// Helper: the instance in the registers fires.
    fn remember(m, table, occurrence, id, row) {
        m.note(m.vm.fuel);
        let done = m.engine.remember(table as usize, occurrence as usize, id, row as u32);
        m.status(done)
    }
    /// Helper that leaves: an instruction has no result. `table` and `row` as for [`Machine::leave`].
    fn trap(m, pc, table, row) {
        m.note(m.vm.fuel);
        let stop = m.engine.trapped(pc as u32);
        m.leave(stop, table, row)
    }
    /// Helper that leaves: a goal does not hold.
    fn fail(m, pc, table, row) {
        m.note(m.vm.fuel);
        let stop = m.engine.failed(pc as u32);
        m.leave(stop, table, row)
    }
    /// Helper that leaves: another helper has found a reason to stop.
    fn end(m, table, row) {
        let stop = m.stop.take().unwrap_or_else(|| m.engine.stop(StopReason::Interrupted));
        m.leave(stop, table, row)
    }
}
