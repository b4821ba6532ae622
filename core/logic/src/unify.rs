//! Unification, structural comparison and the standard order, by loops: the depth of a term costs memory only.

use std::cmp::Ordering;

use gchr_base::hash::{HashMap, HashSet};

use crate::cell::{BoxKind, Cell, Tag};
use crate::heap::Heap;
use crate::names::Names;

/// Pairs of compound terms that were looked at, once so many were that terms may be cyclic.
#[derive(Default)]
struct Seen {
    steps: usize,
    pairs: HashSet<(Cell, Cell)>,
}

impl Seen {
    /// Whether a pair was looked at before.
    fn again(&mut self, heap: &Heap, a: Cell, b: Cell) -> bool {
        self.steps += 1;
        // Where the meter stops, all is as if it had been looked at.
        !heap.meter.spend(1) || self.steps > heap.top() + 64 && !self.pairs.insert((a, b))
    }
}

impl Heap<'_> {
    /// Makes two terms equal, if they can be.
    pub fn unify(&mut self, a: Cell, b: Cell) -> bool {
        let (a, b) = (self.deref(a), self.deref(b));
        if a == b {
            return true;
        }
        match self.unify_simple(a, b) {
            Some(result) => result,
            None => self.unify_compound(a, b),
        }
    }

    /// Unifies two different dereferenced terms unless both are compound.
    #[inline(always)]
    fn unify_simple(&mut self, a: Cell, b: Cell) -> Option<bool> {
        match (a.tag(), b.tag()) {
            (Tag::Ref, Tag::Ref) => {
                // The younger variable refers to the older one.
                let (old, young) = if a.place() < b.place() { (a, b) } else { (b, a) };
                Some(self.bind(young, old))
            }
            (Tag::Att, Tag::Att) => {
                // The same by their numbers: a variable that has got attributes anew is younger than its place.
                let number = |cell: Cell| self.cells[cell.place() + 2].as_int();
                let (old, young) = if number(a) < number(b) { (a, b) } else { (b, a) };
                Some(self.bind(young, old))
            }
            (Tag::Ref, _) => Some(self.bind_checked(a, b)),
            (_, Tag::Ref) => Some(self.bind_checked(b, a)),
            (Tag::Att, _) => Some(self.bind_checked(a, b)),
            (_, Tag::Att) => Some(self.bind_checked(b, a)),
            (Tag::Box, Tag::Box) => Some(self.same_box(a, b)),
            (Tag::Lst, Tag::Lst) | (Tag::Str, Tag::Str) => None,
            _ => Some(false),
        }
    }

    /// Binds a variable to something else, unless it is protected or the flag forbids it.
    #[inline(always)]
    fn bind_checked(&mut self, variable: Cell, value: Cell) -> bool {
        if self.occurs_check && self.occurs(variable, value) {
            return false;
        }
        self.bind(variable, value)
    }

    #[cold]
    fn occurs(&self, variable: Cell, value: Cell) -> bool {
        value.is_compound() && self.variables(value).contains(&variable)
    }

    fn same_box(&self, a: Cell, b: Cell) -> bool {
        let n = self.box_words(a);
        n == self.box_words(b) && {
            let (a, b) = (a.place(), b.place());
            self.cells[a..a + n] == self.cells[b..b + n]
        }
    }

    fn unify_compound(&mut self, a: Cell, b: Cell) -> bool {
        if a.tag() == Tag::Str && self.cells[a.place()] != self.cells[b.place()] {
            return false;
        }
        let mut pending = std::mem::take(&mut self.pending);
        pending.push((a, b));
        let holds = self.unify_pending(&mut pending);
        pending.clear();
        self.pending = pending;
        holds
    }

    fn unify_pending(&mut self, pending: &mut Vec<(Cell, Cell)>) -> bool {
        let mut seen = Seen::default();
        while let Some((mut a, mut b)) = pending.pop() {
            loop {
                a = self.deref(a);
                b = self.deref(b);
                if a == b {
                    break;
                }
                if let Some(result) = self.unify_simple(a, b) {
                    if result {
                        break;
                    }
                    return false;
                }
                if a.tag() == Tag::Str && self.cells[a.place()] != self.cells[b.place()] {
                    return false;
                }
                if seen.again(self, a, b) {
                    break;
                }
                let ((from, n), (other, _)) = (self.args(a), self.args(b));
                if !self.meter.room(pending, n) {
                    return false;
                }
                for i in (1..n).rev() {
                    pending.push((self.cells[from + i], self.cells[other + i]));
                }
                (a, b) = (self.cells[from], self.cells[other]);
            }
        }
        true
    }

    /// Whether two terms are identical (`==`).
    pub fn identical(&self, a: Cell, b: Cell) -> bool {
        let (a, b) = (self.deref(a), self.deref(b));
        if a == b {
            return true;
        }
        if a.tag() != b.tag() || a.is_var() || a.is_immediate() {
            return false;
        }
        let mut pending = vec![(a, b)];
        let mut seen = Seen::default();
        while let Some((a, b)) = pending.pop() {
            let (a, b) = (self.deref(a), self.deref(b));
            if a == b {
                continue;
            }
            match (a.tag(), b.tag()) {
                (Tag::Box, Tag::Box) if self.same_box(a, b) => {}
                (Tag::Lst, Tag::Lst) | (Tag::Str, Tag::Str) => {
                    if a.tag() == Tag::Str && self.cells[a.place()] != self.cells[b.place()] {
                        return false;
                    }
                    if !seen.again(self, a, b) {
                        let ((from, n), (other, _)) = (self.args(a), self.args(b));
                        if !self.meter.room(&mut pending, n) {
                            return false;
                        }
                        pending.extend((0..n).rev().map(|i| (self.cells[from + i], self.cells[other + i])));
                    }
                }
                _ => return false,
            }
        }
        true
    }

    /// Whether two terms are equal but for the names of their variables (`=@=`).
    pub fn is_variant(&self, a: Cell, b: Cell) -> bool {
        let (mut there, mut back) = (HashMap::default(), HashMap::default());
        let mut pending = vec![(a, b)];
        let mut seen = Seen::default();
        while let Some((a, b)) = pending.pop() {
            let (a, b) = (self.deref(a), self.deref(b));
            if a.is_var() && b.is_var() {
                if *there.entry(a).or_insert(b) != b || *back.entry(b).or_insert(a) != a {
                    return false;
                }
                continue;
            }
            match (a.tag(), b.tag()) {
                (Tag::Box, Tag::Box) if self.same_box(a, b) => {}
                (Tag::Lst, Tag::Lst) | (Tag::Str, Tag::Str) => {
                    if a.tag() == Tag::Str && self.cells[a.place()] != self.cells[b.place()] {
                        return false;
                    }
                    if !seen.again(self, a, b) {
                        let ((from, n), (other, _)) = (self.args(a), self.args(b));
                        if !self.meter.room(&mut pending, n) {
                            return false;
                        }
                        pending.extend((0..n).rev().map(|i| (self.cells[from + i], self.cells[other + i])));
                    }
                }
                _ if a == b => {}
                _ => return false,
            }
        }
        true
    }

    /// The standard order of terms: variables, numbers, atoms, strings, compound terms.
    pub fn compare(&self, names: &Names, a: Cell, b: Cell) -> Ordering {
        let mut pending = vec![(a, b)];
        let mut seen = Seen::default();
        while let Some((a, b)) = pending.pop() {
            let (a, b) = (self.deref(a), self.deref(b));
            if a == b {
                continue;
            }
            let order = if a.is_compound() && b.is_compound() {
                let (fa, fb) = (self.functor(a), self.functor(b));
                let ((na, ka), (nb, kb)) = (fa.unwrap_or_default(), fb.unwrap_or_default());
                let order = ka.cmp(&kb).then_with(|| match na == nb {
                    true => Ordering::Equal,
                    false => names.text(na).cmp(names.text(nb)),
                });
                if order == Ordering::Equal && !seen.again(self, a, b) {
                    let ((from, n), (other, _)) = (self.args(a), self.args(b));
                    if !self.meter.room(&mut pending, n) {
                        return Ordering::Equal;
                    }
                    pending.extend((0..n).rev().map(|i| (self.cells[from + i], self.cells[other + i])));
                }
                order
            } else {
                self.compare_simple(names, a, b)
            };
            if order != Ordering::Equal {
                return order;
            }
        }
        Ordering::Equal
    }

    /// Rank of a kind of term in the standard order.
    fn rank(&self, cell: Cell) -> u8 {
        match cell.tag() {
            Tag::Ref | Tag::Att => 0,
            Tag::Int => 1,
            Tag::Box => match self.box_kind(cell) {
                BoxKind::Str => 2,
                _ => 1,
            },
            Tag::Atom => 3,
            _ => 4,
        }
    }

    fn compare_simple(&self, names: &Names, a: Cell, b: Cell) -> Ordering {
        let rank = self.rank(a);
        rank.cmp(&self.rank(b)).then_with(|| match rank {
            0 => a.place().cmp(&b.place()),
            1 => crate::number::standard_order(&self.number(a), &self.number(b)),
            2 => self.string_at(a).cmp(&self.string_at(b)),
            // The empty list comes before all atoms.
            3 => (a.is_text_atom().cmp(&b.is_text_atom()))
                .then_with(|| names.text(a.as_atom()).cmp(names.text(b.as_atom()))),
            _ => Ordering::Equal,
        })
    }
}
