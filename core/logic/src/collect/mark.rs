//! Marks of cells, and where marked cells move to.

use crate::cell::{Cell, Tag};
use crate::heap::Heap;

/// A bit for each cell of the heap.
pub(super) struct Marks {
    bits: Vec<u64>,
    /// How many cells are marked before each word of `bits`.
    before: Vec<usize>,
    /// Marked cells.
    pub marked: usize,
    pending: Vec<Cell>,
}

impl Marks {
    /// Marks for a heap of a size.
    pub fn new(cells: usize) -> Self {
        Self { bits: vec![0; cells / 64 + 1], before: Vec::new(), marked: 0, pending: Vec::new() }
    }

    #[inline]
    pub fn has(&self, place: usize) -> bool {
        self.bits[place / 64] >> (place % 64) & 1 == 1
    }

    /// Marks a cell; whether it was not.
    #[inline]
    fn set(&mut self, place: usize) -> bool {
        let (word, bit) = (&mut self.bits[place / 64], 1 << (place % 64));
        let new = *word & bit == 0;
        *word |= bit;
        self.marked += usize::from(new);
        new
    }

    /// Marks all that a cell refers to.
    pub fn mark(&mut self, heap: &Heap, cell: Cell) {
        self.pending.push(cell);
        while let Some(cell) = self.pending.pop() {
            let place = cell.place();
            let (first, n) = match cell.tag() {
                Tag::Ref => (place, 1),
                Tag::Lst => (place, 2),
                // The variable, its attributes and its number.
                Tag::Att => (place, 3),
                Tag::Str => {
                    if !self.set(place) {
                        continue;
                    }
                    (place + 1, heap.cells[place].arity())
                }
                Tag::Box => {
                    if self.set(place) {
                        (place + 1..place + heap.box_words(cell)).for_each(|word| {
                            self.set(word);
                        });
                    }
                    continue;
                }
                Tag::Int | Tag::Atom | Tag::Header => continue,
            };
            // The last one is followed last, when nothing else of the others waits: long lists need no stack.
            for at in (first..first + n).rev() {
                let cell = heap.cells[at];
                if self.set(at) && !cell.is_immediate() {
                    self.pending.push(cell);
                }
            }
        }
    }

    /// Counts marks, when all are set.
    pub fn count(&mut self) {
        let mut sum = 0;
        self.before = Vec::with_capacity(self.bits.len());
        for word in &self.bits {
            self.before.push(sum);
            sum += word.count_ones() as usize;
        }
    }

    /// Where a cell moves to; for one that is not marked, where the next marked one does.
    #[inline]
    pub fn rank(&self, place: usize) -> usize {
        let below = self.bits[place / 64] & ((1 << (place % 64)) - 1);
        self.before[place / 64] + below.count_ones() as usize
    }

    /// A cell that refers to where its target moves.
    #[inline]
    pub fn moved(&self, cell: Cell) -> Cell {
        match cell.tag() {
            Tag::Ref => Cell::reference(self.rank(cell.place())),
            Tag::Att => Cell::attributed(self.rank(cell.place())),
            Tag::Str => Cell::structure(self.rank(cell.place())),
            Tag::Lst => Cell::list(self.rank(cell.place())),
            Tag::Box => Cell::boxed(self.rank(cell.place())),
            Tag::Int | Tag::Atom | Tag::Header => cell,
        }
    }

    #[inline]
    pub fn move_cell(&self, cell: &mut Cell) {
        *cell = self.moved(*cell);
    }

    /// Marked places in order.
    pub fn for_each(&self, mut then: impl FnMut(usize)) {
        for (i, &word) in self.bits.iter().enumerate() {
            let mut rest = word;
            while rest != 0 {
                then(i * 64 + rest.trailing_zeros() as usize);
                rest &= rest - 1;
            }
        }
    }
}
