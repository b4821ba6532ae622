//! SQLite databases that are written.

use std::io;
use std::path::Path;

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ToSql, params_from_iter};

use super::{Table, wrong_kind};
use crate::{Column, Kind, Values};

/// Rows of a batch: between two of them a limit can end the writing.
const ROWS: usize = 1 << 13;

/// A database that gets its tables.
pub struct NewDatabase(Connection);

impl NewDatabase {
    /// Makes a database of an empty file, which has its own name when it is complete: so there is no journal.
    pub fn create(path: &Path) -> io::Result<Self> {
        let connection = Connection::open(path).map_err(failed)?;
        let alone =
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; BEGIN";
        connection.execute_batch(alone).map_err(failed)?;
        Ok(Self(connection))
    }

    /// Adds a table. `check` hears after each batch how many bytes the database has, and may end the writing.
    pub fn add(
        &mut self,
        name: &str,
        table: &Table<'_>,
        check: &mut dyn FnMut(u64) -> io::Result<()>,
    ) -> io::Result<()> {
        let columns = table.columns.iter().map(declaration).collect::<io::Result<Vec<_>>>()?;
        let name = quoted(name);
        self.0.execute_batch(&format!("CREATE TABLE {name} ({})", columns.join(", "))).map_err(failed)?;
        let marks = vec!["?"; columns.len()].join(", ");
        let mut insert = self.0.prepare(&format!("INSERT INTO {name} VALUES ({marks})")).map_err(failed)?;
        for range in table.ranges(ROWS) {
            let rows = range.len();
            let columns: Vec<Filled> =
                (table.batch)(range)?.into_iter().map(Filled::of).collect::<io::Result<_>>()?;
            for row in 0..rows {
                insert
                    .execute(params_from_iter(columns.iter().map(|column| column.at(row))))
                    .map_err(failed)?;
            }
            check(self.bytes()?)?;
        }
        Ok(())
    }

    /// Stores what was added.
    pub fn finish(self) -> io::Result<()> {
        self.0.execute_batch("COMMIT").map_err(failed)?;
        self.0.close().map_err(|(_, error)| failed(error))
    }

    fn bytes(&self) -> io::Result<u64> {
        let number = |text: &str| self.0.query_row(text, [], |row| row.get::<_, u32>(0)).map_err(failed);
        Ok(u64::from(number("PRAGMA page_count")?) * u64::from(number("PRAGMA page_size")?))
    }
}

fn declaration(column: &Column) -> io::Result<String> {
    let ty = match column.kind {
        Kind::Int | Kind::Bool => "INTEGER NOT NULL",
        // SQLite stores one that is not a number as none: that is an error here.
        Kind::Float => "REAL NOT NULL",
        Kind::Text => "TEXT NOT NULL",
        Kind::Mixed => return Err(wrong_kind()),
    };
    Ok(format!("{} {ty}", quoted(&column.name)))
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn failed(error: rusqlite::Error) -> io::Error {
    io::Error::other(error)
}

/// Values of a column by row.
enum Filled {
    Plain(Values),
    Text { names: Vec<Box<str>>, keys: Option<Vec<usize>> },
}

/// One of them.
enum Cell<'a> {
    Int(i64),
    Float(f64),
    Text(&'a str),
}

impl Filled {
    fn of(values: Values) -> io::Result<Self> {
        let texts = match values {
            Values::Text(texts) => texts,
            Values::Mixed(_) => return Err(wrong_kind()),
            numbers => return Ok(Filled::Plain(numbers)),
        };
        let (texts, keys) = match texts.dictionary() {
            Some((names, keys)) => (names, Some(keys)),
            None => (texts, None),
        };
        let mut names = Vec::with_capacity(texts.len());
        texts.try_each::<io::Error>(|text| {
            names.push(text.into());
            Ok(())
        })?;
        Ok(Filled::Text { names, keys })
    }

    fn at(&self, row: usize) -> Cell<'_> {
        match self {
            Filled::Plain(Values::Int(values)) => Cell::Int(values[row]),
            Filled::Plain(Values::Float(values)) => Cell::Float(values[row]),
            Filled::Plain(Values::Bool(values)) => Cell::Int(i64::from(values[row])),
            Filled::Plain(_) => Cell::Text(""),
            Filled::Text { names, keys } => Cell::Text(&names[keys.as_ref().map_or(row, |keys| keys[row])]),
        }
    }
}

impl ToSql for Cell<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Cell::Int(n) => ValueRef::Integer(*n),
            Cell::Float(x) => ValueRef::Real(*x),
            Cell::Text(text) => ValueRef::Text(text.as_bytes()),
        }))
    }
}
