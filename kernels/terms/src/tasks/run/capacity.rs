//! How much of the memory each class of cells has, and frames; what more of it means when something is full.

use gchr_base::ids::IdVec;
use gchr_base::rule::Program;
use gchr_base::signature::{SymbolId, SymbolKind};
use gchr_terms::plan::{self, ClassId, End, Step, TermPlan};

use super::heap::{Cells, Place, Places, most_cells};
use super::scale::Scale;
use super::{Job, Options, Start};
use crate::tasks::codegen::{stride, view};

/// How much memory a run has.
#[derive(Clone, Debug)]
pub(super) struct Capacity {
    /// By class: cells.
    cells: IdVec<ClassId, u64>,
    /// Chunks of frames.
    pub chunks: u32,
    /// Free cells that threads hand to each other at a time.
    batch: u32,
    /// Bytes whose number does not depend on what the program builds.
    fixed: u64,
    /// What every attempt has at least.
    least: InUse,
    /// The most that was in use in any attempt, where something was full.
    most: InUse,
}

/// What is in use when a launch ends.
#[derive(Clone, Debug)]
pub(super) struct InUse {
    /// By class: cells.
    pub cells: Vec<u64>,
    /// Chunks of frames.
    pub chunks: u32,
}

/// What was full.
#[derive(Clone, Debug)]
pub(super) struct Shortage {
    /// The class of this number; else memory for frames.
    pub class: Option<usize>,
    /// What was in use then.
    pub in_use: InUse,
}

/// Cells of a class beside those that the host has put there.
const SPARE: u64 = 64;
/// Chunks of frames, at least.
const FEWEST_CHUNKS: u32 = 16;
/// Chunks of frames, at most.
const MOST_CHUNKS: u64 = 1 << 28;

/// Why there is no more memory.
pub(super) enum Full {
    /// The limit on memory.
    Memory,
    /// Values, or holes, cannot name more cells than these.
    Indices(u64),
}

/// Ways to grow, the best one that there is memory for first: how many times more than the others what was full gets,
/// the least by which everything must grow, and the most, in sixteenths. What is full may be small beside the rest, or
/// nearly all there is; a run that starts over costs less the more it can build.
const WAYS: [(u64, u64, u64); 5] = [(4, 32, 32), (1, 32, 96), (4, 17, 32), (2, 17, 32), (1, 17, 32)];

/// Parts of the heap of a class that is built again and again, against 1 of any other.
const MANY: u64 = 64;

/// By class: the part of the heap that it starts with. Most classes of a program have cells only for applications
/// without a rule, which are exceptions wherever they stand, or a few around the result.
fn weights(plan: &TermPlan, program: &Program) -> IdVec<ClassId, u64> {
    let mut weights: IdVec<ClassId, u64> = plan.layout.classes.iter().map(|_| 1).collect();
    let often = plan::runs_often(plan);
    let is_stuck = |symbol: SymbolId| program.signature.symbols[symbol].kind == SymbolKind::Defined;
    for (_, function) in plan.functions.iter_enumerated().filter(|(id, _)| often[*id]) {
        function.region.body.walk(&mut |block| {
            let nest = match &block.end {
                End::Context { nest, .. } => nest.as_slice(),
                _ => &[],
            };
            for step in block.steps.iter().chain(nest) {
                if let Step::Build { symbol, .. } | Step::Repeat { symbol, .. } = step
                    && !is_stuck(*symbol)
                    && let Some(class) = plan.layout.variant(*symbol).and_then(|variant| variant.class)
                {
                    weights[class] = MANY;
                }
            }
        });
    }
    weights
}

/// Words that the heap can have: holes name them by 32 bits.
const MOST_WORDS: u64 = 1 << 32;

impl Capacity {
    /// What a run starts with.
    pub fn first(job: &Job<'_>, options: &Options, scale: &Scale, start: &Start<'_>) -> Self {
        let least = Self::least(job, scale, start);
        let memory = options.first_memory.min(options.memory).saturating_sub(least.fixed);
        let heap = (memory / 2).min(2 * MOST_WORDS);
        let weights = weights(job.plan, job.program);
        let share = heap / weights.iter().sum::<u64>().max(1);
        let chunk = 4 * u64::from(job.kernels.shape.chunk());
        let mut first = least.clone();
        for (id, class) in job.plan.layout.classes.iter_enumerated() {
            let counts = job.kernels.shapes.as_ref().is_some_and(|s| s.has_word(id));
            let wanted = weights[id] * share / (4 * u64::from(stride(class.words) + u32::from(counts)));
            first.cells[id] = wanted.max(least.cells[id]);
        }
        first.chunks = ((memory / 8 / chunk).min(1 << 24) as u32).max(least.chunks);
        first.round(job, scale.run);
        if first.bytes(job) <= options.memory { first } else { least }
    }

    /// What a run cannot start without.
    pub fn least(job: &Job<'_>, scale: &Scale, start: &Start<'_>) -> Self {
        let given = |(_, cells): (ClassId, &Cells)| cells.len() + SPARE + scale.cells(job);
        let cells = start.image.classes.iter_enumerated().map(given).collect();
        let none = InUse { cells: vec![0; job.plan.layout.classes.len()], chunks: FEWEST_CHUNKS };
        let mut least = Self {
            cells,
            chunks: FEWEST_CHUNKS,
            batch: scale.batch,
            fixed: scale.bytes(job),
            least: none.clone(),
            most: none,
        };
        least.round(job, scale.run);
        least.least.cells = least.cells.iter().copied().collect();
        least
    }

    fn round(&mut self, job: &Job<'_>, run: u32) {
        for (id, class) in job.plan.layout.classes.iter_enumerated() {
            let most = u64::from(most_cells(class.tag_bits));
            self.cells[id] = self.cells[id].next_multiple_of(u64::from(run)).min(most);
        }
    }

    /// Where everything lies.
    pub fn places(&self, job: &Job<'_>) -> Places {
        let shapes = job.kernels.shapes.as_ref();
        let (mut next, mut shared_words) = (0u64, 0u64);
        let classes = job.plan.layout.classes.iter_enumerated().map(|(id, class)| {
            let stride = stride(class.words);
            let first_word = next;
            let cells = self.cells[id];
            next = (next + cells * u64::from(stride)).next_multiple_of(4);
            let base = (first_word / u64::from(view(stride))) as u32;
            let shared = shared_words as u32;
            if shapes.is_some_and(|s| s.has_word(id)) {
                shared_words += cells;
            }
            Place { first_word, base, stride, cells: cells as u32, shared }
        });
        let classes: Vec<Place> = classes.collect();
        // More places than there can be batches: a thread that gives one away never waits for room.
        let most = classes.iter().map(|c| c.cells / self.batch + 1).max().unwrap_or(0);
        let ring = if shapes.is_some() { most.next_power_of_two() } else { 0 };
        Places {
            classes,
            heap_words: next.max(4),
            shared_words,
            ring,
            ring_words: job.kernels.formats.cells.ring_words,
        }
    }

    /// Bytes of the heap, of what gives cells back or finds them, of chunks and all else.
    pub fn bytes(&self, job: &Job<'_>) -> u64 {
        let places = self.places(job);
        let tracing =
            job.kernels.tracing.as_ref().map_or(0, |t| super::collect::Sizes::new(t, &places).bytes());
        self.fixed
            + places.bytes()
            + tracing
            + 4 * u64::from(self.chunks) * u64::from(job.kernels.shape.chunk())
    }

    /// A class that cannot hold what the host has put there.
    pub fn too_small(&self, in_use: &[u64]) -> Option<usize> {
        self.cells.iter().zip(in_use).position(|(&cells, in_use)| in_use + SPARE > cells)
    }

    /// Whether there is memory for twice as many cells of a class that is full.
    pub fn can_double(&self, job: &Job<'_>, shortage: &Shortage, memory: u64) -> bool {
        let mut larger = self.clone();
        let cells = |capacity: &Self| shortage.class.map_or(0, |class| capacity.cells[ClassId(class as u32)]);
        larger.grow(job, shortage, memory).is_ok() && cells(&larger) >= 2 * cells(self)
    }

    /// More of everything that was ever in use, in proportion to that, so that the memory is used up when all of it is
    /// full at a time.
    pub fn grow(&mut self, job: &Job<'_>, shortage: &Shortage, memory: u64) -> Result<(), Full> {
        for (most, now) in self.most.cells.iter_mut().zip(&shortage.in_use.cells) {
            *most = (*most).max(*now);
        }
        self.most.chunks = self.most.chunks.max(shortage.in_use.chunks);
        match shortage.class {
            Some(class) => {
                self.most.cells[class] = self.most.cells[class].max(self.cells[ClassId(class as u32)])
            }
            None => self.most.chunks = self.most.chunks.max(self.chunks),
        }
        let fits = |larger: &Self| larger.is_named(job) && larger.bytes(job) <= memory;
        for (times, fewest, most) in WAYS {
            let grown = |sixteenths| self.scaled(job, shortage.class, times, sixteenths);
            if fits(&grown(fewest)) && grown(fewest).has_more(self, shortage.class) {
                let sixteenths = (fewest..=most).rev().find(|&n| fits(&grown(n))).unwrap_or(fewest);
                *self = grown(sixteenths);
                return Ok(());
            }
        }
        let smallest = self.scaled(job, shortage.class, 1, WAYS[4].1);
        let full = shortage.class.map_or(u64::from(self.chunks), |class| self.cells[ClassId(class as u32)]);
        let named = smallest.is_named(job) && smallest.has_more(self, shortage.class);
        Err(if named { Full::Memory } else { Full::Indices(full) })
    }

    /// So many sixteenths of what was in use, and of what was full so many times more.
    fn scaled(&self, job: &Job<'_>, full: Option<usize>, times: u64, sixteenths: u64) -> Self {
        let mut scaled = self.clone();
        let of =
            |count: u64, is_full: bool| count * if is_full { times * sixteenths } else { sixteenths } / 16;
        for (k, cells) in scaled.cells.iter_mut().enumerate() {
            *cells = of(self.most.cells[k], full == Some(k)).max(self.least.cells[k]);
        }
        let chunks = of(u64::from(self.most.chunks), full.is_none()).min(MOST_CHUNKS) as u32;
        scaled.chunks = chunks.max(self.least.chunks);
        scaled.round(job, 1);
        scaled
    }

    /// Whether holes can name all words of the heap.
    fn is_named(&self, job: &Job<'_>) -> bool {
        self.places(job).heap_words <= MOST_WORDS
    }

    /// Whether it has more of what was full than another one.
    fn has_more(&self, other: &Self, full: Option<usize>) -> bool {
        let class = full.map(|class| ClassId(class as u32));
        class.map_or(self.chunks > other.chunks, |class| self.cells[class] > other.cells[class])
    }
}

#[cfg(test)]
mod tests {
    use gchr_base::source::SourceMap;
    use gchr_terms::plan::{TermOptions, compile};

    use super::*;

    #[test]
    fn classes_that_are_built_again_and_again_have_most_of_the_first_memory() {
        let text = "sort Tree = struct Leaf() | Node(Tree, Tree); Result = struct Sorted(Tree, Tree, Tree);
            var N: Int; T, A, B, C: Tree; map Grow: Int -> Tree; Zip: Tree # Tree # Tree -> Tree;
                Run: Int -> Result; Report: Tree -> Result;
            eqn N > 0 -> Grow(N) = Zip(Grow(N - 1), Leaf(), Grow(N - 2)); Grow(N) = Leaf();
                Zip(Leaf(), Leaf(), T) = T; Zip(Node(A, B), C, T) = Node(Zip(A, C, T), Zip(B, C, T));
                Run(N) = Report(Grow(N)); Report(T) = Sorted(T, T, T);
            input Run(20);";
        let mut sources = SourceMap::new();
        let id = sources.add("test.trs", text);
        let program = gchr_trs::load(&sources, id).program.expect("the program is right");
        let plan = compile(&program, &TermOptions::tasks(false)).expect("the plan compiles");
        let class_of = |name: &str| {
            let symbols = program.signature.symbols.iter_enumerated();
            let symbol = symbols.filter(|(_, s)| s.name == name).map(|(id, _)| id).next();
            symbol.and_then(|id| plan.layout.variant(id)?.class).expect("a constructor with cells")
        };
        let weights = weights(&plan, &program);
        // `Zip(Leaf(), Node(_, _), _)` has no rule: a cell of its own, though of a function that calls itself.
        assert_eq!(
            [weights[class_of("Node")], weights[class_of("Zip")], weights[class_of("Sorted")]],
            [MANY, 1, 1]
        );
    }
}
