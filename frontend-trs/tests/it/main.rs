//! The frontend of term programs: tests from outside the crate, in one binary.

mod axioms;
mod depth;
mod diagnostics;
mod docs;
mod functions;
mod growth;
mod imports;
mod integers;
mod library;
mod overlaps;
mod parameters;
mod programs;
mod properties;
mod strategies;
mod support;
mod terms;
