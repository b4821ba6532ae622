//! What the tests of the workspace share: programs, machines that run kernels, the CUDA compiler.

pub mod bench;
pub mod compiler;
pub mod machine;
pub mod programs;
pub mod systems;
pub mod templates;
