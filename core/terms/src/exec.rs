//! Runs term plans on the CPU: [`run`] normalises a ground term, leftmost innermost, by interpreting bytecode.
//!
//! The plan is lowered to bytecode (`assemble`), checked (`verify`), and executed (`machine`) over cell arenas with a
//! collector (`heap`). The result is a [`NormalForm`] that owns its cells.

mod assemble;
mod builder;
mod bytecode;
mod compare;
mod evaluator;
mod heap;
mod integers;
mod machine;
mod normal_form;
mod outcome;
mod run;
mod start;
mod tally;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod text;
mod texts;
mod verify;

/// What an engine that executes plans on the processor in another way shares with the interpreter: the heap and its
/// collector, the run, the evaluation of start terms.
pub mod engine {
    pub use super::bytecode::constant_bits;
    pub use super::compare::at_once;
    pub use super::evaluator::{MAX_KEPT, finish, refused, stats};
    pub use super::heap::{Allocator, Bump, Full, Heap, Marker, Marking, default_memory};
    pub use super::run::{Run, Stop};
    pub use super::start::{Engine, evaluate};
}

pub use builder::{Builder, Built};
pub use compare::Comparison;
pub use evaluator::{Evaluator, Prepared};
pub use normal_form::{Brought, Key, NormalForm, View};
pub use outcome::{Evaluation, Results, Stopped};
pub use run::COMPARED;
pub use start::{Computed, Operation, Operators, compute, terms_together};
pub use text::{Cells, bounded, write_value};
pub use texts::Text;

use crate::plan::TermPlan;
use gchr_base::control::Control;
use gchr_base::rule::{GroundTerm, Program};

/// Normalises `input`, a verified ground term of `program`, by `plan`, which was compiled from `program`.
///
/// Stops with an error at the limits of `control`, and when an operation has no result.
pub fn run(
    program: &Program,
    plan: &TermPlan,
    input: &GroundTerm,
    control: &mut Control,
) -> Result<Evaluation, Box<Stopped>> {
    run_with(program, plan, input, control, false)
}

/// [`run`]; `stress` collects before every cell, for tests of the collector and its roots.
fn run_with(
    program: &Program,
    plan: &TermPlan,
    input: &GroundTerm,
    control: &mut Control,
    stress: bool,
) -> Result<Evaluation, Box<Stopped>> {
    let run =
        Prepared::new(program, plan, control.records())?.evaluator().stressed(stress).run(input, control)?;
    Ok(run.counted())
}
