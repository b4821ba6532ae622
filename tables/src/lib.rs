//! Tables of typed columns in files: Apache Parquet, Arrow IPC (files and streams) and SQLite databases.
//!
//! Users of this crate see batches of columns ([`Batch`]), never the types of the libraries that decode them. A
//! [`Source`] is opened, says which columns there are, and gives its rows part by part; parts can be read side by side.
//! What is held at a time is a batch for each part that is being read.
//!
//! A [`Table`] is written from batches that it is asked for, on all threads. Between programs in one process, tables
//! are batches of Arrow in memory: [`Source::memory`] and [`record_batches`].

mod arrays;
mod batch;
mod error;
mod guard;
mod ipc;
mod packed;
mod parquet;
mod random_access;
mod source;
mod sqlite;
mod write;

pub use batch::{Batch, Column, Kind, Texts, Value, Values};
pub use error::{CellFault, Error};
pub use packed::unpack_zstd;
pub use source::{Format, Source};
pub use write::{
    Batches, NewDatabase, Table, record_batches, write_arrow, write_arrow_stream, write_parquet,
};
