//! Programs and terms for the logic machine.

mod blocks;
mod committed;
mod determinism;
mod goals;
mod grammar;
mod program;
mod reader;
mod tables;
mod terms;
mod units;

pub(crate) use program::Builder;
pub use reader::TermReader;
pub(crate) use terms::{Building, Scope};
