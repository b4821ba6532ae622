//! What the tests of the workspace share: programs, given and random; machines that run kernels; the CUDA
//! compiler; pages of the documentation.

pub mod bench;
#[cfg(unix)]
pub mod child;
pub mod compiler;
pub mod coverage;
pub mod findings;
pub mod generate;
pub mod growth;
pub mod machine;
pub mod pages;
pub mod programs;
pub mod random;
pub mod reference;
pub mod rules;
pub mod shared;
pub mod systems;
pub mod templates;
