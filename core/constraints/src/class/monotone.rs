//! Monotone tables: rounds only add to them.

pub(super) mod recognise;

pub use recognise::Monotone;
