//! Reductions on the CPU: a constraint that is about to be stored meets the one of its key.

use crate::exec::round::state::{InsertionRule, RoundsState};
use crate::ir::HeadPlan;
use crate::ir::classes::Reduction;
use gchr_base::ids::Id;
use gchr_base::rule::{Role, RuleId};

/// The reduction of one table: of two constraints with one key at most one lives.
pub(crate) struct Reducing<'a>(pub(crate) &'a Reduction);

impl InsertionRule for Reducing<'_> {
    fn meet(&mut self, state: &mut RoundsState<'_, '_>, table: usize, args: &[u64], id: u64) -> bool {
        let reduction = self.0;
        let mut few = [0; 8];
        let stored = &state.tables[table];
        let index = &stored.indexes[reduction.index];
        let columns = index.columns();
        let many: Vec<u64>;
        let key = if columns.len() <= few.len() {
            few.iter_mut().zip(columns).for_each(|(k, &c)| *k = args[c]);
            &few[..columns.len()]
        } else {
            many = columns.iter().map(|&c| args[c]).collect();
            &many
        };
        if !index.has_key(&stored.columns, key) {
            return true;
        }
        state.firings += 1;
        if let Some(counts) = &mut state.fired_by_rule {
            counts[reduction.rule.index()] += 1;
        }
        if reduction.best.is_none() && !state.control.sees_firings() {
            return false;
        }
        let row = index.lookup(&stored.columns, key);
        let lives = reduction.best.is_some_and(|best| {
            let kind = stored.kinds[best.column];
            best.is_better(kind, args[best.column], stored.columns[best.column].get(row))
        });
        if state.control.derives() {
            state.record_reduction(table, reduction.rule, row, id, lives);
        }
        if state.control.traces() {
            state.trace_reduction(table, reduction.rule, row, args, id, lives);
        }
        if lives {
            state.remove(table as u32, row);
        }
        lives
    }
}

impl RoundsState<'_, '_> {
    fn record_reduction(&mut self, table: usize, rule: RuleId, row: u32, id: u64, lives: bool) {
        let stored = self.tables[table].ids.get(row);
        let (kept, removed) = if lives { (id, stored) } else { (stored, id) };
        let id = |head: &HeadPlan| if head.role == Role::Kept { kept } else { removed };
        let ids: Vec<u64> = self.plan.rules[rule].heads.iter().map(id).collect();
        self.record_fired(rule, &ids);
    }

    fn trace_reduction(&mut self, table: usize, rule: RuleId, row: u32, args: &[u64], id: u64, lives: bool) {
        let mut stored = String::new();
        self.write_row(&mut stored, table, row);
        let mut new = String::new();
        self.write_words(&mut new, table, |c| args[c], id);
        let (kept, removed) = if lives { (new, stored) } else { (stored, new) };
        let name = &self.plan.rules[rule].name;
        let line = format!("round {} {name}: {kept} \\ {removed}", self.rounds);
        self.control.trace_line(&line);
    }
}
