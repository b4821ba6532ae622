//! What runs of both semantics do alike: their code, the memory of their store, their stops, and their end.

use std::time::Instant;

use super::code::{Code, Pc};
use super::flatten::flatten;
use super::table::Table;
use super::{Outcome, Stopped, Store};
use crate::ir::ChrPlan;
use gchr_base::control::Progress;
use gchr_base::error::{RunError, StopReason};
use gchr_base::rule::{Program, RuleId, Semantics};
use gchr_base::signature::SortKind;
use gchr_base::stats::Stats;
use gchr_base::value::Heap;

/// A stopped run.
pub type Stop = Box<RunError>;

/// The code of a program, and why it cannot run, if the heap does not hold its constants.
pub(crate) fn code(program: &Program, plan: &ChrPlan, heap: &mut Heap) -> (Code, Result<(), StopReason>) {
    match flatten(program, plan, heap) {
        Ok(code) => (code, Ok(())),
        Err(full) => (Code::default(), Err(full.reason())),
    }
}

/// Bytes of all tables.
pub(crate) fn bytes(tables: &[Table]) -> u64 {
    tables.iter().map(Table::bytes).sum()
}

/// Constraints in all tables.
pub(crate) fn live(tables: &[Table]) -> u64 {
    tables.iter().map(|t| t.live() as u64).sum()
}

/// All terms in the store, and those that may come back into it: roots of the heap.
pub(crate) fn stored_terms(tables: &[Table]) -> impl Iterator<Item = u64> {
    tables.iter().flat_map(|table| {
        let terms = (0..table.kinds.len()).filter(|&c| table.kinds[c] == SortKind::Any);
        terms.flat_map(move |c| {
            table.rows().map(move |row| table.columns[c].get(row)).chain(table.noted_words(c))
        })
    })
}

/// A stop at the rule that fired last.
pub(crate) fn stop(plan: &ChrPlan, rule: Option<RuleId>, reason: StopReason, progress: Progress) -> Stop {
    let span = rule.map(|r| plan.rules[r].span);
    Box::new(RunError { reason, rule, span, progress })
}

/// A stop at an instruction.
pub(crate) fn stop_at(code: &Code, pc: Pc, reason: StopReason, progress: Progress) -> Stop {
    let site = code.sites[pc as usize];
    Box::new(RunError { reason, rule: site.rule, span: Some(site.span), progress })
}

/// What a run on a store of earlier runs goes on with, and leaves.
pub(crate) struct Kept {
    pub(crate) tables: Vec<Table>,
    pub(crate) heap: Heap,
    pub(crate) next_id: u64,
}

/// The end of such a run.
pub(crate) struct KeptRun {
    pub(crate) result: Result<(), Stop>,
    pub(crate) kept: Kept,
    pub(crate) progress: Progress,
    pub(crate) peak: u64,
    pub(crate) stats: Stats,
}

/// The end of a run.
pub(crate) struct End {
    pub(crate) start: Instant,
    pub(crate) semantics: Semantics,
    pub(crate) progress: Progress,
    pub(crate) peak: u64,
    pub(crate) store: Store,
}

impl End {
    /// What a run gives; `stats` has what only its semantics counts.
    pub(crate) fn outcome(self, result: Result<(), Stop>, stats: Stats) -> Result<Outcome, Box<Stopped>> {
        let Self { start, semantics, progress, peak, store } = self;
        let stats = Stats {
            firings: Some(progress.steps),
            run_ms: Some(start.elapsed().as_secs_f64() * 1e3),
            live_cells: Some(progress.live),
            peak_bytes: Some(peak.max(progress.bytes)),
            collections: Some(store.heap.collections()),
            device: Some("cpu".into()),
            semantics: Some(semantics.name().into()),
            ..stats
        };
        match result {
            Ok(()) => Ok(Outcome { store, stats }),
            Err(error) => Err(Box::new(Stopped { error: *error, store, stats })),
        }
    }
}
