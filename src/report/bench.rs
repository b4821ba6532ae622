//! Benchmarks: the papers' tables, other systems on the same problems, and growth, with machine, spread and comparison
//! to earlier runs.
//!
//! Each kind gives a [`Report`], which prints as a table, is kept as JSON, and is compared with an earlier one by
//! [`Report::against`].

mod against;
mod auto;
mod papers;
mod peers;
mod process;
mod programs;
mod report;
mod scale;
mod settings;

pub use against::{Change, Changes};
pub use auto::auto;
pub use papers::papers;
pub use peers::peers;
pub use programs::{Benchmark, CONSTRAINTS, TERMS};
pub use report::{Entry, Report};
pub use scale::{recording, scale};
pub use settings::Settings;
