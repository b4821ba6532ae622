//! How many threads a run has, and what each has at hand: as much as it was told, or less where memory is small.

use super::capacity::Capacity;
use super::start::Start;
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
/// Cells that a thread takes at a time, before there are fewer threads.
const FEW_CELLS: u32 = 32;

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
    /// The largest scale with which half of the memory is left for what the program builds, else the smallest one;
    /// `resident`: blocks that the device holds at a time. Where even that does not fit: the bytes that it needs.
    pub fn fitting(job: &Job<'_>, options: &Options, resident: u32, start: &Start<'_>) -> Result<Self, u64> {
        let mut blocks = resident.min(options.blocks).max(1);
        // What a thread makes sure of at a time is no more than the smallest run.
        let least = if job.kernels.shapes.is_some() { 1 } else { FEWEST_CELLS };
        let (mut block, mut run) = (options.block, options.run.max(least));
        loop {
            let scale = Self::new(job, options, blocks, block, run);
            let bytes = Capacity::least(job, &scale, start).bytes(job);
            if bytes <= options.memory / 2 {
                return Ok(scale);
            }
            if run > FEW_CELLS || blocks == 1 && run > FEWEST_CELLS {
                run /= 2;
            } else if blocks > 1 {
                blocks /= 2;
            } else if block > 32 {
                block = block / 2 / 32 * 32;
            } else {
                return if bytes <= options.memory { Ok(scale) } else { Err(bytes) };
            }
        }
    }

    fn new(job: &Job<'_>, options: &Options, blocks: u32, block: u32, run: u32) -> Self {
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

#[cfg(test)]
mod tests {
    use gchr_base::rule::Start as Input;
    use gchr_base::source::SourceMap;
    use gchr_terms::plan::{TermOptions, compile};

    use super::super::capacity::{Full, InUse, Shortage};
    use super::super::{Promote, Results, Uncollected};
    use super::*;
    use crate::tasks::kernels::{Tuning, kernels};

    /// What a GPU of 132 multiprocessors is asked for.
    const LARGE: Options = Options {
        memory: 1 << 36,
        first_memory: 1 << 35,
        block: 128,
        blocks: 264,
        run: 256,
        batch: 64,
        report: 1 << 20,
        promote: Promote::WhenAsked,
        steps: 128,
        spare: None,
        uncollected: Uncollected::NONE,
        results: Results::NormalForms,
    };

    fn with_job(counts: bool, compact: bool, check: impl Fn(&Job<'_>, &Start<'_>)) {
        let text = "sort Tree = struct Leaf() | Node(Tree, Tree); Big = struct None() | Big(Tree, Int, Int, Tree, Tree);
            var N : Int; T : Tree; map Grow: Int -> Tree; All: Int # Tree -> Big;
            eqn N > 0 -> Grow(N) = Node(Grow(N - 1), Grow(N - 1)); Grow(N) = Leaf();
                N > 0 -> All(N, T) = Big(T, N, N, Grow(3), T);
            input Grow(20);";
        let mut sources = SourceMap::new();
        let id = sources.add("test.trs", text);
        let program = gchr_trs::load(&sources, id).program.expect("the program is right");
        let plan = compile(&program, &TermOptions::tasks(counts)).expect("the plan compiles");
        let tuning = Tuning { compact, ..Tuning::default() };
        let kernels = kernels(&plan, &program, &sources, tuning).expect("kernels are generated");
        let Input::Term(Some(input)) = &program.start else { panic!("the program has an input") };
        let inputs = std::slice::from_ref(input);
        let job = Job { program: &program, plan: &plan, kernels: &kernels, inputs };
        check(&job, &Start::new(&job, &mut || Ok(())).expect("a start term"));
    }

    #[test]
    fn small_memories_have_fewer_threads() {
        for (counts, compact) in [(false, false), (true, false), (false, true)] {
            with_job(counts, compact, |job, start| {
                let fitting = |memory| {
                    let options = Options { memory, first_memory: memory / 2, ..LARGE };
                    let scale = Scale::fitting(job, &options, 300, start)?;
                    let bytes = Capacity::first(job, &options, &scale, start).bytes(job);
                    assert!(bytes <= memory, "{bytes} bytes of {memory}: {scale:?}");
                    Ok::<_, u64>(scale)
                };
                let large = fitting(1 << 36).expect("there is room");
                assert_eq!((large.blocks, large.block, large.run), (264, 128, 256));
                let mut threads = large.threads();
                for memory in [1 << 30, 64 << 20, 16 << 20, 4 << 20, 1 << 20] {
                    let scale = fitting(memory).expect("a block fits");
                    assert!(scale.threads() <= threads && scale.run >= FEWEST_CELLS, "{memory}: {scale:?}");
                    threads = scale.threads();
                }
                let needed = fitting(1 << 12).expect_err("no warp fits");
                assert!((1 << 12..1 << 20).contains(&needed), "{needed}");
                assert!(fitting(needed).is_ok(), "what it says that it needs is enough");
            });
        }
    }

    /// However much memory there is, holes name 2^32 words.
    #[test]
    fn the_heap_has_a_limit_of_its_own() {
        with_job(false, false, |job, start| {
            let memory = 1 << 40;
            let options = Options { memory, first_memory: memory, ..LARGE };
            let scale = Scale::fitting(job, &options, 300, start).expect("there is room");
            let mut capacity = Capacity::first(job, &options, &scale, start);
            let in_use = InUse { cells: vec![0; job.plan.layout.classes.len()], chunks: 0 };
            let shortage = Shortage { class: Some(0), in_use };
            let full = loop {
                match capacity.grow(job, &shortage, memory) {
                    Ok(()) => assert!(capacity.places(job).heap_words <= 1 << 32),
                    Err(full) => break full,
                }
            };
            assert!(matches!(full, Full::Indices(cells) if cells > 1 << 30), "{}", capacity.bytes(job));
        });
    }

    /// A run that builds cells of two classes, of one first, finds memory for them after a few starts when they take no
    /// more than 60 % of it, wherever the shares lay before; else the error comes as soon.
    #[test]
    fn memory_goes_to_what_is_in_use() {
        with_job(false, true, |job, start| {
            let memory = 1 << 33;
            let options = Options { memory, first_memory: memory / 2, ..LARGE };
            let scale = Scale::fitting(job, &options, 300, start).expect("there is room");
            let first = Capacity::first(job, &options, &scale, start);
            for (percent, fits) in [(5, true), (40, true), (60, true), (105, false)] {
                for part in [0, 1, 10, 50] {
                    let bytes = memory / 100 * percent;
                    let shares = [bytes - bytes * part / 100, bytes * part / 100];
                    let places = first.places(job);
                    let cells = |k: usize| shares[k] / (4 * u64::from(places.classes[k].stride));
                    let wanted = [cells(0), cells(1)];
                    let mut capacity = first.clone();
                    let mut starts = 0;
                    let reached = loop {
                        let has: Vec<u64> =
                            capacity.places(job).classes.iter().map(|p| p.cells.into()).collect();
                        let full = has.iter().zip(wanted).position(|(&has, wanted)| has < wanted);
                        let Some(class) = full else { break true };
                        let in_use = |(&has, wanted): (&u64, u64)| has.min(wanted);
                        let cells = has.iter().zip(wanted).map(in_use).collect();
                        let shortage = Shortage { class: Some(class), in_use: InUse { cells, chunks: 0 } };
                        starts += 1;
                        if capacity.grow(job, &shortage, memory).is_err() {
                            break false;
                        }
                        assert!(capacity.bytes(job) <= memory);
                    };
                    assert!(reached == fits && starts <= 7, "{percent} {part} {starts} {reached}");
                }
            }
        });
    }
}
