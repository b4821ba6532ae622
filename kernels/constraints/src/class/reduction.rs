//! Reductions: rows meet those of their key when they are put into a table.

pub(crate) mod codegen;
