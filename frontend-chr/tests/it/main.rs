//! The frontend of constraint programs: tests from outside the crate, in one binary.

mod arithmetic;
mod diagnostics;
mod facts;
mod logic;
mod programs;
mod robust;
mod terms;
#[cfg(feature = "tables")]
mod typed_facts;
