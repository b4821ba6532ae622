//! How a run ends.

use std::num::NonZeroUsize;

use super::normal_form::NormalForm;
use gchr_base::error::RunError;
use gchr_base::stats::Stats;

/// A run that reached a normal form.
#[derive(Debug)]
pub struct Evaluation {
    /// The normal form.
    pub normal_form: NormalForm,
    /// What it cost; its cells are not counted.
    pub stats: Stats,
}

impl Evaluation {
    /// With the number of cells that the normal form reaches: that takes as long as to go through all of them.
    #[must_use]
    pub fn counted(mut self) -> Self {
        self.stats.live_cells = Some(self.normal_form.count_cells(NonZeroUsize::MIN));
        self
    }
}

/// A run that did not.
#[derive(Debug)]
pub struct Stopped {
    /// Why, and where.
    pub error: RunError,
    /// What it cost so far.
    pub stats: Stats,
}
