//! Native code for the processor: plans are lowered to machine code, function by function, when the functions are
//! called first.
//!
//! [`code`] and [`emit`] are the layer over the code generator, [`stack`] and [`vm`] what the code runs on. All of them
//! are the same for every language. [`terms`] lowers plans of term programs, [`constraints`] those of constraint
//! programs.

#![cfg(all(unix, any(target_arch = "x86_64", target_arch = "aarch64")))]

pub mod code;
pub mod constraints;
pub mod emit;
pub mod function;
mod pages;
pub mod stack;
pub mod terms;
#[cfg(test)]
mod tests;
pub mod vm;

pub use code::{Code, Refused, Source, probe};
pub use emit::Emit;
pub use function::{Func, Kind, Signature};
pub use stack::Stack;
pub use vm::Vm;
