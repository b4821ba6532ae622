//! Tables of constraints: columns of values, an id a row, and the indexes.
//!
//! Ids grow for ever, rows are used again. A row that a suspended search stands on is pinned: when its constraint is
//! removed it is dead at once, but stays linked until it is unpinned, so that the search can go on from it.

pub(crate) use super::column::DEAD;
pub(crate) use super::column::Live;
use super::column::{Column, Ids, Lists, copy_columns, set_lists};
use super::index::{Index, KeyedRows, NONE};
use crate::exec::added::Added;
use crate::ir::TablePlan;
use gchr_base::hash::HashMap;
use gchr_base::memory::{self, Shortage};
use gchr_base::signature::SortKind;
use gchr_base::stop::StopReason;

/// The constraints of one symbol.
pub(crate) struct Table {
    pub(crate) name: String,
    pub(crate) kinds: Vec<SortKind>,
    pub(crate) columns: Vec<Column>,
    pub(crate) indexes: Vec<Index>,
    /// Id of the constraint in each row, or [`DEAD`].
    pub(crate) ids: Ids,
    /// How many searches stand on each row; of the rows up to the last that was ever pinned.
    pins: Vec<u32>,
    free: Vec<u32>,
    used: usize,
    live: usize,
    bytes: u64,
    /// Whether no constraint is ever removed.
    keeps_rows: bool,
    /// Indexes to which rows are added when they are asked for, not when they are stored.
    late: Vec<bool>,
    /// What [`note_from`](Self::note_from) asks for.
    journal: Journal,
}

/// What was removed from a table, or replaced in it, of constraints older than a mark: id and values, one behind the
/// other, oldest change first.
#[derive(Default)]
struct Journal {
    /// Constraints with smaller ids are noted; 0: none are.
    mark: u64,
    gone: Vec<u64>,
}

/// Why a table has no row left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TableFull {
    /// Rows have 32 bits.
    Rows,
    /// There is no more memory.
    Memory(Shortage),
}

impl TableFull {
    /// The reason to stop a run, of which `what` asked for a row.
    pub(crate) fn reason(self, what: String) -> StopReason {
        match self {
            TableFull::Rows => StopReason::Indices { what, limit: Table::MAX_ROWS },
            TableFull::Memory(shortage) => shortage.of(what),
        }
    }
}

impl Table {
    const FIRST_ROWS: usize = 16;
    /// Rows a table can have: one number is kept for "no row".
    pub(crate) const MAX_ROWS: u64 = NONE as u64;

    pub(crate) fn new(plan: &TablePlan) -> Self {
        let plain = Self::plain(plan.name.clone(), plan.columns.iter().map(|c| c.kind).collect());
        Self {
            indexes: plan.indexes.iter().map(|index| Index::new(index, &plain.kinds)).collect(),
            late: vec![false; plan.indexes.len()],
            ..plain
        }
    }

    /// A table with these columns and no index.
    pub(crate) fn plain(name: String, kinds: Vec<SortKind>) -> Self {
        Self {
            name,
            columns: kinds.iter().map(|&kind| Column::new(kind)).collect(),
            indexes: Vec::new(),
            kinds,
            ids: Ids::new(),
            pins: Vec::new(),
            free: Vec::new(),
            used: 0,
            live: 0,
            bytes: 0,
            keeps_rows: false,
            late: Vec::new(),
            journal: Journal::default(),
        }
    }

    /// A table that is only read.
    pub(crate) fn without_indexes(plan: &TablePlan) -> Self {
        Self { indexes: Vec::new(), ..Self::new(plan) }
    }

    /// Number of constraints.
    pub(crate) fn live(&self) -> usize {
        self.live
    }

    /// Bytes of the table.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Rows that hold a constraint, in no particular order.
    pub(crate) fn rows(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.used as u32).filter(|&row| self.ids.get(row) != DEAD)
    }

    /// The same, to be looked at several times.
    pub(crate) fn live_rows(&self) -> Live {
        if self.live == self.used { Live::All(self.used) } else { Live::Some(self.rows().collect()) }
    }

    /// Bytes that so many insertions ask for, at least; 0 when there is room.
    #[inline]
    pub(crate) fn asks_for(&self, count: usize) -> u64 {
        let rows = self.used + count.saturating_sub(self.free.len());
        let capacity = self.ids.rows();
        if rows <= capacity {
            0
        } else {
            (Self::more(capacity).max(rows) - capacity) as u64 * self.row_bytes()
        }
    }

    /// Bytes of a row without heads of indexes.
    fn row_bytes(&self) -> u64 {
        let values: usize = self.columns.iter().map(Column::width).sum();
        let links: usize = self.early().map(Index::link_bytes).sum();
        (values + self.ids.width() + links) as u64
    }

    /// The indexes that have each row at once.
    fn early(&self) -> impl Iterator<Item = &Index> {
        self.indexes.iter().zip(&self.late).filter(|(_, late)| !**late).map(|(index, _)| index)
    }

    /// Capacity after `rows`: doubled while small, then a quarter and at last an eighth more, so that little stays
    /// unused.
    fn more(rows: usize) -> usize {
        match rows {
            0..0x1_0000 => (rows * 2).max(Self::FIRST_ROWS),
            0x1_0000..0x10_0000 => rows + rows / 4,
            _ => rows + rows / 8,
        }
    }

    /// Stores a constraint as the newest one. Says whether memory grew.
    #[inline]
    pub(crate) fn insert(&mut self, id: u64, values: &[u64]) -> Result<(u32, bool), TableFull> {
        let (row, mut grown) = match self.free.pop() {
            Some(row) => (row, false),
            None => self.fresh_row()?,
        };
        for (column, &value) in self.columns.iter_mut().zip(values) {
            grown |= column.set(row, value);
        }
        for (index, _) in self.indexes.iter_mut().zip(&self.late).filter(|(_, late)| !**late) {
            let rows = KeyedRows { columns: &self.columns, ids: &self.ids };
            match index.make_room(rows, row, self.used) {
                Ok(more) => grown |= more,
                Err(shortage) => {
                    self.free.push(row);
                    return Err(TableFull::Memory(shortage));
                }
            }
        }
        self.ids.set(row, id);
        for (index, _) in self.indexes.iter_mut().zip(&self.late).filter(|(_, late)| !**late) {
            index.insert(&self.columns, row);
        }
        self.live += 1;
        if grown {
            self.count_bytes();
        }
        Ok((row, grown))
    }

    /// Whether constraints are put into the rows behind the others, and no index but `set` has them at once.
    pub(crate) fn appends(&self, set: Option<usize>) -> bool {
        let is_late = |index: usize| self.late[index] || Some(index) == set;
        self.keeps_rows && (0..self.indexes.len()).all(is_late)
    }

    /// Puts the keys of constraints, given by columns, into a set, as [`Index::claim`] does: those that are new must be
    /// [appended](Self::append). Says whether memory grew, too.
    pub(crate) fn claim(
        &mut self,
        set: usize,
        args: &[&[u64]],
        (from, to): (usize, usize),
        new: &mut Vec<u32>,
    ) -> Result<usize, TableFull> {
        if !self.appends(Some(set)) {
            return Ok(from);
        }
        let before = self.indexes[set].head_bytes();
        let end = self.indexes[set].claim(args, (from, to), new).map_err(TableFull::Memory)?;
        if self.indexes[set].head_bytes() != before {
            self.count_bytes();
        }
        Ok(end)
    }

    /// Accounts for the memory of keys that threads have put into a set: the constraints that are new must be
    /// [appended](Self::append_lists).
    pub(crate) fn settle(&mut self, set: usize) {
        self.indexes[set].settle();
        self.count_bytes();
    }

    /// Stores constraints as the newest ones, with ids from `id` on; each column is given by lists, which threads
    /// share. Gives the first of their rows, which follow each other, and says whether memory grew.
    pub(crate) fn append_lists<'v>(
        &mut self,
        id: u64,
        count: usize,
        columns: impl Iterator<Item = Lists<'v>>,
    ) -> Result<(u32, bool), TableFull> {
        self.put_lists(count, columns, |ids, first| ids.set_all(first, id, count))
    }

    /// The same with ids of their own, in a table without indexes.
    pub(crate) fn insert_lists<'v>(
        &mut self,
        count: usize,
        columns: impl Iterator<Item = Lists<'v>>,
        own: impl Iterator<Item = u64>,
    ) -> Result<(), TableFull> {
        debug_assert!(self.indexes.is_empty());
        self.put_lists(count, columns, |ids, first| ids.set_each(first, own)).map(drop)
    }

    /// Puts constraints into the rows behind the others; `number` sets their ids, from the first row on.
    fn put_lists<'v>(
        &mut self,
        count: usize,
        columns: impl Iterator<Item = Lists<'v>>,
        number: impl FnOnce(&mut Ids, usize),
    ) -> Result<(u32, bool), TableFull> {
        let (first, end) = (self.used, self.used + count);
        let mut grown = end > self.ids.rows();
        if grown {
            self.grow(end)?;
        }
        let values: Vec<Lists<'v>> = columns.collect();
        grown |= set_lists(&mut self.columns, first, &values, count);
        number(&mut self.ids, first);
        (self.used, self.live) = (end, self.live + count);
        if grown {
            self.count_bytes();
        }
        Ok((first as u32, grown))
    }

    /// Stores some of the constraints that are given by columns as the newest ones, with ids from `id` on. Gives the
    /// first of their rows, which follow each other, and says whether memory grew.
    pub(crate) fn append(
        &mut self,
        id: u64,
        args: &[&[u64]],
        which: &[u32],
    ) -> Result<(u32, bool), TableFull> {
        let (first, end) = (self.used, self.used + which.len());
        let mut grown = end > self.ids.rows();
        if grown {
            self.grow(end)?;
        }
        for (column, args) in self.columns.iter_mut().zip(args) {
            grown |= column.set_all(first, which.iter().map(|&at| args[at as usize]));
        }
        self.ids.set_all(first, id, which.len());
        (self.used, self.live) = (end, self.live + which.len());
        if grown {
            self.count_bytes();
        }
        Ok((first as u32, grown))
    }

    /// Puts a constraint into a row that no index has: nobody looks for it any more.
    pub(crate) fn leave_behind(&mut self, id: u64, values: &[u64]) -> Result<(), TableFull> {
        let row = match self.free.pop() {
            Some(row) => row,
            None => self.fresh_row()?.0,
        };
        for (column, &value) in self.columns.iter_mut().zip(values) {
            column.set(row, value);
        }
        self.ids.set(row, id);
        self.live += 1;
        self.count_bytes();
        Ok(())
    }

    /// Makes room for so many more constraints of a table without indexes.
    pub(crate) fn reserve(&mut self, count: usize) -> Result<(), TableFull> {
        let rows = self.used + count;
        if rows > self.ids.rows() { self.grow(rows) } else { Ok(()) }
    }

    /// Stores the constraints of another table of the same symbol behind those of this one, which has no indexes.
    pub(crate) fn absorb(&mut self, other: &Table) -> Result<(), TableFull> {
        debug_assert!(self.indexes.is_empty());
        self.reserve(other.live)?;
        let first = self.used;
        copy_columns(&mut self.columns, first, &other.columns, &other.live_rows());
        self.ids.set_all(first, first as u64, other.live);
        (self.used, self.live) = (first + other.live, self.live + other.live);
        self.count_bytes();
        Ok(())
    }

    /// Removes all constraints of a table in which nobody looks for rows; its memory stays.
    pub(crate) fn clear(&mut self) {
        debug_assert!(self.pins.is_empty() && self.journal.mark == 0);
        let Self { indexes, columns, ids, used, .. } = self;
        for index in indexes {
            let rows = (0..*used as u32).filter(|&row| ids.get(row) != DEAD);
            rows.for_each(|row| index.remove(columns, row));
        }
        self.free.clear();
        (self.used, self.live) = (0, 0);
    }

    fn fresh_row(&mut self) -> Result<(u32, bool), TableFull> {
        let grown = self.used == self.ids.rows();
        if grown {
            self.grow(self.used + 1)?;
        }
        self.used += 1;
        Ok((self.used as u32 - 1, grown))
    }

    /// Makes room for so many rows, and some more.
    fn grow(&mut self, rows: usize) -> Result<(), TableFull> {
        let capacity = self.ids.rows();
        if rows > Self::MAX_ROWS as usize {
            return Err(TableFull::Rows);
        }
        let rows = Self::more(capacity).max(rows).min(Self::MAX_ROWS as usize);
        memory::ask((rows - capacity) as u64 * self.row_bytes()).map_err(TableFull::Memory)?;
        self.ids.reserve(rows);
        self.columns.iter_mut().for_each(|c| c.reserve(rows));
        let early = self.indexes.iter_mut().zip(&self.late).filter(|(_, late)| !**late);
        early.for_each(|(index, _)| index.reserve(rows));
        Ok(())
    }

    fn count_bytes(&mut self) {
        let rows = self.ids.rows() as u64 * self.row_bytes();
        let heads: u64 = self.indexes.iter().map(Index::head_bytes).sum();
        let late = self.indexes.iter().zip(&self.late).filter(|(_, late)| **late);
        let links: usize = late.map(|(index, _)| index.link_bytes() * index.link_capacity()).sum();
        let lists = (self.pins.capacity() + self.free.capacity()) * 4 + self.journal.gone.capacity() * 8;
        self.bytes = rows + heads + (links + lists) as u64;
    }

    /// Marks a constraint as removed; [`unlink`](Self::unlink) must follow, at once or when the row is unpinned.
    #[inline]
    pub(crate) fn kill(&mut self, row: u32) {
        debug_assert_ne!(self.ids.get(row), DEAD);
        if self.journal.mark > 0 {
            self.note(row);
        }
        self.ids.set(row, DEAD);
        self.live -= 1;
    }

    /// Takes a dead row out of the indexes and makes it free, unless it is pinned.
    #[inline]
    pub(crate) fn unlink(&mut self, row: u32) {
        debug_assert_eq!(self.ids.get(row), DEAD);
        if self.pins.get(row as usize).is_none_or(|&pins| pins == 0) {
            for index in &mut self.indexes {
                index.remove(&self.columns, row);
            }
            self.free.push(row);
        }
    }

    /// Removes a constraint, and takes its row out of the indexes; the row is not used again before it is
    /// [released](Self::release).
    pub(crate) fn detach(&mut self, row: u32) {
        self.kill(row);
        for index in &mut self.indexes {
            index.remove(&self.columns, row);
        }
    }

    /// Makes a detached row free.
    pub(crate) fn release(&mut self, row: u32) {
        debug_assert_eq!(self.ids.get(row), DEAD);
        self.free.push(row);
    }

    /// Tells the table that no two constraints have the same key of an index.
    pub(crate) fn make_unique(&mut self, index: usize) {
        self.indexes[index].make_unique();
    }

    /// Tells the table that no two constraints have the same key of an index, by which nobody looks for rows.
    pub(crate) fn make_set(&mut self, index: usize, beside: Option<usize>) {
        self.indexes[index].make_set(beside);
    }

    /// Tells the table that no constraint is ever removed from it. Indexes of which `late` says so are those of
    /// [`link`](Self::link).
    pub(crate) fn keep_rows(&mut self, late: impl Fn(usize) -> bool) {
        self.indexes.iter_mut().for_each(Index::keep_rows);
        self.late = (0..self.indexes.len()).map(late).collect();
        self.keeps_rows = true;
    }

    /// Takes back what was done since `used` rows were in use: rows of `added` are gone, those of `removed` hold their
    /// constraints again.
    pub(crate) fn take_back(
        &mut self,
        used: usize,
        added: impl Iterator<Item = u32>,
        removed: impl Iterator<Item = (u32, u64)>,
    ) -> Result<(), TableFull> {
        for row in added {
            if self.ids.get(row) != DEAD {
                self.kill(row);
                if !self.keeps_rows {
                    self.free.push(row);
                }
            }
        }
        for (row, id) in removed {
            self.ids.set(row, id);
            self.live += 1;
        }
        if self.keeps_rows {
            self.used = used;
        }
        self.link_again()
    }

    /// Makes the indexes that have each row at once anew, in the order in which rows were added.
    fn link_again(&mut self) -> Result<(), TableFull> {
        let linked = |(_, late): &(&mut Index, &bool)| !**late;
        self.indexes.iter_mut().zip(&self.late).filter(linked).for_each(|(index, _)| index.clear());
        // A list of rows only where some were used again, since memory may be short.
        let order = (!self.rows().is_sorted_by_key(|row| self.ids.get(row))).then(|| {
            let mut rows: Vec<u32> = self.rows().collect();
            rows.sort_unstable_by_key(|&row| self.ids.get(row));
            rows
        });
        for (index, _) in self.indexes.iter_mut().zip(&self.late).filter(linked) {
            for at in 0..order.as_ref().map_or(self.used, Vec::len) {
                let row = order.as_ref().map_or(at as u32, |rows| rows[at]);
                if self.ids.get(row) != DEAD {
                    let stored = KeyedRows { columns: &self.columns, ids: &self.ids };
                    index.make_room(stored, row, self.used).map_err(TableFull::Memory)?;
                    index.insert(&self.columns, row);
                }
            }
        }
        self.count_bytes();
        Ok(())
    }

    /// Where the search in a list begins that begins with `row`: rows are listed newest first, and partners are older.
    /// Where the constraint of this table that looks for them is in the same list, as most of a batch may be, that is
    /// behind it.
    #[inline]
    pub(crate) fn behind(&self, index: usize, row: u32, active: Option<Added>) -> u32 {
        let index = &self.indexes[index];
        match active {
            Some(active) if row != NONE && self.ids.get(row) > active.id => {
                if index.share_list(&self.columns, row, active.row) { index.next(active.row) } else { row }
            }
            _ => row,
        }
    }

    /// Whether all rows of an index are older than a constraint, so that its search need not ask: where it is not
    /// known, no.
    pub(crate) fn all_older(&self, index: usize, id: u64) -> bool {
        let linked = self.indexes[index].linked();
        self.keeps_rows && self.late[index] && (linked == 0 || self.ids.get(linked as u32 - 1) < id)
    }

    /// Brings all rows into an index. Says whether memory grew.
    pub(crate) fn link(&mut self, index: usize) -> Result<bool, TableFull> {
        let own = &mut self.indexes[index];
        let first = own.linked();
        if !self.late[index] || first == self.used {
            return Ok(false);
        }
        let capacity = own.link_capacity();
        if capacity < self.used && own.link_bytes() > 0 {
            let rows = Self::more(self.used);
            memory::ask((rows - capacity) as u64 * own.link_bytes() as u64).map_err(TableFull::Memory)?;
            own.reserve(rows);
        }
        let (mut row, end) = (first as u32, self.used as u32);
        while row < end {
            row = own.insert_run(&self.columns, row..end).map_err(TableFull::Memory)?;
            if row < end {
                let rows = KeyedRows { columns: &self.columns, ids: &self.ids };
                own.make_room(rows, row, self.used).map_err(TableFull::Memory)?;
                own.insert(&self.columns, row);
                row += 1;
            }
        }
        self.count_bytes();
        Ok(true)
    }

    /// From now on notes what is removed or replaced of constraints whose ids are smaller than `mark`, so that
    /// [`return_to`](Self::return_to) can bring it back.
    pub(crate) fn note_from(&mut self, mark: u64) {
        self.journal.mark = mark;
    }

    /// How much is noted: a place to return to.
    pub(crate) fn noted(&self) -> usize {
        self.journal.gone.len()
    }

    /// Forgets the notes before a place; those behind it move to the front.
    pub(crate) fn forget(&mut self, place: usize) {
        self.journal.gone.drain(..place);
    }

    #[cold]
    fn note(&mut self, row: u32) {
        let id = self.ids.get(row);
        if id < self.journal.mark {
            self.journal.gone.push(id);
            self.journal.gone.extend(self.columns.iter().map(|column| column.get(row)));
        }
    }

    /// The words of noted values in a column.
    pub(crate) fn noted_words(&self, column: usize) -> impl Iterator<Item = u64> + '_ {
        self.journal.gone.iter().skip(1 + column).step_by(1 + self.columns.len()).copied()
    }

    /// Makes the table what it was when the next id was `mark` and [`noted`](Self::noted) was `place`. Nobody stands on
    /// its rows any more.
    pub(crate) fn return_to(&mut self, mark: u64, place: usize) -> Result<(), TableFull> {
        let noted = self.journal.gone.split_off(place);
        let mut old: HashMap<u64, &[u64]> = HashMap::default();
        for entry in noted.chunks_exact(1 + self.columns.len()).filter(|entry| entry[0] < mark) {
            old.entry(entry[0]).or_insert(&entry[1..]);
        }
        for row in 0..self.used as u32 {
            match self.ids.get(row) {
                DEAD => {}
                id if id >= mark => self.ids.set(row, DEAD),
                id => {
                    if let Some(values) = old.remove(&id) {
                        self.columns.iter_mut().zip(values).for_each(|(column, &value)| {
                            column.set(row, value);
                        });
                    }
                }
            }
        }
        self.pins.clear();
        self.free.clear();
        if self.keeps_rows {
            debug_assert!(old.is_empty(), "rows that stay are never removed");
            self.used = (0..self.used as u32).take_while(|&row| self.ids.get(row) != DEAD).count();
        } else {
            self.free.extend((0..self.used as u32).filter(|&row| self.ids.get(row) == DEAD));
        }
        for (id, values) in old {
            let row = match self.free.pop() {
                Some(row) => row,
                None => self.fresh_row()?.0,
            };
            self.columns.iter_mut().zip(values).for_each(|(column, &value)| {
                column.set(row, value);
            });
            self.ids.set(row, id);
        }
        self.live = self.rows().count();
        self.indexes.iter_mut().for_each(Index::clear);
        self.link_again()
    }

    /// Moves all constraints and notes of another table with as many columns here; `word` makes a word of this table of
    /// one of the other.
    pub(crate) fn adopt<E: From<TableFull>>(
        &mut self,
        other: Table,
        mut word: impl FnMut(usize, u64) -> Result<u64, E>,
    ) -> Result<(), E> {
        let mut rows: Vec<u32> = other.rows().collect();
        rows.sort_unstable_by_key(|&row| other.ids.get(row));
        let mut values = vec![0; self.columns.len()];
        for row in rows {
            for (at, value) in values.iter_mut().enumerate() {
                *value = word(at, other.columns[at].get(row))?;
            }
            self.insert(other.ids.get(row), &values)?;
        }
        let step = 1 + self.columns.len();
        for (at, &noted) in other.journal.gone.iter().enumerate() {
            let own = if at % step == 0 { noted } else { word(at % step - 1, noted)? };
            self.journal.gone.push(own);
        }
        Ok(())
    }

    /// Replaces a value of a constraint in a column that no index has in its key.
    pub(crate) fn replace(&mut self, row: u32, column: usize, value: u64) {
        debug_assert!(self.indexes.iter().all(|index| !index.has(column)));
        if self.journal.mark > 0 {
            self.note(row);
        }
        if self.columns[column].set(row, value) {
            self.count_bytes();
        }
    }

    /// Whether no constraint is ever removed.
    pub(crate) fn keeps_rows(&self) -> bool {
        self.keeps_rows
    }

    /// Number of rows that ever held a constraint.
    pub(crate) fn used(&self) -> usize {
        self.used
    }

    /// From now on ids have 64 bits.
    pub(super) fn widen_ids(&mut self) {
        self.ids.widen();
        self.count_bytes();
    }

    /// Keeps a row in its lists while a suspended search stands on it.
    #[inline]
    pub(crate) fn pin(&mut self, row: u32) {
        if self.keeps_rows {
            return;
        }
        if row as usize >= self.pins.len() {
            self.pins.resize(row as usize + 1, 0);
        }
        self.pins[row as usize] += 1;
    }

    /// The search went on.
    #[inline]
    pub(crate) fn unpin(&mut self, row: u32) {
        if self.keeps_rows {
            return;
        }
        self.pins[row as usize] -= 1;
        if self.ids.get(row) == DEAD {
            self.unlink(row);
        }
    }
}
