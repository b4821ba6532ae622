//! Tables of SQLite databases. Each value has a type of its own there.

use std::io;
use std::path::Path;
use std::time::Duration;

use gchr_base::reading::Account;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::parquet::no_room;
use crate::random_access::RandomAccess;
use crate::{Batch, CellFault, Column, Error, Kind, Value, Values, guard};

/// Rows of a batch, and bytes of its texts after which it is given at once.
const ROWS: usize = 1 << 13;
const BYTES: usize = 1 << 22;

/// Bytes before the first page's content.
const HEADER: usize = 100;

/// How long another process may keep the database to itself.
const PATIENCE: Duration = Duration::from_secs(2);

/// An open database and a table of it.
pub struct Database {
    connection: Connection,
    table: String,
    columns: Vec<Column>,
}

impl Database {
    /// Opens a database, which is this file, for a table.
    pub fn open(path: &Path, file: &RandomAccess, table: &str) -> Result<Self, Error> {
        check_length(file)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags).map_err(failed)?;
        connection.busy_timeout(PATIENCE).map_err(failed)?;
        // What a foreign database has in views and triggers is not trusted, and damage is looked for.
        connection
            .execute_batch("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;")
            .map_err(failed)?;
        let known = tables(&connection).map_err(failed)?;
        if !known.iter().any(|name| name == table) {
            return Err(Error::NoTable { wanted: table.into(), known });
        }
        // Names of columns are taken to be UTF-8 by the library.
        let columns = guard::decode(|| {
            let statement = connection.prepare(&all_of(table)).map_err(failed)?;
            let names = statement.column_names();
            Ok(names.map(|name| Column { name: name.into(), kind: Kind::Mixed }).collect())
        })?;
        Ok(Self { connection, table: table.into(), columns })
    }

    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    pub fn read<E: From<Error>>(
        &mut self,
        account: &Account,
        take: &mut dyn FnMut(Batch) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut statement = self.connection.prepare(&all_of(&self.table)).map_err(failed)?;
        let mut rows = statement.query([]).map_err(failed)?;
        let mut batch = Filling::new(self.columns.len());
        while let Some(row) = rows.next().map_err(failed)? {
            let number = batch.first + batch.rows as u64;
            for (column, values) in batch.columns.iter_mut().enumerate() {
                let found = value(row.get_ref(column).map_err(failed)?);
                let found = found.map_err(|fault| Error::Cell { row: number, column, fault })?;
                batch.bytes += size_of::<Value>();
                if let Value::Text(text) = &found {
                    batch.bytes += text.len();
                }
                values.push(found);
            }
            batch.rows += 1;
            if batch.rows == ROWS || batch.bytes > BYTES {
                batch.give(account, take)?;
            }
        }
        batch.give(account, take)
    }
}

/// A batch that is being filled.
struct Filling {
    first: u64,
    rows: usize,
    columns: Vec<Vec<Value>>,
    bytes: usize,
}

impl Filling {
    fn new(columns: usize) -> Self {
        Self { first: 0, rows: 0, columns: vec![Vec::new(); columns], bytes: 0 }
    }

    fn give<E: From<Error>>(
        &mut self,
        account: &Account,
        take: &mut dyn FnMut(Batch) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.rows == 0 {
            return Ok(());
        }
        let columns = self.columns.iter_mut().map(|values| Values::Mixed(std::mem::take(values))).collect();
        let batch = Batch { first: self.first, rows: self.rows, columns };
        self.first += std::mem::take(&mut self.rows) as u64;
        let bytes = std::mem::take(&mut self.bytes) as u64;
        let fits = account.take(bytes);
        let taken = if fits { take(batch) } else { Err(no_room(account).into()) };
        account.give(bytes);
        taken
    }
}

fn value(found: ValueRef<'_>) -> Result<Value, CellFault> {
    match found {
        ValueRef::Null => Err(CellFault::Null),
        ValueRef::Integer(n) => Ok(Value::Int(n)),
        ValueRef::Real(x) if x.is_finite() => Ok(Value::Float(x)),
        ValueRef::Real(x) => Err(CellFault::Range(x.to_string())),
        ValueRef::Text(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Value::Text(text.into())),
            Err(_) => Err(CellFault::Encoding),
        },
        ValueRef::Blob(_) => Err(CellFault::Type("bytes (BLOB)")),
    }
}

/// Whether a file has all the pages that its header counts: SQLite takes those that are cut off for empty ones.
fn check_length(file: &RandomAccess) -> Result<(), Error> {
    let mut header = [0; HEADER];
    let no_header = |_| Error::Damaged("it does not begin as an SQLite database does".into());
    file.read_exact_at(&mut header, 0).map_err(no_header)?;
    let page = match u16::from_be_bytes([header[16], header[17]]) {
        1 => 1 << 16,
        size => u64::from(size),
    };
    let pages = u64::from(u32::from_be_bytes([header[28], header[29], header[30], header[31]]));
    match file.length() >= page * pages {
        true => Ok(()),
        false => {
            Err(Error::Damaged(format!("it ends too early: there should be {pages} pages of {page} bytes")))
        }
    }
}

/// Tables and views, by name, without those of SQLite itself.
fn tables(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare(
        "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' \
         ORDER BY name",
    )?;
    statement.query_map([], |row| row.get(0))?.collect()
}

fn all_of(table: &str) -> String {
    format!("SELECT * FROM \"{}\"", table.replace('"', "\"\""))
}

/// What SQLite says, by what a user can do about it.
fn failed(error: rusqlite::Error) -> Error {
    let said = error.to_string();
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            Error::Io(io::Error::new(io::ErrorKind::ResourceBusy, "another process has locked the database"))
        }
        Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied | ErrorCode::SystemIoFailure) => {
            Error::Io(io::Error::other(said))
        }
        _ => Error::Damaged(said),
    }
}
