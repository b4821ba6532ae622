//! Monotone replacements: the value of a constraint is replaced by the best of what its rule computes.

pub(crate) mod execute;
mod matrix;
pub(super) mod recognise;
