//! gchr runs rule programs: many-sorted term rewriting (`.trs`, and formats of others) and Constraint Handling Rules
//! (`.chr`).
//!
//! The steps are those of the command line: an [`Input`] names the program and what to start it on, [`Input::parse`]
//! checks it,
//! [`Program::compile`] makes a plan for a [`Device`], [`Executable::run`] runs it under a [`Control`] and returns an
//! [`Outcome`]. Nothing here prints or ends the process: diagnostics are values ([`Diagnostics`]), and so is the reason
//! why a run stopped ([`Failure`]).
//!
//! ```
//! use gchr::{CompileOptions, Control, Input};
//!
//! let program = Input::terms(
//!     "sort Nat = struct Zero() | S(Nat) | Plus(Nat, Nat);
//!      var X, Y : Nat;
//!      eqn Plus(Zero(), Y) = Y;
//!          Plus(S(X), Y) = S(Plus(X, Y));",
//! )
//! .term("Plus(S(Zero()), S^5(Zero()))")
//! .parse()?;
//! let executable = program.compile(&CompileOptions::default())?;
//! let outcome = executable.run(&mut Control::default()).map_err(|stopped| stopped.diagnostics)?;
//! assert_eq!(outcome.to_string(), "S^6(Zero)\n");
//! assert_eq!(outcome.stats().rewrites, Some(2));
//! # Ok::<(), gchr::Diagnostics>(())
//! ```

mod batch;
pub mod device;
mod diagnostics;
mod executable;
mod executor;
mod executors;
mod fingerprint;
mod input;
mod options;
mod output;
mod processor;
mod program;
pub mod properties;
mod race;
pub mod report;
mod session;
pub mod simd;
mod stack;
mod team;
mod term_reader;
mod text_file;
mod turned_text;
mod why;

pub use batch::{BatchError, BatchLine, BatchOptions, BatchSummary, LineText, Shard};
pub use diagnostics::Diagnostics;
pub use executable::{Executable, Held};
pub use fingerprint::Fingerprint;
pub use gchr_base as base;
pub use gchr_base::control::{Control, Limits, Progress};
pub use gchr_base::diagnostic::{Diagnostic, Severity};
pub use gchr_base::profile::Recorder;
pub use gchr_base::stats::Stats;
pub use gchr_chr::{FactFile, FactFormat, Header, split_table};
pub use gchr_constraints as constraints;
pub use gchr_constraints::rounds::checkpoint::{Checkpoints, Part as CheckpointPart, Seal};
pub use gchr_constraints::rounds::workers::Worker;
pub use gchr_formats::Format as TermFormat;
pub use gchr_logic::{Answer as LogicAnswer, Answers};
#[cfg(feature = "tables")]
pub use gchr_tables as tables;
pub use gchr_terms as terms;
pub use input::Input;
pub use options::{CompileOptions, Device, Firing, KernelTier, Native, Schedule, Scheduler, Workers};
#[cfg(feature = "tables")]
pub use output::TermColumns;
pub use output::{
    Answer, Failure, Format, FormatError, Left, LogicAnswers, Outcome, SchedulerReport, Selection,
    TableFormat,
};
pub use program::{Language, Program, Syntax};
pub use race::{BY_GPU, Race, Work};
pub use session::{Reply, Session};
pub use stack::with_large_stack;
pub use team::{Agreement, Team};
pub use why::{Explanation, WhyOptions};
