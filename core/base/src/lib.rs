//! What all of gchr speaks in: sources and diagnostics, signature and rule IR, operators, values and facts, limits and
//! errors of a run, statistics and recordings. Knows no syntax, no plans and no devices.

pub mod cases;
pub mod control;
pub mod derivation;
pub mod diagnostic;
pub mod error;
pub mod escape;
pub mod facts;
pub mod graph;
pub mod hash;
pub mod ids;
pub mod limit;
pub mod limited;
pub mod logic;
pub mod memory;
pub mod names;
pub mod notation;
pub mod op;
pub mod ordered;
pub mod profile;
pub mod reading;
pub mod rule;
pub mod scoped;
pub mod signature;
mod sort;
pub mod source;
pub mod stack;
pub mod stats;
pub mod stop;
pub mod strategy;
pub mod suggest;
pub mod units;
pub mod value;
pub mod watch;
