//! Library and command line: tests from outside the crate, in one binary.

mod batch;
mod bench;
#[cfg(target_os = "linux")]
mod builtins;
mod check;
mod checkpoints;
mod cli;
mod compare;
mod fmt;
mod hostile;
mod imports;
#[cfg(target_os = "linux")]
mod interrupts;
mod layout;
mod logic;
mod lsp;
mod names;
mod options;
mod output;
mod partial;
mod profile;
mod project;
mod properties;
mod repl;
#[cfg(feature = "tables")]
mod round_trips;
mod rounds;
mod signatures;
mod simd;
mod streams;
mod support;
mod tables;
mod test;
mod tour;
#[cfg(feature = "tables")]
mod typed_tables;
mod verify;
mod why;
#[cfg(unix)]
mod workers;
