//! Core of gchr: signature, rule IR, plan, CPU execution, statistics and diagnostics. Knows no syntax and no GPU.
//!
//! The order of use: a frontend makes a [`rule::Program`]; `plan` compiles it; `exec` runs the plan under a
//! [`control::Control`] and returns a result with [`stats::Stats`], or an [`error::RunError`].

pub mod control;
pub mod diagnostic;
pub mod error;
pub mod exec;
pub mod facts;
pub mod hash;
pub mod ids;
pub mod op;
pub mod plan;
pub mod profile;
pub mod rule;
pub mod signature;
pub mod source;
pub mod stats;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod value;
