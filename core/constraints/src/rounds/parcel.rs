//! Constraints as words: a table, how many, then its columns one after the other, with 32 bits a value where all values
//! of a column fit.

use crate::exec::table::Table;
use gchr_base::ids::Id;
use gchr_base::signature::ConstraintId;

/// The columns of a table, wherever it is.
pub trait Columns {
    /// How many there are.
    fn number(&self) -> usize;
    /// The value of a row in one of them.
    fn value(&self, column: usize, row: u32) -> u64;
}

impl Columns for Table {
    fn number(&self) -> usize {
        self.columns.len()
    }
    fn value(&self, column: usize, row: u32) -> u64 {
        self.columns[column].get(row)
    }
}

impl Columns for Vec<Vec<u64>> {
    fn number(&self) -> usize {
        self.len()
    }
    fn value(&self, column: usize, row: u32) -> u64 {
        self[column][row as usize]
    }
}

/// Words that go to each worker.
pub struct Parcels {
    pub(in crate::rounds) to: Vec<Vec<u64>>,
    /// The rows that go to each worker, of the table at hand.
    rows: Vec<Vec<u32>>,
}

impl Parcels {
    /// Nothing for so many workers.
    pub fn new(ranks: usize) -> Self {
        Self { to: vec![Vec::new(); ranks], rows: vec![Vec::new(); ranks] }
    }

    /// Packs rows of a table, for a table of their receiver. `to` gives the receiver of a row; `None`: all workers.
    pub(in crate::rounds) fn pack(
        &mut self,
        from: &impl Columns,
        table: ConstraintId,
        rows: impl Iterator<Item = u32>,
        to: impl Fn(u32) -> Option<usize>,
    ) {
        for row in rows {
            match to(row) {
                Some(rank) => self.rows[rank].push(row),
                None => self.rows.iter_mut().for_each(|rows| rows.push(row)),
            }
        }
        for (words, rows) in self.to.iter_mut().zip(&mut self.rows).filter(|(_, rows)| !rows.is_empty()) {
            words.extend([table.index() as u64, rows.len() as u64]);
            (0..from.number()).for_each(|column| push(words, rows, |row| from.value(column, row)));
            rows.clear();
        }
    }
}

/// Half a word a value, if all fit.
const NARROW: u64 = 1;

fn push(words: &mut Vec<u64>, rows: &[u32], value: impl Fn(u32) -> u64) {
    let is_narrow = rows.iter().all(|&row| value(row) <= u64::from(u32::MAX));
    words.push(u64::from(is_narrow) * NARROW);
    match is_narrow {
        true => words.extend(rows.chunks(2).map(|pair| {
            let second = pair.get(1).map_or(0, |&row| value(row));
            value(pair[0]) | second << 32
        })),
        false => words.extend(rows.iter().map(|&row| value(row))),
    }
}

/// Constraints of one table that another worker has sent.
pub struct ReceivedBatch {
    /// Its number in the program of workers.
    pub table: usize,
    /// How many they are.
    pub count: usize,
    /// Their values, column by column.
    pub columns: Vec<Vec<u64>>,
}

/// Reads what was packed; `columns` gives the number of columns of a table.
pub fn unpack(mut words: &[u64], columns: impl Fn(usize) -> Option<usize>) -> Option<Vec<ReceivedBatch>> {
    let mut batches = Vec::new();
    while let [table, count, rest @ ..] = words {
        let (table, count) = (usize::try_from(*table).ok()?, usize::try_from(*count).ok()?);
        words = rest;
        let columns = (0..columns(table)?).map(|_| pop(&mut words, count)).collect::<Option<_>>()?;
        batches.push(ReceivedBatch { table, count, columns });
    }
    words.is_empty().then_some(batches)
}

fn pop(words: &mut &[u64], count: usize) -> Option<Vec<u64>> {
    let (&width, rest) = words.split_first()?;
    if width != NARROW {
        let (values, rest) = rest.split_at_checked(count)?;
        *words = rest;
        return Some(values.to_vec());
    }
    let (values, rest) = rest.split_at_checked(count.div_ceil(2))?;
    *words = rest;
    let mut values: Vec<u64> =
        values.iter().flat_map(|&word| [word & u64::from(u32::MAX), word >> 32]).collect();
    values.truncate(count);
    Some(values)
}
