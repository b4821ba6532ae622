//! Lines of a batch: before and after the work on them.

use gchr_base::stats::Stats;

use crate::diagnostics::Diagnostics;

/// Lines with their numbers.
pub(super) type Chunk = Vec<(u64, Vec<u8>)>;

/// A line of a batch.
#[derive(Debug)]
pub struct BatchLine {
    /// Its number in the input, from 1.
    pub number: u64,
    /// Its normal form as text, or what is wrong with it.
    pub result: Result<String, Diagnostics>,
    /// Rule applications; unknown when a device counted those of many lines together.
    pub rewrites: Option<u64>,
}

/// A line that was worked on, and its part of the statistics.
pub(super) struct WorkedLine {
    pub line: BatchLine,
    pub stats: Stats,
    /// The whole batch ends with it.
    pub last: bool,
}

impl WorkedLine {
    /// A line with its normal form.
    pub fn done(number: u64, text: String, stats: Stats) -> Self {
        let rewrites = Some(stats.rewrites.unwrap_or(0));
        Self { line: BatchLine { number, result: Ok(text), rewrites }, stats, last: false }
    }
}
