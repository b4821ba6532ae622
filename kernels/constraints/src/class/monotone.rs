//! Monotone tables: rounds that only add to them have kernels of their own.

pub(crate) mod codegen;
mod run;

pub(crate) use run::Growing;
