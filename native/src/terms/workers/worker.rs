//! A thread of a run: the machine that its native code runs on, and the helpers that the code calls.

use std::ptr::{from_mut, null_mut};
use std::sync::Arc;

use gchr_base::control::{Control, Progress};
use gchr_base::error::StopReason;
use gchr_base::ids::Id;
use gchr_base::memory;
use gchr_base::op::ArithmeticError;
use gchr_base::signature::SortId;
use gchr_terms::exec::engine::{Allocator, Full, at_once};
use gchr_terms::exec::{COMPARED, Comparison};
use gchr_terms::plan::{FunctionId, Step};

use super::shared::{Over, Shared, Task};
use super::{Halt, Offers};
use crate::function::Func;
use crate::stack::{RESERVE, Stack};
use crate::terms::helpers::{Head, Helpers, STACK_STEP, mark_root, of_plan, operation};
use crate::vm::{NOT_COMPILED, STOPPED, Vm};

/// Bytes below the frames of a thread that waits: what shims save there.
const SHIM: u64 = 1024;
/// A thread that waits for a value runs other tasks meanwhile, so many of them inside each other: each takes some of
/// the host's stack.
const NESTED: usize = 100;
/// So many beats are one look at the clock and at signals.
const LOOK: u32 = 16;
/// Tasks that a thread hands over at a beat.
const HANDED: usize = 4;

/// A look at the clock, at signals, and at the memory of the process.
type Look<'l> = dyn FnMut(Progress) -> Result<(), StopReason> + 'l;

/// A place where native code waits for a helper.
#[derive(Clone, Copy)]
struct Place {
    site: u64,
    frame: u64,
}

/// A thread's machine. Helpers are given a pointer to it, by its head.
#[repr(C)]
pub(super) struct Worker<'s> {
    head: Head,
    /// What the operands of the head lie in.
    room: Box<[u64]>,
    shared: &'s Shared<'s>,
    allocator: Allocator,
    epoch: u64,
    stack: Stack,
    /// Bytes of it that are taken.
    stack_bytes: u64,
    offers: Offers,
    /// Where this thread waits for values, the innermost place last; and for which.
    waiting: Vec<(Place, Arc<Task>)>,
    /// Values of the start term.
    values: Vec<(SortId, u64)>,
    beats: u32,
    /// While native code runs: what the caller was given to look with.
    look: Option<*mut Look<'static>>,
}

/// The helpers of this machine.
pub(in crate::terms) const HELPERS: Helpers = Helpers {
    refuel: beat,
    grow,
    refill,
    same,
    int,
    float,
    float_to_int,
    type_error: give_up,
    no_rule: give_up,
    join: Some(join),
};

impl<'s> Worker<'s> {
    /// A thread whose frames take at most so many bytes; `None` when the system gives no address space.
    pub fn new(shared: &'s Shared<'s>, memory: u64) -> Option<Box<Self>> {
        let stack = Stack::new(memory)?;
        let mut offers = Offers::new(stack.most())?;
        let mut room = vec![0; shared.widest].into_boxed_slice();
        let operands = room.as_mut_ptr();
        // No frame fits before the stack is taken from memory.
        let vm = Vm { fuel: i64::from(shared.team.beat), stack_limit: u64::MAX, ..Vm::new() };
        Some(Box::new(Self {
            head: Head { vm, bumps: null_mut(), operands, offers: offers.bottom() },
            room,
            shared,
            allocator: Allocator::default(),
            epoch: u64::MAX,
            stack,
            stack_bytes: 0,
            offers,
            waiting: Vec::new(),
            values: Vec::new(),
            beats: 0,
            look: None,
        }))
    }

    /// Applies a function of the start term, of which `values` are other values: lent for as long as this takes.
    pub fn first(
        &mut self,
        function: FunctionId,
        args: &[u64],
        values: &mut Vec<(SortId, u64)>,
        look: &mut Look<'_>,
    ) -> Result<u64, StopReason> {
        std::mem::swap(&mut self.values, values);
        self.of_epoch(self.shared.epoch());
        let task = Task::new(Func(function.index() as u32), args.into());
        let top = self.stack.top();
        let value = self.looking(look, |worker| worker.enter(&task, top));
        std::mem::swap(&mut self.values, values);
        self.stop_waiting();
        value.map_err(|Over| self.shared.stopped().unwrap_or(StopReason::Interrupted))
    }

    /// Takes tasks over until the run is over.
    pub fn serve(&mut self, control: &mut Control<'_>) {
        let shared = self.shared;
        let mut look = |now| control.poll(now);
        self.looking(&mut look, |worker| {
            while let Ok((task, epoch)) = shared.next(&mut || worker.look_up()) {
                worker.of_epoch(epoch);
                let value = worker.enter(&task, worker.stack.top());
                worker.stop_waiting();
                if let Ok(value) = value {
                    // A collection may come before the one that waits for it takes it.
                    shared.done(&task, value);
                }
                shared.rest(&mut || worker.collect(None));
            }
        });
    }

    /// Has something to look up with meanwhile.
    fn looking<T>(&mut self, look: &mut Look<'_>, then: impl FnOnce(&mut Self) -> T) -> T {
        let look: *mut Look<'_> = look;
        // SAFETY: only the lifetime changes; it is forgotten before the borrow ends.
        self.look = Some(unsafe { std::mem::transmute::<*mut Look<'_>, *mut Look<'static>>(look) });
        let done = then(self);
        self.look = None;
        done
    }

    /// The runs of cells are void where they are of another epoch.
    fn of_epoch(&mut self, epoch: u64) {
        if self.head.bumps.is_null() {
            let heap = &mut *self.shared.heap();
            self.allocator = heap.allocator(&self.shared.plan.layout);
            self.head.bumps = self.allocator.bumps();
        }
        if self.epoch != epoch {
            self.allocator.clear();
            self.epoch = epoch;
        }
    }

    /// Runs a task on the stack below `top`; what it has counted is added.
    fn enter(&mut self, task: &Task, top: u64) -> Result<u64, Over> {
        let code = self.shared.code;
        let Vm { host_sp, frame, site, .. } = self.head.vm;
        // SAFETY: the code was emitted for this machine, of which the head is the first field; the arguments are values
        // of the sorts of the parameters, and nothing lives on the stack below `top`.
        let entered = unsafe { code.enter_at(from_mut(self).cast(), task.function, &task.args, top) };
        (self.head.vm.host_sp, self.head.vm.frame, self.head.vm.site) = (host_sp, frame, site);
        self.count();
        entered.map_err(|status| {
            if status == NOT_COMPILED {
                self.shared.halt(Halt::Refused(code.refusal()));
            }
            Over
        })
    }

    /// Drops what was handed over and never taken back, when native code has been left.
    fn stop_waiting(&mut self) {
        self.waiting.clear();
        self.offers.drop_all();
        self.head.offers = self.offers.bottom();
    }

    /// Adds the applications since the last time; says how many there are in all.
    fn count(&mut self) -> u64 {
        let beat = i64::from(self.shared.team.beat);
        let steps = beat - self.head.vm.fuel;
        self.head.vm.fuel = beat;
        self.shared.count(steps.max(0).cast_unsigned())
    }

    /// A look at the clock and at signals.
    fn look_up(&mut self) {
        let (steps, bytes) = (self.shared.count(0), memory::in_use());
        let Some(look) = self.look else { return };
        // SAFETY: set by `looking`, which waits for what runs now.
        let look = unsafe { &mut *look };
        match look(Progress { steps, bytes, live: 0 }) {
            Ok(()) => {}
            // Exactly as many as are allowed are.
            Err(StopReason::Steps { .. }) if self.shared.max_steps.is_none_or(|most| steps <= most) => {}
            Err(why @ (StopReason::Timeout { .. } | StopReason::Interrupted)) => {
                self.shared.halt(Halt::Stopped(why));
            }
            Err(_) => self.shared.halt(Halt::Repeat),
        }
    }

    /// Leaves native code as soon as the helper returns.
    fn leaves(&mut self) -> u64 {
        self.head.vm.leave(STOPPED);
        0
    }

    fn place(&self) -> Place {
        Place { site: self.head.vm.site, frame: self.head.vm.frame }
    }

    /// What every thread does now and then, in a helper.
    fn look_around(&mut self) -> Result<(), Over> {
        let steps = self.count();
        self.beats += 1;
        if self.beats.is_multiple_of(LOOK) {
            self.look_up();
        }
        if self.shared.max_steps.is_some_and(|most| steps > most) {
            self.shared.halt(Halt::Repeat);
        }
        if self.shared.calls() {
            self.collect(Some(self.place()))?;
        }
        let wanted = self.shared.wanted().min(HANDED);
        if wanted > 0 {
            let (shared, end) = (self.shared, self.head.offers);
            shared.hand_over((0..wanted).map_while(|_| self.offers.promote(end, shared.code)));
        }
        Ok(())
    }

    /// Takes part in a collection, or hears that the run is over; `here` is where native code waits for what calls
    /// this.
    fn collect(&mut self, here: Option<Place>) -> Result<(), Over> {
        let (shared, code) = (self.shared, self.shared.code);
        let (values, waiting, offers) = (&self.values, &self.waiting, &mut self.offers);
        let end = self.head.offers;
        let of = |function: Func| &shared.plan.functions[FunctionId::from_index(function.0 as usize)];
        let epoch = shared.collect(&mut |marker| {
            values.iter().for_each(|v| marker.value(v.0, v.1));
            offers.for_each(end, code, |function, args, value| {
                let function = of(function);
                let sorts = function.region.params.iter().map(|&param| function.sort(param));
                sorts.zip(args).for_each(|(sort, &arg)| marker.value(sort, arg));
                value.iter().for_each(|&value| marker.value(function.result, value));
            });
            for (_, task) in waiting {
                task.value().iter().for_each(|&value| marker.value(of(task.function).result, value));
            }
            for place in waiting.iter().map(|waiting| waiting.0).chain(here) {
                let mut root = |tag, value| mark_root(marker, tag, value);
                // SAFETY: these frames of native code wait for helpers of this thread.
                unsafe { code.for_each_root_from(place.site, place.frame, &mut root) };
            }
        })?;
        if let Some(epoch) = epoch {
            self.of_epoch(epoch);
        }
        Ok(())
    }

    fn refill(&mut self, class: usize) -> Result<(), Over> {
        loop {
            if self.allocator.refill(class) {
                return Ok(());
            }
            let shared = self.shared;
            let refilled = shared.heap().refill_for(&mut self.allocator, class);
            match refilled {
                Ok(()) => return Ok(()),
                Err(Full::Collect) => {
                    shared.ask_to_collect();
                    self.collect(Some(self.place()))?;
                }
                Err(_) => {
                    shared.halt(Halt::Repeat);
                    return Err(Over);
                }
            }
        }
    }

    /// Takes more of the stack for the frames that there are.
    fn grow_stack(&mut self) -> Result<(), Over> {
        // SAFETY: called by the helper, which native code has called.
        let end = unsafe { self.shared.code.end_of_frames(&self.head.vm) };
        let needed = (self.stack.used(end) + RESERVE).next_multiple_of(STACK_STEP);
        let more = needed.saturating_sub(self.stack_bytes);
        let mut heap = self.shared.heap();
        let fits = needed <= self.stack.most() && self.stack.may_touch(needed) && more <= heap.free();
        if fits {
            heap.stack_bytes += more;
        }
        drop(heap);
        if !fits {
            self.shared.halt(Halt::Repeat);
            return Err(Over);
        }
        self.stack.touch(needed);
        self.offers.touch(needed);
        self.stack_bytes = self.stack_bytes.max(needed);
        self.head.vm.stack_limit = self.stack.limit(self.stack_bytes);
        if self.shared.is_halted() { Err(Over) } else { Ok(()) }
    }

    /// Has the value of a task that was handed over; `None`: nobody has begun it, and the caller does.
    fn join(&mut self, task: Arc<Task>) -> Result<Option<u64>, Over> {
        self.offers.taken_back(self.head.offers);
        if task.begin() {
            return Ok(None);
        }
        let place = self.place();
        // SAFETY: as above.
        let end = unsafe { self.shared.code.end_of_frames(&self.head.vm) };
        self.waiting.push((place, Arc::clone(&task)));
        let mut looks = 0;
        let value = loop {
            if let Some(value) = task.value() {
                break value;
            }
            if self.shared.calls() {
                self.collect(None)?;
            }
            let other = if self.waiting.len() <= NESTED { self.shared.another() } else { None };
            if let Some(other) = other {
                let value = self.enter(&other, (end - SHIM) & !15)?;
                self.shared.done(&other, value);
                looks = 0;
            } else {
                self.shared.wait_for(&task, &mut looks);
                self.beats += 1;
                if self.beats.is_multiple_of(LOOK) {
                    self.look_up();
                }
            }
        };
        self.waiting.pop();
        Ok(Some(value))
    }
}

/// The machine that a helper was called on.
///
/// # Safety
/// `vm` is the head of a worker whose code calls the helper; nothing else uses it until the helper returns.
unsafe fn worker<'w>(vm: *mut Vm) -> &'w mut Worker<'w> {
    // SAFETY: by the contract, and the layout of the machine.
    unsafe { &mut *vm.cast() }
}

/// Helper: a thread looks around.
unsafe extern "C" fn beat(vm: *mut Vm, _: u64, _: u64, _: u64, _: u64) -> u64 {
    // SAFETY: called by code of this machine.
    let w = unsafe { worker(vm) };
    match w.look_around() {
        Ok(()) => 0,
        Err(Over) => w.leaves(),
    }
}

/// Helper: more stack for a function that has been entered.
unsafe extern "C" fn grow(vm: *mut Vm, _: u64, _: u64, _: u64, _: u64) -> u64 {
    // SAFETY: called by code of this machine.
    let w = unsafe { worker(vm) };
    match w.grow_stack() {
        Ok(()) => 0,
        Err(Over) => w.leaves(),
    }
}

/// Helper: a new run of free cells of a class.
unsafe extern "C" fn refill(vm: *mut Vm, class: u64, _: u64, _: u64, _: u64) -> u64 {
    // SAFETY: called by code of this machine.
    let w = unsafe { worker(vm) };
    match w.refill(class as usize) {
        Ok(()) => 0,
        Err(Over) => w.leaves(),
    }
}

/// Helper: whether two values of a sort are structurally equal.
unsafe extern "C" fn same(vm: *mut Vm, sort: u64, a: u64, b: u64, _: u64) -> u64 {
    // SAFETY: called by code of this machine.
    let w = unsafe { worker(vm) };
    let (layout, sort) = (&w.shared.plan.layout, SortId(sort as u32));
    if let Some(known) = at_once(layout, &w.allocator, sort, a as u32, b as u32) {
        return u64::from(known);
    }
    let mut comparison = Comparison::new(sort, a as u32, b as u32);
    loop {
        if let Some(same) = comparison.advance(layout, &w.allocator, COMPARED) {
            return u64::from(same);
        }
        w.look_up();
        if w.shared.is_halted() {
            return w.leaves();
        }
    }
}

/// The value of an operator, or the end of the run: another one finds the words for it.
fn computed<T>(w: &mut Worker<'_>, value: Result<T, ArithmeticError>, bits: impl Fn(T) -> u64) -> u64 {
    match value {
        Ok(value) => bits(value),
        Err(_) => {
            w.shared.halt(Halt::Repeat);
            w.leaves()
        }
    }
}

/// Helper: an operator on integers.
unsafe extern "C" fn int(vm: *mut Vm, step: u64, a: u64, b: u64, _: u64) -> u64 {
    // SAFETY: called by code of this machine, with a step of its plan.
    let (w, step) = unsafe { (worker(vm), of_plan::<Step>(step)) };
    computed(w, operation(step).0.int(a.cast_signed(), b.cast_signed()), i64::cast_unsigned)
}

/// Helper: an operator on floats.
unsafe extern "C" fn float(vm: *mut Vm, step: u64, a: u64, b: u64, _: u64) -> u64 {
    // SAFETY: called by code of this machine, with a step of its plan.
    let (w, step) = unsafe { (worker(vm), of_plan::<Step>(step)) };
    computed(w, operation(step).0.float(f64::from_bits(a), f64::from_bits(b)), f64::to_bits)
}

/// Helper: a float as an integer.
unsafe extern "C" fn float_to_int(vm: *mut Vm, step: u64, a: u64, _: u64, _: u64) -> u64 {
    // SAFETY: called by code of this machine, with a step of its plan.
    let (w, step) = unsafe { (worker(vm), of_plan::<Step>(step)) };
    computed(w, operation(step).0.float_to_int(f64::from_bits(a)), i64::cast_unsigned)
}

/// Helper that leaves: the run has no value.
unsafe extern "C" fn give_up(vm: *mut Vm, _: u64, _: u64, _: u64, _: u64) -> u64 {
    // SAFETY: called by code of this machine.
    let w = unsafe { worker(vm) };
    w.shared.halt(Halt::Repeat);
    w.leaves()
}

/// Helper: the value of a call that was handed over.
unsafe extern "C" fn join(vm: *mut Vm, offer: u64, _: u64, _: u64, _: u64) -> u64 {
    // SAFETY: called by code of this machine.
    let w = unsafe { worker(vm) };
    let record = offer as *mut u64;
    // SAFETY: the record lies in the frame of the caller; its word is a task that was handed over, and is given back
    // here only.
    let task = unsafe { Offers::task(record) };
    match w.join(task) {
        // SAFETY: as above.
        Ok(Some(value)) => unsafe {
            *record = value;
            1
        },
        Ok(None) => 0,
        Err(Over) => w.leaves(),
    }
}
