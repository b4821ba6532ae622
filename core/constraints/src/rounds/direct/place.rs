//! Where direct rounds put the constraints that bodies add: one thread into the store, each of several into a list of
//! its own.

use std::sync::atomic::Ordering;

use super::{Counts, Halt};
use crate::exec::machine::Stop;
use crate::exec::round::state::{Added, RoundsState};
use crate::exec::round::watch::RoundWatch;
use crate::exec::step::Cells;
use crate::exec::table::Table;
use crate::ir::classes::Reduction;
use gchr_base::memory::{self, Shortage};
use gchr_base::value::Heap;

/// What instances are looked for in, and what takes the constraints that bodies add.
pub(super) trait Place {
    /// The heap.
    type Cells<'s>: Cells
    where
        Self: 's;

    fn tables(&self) -> &[Table];
    /// Tables and heap.
    fn parts(&mut self) -> (&[Table], Self::Cells<'_>);
    /// Takes so many constraints of a table, one behind the other.
    fn add(&mut self, table: usize, args: &[u64], count: usize) -> Result<(), Halt>;
    /// There is no memory for constraints.
    fn full(&self, shortage: Shortage) -> Halt;
    /// Tells how much memory it has taken, if nobody else does.
    fn account(&mut self) {}
}

/// The store itself, for one thread alone.
pub(super) struct Direct<'w, 'a, 'c> {
    pub(super) state: &'w mut RoundsState<'a, 'c>,
    pub(super) added: &'w mut Vec<Added>,
}

impl Place for Direct<'_, '_, '_> {
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
    fn add(&mut self, table: usize, args: &[u64], count: usize) -> Result<(), Halt> {
        if count == 1 {
            memory::reserve(self.added, 1).map_err(|shortage| self.full(shortage))?;
            self.added.extend(self.state.add(table, args).map_err(Halt::Full)?);
            return Ok(());
        }
        self.state.add_slice(table, args, count, self.added).map_err(Halt::Full)
    }

    fn full(&self, shortage: Shortage) -> Halt {
        Halt::Full(self.state.stop(shortage.of("the constraints that a round adds")))
    }
}

/// What one thread found for some constraints: what bodies add, in order, less what the store has already.
#[derive(Default)]
pub(crate) struct Part {
    stretches: Vec<Stretch>,
    args: Vec<u64>,
    pub(super) counts: Counts,
}

/// Constraints of one table that follow each other.
struct Stretch {
    table: usize,
    count: usize,
    /// So many more are in the store already.
    known: u64,
}

impl Part {
    pub(super) fn clear(&mut self) {
        self.stretches.clear();
        self.args.clear();
    }

    /// Words of constraints.
    pub(super) fn words(&self) -> usize {
        self.args.len()
    }

    /// Bytes of its lists.
    pub(crate) fn bytes(&self) -> u64 {
        (self.stretches.capacity() * size_of::<Stretch>() + self.args.capacity() * 8) as u64
    }

    /// Puts what was found into the store.
    pub(super) fn store(&self, state: &mut RoundsState<'_, '_>, added: &mut Vec<Added>) -> Result<(), Stop> {
        let mut rest = &self.args[..];
        for stretch in &self.stretches {
            let (args, behind) = rest.split_at(stretch.count * state.tables[stretch.table].columns.len());
            state.add_slice(stretch.table, args, stretch.count, added)?;
            state.count_known(stretch.table, stretch.known);
            rest = behind;
        }
        Ok(())
    }
}

/// A list, for one of several threads: all of them read the store.
pub(super) struct Apart<'w> {
    tables: &'w [Table],
    heap: &'w Heap,
    /// By table: the reduction that drops a constraint whose key is there.
    sets: &'w [Option<&'w Reduction>],
    watch: &'w RoundWatch<'w>,
    part: &'w mut Part,
    /// Words that the list may have.
    most: usize,
    /// Which constraints of a slice are there.
    known: Vec<bool>,
    /// Bytes of the list that the watch knows of.
    bytes: u64,
}

impl<'w> Apart<'w> {
    pub(super) fn new(
        tables: &'w [Table],
        heap: &'w Heap,
        sets: &'w [Option<&'w Reduction>],
        watch: &'w RoundWatch<'w>,
        (part, most): (&'w mut Part, usize),
    ) -> Self {
        let bytes = part.bytes();
        Self { tables, heap, sets, watch, part, most, known: Vec::new(), bytes }
    }
}

impl Place for Apart<'_> {
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
    fn add(&mut self, table: usize, args: &[u64], count: usize) -> Result<(), Halt> {
        let Self { part, known, .. } = self;
        if part.args.len() > self.most {
            return Err(Halt::Long);
        }
        let room = memory::reserve(&mut part.args, args.len())
            .and_then(|()| memory::reserve(&mut part.stretches, 1));
        room.map_err(|_| Halt::Alone)?;
        if part.stretches.last().is_none_or(|stretch| stretch.table != table) {
            part.stretches.push(Stretch { table, count: 0, known: 0 });
        }
        let Some(stretch) = part.stretches.last_mut() else { return Ok(()) };
        let stored = &self.tables[table];
        let Some(set) = self.sets[table] else {
            part.args.extend_from_slice(args);
            stretch.count += count;
            return Ok(());
        };
        stored.indexes[set.index].have_keys(&stored.columns, args, known);
        let new = known.iter().zip(args.chunks_exact(stored.columns.len())).filter(|(known, _)| !**known);
        let before = part.args.len();
        new.for_each(|(_, args)| part.args.extend_from_slice(args));
        let new = (part.args.len() - before) / stored.columns.len();
        stretch.count += new;
        stretch.known += (count - new) as u64;
        Ok(())
    }

    fn full(&self, _: Shortage) -> Halt {
        Halt::Alone
    }

    fn account(&mut self) {
        let bytes = self.part.bytes();
        self.watch.taken.fetch_add(bytes.saturating_sub(self.bytes), Ordering::Relaxed);
        self.bytes = bytes;
    }
}
