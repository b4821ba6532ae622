//! Text of atoms, strings, numbers and lists of characters, both ways.

use crate::cell::{BoxKind, Cell, Tag};
use crate::machine::{Done, Machine, Throw};
use crate::names::atom;
use crate::number::Number;
use crate::write::Style;

/// Bytes that a message shows of a term.
const MESSAGE: usize = 2000;

impl Machine<'_, '_> {
    /// The text of an atomic term or of a list of codes or characters.
    pub fn text(&mut self, cell: Cell) -> Done<String> {
        self.text_as(cell, "text")
    }

    /// The same, for a predicate whose errors call by a name what it wants. Where that is a text or a list, they are
    /// about the part of a list that is no character.
    pub fn text_as(&mut self, cell: Cell, wanted: &str) -> Done<String> {
        let cell = self.heap.deref(cell);
        if cell.is_var() {
            return Err(self.instantiation_error());
        }
        if cell == Cell::atom(atom::nil) && matches!(wanted, "atom" | "atomic") {
            return Err(self.type_error("atom", cell));
        }
        let text = self.text_of(cell);
        match self.checked(text)? {
            Some(text) => Ok(text),
            None if cell.tag() == Tag::Lst && matches!(wanted, "text" | "list") => {
                Err(self.no_list_text(cell, wanted))
            }
            None => Err(self.type_error(wanted, cell)),
        }
    }

    /// Why a list is no text.
    fn no_list_text(&mut self, list: Cell, wanted: &str) -> Throw {
        let (items, rest) = self.heap.list_items(list);
        let kind = if items[0].is_int() { "character_code" } else { "character" };
        for item in items {
            if item.is_var() {
                return self.instantiation_error();
            }
            if self.character_of(item).is_none() {
                return self.type_error(kind, item);
            }
        }
        if rest.is_var() { self.instantiation_error() } else { self.type_error(wanted, list) }
    }

    /// The same, if the term has a text. The empty list is one without characters.
    pub fn text_of(&self, cell: Cell) -> Option<String> {
        let cell = self.heap.deref(cell);
        match cell.tag() {
            Tag::Atom if cell.as_atom() == atom::nil => Some(String::new()),
            Tag::Lst => self.list_text(cell),
            _ => self.atomic_text(cell),
        }
    }

    /// The text of an atomic term.
    pub fn atomic_text(&self, cell: Cell) -> Option<String> {
        match cell.tag() {
            Tag::Atom => {
                let text = self.db.names.text(cell.as_atom());
                self.heap.meter.ask(text.len() as u64).then(|| text.to_string())
            }
            Tag::Int => Some(cell.as_int().to_string()),
            Tag::Box if self.heap.box_kind(cell) == BoxKind::Str => Some(self.heap.string_at(cell)),
            Tag::Box => self.written(cell, Style::PLAIN).ok(),
            _ => None,
        }
    }

    /// The text of a list of codes or characters.
    pub fn list_text(&self, list: Cell) -> Option<String> {
        let (items, rest) = self.heap.list_items(list);
        if rest != Cell::atom(atom::nil) {
            return None;
        }
        items.into_iter().map(|item| self.character_of(item)).collect()
    }

    /// The character that a code or an atom of one character is.
    fn character_of(&self, item: Cell) -> Option<char> {
        match item.tag() {
            Tag::Int => u32::try_from(item.as_int()).ok().and_then(char::from_u32),
            Tag::Atom => {
                let mut chars = self.db.names.text(item.as_atom()).chars();
                chars.next().filter(|_| chars.next().is_none())
            }
            _ => None,
        }
    }

    /// A term as text.
    pub fn written(&self, term: Cell, style: Style<'_>) -> Done<String> {
        self.written_until(term, style, u64::MAX)
    }
    /// A term as text for the output: one that is longer than the output may be is cut somewhere behind that, so that
    /// whoever writes it hears the limit, and nobody waits for what is never written.
    pub fn written_for_output(&self, term: Cell, style: Style<'_>) -> Done<String> {
        self.written_until(term, style, self.control.limits().max_output.unwrap_or(u64::MAX))
    }
    fn written_until(&self, term: Cell, style: Style<'_>, most: u64) -> Done<String> {
        let (names, operators) = (&self.db.names, &self.db.operators);
        self.checked(crate::write::text(&self.heap, names, operators, style, term, most))
    }
    /// A term as text for a message, which shows the beginning of a long one.
    pub fn shortly_written(&self, term: Cell) -> String {
        let (names, operators) = (&self.db.names, &self.db.operators);
        crate::write::beginning(&self.heap, names, operators, Style::QUOTED, term, MESSAGE)
    }

    pub fn atom_cell(&mut self, text: &str) -> Cell {
        match self.heap.meter.ask(text.len() as u64) {
            true => self.db.names.cell(text),
            false => Cell::atom(atom::nil),
        }
    }
    pub fn code_list(&mut self, text: &str) -> Cell {
        if !self.heap.meter.ask(8 * text.len() as u64) {
            return Cell::atom(atom::nil);
        }
        let codes: Vec<Cell> = text.chars().map(|c| Cell::int(c as usize)).collect();
        self.heap.list(&codes)
    }
    pub fn char_list(&mut self, text: &str) -> Cell {
        if !self.heap.meter.ask(8 * text.len() as u64) {
            return Cell::atom(atom::nil);
        }
        let chars: Vec<Cell> = text.chars().map(|c| self.atom_cell(c.encode_utf8(&mut [0; 4]))).collect();
        self.heap.list(&chars)
    }

    /// The number that a text is in Prolog's syntax.
    pub fn parse_number(&mut self, text: &str) -> Option<Cell> {
        let trimmed = text.trim_start();
        if trimmed.ends_with(char::is_whitespace) {
            return None;
        }
        let (negative, digits) = match trimmed.strip_prefix(['-', '+']) {
            Some(rest) => (trimmed.starts_with('-'), rest),
            None => (false, trimmed),
        };
        if !digits.starts_with(|c: char| c.is_ascii_digit()) && !matches!(digits, "inf" | "nan") {
            return None;
        }
        if digits.bytes().all(|b| b.is_ascii_digit()) {
            // Most numbers fit a machine word.
            if let Ok(n) = digits.parse::<i64>() {
                return Some(self.heap.integer(if negative { -n } else { n }));
            }
            let n = crate::big::parse(&self.heap.meter, digits);
            return Some(self.heap.big(&if negative { -n } else { n }));
        }
        // Everything else is read as a term.
        let read = self.reader.read(digits, 0, &self.db.operators, &self.db.flags).ok()?;
        let term = read.term?;
        use gchr_base::logic::LogicNode;
        let sign = if negative { -1.0 } else { 1.0 };
        match read.terms.node(term) {
            LogicNode::Int(n) => Some(self.heap.integer(if negative { -n } else { *n })),
            LogicNode::Big(n) => {
                let n = (**n).clone();
                Some(self.heap.big(&if negative { -n } else { n }))
            }
            LogicNode::Rational(n) => {
                let numerator = if negative { -&n.numerator } else { n.numerator.clone() };
                let number = Number::of_parts(&self.heap.meter, numerator, n.denominator.clone());
                Some(self.heap.push_number(&number))
            }
            LogicNode::Float(x) => Some(self.heap.float(sign * x)),
            _ => None,
        }
    }

    /// An integer argument that must fit a machine word.
    pub fn int_arg(&mut self, index: usize) -> Done<i64> {
        let cell = self.arg(index);
        self.int_value(cell)
    }
    pub fn int_value(&mut self, cell: Cell) -> Done<i64> {
        if cell.is_int() {
            return Ok(cell.as_int());
        }
        Err(self.not_an_integer(cell))
    }
    pub fn not_an_integer(&mut self, cell: Cell) -> Throw {
        if cell.is_var() { self.instantiation_error() } else { self.type_error("integer", cell) }
    }
}
