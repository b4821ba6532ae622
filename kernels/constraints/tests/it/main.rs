//! Rounds on devices: tests from outside the crate, in one binary.

mod compile;
mod generated;
mod rounds;
mod templates;
mod workers;
