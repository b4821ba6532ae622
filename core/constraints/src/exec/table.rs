//! Tables of constraints: columns of values, an id a row, and the indexes.
//!
//! Ids grow for ever, rows are used again. A row that a suspended search stands on is pinned: when its constraint is
//! removed it is dead at once, but stays linked until it is unpinned, so that the search can go on from it.

pub(crate) use super::column::DEAD;
use super::column::{Column, Ids};
use super::index::{Index, NONE, Rows};
use super::round::state::Added;
use crate::ir::TablePlan;
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
        let kinds: Vec<SortKind> = plan.columns.iter().map(|c| c.kind).collect();
        Self {
            name: plan.name.clone(),
            columns: plan.columns.iter().map(|c| Column::new(c.kind)).collect(),
            indexes: plan.indexes.iter().map(|index| Index::new(index, &kinds)).collect(),
            kinds,
            ids: Ids::new(),
            pins: Vec::new(),
            free: Vec::new(),
            used: 0,
            live: 0,
            bytes: 0,
            keeps_rows: false,
            late: vec![false; plan.indexes.len()],
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

    /// Bytes that the next insertion asks for, at least; 0 when there is room.
    #[inline]
    pub(crate) fn asks_for(&self) -> u64 {
        if self.free.is_empty() && self.used == self.ids.rows() {
            (Self::more(self.used) - self.used) as u64 * self.row_bytes()
        } else {
            0
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
            let rows = Rows { columns: &self.columns, ids: &self.ids };
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

    fn fresh_row(&mut self) -> Result<(u32, bool), TableFull> {
        let grown = self.used == self.ids.rows();
        if grown {
            let rows = Self::more(self.used).min(Self::MAX_ROWS as usize);
            if rows == self.used {
                return Err(TableFull::Rows);
            }
            memory::ask((rows - self.used) as u64 * self.row_bytes()).map_err(TableFull::Memory)?;
            self.ids.reserve(rows);
            self.columns.iter_mut().for_each(|c| c.reserve(rows));
            let early = self.indexes.iter_mut().zip(&self.late).filter(|(_, late)| !**late);
            early.for_each(|(index, _)| index.reserve(rows));
        }
        self.used += 1;
        Ok((self.used as u32 - 1, grown))
    }

    fn count_bytes(&mut self) {
        let rows = self.ids.rows() as u64 * self.row_bytes();
        let heads: u64 = self.indexes.iter().map(Index::head_bytes).sum();
        let late = self.indexes.iter().zip(&self.late).filter(|(_, late)| **late);
        let links: usize = late.map(|(index, _)| index.link_bytes() * index.link_capacity()).sum();
        self.bytes = rows + heads + links as u64 + ((self.pins.capacity() + self.free.capacity()) * 4) as u64;
    }

    /// Marks a constraint as removed; [`unlink`](Self::unlink) must follow, at once or when the row is unpinned.
    #[inline]
    pub(crate) fn kill(&mut self, row: u32) {
        debug_assert_ne!(self.ids.get(row), DEAD);
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
    pub(crate) fn make_set(&mut self, index: usize) {
        self.indexes[index].make_set();
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
        for row in added.filter(|&row| self.ids.get(row) != DEAD).collect::<Vec<u32>>() {
            self.kill(row);
            if !self.keeps_rows {
                self.free.push(row);
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

    /// Makes the indexes that have each row at once anew.
    fn link_again(&mut self) -> Result<(), TableFull> {
        let mut rows: Vec<u32> = self.rows().collect();
        rows.sort_unstable_by_key(|&row| self.ids.get(row));
        for (index, _) in self.indexes.iter_mut().zip(&self.late).filter(|(_, late)| !**late) {
            index.clear();
            for &row in &rows {
                let stored = Rows { columns: &self.columns, ids: &self.ids };
                index.make_room(stored, row, self.used).map_err(TableFull::Memory)?;
                index.insert(&self.columns, row);
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
        for row in first as u32..self.used as u32 {
            let rows = Rows { columns: &self.columns, ids: &self.ids };
            own.make_room(rows, row, self.used).map_err(TableFull::Memory)?;
            own.insert(&self.columns, row);
        }
        self.count_bytes();
        Ok(true)
    }

    /// Replaces a value of a constraint in a column that no index has in its key.
    pub(crate) fn replace(&mut self, row: u32, column: usize, value: u64) {
        debug_assert!(self.indexes.iter().all(|index| !index.has(column)));
        if self.columns[column].set(row, value) {
            self.count_bytes();
        }
    }

    /// Number of rows that ever held a constraint.
    pub(crate) fn used(&self) -> usize {
        self.used
    }

    /// Keeps a row in its lists while a suspended search stands on it.
    #[inline]
    pub(crate) fn pin(&mut self, row: u32) {
        if row as usize >= self.pins.len() {
            self.pins.resize(row as usize + 1, 0);
        }
        self.pins[row as usize] += 1;
    }

    /// The search went on.
    #[inline]
    pub(crate) fn unpin(&mut self, row: u32) {
        self.pins[row as usize] -= 1;
        if self.ids.get(row) == DEAD {
            self.unlink(row);
        }
    }
}
