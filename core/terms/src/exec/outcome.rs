//! How a run ends.

use super::normal_form::NormalForm;
use gchr_base::error::RunError;
use gchr_base::stats::Stats;

/// A run that reached a normal form.
#[derive(Debug)]
pub struct Evaluation {
    /// The normal form.
    pub normal_form: NormalForm,
    /// What it cost.
    pub stats: Stats,
}

/// A run that did not.
#[derive(Debug)]
pub struct Stopped {
    /// Why, and where.
    pub error: RunError,
    /// What it cost so far.
    pub stats: Stats,
}
