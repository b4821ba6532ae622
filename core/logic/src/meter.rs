//! What work inside of a step draws from: built-in predicates and walks over terms say here what they are about to do
//! and to allocate, and hear limits and signals through it.
//!
//! A walk over terms has no way to fail in the middle. When the meter [stops](Meter::is_stopped) it just ends, with a
//! result that means nothing; the caller asks before it uses that: the machine after each built-in predicate,
//! before it backtracks and before it fires a rule. A stop ends the run, so nothing sees such a result.

use std::cell::{Cell, RefCell};
use std::hash::Hash;
use std::time::{Duration, Instant};

use gchr_base::control::{Control, Watch};
use gchr_base::hash::HashMap;
use gchr_base::memory;
use gchr_base::stop::StopReason;

/// Units of work between two looks at limits and signals: some milliseconds.
const CHUNK: usize = 1 << 16;
/// Requests from so many bytes on are asked for before they are made.
const LARGE: u64 = 1 << 20;

/// Time for what is told of a run that a limit of time or a signal has stopped, and of one that has stopped otherwise.
const LAST_WORDS: Duration = Duration::from_millis(600);
const LONGEST: Duration = Duration::from_secs(2);

/// A budget of work, and what is looked at when it is used up.
#[derive(Debug)]
pub(crate) struct Meter<'a> {
    fuel: Cell<usize>,
    is_stopped: Cell<bool>,
    reason: RefCell<Option<StopReason>>,
    watch: Watch<'a>,
    memory: memory::MemoryWatch,
    /// Bytes that the run may have of its own, and those that it had at the last look of the machine.
    limit: Option<u64>,
    own: Cell<u64>,
    /// When the first time limit of the program's own is over, whether what is done now may be ended for it, and
    /// whether it was.
    alarm: Cell<Option<Instant>>,
    may_ring: Cell<bool>,
    has_rung: Cell<bool>,
    /// Bytes that the process may have; the bound of all is looked at where this says nothing.
    ceiling: Option<u64>,
}

impl Default for Meter<'_> {
    fn default() -> Self {
        Self {
            fuel: Cell::new(CHUNK),
            is_stopped: Cell::new(false),
            reason: RefCell::new(None),
            watch: Watch::new(),
            memory: memory::MemoryWatch::start(),
            limit: None,
            own: Cell::new(0),
            alarm: Cell::new(None),
            may_ring: Cell::new(false),
            has_rung: Cell::new(false),
            ceiling: None,
        }
    }
}

impl<'a> Meter<'a> {
    /// Under the limits of a run.
    pub fn of(control: &Control<'a>) -> Self {
        Self {
            watch: control.watch().clone(),
            memory: control.memory_watch(),
            limit: control.limits().memory,
            ..Self::default()
        }
    }

    /// For what is told of a run that has stopped: a sixteenth of the memory more, and less time than it takes until
    /// the process is ended that did not hear its limit or its signal.
    pub fn afterwards(control: &Control<'a>, is_interrupted: bool) -> Self {
        let now = Instant::now();
        let end = match control.watch().deadline() {
            Some(deadline) => (deadline.max(now) + LAST_WORDS).min(now + LONGEST),
            None if is_interrupted => now + LAST_WORDS,
            None => now + LONGEST,
        };
        let bound = control.limits().memory.unwrap_or(memory::bound()).min(memory::bound());
        let ceiling = bound.saturating_add(bound / 16);
        Self { watch: Watch::new().timeout(Some(end - now), now), ceiling: Some(ceiling), ..Self::default() }
    }

    /// Draws units of work: a node of a term, eight bytes of text, a digit of a long integer. Whether to go on.
    #[inline]
    pub fn spend(&self, units: usize) -> bool {
        match self.fuel.get().checked_sub(units) {
            Some(left) => {
                self.fuel.set(left);
                true
            }
            None => self.look(),
        }
    }

    /// To be called before so many bytes are allocated in one piece: whether there are as many.
    pub fn ask(&self, bytes: u64) -> bool {
        if !self.spend(usize::try_from(1 + bytes / 64).unwrap_or(usize::MAX)) {
            return false;
        }
        if bytes < LARGE {
            return true;
        }
        if let Some(limit) = self.limit
            && self.own.get().saturating_add(bytes) > limit
        {
            return self.stop(memory::Shortage::Limit(limit).of(WHAT));
        }
        let shortage = self.shortage(bytes, || memory::ask(bytes).err());
        shortage.is_none_or(|shortage| self.stop(shortage.of(WHAT)))
    }

    /// Makes room in a vector for some values more, which is asked for before; whether there is room.
    #[inline]
    pub fn room<T>(&self, values: &mut Vec<T>, more: usize) -> bool {
        values.capacity() - values.len() >= more || self.grow(values, more)
    }

    #[cold]
    fn grow<T>(&self, values: &mut Vec<T>, more: usize) -> bool {
        let room = self.ask((values.capacity().max(more) * size_of::<T>()) as u64);
        if room {
            values.reserve(more);
        }
        room
    }

    /// Makes room in a map for an entry more, which is asked for before; whether there is room.
    #[inline]
    pub fn room_in_map<K: Eq + Hash, V>(&self, map: &mut HashMap<K, V>) -> bool {
        map.len() < map.capacity() || self.grow_map(map)
    }

    #[cold]
    fn grow_map<K: Eq + Hash, V>(&self, map: &mut HashMap<K, V>) -> bool {
        // The entries lie in two tables until they have moved; there are more places than entries.
        let room = self.ask((3 * map.capacity() * size_of::<(K, V)>()) as u64);
        if room {
            map.reserve(1);
        }
        room
    }

    /// Why there are no such further bytes: by the ceiling, or otherwise by what says so where there is none.
    fn shortage(
        &self,
        bytes: u64,
        otherwise: impl FnOnce() -> Option<memory::Shortage>,
    ) -> Option<memory::Shortage> {
        match self.ceiling {
            Some(room) => {
                (memory::in_use().saturating_add(bytes) > room).then_some(memory::Shortage::Limit(room))
            }
            None => otherwise(),
        }
    }

    #[cold]
    fn look(&self) -> bool {
        if self.is_stopped.get() {
            return false;
        }
        if let Err(reason) = self.watch.look() {
            return self.stop(reason);
        }
        if let Some(shortage) = self.shortage(0, || self.memory.shortage()) {
            return self.stop(shortage.of(WHAT));
        }
        if self.may_ring.get() && self.alarm.get().is_some_and(|alarm| Instant::now() >= alarm) {
            self.fuel.set(0);
            self.is_stopped.set(true);
            self.has_rung.set(true);
            return false;
        }
        self.fuel.set(CHUNK);
        true
    }

    /// Stops work at this time where it [may be](Self::may_ring), until it [goes on](Self::go_on).
    pub fn ring_at(&self, alarm: Option<Instant>) {
        self.alarm.set(alarm);
    }
    /// Whether what is done from now on may be stopped for a time limit of the program: nothing but its results, which
    /// are lost, depends on it.
    #[inline(always)]
    pub fn may_ring(&self, may: bool) {
        self.may_ring.set(may);
    }
    /// Whether it was.
    pub fn has_rung(&self) -> bool {
        self.has_rung.get()
    }
    /// The program goes on after its time limit.
    pub fn go_on(&self) {
        self.is_stopped.set(false);
        self.has_rung.set(false);
        self.may_ring.set(false);
        self.fuel.set(CHUNK);
    }

    #[cold]
    fn stop(&self, reason: StopReason) -> bool {
        self.fuel.set(0);
        self.is_stopped.set(true);
        self.reason.borrow_mut().get_or_insert(reason);
        false
    }

    /// Whether work must stop; results of what drew from it meanwhile mean nothing then.
    #[inline(always)]
    pub fn is_stopped(&self) -> bool {
        self.is_stopped.get()
    }

    /// Why.
    pub fn reason(&self) -> StopReason {
        self.reason.borrow().clone().unwrap_or(StopReason::Interrupted)
    }

    /// The machine has looked at its limits, and has so many bytes.
    pub fn looked(&self, own: u64) {
        self.own.set(own);
    }
}

/// What asked for memory.
const WHAT: &str = "terms and texts of the run";
