//! Rounds on devices: tests from outside the crate, in one binary.

mod compile;
mod rounds;
mod templates;
