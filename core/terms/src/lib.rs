//! Term rewriting: [`plan`] compiles rules to decision trees and steps that every backend executes, [`exec`] runs them
//! on the processor.
//!
//! The order of use: a frontend makes a [`gchr_base::rule::Program`]; [`plan::compile`] compiles it; [`exec`] runs the
//! plan under a [`gchr_base::control::Control`] and returns a normal form, or a [`gchr_base::error::RunError`].

pub mod derivation;
pub mod exec;
pub mod plan;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
