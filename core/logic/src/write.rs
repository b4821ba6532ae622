//! Text of terms as SWI-Prolog writes them. Works with an explicit stack: terms of any depth can be written. Parts that
//! are shared are written as often as they occur, so that a text may be larger than any disk: writing draws from the
//! meter of the heap, and passes pieces on.

use std::io;

use gchr_base::hash::HashMap;
use gchr_base::logic::{OpDef, Operators};
use gchr_base::value::{is_symbol_char, write_atom, write_escaped, write_float};

use crate::cell::{Atom, BoxKind, Cell, Tag};
use crate::heap::Heap;
use crate::names::{Names, atom};

/// How terms are written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style<'a> {
    pub quoted: bool,
    pub ignore_operators: bool,
    /// `'$VAR'(1)` as `B`.
    pub numbered: bool,
    /// A space behind the commas between arguments and list elements.
    pub spaced: bool,
    /// Names of variables, and of compound terms that hold themselves: these have them within themselves.
    pub names: Option<&'a HashMap<Cell, String>>,
    /// Whether there are such compound terms.
    pub loops: bool,
    pub max: u16,
    /// Levels of terms that are written, and elements of lists: `...` stands for what is deeper. 0 is no limit.
    pub depth: usize,
}

impl Style<'_> {
    pub const PLAIN: Style<'static> = Style {
        quoted: false,
        ignore_operators: false,
        numbered: true,
        spaced: false,
        names: None,
        loops: false,
        max: 1200,
        depth: 0,
    };
    pub const QUOTED: Style<'static> = Style { quoted: true, ..Style::PLAIN };
}

/// What is still to be written.
enum Item {
    Term(Cell, u16),
    /// An operand: an atom that is an operator stands in parentheses there.
    Operand(Cell, u16),
    /// Arguments from a place of the heap on, then `)`.
    Args(usize, usize, bool),
    Tail(Cell),
    Infix(Atom),
    Name(Atom),
    Close(char),
    /// The level of what follows.
    Level(usize),
}

/// Writes terms of a heap.
pub(crate) struct Writer<'a> {
    pub heap: &'a Heap<'a>,
    pub names: &'a Names,
    pub operators: &'a Operators,
    pub style: Style<'a>,
    /// Names of terms that hold themselves.
    own: HashMap<Cell, String>,
    /// The term that is written as it is, whatever its name.
    root: Option<Cell>,
    /// Whether it is known which terms hold themselves.
    is_checked: bool,
    out: String,
    last: char,
    /// Terms around what is written, if their number is limited.
    level: usize,
    /// Where pieces of the text go.
    sink: &'a mut dyn FnMut(&str) -> io::Result<()>,
    /// Why no more is written.
    failed: Option<io::Error>,
}

/// Bytes of a text that are passed on at a time.
const PIECE: usize = 1 << 13;

/// Writes a term piece by piece, up to its end, or to where the meter of the heap or the sink says so.
pub(crate) fn pieces(
    heap: &Heap,
    names: &Names,
    operators: &Operators,
    style: Style<'_>,
    term: Cell,
    sink: &mut dyn FnMut(&str) -> io::Result<()>,
) -> io::Result<()> {
    let mut writer = Writer {
        heap,
        names,
        operators,
        style,
        own: HashMap::default(),
        root: Some(term),
        is_checked: style.loops,
        out: String::new(),
        last: ' ',
        level: 0,
        sink,
        failed: None,
    };
    if !writer.run(term, style.max) {
        writer.cyclic(term);
    }
    writer.pass_on();
    writer.failed.map_or(Ok(()), Err)
}

/// The text of a term; a part of it where the meter of the heap says so, and where it has more than `most` bytes: then
/// it ends somewhere behind them.
pub(crate) fn text(
    heap: &Heap,
    names: &Names,
    operators: &Operators,
    style: Style<'_>,
    term: Cell,
    most: u64,
) -> String {
    let mut text = String::new();
    let mut sink = |piece: &str| {
        // The piece is there twice meanwhile.
        let has_room = heap.meter.ask(piece.len() as u64);
        if has_room {
            text.push_str(piece);
        }
        if has_room && text.len() as u64 <= most { Ok(()) } else { Err(io::ErrorKind::WriteZero.into()) }
    };
    // The sink fails where the text is long enough.
    let _ = pieces(heap, names, operators, style, term, &mut sink);
    text
}

/// The text of a term for a message: what is longer than so many bytes is cut, as `... (cut)` at its end says.
pub(crate) fn beginning(
    heap: &Heap,
    names: &Names,
    operators: &Operators,
    style: Style<'_>,
    term: Cell,
    bytes: usize,
) -> String {
    let mut text = String::new();
    let mut sink = |piece: &str| {
        text.push_str(piece);
        if text.len() > bytes { Err(io::ErrorKind::WriteZero.into()) } else { Ok(()) }
    };
    // The sink fails where the text is long enough.
    let _ = pieces(heap, names, operators, style, term, &mut sink);
    if text.len() > bytes {
        let end = (0..=bytes).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
        text.truncate(end);
        text.push_str("... (cut)");
    }
    text
}

impl Writer<'_> {
    /// Writes a term that holds itself: `S_1@[S_1=f(S_1)]` where `@` is an operator, else `@(S_1,[S_1=f(S_1)])`; or one
    /// of which it had to be found out that it does not.
    fn cyclic(&mut self, term: Cell) {
        let loops = self.heap.compounds(&[term]).1;
        (self.root, self.is_checked) = (None, true);
        self.out.clear();
        self.last = ' ';
        self.own = loops.iter().enumerate().map(|(i, &cell)| (cell, format!("S_{}", i + 1))).collect();
        if loops.is_empty() {
            self.run(term, self.style.max);
            return;
        }
        let operator = self.operators.infix("@").filter(|_| !self.style.ignore_operators);
        let (open, between, close) = if operator.is_some() { ("", "@[", "]") } else { ("@(", ",[", "])") };
        self.raw(open);
        self.run(term, operator.map_or(999, |operator| operator.left()));
        for (i, &cell) in loops.iter().enumerate() {
            self.raw(if i == 0 { between } else { "," });
            let name = self.own[&cell].clone();
            self.raw(&name);
            self.raw("=");
            self.root = Some(cell);
            self.run(cell, 699);
        }
        self.raw(close);
    }

    /// Writes a term; says whether it came to its end.
    fn run(&mut self, term: Cell, max: u16) -> bool {
        let mut pending = vec![Item::Term(term, max)];
        let mut steps = 0_usize;
        while let Some(item) = pending.pop() {
            steps += 1;
            if steps > self.heap.top() + (1 << 12) && !self.is_checked {
                return false;
            }
            // No item adds more than a few.
            if !self.goes_on() || !self.heap.meter.room(&mut pending, 8) {
                break;
            }
            match item {
                Item::Operand(cell, max) => {
                    let cell = self.heap.deref(cell);
                    if cell.is_atom() && self.is_operator(cell.as_atom()) {
                        self.raw("(");
                        self.atom(cell.as_atom());
                        self.raw(")");
                    } else {
                        self.term(cell, max, &mut pending);
                    }
                }
                Item::Term(cell, max) => self.term(self.heap.deref(cell), max, &mut pending),
                Item::Args(_, 0, _) => self.raw(")"),
                Item::Args(place, n, first) => {
                    if !first {
                        self.comma();
                    }
                    pending.push(Item::Args(place + 1, n - 1, false));
                    pending.push(Item::Term(self.heap.cells[place], 999));
                }
                Item::Tail(rest) => self.tail(rest, &mut pending),
                Item::Infix(name) => self.infix_name(name),
                Item::Name(name) => self.atom(name),
                Item::Close(c) => self.raw(c.encode_utf8(&mut [0; 4])),
                Item::Level(level) => self.level = level,
            }
        }
        true
    }

    /// Draws from the meter, and passes on what was written, as soon as it is known that it stays; whether to go on.
    fn goes_on(&mut self) -> bool {
        if self.is_checked && self.out.len() >= PIECE {
            self.pass_on();
        }
        self.heap.meter.spend(1) && self.failed.is_none()
    }

    fn pass_on(&mut self) {
        if self.failed.is_none() {
            self.failed = (self.sink)(&self.out).err();
        }
        self.out.clear();
    }

    /// The name of a term that holds itself, within itself.
    fn name_of(&mut self, cell: Cell) -> Option<String> {
        if self.root == Some(cell) {
            self.root = None;
            return None;
        }
        self.own.get(&cell).or_else(|| self.style.names.filter(|_| self.style.loops)?.get(&cell)).cloned()
    }

    fn comma(&mut self) {
        self.raw(if self.style.spaced { ", " } else { "," });
    }

    fn tail(&mut self, rest: Cell, pending: &mut Vec<Item>) {
        let rest = self.heap.deref(rest);
        if self.style.depth > 0 && rest != Cell::atom(atom::nil) {
            // Each element counts as a level.
            self.level += 1;
            if self.level >= self.style.depth {
                return self.raw("|...]");
            }
        }
        if rest.tag() == Tag::Lst && self.name_of(rest).is_none() {
            self.comma();
            pending.push(Item::Tail(self.heap.cells[rest.place() + 1]));
            pending.push(Item::Term(self.heap.cells[rest.place()], 999));
            return;
        }
        pending.push(Item::Close(']'));
        if rest != Cell::atom(atom::nil) {
            self.raw("|");
            pending.push(Item::Term(rest, 999));
        }
    }

    fn infix_name(&mut self, name: Atom) {
        let text = self.names.text(name).clone();
        match &*text {
            "," => self.comma(),
            "|" => self.raw("|"),
            // Spaces on both sides where the left one is needed, as SWI-Prolog has them: `a mod [b]`, `f(a)mod[b]`.
            _ if text.starts_with(char::is_alphabetic) => {
                let space = if is_word(self.last) { " " } else { "" };
                self.raw(space);
                self.atom(name);
                self.raw(space);
            }
            _ if self.style.depth > 0 && text.starts_with(|c| glues(self.last, c)) => {
                self.raw(" ");
                self.atom(name);
                self.raw(" ");
            }
            _ => self.atom(name),
        }
    }

    fn term(&mut self, cell: Cell, max: u16, pending: &mut Vec<Item>) {
        if self.style.depth > 0 {
            if self.level >= self.style.depth {
                return self.token("...");
            }
            pending.push(Item::Level(self.level));
            self.level += 1;
        }
        match cell.tag() {
            Tag::Ref | Tag::Att => {
                let text = match self.style.names.and_then(|names| names.get(&cell)) {
                    Some(name) => name.clone(),
                    None => format!("_G{}", cell.place()),
                };
                self.token(&text);
            }
            Tag::Int => self.token(&cell.as_int().to_string()),
            Tag::Atom => self.bare_atom(cell.as_atom(), max),
            Tag::Box => match self.heap.box_kind(cell) {
                BoxKind::Float => {
                    let mut text = String::new();
                    let _ = write_float(&mut text, self.heap.float_at(cell));
                    self.token(&text);
                }
                BoxKind::Big => self.token(&crate::big::text(&self.heap.meter, &self.heap.big_at(cell))),
                BoxKind::Rational => {
                    let (meter, n) = (&self.heap.meter, self.heap.rational_at(cell));
                    let (above, below) =
                        (crate::big::text(meter, &n.numerator), crate::big::text(meter, &n.denominator));
                    self.token(&format!("{above}r{below}"));
                }
                BoxKind::Str => {
                    let mut text = self.heap.string_at(cell);
                    if self.style.quoted {
                        let mut quoted = String::from("\"");
                        let _ = write_escaped(&mut quoted, &text, '"');
                        quoted.push('"');
                        text = quoted;
                    }
                    self.token(&text);
                }
            },
            _ => match self.name_of(cell) {
                Some(name) => self.token(&name),
                None => self.compound(cell, max, pending),
            },
        }
    }

    /// An atom as a term: an operator of a high priority stands in parentheses.
    fn bare_atom(&mut self, name: Atom, max: u16) {
        let priority = |op: Option<OpDef>| op.map_or(0, |op| op.priority);
        let text = self.names.text(name);
        let greatest = priority(self.operators.prefix(text))
            .max(priority(self.operators.infix(text)))
            .max(priority(self.operators.postfix(text)));
        if greatest > max && max < 999 {
            self.raw("(");
            self.atom(name);
            self.raw(")");
        } else {
            self.atom(name);
        }
    }

    fn compound(&mut self, cell: Cell, max: u16, pending: &mut Vec<Item>) {
        let (start, n) = self.heap.args(cell);
        if cell.tag() == Tag::Lst {
            self.token("[");
            pending.push(Item::Tail(self.heap.cells[start + 1]));
            pending.push(Item::Term(self.heap.cells[start], 999));
            return;
        }
        let name = self.heap.cells[cell.place()].name();
        let text = self.names.text(name).clone();
        let arg = |i| self.heap.cells[start + i];
        if n == 1 && name == atom::var_ && self.style.numbered {
            let number = self.heap.deref(arg(0));
            if number.is_int() && number.as_int() >= 0 {
                return self.numbered_variable(number.as_int());
            }
        }
        if !self.style.ignore_operators {
            if n == 1 && name == atom::curly {
                self.token("{");
                pending.push(Item::Close('}'));
                pending.push(Item::Term(arg(0), 1200));
                return;
            }
            if n == 2
                && let Some(op) = self.operators.infix(&text)
            {
                self.open(op.priority > max, pending);
                pending.push(Item::Operand(arg(1), self.right_limit(op, arg(1))));
                pending.push(Item::Infix(name));
                pending.push(Item::Operand(arg(0), op.left()));
                return;
            }
            if n == 1
                && let Some(op) = self.operators.prefix(&text)
            {
                self.open(op.priority > max, pending);
                self.atom(name);
                let max = self.right_limit(op, arg(0));
                if self.needs_space(&text, arg(0), max) {
                    self.raw(" ");
                }
                pending.push(Item::Operand(arg(0), max));
                return;
            }
            if n == 1
                && let Some(op) = self.operators.postfix(&text)
            {
                self.open(op.priority > max, pending);
                pending.push(Item::Name(name));
                pending.push(Item::Operand(arg(0), op.left()));
                return;
            }
        }
        self.atom(name);
        self.raw("(");
        pending.push(Item::Args(start, n, true));
    }

    fn open(&mut self, parenthesis: bool, pending: &mut Vec<Item>) {
        if parenthesis {
            pending.push(Item::Close(')'));
            self.raw("(");
        }
    }

    fn numbered_variable(&mut self, n: i64) {
        let letter = char::from(b'A' + (n % 26) as u8);
        let number = if n < 26 { String::new() } else { (n / 26).to_string() };
        self.token(&format!("{letter}{number}"));
    }

    fn atom(&mut self, name: Atom) {
        let text = self.names.text(name).clone();
        if !self.style.quoted || name == atom::nil {
            return self.token(&text);
        }
        let mut quoted = String::with_capacity(text.len());
        match &*text {
            "[]" => quoted.push_str("'[]'"),
            "|" => quoted.push_str("'|'"),
            _ => {
                let _ = write_atom(&mut quoted, &text);
            }
        }
        self.token(&quoted);
    }

    /// A token, kept apart from the one before where both would read as one.
    fn token(&mut self, text: &str) {
        if let Some(first) = text.chars().next()
            && glues(self.last, first)
        {
            self.out.push(' ');
        }
        self.raw(text);
    }

    fn raw(&mut self, text: &str) {
        self.last = text.chars().next_back().unwrap_or(self.last);
        if self.heap.meter.ask(text.len() as u64) {
            self.out.push_str(text);
        }
    }

    fn is_operator(&self, name: Atom) -> bool {
        self.operators.is_operator(self.names.text(name)) && name != atom::nil
    }

    /// The operator that is written behind the first operand of a term, if it has one.
    fn behind_first(&self, name: Atom, count: usize) -> Option<OpDef> {
        let text = self.names.text(name);
        match count {
            1 if self.operators.prefix(text).is_none() => self.operators.postfix(text),
            2 => self.operators.infix(text),
            _ => None,
        }
    }

    /// Greatest priority of a right operand that is written without brackets.
    fn right_limit(&self, op: OpDef, operand: Cell) -> u16 {
        let operand = self.heap.deref(operand);
        let functor = self.heap.functor(operand).filter(|_| operand.tag() != Tag::Lst);
        op.right_of(functor.and_then(|(name, count)| self.behind_first(name, count)).map(OpDef::left))
    }

    /// Whether a prefix operator and its operand need a space between them.
    fn needs_space(&self, name: &str, arg: Cell, max: u16) -> bool {
        let arg = self.heap.deref(arg);
        if self.heap.functor(arg) == Some((atom::curly, 1)) {
            return true;
        }
        name == "-" && self.begins(arg, max, true) || self.begins(arg, max, false)
    }

    /// Whether the text of an operand begins with a number without sign, or else with a parenthesis.
    fn begins(&self, cell: Cell, max: u16, digit: bool) -> bool {
        let (mut cell, mut max) = (self.heap.deref(cell), max);
        // One that holds itself at its left has a name.
        for _ in 0..=self.heap.top() {
            let Some((name, n)) = self.heap.functor(cell).filter(|_| cell.tag() != Tag::Lst) else {
                return digit
                    && match cell.tag() {
                        Tag::Int => cell.as_int() >= 0,
                        Tag::Box => !self.out_of(cell).starts_with(['-', '"']),
                        _ => false,
                    };
            };
            let prefix = || self.operators.prefix(self.names.text(name));
            match (n, self.behind_first(name, n)) {
                (0, _) => return !digit && self.is_operator(name),
                (_, Some(op)) if op.priority <= max => (cell, max) = (self.heap.arg(cell, 0), op.left()),
                (_, Some(_)) => return !digit,
                (1, None) => return !digit && prefix().is_some_and(|op| op.priority > max),
                _ => return false,
            }
        }
        false
    }

    fn out_of(&self, cell: Cell) -> String {
        text(self.heap, self.names, self.operators, Style::QUOTED, cell, u64::MAX)
    }
}

fn is_word(c: char) -> bool {
    (c.is_alphanumeric() || c == '_') && !is_symbol_char(c)
}

fn glues(last: char, first: char) -> bool {
    is_word(last) && is_word(first)
        || is_symbol_char(last) && is_symbol_char(first)
        || last == ',' && first == ','
}
