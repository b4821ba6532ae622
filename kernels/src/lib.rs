//! Kernels of gchr: a typed kernel IR whose text form is a subset of CUDA C++, and everything that consumes it.

pub mod build;
pub mod device;
pub mod ir;
pub mod topology;
pub mod text;
pub mod verify;
