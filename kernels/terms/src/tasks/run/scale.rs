//! How many threads a run has, and what each has at hand: as much as it was told, or less where memory is small.

use super::{Job, Options};
use crate::tasks::codegen::FEWEST_CELLS;
use crate::tasks::frames::Shape;

/// Places in the queue a thread, at least; and for each task that a frame becomes.
const PLACES: u32 = 8;
const PLACES_A_SIBLING: u32 = 4;
/// Joins of a thread, and the most words of all.
const JOINS: u64 = 64;
const MOST_JOIN_WORDS: u64 = 1 << 28;
/// The part of the memory that joins take at most.
const JOIN_SHARE: u64 = 8;

/// Threads of a run, and what they take at a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Scale {
    /// Blocks.
    pub blocks: u32,
    /// Threads a block.
    pub block: u32,
    /// Cells that a thread takes at a time: a power of two.
    pub run: u32,
    /// Free cells that threads hand to each other at a time.
    pub batch: u32,
    /// The logarithm of the places in the queue.
    pub place_bits: u32,
    /// Words of all joins.
    pub join_words: u64,
}

impl Scale {
    /// So many blocks of so many threads, each of which takes `run` cells at a time.
    pub fn new(job: &Job<'_>, options: &Options, blocks: u32, block: u32, run: u32) -> Self {
        let shape = &job.kernels.shape;
        let threads = blocks * block;
        let places = threads * PLACES.max(PLACES_A_SIBLING * shape.siblings);
        let join = u64::from(shape.join());
        // What a thread takes at a time.
        let batch = u64::from(shape.format.joins) * join;
        let smallest = threads == 32 && run <= FEWEST_CELLS;
        let most = if smallest { 0 } else { (options.memory / 4 / JOIN_SHARE).min(MOST_JOIN_WORDS) };
        let join_words = (u64::from(threads) * JOINS * join).min(most).max(2 * batch);
        Self {
            blocks,
            block,
            run,
            batch: options.batch.min((run / 4).max(2)),
            place_bits: places.next_power_of_two().trailing_zeros(),
            join_words: join_words / batch * batch,
        }
    }

    /// Threads in all.
    pub fn threads(&self) -> u32 {
        self.blocks * self.block
    }
    /// Words of the queue, and of the places through which lanes of a warp give tasks to each other.
    pub fn queue_words(&self, shape: &Shape) -> u64 {
        (u64::from(self.threads()) + (1 << self.place_bits)) * u64::from(shape.task())
    }
    /// Places for joins that threads leave to each other, so many at a time: more than there can be.
    pub fn spare_places(&self, shape: &Shape) -> u32 {
        let batches = self.join_words / u64::from(shape.format.joins * shape.join());
        (batches + 1).next_power_of_two() as u32
    }
    /// Words of what threads save between two launches.
    pub fn saved_words(&self, job: &Job<'_>) -> u64 {
        let record = job.kernels.tracing.as_ref().map_or(0, |t| u64::from(t.record));
        u64::from(self.threads()) * record
    }
    /// Bytes whose number does not depend on what the program builds.
    pub fn bytes(&self, job: &Job<'_>) -> u64 {
        let queue = self.queue_words(&job.kernels.shape) + (1 << self.place_bits);
        4 * (queue + self.join_words + self.saved_words(job))
    }
    /// Cells of a class that threads may have at hand without using them.
    pub fn cells(&self, job: &Job<'_>) -> u64 {
        let free = if job.kernels.shapes.is_some() { 2 * self.batch } else { 0 };
        u64::from(self.run + free) * (2 + u64::from(self.threads()))
    }
}
