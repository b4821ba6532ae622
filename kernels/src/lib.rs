//! Kernels of gchr: a typed kernel IR whose text form is a subset of CUDA C++, and everything that consumes it.

pub mod build;
pub mod ceilings;
pub mod check;
pub mod codegen;
#[cfg(feature = "cuda")]
pub mod cuda;
pub mod device;
pub mod emit;
pub mod ir;
pub mod link;
pub mod lower;
mod meter;
pub mod outcome;
pub mod rounds;
pub mod sim;
pub mod simd;
mod slices;
pub mod tasks;
pub mod template;
#[cfg(test)]
mod testing;
pub mod text;
pub mod topology;
pub mod verify;

pub use emit::{Form, cuda_text, cuda_text_as};
