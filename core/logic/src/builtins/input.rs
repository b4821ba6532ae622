//! Built-in predicates that read from the standard input.

use gchr_base::logic::SyntaxError;

use super::Table;
use crate::cell::Cell;
use crate::machine::{Done, Machine, Throw};
use crate::names::atom;

pub(super) const TABLE: Table = &[
    ("$read", 2, |m| {
        let (term, names) = m.read_input()?;
        Ok(m.unify_arg(0, term) && m.unify_arg(1, names))
    }),
    ("get_char", 1, |m| {
        let c = m.next_char(true)?;
        let cell = m.char_cell(c);
        Ok(m.unify_arg(0, cell))
    }),
    ("peek_char", 1, |m| {
        let c = m.next_char(false)?;
        let cell = m.char_cell(c);
        Ok(m.unify_arg(0, cell))
    }),
    ("$read_line", 1, |m| {
        while !m.input.rest().contains('\n') && m.fill()? {}
        let line = m.input.rest();
        let cell = match line.find('\n') {
            _ if line.is_empty() => Cell::atom(atom::end_of_file),
            end => {
                let whole = line[..end.unwrap_or(line.len())].to_string();
                m.input.at += whole.len() + usize::from(end.is_some());
                m.heap.string(whole.strip_suffix('\r').unwrap_or(&whole))
            }
        };
        Ok(m.unify_arg(0, cell))
    }),
    ("$read_all", 1, |m| {
        while m.fill()? {}
        let text = m.input.rest().to_string();
        m.input.at = m.input.text.len();
        let cell = m.heap.string(&text);
        Ok(m.unify_arg(0, cell))
    }),
];

/// Bytes that are asked for at once: a terminal gives a line.
const CHUNK: usize = 1 << 13;

impl Machine<'_, '_> {
    /// Reads more of the input; whether there was more.
    fn fill(&mut self) -> Done<bool> {
        self.afford(self.input.text.len() / 8 + CHUNK)?;
        self.control.out().flush().map_err(|error| Throw::Stop(Box::new(error.into())))?;
        let input = &mut self.input;
        let Some(source) = &mut input.source else { return Ok(false) };
        let mut bytes = [0; CHUNK];
        let n = source.read(&mut bytes).unwrap_or(0);
        if n == 0 {
            input.source = None;
        }
        input.partial.extend_from_slice(&bytes[..n]);
        let whole = match std::str::from_utf8(&input.partial) {
            Err(error) if error.error_len().is_none() && n > 0 => error.valid_up_to(),
            _ => input.partial.len(),
        };
        let rest = input.partial.split_off(whole);
        input.text.drain(..std::mem::take(&mut input.at));
        input.text += &String::from_utf8_lossy(&std::mem::replace(&mut input.partial, rest));
        Ok(n > 0)
    }

    fn next_char(&mut self, take: bool) -> Done<Option<char>> {
        while self.input.rest().is_empty() && self.fill()? {}
        let c = self.input.rest().chars().next();
        if take {
            self.input.at += c.map_or(0, char::len_utf8);
        }
        Ok(c)
    }

    fn char_cell(&mut self, c: Option<char>) -> Cell {
        match c {
            Some(c) => self.atom_cell(c.encode_utf8(&mut [0; 4])),
            None => Cell::atom(atom::end_of_file),
        }
    }

    /// The next term of the input, up to its full stop, and its named variables.
    fn read_input(&mut self) -> Done<(Cell, Cell)> {
        loop {
            let (operators, flags) = (&self.db.operators, &self.db.flags);
            let read = self.reader.read(&self.input.text, self.input.at, operators, flags);
            let (end, closed) = match &read {
                Ok(read) => (read.end, read.term.is_some()),
                Err(error) => (error.end, true),
            };
            // What reaches to the end of what is known may go on: a full stop wants something behind it.
            if (!closed || end >= self.input.text.len()) && self.fill()? {
                continue;
            }
            let end = end.clamp(self.input.at, self.input.text.len());
            let taken = &self.input.text[self.input.at..end];
            let unfinished = read.is_ok() && closed && !taken.trim_end().ends_with('.');
            self.input.at = end;
            if unfinished {
                return self.term_of(Err(SyntaxError { message: "end_of_file".into(), at: end, end }));
            }
            return self.term_of(read);
        }
    }
}
