//! The checker: tests from outside the crate, in one binary.

mod kernels;
mod random;
