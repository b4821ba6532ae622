//! Memory of the process: how much is in use, how much may be, and what happens when the system gives no more.
//!
//! In a process whose global allocator is [`Allocator`] every allocation is counted, so that no data structure can be
//! forgotten; the touched parts of [`Reservation`]s are counted everywhere. Once the [bound](set_bound) is passed,
//! every run stops at its next look at its [`Control`](crate::control::Control); what grows by much at a time asks
//! [`ask`] before.

mod allocator;
mod available;
mod growing;
mod pages;
mod reservation;
mod reserve;
mod sparse;

use std::cell::Cell;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use crate::error::StopReason;

pub use allocator::{Allocator, when_exhausted};
pub use available::{address_space_left, available};
pub use growing::Growing;
pub use pages::prefer_large_pages;
pub use reservation::Reservation;
pub use sparse::SparseWords;

/// What a thread has allocated or freed is added to the sum when it is more than this: the sum is off by less than this
/// for each thread that there ever was.
const BATCH: i64 = 32 << 10;
/// Requests from this size on are tried out before they are made in earnest.
const TRIED: u64 = 1 << 20;

/// Bytes in use by the process, but for what threads have not added yet.
static IN_USE: AtomicI64 = AtomicI64::new(0);
/// How many bytes may be in use.
static BOUND: AtomicU64 = AtomicU64::new(u64::MAX);
/// How often the system gave no memory.
static REFUSALS: AtomicU64 = AtomicU64::new(0);

thread_local! {
    static NOT_ADDED: Cell<i64> = const { Cell::new(0) };
    /// Whether the thread tries a request out: that it is refused is an answer then, not an accident.
    static TRIES: Cell<bool> = const { Cell::new(false) };
}

/// Counts bytes that were taken, or given back where negative.
#[inline]
fn count(bytes: i64) {
    NOT_ADDED.with(|own| {
        let sum = own.get() + bytes;
        if sum.unsigned_abs() < BATCH.unsigned_abs() {
            own.set(sum);
        } else {
            IN_USE.fetch_add(sum, Ordering::Relaxed);
            own.set(0);
        }
    });
}

/// Bytes in use: allocations, where [`Allocator`] counts them, and the touched parts of reservations.
pub fn in_use() -> u64 {
    u64::try_from(IN_USE.load(Ordering::Relaxed)).unwrap_or(0)
}

/// Sets how many bytes the process may have in use.
pub fn set_bound(bytes: u64) {
    BOUND.store(bytes, Ordering::Relaxed);
}

/// How many bytes the process may have in use; `u64::MAX` where nobody has set a bound.
pub fn bound() -> u64 {
    BOUND.load(Ordering::Relaxed)
}

/// Bytes that may still be taken.
pub fn left() -> u64 {
    bound().saturating_sub(in_use())
}

/// Why there is no more memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shortage {
    /// A limit is reached.
    Limit(u64),
    /// The system gives no more.
    System,
}

impl Shortage {
    /// The reason to stop a run of which `what` asked for more.
    pub fn of(self, what: impl Into<String>) -> StopReason {
        let what = what.into();
        match self {
            Shortage::Limit(limit) => StopReason::Memory { limit, what },
            Shortage::System => StopReason::NoMemory { what },
        }
    }
}

/// To be called before much is allocated: whether the bound allows so many bytes more, and the system has them.
pub fn ask(bytes: u64) -> Result<(), Shortage> {
    if bytes > left() {
        return Err(Shortage::Limit(bound()));
    }
    if bytes >= TRIED && !system_has(bytes) {
        return Err(Shortage::System);
    }
    Ok(())
}

/// Makes room in a vector for some values more: twice as much as there was, or less where memory runs short.
#[inline]
pub fn reserve<T>(values: &mut Vec<T>, more: usize) -> Result<(), Shortage> {
    if values.capacity() - values.len() >= more { Ok(()) } else { grow(values, more) }
}

#[cold]
fn grow<T>(values: &mut Vec<T>, more: usize) -> Result<(), Shortage> {
    let missing = values.len() + more - values.capacity();
    let mut room = missing.max(values.capacity()).max(4);
    loop {
        let answer = ask(room as u64 * size_of::<T>() as u64);
        if answer.is_ok() {
            return values
                .try_reserve_exact(values.capacity() - values.len() + room)
                .map_err(|_| Shortage::System);
        }
        if room <= missing {
            return answer;
        }
        room = (room / 4).max(missing);
    }
}

/// Whether the system would give so many bytes in one piece.
fn system_has(bytes: u64) -> bool {
    let Ok(bytes) = usize::try_from(bytes) else { return false };
    TRIES.set(true);
    let mut tried = Vec::<u8>::new();
    let has = tried.try_reserve_exact(bytes).is_ok();
    drop(std::hint::black_box(tried));
    TRIES.set(false);
    has
}

/// A moment from which on it is watched whether memory runs short.
#[derive(Clone, Copy, Debug)]
pub struct MemoryWatch {
    refusals: u64,
}

impl MemoryWatch {
    /// From now on.
    pub fn start() -> Self {
        Self { refusals: REFUSALS.load(Ordering::Relaxed) }
    }

    /// Why work that began then must stop, if it must: more is in use than may be, or the system has refused memory
    /// since, so that only the reserve is left.
    pub fn shortage(self) -> Option<Shortage> {
        if REFUSALS.load(Ordering::Relaxed) != self.refusals {
            return Some(Shortage::System);
        }
        (in_use() > bound()).then(|| Shortage::Limit(bound()))
    }
}

/// Tests that look at what is common to the process do it one after the other.
#[cfg(test)]
static ALONE: std::sync::Mutex<()> = std::sync::Mutex::new(());

#[cfg(test)]
mod tests {
    use super::*;

    /// Sums of many threads, each of which counts in its own batches.
    #[test]
    fn what_threads_take_and_give_back_is_summed_up() {
        let before = in_use();
        let megabyte = 1 << 20;
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..64).for_each(|_| count(megabyte)));
            }
        });
        let taken = in_use() - before;
        assert!(taken.abs_diff(256 << 20) <= 8 << 20, "{taken}");
        count(-(256 << 20));
        assert!(in_use().abs_diff(before) <= 8 << 20);
    }

    #[cfg_attr(miri, ignore = "Miri itself ends when memory does")]
    #[test]
    fn more_than_the_machine_has_is_refused_and_is_no_accident() {
        let _alone = ALONE.lock();
        let watch = MemoryWatch::start();
        assert_eq!(ask(1 << 60), Err(Shortage::System));
        assert_eq!(ask(1 << 21), Ok(()));
        assert_eq!(watch.shortage(), None);
    }
}
