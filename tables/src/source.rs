//! Tables that are open for reading, of any format, or in memory.

use std::io::Read;
use std::path::Path;
use std::sync::Mutex;

use arrow_array::RecordBatch;
use arrow_schema::Schema;
use gchr_base::reading::Account;

use crate::guard;
use crate::ipc::{IpcFile, IpcStream};
use crate::parquet::ParquetFile;
use crate::random_access::RandomAccess;
use crate::sqlite::Database;
use crate::{Batch, Column, Error, arrays};

/// The format of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Apache Parquet.
    Parquet,
    /// An Arrow IPC file.
    Arrow,
    /// An Arrow IPC stream.
    ArrowStream,
    /// A table of an SQLite database.
    Sqlite,
}

/// A table that is open for reading.
pub struct Source(Inner);

enum Inner {
    Parquet(ParquetFile),
    Arrow(Mutex<IpcFile>),
    ArrowStream(Mutex<IpcStream>),
    Sqlite(Mutex<Database>),
    Memory(Batches),
}

/// Batches that are in memory.
struct Batches {
    columns: Vec<Column>,
    batches: Vec<RecordBatch>,
    /// For each its first row.
    firsts: Vec<u64>,
}

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Source").field("columns", &self.columns()).finish_non_exhaustive()
    }
}

impl Source {
    /// Opens a file; of a database the table of that name.
    pub fn open(path: &Path, format: Format, table: &str) -> Result<Self, Error> {
        if std::fs::metadata(path)?.is_dir() {
            return Err(Error::Io(std::io::Error::other("it is a folder")));
        }
        Ok(Self(match format {
            Format::Parquet => Inner::Parquet(ParquetFile::open(filled(path)?)?),
            Format::Arrow => Inner::Arrow(Mutex::new(IpcFile::open(filled(path)?)?)),
            Format::ArrowStream => return Self::stream(std::io::BufReader::new(std::fs::File::open(path)?)),
            Format::Sqlite => Inner::Sqlite(Mutex::new(Database::open(path, &filled(path)?, table)?)),
        }))
    }

    /// Batches of columns that another program has in memory.
    pub fn memory(schema: &Schema, batches: Vec<RecordBatch>) -> Result<Self, Error> {
        let columns = arrays::columns(schema)?;
        let mut rows = 0;
        let firsts = batches.iter().map(|batch| {
            let first = rows;
            rows += batch.num_rows() as u64;
            first
        });
        let firsts = firsts.collect();
        Ok(Self(Inner::Memory(Batches { columns, batches, firsts })))
    }

    /// Reads an Arrow IPC stream.
    pub fn stream(input: impl Read + Send + 'static) -> Result<Self, Error> {
        Ok(Self(Inner::ArrowStream(Mutex::new(IpcStream::open(Box::new(input))?))))
    }

    /// The columns in their order.
    pub fn columns(&self) -> Vec<Column> {
        match &self.0 {
            Inner::Parquet(file) => file.columns().to_vec(),
            Inner::Arrow(file) => lock(file).columns().to_vec(),
            Inner::ArrowStream(stream) => lock(stream).columns().to_vec(),
            Inner::Sqlite(database) => lock(database).columns().to_vec(),
            Inner::Memory(table) => table.columns.clone(),
        }
    }

    /// Parts that can be read side by side. Their rows follow each other.
    pub fn parts(&self) -> usize {
        match &self.0 {
            Inner::Parquet(file) => file.parts(),
            Inner::Memory(table) => table.batches.len(),
            Inner::Arrow(_) | Inner::ArrowStream(_) | Inner::Sqlite(_) => 1,
        }
    }

    /// Gives the batches of a part in their order, until `take` fails. A batch is counted in `account` while it is
    /// taken. A part can be read once.
    pub fn read<E: From<Error>>(
        &self,
        part: usize,
        account: &Account,
        mut take: impl FnMut(Batch) -> Result<(), E>,
    ) -> Result<(), E> {
        match &self.0 {
            Inner::Parquet(file) => file.read(part, account, &mut take),
            Inner::Arrow(file) => lock(file).read(account, &mut take),
            Inner::ArrowStream(stream) => lock(stream).read(account, &mut take),
            Inner::Sqlite(database) => lock(database).read(account, &mut take),
            Inner::Memory(table) => {
                let (batch, first) = (&table.batches[part], table.firsts[part]);
                take(guard::decode(|| arrays::batch(batch, first))?)
            }
        }
    }
}

fn lock<T>(held: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    held.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// A file with something in it.
fn filled(path: &Path) -> Result<RandomAccess, Error> {
    let file = RandomAccess::open(path)?;
    if file.length() == 0 { Err(Error::Damaged("it is empty".into())) } else { Ok(file) }
}
