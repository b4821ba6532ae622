//! Matching of heads, keys of indexes, and tests of guards.

use std::hash::{Hash, Hasher};

use crate::cell::{Cell, Tag};
use crate::heap::Heap;
use crate::machine::{Done, Machine};
use crate::number::Number;
use crate::record::Record;
use crate::store::rules::{Expr, Match, Path, Test};

/// Nodes of a term that its key is made of.
const NODES: usize = 16;

impl Heap<'_> {
    /// Matches cells from a place of the heap on; the values of variables go into the slots.
    pub(super) fn matches(
        &mut self,
        place: usize,
        n: usize,
        pattern: &[Match],
        slots: &mut [Cell],
        records: &[Record],
    ) -> bool {
        let mut pending: Vec<(usize, usize)> = Vec::new();
        let (mut at, mut left) = (place, n);
        for step in pattern {
            while left == 0 {
                let Some(next) = pending.pop() else { return true };
                (at, left) = next;
            }
            let raw = self.cells[at];
            at += 1;
            left -= 1;
            match *step {
                Match::First(slot) => slots[slot as usize] = self.deref(raw),
                Match::Same(slot) => {
                    let known = slots[slot as usize];
                    let cell = self.deref(raw);
                    if cell != known && !self.identical(cell, known) {
                        return false;
                    }
                }
                Match::Const(constant) => {
                    if self.deref(raw) != constant {
                        return false;
                    }
                }
                Match::Record(number) => {
                    let top = self.top();
                    let known = self.restore(&records[number as usize]);
                    let same = self.identical(raw, known);
                    self.cells.truncate(top);
                    if !same {
                        return false;
                    }
                }
                Match::List => {
                    let cell = self.deref(raw);
                    if cell.tag() != Tag::Lst {
                        return false;
                    }
                    pending.push((at, left));
                    (at, left) = (cell.place(), 2);
                }
                Match::Struct(functor) => {
                    let cell = self.deref(raw);
                    if cell.tag() != Tag::Str || self.cells[cell.place()] != functor {
                        return false;
                    }
                    pending.push((at, left));
                    (at, left) = (cell.place() + 1, functor.arity());
                }
            }
        }
        true
    }

    /// What a path leads to in arguments from a place on; any constant where it leads nowhere: no lookup that asks for
    /// something there is for this constraint.
    pub(super) fn inside(&self, start: usize, path: &Path) -> Cell {
        let mut place = start + path.column;
        for &(functor, argument) in &path.inside {
            let cell = self.deref(self.cells[place]);
            place = match (cell.tag(), functor) {
                (Tag::Lst, None) => cell.place() + argument,
                (Tag::Str, Some(functor)) if self.cells[cell.place()] == functor => {
                    cell.place() + 1 + argument
                }
                _ => return Cell::int(0),
            };
        }
        self.cells[place]
    }

    /// The key of some terms.
    pub(super) fn key(&self, terms: impl Iterator<Item = Cell>) -> u64 {
        let mut hasher = rustc_hash::FxHasher::default();
        for term in terms {
            let term = self.deref(term);
            if term.is_immediate() {
                term.0.hash(&mut hasher);
                continue;
            }
            let (mut pending, mut nodes) = (vec![term], 0);
            while let Some(cell) = pending.pop() {
                let cell = self.deref(cell);
                nodes += 1;
                if nodes > NODES {
                    break;
                }
                match cell.tag() {
                    Tag::Str | Tag::Lst => {
                        let (start, n) = self.args(cell);
                        let functor = self.functor(cell).map_or(0, |(name, n)| Cell::functor(name, n).0);
                        functor.hash(&mut hasher);
                        pending.extend(self.cells[start..start + n].iter().rev());
                    }
                    Tag::Box => {
                        let n = self.box_words(cell);
                        self.cells[cell.place()..cell.place() + n].iter().for_each(|w| w.0.hash(&mut hasher));
                    }
                    // Places change: variables in the store have attributes, and with these a number.
                    Tag::Att => self.cells[cell.place() + 2].0.hash(&mut hasher),
                    Tag::Ref => Tag::Ref.hash(&mut hasher),
                    _ => cell.0.hash(&mut hasher),
                }
            }
        }
        hasher.finish()
    }
}

impl Machine<'_, '_> {
    /// The key that a lookup asks for.
    pub(super) fn lookup_key(&mut self, columns: &[Match]) -> u64 {
        let mut terms = Vec::with_capacity(columns.len());
        let top = self.heap.top();
        for column in columns {
            terms.push(match *column {
                Match::Same(slot) => self.constraints.slots[slot as usize],
                Match::Const(cell) => cell,
                Match::Record(number) => self.heap.restore(&self.db.records[number as usize]),
                _ => Cell::int(0),
            });
        }
        let key = self.heap.key(terms.into_iter());
        self.heap.cells.truncate(top);
        key
    }

    /// Whether the tests of a guard hold.
    pub(super) fn tests_hold(&mut self, tests: &[Test]) -> Done<bool> {
        for test in tests {
            let holds = match test {
                Test::Compare(compare, a, b) => {
                    let (a, b) = (self.number_of(a)?, self.number_of(b)?);
                    crate::machine::holds(*compare, crate::number::compare(&a, &b))
                }
                Test::Identical(a, b, negated) => {
                    let (a, b) = (self.operand(a), self.operand(b));
                    self.heap.identical(a, b) != *negated
                }
                Test::Kind(kind, a) => {
                    let cell = self.operand(a);
                    self.is(*kind, cell)
                }
            };
            if !holds {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn operand(&self, expr: &Expr) -> Cell {
        match expr {
            Expr::Slot(slot) => self.constraints.slots[*slot as usize],
            Expr::Const(cell) => *cell,
            Expr::Apply(..) => Cell::int(0),
        }
    }

    fn number_of(&mut self, expr: &Expr) -> Done<Number> {
        match expr {
            Expr::Slot(_) | Expr::Const(_) => {
                let cell = self.heap.deref(self.operand(expr));
                if cell.is_int() { Ok(Number::Int(cell.as_int())) } else { self.evaluate(cell) }
            }
            Expr::Apply(name, args) => match &args[..] {
                [a] => {
                    let a = self.number_of(a)?;
                    self.evaluate_unary(*name, a)
                }
                [a, b] => {
                    let (a, b) = (self.number_of(a)?, self.number_of(b)?);
                    self.evaluate_binary(*name, a, b)
                }
                _ => Ok(Number::Int(0)),
            },
        }
    }
}
