//! The kernel language of gchr: a typed kernel IR whose text form is a subset of CUDA C++, its verifier, its templates,
//! and its lowering to CUDA C++; and [`device`], the interface of what runs kernels.

pub mod build;
pub mod device;
pub mod emit;
pub mod ir;
mod link;
pub mod lower;
pub mod names;
pub mod outline;
pub mod print;
pub mod spelling;
pub mod template;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod text;
mod unit;
pub mod verify;

pub use emit::{Form, cuda_objects, cuda_text, cuda_text_as};
pub use unit::Unit;

/// Names this version of the kernel language by its sources: what is said of kernels on disk holds for the version that
/// said it.
pub const IDENTITY: &str = env!("GCHR_SOURCES");
