//! CSV and TSV forms of a store: one constraint a line, its name and its arguments, no header. So the place of a value
//! never depends on what else the store holds. A file of one constraint has no names.
//!
//! Fields are written piece by piece: shared parts of a value can make it larger than any memory.

use std::fmt::{self, Display, Write as _};
use std::io::{self, Write};

use gchr_base::signature::{ConstraintId, Signature};
use gchr_constraints::exec::{Frame, Store};

use super::answer::{Numbered, Sizes};
use super::selection::Selection;

/// Bytes of a field that are held to see whether it needs quotes; a longer one has them.
const HELD: usize = 1 << 16;

/// The only field of a constraint without arguments in a file of its own.
const PRESENT: &str = "true";

/// How rows are written.
#[derive(Clone, Copy)]
pub(super) struct Style {
    /// What stands between fields.
    pub delimiter: u8,
    /// Whether the first field is the name of the constraint.
    pub named: bool,
}

/// Commas or tabs, with names.
pub(super) const CSV: Style = Style { delimiter: b',', named: true };
pub(super) const TSV: Style = Style { delimiter: b'\t', named: true };

/// The selected constraints of a store.
pub(super) fn write(
    store: &Store,
    signature: &Signature,
    selection: &Selection,
    style: Style,
    out: &mut impl Write,
) -> io::Result<()> {
    selection.of(signature).try_for_each(|id| write_table(store, signature, id, style, out))
}

/// The constraints of one symbol.
pub(super) fn write_table(
    store: &Store,
    signature: &Signature,
    id: ConstraintId,
    style: Style,
    out: &mut impl Write,
) -> io::Result<()> {
    let name = &signature.constraints[id].name;
    let is_present = !style.named && signature.constraints[id].columns.is_empty();
    let delimiter = char::from(style.delimiter).to_string();
    let mut start = Vec::new();
    if style.named {
        let mut line = Lines::new(style.delimiter, &mut start);
        line.field(name)?;
        line.put_held()?;
        start.extend_from_slice(delimiter.as_bytes());
    }
    let start = String::from_utf8(start).map_err(io::Error::other)?;
    let frame = Frame { start: &start, separator: &delimiter, end: "\n" };
    store.rows_in_parts(signature, id).try_for_each(|rows| {
        let rows = rows?;
        if rows.write_integers(&frame, out)? {
            return Ok(());
        }
        rows.write_lines(out, |range, mut out| {
            let mut lines = Lines::new(style.delimiter, &mut out);
            for row in rows.range(range) {
                if style.named {
                    lines.field(name)?;
                }
                for value in row.values() {
                    lines.field(value.plain())?;
                }
                if is_present {
                    lines.field(PRESENT)?;
                }
                lines.end()?;
            }
            Ok(())
        })
    })
}

/// Counts by constraint: the answer if they are of several, name, number of arguments, how many.
pub(super) fn write_sizes(sizes: &Sizes, style: Style, out: &mut impl Write) -> io::Result<()> {
    let mut lines = Lines::new(style.delimiter, out);
    for (number, (name, arity, count)) in sizes.numbered() {
        number.map_or(Ok(()), |number| lines.field(number))?;
        lines.field(name)?;
        lines.field(arity)?;
        lines.field(count)?;
        lines.end()?;
    }
    Ok(())
}

/// The selected constraints of answers of the logic machine, behind the number of the answer if it has one.
pub(super) fn write_logic<'a>(
    answers: impl IntoIterator<Item = Numbered<'a>>,
    selection: &Selection,
    style: Style,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut lines = Lines::new(style.delimiter, out);
    for (number, answer) in answers {
        for row in answer.text.rows.iter().filter(|row| selection.has_row(row)) {
            number.map_or(Ok(()), |number| lines.field(number))?;
            let from = usize::from(!style.named);
            row[from..].iter().try_for_each(|field| lines.field(field))?;
            if row.len() == from {
                lines.field(PRESENT)?;
            }
            lines.end()?;
        }
    }
    Ok(())
}

/// Writes fields. A field is held back until it is complete, or long.
struct Lines<'a, W> {
    delimiter: u8,
    out: &'a mut W,
    held: String,
    /// The field is too long to be held: it is written, in quotes.
    is_open: bool,
    fields: usize,
    error: Option<io::Error>,
}

impl<'a, W: Write> Lines<'a, W> {
    fn new(delimiter: u8, out: &'a mut W) -> Self {
        Self { delimiter, out, held: String::new(), is_open: false, fields: 0, error: None }
    }

    fn field(&mut self, value: impl Display) -> io::Result<()> {
        if self.fields > 0 {
            self.put_held()?;
            self.out.write_all(&[self.delimiter])?;
        }
        self.fields += 1;
        let written = write!(self, "{value}");
        match self.error.take() {
            Some(error) => Err(error),
            None => written.map_err(io::Error::other),
        }
    }

    /// Ends a line. One without any text would be passed over by readers: it has an empty field.
    fn end(&mut self) -> io::Result<()> {
        let is_empty = self.fields <= 1 && !self.is_open && self.held.is_empty();
        self.put_held()?;
        self.fields = 0;
        self.out.write_all(if is_empty { b"\"\"\n" } else { b"\n" })
    }

    /// Ends a field.
    fn put_held(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.is_open) {
            return self.out.write_all(b"\"");
        }
        let held = std::mem::take(&mut self.held);
        // A reader takes a byte order mark at the start of a file for none of the text.
        if held.contains([char::from(self.delimiter), '"', '\n', '\r', '\u{feff}']) {
            self.out.write_all(b"\"")?;
            self.put_quoted(&held)?;
            self.out.write_all(b"\"")?;
        } else {
            self.out.write_all(held.as_bytes())?;
        }
        self.held = held;
        self.held.clear();
        Ok(())
    }

    /// The inside of a field in quotes.
    fn put_quoted(&mut self, text: &str) -> io::Result<()> {
        let mut pieces = text.split('"');
        self.out.write_all(pieces.next().unwrap_or("").as_bytes())?;
        pieces.try_for_each(|piece| {
            self.out.write_all(b"\"\"")?;
            self.out.write_all(piece.as_bytes())
        })
    }

    fn put(&mut self, text: &str) -> io::Result<()> {
        if self.is_open {
            return self.put_quoted(text);
        }
        self.held.push_str(text);
        if self.held.len() > HELD {
            let held = std::mem::take(&mut self.held);
            self.is_open = true;
            self.out.write_all(b"\"")?;
            self.put_quoted(&held)?;
        }
        Ok(())
    }
}

impl<W: Write> fmt::Write for Lines<'_, W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.put(text).map_err(|error| {
            self.error = Some(error);
            fmt::Error
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(lines: &[&[&str]]) -> Vec<u8> {
        let mut out = Vec::new();
        let mut writer = Lines::new(b',', &mut out);
        for line in lines {
            line.iter().for_each(|field| writer.field(field).unwrap());
            writer.end().unwrap();
        }
        out
    }

    /// A reader of another hand reads what was written, however long the fields are; short ones have quotes only where
    /// they must.
    #[test]
    fn a_csv_library_reads_it_back() {
        let long = |text: &str| text.repeat(HELD / text.len() + 1);
        let (plain, quotes, breaks) = (long("a"), long("\"b\","), long("line\r\n"));
        let lines: [&[&str]; 7] = [
            &["1", "x y", "-2.5"],
            &["a,b", "say \"no\"", "two\nlines", "\r"],
            &["", "", ""],
            &["only"],
            &[&plain, &quotes, &breaks],
            &["", &plain],
            &["é→", "\"\"", ","],
        ];
        let text = written(&lines);
        let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(&text[..]);
        let read: Vec<Vec<String>> =
            reader.records().map(|record| record.unwrap().iter().map(String::from).collect()).collect();
        assert_eq!(read, lines);
        assert!(text.starts_with(b"1,x y,-2.5\n\"a,b\","), "{:.40}", String::from_utf8_lossy(&text));
        assert_eq!(written(&[&[], &[""], &["", ""]]), b"\"\"\n\"\"\n,\n");
    }
}
