//! What a worker counts of the firings and candidates of its program, so that the sums over all workers are those of
//! one.

use super::WorkerProgram;
use crate::exec::round::dealing::{Deal, Worker};
use crate::exec::round::state::RoundsState;
use crate::ir::RulePlan;
use crate::ir::places::Place;
use gchr_base::rule::{GoalKind, Role, RuleId};
use gchr_base::signature::ConstraintId;

/// Which workers count the firings of a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Count {
    /// All: each fires other instances.
    Each,
    /// The first: all fire the same.
    Once,
    /// None: it keeps copies as their homes are.
    Never,
}

impl WorkerProgram {
    /// The firings that a worker counts.
    pub(in crate::rounds) fn firings_of(&self, worker: Worker, state: &RoundsState<'_, '_>) -> u64 {
        let is_counted = |rule: RuleId| match self.counts[rule] {
            Count::Each => true,
            Count::Once => worker.rank == 0,
            Count::Never => false,
        };
        let fired = state.fired_by_rule.iter().flatten().zip(self.counts.ids());
        fired.filter(|(_, rule)| is_counted(*rule)).map(|(fired, _)| fired).sum()
    }

    /// Of all firings of a worker, those that it does not count, by its tables: how many constraints were put into each
    /// from outside of the worker's rules, and how many live there. For programs [with ticks](Self::with_ticks).
    pub fn uncounted(
        &self,
        worker: Worker,
        put: impl Fn(ConstraintId) -> u64,
        live: impl Fn(ConstraintId) -> u64,
    ) -> u64 {
        // Copies are filled from outside only, and what was put there and does not live was reduced.
        let copies = self.deals.iter().flat_map(Deal::copies);
        let of_copies: u64 = copies.map(|&(_, copy)| put(copy).saturating_sub(live(copy))).sum();
        if worker.rank == 0 {
            return of_copies;
        }
        let fired: u64 = self.ticks.iter().map(|&(_, tick)| live(tick)).sum();
        let reduced: u64 = self
            .plan
            .classes
            .reductions
            .iter()
            .map(|reduction| {
                let table = reduction.constraint;
                let is_undivided =
                    self.deals.get(table).is_some_and(|deal| deal.places[0].0 == Place::Everywhere);
                if !is_undivided {
                    return 0;
                }
                let (mut there, mut gone) = (put(table), live(table));
                for &(rule, tick) in &self.ticks {
                    let (adds, removes) = self.changes(rule, table);
                    there += adds * live(tick);
                    gone += removes * live(tick);
                }
                there.saturating_sub(gone)
            })
            .sum();
        of_copies + fired + reduced
    }

    /// How many constraints of a table a firing of a rule adds, and removes.
    fn changes(&self, rule: RuleId, table: ConstraintId) -> (u64, u64) {
        let RulePlan { heads, body, .. } = &self.plan.rules[rule];
        let adds = body
            .iter()
            .filter(|goal| matches!(goal.kind, GoalKind::Add { constraint, .. } if constraint == table));
        let removes = heads.iter().filter(|head| head.constraint == table && head.role == Role::Removed);
        (adds.count() as u64, removes.count() as u64)
    }

    /// The candidates that a worker counts: the instances that it alone finds, all of which fire, and at the first
    /// worker those that all find.
    pub(in crate::rounds) fn candidates_of(&self, worker: Worker, state: &RoundsState<'_, '_>) -> u64 {
        if worker.rank == 0 {
            return state.candidates;
        }
        let fired = state.fired_by_rule.iter().flatten().zip(self.counts.ids());
        let is_own = |rule: RuleId| self.counts[rule] == Count::Each && self.plan.is_general(rule);
        fired.filter(|(_, rule)| is_own(*rule)).map(|(fired, _)| fired).sum()
    }
}
