//! Programs and terms for the logic machine.

mod goals;
mod grammar;
mod program;
mod reader;
mod terms;

pub(crate) use program::{Builder, predicates};
pub use reader::TermReader;
