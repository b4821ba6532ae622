//! Stores as words: how backends that run elsewhere take constraints, and give them back.
//!
//! A word is what a column stores: an integer or the bits of a float, the number of a text, a tagged word of the
//! store's heap.

use std::ops::Range;

use super::column::Lists;
use super::store::Store;
use super::table::{DEAD, Table};
use crate::ir::ChrPlan;
use gchr_base::ids::Id;
use gchr_base::signature::ConstraintId;
use gchr_base::value::Heap;

/// A constraint as words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Words {
    /// Its symbol.
    pub constraint: ConstraintId,
    /// Its id.
    pub id: u64,
    /// One word a column.
    pub values: Vec<u64>,
}

impl Store {
    /// All constraints in the order of their ids.
    pub fn words(&self) -> Vec<Words> {
        let mut all = Vec::with_capacity(self.len());
        for (index, table) in self.tables.iter().enumerate() {
            let constraint = ConstraintId::from_index(index);
            let row = |row: u32| Words {
                constraint,
                id: table.ids.get(row),
                values: table.columns.iter().map(|c| c.get(row)).collect(),
            };
            all.extend(table.rows().map(row));
        }
        all.sort_unstable_by_key(|w| w.id);
        all
    }

    /// The heap that words of sort `Any` are of.
    pub fn heap(&self) -> &Heap {
        &self.heap
    }

    /// A store without constraints for a plan's tables. Words of sort `Any` that come to it must be those of `heap`.
    pub fn new(plan: &ChrPlan, heap: Heap) -> Self {
        Self { tables: plan.tables.iter().map(Table::without_indexes).collect(), heap }
    }

    /// Adds a constraint: its id, and one word a column. Says whether there is such a table, and room in it.
    #[must_use]
    pub fn insert(&mut self, constraint: ConstraintId, id: u64, values: &[u64]) -> bool {
        debug_assert_ne!(id, DEAD);
        let table = self.tables.get_mut(constraint.index());
        table.is_some_and(|table| table.columns.len() == values.len() && table.insert(id, values).is_ok())
    }

    /// Adds constraints that are given by columns: in each row an id, or `none` where there is no constraint. Threads
    /// share the rows. Says whether there is such a table, and room in it.
    #[must_use]
    pub fn insert_columns(
        &mut self,
        constraint: ConstraintId,
        (ids, none): (&[u32], u32),
        columns: &[Vec<u64>],
    ) -> bool {
        let fits = |table: &&mut Table| {
            table.columns.len() == columns.len() && columns.iter().all(|column| column.len() == ids.len())
        };
        let Some(table) = self.tables.get_mut(constraint.index()).filter(fits) else { return false };
        let pieces = live_runs(ids, none);
        let runs = || pieces.iter().flatten();
        let count = runs().map(Range::len).sum();
        let live = runs().flat_map(|run| &ids[run.clone()]).map(|&id| u64::from(id));
        table.insert_lists(count, columns.iter().map(|column| lists(column, &pieces)), live).is_ok()
    }
}

/// The values of a column in these runs.
fn lists<'v>(column: &'v [u64], pieces: &[Vec<Range<usize>>]) -> Lists<'v> {
    let piece = |runs: &Vec<Range<usize>>| runs.iter().map(|run| &column[run.clone()]).collect();
    Lists { lists: pieces.iter().map(piece).collect(), bits: None }
}

/// Rows of a piece of a table that a thread takes.
const PIECE: usize = 1 << 18;

/// The rows with an id that is not `none`: for each piece of the table the runs of them.
fn live_runs(ids: &[u32], none: u32) -> Vec<Vec<Range<usize>>> {
    let runs = |(number, piece): (usize, &[u32])| {
        let (start, mut at, mut found) = (number * PIECE, 0, Vec::new());
        if !piece.contains(&none) {
            found.push(start..start + piece.len());
            return found;
        }
        for run in piece.split(|&id| id == none) {
            if !run.is_empty() {
                found.push(start + at..start + at + run.len());
            }
            at += run.len() + 1;
        }
        found
    };
    ids.chunks(PIECE).enumerate().map(runs).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_the_rows_that_live() {
        let of = |ids: &[u32]| live_runs(ids, 9).into_iter().flatten().flatten().collect::<Vec<usize>>();
        assert_eq!(of(&[9, 1, 2, 9, 9, 3, 9]), [1, 2, 5]);
        assert_eq!(of(&[1, 2, 3]), [0, 1, 2]);
        assert_eq!(of(&[9, 9]), Vec::<usize>::new());
        assert_eq!(of(&[]), Vec::<usize>::new());
        let mut many: Vec<u32> = (0..3 * PIECE as u32 / 2).map(|n| n % 8).collect();
        many[PIECE - 1] = 9;
        many[PIECE] = 9;
        let wanted: Vec<usize> = (0..many.len()).filter(|&at| many[at] != 9).collect();
        assert_eq!(of(&many), wanted);
    }
}
