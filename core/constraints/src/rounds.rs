//! Runs a constraint program on the CPU in rounds, as `docs/semantics.md` defines them: in parallel and deterministic.
//!
//! Two executors: for a plan of [`Joins::Indexed`] one that looks for the instances of what is new, by indexes, on the
//! threads of the current pool; for one of [`Joins::Exhaustive`] the definition itself, which tries every combination
//! of constraints in every round on one thread. It is the oracle of the other one.

mod apply;
mod bodies;
pub mod checkpoint;
mod claims;
mod definition;
mod direct;
mod engine;
mod found;
pub(crate) mod parcel;
mod seek;
mod worker_program;
pub mod workers;

use std::time::Instant;

use crate::class;
use crate::exec::added::AddedRuns;
use crate::exec::code::Code;
use crate::exec::common::Stop;
use crate::exec::common::{self, End, Kept, KeptRun};
use crate::exec::round::state::RoundsState;
use crate::exec::{Outcome, Stopped, Store};
use crate::ir::{ChrPlan, Joins};
use gchr_base::control::Control;
use gchr_base::derivation::Cause;
use gchr_base::facts::Facts;
use gchr_base::rule::{Program, Semantics};
use gchr_base::stats::Stats;
use gchr_base::value::Heap;

/// Pending constraints, and firing candidates, that one thread takes at a time; fewer are handled by one thread alone.
const CHUNK: usize = if cfg!(test) { 4 } else { 256 };

/// Runs `program` by a plan for rounds.
pub fn run(
    program: &Program,
    plan: &ChrPlan,
    facts: &[Facts],
    control: &mut Control,
) -> Result<Outcome, Box<Stopped>> {
    debug_assert_eq!(plan.semantics, Semantics::Rounds);
    let start = Instant::now();
    let mut heap = Heap::new();
    let (code, usable) = common::code(program, plan, &mut heap);
    let state = RoundsState::new(program, plan, &code, heap, control, class::insertion_rules(plan));
    let (state, result) = match usable {
        Ok(()) => saturated(state, facts),
        Err(reason) => {
            let stop = state.stop(reason);
            (state, Err(stop))
        }
    };
    finish(state, result, start)
}

/// Runs `program` as [`run`] does on a store that earlier runs left: only what is new is looked at.
pub(crate) fn run_on(
    program: &Program,
    plan: &ChrPlan,
    code: &Code,
    kept: Kept,
    facts: &[Facts],
    control: &mut Control,
) -> KeptRun {
    let mut state = RoundsState::new(program, plan, code, kept.heap, control, class::insertion_rules(plan));
    state.take_over(kept.tables, kept.next_id);
    let (mut state, result) = saturated(state, facts);
    let progress = state.progress();
    state.control.record(progress);
    state.report_rules();
    let stats = Stats { rounds: Some(state.rounds), candidates: Some(state.candidates), ..Stats::default() };
    let peak = state.peak;
    let kept = Kept { tables: state.tables, heap: state.heap, next_id: state.next_id };
    KeptRun { result, kept, progress, peak, stats }
}

/// Runs the batches on what is in the store.
fn saturated<'a, 'c: 'a>(
    state: RoundsState<'a, 'c>,
    facts: &[Facts],
) -> (RoundsState<'a, 'c>, Result<(), Stop>) {
    match state.plan.joins {
        Joins::Indexed => {
            let mut engine = engine::Engine::new(state);
            engine.go_on();
            let result = batches(&mut engine, facts);
            (engine.state, result)
        }
        Joins::Exhaustive => {
            let mut definition = definition::Definition::new(state);
            let result = batches(&mut definition, facts);
            (definition.state, result)
        }
    }
}

/// An executor of rounds.
trait Rounds<'a, 'c: 'a> {
    fn state(&mut self) -> &mut RoundsState<'a, 'c>;
    /// Runs rounds until there is nothing to do.
    fn saturate(&mut self, added: AddedRuns) -> Result<(), Stop>;
}

impl<'a, 'c> Rounds<'a, 'c> for engine::Engine<'a, 'c> {
    fn state(&mut self) -> &mut RoundsState<'a, 'c> {
        &mut self.state
    }
    fn saturate(&mut self, added: AddedRuns) -> Result<(), Stop> {
        self.saturate(added)
    }
}

impl<'a, 'c> Rounds<'a, 'c> for definition::Definition<'a, 'c> {
    fn state(&mut self) -> &mut RoundsState<'a, 'c> {
        &mut self.state
    }
    fn saturate(&mut self, _: AddedRuns) -> Result<(), Stop> {
        self.saturate()
    }
}

/// The facts and the first query are one batch, each further query is one of its own.
fn batches<'a, 'c: 'a>(executor: &mut impl Rounds<'a, 'c>, facts: &[Facts]) -> Result<(), Stop> {
    let mut added = AddedRuns::default();
    executor.state().check_derivable()?;
    executor.state().facts(facts, &mut added)?;
    let queries = executor.state().code.queries.len();
    for query in 0..queries.max(1) {
        if query < queries {
            executor.state().cause = Cause::Goal { query: query as u32, number: 0 };
            executor.state().query(query, &mut added)?;
        }
        executor.saturate(std::mem::take(&mut added))?;
    }
    Ok(())
}

fn finish(
    mut state: RoundsState<'_, '_>,
    result: Result<(), Stop>,
    start: Instant,
) -> Result<Outcome, Box<Stopped>> {
    let progress = state.progress();
    state.control.record(progress);
    state.report_rules();
    let stats = Stats { rounds: Some(state.rounds), candidates: Some(state.candidates), ..Stats::default() };
    let peak = state.peak;
    let store = Store { tables: state.tables, heap: state.heap };
    End { start, semantics: Semantics::Rounds, progress, peak, store }.outcome(result, stats)
}
