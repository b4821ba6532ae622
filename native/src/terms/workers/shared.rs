//! What the threads of a run share: the heap, tasks that wait for somebody, and the collection that all of them work
//! at.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gchr_base::error::StopReason;
use gchr_terms::exec::engine::{Full, Heap, Marker, Marking, Run};
use gchr_terms::plan::TermPlan;

use super::{Halt, Team};
use crate::code::Code;
use crate::function::Func;
use crate::terms::helpers::widest;

/// Looks for work that a thread takes one after the other before it sleeps.
const LOOKS: u32 = 2000;
/// How long a thread sleeps at most: it looks at the clock and at signals then.
const SLEEP: Duration = Duration::from_millis(5);

/// Nobody has begun it.
const WAITING: u8 = 0;
/// Somebody has.
const BEGUN: u8 = 1;
/// Its value is there.
const DONE: u8 = 2;

/// A call that any thread may take over.
pub(super) struct Task {
    pub function: Func,
    pub args: Box<[u64]>,
    state: AtomicU8,
    value: AtomicU64,
}

impl Task {
    pub fn new(function: Func, args: Box<[u64]>) -> Self {
        Self { function, args, state: AtomicU8::new(WAITING), value: AtomicU64::new(0) }
    }

    /// Whether the caller is the one that begins it.
    pub fn begin(&self) -> bool {
        self.state.compare_exchange(WAITING, BEGUN, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    /// Its value, as a word, when it is there.
    pub fn value(&self) -> Option<u64> {
        (self.state.load(Ordering::Acquire) == DONE).then(|| self.value.load(Ordering::Relaxed))
    }

    fn finish(&self, value: u64) {
        self.value.store(value, Ordering::Relaxed);
        self.state.store(DONE, Ordering::Release);
    }
}

/// A run as its threads see it.
pub(super) struct Shared<'a> {
    pub plan: &'a TermPlan,
    pub code: &'a Code<'static>,
    pub team: Team,
    /// The most rule applications.
    pub max_steps: Option<u64>,
    /// The most arguments of a symbol.
    pub widest: usize,
    heap: Mutex<Heap>,
    state: Mutex<State>,
    changed: Condvar,
    /// Threads that have nothing to do, and tasks that wait: so that nobody needs the lock to see that there is nothing
    /// to hand over, or nothing to take.
    idle: AtomicUsize,
    tasks: AtomicUsize,
    /// Whether all are to stop, or to come to a collection.
    called: AtomicBool,
    /// Rule applications.
    steps: AtomicU64,
    /// Tasks that there have been.
    handed: AtomicU64,
}

#[derive(Default)]
struct State {
    tasks: VecDeque<Arc<Task>>,
    /// Threads that run native code, or wait in it.
    active: usize,
    /// Threads that sleep.
    asleep: usize,
    /// Whether somebody has asked for a collection that is not over.
    collects: bool,
    /// Threads that have come to it, and those that are done with it.
    arrived: usize,
    left: usize,
    marking: Option<Arc<Marking>>,
    /// Changes whenever the runs of free cells that threads have are void: with each collection.
    epoch: u64,
    /// The heap's own count of collections, when it was last shared.
    collections: u64,
    /// Why the run was given up, if it was.
    halt: Option<Halt>,
    finished: bool,
}

impl State {
    fn halted(&self) -> bool {
        self.halt.is_some()
    }
}

/// The run is over, or given up.
pub(super) struct Over;

impl<'a> Shared<'a> {
    pub fn new(run: &Run<'a, '_>, code: &'a Code<'static>, team: Team) -> Self {
        Self {
            plan: run.plan,
            code,
            team,
            max_steps: run.control.limits().max_steps,
            widest: widest(run.program),
            heap: Mutex::new(Heap::none()),
            state: Mutex::default(),
            changed: Condvar::new(),
            idle: AtomicUsize::new(0),
            tasks: AtomicUsize::new(0),
            called: AtomicBool::new(false),
            steps: AtomicU64::new(0),
            handed: AtomicU64::new(0),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'g>(&self, guard: MutexGuard<'g, State>) -> MutexGuard<'g, State> {
        self.changed.wait_timeout(guard, SLEEP).unwrap_or_else(PoisonError::into_inner).0
    }

    pub fn heap(&self) -> MutexGuard<'_, Heap> {
        self.heap.lock().unwrap_or_else(PoisonError::into_inner)
    }

    // The run.

    /// An application of the start term begins, after so many rule applications.
    pub fn begin(&self, heap: Heap, steps: u64) {
        let mut state = self.lock();
        state.active += 1;
        // The thread that begins may have collected by itself.
        if heap.collections != state.collections {
            state.epoch += 1;
        }
        drop(state);
        *self.heap() = heap;
        self.steps.store(steps, Ordering::Relaxed);
    }

    /// It is over: the heap, and the rule applications.
    pub fn end(&self) -> (Heap, u64) {
        let mut state = self.lock();
        state.active -= 1;
        // The others have nothing more to do than to see that.
        while state.active > 0 {
            state = self.wait(state);
        }
        let heap = std::mem::replace(&mut *self.heap(), Heap::none());
        state.collections = heap.collections;
        (heap, self.steps.load(Ordering::Relaxed))
    }

    /// There is nothing more to do for anybody.
    pub fn finish(&self) {
        self.lock().finished = true;
        self.changed.notify_all();
    }

    /// How many tasks there have been.
    pub fn handed(&self) -> u64 {
        self.handed.load(Ordering::Relaxed)
    }

    /// Why the run was given up, if it was.
    pub fn into_halt(self) -> Option<Halt> {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).halt
    }

    /// Gives the run up: every thread leaves native code as soon as it looks up.
    pub fn halt(&self, why: Halt) {
        let mut state = self.lock();
        state.halt.get_or_insert(why);
        drop(state);
        self.called.store(true, Ordering::Release);
        self.changed.notify_all();
    }

    /// Whether the run was given up.
    pub fn is_halted(&self) -> bool {
        self.calls() && self.lock().halted()
    }

    /// What has stopped the run from outside.
    pub fn stopped(&self) -> Option<StopReason> {
        match &self.lock().halt {
            Some(Halt::Stopped(why)) => Some(why.clone()),
            _ => None,
        }
    }

    /// The epoch of runs of free cells.
    pub fn epoch(&self) -> u64 {
        self.lock().epoch
    }

    /// Adds rule applications; gives all so far.
    pub fn count(&self, steps: u64) -> u64 {
        self.steps.fetch_add(steps, Ordering::Relaxed) + steps
    }

    // Tasks.

    /// How many tasks threads are waiting for.
    pub fn wanted(&self) -> usize {
        let idle = if self.team.eager { usize::MAX } else { self.idle.load(Ordering::Relaxed) };
        idle.saturating_sub(self.tasks.load(Ordering::Relaxed))
    }

    /// Hands tasks over.
    pub fn hand_over(&self, tasks: impl IntoIterator<Item = Arc<Task>>) {
        let mut state = self.lock();
        let before = state.tasks.len();
        state.tasks.extend(tasks);
        self.handed.fetch_add((state.tasks.len() - before) as u64, Ordering::Relaxed);
        self.tasks.store(state.tasks.len(), Ordering::Relaxed);
        if state.asleep > 0 {
            self.changed.notify_all();
        }
    }

    fn take(&self, state: &mut State) -> Option<Arc<Task>> {
        let task = loop {
            match state.tasks.pop_front() {
                Some(task) if task.begin() => break Some(task),
                Some(_) => {}
                None => break None,
            }
        };
        self.tasks.store(state.tasks.len(), Ordering::Relaxed);
        task
    }

    /// The next task for a thread that runs nothing, and the epoch of its runs of cells; `look` is called now and then.
    pub fn next(&self, look: &mut dyn FnMut()) -> Result<(Arc<Task>, u64), Over> {
        self.idle.fetch_add(1, Ordering::Relaxed);
        let found = self.next_hungry(look);
        self.idle.fetch_sub(1, Ordering::Relaxed);
        found
    }

    fn next_hungry(&self, look: &mut dyn FnMut()) -> Result<(Arc<Task>, u64), Over> {
        loop {
            for _ in 0..LOOKS {
                if self.tasks.load(Ordering::Relaxed) > 0 || self.called.load(Ordering::Relaxed) {
                    break;
                }
                std::hint::spin_loop();
            }
            let mut state = self.lock();
            if state.finished || state.halted() {
                return Err(Over);
            }
            if !state.collects
                && let Some(task) = self.take(&mut state)
            {
                state.active += 1;
                return Ok((task, state.epoch));
            }
            state.asleep += 1;
            state = self.wait(state);
            state.asleep -= 1;
            drop(state);
            look();
        }
    }

    /// A task for a thread that waits for another one's value, if there is one.
    pub fn another(&self) -> Option<Arc<Task>> {
        if self.tasks.load(Ordering::Relaxed) == 0 {
            return None;
        }
        let mut state = self.lock();
        if state.collects { None } else { self.take(&mut state) }
    }

    /// Waits a moment for the value of a task.
    pub fn wait_for(&self, task: &Task, looks: &mut u32) {
        *looks += 1;
        if *looks < LOOKS {
            std::hint::spin_loop();
            return;
        }
        self.idle.fetch_add(1, Ordering::Relaxed);
        let mut state = self.lock();
        let quiet = !(state.halted() || state.collects || task.value().is_some() || !state.tasks.is_empty());
        if quiet {
            state.asleep += 1;
            state = self.wait(state);
            state.asleep -= 1;
        }
        drop(state);
        self.idle.fetch_sub(1, Ordering::Relaxed);
    }

    /// A task has its value.
    pub fn done(&self, task: &Task, value: u64) {
        task.finish(value);
        // Before it sleeps, a thread looks at the task with the lock held.
        let state = self.lock();
        if state.asleep > 0 {
            self.changed.notify_all();
        }
    }

    /// A thread has nothing to run any more.
    pub fn rest(&self, collect: &mut dyn FnMut() -> Result<(), Over>) {
        loop {
            let mut state = self.lock();
            if !state.collects || state.halted() {
                state.active -= 1;
                drop(state);
                self.changed.notify_all();
                return;
            }
            drop(state);
            // An error says that all stop.
            let _ = collect();
        }
    }

    // Collections.

    /// Whether all are to stop or to collect.
    pub fn calls(&self) -> bool {
        self.called.load(Ordering::Relaxed)
    }

    /// Asks for a collection, to which the caller must come too.
    pub fn ask_to_collect(&self) {
        self.lock().collects = true;
        self.called.store(true, Ordering::Release);
        self.changed.notify_all();
    }

    /// Takes part in a collection, if there is one: the caller's `roots` are marked, and its runs of cells are void
    /// then; gives the new epoch.
    pub fn collect(&self, roots: &mut dyn FnMut(&mut Marker<'_>)) -> Result<Option<u64>, Over> {
        let mut state = self.lock();
        if !state.halted() && !state.collects {
            return Ok(None);
        }
        if !state.halted() {
            state.arrived += 1;
            if state.arrived == state.active {
                state.marking = Some(Arc::new(self.heap().begin_marking(state.active)));
                self.changed.notify_all();
            } else {
                while state.marking.is_none() && !state.halted() {
                    state = self.wait(state);
                }
            }
        }
        // From here on nobody stops before all have marked.
        let marking = match &state.marking {
            Some(marking) if state.arrived == state.active => Arc::clone(marking),
            _ => return Err(Over),
        };
        drop(state);
        marking.mark(roots);
        let mut state = self.lock();
        state.left += 1;
        let epoch = state.epoch;
        if state.left == state.active {
            let ended = self.heap().end_marking(&marking);
            (state.arrived, state.left, state.marking, state.collects) = (0, 0, None, false);
            state.epoch += 1;
            if let Err(Full::Memory | Full::Process) = ended {
                state.halt.get_or_insert(Halt::Repeat);
            }
            self.called.store(state.halted(), Ordering::Release);
            self.changed.notify_all();
        } else {
            while state.epoch == epoch {
                state = self.wait(state);
            }
        }
        if state.halted() { Err(Over) } else { Ok(Some(state.epoch)) }
    }
}
