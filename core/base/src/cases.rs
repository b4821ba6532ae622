//! Which values patterns cover: by the matrix of patterns of rules, and by the symbols that values can start with.
//!
//! The questions are exact, hence expensive in the worst case; an [`Effort`] bounds them.

mod matrix;
mod values;

use std::cell::Cell;

pub use matrix::{Example, Matrix, Question, RootTest};
pub use values::Values;

/// Steps that questions may still take.
pub struct Effort(Cell<u64>);

impl Effort {
    /// So many steps.
    pub fn new(steps: u64) -> Self {
        Self(Cell::new(steps))
    }

    /// Takes so many steps; false when there are not enough left.
    pub fn spend(&self, steps: usize) -> bool {
        let left = self.0.get().checked_sub(steps as u64);
        self.0.set(left.unwrap_or(0));
        left.is_some()
    }

    /// How many are left.
    pub fn left(&self) -> u64 {
        self.0.get()
    }

    /// Whether there are none left.
    pub fn exhausted(&self) -> bool {
        self.0.get() == 0
    }
}
