//! What the GPU's side of a batch and its workers share: how far each is, and the wave that the GPU has.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::line::{Chunk, WorkedLine};
use super::queue::lock;

/// Lines of a wave that a helping worker evaluates at a time.
const HELP: usize = 64;
/// Longest time between two looks of a worker that waits.
const LOOK: Duration = Duration::from_millis(5);

/// What the GPU's side and the workers share.
#[derive(Default)]
pub(super) struct GpuShare {
    /// Lines that the workers have evaluated.
    lines: AtomicU64,
    /// The GPU goes on without the workers.
    alone: AtomicBool,
    /// What the GPU has.
    has: Mutex<GpuWork>,
    /// Changes of `has` and `alone`.
    changed: Condvar,
}

/// What the GPU has at the moment.
#[derive(Clone, Default)]
pub(super) enum GpuWork {
    #[default]
    Nothing,
    /// It is about to take lines.
    Takes,
    Wave(Arc<SharedWave>),
}

impl GpuShare {
    /// Lines that the workers have evaluated.
    pub fn lines_of_workers(&self) -> u64 {
        self.lines.load(Ordering::Relaxed)
    }

    /// What the GPU has, locked.
    pub fn has(&self) -> MutexGuard<'_, GpuWork> {
        lock(&self.has)
    }

    /// Waits for a change, not for long.
    pub fn wait<'g>(&self, has: MutexGuard<'g, GpuWork>) -> MutexGuard<'g, GpuWork> {
        self.changed.wait_timeout(has, LOOK).unwrap_or_else(PoisonError::into_inner).0
    }

    /// Counts lines of a worker.
    pub fn count(&self, lines: usize) {
        self.lines.fetch_add(lines as u64, Ordering::Relaxed);
    }

    /// Whether the workers leave the input to the GPU.
    pub fn is_alone(&self) -> bool {
        self.alone.load(Ordering::Relaxed)
    }

    /// Has the GPU go on without the workers, or with them.
    pub fn go_on(&self, alone: bool) {
        self.alone.store(alone, Ordering::Relaxed);
        self.changed.notify_all();
    }

    /// Sets what the GPU has.
    pub fn set(&self, has: GpuWork) {
        *lock(&self.has) = has;
        self.changed.notify_all();
    }
}

/// Lines that the GPU has, and what helping workers have made of them.
pub(super) struct SharedWave {
    pub number: u64,
    pub lines: Chunk,
    /// The first line that no worker has taken.
    next: AtomicUsize,
    results: Mutex<Pieces>,
    /// Somebody has all results.
    pub done: Arc<AtomicBool>,
}

/// Pieces of a wave by their first lines, and how many lines have been worked on.
#[derive(Default)]
struct Pieces {
    pieces: Vec<(usize, Vec<WorkedLine>)>,
    lines: usize,
}

impl SharedWave {
    pub fn new(number: u64, lines: Chunk) -> Self {
        Self { number, lines, next: AtomicUsize::new(0), results: Mutex::default(), done: Arc::default() }
    }

    /// Lines that nobody helps with yet.
    pub fn take(&self) -> Option<Range<usize>> {
        if self.done.load(Ordering::Acquire) {
            return None;
        }
        let start = self.next.fetch_add(HELP, Ordering::Relaxed);
        (start < self.lines.len()).then(|| start..self.lines.len().min(start + HELP))
    }

    /// Adds what became of lines; gives all results when none is missing.
    pub fn add(&self, lines: Range<usize>, worked: Vec<WorkedLine>) -> Option<Vec<WorkedLine>> {
        let mut results = lock(&self.results);
        results.lines += lines.len();
        results.pieces.push((lines.start, worked));
        if results.lines < self.lines.len() {
            return None;
        }
        let mut pieces = std::mem::take(&mut results.pieces);
        pieces.sort_unstable_by_key(|(start, _)| *start);
        Some(pieces.into_iter().flat_map(|(_, worked)| worked).collect())
    }

    /// Whether the caller, who has all results, is the first one.
    pub fn finish(&self) -> bool {
        !self.done.swap(true, Ordering::AcqRel)
    }
}

#[cfg(test)]
mod tests {
    use gchr_base::stats::Stats;

    use super::super::line::{BatchLine, LineText};
    use super::*;

    fn worked(numbers: Range<usize>) -> Vec<WorkedLine> {
        let line = |n: usize| BatchLine {
            number: n as u64,
            result: Ok(LineText::Text(n.to_string())),
            rewrites: None,
        };
        numbers.map(|n| WorkedLine { line: line(n), stats: Stats::default(), last: false }).collect()
    }

    #[test]
    fn pieces_of_a_wave_come_in_any_order_and_one_side_is_first() {
        let lines: Chunk = (0..150).map(|n| (n, Vec::new())).collect();
        let wave = SharedWave::new(7, lines);
        let pieces: Vec<_> = std::iter::from_fn(|| wave.take()).collect();
        assert_eq!(pieces, [0..64, 64..128, 128..150]);
        assert!(wave.add(pieces[2].clone(), worked(128..150)).is_none());
        assert!(wave.add(pieces[0].clone(), worked(0..64)).is_none());
        let all = wave.add(pieces[1].clone(), worked(64..128)).expect("nothing is missing");
        assert!(all.iter().map(|w| w.line.number).eq(0..150));
        assert!(wave.finish() && !wave.finish());
        assert!(wave.take().is_none());
    }
}
