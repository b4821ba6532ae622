//! Rounds that workers share, each of which keeps a part of the store: the same rounds, firings and store as those of
//! one worker, by the plan of places (`docs/scale-out.md`).
//!
//! Each worker runs the ordinary engine on a program of its own ([`WorkerProgram`]), in which copies of a table, and
//! what is to be sent, are tables too. Between finding and the next round the workers exchange what is in the latter
//! over a [`Wire`].

mod gather;
mod local;
mod member;
mod part_engine;
mod processor;
pub mod wire;

pub use super::checkpoint::Counts;
pub use super::parcel::{Columns, Parcels, ReceivedBatch, unpack};
pub use super::worker_program::{Outbox, Undividable, WorkerProgram};
pub use crate::exec::common::Stop;
pub use crate::exec::round::dealing::Worker;
pub use local::{run_local, run_local_by};
pub use part_engine::{Engines, PartEngine};
pub use wire::{Lost, Wire};

use std::time::Instant;

use super::checkpoint::Checkpoints;
use crate::exec::common::{self, End};
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
use processor::Processor;

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
    /// Whether nothing is asked for but how many constraints there are: the store stays where it is.
    pub only_sizes: bool,
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
struct WorkerEnd {
    tables: Vec<Table>,
    heap: Heap,
    rounds: u64,
    firings: u64,
    candidates: Option<u64>,
    peak: u64,
    /// How many constraints it has, by table of the shared program.
    sizes: Vec<u64>,
    /// Bytes that it has sent to others.
    sent: u64,
}

/// What all workers have found together.
#[derive(Debug)]
pub struct Whole {
    /// The store, empty where only sizes were asked for, and what it cost.
    pub outcome: Outcome,
    /// How many constraints there are, by table.
    pub sizes: Vec<u64>,
}

/// What one of several workers gives that do not share memory.
#[derive(Debug)]
pub enum Ran {
    /// The first one: the outcome of all.
    Whole(Box<Whole>),
    /// Another one, whose part the first one has.
    Part,
    /// One that ended since another one had to stop, which says why.
    Elsewhere,
}

/// Why workers have no result together.
#[derive(Debug)]
pub enum Unshared {
    /// The run had to stop.
    Stopped(Box<Stopped>),
    /// One worker is to run the job alone: it says exactly where it stops, and why.
    Alone,
}

/// Runs one of the workers of a job that do not share memory.
pub fn run_over(job: Job<'_>, wire: &mut dyn Wire, control: &mut Control<'_>) -> Result<Ran, Box<Stopped>> {
    match run_over_by(job, &Processor { job }, wire, control) {
        Ok(ran) => Ok(ran),
        Err(Unshared::Stopped(stopped)) => Err(stopped),
        Err(Unshared::Alone) => {
            let whole = |outcome| Whole { outcome, sizes: Vec::new() };
            job.alone(control).map(|outcome| Ran::Whole(Box::new(whole(outcome))))
        }
    }
}

/// The same by an engine of another kind. Of a job that one worker is to run alone, the first one hears so.
pub fn run_over_by(
    job: Job<'_>,
    engines: &dyn Engines,
    wire: &mut dyn Wire,
    control: &mut Control<'_>,
) -> Result<Ran, Unshared> {
    let start = Instant::now();
    let is_first = wire.worker().rank == 0;
    let (part, ended) = work(job, engines, wire, control);
    let gathered = ended.and_then(|()| gather::over(job, part, wire));
    match gathered {
        Ok(None) => Ok(Ran::Part),
        Ok(Some((store, totals))) => match outcome(job, store, totals, start) {
            Ok(whole) => Ok(Ran::Whole(Box::new(whole))),
            Err(stopped) => Err(Unshared::Stopped(stopped)),
        },
        Err(Ended::Again) if is_first => Err(Unshared::Alone),
        Err(Ended::Again | Ended::Elsewhere) => Ok(Ran::Elsewhere),
        Err(Ended::Stopped(stop)) => Err(Unshared::Stopped(stopped(&stop, start))),
    }
}

/// Runs a worker to its end.
fn work(
    job: Job<'_>,
    engines: &dyn Engines,
    wire: &mut dyn Wire,
    control: &mut Control<'_>,
) -> (WorkerEnd, Result<(), Ended>) {
    let mut worked = None;
    let made = engines.with_engine(wire.worker(), control, &mut |engine| {
        worked = Some(work_on(job, engine, &mut *wire));
    });
    match (made, worked) {
        (Ok(()), Some(worked)) => worked,
        (Err(stop), _) => (WorkerEnd::default(), Err(Ended::Stopped(stop))),
        (Ok(()), None) => lost(job, "a worker has no engine".into()),
    }
}

fn work_on(job: Job<'_>, engine: &mut dyn PartEngine, wire: &mut dyn Wire) -> (WorkerEnd, Result<(), Ended>) {
    let mut member = Member::new(wire, job, engine);
    let ended = member.run();
    let (sent, Counts { rounds, firings, candidates }) = (member.sent(), member.counts());
    let candidates = engine.counts_candidates().then_some(candidates);
    let sizes = engine.sizes();
    let sizes = sizes.into_iter().take(job.shared.tables()).collect();
    let taken = ended.and_then(|()| match job.only_sizes {
        true => Ok(Store::default()),
        false => engine.take_store().map_err(Ended::Stopped),
    });
    let (store, ended) = match taken {
        Ok(store) => (store, Ok(())),
        Err(Ended::Stopped(stop)) => (Store::default(), Err(Ended::Stopped(job.shared.stop(stop)))),
        Err(other) => (Store::default(), Err(other)),
    };
    let Store { tables, heap } = store;
    (WorkerEnd { tables, heap, rounds, firings, candidates, peak: engine.peak(), sizes, sent }, ended)
}

/// A worker that does not answer, or cannot work.
fn lost(job: Job<'_>, what: String) -> (WorkerEnd, Result<(), Ended>) {
    let none = Progress { steps: 0, bytes: 0, live: 0 };
    let stop = common::stop(job.plan, None, StopReason::Lost { what }, none);
    (WorkerEnd::default(), Err(Ended::Stopped(stop)))
}

fn outcome(job: Job<'_>, store: Store, totals: Totals, start: Instant) -> Result<Whole, Box<Stopped>> {
    let live = totals.sizes.iter().sum();
    let progress = Progress { steps: totals.firings, bytes: common::bytes(&store.tables), live };
    let stats = Stats {
        rounds: Some(totals.rounds),
        candidates: totals.candidates,
        workers: Some(totals.workers),
        sent_bytes: Some(totals.sent),
        ..Stats::default()
    };
    debug_assert_eq!(job.plan.semantics, Semantics::Rounds);
    let end = End { start, semantics: Semantics::Rounds, progress, peak: totals.peak, store };
    end.outcome(Ok(()), stats).map(|outcome| Whole { outcome, sizes: totals.sizes })
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
