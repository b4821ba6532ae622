//! The result of a comparison.

use serde::Serialize;

use super::growth::Growth;
use super::plan::Row;
use crate::report::machine::Machine;

/// Rows that were measured, and what follows from them.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// What the problem is called.
    pub title: String,
    /// The command line, if it was one.
    pub command: Option<String>,
    /// The machine.
    pub machine: Machine,
    /// Timed runs of each cell.
    pub repeats: usize,
    /// By size, then by program, then by variant.
    pub rows: Vec<Row>,
    /// By program and variant, when there are several sizes.
    pub growth: Vec<Growth>,
}
