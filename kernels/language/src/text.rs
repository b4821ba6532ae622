//! The text form of the kernel IR: a subset of CUDA C++ that is printed deterministically and parses back to the same
//! IR.
//!
//! `docs/kernel-language.md` describes it. [`Module`](crate::ir::Module) prints through `Display`; [`parse`] reads a
//! module from text.

mod ast;
mod grammar;
mod lex;
mod parse;
mod resolve;
#[cfg(test)]
mod tests;

pub use parse::{parse, parse_with};
pub use resolve::Aliases;
