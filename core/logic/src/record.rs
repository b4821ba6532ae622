//! Terms outside of the heap: results of `findall/3`, global variables, thrown terms, clauses as terms.

use gchr_base::hash::HashMap;

use crate::cell::{Cell, Tag};
use crate::heap::Heap;

/// A copy of a term whose places are relative to its own cells.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    cells: Box<[Cell]>,
    root: Cell,
}

/// A compound term of the source of which the arguments are to be copied.
struct Copying<'h> {
    source: &'h [Cell],
    heap: &'h Heap,
    target: Vec<Cell>,
    /// Where in `target` the copies of compound terms and variables are.
    copies: HashMap<Cell, Cell>,
    /// Cells of `target` that hold a term of the source still.
    pending: Vec<(usize, Cell)>,
}

impl Copying<'_> {
    fn leaf(&mut self, cell: Cell, at: usize) {
        let cell = self.heap.deref(cell);
        let copy = match cell.tag() {
            Tag::Ref | Tag::Att => *self.copies.entry(cell).or_insert(Cell::reference(at)),
            Tag::Box => {
                let place = self.target.len();
                let n = self.heap.box_words(cell);
                self.target.extend_from_slice(&self.source[cell.place()..cell.place() + n]);
                Cell::boxed(place)
            }
            Tag::Str | Tag::Lst => {
                self.pending.push((at, cell));
                cell
            }
            _ => cell,
        };
        self.target[at] = copy;
    }

    fn compound(&mut self, at: usize, cell: Cell) {
        if let Some(&copy) = self.copies.get(&cell) {
            self.target[at] = copy;
            return;
        }
        let place = self.target.len();
        let (from, n) = self.heap.args(cell);
        let copy = if cell.tag() == Tag::Lst {
            Cell::list(place)
        } else {
            self.target.push(self.source[cell.place()]);
            Cell::structure(place)
        };
        self.copies.insert(cell, copy);
        self.target[at] = copy;
        let start = self.target.len();
        self.target.resize(start + n, Cell(0));
        let first = self.pending.len();
        for i in 0..n {
            self.leaf(self.source[from + i], start + i);
        }
        self.pending[first..].reverse();
    }
}

impl Heap {
    /// A copy of a term outside of the heap. Attributes are left out.
    pub fn record(&self, term: Cell) -> Record {
        let term = self.deref(term);
        if term.is_immediate() {
            return Record { cells: Box::default(), root: term };
        }
        let mut copying = Copying {
            source: &self.cells,
            heap: self,
            target: vec![Cell(0)],
            copies: HashMap::default(),
            pending: Vec::new(),
        };
        copying.leaf(term, 0);
        while let Some((at, cell)) = copying.pending.pop() {
            copying.compound(at, cell);
        }
        let root = copying.target[0];
        Record { cells: copying.target.into_boxed_slice(), root }
    }

    /// Brings a stored term back, with new variables.
    pub fn restore(&mut self, record: &Record) -> Cell {
        if record.cells.is_empty() {
            return record.root;
        }
        let base = self.top();
        let shift = (base as u64) << 3;
        let mut raw = 0;
        for (i, &cell) in record.cells.iter().enumerate() {
            // Words of boxed values are no cells.
            let moved = match cell.tag() {
                _ if i < raw => cell,
                Tag::Ref | Tag::Str | Tag::Lst | Tag::Box => Cell(cell.0 + shift),
                Tag::Header if cell.arity() > crate::cell::MAX_ARITY => {
                    raw = i + record.words(i);
                    cell
                }
                _ => cell,
            };
            self.cells.push(moved);
        }
        self.deref(self.cells[base])
    }

    /// A copy of a term on the heap with new variables, attributes left out (`copy_term_nat/2`).
    pub fn copy(&mut self, term: Cell) -> Cell {
        let record = self.record(term);
        self.restore(&record)
    }
}

impl Record {
    fn words(&self, at: usize) -> usize {
        let header = self.cells[at];
        match header.box_kind() {
            crate::cell::BoxKind::Float => 2,
            crate::cell::BoxKind::Str => 1 + (header.detail() as usize).div_ceil(8),
            crate::cell::BoxKind::Big => 2 + self.cells[at + 1].0 as usize,
        }
    }
}
