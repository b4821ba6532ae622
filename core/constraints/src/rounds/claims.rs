//! Which candidates fire: one atomic minimum a removed constraint, then one read a constraint.

use std::sync::atomic::{AtomicU32, Ordering};

use rayon::prelude::*;

use super::found::{Candidate, Pending};
use crate::exec::code::{Code, OccurrenceCode};
use crate::exec::round::strategy::{row_of_head, table_of_head};
use crate::exec::round::watch::RoundWatch;
use crate::ir::ChrPlan;
use gchr_base::memory::{self, Shortage};
use gchr_base::rule::Role;

/// For each row the best candidate that removes it: its number and one, 0 for none.
#[derive(Default)]
pub(super) struct Claims {
    rows: Vec<Vec<AtomicU32>>,
}

/// The candidates of a round in body order, and what they refer to.
pub(super) struct Round<'a> {
    pub(super) plan: &'a ChrPlan,
    pub(super) code: &'a Code,
    pub(super) pending: &'a [Pending],
    /// From one or more threads, each with the rows of its own.
    pub(super) parts: Vec<(&'a [Candidate], &'a [u32])>,
    /// Numbers of the first candidates of the parts.
    pub(super) offsets: Vec<u32>,
}

/// A candidate with what it refers to.
pub(super) struct CandidateRows<'a> {
    pub(super) occurrence: &'a OccurrenceCode,
    pub(super) pending: &'a Pending,
    pub(super) rows: &'a [u32],
}

impl<'a> Round<'a> {
    pub(super) fn len(&self) -> usize {
        let last = self.parts.last().map_or(0, |p| p.0.len());
        self.offsets.last().map_or(0, |&o| o as usize + last)
    }

    /// The candidate of a number.
    #[inline]
    pub(super) fn get(&self, number: u32) -> CandidateRows<'a> {
        let part = match self.parts.len() {
            1 => 0,
            _ => self.offsets.partition_point(|&o| o <= number) - 1,
        };
        let (candidates, rows) = self.parts[part];
        let candidate = candidates[(number - self.offsets[part]) as usize];
        let pending = &self.pending[candidate.n as usize];
        let occurrence =
            &self.code.activations[pending.added.table as usize].occurrences[candidate.k as usize];
        let at = candidate.rows as usize;
        CandidateRows { occurrence, pending, rows: &rows[at..at + occurrence.levels.len()] }
    }

    /// What the priority of a candidate is compared by; of one list, smaller numbers are better.
    #[inline]
    fn priority(&self, number: u32) -> (u32, u64, u32) {
        let member = self.get(number);
        (member.occurrence.rule.0, member.pending.added.id.reverse_bits(), number)
    }
}

impl CandidateRows<'_> {
    /// Calls `f` with table and row of each constraint, and whether it is removed.
    #[inline]
    pub(super) fn constraints(&self, plan: &ChrPlan, mut f: impl FnMut(usize, u32, bool)) {
        let rule = self.occurrence.rule;
        for (head, h) in plan.rules[rule].heads.iter().enumerate() {
            let row = row_of_head(self.occurrence, head, self.pending.added.row, self.rows);
            f(table_of_head(plan, rule, head), row, h.role == Role::Removed);
        }
    }
}

/// The watch called.
pub(super) struct Called;

/// Candidates that one thread handles between two looks at the watch; fewer are handled by one thread alone.
const FEW: usize = if cfg!(test) { 4 } else { 1 << 12 };

impl Claims {
    /// Makes room for the rows of all tables.
    pub(super) fn reserve(&mut self, used: impl Iterator<Item = usize>) -> Result<(), Shortage> {
        for (table, used) in used.enumerate() {
            if self.rows.len() <= table {
                self.rows.push(Vec::new());
            }
            let rows = &mut self.rows[table];
            if rows.len() < used {
                memory::reserve(rows, used - rows.len())?;
                rows.resize_with(rows.capacity(), AtomicU32::default);
            }
        }
        Ok(())
    }

    pub(super) fn bytes(&self) -> u64 {
        self.rows.iter().map(|r| r.capacity() as u64 * 4).sum()
    }

    /// Says for each candidate whether it fires, unless the watch calls.
    pub(super) fn decide(
        &self,
        round: &Round<'_>,
        parallel: bool,
        watch: &RoundWatch<'_>,
        fires: &mut Vec<bool>,
    ) -> Result<(), Called> {
        let count = round.len();
        fires.clear();
        fires.resize(count, false);
        let parallel = parallel && count > FEW;
        let part = |first: usize, fires: &mut [bool], f: &(dyn Fn(u32, &mut bool) + Sync)| {
            if watch.calls() {
                return Err(Called);
            }
            fires.iter_mut().zip(first as u32..).for_each(|(fires, number)| f(number, fires));
            Ok(())
        };
        let mut each = |f: &(dyn Fn(u32, &mut bool) + Sync)| match parallel {
            true => fires.par_chunks_mut(FEW).enumerate().try_for_each(|(i, p)| part(i * FEW, p, f)),
            false => fires.chunks_mut(FEW).enumerate().try_for_each(|(i, p)| part(i * FEW, p, f)),
        };
        each(&|number, _| self.claim(round, number))?;
        each(&|number, fires| *fires = self.wins(round, number))?;
        each(&|number, _| {
            round.get(number).constraints(round.plan, |table, row, removed| {
                if removed {
                    self.rows[table][row as usize].store(0, Ordering::Relaxed);
                }
            });
        })
    }

    fn claim(&self, round: &Round<'_>, number: u32) {
        let own = round.priority(number);
        round.get(number).constraints(round.plan, |table, row, removed| {
            if !removed {
                return;
            }
            let cell = &self.rows[table][row as usize];
            let mut best = cell.load(Ordering::Relaxed);
            while best == 0 || own < round.priority(best - 1) {
                match cell.compare_exchange_weak(best, number + 1, Ordering::Relaxed, Ordering::Relaxed) {
                    Ok(_) => break,
                    Err(now) => best = now,
                }
            }
        });
    }

    fn wins(&self, round: &Round<'_>, number: u32) -> bool {
        let mut wins = true;
        round.get(number).constraints(round.plan, |table, row, removed| {
            let best = self.rows[table][row as usize].load(Ordering::Relaxed);
            wins &= best == 0
                || best == number + 1
                || !removed && round.priority(number) < round.priority(best - 1);
        });
        wins
    }
}
