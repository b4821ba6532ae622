//! Checkpoints: the state of a run in rounds at the end of one, from which another run goes on, with any number of
//! workers (`docs/scale-out.md`).
//!
//! Each worker keeps the constraints that have their home there, the first one also those that all have. Copies are
//! made again by who goes on. What a file is, and where it lies, is up to an implementation of [`Checkpoints`].

mod restore;
mod save;

use std::time::Instant;

use super::engine::{Engine, Performed};
use super::finish;
use super::worker_program::WorkerProgram;
use crate::class;
use crate::exec::added::AddedRuns;
use crate::exec::code::OccurrenceCode;
use crate::exec::common;
use crate::exec::common::Stop;
use crate::exec::image::{ImageRows, Values};
use crate::exec::round::dealing::Worker;
use crate::exec::round::state::RoundsState;
use crate::exec::{Outcome, Stopped};
use crate::ir::ChrPlan;
use gchr_base::control::Control;
use gchr_base::error::StopReason;
use gchr_base::facts::Facts;
use gchr_base::ids::Id;
use gchr_base::rule::{Program, RuleId};
use gchr_base::value::Heap;
use serde::{Deserialize, Serialize};

pub(super) use restore::restore;
pub(super) use save::save;

/// Where the parts of checkpoints go and come from. All workers of a process have one in common.
pub trait Checkpoints: Sync {
    /// Whether the state after so many rounds is to be kept. The first worker asks, for all.
    fn is_due(&self, rounds: u64) -> bool;
    /// Stores the part of a worker; its seal tells it from all others.
    fn write(&self, worker: Worker, rounds: u64, part: &Part) -> Result<Seal, String>;
    /// Makes the parts with these seals, one a worker, the last complete checkpoint. Only the first worker calls.
    fn complete(&self, rounds: u64, seals: &[Seal]) -> Result<(), String>;
    /// Of how many parts the last complete checkpoint is; 0: there is none.
    fn parts(&self) -> usize;
    /// One of them.
    fn read(&self, part: usize) -> Result<Part, String>;
}

/// What tells a stored part from all others.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct Seal {
    /// Its length.
    pub bytes: u64,
    /// A hash of all of it.
    pub hash: [u64; 4],
}

/// What a worker knows at the end of a round, as plain data.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub struct Part {
    counts: Counts,
    /// The rule of the program that fired last.
    last_rule: Option<u32>,
    /// The query whose batch goes on.
    query: u64,
    /// The first id of the last round.
    mark: u64,
    next_id: u64,
    values: Values,
    /// By table of the shared program: constraints from before the last round.
    old: Vec<ImageRows>,
    /// Those that it has added.
    new: Vec<ImageRows>,
    /// Lists that are not at their end, or have members that may still fire. They are of constraints that all workers
    /// have, as are the partners.
    waiting: Vec<Waiting>,
    /// Table and id of each constraint whose value the last round has replaced.
    replaced: Vec<(u32, u64)>,
}

/// What was counted from the start of the run on.
#[derive(Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, Debug)]
pub struct Counts {
    /// Rounds with candidates.
    pub rounds: u64,
    /// Firings.
    pub firings: u64,
    /// Candidates, where they are counted.
    pub candidates: u64,
}

/// The list of a constraint.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
struct Waiting {
    table: u32,
    id: u64,
    /// Where the list ended: a rule of the shared program, and a rank.
    cut: Option<(u32, Vec<u64>)>,
    /// Members that did not fire: the rule, and the ids at its heads.
    members: Vec<(u32, Vec<u64>)>,
}

/// Whose state is kept: that of a run on its own, or of one of several workers.
#[derive(Clone, Copy)]
pub(super) struct Scope<'s> {
    /// The plan of the program, which says where constraints live.
    pub(super) plan: &'s ChrPlan,
    pub(super) shared: Option<(&'s WorkerProgram, Worker)>,
}

impl Scope<'_> {
    /// The rule of the program for one that runs here.
    fn origin(&self, rule: RuleId) -> RuleId {
        self.shared.map_or(rule, |(shared, _)| shared.origin(rule))
    }

    /// The rule that runs here for one of the program.
    fn own(&self, rule: RuleId) -> Option<RuleId> {
        match self.shared {
            Some((shared, _)) => shared.own(rule),
            None => (rule.index() < self.plan.rules.len()).then_some(rule),
        }
    }
}

/// A run that went on from a checkpoint.
pub(super) struct Restored {
    pub(super) counts: Counts,
    /// The query whose batch goes on.
    pub(super) query: usize,
    /// What the next round starts from.
    pub(super) added: AddedRuns,
}

/// The head of a rule that an occurrence is about.
fn active_head(occurrence: &OccurrenceCode) -> Option<usize> {
    occurrence.level_of_head.iter().position(Option::is_none)
}

/// Runs `program` by a plan for rounds, by indexes, and keeps its state. Goes on from the last complete checkpoint if
/// there is one.
pub fn run(
    program: &Program,
    plan: &ChrPlan,
    facts: &[Facts],
    checkpoints: &dyn Checkpoints,
    control: &mut Control,
) -> Result<Outcome, Box<Stopped>> {
    let start = Instant::now();
    let mut heap = Heap::new();
    let (code, usable) = common::code(program, plan, &mut heap);
    let state = RoundsState::new(program, plan, &code, heap, control, class::insertion_rules(plan));
    let mut engine = Engine::new(state);
    let result = match usable {
        Ok(()) => batches(&mut engine, facts, checkpoints),
        Err(reason) => Err(engine.state.stop(reason)),
    };
    finish(engine.state, result, start)
}

fn batches(engine: &mut Engine<'_, '_>, facts: &[Facts], checkpoints: &dyn Checkpoints) -> Result<(), Stop> {
    let scope = Scope { plan: engine.state.plan, shared: None };
    let (mut first, mut added) = (0, AddedRuns::default());
    if checkpoints.parts() > 0 {
        let restored = restore(engine, scope, checkpoints)?;
        let Counts { rounds, firings, candidates } = restored.counts;
        let state = &mut engine.state;
        (state.rounds, state.firings, state.candidates) = (rounds, firings, candidates);
        saturate(engine, scope, restored.added, restored.query, checkpoints)?;
        first = restored.query + 1;
    } else {
        engine.state.facts(facts, &mut added)?;
    }
    let queries = engine.state.code.queries.len();
    for query in first..queries.max(1) {
        if query < queries {
            engine.state.query(query, &mut added)?;
        }
        saturate(engine, scope, std::mem::take(&mut added), query, checkpoints)?;
    }
    Ok(())
}

/// Runs rounds until there is nothing to do.
fn saturate(
    engine: &mut Engine<'_, '_>,
    scope: Scope<'_>,
    added: AddedRuns,
    query: usize,
    checkpoints: &dyn Checkpoints,
) -> Result<(), Stop> {
    engine.state.release();
    engine.queue(added)?;
    loop {
        engine.state.look_up()?;
        if engine.is_idle() {
            return Ok(());
        }
        let mark = engine.state.next_id;
        let Performed { active, added } = engine.perform()?;
        let state = &engine.state;
        let counts = Counts { rounds: state.rounds, firings: state.firings, candidates: state.candidates };
        if active && checkpoints.is_due(counts.rounds) {
            let part = save(engine, scope, Moment { counts, query, mark });
            let part = part.map_err(|reason| engine.state.stop(reason))?;
            let worker = Worker { rank: 0, ranks: 1 };
            let kept = checkpoints.write(worker, counts.rounds, &part);
            let kept = kept.and_then(|seal| checkpoints.complete(counts.rounds, &[seal]));
            kept.map_err(|what| engine.state.stop(StopReason::Checkpoint { what }))?;
        }
        engine.queue(added)?;
    }
}

/// The end of a round.
pub(super) struct Moment {
    pub(super) counts: Counts,
    pub(super) query: usize,
    /// The first id of the round.
    pub(super) mark: u64,
}
