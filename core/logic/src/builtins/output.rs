//! Built-in predicates that write.

use gchr_base::hash::HashMap;

use super::Table;
use super::files::Target;
use crate::cell::Cell;
use crate::machine::{Done, Machine, Throw};
use crate::names::atom;
use crate::write::Style;

type M<'c, 'a> = Machine<'c, 'a>;

pub(super) const TABLE: Table = &[
    ("nl", 0, |m| m.put("\n")),
    ("nl", 1, |m| m.put_to(0, "\n")),
    ("write", 1, |m| m.put_term(None, m.x[0], Style::PLAIN)),
    ("print", 1, |m| m.put_term(None, m.x[0], Style::QUOTED)),
    ("writeln", 1, |m| Ok(m.put_term(None, m.x[0], Style::PLAIN)? && m.put("\n")?)),
    ("writeq", 1, |m| m.put_term(None, m.x[0], Style::QUOTED)),
    ("write_canonical", 1, |m| m.write_canonical(None, 0)),
    ("write", 2, |m| m.put_term(Some(0), m.x[1], Style::PLAIN)),
    ("print", 2, |m| m.put_term(Some(0), m.x[1], Style::QUOTED)),
    ("writeln", 2, |m| Ok(m.put_term(Some(0), m.x[1], Style::PLAIN)? && m.put_to(0, "\n")?)),
    ("writeq", 2, |m| m.put_term(Some(0), m.x[1], Style::QUOTED)),
    ("write_canonical", 2, |m| m.write_canonical(Some(0), 1)),
    ("write_term", 2, |m| m.write_term(None, 0, 1)),
    ("write_term", 3, |m| m.write_term(Some(0), 1, 2)),
    ("tab", 1, |m| {
        let n = m.evaluate(m.x[0])?.to_float().max(0.0) as usize;
        m.put_spaces(None, n)
    }),
    ("tab", 2, |m| {
        let n = m.evaluate(m.x[1])?.to_float().max(0.0) as usize;
        m.put_spaces(Some(0), n)
    }),
    ("put_char", 1, |m| {
        let text = m.character(m.x[0])?;
        m.put(&text)
    }),
    ("put_char", 2, |m| {
        let text = m.character(m.x[1])?;
        m.put_to(0, &text)
    }),
    ("flush_output", 0, |_| Ok(true)),
    ("flush_output", 1, |_| Ok(true)),
    ("ttyflush", 0, |_| Ok(true)),
    ("$keep_output", 0, |m| {
        m.output.kept.push(String::new());
        Ok(true)
    }),
    ("$keeps_output", 0, |m| Ok(!m.output.kept.is_empty())),
    ("$kept_output", 1, |m| {
        let text = m.output.kept.pop().unwrap_or_default();
        let cell = m.heap.string(&text);
        Ok(m.unify_arg(0, cell))
    }),
    ("format", 1, |m| m.format(None, 0, None)),
    ("format", 2, |m| m.format(None, 0, Some(1))),
    ("$format", 3, |m| m.format(Some(0), 1, Some(2))),
    ("$error_text", 2, |m| {
        let text = m.error_text(m.x[0]);
        let cell = m.heap.string(&text);
        Ok(m.unify_arg(1, cell))
    }),
];

impl Machine<'_, '_> {
    /// Writes a text to the current output.
    pub fn put(&mut self, text: &str) -> Done<bool> {
        self.afford(text.len())?;
        if let Some(kept) = self.output.kept.last_mut() {
            kept.push_str(text);
            return Ok(true);
        }
        if let Some(file) = self.files.current() {
            file.push_str(text);
            return Ok(true);
        }
        self.put_to_console(text)
    }

    fn put_to_console(&mut self, text: &str) -> Done<bool> {
        let written = self.output.write(self.control, text);
        written.map(|()| true).map_err(|error| Throw::Stop(Box::new(error.into())))
    }

    /// Writes so many spaces, piece by piece.
    fn put_spaces(&mut self, stream: Option<usize>, mut n: usize) -> Done<bool> {
        const PIECE: &str = "                                                                ";
        while n > 0 {
            let piece = &PIECE[..n.min(PIECE.len())];
            self.put_on(stream, piece)?;
            self.spend(1)?;
            n -= piece.len();
        }
        Ok(true)
    }

    /// Writes a term to the current output, or to the stream that an argument names; to the console piece by piece.
    fn put_term(&mut self, stream: Option<usize>, term: Cell, style: Style<'_>) -> Done<bool> {
        let is_plain = self.output.kept.is_empty() && self.files.current().is_none();
        let to_console = match stream {
            None => is_plain,
            Some(stream) => {
                let stream = self.arg(stream);
                matches!(self.output_stream(stream)?, Target::Console)
            }
        };
        if to_console {
            let Self { heap, db, output, control, .. } = self;
            let mut sink = |piece: &str| output.write(control, piece);
            let written = crate::write::pieces(heap, &db.names, &db.operators, style, term, &mut sink);
            written.map_err(|error| Throw::Stop(Box::new(error.into())))?;
            return self.checked(true);
        }
        let text = self.written(term, style)?;
        self.put_on(stream, &text)
    }

    /// Writes to the current output, or to the stream that an argument names.
    pub(super) fn put_on(&mut self, stream: Option<usize>, text: &str) -> Done<bool> {
        match stream {
            Some(stream) => self.put_to(stream, text),
            None => self.put(text),
        }
    }

    /// Writes to the stream that an argument names.
    pub fn put_to(&mut self, stream: usize, text: &str) -> Done<bool> {
        let stream = self.arg(stream);
        self.afford(text.len())?;
        match self.output_stream(stream)? {
            Target::Errors => {
                if let Some(errors) = &mut self.output.errors {
                    let _ = errors.write_all(text.as_bytes());
                }
            }
            Target::Console => return self.put_to_console(text),
            Target::Kept => return self.put(text),
            Target::File(id) => {
                if let Some(file) = self.files.text(id) {
                    file.push_str(text);
                }
            }
        }
        Ok(true)
    }

    /// Begins a new line of the console, unless one begins already.
    pub fn fresh_line(&mut self) -> Done<bool> {
        if self.output.column == 0 { Ok(true) } else { self.put_to_console("\n") }
    }

    /// Column of the current output.
    pub fn column(&mut self) -> usize {
        let file = self.files.current().map(|text| &*text);
        match self.output.kept.last().or(file) {
            Some(text) => text.rsplit('\n').next().map_or(0, |line| line.chars().count()),
            None => self.output.column,
        }
    }

    /// A term as `write_canonical/1` shows it.
    pub(super) fn canonical_text(&self, term: Cell) -> Done<String> {
        let names = canonical_names(self, term);
        self.written(term, Style { names: Some(&names), ..CANONICAL })
    }

    fn write_canonical(&mut self, stream: Option<usize>, index: usize) -> Done<bool> {
        let term = self.x[index];
        let names = canonical_names(self, term);
        self.put_term(stream, term, Style { names: Some(&names), ..CANONICAL })
    }

    /// The text of one character; a number is its code.
    fn character(&mut self, cell: Cell) -> Done<String> {
        let cell = self.heap.deref(cell);
        let text = match cell.is_int() {
            true => u32::try_from(cell.as_int()).ok().and_then(char::from_u32).map(String::from),
            false => Some(self.text_as(cell, "character")?).filter(|text| text.chars().count() == 1),
        };
        text.ok_or_else(|| self.type_error("character", cell))
    }

    fn write_term(&mut self, stream: Option<usize>, index: usize, options: usize) -> Done<bool> {
        let (style, names, stop) = self.write_options(self.x[options])?;
        self.put_term(stream, self.x[index], Style { names: Some(&names), ..style })?;
        if stop { self.put_on(stream, ".\n") } else { Ok(true) }
    }

    /// A term as `write_term/2` shows it with some options.
    pub(super) fn text_by_options(&mut self, term: Cell, options: Cell) -> Done<String> {
        let (style, names, stop) = self.write_options(options)?;
        let text = self.written(term, Style { names: Some(&names), ..style })?;
        Ok(if stop { text + ".\n" } else { text })
    }

    /// What a list of options says of a term that is written: how, the names of variables, whether a full stop follows.
    fn write_options(&mut self, options: Cell) -> Done<(Style<'static>, HashMap<Cell, String>, bool)> {
        let mut style = Style { numbered: false, ..Style::PLAIN };
        let (mut stop, mut names) = (false, HashMap::default());
        for option in self.proper_list(options)? {
            let Some((name, 1)) = self.heap.functor(option) else { continue };
            let name = self.db.names.text(name).to_string();
            let value = self.heap.arg(option, 0);
            let on = value == Cell::atom(atom::true_);
            if matches!(&*name, "quoted" | "ignore_ops" | "numbervars" | "fullstop") {
                if value.is_var() {
                    return Err(self.instantiation_error());
                }
                if !on && value != Cell::atom(atom::false_) {
                    return Err(self.type_error("bool", value));
                }
            }
            match &*name {
                "quoted" => style.quoted = on,
                "ignore_ops" => style.ignore_operators = on,
                "numbervars" => style.numbered = on,
                "fullstop" => stop = on,
                "max_depth" => style.depth = self.int_value(value)?.max(0) as usize,
                "priority" => style.max = self.int_value(value)? as u16,
                "spacing" => {
                    style.spaced = value.is_atom() && &**self.db.names.text(value.as_atom()) != "standard"
                }
                "variable_names" => {
                    for pair in self.proper_list(value)? {
                        if let Some((name, variable)) = self.heap.binary(pair, atom::equal)
                            && let Some(text) = self.text_of(name)
                        {
                            names.insert(variable, text);
                        }
                    }
                }
                _ => {}
            }
        }
        Ok((style, names, stop))
    }
}

/// How `write_canonical/1` writes.
const CANONICAL: Style<'static> = Style { numbered: false, ignore_operators: true, ..Style::QUOTED };

/// Names `A`, `B`, ... of variables that occur several times, `_` of others.
fn canonical_names(m: &M<'_, '_>, term: Cell) -> HashMap<Cell, String> {
    let mut names = HashMap::default();
    let mut number = 0;
    for (variable, often) in m.heap.occurrences(term) {
        if !often {
            names.insert(variable, "_".to_string());
            continue;
        }
        let letter = char::from(b'A' + (number % 26) as u8);
        let suffix = if number < 26 { String::new() } else { (number / 26).to_string() };
        names.insert(variable, format!("{letter}{suffix}"));
        number += 1;
    }
    names
}
