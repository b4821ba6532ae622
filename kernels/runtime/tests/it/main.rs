//! Templates that schedulers share: tests from outside the crate, in one binary.

mod grid_barrier;
mod power;
mod templates;
