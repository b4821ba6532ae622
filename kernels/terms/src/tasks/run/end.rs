//! What a launch ends with.

use gchr_runtime::codegen::DeviceTrap;

use super::capacity::{InUse, Shortage};
use crate::tasks::codegen::{ERROR_VALUES, TERM_ERROR};

/// What a launch ended with.
pub(super) struct End {
    pub stop: u32,
    pub applied: u64,
    pub promotions: u64,
    pub tasks: u64,
    pub spills: u64,
    /// Cells taken less cells given back.
    pub in_use: u64,
    /// Roots of the next launch.
    pub roots: u32,
    /// By class: cells that were there before.
    pub marks: Vec<u64>,
    /// The class that was full; else chunks were.
    pub full: Option<usize>,
    /// Whether it is over for want of memory, of whatever kind.
    pub wants_memory: bool,
    /// By class: cells up to the last one in use.
    pub cells: Vec<u64>,
    /// Chunks up to the last one in use.
    pub chunks: u32,
    pub error: Vec<u32>,
    pub control: Vec<u32>,
}

impl End {
    /// Whether more memory is needed.
    pub fn is_short(&self) -> bool {
        self.wants_memory && !self.failed()
    }
    /// What was full.
    pub fn shortage(&self) -> Shortage {
        Shortage { class: self.full, in_use: InUse { cells: self.cells.clone(), chunks: self.chunks } }
    }
    /// Whether an error was noted.
    pub fn failed(&self) -> bool {
        self.error.first() != Some(&0)
    }
    /// The error.
    pub fn noted(&self) -> Option<DeviceTrap> {
        DeviceTrap::new(&self.error)
    }
    /// Number and values of an error with terms.
    pub fn term_error(&self) -> Option<(usize, Vec<u64>)> {
        let &[noted, number, kind, ..] = self.error.as_slice() else { return None };
        let values = self.error.get(ERROR_VALUES as usize..)?;
        let values = values.chunks_exact(2).map(|w| u64::from(w[0]) | u64::from(w[1]) << 32).collect();
        (noted != 0 && kind == TERM_ERROR).then_some((number as usize, values))
    }
}
