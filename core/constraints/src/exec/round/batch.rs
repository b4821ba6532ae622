//! Constraints of one table by columns: those of a batch, those a thread has found, and which of them a table takes.

use crate::exec::index::NONE;
use crate::exec::table::Table;
use crate::ir::classes::Reduction;

/// Lists that are used again.
#[derive(Default)]
pub(crate) struct Buffers {
    /// The constraints of some that are to be stored.
    pub(super) chosen: Vec<u32>,
    /// A row of each key.
    pub(super) rows: Vec<u32>,
    /// The arguments of one.
    pub(super) args: Vec<u64>,
}

/// Constraints of one table that a thread has found, by columns.
#[derive(Default)]
pub(crate) struct Share {
    pub(crate) columns: Vec<Vec<u64>>,
    /// All bits that a value of a column has.
    pub(super) bits: Vec<u64>,
    pub(crate) count: usize,
}

impl Share {
    /// Takes some constraints of a batch.
    pub(crate) fn take(&mut self, batch: Batch<'_>, which: &[u32]) {
        self.columns.resize_with(batch.args.len(), Vec::new);
        self.bits.resize(batch.args.len(), 0);
        for ((column, bits), args) in self.columns.iter_mut().zip(&mut self.bits).zip(batch.args) {
            column.extend(which.iter().map(|&at| args[at as usize]).inspect(|value| *bits |= value));
        }
        self.count += which.len();
    }

    pub(crate) fn clear(&mut self) {
        self.columns.iter_mut().for_each(Vec::clear);
        self.bits.fill(0);
        self.count = 0;
    }

    pub(crate) fn words(&self) -> usize {
        self.columns.len() * self.count
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.columns.iter().map(|column| column.capacity() as u64 * 8).sum()
    }
}

/// Constraints of one table, by columns.
#[derive(Clone, Copy)]
pub(crate) struct Batch<'s> {
    pub(crate) table: usize,
    pub(crate) args: &'s [&'s [u64]],
    pub(crate) count: usize,
}

/// The constraints of a batch, from a place on, that the table does not drop for what it has of their keys.
pub(crate) fn choose(
    stored: &Table,
    filter: &Reduction,
    batch: Batch<'_>,
    from: usize,
    rows: &mut Vec<u32>,
    chosen: &mut Vec<u32>,
) {
    stored.indexes[filter.index].rows_of(&stored.columns, batch.args, batch.count, rows);
    let all = (from..batch.count).map(|at| at as u32);
    match filter.best {
        None => chosen.extend(all.filter(|&at| rows[at as usize] == NONE)),
        Some(best) => {
            let (kind, values) = (stored.kinds[best.column], batch.args[best.column]);
            let column = &stored.columns[best.column];
            let lives = |&at: &u32| {
                let row = rows[at as usize];
                row == NONE || best.is_better(kind, values[at as usize], column.get(row))
            };
            chosen.extend(all.filter(lives));
        }
    }
}
