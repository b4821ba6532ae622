//! The heap of terms and the trail: building, binding, undoing, and looking at terms.

use gchr_base::logic::Rational;
use num_bigint::{BigInt, Sign};

use crate::cell::{Atom, BoxKind, Cell, Tag, digits_of_parts};
use crate::meter::Meter;
use crate::names::atom;
use crate::undo::{Undo, Woken};

/// What copies of small terms are made in, kept for the next one.
#[derive(Default, Debug)]
pub(crate) struct Spare {
    pub target: Vec<Cell>,
    pub open: Vec<Open>,
    pub bound: Vec<(usize, Cell)>,
}

/// A compound term that is being copied: the next argument, where its copy goes, and where the copy of the last
/// argument goes.
#[derive(Debug)]
pub(crate) struct Open {
    pub source: Cell,
    pub from: usize,
    pub to: usize,
    pub end: usize,
    /// Where the copy of the term itself is noted, and how long the copy was before it.
    pub at: usize,
    pub start: usize,
    pub has_variables: bool,
}

/// Terms, and what must be undone of them.
#[derive(Debug)]
pub(crate) struct Heap<'a> {
    pub cells: Vec<Cell>,
    /// Places of bound variables, and marks of `undo`.
    pub trail: Vec<u64>,
    pub undo: Vec<Undo>,
    /// Variables from here on are younger than the latest choice point.
    pub barrier: usize,
    /// Whether there is a choice point to which changes must be undone.
    pub has_choice: bool,
    /// What has goals that run before the next call.
    pub woken: Vec<Woken>,
    /// Numbers of attributed variables, by which indexes know them.
    pub numbered: usize,
    /// Attributed variables below this place cannot be bound: they are of heads, and their guard is asked.
    pub protected: usize,
    /// Whether a variable is not bound to a term that contains it: the flag `occurs_check`.
    pub occurs_check: bool,
    /// Pairs that are still to be unified; empty between unifications.
    pub pending: Vec<(Cell, Cell)>,
    /// What copies are made in.
    pub spare: Spare,
    /// What walks over terms draw from.
    pub meter: Meter<'a>,
}

/// A mark in the trail: the newest entry of `undo`.
pub(crate) const MARK: u64 = u64::MAX;

impl Heap<'_> {
    /// The same under no limits.
    pub fn released(self) -> Heap<'static> {
        Heap {
            cells: self.cells,
            trail: self.trail,
            undo: self.undo,
            barrier: self.barrier,
            has_choice: self.has_choice,
            woken: self.woken,
            numbered: self.numbered,
            protected: self.protected,
            occurs_check: self.occurs_check,
            pending: self.pending,
            spare: self.spare,
            meter: Meter::default(),
        }
    }
    pub fn new() -> Self {
        Self {
            cells: Vec::with_capacity(1 << 12),
            trail: Vec::new(),
            undo: Vec::new(),
            barrier: 0,
            has_choice: false,
            woken: Vec::new(),
            numbered: 0,
            protected: 0,
            occurs_check: false,
            pending: Vec::new(),
            spare: Default::default(),
            meter: Meter::default(),
        }
    }
    #[inline(always)]
    pub fn top(&self) -> usize {
        self.cells.len()
    }
    #[inline(always)]
    pub fn push(&mut self, cell: Cell) {
        self.cells.push(cell);
    }
    /// Follows references to an unbound variable or a value.
    #[inline(always)]
    pub fn deref(&self, mut cell: Cell) -> Cell {
        while cell.tag() == Tag::Ref {
            let next = self.cells[cell.place()];
            if next == cell {
                return cell;
            }
            cell = next;
        }
        if cell.tag() == Tag::Att {
            return self.deref_attributed(cell);
        }
        cell
    }
    /// The cell of an attributed variable holds what it is bound to.
    fn deref_attributed(&self, cell: Cell) -> Cell {
        let next = self.cells[cell.place()];
        if next == cell { cell } else { self.deref(next) }
    }
    /// A new variable.
    #[inline(always)]
    pub fn variable(&mut self) -> Cell {
        let cell = Cell::reference(self.cells.len());
        self.cells.push(cell);
        cell
    }
    /// A new variable without attributes that can get some: three cells, the attributes and a number behind it.
    pub fn attributed(&mut self) -> Cell {
        let cell = Cell::attributed(self.cells.len());
        self.numbered += 1;
        self.cells.extend([cell, Cell::atom(atom::nil), Cell::int(self.numbered)]);
        cell
    }
    /// Notes that a variable is bound, where backtracking has to know it.
    #[inline(always)]
    pub fn note_binding(&mut self, place: usize) {
        if place < self.barrier {
            self.trail.push(place as u64);
        }
    }
    /// Binds an unbound variable to something that is not an unbound variable younger than itself; `false` where it is
    /// [`protected`](Self::protected).
    #[inline(always)]
    pub fn bind(&mut self, variable: Cell, value: Cell) -> bool {
        let place = variable.place();
        if variable.tag() == Tag::Att {
            return self.bind_attributed(place, value);
        }
        self.cells[place] = value;
        self.note_binding(place);
        true
    }
    fn bind_attributed(&mut self, place: usize, value: Cell) -> bool {
        if place < self.protected {
            return false;
        }
        if self.cells[place + 1] != Cell::atom(atom::nil) {
            self.woken.push(Woken::Bound(place, value));
        }
        self.assign(place, value);
        true
    }
    /// Notes a change that backtracking takes back. To be asked first: [`has_choice`](Self::has_choice).
    pub fn note(&mut self, undo: Undo) {
        self.undo.push(undo);
        self.trail.push(MARK);
    }
    /// Changes a cell of the heap so that backtracking takes it back.
    pub fn assign(&mut self, place: usize, value: Cell) {
        if place < self.barrier {
            self.note(Undo::Cell(place, self.cells[place]));
        }
        self.cells[place] = value;
    }
    /// Variables that were bound since the trail had a length, and what to, in the order of it; nothing else was
    /// changed.
    pub fn bindings_since(&self, length: usize) -> Vec<(Cell, Cell)> {
        let entries = &self.trail[length..];
        let marks = entries.iter().filter(|&&entry| entry == MARK).count();
        let mut undo = self.undo[self.undo.len() - marks..].iter();
        let variable = |&entry: &u64| match entry {
            MARK => match undo.next() {
                Some(&Undo::Cell(place, variable)) => Some((variable, self.cells[place])),
                _ => None,
            },
            place => Some((Cell::reference(place as usize), self.cells[place as usize])),
        };
        entries.iter().filter_map(variable).collect()
    }
    /// Undoes bindings back to a length of the trail; hands out other changes.
    pub fn undo_to(&mut self, length: usize) -> Option<Undo> {
        while self.trail.len() > length {
            let entry = self.trail.pop().unwrap_or(MARK);
            if entry == MARK {
                match self.undo.pop() {
                    Some(Undo::Cell(place, value)) => self.cells[place] = value,
                    other => return other,
                }
            } else {
                // Attributed variables are noted by marks.
                self.cells[entry as usize] = Cell::reference(entry as usize);
            }
        }
        None
    }
    /// Forgets the oldest entries of the trail: nothing goes back to where they were made.
    pub fn forget_to(&mut self, length: usize) {
        let marks = self.trail.drain(..length).filter(|&entry| entry == MARK).count();
        self.undo.drain(..marks);
    }
    /// A compound term with these arguments; an atom where there are none.
    pub fn compound(&mut self, name: Atom, args: &[Cell]) -> Cell {
        if args.is_empty() {
            return Cell::atom(name);
        }
        let place = self.top();
        if name == atom::cons && args.len() == 2 {
            self.cells.extend_from_slice(args);
            return Cell::list(place);
        }
        self.push(Cell::functor(name, args.len()));
        self.cells.extend_from_slice(args);
        Cell::structure(place)
    }
    pub fn cons(&mut self, head: Cell, tail: Cell) -> Cell {
        let place = self.top();
        self.push(head);
        self.push(tail);
        Cell::list(place)
    }
    /// A list of these items.
    pub fn list(&mut self, items: &[Cell]) -> Cell {
        self.list_with_tail(items, Cell::atom(atom::nil))
    }
    pub fn list_with_tail(&mut self, items: &[Cell], tail: Cell) -> Cell {
        if items.is_empty() || !self.meter.ask(16 * items.len() as u64) {
            return tail;
        }
        let start = self.top();
        for (i, &item) in items.iter().enumerate() {
            self.push(item);
            self.push(Cell::list(start + 2 * (i + 1)));
        }
        let last = self.top() - 1;
        self.cells[last] = tail;
        Cell::list(start)
    }
    pub fn float(&mut self, x: f64) -> Cell {
        let place = self.top();
        self.push(Cell::header(BoxKind::Float, 0));
        self.push(Cell(x.to_bits()));
        Cell::boxed(place)
    }
    pub fn string(&mut self, text: &str) -> Cell {
        let text = if self.meter.ask(text.len() as u64) { text } else { "" };
        let place = self.top();
        let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
        self.push(Cell::header(BoxKind::Str, length));
        for chunk in text.as_bytes()[..length as usize].chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.push(Cell(u64::from_le_bytes(word)));
        }
        Cell::boxed(place)
    }
    pub fn integer(&mut self, n: i64) -> Cell {
        match Cell::small(n) {
            Some(cell) => cell,
            None => self.push_big(&BigInt::from(n)),
        }
    }
    pub fn big(&mut self, n: &BigInt) -> Cell {
        match i64::try_from(n) {
            Ok(n) => self.integer(n),
            Err(_) => self.push_big(n),
        }
    }
    fn push_big(&mut self, n: &BigInt) -> Cell {
        self.meter.spend((n.bits() / 64) as usize);
        let place = self.top();
        let (sign, digits) = n.to_u64_digits();
        self.push(Cell::header(BoxKind::Big, u32::from(sign == Sign::Minus)));
        self.push(Cell(digits.len() as u64));
        self.cells.extend(digits.into_iter().map(Cell));
        Cell::boxed(place)
    }

    /// A rational number in lowest terms that is no integer: how many digits both parts have, and these.
    pub fn rational(&mut self, n: &Rational) -> Cell {
        self.meter.spend(((n.numerator.bits() + n.denominator.bits()) / 64) as usize);
        let place = self.top();
        let (sign, above) = n.numerator.to_u64_digits();
        let (_, below) = n.denominator.to_u64_digits();
        self.push(Cell::header(BoxKind::Rational, u32::from(sign == Sign::Minus)));
        self.push(Cell((below.len() as u64) << 32 | above.len() as u64));
        self.cells.extend(above.into_iter().chain(below).map(Cell));
        Cell::boxed(place)
    }
    pub fn rational_at(&self, cell: Cell) -> Rational {
        let place = cell.place();
        let sign = if self.cells[place].detail() == 1 { Sign::Minus } else { Sign::Plus };
        let [above, below] = digits_of_parts(self.cells[place + 1]);
        let part = |sign, from: usize, n: usize| {
            let words = &self.cells[from..from + n];
            let digits: Vec<u32> = words.iter().flat_map(|w| [w.0 as u32, (w.0 >> 32) as u32]).collect();
            BigInt::from_slice(sign, &digits)
        };
        let numerator = part(sign, place + 2, above);
        Rational { numerator, denominator: part(Sign::Plus, place + 2 + above, below) }
    }

    /// The kind of a boxed value.
    pub fn box_kind(&self, cell: Cell) -> BoxKind {
        self.cells[cell.place()].box_kind()
    }
    pub fn is_boxed(&self, cell: Cell, kind: BoxKind) -> bool {
        cell.tag() == Tag::Box && self.box_kind(cell) == kind
    }
    pub fn float_at(&self, cell: Cell) -> f64 {
        f64::from_bits(self.cells[cell.place() + 1].0)
    }
    /// Words of a boxed value, header included.
    pub fn box_words(&self, cell: Cell) -> usize {
        let header = self.cells[cell.place()];
        match header.box_kind() {
            BoxKind::Float => 2,
            BoxKind::Str => 1 + (header.detail() as usize).div_ceil(8),
            BoxKind::Big => 2 + self.cells[cell.place() + 1].0 as usize,
            BoxKind::Rational => 2 + digits_of_parts(self.cells[cell.place() + 1]).iter().sum::<usize>(),
        }
    }
    pub fn string_at(&self, cell: Cell) -> String {
        let length = self.cells[cell.place()].detail() as usize;
        if !self.meter.ask(length as u64) {
            return String::new();
        }
        let words = &self.cells[cell.place() + 1..cell.place() + self.box_words(cell)];
        let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.0.to_le_bytes()).collect();
        bytes.truncate(length);
        String::from_utf8_lossy(&bytes).into_owned()
    }
    pub fn big_at(&self, cell: Cell) -> BigInt {
        let place = cell.place();
        let negative = self.cells[place].detail() == 1;
        let words = &self.cells[place + 2..place + self.box_words(cell)];
        let digits: Vec<u32> = words.iter().flat_map(|w| [w.0 as u32, (w.0 >> 32) as u32]).collect();
        BigInt::from_slice(if negative { Sign::Minus } else { Sign::Plus }, &digits)
    }
    /// Name and number of arguments of an atom or a compound term.
    pub fn functor(&self, cell: Cell) -> Option<(Atom, usize)> {
        match cell.tag() {
            Tag::Atom => Some((cell.as_atom(), 0)),
            Tag::Lst => Some((atom::cons, 2)),
            Tag::Str => {
                let functor = self.cells[cell.place()];
                Some((functor.name(), functor.arity()))
            }
            _ => None,
        }
    }
    /// Place of the first argument of a compound term, and their number.
    #[inline]
    pub fn args(&self, cell: Cell) -> (usize, usize) {
        match cell.tag() {
            Tag::Lst => (cell.place(), 2),
            Tag::Str => (cell.place() + 1, self.cells[cell.place()].arity()),
            _ => (0, 0),
        }
    }
    /// An argument of a compound term, dereferenced.
    #[inline]
    pub fn arg(&self, cell: Cell, index: usize) -> Cell {
        self.deref(self.cells[self.args(cell).0 + index])
    }
    /// The arguments of `name(_, _)`.
    pub fn binary(&self, cell: Cell, name: Atom) -> Option<(Cell, Cell)> {
        match self.functor(cell) {
            Some((found, 2)) if found == name => Some((self.arg(cell, 0), self.arg(cell, 1))),
            _ => None,
        }
    }
}
