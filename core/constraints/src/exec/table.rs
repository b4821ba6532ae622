//! Tables of constraints: columns of values, an id a row, and the indexes.
//!
//! Ids grow for ever, rows are used again. A row that a suspended search stands on is pinned: when its constraint is removed it is
//! dead at once, but stays linked until it is unpinned, so that the search can go on from it.

pub(crate) use super::column::DEAD;
use super::column::{Column, Ids};
use super::index::{Index, NONE};
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
        Self {
            name: plan.name.clone(),
            kinds: plan.columns.iter().map(|c| c.kind).collect(),
            columns: plan.columns.iter().map(|c| Column::new(c.kind)).collect(),
            indexes: plan.indexes.iter().map(Index::new).collect(),
            ids: Ids::new(),
            pins: Vec::new(),
            free: Vec::new(),
            used: 0,
            live: 0,
            bytes: 0,
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
        let links: usize = self.indexes.iter().map(Index::link_bytes).sum();
        (values + self.ids.width() + links) as u64
    }

    /// Capacity after `rows`: doubled while small, then a quarter and at last an eighth more, so that little stays unused.
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
        for index in &mut self.indexes {
            match index.make_room(&self.columns, row, self.used) {
                Ok(more) => grown |= more,
                Err(shortage) => {
                    self.free.push(row);
                    return Err(TableFull::Memory(shortage));
                }
            }
        }
        self.ids.set(row, id);
        for index in &mut self.indexes {
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
            self.indexes.iter_mut().for_each(|i| i.reserve(rows));
        }
        self.used += 1;
        Ok((self.used as u32 - 1, grown))
    }

    fn count_bytes(&mut self) {
        let rows = self.ids.rows() as u64 * self.row_bytes();
        let heads: usize = self.indexes.iter().map(Index::head_bytes).sum();
        self.bytes = rows + (heads + (self.pins.capacity() + self.free.capacity()) * 4) as u64;
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

    /// Removes a constraint, and takes its row out of the indexes; the row is not used again before it is [released](Self::release).
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
