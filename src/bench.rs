//! Benchmarks: the papers' tables, other systems on the same problems, and growth, with machine, spread and comparison to earlier runs.

mod machine;

pub use machine::Machine;
