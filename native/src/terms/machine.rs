//! The machine of native code for terms: what it reads and writes, and the helpers that it calls.

use std::ptr::{from_mut, null_mut};

use gchr_base::error::{RunError, StopReason};
use gchr_base::ids::Id;
use gchr_base::memory::{self, Shortage};
use gchr_base::op::ArithmeticError;
use gchr_base::rule::RuleId;
use gchr_base::signature::SortId;
use gchr_terms::exec::engine::{Engine, Full, Heap, Run, Stop};
use gchr_terms::plan::{End, Function, FunctionId, Step};

use super::helpers::{Head, Helpers, STACK_STEP, mark_root, of_plan, operation, widest};
use crate::code::{Code, Refused};
use crate::function::{Func, NO_NOTE};
use crate::stack::{RESERVE, Stack};
use crate::vm::{NOT_COMPILED, STOPPED, Vm};

/// A run of native code. Helpers are given a pointer to it, by its head.
#[repr(C)]
pub(super) struct Machine<'a, 'c> {
    head: Head,
    /// What the operands of the head lie in.
    room: Box<[u64]>,
    run: Run<'a, 'c>,
    code: &'a Code<'static>,
    stack: *mut Stack,
    stop: Option<Stop>,
    not_compiled: bool,
}

/// The helpers of this machine.
pub(super) const HELPERS: Helpers =
    Helpers { refuel, grow, refill, same, int, float, float_to_int, type_error, no_rule, join: None };

impl<'a, 'c> Machine<'a, 'c> {
    pub(super) fn new(mut run: Run<'a, 'c>, code: &'a Code<'static>, stack: Box<Stack>) -> Box<Self> {
        let mut room = vec![0; widest(run.program)].into_boxed_slice();
        // No frame fits before the stack is taken from memory.
        let vm = Vm { fuel: run.granted(), stack_limit: u64::MAX, ..Vm::new() };
        let (bumps, operands) = (run.heap.bumps(), room.as_mut_ptr());
        Box::new(Self {
            head: Head { vm, bumps, operands, offers: null_mut() },
            room,
            run,
            code,
            stack: Box::into_raw(stack),
            stop: None,
            not_compiled: false,
        })
    }

    /// The parts that another run can reuse.
    pub(super) fn into_parts(self: Box<Self>) -> (Heap, Box<Stack>) {
        // SAFETY: made by `Box::into_raw`, freed here only; native code is over.
        (self.run.heap, unsafe { Box::from_raw(self.stack) })
    }

    pub(super) fn steps(&self) -> u64 {
        self.run.steps(self.head.vm.fuel)
    }

    pub(super) fn over_limit(&self) -> Option<RunError> {
        self.run.over_limit(self.head.vm.fuel)
    }

    /// Why a function could not be compiled, if that ended the run.
    pub(super) fn refused(&self) -> Option<Refused> {
        self.not_compiled.then(|| self.code.refusal())
    }

    fn stack(&mut self) -> &mut Stack {
        // SAFETY: owned by the machine; native code uses the memory of the stack, not this.
        unsafe { &mut *self.stack }
    }

    /// Ends the run as soon as the helper returns.
    fn stops(&mut self, stop: Stop) -> u64 {
        self.stop = Some(stop);
        self.head.vm.leave(STOPPED);
        0
    }

    /// The same behind applications that are complete but not counted yet.
    fn stops_after(&mut self, pending: u64, stop: Stop) -> u64 {
        self.head.vm.fuel -= pending.cast_signed();
        self.stops(stop)
    }

    /// The rule that was applied last where the helper was called, and the one where the function was called that did.
    fn rules(&self) -> (Option<RuleId>, Option<RuleId>) {
        let rule = |note: u32| (note != NO_NOTE).then(|| RuleId::from_index(note as usize));
        // SAFETY: only helpers ask, which native code has called.
        let (here, caller) = unsafe { self.code.notes(&self.head.vm) };
        (rule(here), rule(caller))
    }

    /// Bytes of the frames while a helper runs.
    fn used(&mut self) -> u64 {
        // SAFETY: as above.
        let end = unsafe { self.code.end_of_frames(&self.head.vm) };
        self.stack().used(end)
    }

    /// Takes more of the stack for the frames that there are.
    fn grow_stack(&mut self) -> Result<(), StopReason> {
        self.run.poll(self.head.vm.fuel)?;
        let needed = self.used() + RESERVE;
        let what = "pending calls (recursion too deep)";
        let limit = |m: &mut Self| m.stack().most().min(m.run.heap.free() + m.run.heap.stack_bytes);
        if needed > limit(self) {
            self.run.heap.trim();
        }
        let limit = limit(self);
        // In large steps while that takes little of what is left.
        let steps = [STACK_STEP, STACK_STEP >> 4, STACK_STEP >> 8].map(|step| needed.div_ceil(step) * step);
        let spare = limit.saturating_sub(needed) / 8;
        let stack = self.stack();
        let bytes = steps.into_iter().find(|&bytes| bytes - needed <= spare && stack.may_touch(bytes));
        let bytes = bytes.unwrap_or(needed);
        // The first frame is given what it needs.
        if self.run.heap.stack_bytes > 0 {
            if bytes > limit {
                return Err(StopReason::Memory { limit: self.run.heap.memory(), what: what.into() });
            }
            if !self.stack().may_touch(bytes) {
                return Err(Shortage::Limit(memory::bound()).of(what));
            }
        }
        if bytes > self.stack().most() {
            return Err(Shortage::System.of(what));
        }
        let stack = self.stack();
        stack.touch(bytes);
        let limit = stack.limit(bytes);
        self.head.vm.stack_limit = limit;
        self.run.heap.stack_bytes = bytes.max(self.run.heap.stack_bytes);
        Ok(())
    }

    /// Gives back what the stack has taken beyond frames of so many bytes; says whether that was anything.
    fn trim_stack(&mut self, used: u64) -> bool {
        let needed = used + RESERVE;
        if needed >= self.run.heap.stack_bytes {
            return false;
        }
        self.run.heap.stack_bytes = needed;
        self.head.vm.stack_limit = self.stack().limit(needed);
        true
    }

    fn refill(&mut self, class: usize) -> Result<(), Stop> {
        let rule = self.rules().0;
        let fail = |reason| Stop { reason, rule, span: None };
        loop {
            let full = match self.run.heap.refill(class) {
                Ok(()) => return Ok(()),
                Err(Full::Collect) => match self.collect() {
                    Ok(()) => continue,
                    Err(Ok(full)) => full,
                    Err(Err(reason)) => return Err(fail(reason)),
                },
                Err(full) => full,
            };
            let used = self.used();
            if full == Full::Memory && self.trim_stack(used) {
                continue;
            }
            return Err(fail(self.run.full(full, class)));
        }
    }

    /// Collects; the roots are those of all frames, and the values of the start term.
    fn collect(&mut self) -> Result<(), Result<Full, StopReason>> {
        self.run.poll(self.head.vm.fuel).map_err(Err)?;
        let (code, vm, values) = (self.code, &self.head.vm, &self.run.values);
        let collected = self.run.heap.collect(&mut |marker| {
            values.iter().for_each(|v| marker.root(v.0, v.1 as u32));
            // SAFETY: collections happen in helpers that native code has called.
            unsafe { code.for_each_root(vm, &mut |tag, value| mark_root(marker, tag, value)) };
        });
        collected.map_err(Ok)
    }
}

impl<'a, 'c> Engine<'a, 'c> for Machine<'a, 'c> {
    fn run(&mut self) -> &mut Run<'a, 'c> {
        &mut self.run
    }

    fn fuel(&self) -> i64 {
        self.head.vm.fuel
    }

    fn apply(&mut self, function: FunctionId, args: &[u64]) -> Result<u64, RunError> {
        let (code, top) = (self.code, self.stack().top());
        let function = Func(function.index() as u32);
        // SAFETY: the code was emitted for this machine, of which the head is the first field; the arguments are values
        // of the sorts of the parameters, and the stack is the machine's.
        let entered = unsafe { code.enter_at(from_mut(self).cast(), function, args, top) };
        entered.map_err(|status| {
            self.not_compiled = status == NOT_COMPILED;
            let stop = self.stop.take().unwrap_or_else(|| StopReason::Interrupted.into());
            self.run.error(self.head.vm.fuel, stop)
        })
    }

    fn cell(&mut self, class: usize, tag: u32, words: &[u32]) -> Result<u64, RunError> {
        let mut stored = self.run.heap.store_collecting(class, tag, words, &self.run.values);
        // No call is pending.
        if stored == Err(Full::Memory) && self.trim_stack(0) {
            stored = self.run.heap.store_collecting(class, tag, words, &self.run.values);
        }
        stored.map_err(|full| self.run.error(self.head.vm.fuel, self.run.full(full, class).into()))
    }
}

/// The machine that a helper was called on.
///
/// # Safety
/// `vm` is the head of a machine whose code calls the helper; nothing else uses it until the helper returns.
unsafe fn machine<'m>(vm: *mut Vm) -> &'m mut Machine<'m, 'm> {
    // SAFETY: by the contract, and the layout of the machine.
    unsafe { &mut *vm.cast() }
}

/// Helper: more fuel, or the end at a limit.
unsafe extern "C" fn refuel(vm: *mut Vm, _: u64, _: u64, _: u64, _: u64) -> u64 {
    // SAFETY: called by code of this machine.
    let m = unsafe { machine(vm) };
    match m.run.refuel(m.head.vm.fuel) {
        Ok(fuel) => m.head.vm.fuel = fuel,
        Err(reason) => {
            let rule = m.rules().0;
            return m.stops(Stop { reason, rule, span: None });
        }
    }
    0
}

/// Helper: more stack for a function that has been entered.
unsafe extern "C" fn grow(vm: *mut Vm, _: u64, _: u64, _: u64, _: u64) -> u64 {
    // SAFETY: called by code of this machine.
    let m = unsafe { machine(vm) };
    match m.grow_stack() {
        Ok(()) => 0,
        Err(reason) => {
            let rule = m.rules().1;
            m.stops(Stop { reason, rule, span: None })
        }
    }
}

/// Helper: a new run of free cells of a class; so many applications are complete but not counted yet.
unsafe extern "C" fn refill(vm: *mut Vm, class: u64, pending: u64, _: u64, _: u64) -> u64 {
    // SAFETY: called by code of this machine.
    let m = unsafe { machine(vm) };
    match m.refill(class as usize) {
        Ok(()) => 0,
        Err(stop) => m.stops_after(pending, stop),
    }
}

/// Helper: whether two values of a sort are structurally equal.
unsafe extern "C" fn same(vm: *mut Vm, sort: u64, a: u64, b: u64, _: u64) -> u64 {
    // SAFETY: called by code of this machine.
    let m = unsafe { machine(vm) };
    match m.run.same(SortId(sort as u32), a as u32, b as u32, m.head.vm.fuel) {
        Ok(same) => u64::from(same),
        Err(reason) => {
            let rule = m.rules().0;
            m.stops(Stop { reason, rule, span: None })
        }
    }
}

/// The end of a run in an operation on numbers.
fn fails(m: &mut Machine<'_, '_>, step: &Step, float: bool, error: ArithmeticError, args: [u64; 3]) -> u64 {
    let [a, b, pending] = args;
    let (op, site) = operation(step);
    m.stops_after(pending, Run::arithmetic(op, site, float, error, [a, b]))
}

/// Helper: an operator on integers.
unsafe extern "C" fn int(vm: *mut Vm, step: u64, a: u64, b: u64, pending: u64) -> u64 {
    // SAFETY: called by code of this machine, with a step of its plan.
    let (m, step) = unsafe { (machine(vm), of_plan::<Step>(step)) };
    match operation(step).0.int(a.cast_signed(), b.cast_signed()) {
        Ok(value) => value.cast_unsigned(),
        Err(error) => fails(m, step, false, error, [a, b, pending]),
    }
}

/// Helper: an operator on floats.
unsafe extern "C" fn float(vm: *mut Vm, step: u64, a: u64, b: u64, pending: u64) -> u64 {
    // SAFETY: called by code of this machine, with a step of its plan.
    let (m, step) = unsafe { (machine(vm), of_plan::<Step>(step)) };
    match operation(step).0.float(f64::from_bits(a), f64::from_bits(b)) {
        Ok(value) => value.to_bits(),
        Err(error) => fails(m, step, true, error, [a, b, pending]),
    }
}

/// Helper: a float as an integer.
unsafe extern "C" fn float_to_int(vm: *mut Vm, step: u64, a: u64, b: u64, pending: u64) -> u64 {
    // SAFETY: called by code of this machine, with a step of its plan.
    let (m, step) = unsafe { (machine(vm), of_plan::<Step>(step)) };
    match operation(step).0.float_to_int(f64::from_bits(a)) {
        Ok(value) => value.cast_unsigned(),
        Err(error) => fails(m, step, true, error, [a, b, pending]),
    }
}

/// Helper that leaves: an operator on a value of the wrong type.
unsafe extern "C" fn type_error(vm: *mut Vm, step: u64, sort: u64, a: u64, pending: u64) -> u64 {
    // SAFETY: called by code of this machine, with a step of its plan.
    let (m, step) = unsafe { (machine(vm), of_plan::<Step>(step)) };
    let (op, site) = operation(step);
    let stop = m.run.type_error(op, site, SortId(sort as u32), a);
    m.stops_after(pending, stop)
}

/// Helper that leaves: no rule matches an application, whose arguments are in the machine.
unsafe extern "C" fn no_rule(vm: *mut Vm, end: u64, function: u64, pending: u64, _: u64) -> u64 {
    // SAFETY: called by code of this machine, with an end of its plan and the function that it is in.
    let (m, end, function) = unsafe { (machine(vm), of_plan::<End>(end), of_plan::<Function>(function)) };
    let End::NoRule { symbol, args } = end else { unreachable!("emitted for such ends only") };
    let args = args.iter().map(|&arg| function.sort(arg)).zip(m.room.iter().copied());
    let redex = m.run.application(*symbol, args);
    let rule = m.rules().0;
    m.stops_after(
        pending,
        Stop { reason: StopReason::NoRule { redex, symbol: Some(*symbol) }, rule, span: None },
    )
}
