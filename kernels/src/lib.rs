//! Kernels of gchr: a typed kernel IR whose text form is a subset of CUDA C++, and everything that consumes it.

#[cfg(feature = "cuda")]
pub mod cuda;
pub mod device;
pub mod ir;
pub mod sim;
pub mod text;
pub mod verify;
