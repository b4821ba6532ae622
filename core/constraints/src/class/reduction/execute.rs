//! Reductions on the CPU: a constraint that is about to be stored meets the one of its key.

use crate::class::Reduction;
use crate::exec::index::NONE;
use crate::exec::rounds::state::{RoundsState, is_better};
use gchr_base::ids::Id;
use gchr_base::rule::RuleId;

impl RoundsState<'_, '_> {
    /// Applies the reduction of a table to a constraint that is about to be stored. Says whether it lives; then no other of its
    /// key does.
    pub(crate) fn reduce(&mut self, table: usize, reduction: &Reduction, args: &[u64], id: u64) -> bool {
        let mut key = [0; 8];
        let columns = &reduction.key;
        let stored = &self.tables[table];
        let index = &stored.indexes[reduction.index];
        let row = if columns.len() <= key.len() {
            key.iter_mut().zip(columns).for_each(|(k, &c)| *k = args[c]);
            index.lookup(&stored.columns, &key[..columns.len()])
        } else {
            let key: Vec<u64> = columns.iter().map(|&c| args[c]).collect();
            index.lookup(&stored.columns, &key)
        };
        if row == NONE {
            return true;
        }
        self.firings += 1;
        if let Some(counts) = &mut self.fired_by_rule {
            counts[reduction.rule.index()] += 1;
        }
        let lives = reduction.best.is_some_and(|best| {
            let kind = stored.kinds[best.column];
            is_better(best, kind, args[best.column], stored.columns[best.column].get(row))
        });
        if self.control.traces() {
            self.trace_reduction(table, reduction.rule, row, args, id, lives);
        }
        if lives {
            self.remove(table as u32, row);
        }
        lives
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
