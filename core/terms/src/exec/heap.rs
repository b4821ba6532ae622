//! Cell arenas and their collector: header-less cells, one arena per size class, non-moving mark with bitmaps,
//! allocation by runs of unmarked cells.
//!
//! Address space is reserved once and touched as needed, so that growth copies nothing and cells have stable addresses.
//! Marking is driven by sorts: a value is traced by the layout of its sort. There is no sweep: after a collection,
//! allocation goes through the bitmap and takes one run of unmarked cells after the other, then fresh cells after the
//! last one.

use crate::exec::integers::Integers;
use crate::exec::text::Cells;
use crate::plan::{ClassId, Layout, SortLayout};
use gchr_base::error::StopReason;
use gchr_base::ids::Id;
use gchr_base::memory::{self, Reservation};
use gchr_base::op::{ArithmeticError, Op};
use gchr_base::signature::SortId;
use num_bigint::BigInt;

/// No collection before this many bytes are allocated.
const MIN_BUDGET: i64 = 8 << 20;
/// After a collection that keeps more than half of the cells, so many times as much is allocated as before it.
const KEPT: i64 = 4;
/// Fresh cells are taken in chunks between these sizes in bytes.
const CHUNK: std::ops::RangeInclusive<u64> = (64 << 10)..=(1 << 20);
/// Of collections that leave less than this part of the limit free, only [`TIGHT`] may follow each other: else a run at
/// its limit would collect for ever.
const MIN_FREE: u64 = 32;
/// A run that came through with less memory, where no collection fell on its peak, comes through here too.
const TIGHT: u32 = 32;

/// What allocation from one arena reads and writes: the current run of free cells.
///
/// **Invariant:** cells `next..end` are reserved, hold no live value, and `end` is at most the arena's `high`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Bump {
    /// First word of the arena.
    pub base: *mut u32,
    /// Words per cell.
    pub words: u32,
    /// Tag bits of the values.
    pub shift: u32,
    /// Next free cell.
    pub next: u32,
    /// End of the run.
    pub end: u32,
}

struct Arena {
    cells: Reservation,
    marks: Reservation,
    /// Cells below this have been handed out at least once; cell 0 never is.
    high: u32,
    /// Cells that the values can name and the reservation may come to hold.
    limit: u32,
    /// Where the search for runs continues.
    cursor: u32,
    /// Where it ends: `high` at the last collection.
    scan_end: u32,
    cell_bytes: u64,
}

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

#[derive(Clone, Copy)]
struct SortShape {
    mask: u32,
    /// Tag bits; 32 when no value of the sort is a cell.
    bits: u32,
    first: u32,
}

#[derive(Clone, Copy)]
struct VariantShape {
    class: u32,
    first: u32,
    fields: u32,
    first_integer: u32,
    integers: u32,
}

const NO_CELL: u32 = u32::MAX;

/// What marking needs of the layout, flat.
struct Shapes {
    sorts: Vec<SortShape>,
    variants: Vec<VariantShape>,
    /// Offset and sort of the fields that may hold cells.
    fields: Vec<(u32, u32)>,
    /// Offsets of the fields that may name entries of the table of integers.
    integers: Vec<u32>,
}

/// All cells of a run, or of a normal form.
pub struct Heap {
    /// A leaked box: the interpreter goes on using its pointers while the heap refills and collects.
    bumps: *mut [Bump],
    arenas: Vec<Arena>,
    shapes: Shapes,
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

// SAFETY: the raw pointers point into the reservations that the heap owns; nothing else refers to them.
unsafe impl Send for Heap {}
// SAFETY: shared access only reads.
unsafe impl Sync for Heap {}

impl Heap {
    /// An empty heap; `None` when the system gives no address space.
    pub fn new(layout: &Layout, memory: u64, stress: bool) -> Option<Self> {
        let mut arenas = Vec::new();
        let mut bumps = Vec::new();
        for class in &layout.classes {
            let cell_bytes = 4 * u64::from(class.words);
            let indices = 1u64 << (32 - class.tag_bits);
            let bytes = indices.saturating_mul(cell_bytes).min(memory.max(1 << 20));
            let mut cells = Reservation::new(bytes, (1 << 20).max(2 * cell_bytes))?;
            let limit = (cells.most() / cell_bytes).min(indices).min(u64::from(u32::MAX)) as u32;
            let marks = Reservation::new((cells.most() / cell_bytes).div_ceil(64) * 8, 4096)?;
            let (words, shift) = (class.words, class.tag_bits);
            bumps.push(Bump { base: cells.base().cast(), words, shift, next: 1, end: 1 });
            arenas.push(Arena { cells, marks, high: 1, limit, cursor: 1, scan_end: 1, cell_bytes });
        }
        let budget = MIN_BUDGET.min((memory / 2) as i64);
        Some(Self {
            bumps: Box::into_raw(bumps.into_boxed_slice()),
            arenas,
            shapes: Shapes::new(layout),
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
        })
    }

    /// Forgets all cells, and keeps the memory for others. Nothing may refer to a cell any more.
    pub fn clear(&mut self) {
        for (class, arena) in self.arenas.iter_mut().enumerate() {
            (arena.high, arena.cursor, arena.scan_end) = (1, 1, 1);
            set_run(self.bumps, class, 1, 1);
        }
        *self.integers = Integers::default();
        (self.committed, self.peak, self.stack_bytes) = (0, 0, 0);
        self.budget = MIN_BUDGET.min((self.memory / 2) as i64);
        self.granted = self.budget;
        (self.collections, self.live_bytes, self.tight, self.allocated_since) = (0, 0, 0, false);
    }

    /// The allocation pointers, by class.
    pub fn bumps(&mut self) -> *mut Bump {
        self.bumps.cast()
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
        let mut bump = bump_of(self.bumps, class);
        if bump.next == bump.end {
            self.refill(class)?;
            bump = bump_of(self.bumps, class);
        }
        let index = bump.next;
        set_run(self.bumps, class, index + 1, bump.end);
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
        if self.is_due() {
            return Err(Full::Collect);
        }
        let stress = self.stress;
        let arena = &mut self.arenas[class];
        let (next, mut end) = match arena.next_run() {
            Some(run) => run,
            None => self.fresh(class)?,
        };
        let arena = &mut self.arenas[class];
        if stress {
            end = next + 1;
            arena.cursor = arena.cursor.min(end);
            self.budget = 0;
        }
        set_run(self.bumps, class, next, end);
        self.budget -= (u64::from(end - next) * arena.cell_bytes) as i64;
        self.allocated_since = true;
        Ok(())
    }

    /// Cells that were never handed out.
    fn fresh(&mut self, class: usize) -> Result<(u32, u32), Full> {
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
            self.trim();
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
        for (class, arena) in self.arenas.iter_mut().enumerate() {
            let bump = bump_of(self.bumps, class);
            if bump.end == arena.high && bump.next < bump.end {
                let cells = u64::from(bump.end - bump.next);
                arena.high = bump.next;
                arena.scan_end = arena.scan_end.min(arena.high);
                arena.cursor = arena.cursor.min(arena.high);
                set_run(self.bumps, class, bump.next, bump.next);
                self.committed -= cells * arena.cell_bytes + cells / 8;
            }
        }
    }

    /// Marks what the roots reach; everything else is free afterwards. Says whether enough is free to go on.
    pub fn collect(&mut self, roots: &mut dyn FnMut(&mut Marker<'_>)) -> Result<(), Full> {
        self.collections += 1;
        let spent = (self.granted - self.budget).max(0) as u64;
        let before = self.live_bytes + spent;
        let (_, cell_bytes) = self.mark(roots);
        let bytes = cell_bytes + self.integers.bytes();
        self.live_bytes = bytes;
        for (class, arena) in self.arenas.iter_mut().enumerate() {
            (arena.cursor, arena.scan_end) = (1, arena.high);
            set_run(self.bumps, class, 1, 1);
        }
        self.allocated_since = false;
        let touched = self.arenas.iter().map(|a| a.cells.touched()).sum::<u64>() + self.stack_bytes;
        let reach = touched.saturating_add(memory::left());
        let free = self.memory.min(reach).saturating_sub(bytes + self.stack_bytes);
        // Garbage takes at most half of what is free: the rest stays for the stack, which cannot have the room of dead
        // cells.
        let live = MIN_BUDGET.max((bytes + self.stack_bytes) as i64);
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

    /// Cells that a value reaches. Destroys what the last collection found: for the end of a run.
    pub fn count_cells(&mut self, sort: SortId, value: u32) -> u64 {
        self.mark(&mut |marker| marker.root(sort, value)).0
    }

    fn mark(&mut self, roots: &mut dyn FnMut(&mut Marker<'_>)) -> (u64, u64) {
        let mut classes: Vec<MarkClass> = Vec::with_capacity(self.arenas.len());
        for (class, arena) in self.arenas.iter_mut().enumerate() {
            let bump = bump_of(self.bumps, class);
            let bits = arena.marks.base();
            // SAFETY: the bitmap has a bit for each cell below `limit`, and `high` is at most that.
            unsafe { bits.write_bytes(0, (arena.high as usize).div_ceil(64) * 8) };
            classes.push(MarkClass {
                base: bump.base,
                bits: bits.cast(),
                words: bump.words,
                high: arena.high,
                live: 0,
            });
        }
        self.integers.begin();
        let (shapes, integers) = (&self.shapes, &mut *self.integers);
        let mut marker = Marker { shapes, integers, classes, stack: std::mem::take(&mut self.mark_stack) };
        roots(&mut marker);
        let Marker { classes, stack, .. } = marker;
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

    fn cell(&self, class: ClassId, index: u32) -> Option<&[u32]> {
        let arena = self.arenas.get(class.index())?;
        let bump = bump_of(self.bumps, class.index());
        if index == 0 || index >= arena.high {
            return None;
        }
        let words = bump.words as usize;
        // SAFETY: cells below `high` lie inside the reservation, are initialised (zero at first, or as an earlier run
        // left them), and there are no writers while the heap is borrowed.
        Some(unsafe { std::slice::from_raw_parts(bump.base.add(index as usize * words), words) })
    }
}

/// The allocation pointer of a class that the heap has an arena for, as it is now.
fn bump_of(bumps: *mut [Bump], class: usize) -> Bump {
    assert!(class < bumps.len(), "every arena has a pointer");
    // SAFETY: inside the leaked box, which lives as long as the heap. The interpreter writes through its copy of the
    // pointer only while nothing borrows the heap.
    unsafe { *bumps.cast::<Bump>().add(class) }
}

/// Sets the run of free cells of a class.
fn set_run(bumps: *mut [Bump], class: usize, next: u32, end: u32) {
    assert!(class < bumps.len(), "every arena has a pointer");
    // SAFETY: as for reading; the heap is borrowed mutably.
    unsafe {
        let bump = bumps.cast::<Bump>().add(class);
        ((*bump).next, (*bump).end) = (next, end);
    }
}

impl Drop for Heap {
    fn drop(&mut self) {
        // SAFETY: made by `Box::into_raw`, freed here only.
        drop(unsafe { Box::from_raw(self.bumps) });
    }
}

impl Arena {
    /// Takes so many cells that were never handed out, or fewer where the process may not have as many.
    fn take(&mut self, mut cells: u32) -> Result<u32, Full> {
        let high = u64::from(self.high);
        let reach = self.cells.touched().saturating_add(memory::left()) / self.cell_bytes;
        cells = cells.min(u32::try_from(reach.saturating_sub(high)).unwrap_or(u32::MAX));
        if cells == 0 {
            return Err(Full::Process);
        }
        let sizes = |cells: u32| {
            let end = high + u64::from(cells);
            (end * self.cell_bytes, end.div_ceil(64) * 8)
        };
        while !(self.cells.grow(sizes(cells).0) && self.marks.grow(sizes(cells).1)) {
            if cells == 1 {
                return Err(Full::System);
            }
            cells /= 2;
        }
        let (bytes, marks) = sizes(cells);
        self.cells.touch(bytes);
        self.marks.touch(marks);
        self.high += cells;
        Ok(cells)
    }

    /// The next run of unmarked cells that the last collection left.
    fn next_run(&mut self) -> Option<(u32, u32)> {
        let bits: *const u64 = self.marks.base().cast::<u64>().cast_const();
        let words = (self.scan_end as usize).div_ceil(64);
        // SAFETY: as for marking: the bitmap has a bit for each cell below `limit`.
        let bits = unsafe { std::slice::from_raw_parts(bits, words) };
        let start = find(bits, self.cursor, self.scan_end, 0)?;
        let end = find(bits, start, self.scan_end, u64::MAX).unwrap_or(self.scan_end);
        self.cursor = end;
        Some((start, end))
    }
}

/// The first bit at or after `from` and below `limit` that is set after exclusive or with `flip` is undone: `flip` is 0
/// to look for clear bits, all ones to look for set bits.
fn find(bits: &[u64], from: u32, limit: u32, flip: u64) -> Option<u32> {
    let mut word = from as usize / 64;
    let mut current = !(*bits.get(word)? ^ flip) & (u64::MAX << (from % 64));
    while current == 0 {
        word += 1;
        current = !(*bits.get(word)? ^ flip);
    }
    let found = word as u32 * 64 + current.trailing_zeros();
    (found < limit).then_some(found)
}

impl Shapes {
    fn new(layout: &Layout) -> Self {
        let mut shapes =
            Self { sorts: Vec::new(), variants: Vec::new(), fields: Vec::new(), integers: Vec::new() };
        for sort in &layout.sorts {
            let first = shapes.variants.len() as u32;
            for variant in &sort.variants {
                let start = shapes.fields.len() as u32;
                let first_integer = shapes.integers.len() as u32;
                for field in &variant.fields {
                    if layout.sorts[field.sort].has_cells() {
                        shapes.fields.push((field.offset, field.sort.0));
                    } else if layout.is_big(field.sort) {
                        shapes.integers.push(field.offset);
                    }
                }
                shapes.variants.push(VariantShape {
                    class: variant.class.map_or(NO_CELL, |c| c.0),
                    first: start,
                    fields: shapes.fields.len() as u32 - start,
                    first_integer,
                    integers: shapes.integers.len() as u32 - first_integer,
                });
            }
            // A number is no cell, whatever its bits.
            let bits = if sort.has_cells() { sort.tag_bits } else { 32 };
            shapes.sorts.push(SortShape { mask: (1u32 << sort.tag_bits) - 1, bits, first });
        }
        shapes
    }
}

struct MarkClass {
    base: *mut u32,
    bits: *mut u64,
    words: u32,
    high: u32,
    live: u64,
}

/// A collection in progress.
pub struct Marker<'a> {
    shapes: &'a Shapes,
    integers: &'a mut Integers,
    classes: Vec<MarkClass>,
    stack: Vec<(u32, u32)>,
}

impl Marker<'_> {
    /// Marks a value of any sort, given as its bits, and all it reaches.
    pub fn value(&mut self, sort: SortId, bits: u64) {
        if self.shapes.sorts[sort.index()].bits == 32 {
            self.integers.mark(bits);
        } else {
            self.root(sort, bits as u32);
        }
    }

    /// Marks a value and all it reaches.
    pub fn root(&mut self, sort: SortId, value: u32) {
        let (mut sort, mut value) = (sort.0, value);
        loop {
            // The last field is followed at once, the others wait: a list needs no stack.
            if let Some(next) = self.visit(sort, value) {
                (sort, value) = next;
            } else if let Some(next) = self.stack.pop() {
                (sort, value) = next;
            } else {
                return;
            }
        }
    }

    #[inline]
    fn visit(&mut self, sort: u32, value: u32) -> Option<(u32, u32)> {
        let shape = self.shapes.sorts[sort as usize];
        let index = if shape.bits == 32 { 0 } else { value >> shape.bits };
        if index == 0 {
            return None;
        }
        let variant = *self.shapes.variants.get((shape.first + (value & shape.mask)) as usize)?;
        let class = self.classes.get_mut(variant.class as usize)?;
        if index >= class.high {
            return None;
        }
        let cell = index as usize * class.words as usize;
        // SAFETY: the index is below `high`: bitmap and arena hold it, and the cell has all its fields.
        let cell = unsafe {
            let word = class.bits.add(index as usize / 64);
            let bit = 1 << (index % 64);
            if *word & bit != 0 {
                return None;
            }
            *word |= bit;
            class.base.add(cell)
        };
        class.live += 1;
        let first_integer = variant.first_integer as usize;
        for &offset in &self.shapes.integers[first_integer..first_integer + variant.integers as usize] {
            // SAFETY: as above; an integer has two words.
            self.integers.mark(unsafe { cell.add(offset as usize).cast::<u64>().read_unaligned() });
        }
        let first = variant.first as usize;
        let (&(offset, sort), rest) =
            self.shapes.fields[first..first + variant.fields as usize].split_last()?;
        for &(offset, sort) in rest {
            // SAFETY: as above.
            self.stack.push((sort, unsafe { *cell.add(offset as usize) }));
        }
        // SAFETY: as above.
        Some((sort, unsafe { *cell.add(offset as usize) }))
    }
}

/// Memory that this process may sensibly take: four fifths of what the system leaves it.
pub fn default_memory() -> u64 {
    const FALLBACK: u64 = 4 << 30;
    memory::available().unwrap_or(FALLBACK) / 5 * 4
}
