//! Puts many constraints of one table into the store, as [`RoundsState::add`] does one after the other.

use super::batch::{Batch, Buffers, Share, choose};
use super::state::RoundsState;
use crate::exec::added::{Added, AddedRuns, Run};
use crate::exec::column::Lists;
use crate::exec::common::Stop;
use crate::exec::table::{Table, TableFull};
use crate::ir::classes::Reduction;
use gchr_base::ids::Id;

impl<'a> RoundsState<'a, '_> {
    /// What drops constraints of a table by what it has of their keys.
    pub(crate) fn filter(&self, table: usize) -> Option<&'a Reduction> {
        self.filters[table]
    }

    /// Those of all tables.
    pub(crate) fn filters(&self) -> &[Option<&'a Reduction>] {
        &self.filters
    }

    /// Puts constraints into the store; what lives is appended.
    pub(crate) fn add_batch(&mut self, batch: Batch<'_>, added: &mut AddedRuns) -> Result<(), Stop> {
        // Where constraints go into rows of others, each is a run.
        let runs = if self.tables[batch.table].keeps_rows() { 1 } else { batch.count };
        added
            .reserve(runs)
            .map_err(|shortage| self.stop(shortage.of("the constraints that a round adds")))?;
        if batch.count == 1 {
            return self.add_one(batch, 0, added);
        }
        let mut buffers = std::mem::take(&mut self.buffers);
        let result = match self.filters[batch.table] {
            Some(set) if set.best.is_none() => self.add_new(set, batch, added, &mut buffers),
            Some(_) => self.add_chosen(batch, 0, added, &mut buffers),
            None => self.add_all(batch, added, &mut buffers),
        };
        self.buffers = buffers;
        result
    }

    /// Puts those into the store whose keys are new.
    fn add_new(
        &mut self,
        set: &Reduction,
        batch: Batch<'_>,
        added: &mut AddedRuns,
        buffers: &mut Buffers,
    ) -> Result<(), Stop> {
        let mut from = 0;
        while from < batch.count {
            buffers.chosen.clear();
            let before = self.tables[batch.table].bytes();
            let table = &mut self.tables[batch.table];
            let end = table.claim(set.index, batch.args, (from, batch.count), &mut buffers.chosen);
            let end = end.map_err(|full| self.full(batch.table, full))?;
            if end == from && !self.tables[batch.table].appends(Some(set.index)) {
                return self.add_chosen(batch, from, added, buffers);
            }
            self.table_bytes = self.table_bytes - before + self.tables[batch.table].bytes();
            self.count_dropped(set, (end - from - buffers.chosen.len()) as u64);
            self.append(batch, &buffers.chosen, added)?;
            from = end;
            if from < batch.count {
                // There is no array with room for it yet, or not any more.
                self.add_one(batch, from, added)?;
                from += 1;
                if !self.tables[batch.table].indexes[set.index].is_array() {
                    return self.add_chosen(batch, from, added, buffers);
                }
            }
        }
        Ok(())
    }

    /// Puts those into the store that the table does not drop, from one on.
    fn add_chosen(
        &mut self,
        batch: Batch<'_>,
        from: usize,
        added: &mut AddedRuns,
        buffers: &mut Buffers,
    ) -> Result<(), Stop> {
        let Some(filter) = self.filters[batch.table] else { return Ok(()) };
        let Buffers { chosen, rows, .. } = &mut *buffers;
        chosen.clear();
        choose(&self.tables[batch.table], filter, batch, from, rows, chosen);
        self.count_dropped(filter, (batch.count - from - chosen.len()) as u64);
        let chosen = std::mem::take(chosen);
        let result = chosen.iter().try_for_each(|&at| self.add_one(batch, at as usize, added));
        buffers.chosen = chosen;
        result
    }

    fn add_all(
        &mut self,
        batch: Batch<'_>,
        added: &mut AddedRuns,
        buffers: &mut Buffers,
    ) -> Result<(), Stop> {
        let is_plain = self.insertion_rules[batch.table].is_none();
        if !is_plain || !self.tables[batch.table].appends(None) {
            return (0..batch.count).try_for_each(|at| self.add_one(batch, at, added));
        }
        buffers.chosen.clear();
        buffers.chosen.extend((0..batch.count).map(|at| at as u32));
        self.append(batch, &buffers.chosen, added)
    }

    fn add_one(&mut self, batch: Batch<'_>, at: usize, added: &mut AddedRuns) -> Result<(), Stop> {
        let mut args = std::mem::take(&mut self.buffers.args);
        args.clear();
        args.extend(batch.args.iter().map(|column| column[at]));
        let result = self.add(batch.table, &args);
        self.buffers.args = args;
        added.extend(result?);
        Ok(())
    }

    /// Puts some of a batch into the rows behind the others.
    fn append(&mut self, batch: Batch<'_>, which: &[u32], added: &mut AddedRuns) -> Result<(), Stop> {
        let Batch { table, args, .. } = batch;
        if which.is_empty() {
            return Ok(());
        }
        self.appending(table, which.len(), added, |stored, id| stored.append(id, args, which))
    }

    /// Accounts for the memory of keys that threads have put into a set.
    pub(crate) fn settle(&mut self, table: usize, set: usize) {
        let before = self.tables[table].bytes();
        self.tables[table].settle(set);
        self.table_bytes = self.table_bytes - before + self.tables[table].bytes();
    }

    /// Puts constraints that threads have found into the rows behind the others; their keys are in the set already.
    pub(crate) fn append_shares(
        &mut self,
        table: usize,
        shares: &[&Share],
        added: &mut AddedRuns,
    ) -> Result<(), Stop> {
        let count = shares.iter().map(|share| share.count).sum();
        added.reserve(1).map_err(|shortage| self.stop(shortage.of("the constraints that a round adds")))?;
        let values = |column: usize| Lists {
            lists: shares.iter().map(|share| vec![&share.columns[column][..]]).collect(),
            bits: Some(shares.iter().fold(0, |all, share| all | share.bits[column])),
        };
        let columns = self.tables[table].columns.len();
        self.appending(table, count, added, |stored, id| {
            stored.append_lists(id, count, (0..columns).map(values))
        })
    }

    /// Puts so many constraints into rows that follow each other.
    fn appending(
        &mut self,
        table: usize,
        count: usize,
        added: &mut AddedRuns,
        append: impl FnOnce(&mut Table, u64) -> Result<(u32, bool), TableFull>,
    ) -> Result<(), Stop> {
        self.check_growth(table, count)?;
        let (before, id) = (self.tables[table].bytes(), self.next_id);
        let (row, grown) = append(&mut self.tables[table], id).map_err(|full| self.full(table, full))?;
        self.table_bytes = self.table_bytes - before + self.tables[table].bytes();
        added.push_run(Run { first: Added { table: table as u32, row, id }, count: count as u32 });
        self.next_id += count as u64;
        if grown {
            self.check_memory(|w| w.table_text(table))?;
        }
        Ok(())
    }

    fn full(&self, table: usize, full: TableFull) -> Stop {
        self.stop(full.reason(self.table_text(table)))
    }

    /// Counts constraints that were not stored for what there is of their keys.
    pub(crate) fn count_dropped(&mut self, filter: &Reduction, dropped: u64) {
        self.firings += dropped;
        if let Some(counts) = &mut self.fired_by_rule {
            counts[filter.rule.index()] += dropped;
        }
    }
}
