//! The topology-driven term rewriter: one thread a term slot, as in van Eerd, Groote, Hijma, Martens, Osama, Wijs,
//! "Innermost many-sorted term rewriting on GPUs".
//!
//! [`system`] brings a program into the form that the papers' algorithm runs: heads and equations whose right-hand
//! sides are graphs.

pub mod codegen;
mod contract;
pub mod kernels;
pub mod run;
pub mod system;
