//! Runs term plans on the CPU: [`run`] normalises a ground term, leftmost innermost, by interpreting bytecode.
//!
//! The plan is lowered to bytecode (`assemble`), checked (`bytecode`), and executed (`machine`) over cell arenas with a
//! collector (`heap`). The result is a [`NormalForm`] that owns its cells.

mod assemble;
mod builder;
mod bytecode;
mod compare;
mod heap;
mod machine;
mod normal_form;
mod start;
mod tally;
#[cfg(test)]
mod tests;
mod text;

pub use builder::{Builder, Built};
pub use normal_form::{NormalForm, View};
pub use start::{Computed, compute};

use std::time::Instant;

use crate::control::{Control, Progress};
use crate::error::{RunError, StopReason};
use crate::exec::term::heap::Heap;
use crate::exec::term::machine::Machine;
use crate::plan::term::TermPlan;
use crate::rule::{GroundTerm, Program};
use crate::stats::Stats;

/// A run that reached a normal form.
#[derive(Debug)]
pub struct Outcome {
    /// The normal form.
    pub normal_form: NormalForm,
    /// What it cost.
    pub stats: Stats,
}

/// A run that did not.
#[derive(Debug)]
pub struct Stopped {
    /// Why, and where.
    pub error: RunError,
    /// What it cost so far.
    pub stats: Stats,
}

/// Normalises `input`, a verified ground term of `program`, by `plan`, which was compiled from `program`.
///
/// Stops with an error at the limits of `control`, and when an operation has no result.
pub fn run(
    program: &Program,
    plan: &TermPlan,
    input: &GroundTerm,
    control: &mut Control,
) -> Result<Outcome, Box<Stopped>> {
    run_with(program, plan, input, control, false)
}

/// [`run`]; `stress` collects before every cell, for tests of the collector and its roots.
fn run_with(
    program: &Program,
    plan: &TermPlan,
    input: &GroundTerm,
    control: &mut Control,
    stress: bool,
) -> Result<Outcome, Box<Stopped>> {
    let start = Instant::now();
    let memory = control.limits().memory.unwrap_or_else(heap::default_memory);
    let refuse = |reason: StopReason| {
        let progress = Progress { steps: 0, bytes: 0, live: 0 };
        let stats = Stats { rewrites: Some(0), device: Some("cpu".into()), ..Stats::default() };
        Box::new(Stopped { error: RunError { reason, rule: None, span: None, progress }, stats })
    };
    let code = assemble::assemble(plan, program.signature.booleans, control.records())
        .map_err(|e| refuse(StopReason::Indices { what: e.what, limit: e.limit }))?;
    let violations = bytecode::verify(&code);
    if let Some(first) = violations.first() {
        // A bug of the assembler. Nothing is executed that is not verified.
        return Err(refuse(StopReason::Internal { what: format!("invalid bytecode: {first}") }));
    }
    let no_memory =
        || refuse(StopReason::Memory { limit: memory, what: "the reservation of address space".into() });
    let heap = Heap::new(&plan.layout, memory, stress).ok_or_else(no_memory)?;
    let mut machine = Machine::new(program, plan, &code, heap, control).ok_or_else(no_memory)?;
    let result = start::evaluate(&mut machine, program, plan, input);
    let result = result.and_then(|value| machine.over_limit().map_or(Ok(value), Err));
    machine.report();
    let mut stats = Stats {
        rewrites: Some(machine.steps()),
        run_ms: Some(start.elapsed().as_secs_f64() * 1e3),
        peak_bytes: Some(machine.heap.peak_bytes()),
        collections: Some(machine.heap.collections),
        device: Some("cpu".into()),
        ..Stats::default()
    };
    match result {
        Ok(value) => {
            let mut heap = machine.heap;
            let sort = input.sort;
            let cells = !plan.layout.sorts[sort].is_wide();
            stats.live_cells = Some(if cells { heap.count_cells(sort, value as u32) } else { 0 });
            Ok(Outcome { normal_form: NormalForm { layout: plan.layout.clone(), heap, sort, value }, stats })
        }
        Err(error) => Err(Box::new(Stopped { error, stats })),
    }
}
