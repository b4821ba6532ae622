//! JSON form of results, written as a stream: a result of any size and depth takes no memory of its own.
//!
//! Arguments are written so that `--facts` reads the same values back: an atom is a JSON string, a string is one only
//! in a column that is declared to hold strings, elsewhere `{"string": "text"}`.

use std::io::{self, Write};

use gchr_base::escape;
use gchr_base::ids::IdVec;
use gchr_base::signature::{ConstraintId, Signature, SortKind};
use gchr_base::stats::Stats;
use gchr_base::value::Value;
use gchr_constraints::exec::{Frame, Row, Store};

use super::answer::{Answer, Counts, Left, Sizes};
use super::selection::Selection;

pub(super) fn write(
    answer: &Answer,
    signature: &Signature,
    selection: &Selection,
    stats: &Stats,
    out: &mut impl Write,
) -> io::Result<()> {
    let out = &mut escape::json(out);
    match answer {
        Answer::NormalForm(term) => {
            out.write_all(b"{\"normal_form\": \"")?;
            term.write_text(&mut Escaped(out))?;
            out.write_all(b"\"")?;
        }
        Answer::Store(store) => {
            out.write_all(b"{\"store\": ")?;
            write_store(store, signature, selection, out)?;
        }
        Answer::Sizes(sizes) => {
            out.write_all(b"{\"sizes\": ")?;
            write_counts(selected(sizes, signature, selection), out)?;
        }
        Answer::Logic(found) => super::logic::write_json(found, selection, out)?,
    }
    write_end(stats, out)
}

/// How many there are of each constraint: `{"sizes": {"path/2": 3}, "stats": {...}}`.
pub(super) fn write_sizes(sizes: &Sizes, stats: &Stats, out: &mut impl Write) -> io::Result<()> {
    let out = &mut escape::json(out);
    out.write_all(b"{\"sizes\": ")?;
    let one = |counts: &Counts, out: &mut _| {
        write_counts(counts.iter().map(|(name, arity, count)| (&name[..], *arity, *count as u64)), out)
    };
    match sizes {
        Sizes::Total(counts) => one(counts, out)?,
        Sizes::ByAnswer(all) => {
            out.write_all(b"[")?;
            for (i, counts) in all.iter().enumerate() {
                out.write_all(if i > 0 { b", " } else { b"" })?;
                one(counts, out)?;
            }
            out.write_all(b"]")?;
        }
    }
    write_end(stats, out)
}

/// How many there are of each constraint, with name and number of arguments, as an object.
fn write_counts<'a>(
    counts: impl Iterator<Item = (&'a str, usize, u64)>,
    out: &mut impl Write,
) -> io::Result<()> {
    out.write_all(b"{")?;
    for (i, (name, arity, count)) in counts.enumerate() {
        out.write_all(if i > 0 { b", " } else { b"" })?;
        serde_json::to_writer(&mut *out, &format!("{name}/{arity}"))?;
        write!(out, ": {count}")?;
    }
    out.write_all(b"}")
}

/// Those that are selected.
fn selected<'a>(
    sizes: &'a IdVec<ConstraintId, u64>,
    signature: &'a Signature,
    selection: &'a Selection,
) -> impl Iterator<Item = (&'a str, usize, u64)> {
    selection.of(signature).map(|id| {
        let constraint = &signature.constraints[id];
        (&constraint.name[..], constraint.columns.len(), sizes[id])
    })
}

/// The normal form, each constraint, or each answer as an object on a line of its own.
pub(super) fn write_lines(
    answer: &Answer,
    signature: &Signature,
    selection: &Selection,
    out: &mut impl Write,
) -> io::Result<()> {
    match answer {
        Answer::NormalForm(term) => {
            let out = &mut escape::json(out);
            out.write_all(b"{\"normal_form\": \"")?;
            term.write_text(&mut Escaped(out))?;
            out.write_all(b"\"}\n")
        }
        Answer::Store(store) => {
            selection.of(signature).try_for_each(|id| write_table(store, signature, id, true, out))
        }
        Answer::Sizes(sizes) => {
            let out = &mut escape::json(out);
            write_counts(selected(sizes, signature, selection), out)?;
            out.write_all(b"\n")
        }
        Answer::Logic(found) => {
            let out = &mut escape::json(out);
            found.answers.iter().try_for_each(|answer| super::logic::write_line(answer, selection, out))
        }
    }
}

/// The constraints of one symbol, an object on each line; without names: an array of arguments.
pub(super) fn write_table(
    store: &Store,
    signature: &Signature,
    id: ConstraintId,
    named: bool,
    out: &mut impl Write,
) -> io::Result<()> {
    let strings = are_strings(signature, id);
    let name = serde_json::to_string(&signature.constraints[id].name)?;
    let mut start = Vec::new();
    if named {
        write!(escape::json(&mut start), "{{\"constraint\": {name}, \"args\": ")?;
    }
    let start = String::from_utf8(start).map_err(io::Error::other)?;
    let end = if named { "}\n" } else { "\n" };
    let (opened, closed) = (format!("{start}["), format!("]{end}"));
    let frame = Frame { start: &opened, separator: ", ", end: &closed };
    store.rows_in_parts(signature, id).try_for_each(|rows| {
        let rows = rows?;
        if rows.write_integers(&frame, out)? {
            return Ok(());
        }
        rows.write_lines(out, |range, out| {
            for row in rows.range(range) {
                out.write_all(start.as_bytes())?;
                write_args(row, &strings, &mut escape::json(&mut *out))?;
                out.write_all(end.as_bytes())?;
            }
            Ok(())
        })
    })
}

/// Whether the type of each column of a constraint says that its texts are strings.
fn are_strings(signature: &Signature, id: ConstraintId) -> Vec<bool> {
    let columns = signature.constraints[id].columns.iter();
    columns.map(|column| column.declared && signature.kind(column.sort) == SortKind::Str).collect()
}

fn write_args(row: Row<'_>, are_strings: &[bool], out: &mut impl Write) -> io::Result<()> {
    out.write_all(b"[")?;
    for (i, (value, is_string)) in row.values().zip(are_strings).enumerate() {
        out.write_all(if i > 0 { b", " } else { b"" })?;
        match value {
            Value::Str(text) if *is_string => serde_json::to_writer(&mut *out, text)?,
            value => write_value(value, out)?,
        }
    }
    out.write_all(b"]")
}

/// The store of a run that stopped, and why.
pub(super) fn write_left(
    why: &str,
    left: &Left,
    signature: &Signature,
    selection: &Selection,
    stats: &Stats,
    out: &mut impl Write,
) -> io::Result<()> {
    let out = &mut escape::json(out);
    out.write_all(b"{\"stopped\": ")?;
    serde_json::to_writer(&mut *out, why)?;
    let key = if matches!(left, Left::Terms(_)) { "partial_results" } else { "partial_store" };
    write!(out, ", \"{key}\": ")?;
    match left {
        Left::Terms(results) => serde_json::to_writer(&mut *out, &results.texts().collect::<Vec<_>>())?,
        Left::Store(store) => write_store(store, signature, selection, out)?,
        Left::Logic(answer) => super::logic::write_store(answer, selection, "\n", out)?,
        Left::Untold(_) => out.write_all(b"null")?,
    }
    write_end(stats, out)
}

fn write_end(stats: &Stats, out: &mut impl Write) -> io::Result<()> {
    out.write_all(b", \"stats\": ")?;
    serde_json::to_writer(&mut *out, stats)?;
    out.write_all(b"}\n")
}

fn write_store(
    store: &Store,
    signature: &Signature,
    selection: &Selection,
    out: &mut impl Write,
) -> io::Result<()> {
    out.write_all(b"[")?;
    let mut separator = "";
    for id in selection.of(signature) {
        let (name, strings) =
            (serde_json::to_string(&signature.constraints[id].name)?, are_strings(signature, id));
        for rows in store.rows_in_parts(signature, id) {
            for row in rows?.iter() {
                write!(out, "{separator}\n{{\"constraint\": {name}, \"args\": ")?;
                write_args(row, &strings, out)?;
                out.write_all(b"}")?;
                separator = ",";
            }
        }
    }
    out.write_all(b"]")
}

/// What is still to be written of a value: no recursion, since compound terms have any depth.
enum Todo<'a> {
    Value(Value<'a>),
    /// The elements of a list that follow one that is written.
    Elements(Value<'a>),
    /// The rest of a list that is known not to end in `[]`: it is not searched again for its end.
    Improper(Value<'a>),
    Text(&'static str),
}

pub(crate) fn write_value(value: Value<'_>, out: &mut impl Write) -> io::Result<()> {
    let mut todo = vec![Todo::Value(value)];
    while let Some(next) = todo.pop() {
        let (value, list) = match next {
            Todo::Text(text) => {
                out.write_all(text.as_bytes())?;
                continue;
            }
            Todo::Elements(rest) => {
                match rest.as_list_cell() {
                    Some((element, rest)) => {
                        out.write_all(b", ")?;
                        todo.extend([Todo::Elements(rest), Todo::Value(element)]);
                    }
                    None => out.write_all(b"]")?,
                }
                continue;
            }
            Todo::Value(value) => (value, value.as_list_cell().filter(|&(_, rest)| is_list(rest))),
            Todo::Improper(value) => (value, None),
        };
        match (value, list) {
            (_, Some((element, rest))) => {
                out.write_all(b"[")?;
                todo.extend([Todo::Elements(rest), Todo::Value(element)]);
            }
            (Value::Int(n), None) => write!(out, "{n}")?,
            (Value::Float(x), None) => serde_json::to_writer(&mut *out, &x)?,
            (Value::Atom("[]"), None) => out.write_all(b"[]")?,
            (Value::Atom(text), None) => serde_json::to_writer(&mut *out, text)?,
            (Value::Str(text), None) => super::logic::write_string(text, out)?,
            (Value::Compound { name, args }, None) => {
                out.write_all(b"{\"functor\": ")?;
                serde_json::to_writer(&mut *out, name)?;
                out.write_all(b", \"args\": [")?;
                let rest_of_list = value.as_list_cell().is_some().then_some(1);
                let items = args.iter().enumerate().map(|(i, arg)| match rest_of_list {
                    Some(at) if at == i => Todo::Improper(arg),
                    _ => Todo::Value(arg),
                });
                push_items(items, "]}", &mut todo);
            }
        }
    }
    Ok(())
}

/// Items with commas between them, and what closes them.
fn push_items<'a>(
    items: impl DoubleEndedIterator<Item = Todo<'a>> + ExactSizeIterator,
    close: &'static str,
    todo: &mut Vec<Todo<'a>>,
) {
    todo.push(Todo::Text(close));
    for (i, item) in items.enumerate().rev() {
        todo.push(item);
        if i > 0 {
            todo.push(Todo::Text(", "));
        }
    }
}

/// Whether a value is a list that ends in `[]`.
fn is_list(mut value: Value<'_>) -> bool {
    while let Some((_, rest)) = value.as_list_cell() {
        value = rest;
    }
    matches!(value, Value::Atom("[]"))
}

/// Writes the inside of a JSON string.
struct Escaped<'a, W>(&'a mut W);

impl<W: Write> Write for Escaped<'_, W> {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        let special = |b: u8| b == b'"' || b == b'\\' || b < 0x20;
        let mut rest = text;
        while let Some(at) = rest.iter().position(|&b| special(b)) {
            self.0.write_all(&rest[..at])?;
            match rest[at] {
                b @ (b'"' | b'\\') => self.0.write_all(&[b'\\', b])?,
                b => write!(self.0, "\\u{b:04x}")?,
            }
            rest = &rest[at + 1..];
        }
        self.0.write_all(rest)?;
        Ok(text.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_like_a_json_library() {
        let all: String = (0..0x180).filter_map(char::from_u32).collect();
        let mut out = vec![b'"'];
        Escaped(&mut out).write_all(all.as_bytes()).unwrap();
        out.push(b'"');
        assert_eq!(serde_json::from_slice::<String>(&out).unwrap(), all);
    }
}
