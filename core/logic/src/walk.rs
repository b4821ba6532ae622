//! Walks over terms: what is in them. Terms may share parts and hold themselves; loops note where they were, and draw
//! from the meter of the heap.

#[cfg(test)]
mod tests;

use std::hash::{Hash, Hasher};

use gchr_base::hash::HashMap;

use crate::cell::{BoxKind, Cell, Tag};
use crate::heap::Heap;
use crate::names::atom;

/// Compound terms that are looked into without asking whether they were met before.
const UNASKED: usize = 1 << 8;

/// Places of the heap, or of another vector, that a walk has visited: few are kept as they are, many as a bit of each
/// cell.
#[derive(Default)]
pub(crate) struct Visited {
    few: gchr_base::hash::HashSet<usize>,
    bits: Vec<u64>,
}

/// Places from which on bits are worth while.
const FEW: usize = 1 << 10;

impl Visited {
    /// Notes a place of a vector with so many cells; whether it is new.
    pub fn insert(&mut self, place: usize, cells: usize) -> bool {
        if self.bits.is_empty() {
            if self.few.len() < FEW {
                return self.few.insert(place);
            }
            self.bits = vec![0; cells / 64 + 1];
            for place in std::mem::take(&mut self.few) {
                self.bits[place / 64] |= 1 << (place % 64);
            }
        }
        let (word, bit) = (place / 64, 1 << (place % 64));
        if word >= self.bits.len() {
            self.bits.resize(word + 1, 0);
        }
        let is_new = self.bits[word] & bit == 0;
        self.bits[word] |= bit;
        is_new
    }

    /// Calls a function with each place that was noted.
    pub fn for_each(&self, mut f: impl FnMut(usize)) {
        self.few.iter().for_each(|&place| f(place));
        for (word, &bits) in self.bits.iter().enumerate() {
            let mut left = bits;
            while left != 0 {
                f(64 * word + left.trailing_zeros() as usize);
                left &= left - 1;
            }
        }
    }

    /// Whether a place was noted.
    pub fn has(&self, place: usize) -> bool {
        match self.bits.get(place / 64) {
            Some(word) => word >> (place % 64) & 1 == 1,
            None => self.few.contains(&place),
        }
    }
}

/// Terms with numbers: identical ones have one.
#[derive(Default)]
pub(crate) struct Distinct {
    /// By what they begin with.
    alike: HashMap<u64, Vec<(Cell, usize)>>,
}

/// Nodes that terms begin with.
const BEGINNING: usize = 32;

impl Distinct {
    /// The number of a term: that of an identical one, else this one.
    pub fn number(&mut self, heap: &Heap<'_>, term: Cell, number: usize) -> usize {
        let alike = self.alike.entry(heap.hash_of_beginning(term)).or_default();
        match alike.iter().find(|(known, _)| heap.identical(*known, term)) {
            Some(&(_, known)) => known,
            None => {
                alike.push((term, number));
                number
            }
        }
    }
}

/// How often the terms at places of the heap occur where a term is written out.
#[derive(Default)]
struct Occurrences {
    once: Visited,
    /// More than once.
    many: Visited,
}

impl Occurrences {
    /// An occurrence of the term at a place of a heap with so many cells, in one that may occur many times.
    fn count(&mut self, place: usize, is_many: bool, cells: usize) {
        if !self.once.insert(place, cells) || is_many {
            self.many.insert(place, cells);
        }
    }
}

/// Notes where a walk along a list has been, by Brent's method: one that comes back to a place has no end. The place
/// is that of the last step whose number is a power of two.
pub(crate) struct Passed {
    place: Cell,
    n: usize,
    next: usize,
}

impl Passed {
    /// Before the first step of a walk from a place on.
    pub fn from(place: Cell) -> Self {
        Self { place, n: 0, next: 1 }
    }
    /// Notes a step; whether it comes back to the place.
    #[inline]
    pub fn again(&mut self, rest: Cell) -> bool {
        self.n += 1;
        if rest == self.place {
            return true;
        }
        if self.n == self.next {
            (self.place, self.next) = (rest, 2 * self.next);
        }
        false
    }
}

impl Heap<'_> {
    /// The items of a list, and what follows them: `[]`, a variable, or something else; the list itself, where it has
    /// no end.
    pub fn list_items(&self, list: Cell) -> (Vec<Cell>, Cell) {
        let mut items = Vec::new();
        let (_, rest) = self.skip_items(list, |item| items.push(item));
        (items, rest)
    }
    /// Hands out the items of a list; how many they are, and what follows them.
    pub fn skip_items(&self, list: Cell, mut item: impl FnMut(Cell)) -> (usize, Cell) {
        let mut rest = self.deref(list);
        let mut passed = Passed::from(rest);
        while rest.tag() == Tag::Lst && self.meter.spend(1) {
            item(self.deref(self.cells[rest.place()]));
            rest = self.deref(self.cells[rest.place() + 1]);
            if passed.again(rest) {
                break;
            }
        }
        (passed.n, rest)
    }
    /// Visits the variables of terms in the order in which they occur, each as often as it is met; shared compound
    /// terms are looked into once. Ends when `visit` says so.
    fn walk(&self, terms: &[Cell], compounds: &mut Visited, mut visit: impl FnMut(Cell) -> bool) {
        let mut pending: Vec<Cell> = terms.iter().rev().copied().collect();
        while let Some(cell) = pending.pop() {
            let cell = self.deref(cell);
            if cell.is_var() {
                if !visit(cell) {
                    return;
                }
            } else if cell.is_compound() && compounds.insert(self.args(cell).0, self.top()) {
                let (start, n) = self.args(cell);
                if !self.meter.spend(1 + n) || !self.meter.room(&mut pending, n) {
                    return;
                }
                pending.extend(self.cells[start..start + n].iter().rev());
            }
        }
    }
    /// The variables of a term in the order in which they occur.
    pub fn variables(&self, term: Cell) -> Vec<Cell> {
        let (mut found, mut seen) = (Vec::new(), Visited::default());
        self.walk(&[term], &mut Visited::default(), |variable| {
            if seen.insert(variable.place(), self.top()) {
                found.push(variable);
            }
            true
        });
        found
    }
    /// The first variable of a term, depth first.
    pub fn first_variable(&self, term: Cell) -> Option<Cell> {
        let mut found = None;
        self.walk(&[term], &mut Visited::default(), |variable| {
            found = Some(variable);
            false
        });
        found
    }
    /// The attributes of a variable that has some: terms `att(Module, Value, Others)`.
    pub fn attributes(&self, variable: Cell) -> impl Iterator<Item = Cell> + '_ {
        // The end is not looked into, though the next one is asked for early.
        let one = |att: Cell| att.is_compound().then_some(att);
        let first = self.deref(self.cells[variable.place() + 1]);
        std::iter::successors(one(first), move |&att| one(self.arg(att, 2)))
    }
    /// The attributed variables of terms and of their attributes, in the order in which they are met; that a variable
    /// is in constraints counts as none.
    pub fn attributed_variables(&self, terms: &[Cell]) -> Vec<Cell> {
        let (mut found, mut seen, mut compounds) = (Vec::new(), Visited::default(), Visited::default());
        let mut pending: Vec<Cell> = terms.iter().rev().copied().collect();
        while let Some(term) = pending.pop().filter(|_| self.meter.spend(1)) {
            let first = found.len();
            self.walk(&[term], &mut compounds, |variable| {
                if variable.tag() == Tag::Att && seen.insert(variable.place(), self.top()) {
                    found.push(variable);
                }
                true
            });
            let others = found[first..].iter().flat_map(|&variable| self.attributes(variable));
            let others = others.filter(|&att| self.arg(att, 0) != Cell::atom(atom::chr));
            pending.extend(others.map(|att| self.arg(att, 1)));
        }
        found
    }
    /// Whether terms may hold themselves: that they surely do not takes no more steps than the heap has cells.
    pub fn may_be_cyclic(&self, terms: &[Cell]) -> bool {
        let (mut pending, mut steps) = (terms.to_vec(), 0);
        while let Some(cell) = pending.pop() {
            let cell = self.deref(cell);
            if cell.is_compound() {
                steps += 1;
                let (start, n) = self.args(cell);
                if steps > self.top() || !self.meter.spend(1) || !self.meter.room(&mut pending, n) {
                    return true;
                }
                pending.extend(&self.cells[start..start + n]);
            }
        }
        false
    }
    /// Whether a term holds itself.
    pub fn is_cyclic(&self, term: Cell) -> bool {
        self.may_be_cyclic(&[term]) && !self.compounds(&[term]).1.is_empty()
    }
    /// The compound terms in terms, each behind those that it holds but for those that hold it, and those of them in
    /// which a walk, depth first, comes back to a term that it is in.
    pub fn compounds(&self, terms: &[Cell]) -> (Vec<Cell>, Vec<Cell>) {
        // Depth first; a compound term is open until all its arguments are done.
        enum Task {
            Visit(Cell),
            Close(Cell),
        }
        let (mut visited, mut closed, mut known) =
            (Visited::default(), Visited::default(), Visited::default());
        let (mut found, mut loops) = (Vec::new(), Vec::new());
        let mut tasks: Vec<Task> = terms.iter().rev().map(|&term| Task::Visit(term)).collect();
        while let Some(task) = tasks.pop() {
            match task {
                Task::Close(cell) => {
                    closed.insert(self.args(cell).0, self.top());
                    found.push(cell);
                }
                Task::Visit(cell) => {
                    let cell = self.deref(cell);
                    if !cell.is_compound() {
                        continue;
                    }
                    let (start, n) = self.args(cell);
                    if !visited.insert(start, self.top()) {
                        if !closed.has(start) && known.insert(start, self.top()) {
                            loops.push(cell);
                        }
                        continue;
                    }
                    if !self.meter.spend(1 + n)
                        || !self.meter.room(&mut tasks, 1 + n)
                        || !self.meter.room(&mut found, 1)
                    {
                        break;
                    }
                    tasks.push(Task::Close(cell));
                    tasks.extend(self.cells[start..start + n].iter().rev().map(|&arg| Task::Visit(arg)));
                }
            }
        }
        (found, loops)
    }
    /// The variables of a term in the order in which they occur, and whether each occurs more than once where the term
    /// is written out.
    pub fn occurrences(&self, term: Cell) -> Vec<(Cell, bool)> {
        let (compounds, loops) = self.compounds(&[term]);
        // A compound term and a variable may be at one place.
        let [mut compound, mut variable] = [Occurrences::default(), Occurrences::default()];
        // What holds itself is written out without end.
        loops.into_iter().for_each(|cell| compound.count(self.args(cell).0, true, self.top()));
        for &cell in compounds.iter().rev() {
            let (start, n) = self.args(cell);
            let is_many = compound.many.has(start);
            if !self.meter.spend(1 + n) {
                break;
            }
            for &arg in &self.cells[start..start + n] {
                let arg = self.deref(arg);
                if arg.is_var() {
                    variable.count(arg.place(), is_many, self.top());
                } else if arg.is_compound() {
                    compound.count(self.args(arg).0, is_many, self.top());
                }
            }
        }
        let occurs = |cell: Cell| (cell, variable.many.has(cell.place()));
        self.variables(term).into_iter().map(occurs).collect()
    }
    /// Cells that a term takes in SWI-Prolog, shared parts once.
    pub fn size(&self, term: Cell) -> usize {
        let term = self.deref(term);
        let boxed = |cell: Cell| match cell.tag() {
            Tag::Box => match self.box_kind(cell) {
                BoxKind::Float => 3,
                BoxKind::Str => 3 + (self.cells[cell.place()].detail() as usize + 1) / 8,
                BoxKind::Big if i64::try_from(self.big_at(cell)).is_ok() => 3,
                BoxKind::Big | BoxKind::Rational => 1 + self.box_words(cell),
            },
            _ => 0,
        };
        let mut size = boxed(term);
        for cell in self.compounds(&[term]).0 {
            let (start, n) = self.args(cell);
            size += 1 + n;
            size += self.cells[start..start + n].iter().map(|&arg| boxed(self.deref(arg))).sum::<usize>();
        }
        size
    }
    /// A number of 24 bits that is the same for terms without variables that are equal; shared parts are looked into
    /// once. What holds itself counts as an atom where it is met again.
    pub fn hash(&self, names: &crate::names::Names, term: Cell) -> u32 {
        let mut known: HashMap<Cell, u64> = HashMap::default();
        let leaf = |cell: Cell| -> u64 {
            let mut hasher = rustc_hash::FxHasher::default();
            match cell.tag() {
                Tag::Atom => names.text(cell.as_atom()).hash(&mut hasher),
                Tag::Box => {
                    let place = cell.place();
                    self.cells[place..place + self.box_words(cell)]
                        .iter()
                        .for_each(|c| c.0.hash(&mut hasher));
                }
                _ => cell.0.hash(&mut hasher),
            }
            hasher.finish()
        };
        for cell in self.compounds(&[term]).0 {
            let mut hasher = rustc_hash::FxHasher::default();
            let (name, n) = self.functor(cell).unwrap_or_default();
            (&**names.text(name), n).hash(&mut hasher);
            let start = self.args(cell).0;
            if !self.meter.spend(1 + n) || !self.meter.room_in_map(&mut known) {
                break;
            }
            for &arg in &self.cells[start..start + n] {
                let arg = self.deref(arg);
                let hash = if arg.is_compound() { known.get(&arg).copied().unwrap_or(0) } else { leaf(arg) };
                hash.hash(&mut hasher);
            }
            known.insert(cell, hasher.finish());
        }
        let term = self.deref(term);
        let hash = known.get(&term).copied().unwrap_or_else(|| leaf(term));
        (hash >> 40) as u32
    }
    /// A number that is the same for terms that are identical, and looks at few nodes.
    fn hash_of_beginning(&self, term: Cell) -> u64 {
        let mut hasher = rustc_hash::FxHasher::default();
        let (mut pending, mut left) = (vec![term], BEGINNING);
        while let Some(cell) = pending.pop().filter(|_| left > 0) {
            let cell = self.deref(cell);
            left -= 1;
            match cell.tag() {
                Tag::Str | Tag::Lst => {
                    let (start, n) = self.args(cell);
                    self.functor(cell).hash(&mut hasher);
                    pending.extend(self.cells[start..start + n.min(left)].iter().rev());
                }
                Tag::Box => {
                    let words = self.box_words(cell).min(BEGINNING);
                    self.cells[cell.place()..cell.place() + words].hash(&mut hasher);
                }
                _ => cell.hash(&mut hasher),
            }
        }
        hasher.finish()
    }
    /// Whether a term has no variables.
    pub fn is_ground(&self, term: Cell) -> bool {
        let mut pending = vec![term];
        let mut steps = 0_usize;
        while let Some(cell) = pending.pop() {
            let cell = self.deref(cell);
            if cell.is_var() {
                return false;
            }
            if cell.is_compound() {
                steps += 1;
                let (start, n) = self.args(cell);
                // It may be shared often, or cyclic.
                if steps > UNASKED || n > UNASKED {
                    return self.first_variable(term).is_none();
                }
                pending.extend(self.cells[start..start + n].iter().rev());
            }
        }
        true
    }
}
