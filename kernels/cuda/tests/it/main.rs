//! The CUDA runtime: tests from outside the crate, in one binary.

mod absence;
mod counters;
mod cuda_text;
mod gpu;
mod nvrtc;
