//! Streams of a program: what it reads and writes.

mod files;
mod input;
mod output;

pub(crate) use files::{Files, Stream};
pub(crate) use input::Input;
pub(crate) use output::Output;
