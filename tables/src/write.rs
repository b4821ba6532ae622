//! Tables that are written. Batches are made and encoded on all threads and written in their order: at a time there is
//! one batch or row group for each thread in memory.

mod arrow;
mod database;
mod parquet;

use std::io;
use std::ops::Range;

use ::parquet::errors::ParquetError;
use arrow_schema::ArrowError;

use crate::{Column, Values};

pub use arrow::{record_batches, write_arrow, write_arrow_stream};
pub use database::NewDatabase;
pub use parquet::write_parquet;

/// A table that is to be written.
pub struct Table<'a> {
    /// Its columns, at least one; none of them of several types.
    pub columns: Vec<Column>,
    /// How many rows it has.
    pub rows: usize,
    /// Gives the values of some rows, for each column those of its kind. It is asked by several threads.
    pub batch: &'a Batches<'a>,
}

/// What makes the values of some rows.
pub type Batches<'a> = dyn Fn(Range<usize>) -> io::Result<Vec<Values>> + Sync + 'a;

/// Rows of a batch.
const ROWS: usize = 1 << 16;

impl Table<'_> {
    /// The rows in ranges of `size`.
    fn ranges(&self, size: usize) -> Vec<Range<usize>> {
        (0..self.rows).step_by(size).map(|from| from..(from + size).min(self.rows)).collect()
    }
}

/// A value that is not of its column's kind.
fn wrong_kind() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "a value is not of the kind of its column")
}

/// What the library says, or what the writer below it said.
fn of_arrow(error: ArrowError) -> io::Error {
    match error {
        ArrowError::IoError(_, error) => error,
        other => io::Error::other(other),
    }
}

fn of_parquet(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(other) => io::Error::other(other),
        },
        other => io::Error::other(other),
    }
}
