//! What is made of runs: profiles of single runs, comparisons of several programs, benchmarks.

pub mod bench;
pub mod compare;
mod machine;
pub mod profile;

pub use machine::Machine;
