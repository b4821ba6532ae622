//! Runs a constraint program on the CPU in rounds, as `docs/semantics.md` defines them: in parallel and deterministic.
//!
//! Two executors: for a plan of [`Joins::Indexed`] one that looks for the instances of what is new, by indexes, on the
//! threads of the current pool; for one of [`Joins::Exhaustive`] the definition itself, which tries every combination
//! of constraints in every round on one thread. It is the oracle of the other one.

mod apply;
mod claims;
mod definition;
mod direct;
mod engine;
mod found;
mod seek;

use std::time::Instant;

use crate::class;
use crate::exec::common::{self, End};
use crate::exec::machine::Stop;
use crate::exec::round::state::{Added, RoundsState};
use crate::exec::{Outcome, Stopped, Store};
use crate::ir::{ChrPlan, Joins};
use gchr_base::control::Control;
use gchr_base::facts::Facts;
use gchr_base::rule::{Program, Semantics};
use gchr_base::stats::Stats;
use gchr_base::value::Heap;

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
    if let Err(reason) = usable {
        let stop = state.stop(reason);
        return finish(state, Err(stop), start);
    }
    match plan.joins {
        Joins::Indexed => {
            let mut engine = engine::Engine::new(state);
            let result = batches(&mut engine, facts);
            finish(engine.state, result, start)
        }
        Joins::Exhaustive => {
            let mut definition = definition::Definition::new(state);
            let result = batches(&mut definition, facts);
            finish(definition.state, result, start)
        }
    }
}

/// An executor of rounds.
trait Rounds<'a, 'c: 'a> {
    fn state(&mut self) -> &mut RoundsState<'a, 'c>;
    /// Runs rounds until there is nothing to do.
    fn saturate(&mut self, added: &[Added]) -> Result<(), Stop>;
}

impl<'a, 'c> Rounds<'a, 'c> for engine::Engine<'a, 'c> {
    fn state(&mut self) -> &mut RoundsState<'a, 'c> {
        &mut self.state
    }
    fn saturate(&mut self, added: &[Added]) -> Result<(), Stop> {
        self.saturate(added)
    }
}

impl<'a, 'c> Rounds<'a, 'c> for definition::Definition<'a, 'c> {
    fn state(&mut self) -> &mut RoundsState<'a, 'c> {
        &mut self.state
    }
    fn saturate(&mut self, _: &[Added]) -> Result<(), Stop> {
        self.saturate()
    }
}

/// The facts and the first query are one batch, each further query is one of its own.
fn batches<'a, 'c: 'a>(executor: &mut impl Rounds<'a, 'c>, facts: &[Facts]) -> Result<(), Stop> {
    let mut added = Vec::new();
    for batch in facts {
        executor.state().facts(batch, &mut added)?;
    }
    let queries = executor.state().code.queries.len();
    for query in 0..queries.max(1) {
        if query < queries {
            executor.state().query(query, &mut added)?;
        }
        executor.saturate(&added)?;
        added.clear();
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
