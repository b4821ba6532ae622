//! Rounds that workers share, each of which keeps a part of the store: the same rounds, firings and store as those of
//! one worker, by the plan of places (`docs/scale-out.md`).
//!
//! Each worker runs the ordinary engine on a program of its own ([`WorkerProgram`]), in which copies of a table, and
//! what is to be sent, are tables too. Between finding and the next round the workers exchange what is in the latter
//! over a [`Wire`].

mod gather;
mod local;
mod member;
mod parcel;
pub mod wire;

pub use super::worker_program::{Undividable, WorkerProgram};
pub use crate::exec::round::dealing::Worker;
pub use local::run_local;
pub use wire::{Lost, Wire};

use std::time::Instant;

use super::checkpoint::{Checkpoints, Counts};
use super::engine::Engine;
use crate::class;
use crate::exec::common::{self, End};
use crate::exec::round::dealing::Dealing;
use crate::exec::round::state::RoundsState;
use crate::exec::table::Table;
use crate::exec::{Outcome, Stopped, Store};
use crate::ir::ChrPlan;
use gather::Totals;
use gchr_base::control::{Control, Progress};
use gchr_base::error::{RunError, StopReason};
use gchr_base::facts::Facts;
use gchr_base::rule::{Program, Semantics};
use gchr_base::stats::Stats;
use gchr_base::value::Heap;
use member::{Ended, Member};

/// What the workers of one run have in common.
#[derive(Clone, Copy)]
pub struct Job<'j> {
    /// The program, and its plan for rounds.
    pub program: &'j Program,
    /// Its plan.
    pub plan: &'j ChrPlan,
    /// What each worker runs of it.
    pub shared: &'j WorkerProgram,
    /// What the run starts with, the same for all workers.
    pub facts: &'j [Facts],
    /// Threads of each worker.
    pub threads: usize,
    /// Where the state of the run is kept, and had from, if anywhere.
    pub checkpoints: Option<&'j dyn Checkpoints>,
}

impl Job<'_> {
    /// Runs the job by one worker, from the last checkpoint if there is one.
    pub fn alone(&self, control: &mut Control<'_>) -> Result<Outcome, Box<Stopped>> {
        match self.checkpoints {
            Some(checkpoints) => {
                super::checkpoint::run(self.program, self.plan, self.facts, checkpoints, control)
            }
            None => super::run(self.program, self.plan, self.facts, control),
        }
    }
}

/// What a worker has in the end.
#[derive(Default)]
struct Part {
    tables: Vec<Table>,
    heap: Heap,
    rounds: u64,
    firings: u64,
    candidates: u64,
    peak: u64,
    /// Bytes that it has sent to others.
    sent: u64,
}

/// What one of several workers gives that do not share memory.
#[derive(Debug)]
pub enum Ran {
    /// The first one: the outcome of all.
    Whole(Box<Outcome>),
    /// Another one, whose part the first one has.
    Part,
    /// One that ended since another one had to stop, which says why.
    Elsewhere,
}

/// Runs one of the workers of a job that do not share memory.
pub fn run_over(job: Job<'_>, wire: &mut dyn Wire, control: &mut Control<'_>) -> Result<Ran, Box<Stopped>> {
    let whole = |outcome| Ran::Whole(Box::new(outcome));
    let start = Instant::now();
    let is_first = wire.worker().rank == 0;
    let (part, ended) = work(job, wire, control);
    let gathered = ended.and_then(|()| gather::over(job.plan, part, wire));
    match gathered {
        Ok(None) => Ok(Ran::Part),
        Ok(Some((store, totals))) => outcome(job, store, totals, start).map(whole),
        Err(Ended::Again) if is_first => job.alone(control).map(whole),
        Err(Ended::Again | Ended::Elsewhere) => Ok(Ran::Elsewhere),
        Err(Ended::Stopped(stop)) => Err(stopped(&stop, start)),
    }
}

/// Runs a worker to its end.
fn work(job: Job<'_>, wire: &mut dyn Wire, control: &mut Control<'_>) -> (Part, Result<(), Ended>) {
    let WorkerProgram { program, plan, deals, .. } = job.shared;
    let worker = wire.worker();
    let mut heap = Heap::new();
    let (code, usable) = common::code(program, plan, &mut heap);
    let mut state = RoundsState::new(program, plan, &code, heap, control, class::insertion_rules(plan));
    state.deal(Dealing { deals, worker });
    let usable = usable.map_err(|reason| state.stop(reason));
    let mut engine = Engine::new(state);
    engine.threads = job.threads;
    let mut member = Member::new(wire, job);
    let ended = member.run(&mut engine, job.facts, usable);
    let ended = ended.map_err(|ended| match ended {
        Ended::Stopped(stop) => Ended::Stopped(job.shared.stop(stop)),
        other => other,
    });
    let (sent, state) = (member.sent(), engine.state);
    let Counts { firings, candidates, .. } = member.counts(&state);
    let RoundsState { tables, heap, rounds, peak, .. } = state;
    (Part { tables, heap, rounds, firings, candidates, peak, sent }, ended)
}

fn outcome(job: Job<'_>, store: Store, totals: Totals, start: Instant) -> Result<Outcome, Box<Stopped>> {
    let live = common::live(&store.tables);
    let progress = Progress { steps: totals.firings, bytes: common::bytes(&store.tables), live };
    let stats = Stats {
        rounds: Some(totals.rounds),
        candidates: Some(totals.candidates),
        workers: Some(totals.workers),
        sent_bytes: Some(totals.sent),
        ..Stats::default()
    };
    debug_assert_eq!(job.plan.semantics, Semantics::Rounds);
    End { start, semantics: Semantics::Rounds, progress, peak: totals.peak, store }.outcome(Ok(()), stats)
}

/// A run that stops has no store: each worker has but a part of it.
fn stopped(stop: &RunError, start: Instant) -> Box<Stopped> {
    let store = Store { tables: Vec::new(), heap: Heap::new() };
    let stats = Stats {
        firings: Some(stop.progress.steps),
        run_ms: Some(start.elapsed().as_secs_f64() * 1e3),
        device: Some("cpu".into()),
        semantics: Some(Semantics::Rounds.name().into()),
        ..Stats::default()
    };
    Box::new(Stopped { error: stop.clone(), store, stats })
}

/// Whether one worker, that runs the job alone, says the same of this stop, and more exactly.
fn is_repeatable(reason: &StopReason) -> bool {
    use StopReason::*;
    matches!(
        reason,
        Arithmetic { .. }
            | NoRule { .. }
            | Steps { .. }
            | Rounds { .. }
            | Failed
            | Column { .. }
            | Thrown { .. }
    )
}
