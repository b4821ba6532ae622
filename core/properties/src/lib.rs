//! Properties of term programs that can be shown without running them: confluence, termination, completeness.
//!
//! A term program is taken as a rewrite system: its rules without their order. Each analysis gives a verdict with what
//! it rests on, as data; "not shown" is a verdict as well, and none is ever guessed. [`confluence()`] looks at critical
//! pairs, [`termination()`] at dependency pairs, [`completeness()`] at the patterns of each function. All work is
//! bounded: what is not decided within the bounds is not shown, and a [`Watch`] stops each of them early.

mod completeness;
mod confluence;
mod rewrite;
mod system;
mod termination;
mod terms;
mod work;

pub use completeness::{Cases, Completeness, FunctionCases, completeness};
pub use confluence::{Confluence, Joining, Overlap, Reason, Side, Verdict, confluence};
pub use rewrite::Step;
pub use system::Outside;
pub use termination::{Argument, Component, DependencyPair, Interpretation, Order, Termination, termination};

use gchr_base::watch::Watch;
