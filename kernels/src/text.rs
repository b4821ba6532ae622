//! The text form of the kernel IR: a subset of CUDA C++ that is printed deterministically and parses back to the same IR.
//!
//! `docs/kernel-language.md` describes it. [`Module`](crate::ir::Module) prints through `Display`; [`parse`] reads a module from text.

mod ast;
mod grammar;
mod lex;
pub(crate) mod names;
mod parse;
pub(crate) mod print;
mod resolve;
#[cfg(test)]
pub(crate) mod tests;
#[cfg(test)]
pub(crate) use tests::random;

pub use parse::{Aliases, parse, parse_with};
