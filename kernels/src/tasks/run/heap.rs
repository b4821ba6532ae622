//! The heap of a run: how much of it each class of cells has, and its cells as the host holds them.

use gchr_core::ids::{Id, IdVec};
use gchr_core::plan::term::{self, ClassId, End, Step, TermPlan};
use gchr_core::rule::Program;
use gchr_core::signature::{SymbolId, SymbolKind};

use super::scale::Scale;
use super::{Job, Options, Start};
use crate::tasks::codegen::{stride, view};

/// Cells of all classes, as many as are in use, from cell 0 on, which is none.
#[derive(Clone, Debug)]
pub(super) struct Image {
    /// By class: words of its cells.
    pub classes: IdVec<ClassId, Cells>,
}

/// Cells of a class.
#[derive(Clone, Debug)]
pub(super) struct Cells {
    /// Words a cell.
    pub stride: u32,
    /// Words.
    pub words: Vec<u32>,
}

impl Cells {
    /// Cells, the one that is none included.
    pub fn len(&self) -> u64 {
        self.words.len() as u64 / u64::from(self.stride)
    }
    /// A cell.
    pub fn cell(&self, index: u32) -> Option<&[u32]> {
        let first = index as usize * self.stride as usize;
        self.words.get(first..first + self.stride as usize)
    }
}

impl Image {
    /// By class, cells.
    pub fn in_use(&self) -> Vec<u64> {
        self.classes.iter().map(Cells::len).collect()
    }

    /// No cells.
    pub fn new(plan: &TermPlan) -> Self {
        let cells = |words| {
            let stride = stride(words);
            Cells { stride, words: vec![0; stride as usize] }
        };
        Self { classes: plan.layout.classes.iter().map(|c| cells(c.words)).collect() }
    }

    /// A new cell; `None` when values cannot name more.
    pub fn push(&mut self, class: ClassId, tag_bits: u32, words: &[u32]) -> Option<u32> {
        let cells = &mut self.classes[class];
        let index = u32::try_from(cells.len()).ok().filter(|&i| i < most_cells(tag_bits))?;
        cells.words.extend_from_slice(words);
        cells.words.resize((index as usize + 1) * cells.stride as usize, 0);
        Some(index)
    }
}

impl gchr_core::exec::term::Cells for Image {
    fn cell(&self, class: ClassId, index: u32) -> Option<&[u32]> {
        if index == 0 { None } else { self.classes[class].cell(index) }
    }
}

/// Cells that values with so many tag bits can name.
fn most_cells(tag_bits: u32) -> u32 {
    (1u64 << (32 - tag_bits.clamp(1, 31))) as u32
}

/// What messages call the cells of a class: by the sorts that have them.
pub(super) fn class_name(plan: &TermPlan, class: usize) -> String {
    let of = |variant: &gchr_core::plan::term::Variant| variant.class.is_some_and(|c| c.index() == class);
    let sorts: Vec<&str> = plan
        .layout
        .sorts
        .iter()
        .filter(|sort| sort.variants.iter().any(of))
        .map(|sort| sort.name.as_str())
        .collect();
    format!("cells of sort {}", sorts.join(", "))
}

/// Where the cells of a class lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place {
    /// First word in the heap.
    pub first_word: u64,
    /// What the kernel adds to the number of a cell's element.
    pub base: u32,
    /// Words a cell.
    pub stride: u32,
    /// Cells.
    pub cells: u32,
    /// First word of those that count references; meaningless when the class has none.
    pub shared: u32,
}

/// Where everything lies that grows with the number of cells.
#[derive(Clone, Debug)]
pub(super) struct Places {
    /// By class.
    pub classes: Vec<Place>,
    /// Words of the heap.
    pub heap_words: u64,
    /// Words that count references.
    pub shared_words: u64,
    /// Places in the ring of batches of each class.
    pub ring: u32,
}

impl Places {
    /// First words of the pool, before the rings.
    pub fn pool_head(&self) -> u32 {
        16 * self.classes.len() as u32
    }
    /// Words of the pool.
    pub fn pool_words(&self) -> u64 {
        u64::from(self.pool_head()) + u64::from(self.ring) * self.classes.len() as u64
    }
    /// Bytes of all of them.
    fn bytes(&self) -> u64 {
        4 * (self.heap_words + self.shared_words + self.pool_words())
    }
}

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
}

/// Cells of a class beside those that the host has put there.
const SPARE: u64 = 64;
/// Chunks of frames, at least.
const FEWEST_CHUNKS: u32 = 16;

/// Why there is no more memory.
pub(super) enum Full {
    /// The limit on memory.
    Memory,
    /// Values, or holes, cannot name more cells than these.
    Indices(u64),
}

/// Parts of the heap of a class that is built again and again, against 1 of any other.
const MANY: u64 = 64;

/// By class: the part of the heap that it starts with. Most classes of a program have cells only for applications without a rule, which
/// are exceptions wherever they stand, or a few around the result.
fn weights(plan: &TermPlan, program: &Program) -> IdVec<ClassId, u64> {
    let mut weights: IdVec<ClassId, u64> = plan.layout.classes.iter().map(|_| 1).collect();
    let often = term::runs_often(plan);
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
        let mut least = Self { cells, chunks: FEWEST_CHUNKS, batch: scale.batch, fixed: scale.bytes(job) };
        least.round(job, scale.run);
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
            let base = (first_word / u64::from(view(stride).1)) as u32;
            let shared = shared_words as u32;
            if shapes.is_some_and(|s| s.has_word(id)) {
                shared_words += cells;
            }
            Place { first_word, base, stride, cells: cells as u32, shared }
        });
        let classes: Vec<Place> = classes.collect();
        // More places than there can be batches: whoever gives one away never waits for room.
        let most = classes.iter().map(|c| c.cells / self.batch + 1).max().unwrap_or(0);
        let ring = if shapes.is_some() { most.next_power_of_two() } else { 0 };
        Places { classes, heap_words: next.max(4), shared_words, ring }
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

    /// Whether there is memory for twice as many cells of a class.
    pub fn can_double(&self, job: &Job<'_>, class: usize, memory: u64) -> bool {
        let mut larger = self.clone();
        let id = ClassId(class as u32);
        larger.grow(job, Some(class), memory).is_ok() && larger.cells[id] >= 2 * self.cells[id]
    }

    /// Four times as much of what ran out, or as much as there is memory for.
    pub fn grow(&mut self, job: &Job<'_>, class: Option<usize>, memory: u64) -> Result<(), Full> {
        let before = self.clone();
        let mut full = Full::Memory;
        for eighths in [32, 16, 12, 10] {
            match class {
                Some(class) => {
                    let cells = &mut self.cells[ClassId(class as u32)];
                    *cells = *cells / 8 * eighths;
                }
                None => self.chunks = (self.chunks / 8).saturating_mul(eighths as u32).min(1 << 28),
            }
            self.round(job, 1);
            let named = self.places(job).heap_words <= MOST_WORDS;
            let fits = self.bytes(job) <= memory && named;
            let grown = self.chunks > before.chunks
                || self.cells.iter().zip(before.cells.iter()).any(|(now, then)| now > then);
            if fits && grown {
                return Ok(());
            }
            if !named || !grown {
                let cells = class.map_or(u64::from(self.chunks), |class| before.cells[ClassId(class as u32)]);
                full = Full::Indices(cells);
            }
            *self = before.clone();
        }
        Err(full)
    }
}

#[cfg(test)]
mod tests {
    use gchr_core::plan::term::{TermOptions, compile};
    use gchr_core::source::SourceMap;

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
