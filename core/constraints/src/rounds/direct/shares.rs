//! Sets whose constraints threads store side by side, where the order of these cannot be told. Each thread takes those
//! whose bits are in its own lines of the cache, so that no two threads write to one line.

use rayon::prelude::*;

use crate::exec::index::SharedSet;
use crate::exec::machine::Stop;
use crate::exec::round::added::AddedRuns;
use crate::exec::round::adding::{Batch, Share};
use crate::exec::round::state::RoundsState;
use crate::exec::table::Table;
use crate::ir::classes::Reduction;
use gchr_base::memory::Shortage;

/// What one thread found of one table, by the threads that store it.
#[derive(Default)]
pub(super) struct Shares {
    lists: Vec<Share>,
}

impl Shares {
    pub(super) fn clear(&mut self) {
        for share in &mut self.lists {
            share.columns.iter_mut().for_each(Vec::clear);
            share.count = 0;
        }
    }

    pub(super) fn words(&self) -> usize {
        self.lists.iter().map(|share| share.columns.len() * share.count).sum()
    }

    pub(super) fn bytes(&self) -> u64 {
        let columns = self.lists.iter().flat_map(|share| &share.columns);
        columns.map(|column| column.capacity() as u64 * 8).sum()
    }

    /// Takes those of a batch that are chosen, for so many threads; leaves those for which the set has no room.
    pub(super) fn take(
        &mut self,
        table: &Table,
        set: usize,
        batch: Batch<'_>,
        threads: usize,
        chosen: &mut Vec<u32>,
    ) {
        self.lists.resize_with(threads, Share::default);
        chosen.retain(|&at| {
            let Some(line) = table.indexes[set].line_of(batch.args, at as usize) else { return true };
            let Share { columns, count } = &mut self.lists[line % threads];
            columns.resize_with(batch.args.len(), Vec::new);
            columns.iter_mut().zip(batch.args).for_each(|(column, args)| column.push(args[at as usize]));
            *count += 1;
            false
        });
    }
}

/// Stores what threads found of one table; what is new is appended.
pub(super) fn store(
    state: &mut RoundsState<'_, '_>,
    (table, set): (usize, &Reduction),
    found: Vec<&mut Shares>,
    added: &mut AddedRuns,
) -> Result<(), Stop> {
    // By thread, in the order in which they were found.
    let mut lists: Vec<Vec<&mut Share>> = Vec::new();
    for shares in found {
        lists.resize_with(lists.len().max(shares.lists.len()), Vec::new);
        lists.iter_mut().zip(&mut shares.lists).for_each(|(all, share)| all.push(share));
    }
    let count = |lists: &[Vec<&mut Share>]| lists.iter().flatten().map(|share| share.count).sum::<usize>();
    let before = count(&lists);
    let claimed = state.share_set(table, set.index, |set| {
        lists.par_iter_mut().try_for_each(|own| own.iter_mut().try_for_each(|share| claim(share, set)))
    });
    claimed.map_err(|shortage| state.stop(shortage.of("the constraints that a round adds")))?;
    state.count_dropped(set, (before - count(&lists)) as u64);
    state.append_shares(table, &lists, added)
}

/// Keeps those whose keys the set has not had.
fn claim(share: &mut Share, set: &SharedSet<'_>) -> Result<(), Shortage> {
    let Share { columns, count } = share;
    let mut new = 0;
    for at in 0..*count {
        if set.claim(columns, at)? {
            columns.iter_mut().for_each(|column| column[new] = column[at]);
            new += 1;
        }
    }
    columns.iter_mut().for_each(|column| column.truncate(new));
    *count = new;
    Ok(())
}
