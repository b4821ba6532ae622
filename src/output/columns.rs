//! Constraints as batches of typed columns, for the formats that have them.
//!
//! What a column holds follows from the program alone: integers, floats, or texts, which also stand for values of any
//! other type, as CSV has them. Arguments have no names: the columns are `arg1`, `arg2` and so on. A constraint without
//! arguments has one column, `present`, which is true.

use std::fmt::{self, Write as _};
use std::io::{self, Write};
use std::ops::Range;

use gchr_base::hash::HashMap;
use gchr_base::memory;
use gchr_base::signature::SortKind;
use gchr_base::value::Value;
use gchr_constraints::exec::Rows;
use gchr_tables::{Batches, Column, Kind, Table, Texts, Values};

use super::table_format::TableFormat;

/// Writes a table in a format that is not one of lines.
pub(super) fn write(table: &Table<'_>, format: TableFormat, out: &mut (impl Write + Send)) -> io::Result<()> {
    match format {
        TableFormat::Parquet => gchr_tables::write_parquet(table, out),
        TableFormat::Arrow => gchr_tables::write_arrow(table, out),
        TableFormat::ArrowStream => gchr_tables::write_arrow_stream(table, out),
        TableFormat::Csv | TableFormat::Tsv | TableFormat::JsonLines => {
            Err(io::Error::other("a format of lines"))
        }
    }
}

/// Lends the rows of a store as a table.
pub(super) fn of_store<T>(rows: &Rows<'_>, take: impl FnOnce(&Table<'_>) -> T) -> T {
    let kinds = rows.kinds();
    let batch = |range: Range<usize>| {
        if kinds.is_empty() {
            return Ok(vec![Values::Bool(vec![true; range.len()])]);
        }
        (0..kinds.len()).map(|column| values(rows, column, range.clone())).collect()
    };
    let batch: &Batches<'_> = &batch;
    take(&Table { columns: columns(kinds.iter().map(kind)), rows: rows.len(), batch })
}

/// Lends a table without rows.
pub(super) fn of_nothing<T>(
    kinds: impl IntoIterator<Item = SortKind>,
    take: impl FnOnce(&Table<'_>) -> T,
) -> T {
    let batch: &Batches<'_> = &|_| Ok(Vec::new());
    take(&Table { columns: columns(kinds.into_iter().map(|own| kind(&own))), rows: 0, batch })
}

/// What the values of a column of a kind are.
fn kind(kind: &SortKind) -> Kind {
    match kind {
        SortKind::Int => Kind::Int,
        SortKind::Float => Kind::Float,
        SortKind::Atom | SortKind::Str | SortKind::Data | SortKind::Any => Kind::Text,
    }
}

/// Lends constraints of the logic machine as a table; each row begins with the name of its constraint. `answers` has
/// the number of the answer that each row is of, which is the first column, `answer`.
pub(super) fn of_logic<T>(
    rows: &[&[String]],
    arity: usize,
    answers: Option<&Vec<i64>>,
    take: impl FnOnce(&Table<'_>) -> T,
) -> T {
    let batch = |range: Range<usize>| {
        let numbers = answers.map(|answers| Ok(Values::Int(answers[range.clone()].to_vec())));
        if arity == 0 {
            return numbers.into_iter().chain([Ok(Values::Bool(vec![true; range.len()]))]).collect();
        }
        let column = |column: usize| {
            let mut texts = TextColumn::default();
            rows[range.clone()].iter().try_for_each(|row| texts.push_text(&row[1 + column]))?;
            texts.finish()
        };
        numbers.into_iter().chain((0..arity).map(column)).collect()
    };
    let batch: &Batches<'_> = &batch;
    let number = answers.map(|_| Column { name: "answer".into(), kind: Kind::Int });
    let columns = number.into_iter().chain(columns(vec![Kind::Text; arity])).collect();
    take(&Table { columns, rows: rows.len(), batch })
}

fn columns(kinds: impl IntoIterator<Item = Kind>) -> Vec<Column> {
    let named = |(at, kind)| Column { name: format!("arg{}", at + 1), kind };
    let columns: Vec<Column> = kinds.into_iter().enumerate().map(named).collect();
    match columns.is_empty() {
        true => vec![Column { name: "present".into(), kind: Kind::Bool }],
        false => columns,
    }
}

/// Some rows of a column.
fn values(rows: &Rows<'_>, column: usize, range: Range<usize>) -> io::Result<Values> {
    let words = rows.words(column, range);
    let kind = rows.kinds()[column];
    match kind {
        SortKind::Int => Ok(Values::Int(words.map(u64::cast_signed).collect())),
        SortKind::Float => Ok(Values::Float(words.map(f64::from_bits).collect())),
        SortKind::Atom | SortKind::Str => {
            let (mut texts, mut known) = (TextColumn::default(), HashMap::<u64, i32>::default());
            for word in words {
                if let Some(&key) = known.get(&word) {
                    texts.keys.push(key);
                    continue;
                }
                if let Value::Atom(text) | Value::Str(text) = rows.terms().value(kind, word) {
                    texts.push_text(text)?;
                    known.insert(word, texts.next - 1);
                }
            }
            texts.finish()
        }
        SortKind::Data | SortKind::Any => {
            let mut texts = TextColumn::default();
            for word in words {
                texts.push(rows.terms().value(kind, word))?;
            }
            texts.finish()
        }
    }
}

/// Bytes of texts between two looks at the memory.
const LOOK: usize = 1 << 16;

/// Texts of a column that are being collected: shared parts of a value can make its text larger than any memory.
#[derive(Default)]
struct TextColumn {
    text: String,
    /// Where each text ends.
    ends: Vec<usize>,
    keys: Vec<i32>,
    next: i32,
    unseen: usize,
    error: Option<io::Error>,
}

impl TextColumn {
    fn push(&mut self, value: Value<'_>) -> io::Result<()> {
        match write!(self, "{}", value.plain()) {
            Ok(()) => self.end(),
            Err(error) => Err(self.error.take().unwrap_or_else(|| io::Error::other(error))),
        }
    }

    fn push_text(&mut self, text: &str) -> io::Result<()> {
        self.add(text)?;
        self.end()
    }

    fn add(&mut self, text: &str) -> io::Result<()> {
        self.unseen += text.len();
        if self.unseen > LOOK {
            self.unseen = 0;
            // It doubles as it grows, and its parts are copied once more.
            let more = 3 * (self.text.len() + text.len()) as u64;
            memory::ask(more).map_err(|shortage| shortage.of("the texts of a column"))?;
        }
        self.text.push_str(text);
        Ok(())
    }

    fn end(&mut self) -> io::Result<()> {
        self.ends.push(self.text.len());
        self.keys.push(self.next);
        self.next += 1;
        Ok(())
    }

    fn finish(self) -> io::Result<Values> {
        let mut from = 0;
        let names = self.ends.iter().map(|&end| &self.text[std::mem::replace(&mut from, end)..end]);
        Ok(Values::Text(Texts::of_dictionary(names, self.keys).map_err(io::Error::other)?))
    }
}

impl fmt::Write for TextColumn {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.add(text).map_err(|error| {
            self.error = Some(error);
            fmt::Error
        })
    }
}
