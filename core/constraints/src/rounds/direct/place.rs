//! Where direct rounds put the constraints that bodies add: one thread into the store, each of several into a list of
//! its own.

use std::sync::atomic::Ordering;

use super::frames::Vectors;
use super::{FiringCounts, Halt};
use crate::exec::added::AddedRuns;
use crate::exec::common::Stop;
use crate::exec::round::batch::{Batch, Share, choose};
use crate::exec::round::state::RoundsState;
use crate::exec::round::watch::RoundWatch;
use crate::exec::step::Cells;
use crate::exec::table::Table;
use crate::ir::classes::Reduction;
use gchr_base::memory;
use gchr_base::value::Heap;

/// Arguments of constraints, by columns: few need no list.
pub(super) struct ArgumentColumns<'s> {
    few: [&'s [u64]; 8],
    many: Vec<&'s [u64]>,
    count: usize,
}

impl<'s> ArgumentColumns<'s> {
    pub(super) fn new(columns: impl ExactSizeIterator<Item = &'s [u64]>) -> Self {
        let count = columns.len();
        let mut own = Self { few: [&[]; 8], many: Vec::new(), count };
        if count <= own.few.len() {
            own.few.iter_mut().zip(columns).for_each(|(to, column)| *to = column);
        } else {
            own.many = columns.collect();
        }
        own
    }

    pub(super) fn as_slice(&self) -> &[&'s [u64]] {
        if self.many.is_empty() { &self.few[..self.count] } else { &self.many }
    }
}

/// What instances are looked for in, and what takes the constraints that bodies add.
pub(super) trait FiringPlace {
    /// The heap.
    type Cells<'s>: Cells
    where
        Self: 's;

    fn tables(&self) -> &[Table];
    /// Tables and heap.
    fn parts(&mut self) -> (&[Table], Self::Cells<'_>);
    /// Takes so many constraints of a table, by columns.
    fn add(&mut self, table: usize, args: &[&[u64]], count: usize) -> Result<(), Halt>;
    /// Tells how much memory it has taken, if nobody else does.
    fn account(&mut self) {}
}

/// The store itself, for one thread alone.
pub(super) struct Direct<'w, 'a, 'c> {
    pub(super) state: &'w mut RoundsState<'a, 'c>,
    pub(super) added: &'w mut AddedRuns,
}

impl FiringPlace for Direct<'_, '_, '_> {
    type Cells<'s>
        = &'s mut Heap
    where
        Self: 's;

    #[inline]
    fn tables(&self) -> &[Table] {
        &self.state.tables
    }

    #[inline]
    fn parts(&mut self) -> (&[Table], &mut Heap) {
        (&self.state.tables, &mut self.state.heap)
    }

    #[inline]
    fn add(&mut self, table: usize, args: &[&[u64]], count: usize) -> Result<(), Halt> {
        self.state.add_batch(Batch { table, args, count }, self.added).map_err(Halt::Full)
    }
}

/// What one thread found for some constraints: what bodies add, in order, less what the store has already.
#[derive(Default)]
pub(crate) struct ThreadPart {
    blocks: Vec<ColumnBlock>,
    args: Vec<u64>,
    /// By table: what has a new key in its set.
    shares: Vec<Share>,
    pub(super) counts: FiringCounts,
    pub(super) vectors: Vectors,
}

/// Constraints of one table, column by column.
struct ColumnBlock {
    table: usize,
    count: usize,
    /// So many more are dropped for what the store has of their keys.
    dropped: u64,
}

impl ThreadPart {
    pub(super) fn clear(&mut self) {
        self.blocks.clear();
        self.args.clear();
        self.shares.iter_mut().for_each(Share::clear);
    }

    /// Words of constraints.
    pub(super) fn words(&self) -> usize {
        self.args.len() + self.shares.iter().map(Share::words).sum::<usize>()
    }

    /// What was found of a table with new keys in its set, if something was.
    pub(super) fn share(&self, table: usize) -> Option<&Share> {
        self.shares.get(table).filter(|share| share.count > 0)
    }

    /// Bytes of its lists.
    pub(crate) fn bytes(&self) -> u64 {
        let shares: u64 = self.shares.iter().map(Share::bytes).sum();
        (self.blocks.capacity() * size_of::<ColumnBlock>() + self.args.capacity() * 8) as u64 + shares
    }

    /// Puts what was found into the store.
    pub(super) fn store(&self, state: &mut RoundsState<'_, '_>, added: &mut AddedRuns) -> Result<(), Stop> {
        let mut rest = &self.args[..];
        for block in &self.blocks {
            let &ColumnBlock { table, count, dropped } = block;
            let (args, behind) = rest.split_at(count * state.tables[table].columns.len());
            if count > 0 {
                let columns = ArgumentColumns::new(args.chunks_exact(count));
                state.add_batch(Batch { table, args: columns.as_slice(), count }, added)?;
            }
            if let Some(filter) = state.filter(table) {
                state.count_dropped(filter, dropped);
            }
            rest = behind;
        }
        Ok(())
    }
}

/// A list, for one of several threads: all of them read the store.
pub(super) struct ThreadList<'w> {
    tables: &'w [Table],
    heap: &'w Heap,
    /// By table: what drops constraints by what there is of their keys.
    filters: &'w [Option<&'w Reduction>],
    watch: &'w RoundWatch<'w>,
    /// Whether the order of constraints cannot be told.
    any_order: bool,
    part: &'w mut ThreadPart,
    /// Words that the list may have.
    most: usize,
    /// Those of a batch that are not dropped.
    chosen: Vec<u32>,
    /// A row of each key of a batch, or those with new keys.
    rows: Vec<u32>,
    /// Bytes of the list that the watch knows of.
    bytes: u64,
}

impl<'w> ThreadList<'w> {
    pub(super) fn new(
        tables: &'w [Table],
        heap: &'w Heap,
        filters: &'w [Option<&'w Reduction>],
        (watch, any_order): (&'w RoundWatch<'w>, bool),
        (part, most): (&'w mut ThreadPart, usize),
    ) -> Self {
        let bytes = part.bytes();
        part.shares.resize_with(tables.len(), Share::default);
        let (chosen, rows) = (Vec::new(), Vec::new());
        Self { tables, heap, filters, watch, any_order, part, most, chosen, rows, bytes }
    }
}

impl FiringPlace for ThreadList<'_> {
    type Cells<'s>
        = &'s Heap
    where
        Self: 's;

    #[inline]
    fn tables(&self) -> &[Table] {
        self.tables
    }

    #[inline]
    fn parts(&mut self) -> (&[Table], &Heap) {
        (self.tables, self.heap)
    }

    #[inline]
    fn add(&mut self, table: usize, args: &[&[u64]], count: usize) -> Result<(), Halt> {
        let Self { part, chosen, rows, .. } = self;
        if part.words() > self.most {
            return Err(Halt::Long);
        }
        let room = memory::reserve(&mut part.args, args.len() * count)
            .and_then(|()| memory::reserve(&mut part.blocks, 1));
        room.map_err(|_| Halt::Alone)?;
        let Some(filter) = self.filters[table] else {
            part.blocks.push(ColumnBlock { table, count, dropped: 0 });
            args.iter().for_each(|column| part.args.extend_from_slice(column));
            return Ok(());
        };
        chosen.clear();
        let (stored, batch) = (&self.tables[table], Batch { table, args, count });
        let mut new = 0;
        let index = &stored.indexes[filter.index];
        let is_set = filter.best.is_none();
        if self.any_order && is_set && index.is_array() && stored.appends(Some(filter.index)) {
            rows.clear();
            let claimed = index.claim_beside(args, count, rows, chosen);
            // What was claimed before a shortage is taken back, too.
            part.shares[table].take(batch, rows);
            claimed.map_err(|_| Halt::Alone)?;
            new = rows.len();
        } else {
            choose(stored, filter, batch, 0, rows, chosen);
        }
        let dropped = (count - new - chosen.len()) as u64;
        part.blocks.push(ColumnBlock { table, count: chosen.len(), dropped });
        for column in args {
            part.args.extend(chosen.iter().map(|&at| column[at as usize]));
        }
        Ok(())
    }

    fn account(&mut self) {
        let bytes = self.part.bytes();
        self.watch.taken.fetch_add(bytes.saturating_sub(self.bytes), Ordering::Relaxed);
        self.bytes = bytes;
    }
}
