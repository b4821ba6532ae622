//! Marking: what roots reach, by one thread or by several together.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::exec::integers::Integers;
use crate::plan::Layout;
use gchr_base::ids::Id;
use gchr_base::signature::SortId;

/// Values that wait on a thread's stack before it shares them with threads that have none.
const SHARED: usize = 4;
/// Values that are taken from the stack between two looks at the others.
const TURNS: u32 = 256;
/// Looks for something to mark before a thread lets others run.
const LOOKS: u32 = 1000;

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
#[derive(Default)]
pub(super) struct Shapes {
    sorts: Vec<SortShape>,
    variants: Vec<VariantShape>,
    /// Offset and sort of the fields that may hold cells.
    fields: Vec<(u32, u32)>,
    /// Offsets of the fields that may name entries of the table of integers.
    integers: Vec<u32>,
}

impl Shapes {
    pub fn new(layout: &Layout) -> Self {
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

/// The cells of a class and their bitmap.
#[derive(Clone, Copy)]
pub(super) struct MarkClass {
    /// First word of the arena.
    pub base: *mut u32,
    /// Bit by cell, at least `high` of them.
    pub bits: *mut u64,
    /// Words per cell.
    pub words: u32,
    /// Cells below this exist.
    pub high: u32,
    /// Cells found so far.
    pub live: u64,
}

/// Values to be marked.
type Waiting = Vec<(u32, u32)>;

/// A collection in progress, as one thread sees it.
pub struct Marker<'a> {
    shapes: &'a Shapes,
    integers: Option<&'a mut Integers>,
    classes: Vec<MarkClass>,
    stack: Waiting,
    others: Option<&'a Marking>,
}

impl<'a> Marker<'a> {
    pub(super) fn new(
        shapes: &'a Shapes,
        integers: &'a mut Integers,
        classes: Vec<MarkClass>,
        stack: Waiting,
    ) -> Self {
        Self { shapes, integers: Some(integers), classes, stack, others: None }
    }

    /// The classes with what was found, and the empty stack.
    pub(super) fn into_parts(self) -> (Vec<MarkClass>, Waiting) {
        (self.classes, self.stack)
    }

    /// Marks a value of any sort, given as its bits, and all it reaches.
    pub fn value(&mut self, sort: SortId, bits: u64) {
        if self.shapes.sorts[sort.index()].bits == 32 {
            self.integers.iter_mut().for_each(|integers| integers.mark(bits));
        } else {
            self.root(sort, bits as u32);
        }
    }

    /// Marks a value and all it reaches.
    pub fn root(&mut self, sort: SortId, value: u32) {
        self.stack.push((sort.0, value));
        self.drain();
    }

    /// Marks the values on the stack and all that they reach.
    fn drain(&mut self) {
        let mut turns = 0u32;
        while let Some((mut sort, mut value)) = self.stack.pop() {
            // The last field is followed at once, the others wait: a list needs no stack.
            while let Some(next) = self.visit(sort, value) {
                (sort, value) = next;
            }
            turns = turns.wrapping_add(1);
            if let Some(others) = self.others
                && turns.is_multiple_of(TURNS)
                && self.stack.len() >= SHARED
                && others.idle.load(Ordering::Relaxed) > others.left.load(Ordering::Relaxed)
            {
                others.share(&mut self.stack);
            }
        }
    }

    /// Marks a cell: says whether it was not marked before.
    #[inline]
    fn mark(&self, class: &MarkClass, index: u32) -> bool {
        let bit = 1 << (index % 64);
        // SAFETY: the index is below `high`: the bitmap holds it. Without others nobody else looks at the bitmap, with
        // them all accesses are atomic.
        unsafe {
            let word = class.bits.add(index as usize / 64);
            if self.others.is_none() {
                let known = *word & bit != 0;
                *word |= bit;
                return !known;
            }
            let word = AtomicU64::from_ptr(word);
            word.load(Ordering::Relaxed) & bit == 0 && word.fetch_or(bit, Ordering::Relaxed) & bit == 0
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
        let class = *self.classes.get(variant.class as usize)?;
        if index >= class.high || !self.mark(&class, index) {
            return None;
        }
        self.classes[variant.class as usize].live += 1;
        // SAFETY: the index is below `high`: the arena holds the cell, which has all its fields.
        let cell = unsafe { class.base.add(index as usize * class.words as usize) };
        if let Some(integers) = &mut self.integers {
            let first = variant.first_integer as usize;
            for &offset in &self.shapes.integers[first..first + variant.integers as usize] {
                // SAFETY: as above; an integer has two words.
                integers.mark(unsafe { cell.add(offset as usize).cast::<u64>().read_unaligned() });
            }
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

/// A collection that several threads work at. Integers of any size are not collected by it.
pub struct Marking {
    shapes: Arc<Shapes>,
    classes: Vec<MarkClass>,
    threads: AtomicUsize,
    /// Threads that have nothing to mark.
    idle: AtomicUsize,
    /// What threads have left to others, and how much that is.
    waiting: Mutex<Vec<Waiting>>,
    left: AtomicUsize,
    /// How many cells of each class were found.
    live: Mutex<Vec<u64>>,
}

// SAFETY: the pointers point into the reservations of a heap whose cells nobody changes while it is marked.
unsafe impl Send for Marking {}
// SAFETY: as above; the bitmaps are accessed atomically.
unsafe impl Sync for Marking {}

impl Marking {
    pub(super) fn new(shapes: Arc<Shapes>, classes: Vec<MarkClass>, threads: usize) -> Self {
        let live = Mutex::new(vec![0; classes.len()]);
        let threads = AtomicUsize::new(threads);
        let (idle, left) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Self { shapes, classes, threads, idle, waiting: Mutex::default(), left, live }
    }

    /// Marks what the caller's roots reach, and what other threads leave to it, until all is marked. Each of the
    /// threads calls this once.
    pub fn mark(&self, roots: &mut dyn FnMut(&mut Marker<'_>)) {
        let classes = self.classes.clone();
        let mut marker = Marker {
            shapes: &self.shapes,
            integers: None,
            classes,
            stack: Vec::new(),
            others: (self.threads.load(Ordering::Relaxed) > 1).then_some(self),
        };
        roots(&mut marker);
        while let Some(more) = self.wait() {
            marker.stack = more;
            marker.drain();
        }
        let mut live = self.live.lock().unwrap_or_else(PoisonError::into_inner);
        live.iter_mut().zip(&marker.classes).for_each(|(sum, class)| *sum += class.live);
    }

    /// Fewer threads than it was made for call [`mark`](Self::mark): so many, of which the caller is one.
    pub(super) fn are_only(&self, threads: usize) {
        self.threads.store(threads, Ordering::Release);
    }

    /// Leaves half of the stack to other threads: every second value, beginning with the oldest one. Of a tree, older
    /// values reach more than all that are younger.
    fn share(&self, stack: &mut Waiting) {
        // Without the lock the thread goes on: there is another chance soon.
        let Ok(mut waiting) = self.waiting.try_lock() else { return };
        waiting.push(stack.iter().copied().step_by(2).collect());
        let mut at = 0;
        stack.retain(|_| {
            at += 1;
            at % 2 == 0
        });
        self.left.store(waiting.len(), Ordering::Release);
    }

    /// What another thread has left; `None` when everything is marked.
    fn wait(&self) -> Option<Waiting> {
        self.idle.fetch_add(1, Ordering::AcqRel);
        let mut looks = 0u32;
        loop {
            if self.left.load(Ordering::Acquire) > 0 {
                if let Ok(mut waiting) = self.waiting.try_lock()
                    && let Some(more) = waiting.pop()
                {
                    // While there is something left: nobody must believe that all are idle.
                    self.idle.fetch_sub(1, Ordering::AcqRel);
                    self.left.store(waiting.len(), Ordering::Release);
                    return Some(more);
                }
            } else if self.idle.load(Ordering::Acquire) >= self.threads.load(Ordering::Acquire) {
                return None;
            }
            looks += 1;
            if looks.is_multiple_of(LOOKS) { std::thread::yield_now() } else { std::hint::spin_loop() }
        }
    }

    /// Cells and their bytes that were found.
    pub(super) fn found(&self) -> (u64, u64) {
        let live = self.live.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = live.iter().zip(&self.classes).map(|(live, class)| live * 4 * u64::from(class.words));
        (live.iter().sum(), bytes.sum())
    }
}
