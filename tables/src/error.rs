//! Why a table cannot be read.

use std::fmt::{self, Display};
use std::io;

use ::parquet::errors::ParquetError;
use arrow_schema::ArrowError;
use gchr_base::error::StopReason;

/// Why a table cannot be read.
#[derive(Debug)]
pub enum Error {
    /// The system, or the database, does not let it be read.
    Io(io::Error),
    /// It is not what its format asks for.
    Damaged(String),
    /// A column has a type of which there are no constants.
    Type {
        /// Zero-based.
        column: usize,
        /// Its name.
        name: String,
        /// The type, as the format calls it.
        ty: String,
    },
    /// A database without the table that was asked for.
    NoTable {
        /// What was asked for.
        wanted: String,
        /// The tables that it has.
        known: Vec<String>,
    },
    /// A value that cannot be taken.
    Cell {
        /// Zero-based.
        row: u64,
        /// Zero-based.
        column: usize,
        /// What is wrong with it.
        fault: CellFault,
    },
    /// The memory that may be taken does not suffice.
    Memory(StopReason),
}

/// What is wrong with a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CellFault {
    /// There is none.
    Null,
    /// An integer of more than 64 bits with the sign, or a float that is not finite.
    Range(String),
    /// Of a type of which there are no constants.
    Type(&'static str),
    /// A text that is not UTF-8.
    Encoding,
}

impl Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Io(error) => error.fmt(f),
            Error::Damaged(why) => f.write_str(why),
            Error::Type { column, name, ty } => write!(f, "column {} ({name}) is of type {ty}", column + 1),
            Error::NoTable { wanted, .. } => write!(f, "there is no table {wanted}"),
            Error::Cell { row, column, fault } => {
                write!(f, "row {}, column {}: {fault:?}", row + 1, column + 1)
            }
            Error::Memory(reason) => write!(f, "{}", reason.to_diagnostic().message),
        }
    }
}

impl std::error::Error for Error {}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Error::Damaged("it ends too early".into()),
            _ => Error::Io(error),
        }
    }
}

impl From<ParquetError> for Error {
    fn from(error: ParquetError) -> Self {
        Error::Damaged(error.to_string())
    }
}

impl From<ArrowError> for Error {
    fn from(error: ArrowError) -> Self {
        match error {
            ArrowError::IoError(_, error) => error.into(),
            other => Error::Damaged(other.to_string()),
        }
    }
}
