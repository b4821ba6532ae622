//! Facts from files whose columns have types: Parquet, Arrow and SQLite. Columns go by their place; a value is never
//! taken for one of another type, but an integer for a float.
//!
//! Only batches of rows are held beside the facts. The first value that cannot be taken ends the reading of its part.
//! [`values`] puts values of a batch into columns of facts.

mod values;

use std::path::Path;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::error::StopReason;
use gchr_base::reading::{self, Account};
use gchr_tables::{Batch, Column, Error, Format, Kind, Source};
use rayon::prelude::*;

use super::cell::{Cells, Want};
use super::report;
use values::{Wrong, extend, first_shape};

/// What is read.
pub(super) struct TypedTable<'a> {
    /// What it is called in messages: the file.
    pub path: &'a Path,
    /// Its format; none in memory.
    pub format: Option<Format>,
    /// The constraint with its number of arguments.
    pub label: &'a str,
    pub wants: &'a [Want],
}

/// What ends the reading.
enum Stop {
    Source(Error),
    Cell {
        row: u64,
        column: usize,
        fault: Wrong,
    },
    /// A column that holds values of another type than is wanted.
    Column(usize),
    Memory(StopReason),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Stop::Source(error)
    }
}

impl TypedTable<'_> {
    /// The columns and the number of rows of a file; of a database, of a table of it.
    pub fn read_file(
        &self,
        format: Format,
        table: &str,
        account: &Account,
    ) -> Result<(Vec<Cells>, usize), Box<Diagnostic>> {
        let source = self.open(format, table).map_err(|error| self.describe(Stop::Source(error), &[]))?;
        self.read(&source, account)
    }

    /// The columns and the number of rows.
    pub fn read(&self, source: &Source, account: &Account) -> Result<(Vec<Cells>, usize), Box<Diagnostic>> {
        let columns = source.columns();
        self.check(&columns)?;
        let parts = (0..source.parts()).into_par_iter();
        let parts: Vec<Result<Part, Stop>> =
            parts.map(|part| self.part(source, part, &columns, account)).collect();
        let mut all: Option<Part> = None;
        for part in parts {
            let part = part.map_err(|stop| self.describe(stop, &columns))?;
            all = Some(match all {
                None => part,
                Some(before) => before.with(part).map_err(|stop| self.describe(stop, &columns))?,
            });
        }
        let all = all.unwrap_or_else(|| Part::new(&columns, self.wants));
        let shapes = self.wants.iter().map(Want::shape);
        let cells = all.columns.into_iter().zip(shapes);
        Ok((cells.map(|(cells, shape)| cells.unwrap_or(Cells::new(shape))).collect(), all.rows))
    }

    fn open(&self, format: Format, table: &str) -> Result<Source, Error> {
        if reading::is_stdin(self.path) {
            return Source::stream(std::io::BufReader::new(std::io::stdin()));
        }
        Source::open(self.path, format, table)
    }

    /// Whether the columns of the file can be those of the constraint.
    fn check(&self, columns: &[Column]) -> Result<(), Box<Diagnostic>> {
        if columns.len() != self.wants.len() {
            let (found, path) = (columns.len(), self.path.display());
            let s = if found == 1 { "" } else { "s" };
            let message = format!("{path} has {found} column{s}, {} needs {}", self.label, self.wants.len());
            let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
            let found = Diagnostic::error("C0604", message)
                .note(format!("its columns are {}", names.join(", ")))
                .help("write a file with one column for each argument, in their order");
            return Err(Box::new(report::of_present(found, self.wants)));
        }
        Ok(())
    }

    fn part(
        &self,
        source: &Source,
        part: usize,
        columns: &[Column],
        account: &Account,
    ) -> Result<Part, Stop> {
        let mut found = Part::new(columns, self.wants);
        let mut counted = 0;
        source.read(part, account, |batch| {
            found.take(&batch, self.wants)?;
            let bytes = found.bytes();
            let more = bytes.saturating_sub(std::mem::replace(&mut counted, bytes));
            let reason = || account.reason(format!("the rows of {}", self.path.display()));
            if account.take(more) { Ok(()) } else { Err(Stop::Memory(reason())) }
        })?;
        Ok(found)
    }

    /// Why a table cannot be opened.
    pub fn unopened(&self, error: Error) -> Box<Diagnostic> {
        self.describe(Stop::Source(error), &[])
    }

    fn describe(&self, stop: Stop, columns: &[Column]) -> Box<Diagnostic> {
        let path = self.path.display();
        Box::new(match stop {
            Stop::Memory(reason) => reason.to_diagnostic(),
            Stop::Cell { row, column, fault } => self.cell(row, column, fault, columns),
            Stop::Column(at) => {
                let (column, want) = (&columns[at], &self.wants[at]);
                let place = format!("{path}, column {} ({})", at + 1, column.name);
                let message = format!("{place} holds {}, not {}", plural(column.kind), want.name());
                report::of_present(wrong_type(message, self.label), self.wants)
            }
            Stop::Source(Error::Cell { row, column, fault }) => self.cell(row, column, fault.into(), columns),
            Stop::Source(Error::Memory(reason)) => reason.to_diagnostic(),
            Stop::Source(Error::Io(error)) => report::unreadable(self.path, error),
            Stop::Source(Error::Damaged(why)) => {
                Diagnostic::error("C0615", format!("{path} is no complete {}", name(self.format)))
                    .note(why)
                    .help("write it again; --facts-format says what a file is whose ending does not tell")
            }
            Stop::Source(Error::Type { column, name, ty }) => {
                let message = format!("{path}, column {} ({name}) holds values of type {ty}", column + 1);
                Diagnostic::error("C0605", message)
                    .note("arguments are integers, floats, texts and truth values")
                    .help("convert the column to one of these where the file is written")
            }
            Stop::Source(Error::NoTable { wanted, known }) => {
                let message = format!("{path} has no table {wanted}");
                let known = match known.is_empty() {
                    true => "it has no tables".to_string(),
                    false => format!("its tables are {}", known.join(", ")),
                };
                Diagnostic::error("C0616", message)
                    .note(known)
                    .help(format!("name the table behind the file: {path}:TABLE"))
            }
        })
    }

    fn cell(&self, row: u64, column: usize, wrong: Wrong, columns: &[Column]) -> Diagnostic {
        let name = columns.get(column).map_or("", |column| column.name.as_str());
        let place = format!("{}, row {}, column {} ({name})", self.path.display(), row + 1, column + 1);
        let label = self.label;
        match wrong {
            Wrong::Null => Diagnostic::error("C0614", format!("{place} has no value (null)"))
                .note("a constraint has a value in each of its arguments")
                .help("leave such rows out, or give them a value, where the file is written"),
            Wrong::Range(shown) => Diagnostic::error("C0606", format!("{place}: {shown} is out of range"))
                .note("integers have 64 bits with the sign, floats must be finite")
                .help("leave such rows out, or write the column as text"),
            Wrong::Inexact(n) => Diagnostic::error("C0606", format!("{place}: no float is {n}"))
                .note("floats have every integer up to 2^53, and only some of the larger ones")
                .help("declare the column int, or make it one of floats where the table is written"),
            Wrong::Negative(shown) => Diagnostic::error("C0610", format!("{place}: {shown} is below zero"))
                .note(format!("the column of {label} is declared natural or dense_int"))
                .help("correct the value, or declare the column int"),
            Wrong::Encoding => Diagnostic::error("C0607", format!("{place}: the text is not UTF-8"))
                .help("convert the texts of the file to UTF-8"),
            Wrong::Type(shown) => {
                let want = self.wants.get(column);
                let what = match want {
                    Some(want) if *want != Want::Infer => format!("is not {}", want.name()),
                    _ => "is of another type than the values above it".to_string(),
                };
                report::of_present(wrong_type(format!("{place}: {shown} {what}"), label), self.wants)
            }
        }
    }
}

fn wrong_type(message: String, label: &str) -> Diagnostic {
    Diagnostic::error("C0605", message)
        .note("values keep the types that the file gives them, and those of an undeclared column are all numbers or all texts")
        .help(format!("convert the column where the file is written, or declare the column of {label} with another type"))
}

/// A format, for messages.
fn name(format: Option<Format>) -> &'static str {
    match format {
        Some(Format::Parquet) => "Parquet file",
        Some(Format::Arrow) => "Arrow IPC file",
        Some(Format::ArrowStream) => "Arrow IPC stream",
        Some(Format::Sqlite) => "SQLite database",
        None => "table",
    }
}

fn plural(kind: Kind) -> &'static str {
    match kind {
        Kind::Int => "integers",
        Kind::Float => "floats",
        Kind::Bool => "truth values",
        Kind::Text => "texts",
        Kind::Mixed => "values of several types",
    }
}

/// Rows that follow each other.
struct Part {
    /// Nothing for a column of which no value has said yet what it holds.
    columns: Vec<Option<Cells>>,
    rows: usize,
    /// The first column that holds values of another type than is wanted, which is no fault where it holds none.
    unfit: Option<usize>,
}

impl Part {
    fn new(columns: &[Column], wants: &[Want]) -> Self {
        let cells = |(column, want): (&Column, &Want)| first_shape(column.kind, want).map(Cells::new);
        let is_unfit = |(column, want): (&Column, &Want)| {
            column.kind != Kind::Mixed && first_shape(column.kind, want).is_none()
        };
        let unfit = columns.iter().zip(wants).position(is_unfit);
        Self { columns: columns.iter().zip(wants).map(cells).collect(), rows: 0, unfit }
    }

    fn bytes(&self) -> u64 {
        self.columns.iter().flatten().map(Cells::bytes).sum()
    }

    fn take(&mut self, batch: &Batch, wants: &[Want]) -> Result<(), Stop> {
        if batch.rows == 0 {
            return Ok(());
        }
        if let Some(column) = self.unfit {
            return Err(Stop::Column(column));
        }
        for (column, ((cells, values), want)) in
            self.columns.iter_mut().zip(&batch.columns).zip(wants).enumerate()
        {
            extend(cells, values, want).map_err(|(row, fault)| Stop::Cell {
                row: batch.first + row as u64,
                column,
                fault,
            })?;
        }
        self.rows += batch.rows;
        Ok(())
    }

    /// With the rows of the next part behind its own. Only a column of a database has no shape at first, and a database
    /// is one part.
    fn with(mut self, next: Part) -> Result<Part, Stop> {
        self.rows += next.rows;
        for (cells, more) in self.columns.iter_mut().zip(next.columns) {
            match (cells, more) {
                (Some(cells), Some(more)) => cells.append(more),
                (cells @ None, more) => *cells = more,
                (Some(_), None) => {}
            }
        }
        Ok(self)
    }
}
