//! The micro-SIMD machine: tests from outside the crate, in one binary.

mod everywhere;
