//! Constraint programs from their text to their store: tests from outside the crate, in one binary.

mod arithmetic;
mod checkpoints;
mod differences;
mod facts;
mod growth;
mod language;
mod places;
mod stops;
mod support;
mod terms;
mod types;
mod workers;
