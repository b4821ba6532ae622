//! Matching of heads, keys of indexes, and tests of guards.

use std::hash::{Hash, Hasher};

use crate::cell::{Cell, Tag};
use crate::heap::Heap;
use crate::machine::{Done, Machine};
use crate::number::Number;
use crate::record::Record;
use crate::store::rules::{Expr, Match, Path, Step, Test};

/// Nodes of a term that its key is made of.
const NODES: usize = 16;

/// The key of a constraint in an index, or of what is asked of it.
pub(super) struct Key {
    pub hash: u64,
    /// Whether a variable in a column that is declared `+` is a part of it: it may get any value unseen.
    pub has_variable: bool,
}

/// What the heap was before heads were matched; what they bind is undone back to there.
#[derive(Clone, Copy)]
pub(super) struct Unmatched {
    trail: usize,
    woken: usize,
    top: usize,
}

impl Heap<'_> {
    /// Matches cells from a place of the heap on; the values of variables go into the slots. What this binds is
    /// [trailed](Self::unmatched).
    pub(super) fn matches(
        &mut self,
        place: usize,
        n: usize,
        pattern: &[Step],
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
            let mut cell = self.deref(raw);
            let holds = match step.what {
                Match::First(slot) => {
                    slots[slot as usize] = cell;
                    true
                }
                Match::Same(slot) => {
                    let known = slots[slot as usize];
                    cell == known || self.identical(cell, known)
                }
                Match::Const(constant) => cell == constant,
                Match::Record(number) => {
                    let top = self.top();
                    let known = self.restore(&records[number as usize]);
                    let same = self.identical(cell, known);
                    self.cells.truncate(top);
                    same
                }
                Match::List => cell.tag() == Tag::Lst,
                Match::Struct(functor) => cell.tag() == Tag::Str && self.cells[cell.place()] == functor,
            };
            if !holds {
                if !step.binds || !self.match_by_binding(cell, step.what, slots, records) {
                    return false;
                }
                cell = self.deref(cell);
            }
            if let Match::List | Match::Struct(_) = step.what {
                pending.push((at, left));
                (at, left) = self.args(cell);
            }
        }
        true
    }

    /// Makes a cell what a step asks for, where a variable lets it.
    #[cold]
    fn match_by_binding(&mut self, cell: Cell, what: Match, slots: &[Cell], records: &[Record]) -> bool {
        if !cell.is_var() && !matches!(what, Match::Same(_)) {
            return false;
        }
        let value = match what {
            Match::First(_) => return true,
            Match::Same(slot) => slots[slot as usize],
            Match::Const(constant) => constant,
            Match::Record(number) => self.restore(&records[number as usize]),
            Match::List => {
                let place = self.top();
                self.variable();
                self.variable();
                Cell::list(place)
            }
            Match::Struct(functor) => {
                let place = self.top();
                self.push(functor);
                for _ in 0..functor.arity() {
                    self.variable();
                }
                Cell::structure(place)
            }
        };
        // Whatever is bound is noted: it is undone where the rule does not fire.
        let barrier = std::mem::replace(&mut self.barrier, usize::MAX);
        let holds = self.unify(cell, value);
        self.barrier = barrier;
        holds
    }

    /// What the heap is before heads are matched.
    #[inline]
    pub(super) fn unmatched(&self) -> Unmatched {
        Unmatched { trail: self.trail.len(), woken: self.woken.len(), top: self.top() }
    }

    /// Whether matching bound something since then.
    #[inline]
    pub(super) fn has_bound(&self, before: Unmatched) -> bool {
        self.trail.len() > before.trail
    }

    /// Undoes what matching bound since then, with the terms that it made.
    #[inline]
    pub(super) fn unmatch(&mut self, before: Unmatched) {
        if self.has_bound(before) {
            self.unbind(before);
            self.cells.truncate(before.top);
        }
    }

    #[cold]
    fn unbind(&mut self, before: Unmatched) {
        let rest = self.undo_to(before.trail);
        debug_assert!(rest.is_none(), "matching binds variables only");
        self.woken.truncate(before.woken);
    }

    /// Undoes what matching bound since then, and hands it out, so that it can be bound for good.
    pub(super) fn take_bindings(&mut self, before: Unmatched) -> Vec<(Cell, Cell)> {
        if !self.has_bound(before) {
            return Vec::new();
        }
        let bindings = self.bindings_since(before.trail);
        self.unbind(before);
        bindings
    }

    /// Binds variables that are unbound.
    pub(super) fn bind_all(&mut self, bindings: &[(Cell, Cell)]) {
        for &(variable, value) in bindings {
            self.bind(variable, value);
        }
    }

    /// What a path leads to in arguments from a place on; the variable that it ends at, or any constant where it leads
    /// nowhere: no lookup that asks for something there is for this constraint.
    pub(super) fn inside(&self, start: usize, path: &Path) -> Cell {
        let mut place = start + path.column;
        for &(functor, argument) in &path.inside {
            let cell = self.deref(self.cells[place]);
            place = match (cell.tag(), functor) {
                (Tag::Lst, None) => cell.place() + argument,
                (Tag::Str, Some(functor)) if self.cells[cell.place()] == functor => {
                    cell.place() + 1 + argument
                }
                (Tag::Ref | Tag::Att, _) => return cell,
                _ => return Cell::int(0),
            };
        }
        self.cells[place]
    }

    /// The key of some terms, each with whether its column is declared `+`.
    pub(super) fn key(&self, terms: impl Iterator<Item = (Cell, bool)>) -> Key {
        let mut hasher = rustc_hash::FxHasher::default();
        let mut has_variable = false;
        for (term, trusted) in terms {
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
                has_variable |= trusted && cell.is_var();
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
        Key { hash: hasher.finish(), has_variable }
    }
}

impl Machine<'_, '_> {
    /// The key that a lookup asks an index for; none where the index may miss a constraint.
    pub(super) fn lookup_key(&mut self, symbol: u32, index: usize, columns: &[Match]) -> Option<u64> {
        if self.constraints.tables[symbol as usize].incomplete[index] {
            return None;
        }
        let mut terms = Vec::with_capacity(columns.len());
        let top = self.heap.top();
        let paths = &self.constraints.symbols[symbol as usize].indexes[index];
        for (column, path) in columns.iter().zip(paths) {
            let term = match *column {
                Match::Same(slot) => self.constraints.slots[slot as usize],
                Match::Const(cell) => cell,
                Match::Record(number) => self.heap.restore(&self.db.records[number as usize]),
                _ => Cell::int(0),
            };
            terms.push((term, path.trusted));
        }
        let key = self.heap.key(terms.into_iter());
        self.heap.cells.truncate(top);
        (!key.has_variable).then_some(key.hash)
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
