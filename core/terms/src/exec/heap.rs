//! Cell arenas and their collector: header-less cells, one arena per size class, non-moving mark with bitmaps,
//! allocation by runs of unmarked cells.
//!
//! Address space is reserved once and touched as needed, so that growth copies nothing and cells have stable addresses.
//! Marking is driven by sorts: a value is traced by the layout of its sort. There is no sweep: after a collection,
//! allocation goes through the bitmap and takes one run of unmarked cells after the other, then fresh cells after the
//! last one.

mod allocator;
mod arena;
mod mark;
mod part;

use std::sync::Arc;

pub use self::allocator::{Allocator, Bump};
use self::arena::Arena;
use self::mark::{MarkClass, Shapes};
pub use self::mark::{Marker, Marking};
use crate::exec::integers::Integers;
use crate::exec::text::Cells;
use crate::exec::texts::Text;
use crate::plan::{ClassId, Layout, SortLayout};
use gchr_base::error::StopReason;
use gchr_base::ids::Id;
use gchr_base::memory;
use gchr_base::op::{ArithmeticError, Op};
use gchr_base::signature::SortId;
use num_bigint::BigInt;

/// No collection before this many bytes are allocated.
const MIN_BUDGET: i64 = 8 << 20;
/// After a collection that keeps more than half of the cells, so many times as much is allocated as before it.
const KEPT: i64 = 4;
/// Fresh cells are taken in chunks between these sizes in bytes.
const CHUNK: std::ops::RangeInclusive<u64> = (64 << 10)..=(1 << 20);
/// Runs of cells that a collection has found free are so short that each class can have so many of them before the next
/// collection. Were they as long as they are, those of two classes that are hardly used would have a collection follow
/// the other.
const RUNS: u64 = 8;
/// Bytes of a run that are never too many.
const LEAST_RUN: u64 = 1 << 10;
/// Of collections that leave less than this part of the limit free, only [`TIGHT`] may follow each other: else a run at
/// its limit would collect for ever.
const MIN_FREE: u64 = 32;
/// A run that came through with less memory, where no collection fell on its peak, comes through here too.
const TIGHT: u32 = 32;
/// Where several threads take cells: how many cells of a bitmap one of them searches.
const PART: u32 = 1 << 15;
/// Where several threads take cells: bytes that one of them takes before the heap is told.
const UNTOLD: u64 = 64 << 10;
/// Cells of so many bytes are counted by several threads together.
const TOGETHER: u64 = 1 << 20;

/// Why there are no cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Full {
    /// A collection may help.
    Collect,
    /// The memory limit is reached.
    Memory,
    /// The bound of the process is reached.
    Process,
    /// The system gives no more memory.
    System,
    /// A value has no bits for another index.
    Indices {
        /// The most cells of the class.
        limit: u64,
    },
}

/// All cells of a run, or of a normal form.
pub struct Heap {
    /// What the thread that owns the heap takes cells from.
    own: Allocator,
    arenas: Vec<Arena>,
    shapes: Arc<Shapes>,
    /// How much of a bitmap is handed out at a time, in cells.
    part: u32,
    /// No collection before this many bytes are allocated.
    least_budget: i64,
    /// Boxed, for few heaps have any.
    integers: Box<Integers>,
    /// Bytes that may still be allocated before the next collection.
    budget: i64,
    /// What the budget was after the last collection.
    granted: i64,
    /// Bytes of cells and bitmaps taken so far.
    committed: u64,
    /// Limit for `committed` and the stack together.
    memory: u64,
    /// Bytes of the stack, as last reported by its owner.
    pub stack_bytes: u64,
    peak: u64,
    /// Collections so far.
    pub collections: u64,
    /// Bytes reached by the last collection.
    live_bytes: u64,
    /// Collections one after the other that left little free.
    tight: u32,
    allocated_since: bool,
    mark_stack: Vec<(u32, u32)>,
    /// Test mode: runs of one cell, a collection before each.
    stress: bool,
}

impl Heap {
    /// An empty heap; `None` when the system gives no address space.
    pub fn new(layout: &Layout, memory: u64, stress: bool) -> Option<Self> {
        let arenas = layout.classes.iter().map(|class| Arena::new(class, memory));
        let mut arenas = arenas.collect::<Option<Vec<Arena>>>()?;
        let own = Allocator::new(layout, &mut arenas, 0);
        let mut heap = Self::with(arenas, own, Shapes::new(layout), memory, stress);
        *heap.integers = Integers::new(&layout.texts);
        Some(heap)
    }

    fn with(arenas: Vec<Arena>, own: Allocator, shapes: Shapes, memory: u64, stress: bool) -> Self {
        let budget = MIN_BUDGET.min((memory / 2) as i64);
        Self {
            own,
            arenas,
            shapes: Arc::new(shapes),
            part: u32::MAX,
            least_budget: MIN_BUDGET,
            integers: Box::default(),
            budget,
            granted: budget,
            committed: 0,
            memory,
            stack_bytes: 0,
            peak: 0,
            collections: 0,
            live_bytes: 0,
            tight: 0,
            allocated_since: false,
            mark_stack: Vec::new(),
            stress,
        }
    }

    /// A heap of no program: the place of one that is somewhere else.
    pub fn none() -> Self {
        Self::with(Vec::new(), Allocator::default(), Shapes::default(), 0, false)
    }

    /// Forgets all cells, and keeps the memory for others. Nothing may refer to a cell any more.
    pub fn clear(&mut self) {
        self.arenas.iter_mut().for_each(Arena::clear);
        self.own.clear();
        self.integers.clear();
        (self.committed, self.peak, self.stack_bytes) = (0, 0, 0);
        (self.part, self.least_budget) = (u32::MAX, MIN_BUDGET);
        self.budget = MIN_BUDGET.min((self.memory / 2) as i64);
        self.granted = self.budget;
        (self.collections, self.live_bytes, self.tight, self.allocated_since) = (0, 0, 0, false);
    }

    /// So many threads take cells from now on, each from an [`allocator`](Self::allocator) of its own.
    pub fn share(&mut self, threads: usize) {
        self.part = PART;
        self.least_budget = MIN_BUDGET * threads as i64;
        let more = self.least_budget.min((self.memory / 2) as i64) - self.granted;
        if more > 0 {
            self.budget += more;
            self.granted += more;
        }
    }

    /// Where one of several threads takes cells from; it has none so far.
    pub fn allocator(&mut self, layout: &Layout) -> Allocator {
        Allocator::new(layout, &mut self.arenas, if self.stress { 0 } else { UNTOLD })
    }

    /// The allocation pointers, by class.
    pub fn bumps(&mut self) -> *mut Bump {
        self.own.bumps()
    }
    /// Largest number of bytes taken, stack included.
    pub fn peak_bytes(&self) -> u64 {
        self.peak.max(self.bytes())
    }
    /// Bytes taken now, stack included.
    pub fn bytes(&self) -> u64 {
        self.committed + self.stack_bytes + self.integers.bytes()
    }
    /// The limit of [`bytes`](Self::bytes).
    pub fn memory(&self) -> u64 {
        self.memory
    }
    /// Cells in use, roughly: what the last collection found and what was taken since.
    pub fn cells_in_use(&self) -> u64 {
        self.arenas.iter().map(|a| u64::from(a.high - 1)).sum()
    }

    /// A new cell of a class with these words, as a value with this tag. Fails when the current run is used up and
    /// there is no other.
    pub fn store(&mut self, class: usize, tag: u32, words: &[u32]) -> Result<u64, Full> {
        let mut bump = self.own.bump(class);
        if bump.next == bump.end {
            self.refill(class)?;
            bump = self.own.bump(class);
        }
        let index = bump.next;
        self.own.set_run(class, index + 1, bump.end);
        for (i, &word) in words.iter().take(bump.words as usize).enumerate() {
            // SAFETY: by the invariant of `Bump`, cell `index` is reserved; word `i` lies inside it.
            unsafe { *bump.base.add(index as usize * bump.words as usize + i) = word };
        }
        Ok(u64::from((index << bump.shift) | tag))
    }

    /// [`store`](Self::store), with a collection when the run is used up and a collection may help; `live` is all that
    /// is alive.
    pub fn store_collecting(
        &mut self,
        class: usize,
        tag: u32,
        words: &[u32],
        live: &[(SortId, u64)],
    ) -> Result<u64, Full> {
        loop {
            match self.store(class, tag, words) {
                Err(Full::Collect) => {
                    self.collect(&mut |marker| live.iter().for_each(|v| marker.value(v.0, v.1)))?;
                }
                done => return done,
            }
        }
    }

    /// The reason to stop a run that gets no cell of a class.
    pub fn stop_reason(&self, full: Full, layout: &Layout, class: ClassId) -> StopReason {
        let of_class = |s: &&SortLayout| s.variants.iter().any(|v| v.class == Some(class));
        let sorts: Vec<&str> = layout.sorts.iter().filter(of_class).map(|s| s.name.as_str()).collect();
        let what = format!("cells of sort {}", sorts.join(" or "));
        match full {
            Full::Indices { limit } => StopReason::Indices { what, limit },
            Full::Memory | Full::Collect => StopReason::Memory { limit: self.memory, what },
            Full::Process => StopReason::Memory { limit: memory::bound(), what },
            Full::System => StopReason::NoMemory { what },
        }
    }

    /// A new run of free cells for a class.
    pub fn refill(&mut self, class: usize) -> Result<(), Full> {
        let mut own = std::mem::take(&mut self.own);
        let done = self.refill_for(&mut own, class);
        self.own = own;
        done
    }

    /// A new run of free cells for a class, for a thread with an [`allocator`](Self::allocator) of its own.
    pub fn refill_for(&mut self, allocator: &mut Allocator, class: usize) -> Result<(), Full> {
        self.budget -= allocator.tell() as i64;
        if self.is_due() {
            return Err(Full::Collect);
        }
        allocator.run_bytes = (self.granted as u64 / (RUNS * self.arenas.len() as u64)).max(LEAST_RUN);
        while !allocator.next_run(class) {
            if let Some(part) = self.arenas[class].next_part(self.part) {
                allocator.search(class, part);
            } else {
                let (next, end) = self.fresh(allocator, class)?;
                allocator.take(class, next, end);
                break;
            }
        }
        if self.stress {
            allocator.leave_one(class);
            self.budget = 0;
        }
        self.budget -= allocator.tell() as i64;
        self.allocated_since = true;
        Ok(())
    }

    /// Cells that were never handed out.
    fn fresh(&mut self, allocator: &mut Allocator, class: usize) -> Result<(u32, u32), Full> {
        let arena = &self.arenas[class];
        let room = arena.limit - arena.high;
        if room == 0 {
            let limit = u64::from(arena.limit);
            let by_memory =
                arena.limit as u64 * arena.cell_bytes >= self.memory.saturating_sub(arena.cell_bytes);
            return Err(match (self.allocated_since, by_memory) {
                (true, _) => Full::Collect,
                (false, true) => Full::Memory,
                (false, false) => Full::Indices { limit },
            });
        }
        let cell_bytes = arena.cell_bytes;
        let wanted = (self.committed / 8).clamp(*CHUNK.start(), *CHUNK.end()).max(cell_bytes);
        if self.free() < 2 * wanted {
            self.trim_runs(allocator);
        }
        // Where little is left, half of it stays for the other arenas and the stack.
        let free = self.free();
        let share = wanted.min((free / 2).max(cell_bytes)).min(free);
        let cells = (share / cell_bytes).min(u64::from(room)) as u32;
        if cells == 0 {
            return Err(if self.allocated_since { Full::Collect } else { Full::Memory });
        }
        let arena = &mut self.arenas[class];
        let first = arena.high;
        // In stress mode cells are handed out one by one, fresh ones too.
        let cells = if self.stress { 1 } else { cells };
        let taken = arena.take(cells);
        let cells = taken.map_err(|full| if self.allocated_since { Full::Collect } else { full })?;
        let end = first + cells;
        self.committed += u64::from(cells) * arena.cell_bytes + u64::from(cells).div_ceil(8);
        self.peak = self.peak.max(self.bytes());
        Ok((first, end))
    }

    /// The integers that are not small.
    pub(super) fn integers(&self) -> &Integers {
        &self.integers
    }

    /// The value of an operation on integers of any size.
    pub(super) fn compute(&mut self, op: Op, a: u64, b: u64) -> Result<u64, ArithmeticError> {
        let before = self.integers.bytes();
        let value = self.integers.compute(op, a, b)?;
        self.taken_since(before);
        Ok(value)
    }

    /// The word for an application of the sort of integers that is a normal form.
    pub(super) fn put_application(&mut self, text: String) -> u64 {
        let before = self.integers.bytes();
        let value = self.integers.put_application(text);
        self.taken_since(before);
        value
    }

    fn taken_since(&mut self, before: u64) {
        let taken = self.integers.bytes() - before;
        if taken > 0 {
            self.budget = if self.stress { 0 } else { self.budget - taken.cast_signed() };
            self.allocated_since = true;
            self.peak = self.peak.max(self.bytes());
        }
    }

    /// Whether enough has been allocated for a collection.
    pub(super) fn is_due(&self) -> bool {
        self.budget <= 0 && self.allocated_since
    }

    /// Bytes that cells, integers and stack may still take.
    pub fn free(&self) -> u64 {
        self.memory.saturating_sub(self.bytes())
    }

    /// Gives back the cells at the ends of the arenas that have been taken but not used: which arena has taken how many
    /// of them depends on the limit, and must not decide whether it suffices.
    pub fn trim(&mut self) {
        let mut own = std::mem::take(&mut self.own);
        self.trim_runs(&mut own);
        self.own = own;
    }

    fn trim_runs(&mut self, allocator: &mut Allocator) {
        for (class, arena) in self.arenas.iter_mut().enumerate() {
            let bump = allocator.bump(class);
            if bump.end == arena.high && bump.next < bump.end {
                let cells = u64::from(bump.end - bump.next);
                arena.give_back(bump.next);
                allocator.set_run(class, bump.next, bump.next);
                self.committed -= cells * arena.cell_bytes + cells / 8;
            }
        }
    }

    /// Marks what the roots reach; everything else is free afterwards. Says whether enough is free to go on.
    pub fn collect(&mut self, roots: &mut dyn FnMut(&mut Marker<'_>)) -> Result<(), Full> {
        let (_, cell_bytes) = self.mark(roots);
        self.own.clear();
        self.collected(cell_bytes + self.integers.bytes())
    }

    /// Begins a collection that several threads work at, none of which takes cells meanwhile.
    pub fn begin_marking(&mut self, threads: usize) -> Marking {
        let classes = self.classes_to_mark();
        Marking::new(Arc::clone(&self.shapes), classes, threads)
    }

    /// Ends it, when all threads have marked what they reach. All [`allocator`](Self::allocator)s are to be
    /// [cleared](Allocator::clear) before anything is taken from them.
    pub fn end_marking(&mut self, marking: &Marking) -> Result<(), Full> {
        self.own.clear();
        let (_, cell_bytes) = marking.found();
        self.collected(cell_bytes + self.integers.bytes())
    }

    /// After marking, which has found so many bytes: everything else is free. Says whether enough is free to go on.
    fn collected(&mut self, bytes: u64) -> Result<(), Full> {
        self.collections += 1;
        let spent = (self.granted - self.budget).max(0) as u64;
        let before = self.live_bytes + spent;
        self.live_bytes = bytes;
        self.arenas.iter_mut().for_each(Arena::collected);
        self.allocated_since = false;
        let touched = self.arenas.iter().map(|a| a.cells.touched()).sum::<u64>() + self.stack_bytes;
        let reach = touched.saturating_add(memory::left());
        let free = self.memory.min(reach).saturating_sub(bytes + self.stack_bytes);
        // Garbage takes at most half of what is free: the rest stays for the stack, which cannot have the room of dead
        // cells.
        let live = self.least_budget.max((bytes + self.stack_bytes) as i64);
        // A collection that finds little was too early.
        let budget = if bytes > before / 2 { live.max(KEPT * self.granted.min(live)) } else { live };
        self.granted = budget.min((free / 2) as i64);
        self.budget = self.granted;
        self.tight = if free < self.memory / MIN_FREE { self.tight + 1 } else { 0 };
        match (self.tight > TIGHT, reach < self.memory) {
            (true, true) => Err(Full::Process),
            (true, false) => Err(Full::Memory),
            (false, _) => Ok(()),
        }
    }

    /// Cells that a value reaches, counted by so many threads. Destroys what the last collection found: for the end of
    /// a run.
    pub fn count_cells(&mut self, sort: SortId, value: u32, threads: usize) -> u64 {
        if threads == 1 || self.committed < TOGETHER {
            return self.mark(&mut |marker| marker.root(sort, value)).0;
        }
        // One that cannot be started would be waited for: each is a part of the count when it begins.
        let marking = self.begin_marking(threads);
        std::thread::scope(|scope| {
            let started = (1..threads)
                .take_while(|_| {
                    let help = || marking.mark(&mut |_| {});
                    std::thread::Builder::new().spawn_scoped(scope, help).is_ok()
                })
                .count();
            marking.are_only(1 + started);
            marking.mark(&mut |marker| marker.root(sort, value));
        });
        marking.found().0
    }

    /// The classes with empty bitmaps.
    fn classes_to_mark(&mut self) -> Vec<MarkClass> {
        let own = &self.own;
        let class = |(class, arena): (usize, &mut Arena)| {
            let bits = arena.marks.base();
            // SAFETY: the bitmap has a bit for each cell below `limit`, and `high` is at most that.
            unsafe { bits.write_bytes(0, (arena.high as usize).div_ceil(64) * 8) };
            let Bump { base, words, .. } = own.bump(class);
            MarkClass { base, bits: bits.cast(), words, high: arena.high, live: 0 }
        };
        self.arenas.iter_mut().enumerate().map(class).collect()
    }

    fn mark(&mut self, roots: &mut dyn FnMut(&mut Marker<'_>)) -> (u64, u64) {
        let classes = self.classes_to_mark();
        self.integers.begin();
        let mut marker =
            Marker::new(&self.shapes, &mut self.integers, classes, std::mem::take(&mut self.mark_stack));
        roots(&mut marker);
        let (classes, stack) = marker.into_parts();
        self.mark_stack = stack;
        self.integers.sweep();
        if self.mark_stack.capacity() > 1 << 16 {
            self.mark_stack = Vec::new();
        }
        let cells = classes.iter().map(|c| c.live).sum();
        let bytes = classes.iter().map(|c| c.live * 4 * u64::from(c.words)).sum();
        (cells, bytes)
    }
}

impl Cells for Heap {
    fn integer(&self, word: u64) -> Option<&BigInt> {
        self.integers.get(word)
    }

    fn application(&self, word: u64) -> Option<&str> {
        self.integers.application(word)
    }

    fn long_text(&self, word: u64) -> Option<&Text> {
        self.integers.long_text(word)
    }

    #[inline]
    fn cell(&self, class: ClassId, index: u32) -> Option<&[u32]> {
        let arena = self.arenas.get(class.index())?;
        let bump = self.own.bump(class.index());
        if index == 0 || index >= arena.high {
            return None;
        }
        let words = bump.words as usize;
        // SAFETY: cells below `high` lie inside the reservation, are initialised (zero at first, or as an earlier run
        // left them), and there are no writers while the heap is borrowed.
        Some(unsafe { std::slice::from_raw_parts(bump.base.add(index as usize * words), words) })
    }
}

/// Memory that this process may sensibly take: four fifths of what the system leaves it.
pub fn default_memory() -> u64 {
    const FALLBACK: u64 = 4 << 30;
    memory::available().unwrap_or(FALLBACK) / 5 * 4
}
