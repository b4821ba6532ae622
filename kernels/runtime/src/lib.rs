//! What the schedulers of kernels share: generated arithmetic, errors of kernels, slices of a run, counters, and
//! templates of device functions.

pub mod codegen;
pub mod meter;
pub mod outcome;
pub mod slices;
pub mod templates;
