//! What is made of runs: profiles of single runs, comparisons of several programs, benchmarks.

pub mod bench;
pub mod compare;
mod format;
mod machine;
mod page;
pub mod plot;
pub mod profile;
mod spread;

pub use machine::Machine;
pub use spread::{Spread, exponent, spread};
