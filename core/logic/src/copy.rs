//! Copies of terms, on the heap and outside of it.

use gchr_base::hash::HashMap;

use crate::cell::{Atom, Cell, Tag};
use crate::heap::{Heap, Open, Spare};
use crate::names::atom;
use crate::record::Record;
use crate::walk::Visited;

/// A compound term of the source of which the arguments are to be copied.
struct Copying<'h> {
    heap: &'h Heap<'h>,
    target: Vec<Cell>,
    /// The place that the first cell of `target` will have.
    base: usize,
    /// Terms that the copy shares with the source: the compound terms without variables, if any is shared.
    shared: Option<Visited>,
    /// Where the copies of compound terms and variables are.
    copies: HashMap<Cell, Cell>,
    /// Cells of `target` that hold a term of the source still.
    pending: Vec<(usize, Cell)>,
}

impl<'h> Copying<'h> {
    /// A copy of a term that is no immediate value, as cells for `base` and what is behind it; the first one is the
    /// copy.
    fn run(heap: &'h Heap, term: Cell, base: usize, shared: Option<Visited>) -> Vec<Cell> {
        let (copies, pending) = (HashMap::default(), Vec::new());
        let mut copying = Self { heap, target: vec![Cell(0)], base, shared, copies, pending };
        copying.leaf(term, 0);
        while let Some((at, cell)) = copying.pending.pop() {
            if heap.meter.spend(1) {
                copying.compound(at, cell);
            } else {
                copying.target[at] = Cell::atom(atom::nil);
            }
        }
        copying.target
    }

    fn leaf(&mut self, cell: Cell, at: usize) {
        let cell = self.heap.deref(cell);
        let copy = match cell.tag() {
            Tag::Ref | Tag::Att => *self.copies.entry(cell).or_insert(Cell::reference(self.base + at)),
            Tag::Box if self.shared.is_none() => {
                let place = self.base + self.target.len();
                let n = self.heap.box_words(cell);
                if !self.heap.meter.ask(8 * n as u64) {
                    return self.target[at] = Cell::atom(atom::nil);
                }
                self.target.extend_from_slice(&self.heap.cells[cell.place()..cell.place() + n]);
                Cell::boxed(place)
            }
            Tag::Str | Tag::Lst if self.is_shared(cell) => cell,
            Tag::Str | Tag::Lst => {
                self.pending.push((at, cell));
                cell
            }
            _ => cell,
        };
        self.target[at] = copy;
    }

    fn is_shared(&self, cell: Cell) -> bool {
        self.shared.as_ref().is_some_and(|shared| shared.has(self.heap.args(cell).0))
    }

    fn compound(&mut self, at: usize, cell: Cell) {
        if let Some(&copy) = self.copies.get(&cell) {
            self.target[at] = copy;
            return;
        }
        let place = self.base + self.target.len();
        let (from, n) = self.heap.args(cell);
        let meter = &self.heap.meter;
        let has_room = meter.room(&mut self.target, n + 1)
            && meter.room(&mut self.pending, n)
            && meter.room_in_map(&mut self.copies);
        if !has_room || !meter.spend(n) {
            return self.target[at] = Cell::atom(atom::nil);
        }
        let copy = if cell.tag() == Tag::Lst {
            Cell::list(place)
        } else {
            self.target.push(self.heap.cells[cell.place()]);
            Cell::structure(place)
        };
        self.copies.insert(cell, copy);
        self.target[at] = copy;
        let start = self.target.len();
        self.target.resize(start + n, Cell(0));
        let first = self.pending.len();
        for i in 0..n {
            self.leaf(self.heap.cells[from + i], start + i);
        }
        self.pending[first..].reverse();
    }
}

/// Most cells that are copied without notes of what was copied: a larger term may have parts that it holds many times,
/// or hold itself.
const SMALL: usize = 1 << 12;

impl Heap<'_> {
    /// A copy as [`Copying::run`] makes it, of a term with few cells, in `spare`: variables hold where their copies are
    /// meanwhile. Whether the term has no more cells.
    fn small_copy(&mut self, term: Cell, base: usize, shares: bool, spare: &mut Spare) -> bool {
        let Spare { target, open, bound } = spare;
        target.clear();
        open.clear();
        target.push(Cell(0));
        let is_whole = self.copy_small(term, base, shares, target, open, bound);
        for (place, cell) in bound.drain(..).rev() {
            self.cells[place] = cell;
        }
        is_whole
    }

    fn copy_small(
        &mut self,
        term: Cell,
        base: usize,
        shares: bool,
        target: &mut Vec<Cell>,
        open: &mut Vec<Open>,
        bound: &mut Vec<(usize, Cell)>,
    ) -> bool {
        let (mut cell, mut at, mut left) = (term, 0, SMALL);
        loop {
            let source = self.deref(cell);
            match source.tag() {
                Tag::Str | Tag::Lst => {
                    let (from, n) = self.args(source);
                    let start = target.len();
                    // Parts that are shared with the source leave no cells, but are looked into.
                    if left <= n || !self.meter.spend(1) {
                        return false;
                    }
                    left -= n + 1;
                    if source.tag() == Tag::Str {
                        target.push(self.cells[source.place()]);
                    }
                    let to = target.len();
                    target.resize(to + n, Cell(0));
                    open.push(Open { source, from, to, end: to + n, at, start, has_variables: false });
                }
                _ => {
                    target[at] = self.copied_leaf(source, at, base, shares, target, bound);
                    if let Some(parent) = open.last_mut() {
                        parent.has_variables |= target[at].tag() == Tag::Ref;
                    }
                }
            }
            // The next argument of the innermost term that is not whole.
            loop {
                let Some(last) = open.last_mut() else { return true };
                if last.to < last.end {
                    (cell, at) = (self.cells[last.from], last.to);
                    last.from += 1;
                    last.to += 1;
                    break;
                }
                let Open { source, at, start, has_variables, .. } = *last;
                open.pop();
                target[at] = if shares && !has_variables {
                    target.truncate(start);
                    source
                } else if source.tag() == Tag::Lst {
                    Cell::list(base + start)
                } else {
                    Cell::structure(base + start)
                };
                if let Some(parent) = open.last_mut() {
                    parent.has_variables |= has_variables;
                }
            }
        }
    }

    /// The copy of what is no compound term, for a cell of `target`.
    fn copied_leaf(
        &mut self,
        source: Cell,
        at: usize,
        base: usize,
        shares: bool,
        target: &mut Vec<Cell>,
        bound: &mut Vec<(usize, Cell)>,
    ) -> Cell {
        match source.tag() {
            Tag::Ref | Tag::Att => {
                bound.push((source.place(), source));
                self.cells[source.place()] = Cell::functor(Atom::default(), at);
                Cell::reference(base + at)
            }
            // A variable that was met before.
            Tag::Header => Cell::reference(base + source.arity()),
            Tag::Box if !shares => {
                let place = base + target.len();
                target
                    .extend_from_slice(&self.cells[source.place()..source.place() + self.box_words(source)]);
                Cell::boxed(place)
            }
            _ => source,
        }
    }

    /// A copy of a term outside of the heap. Attributes are left out.
    pub fn record(&mut self, term: Cell) -> Record {
        let term = self.deref(term);
        if term.is_immediate() {
            return Record { cells: Box::default(), root: term, attributed: false };
        }
        let mut spare = std::mem::take(&mut self.spare);
        let record = match self.small_copy(term, 0, false, &mut spare) {
            true => {
                Record { root: spare.target[0], cells: spare.target.as_slice().into(), attributed: false }
            }
            false => self.record_of(term),
        };
        self.spare = spare;
        record
    }

    /// The same of a heap that cannot be changed.
    pub fn record_of(&self, term: Cell) -> Record {
        let term = self.deref(term);
        if term.is_immediate() {
            return Record { cells: Box::default(), root: term, attributed: false };
        }
        let cells = Copying::run(self, term, 0, None);
        Record { root: cells[0], cells: cells.into_boxed_slice(), attributed: false }
    }

    /// Brings a stored term back, with new variables.
    pub fn restore(&mut self, record: &Record) -> Cell {
        if record.cells.is_empty() || !self.meter.ask(8 * record.cells.len() as u64) {
            return if record.cells.is_empty() { record.root } else { Cell::atom(atom::nil) };
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

    /// A copy of a term on the heap with new variables, attributes left out (`copy_term_nat/2`). Parts without
    /// variables are not copied, as in SWI-Prolog: a change of their arguments is seen in the copy.
    pub fn copy(&mut self, term: Cell) -> Cell {
        self.copied(term, true)
    }

    /// A copy of a term on the heap that shares nothing with it, with new variables, attributes left out.
    pub fn duplicate(&mut self, term: Cell) -> Cell {
        self.copied(term, false)
    }

    fn copied(&mut self, term: Cell, shares: bool) -> Cell {
        let term = self.deref(term);
        if term.is_immediate() {
            return term;
        }
        let base = self.top();
        let mut spare = std::mem::take(&mut self.spare);
        let is_small = self.small_copy(term, base, shares, &mut spare);
        if is_small {
            self.cells.extend_from_slice(&spare.target);
        }
        self.spare = spare;
        if is_small {
            return self.deref(self.cells[base]);
        }
        let shared = shares.then(|| self.ground_parts(term));
        let cells = Copying::run(self, term, base, shared);
        if !self.meter.ask(8 * cells.len() as u64) {
            return Cell::atom(atom::nil);
        }
        self.cells.extend_from_slice(&cells);
        self.deref(self.cells[base])
    }

    /// The compound terms without variables in a term. Those on a cycle, and those above one, are not among them.
    fn ground_parts(&self, term: Cell) -> Visited {
        let mut ground = Visited::default();
        for cell in self.compounds(&[term]).0 {
            let (start, n) = self.args(cell);
            let is_ground = |&arg: &Cell| {
                let arg = self.deref(arg);
                !arg.is_var() && (!arg.is_compound() || ground.has(self.args(arg).0))
            };
            if self.cells[start..start + n].iter().all(is_ground) {
                ground.insert(start, self.top());
            }
        }
        ground
    }
}
