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

/// Constraints as words, in an order, by columns.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct RowList {
    /// A symbol, and how many constraints of it follow each other.
    runs: Vec<(ConstraintId, usize)>,
    /// By symbol.
    tables: Vec<RowColumns>,
    len: usize,
}

/// The constraints of one symbol.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
struct RowColumns {
    columns: Vec<Vec<u64>>,
    count: usize,
}

impl RowList {
    /// Appends a constraint: one word a column.
    pub fn push(&mut self, constraint: ConstraintId, values: &[u64]) {
        match self.runs.last_mut() {
            Some((last, count)) if *last == constraint => *count += 1,
            _ => self.runs.push((constraint, 1)),
        }
        let tables = self.tables.len().max(constraint.index() + 1);
        self.tables.resize_with(tables, RowColumns::default);
        let RowColumns { columns, count } = &mut self.tables[constraint.index()];
        columns.resize_with(values.len(), Vec::new);
        columns.iter_mut().zip(values).for_each(|(column, &value)| column.push(value));
        *count += 1;
        self.len += 1;
    }

    /// How many constraints there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many there are of a symbol.
    pub fn count(&self, constraint: ConstraintId) -> usize {
        self.tables.get(constraint.index()).map_or(0, |table| table.count)
    }

    /// Those of a symbol by columns, in their order; no columns where there are none.
    pub fn columns(&self, constraint: ConstraintId) -> &[Vec<u64>] {
        self.tables.get(constraint.index()).map_or(&[], |table| &table.columns)
    }

    /// The same, to give them other words.
    pub fn columns_mut(&mut self, constraint: ConstraintId) -> &mut [Vec<u64>] {
        self.tables.get_mut(constraint.index()).map_or(&mut [], |table| &mut table.columns)
    }

    /// All in their order, as runs of one symbol: places among those of the symbol.
    pub fn runs(&self) -> impl Iterator<Item = (ConstraintId, Range<usize>)> {
        let mut ends = vec![0; self.tables.len()];
        self.runs.iter().map(move |&(constraint, count)| {
            let end = &mut ends[constraint.index()];
            *end += count;
            (constraint, *end - count..*end)
        })
    }
}

impl Store {
    /// All constraints in the order of their ids.
    pub fn rows_by_id(&self) -> RowList {
        let tables = || self.tables.iter().enumerate();
        let mut places: Vec<(u64, usize, u32)> = tables()
            .flat_map(|(t, table)| table.rows().map(move |row| (table.ids.get(row), t, row)))
            .collect();
        places.sort_unstable();
        let (mut all, mut values) = (RowList::default(), Vec::new());
        for (_, table, row) in places {
            values.clear();
            values.extend(self.tables[table].columns.iter().map(|column| column.get(row)));
            all.push(ConstraintId::from_index(table), &values);
        }
        all
    }

    /// The id behind those of all constraints.
    pub fn next_id(&self) -> u64 {
        let ids = self.tables.iter().flat_map(|table| table.rows().map(|row| table.ids.get(row)));
        ids.max().map_or(0, |id| id + 1)
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
    fn rows_keep_their_order() {
        let (p, q, none) = (ConstraintId(0), ConstraintId(2), ConstraintId(1));
        let mut rows = RowList::default();
        assert!(rows.is_empty() && rows.runs().next().is_none());
        rows.push(p, &[1, 2]);
        rows.push(p, &[3, 4]);
        rows.push(q, &[]);
        rows.push(p, &[5, 6]);
        assert_eq!(rows.runs().collect::<Vec<_>>(), [(p, 0..2), (q, 0..1), (p, 2..3)]);
        assert_eq!(rows.columns(p), [[1, 3, 5], [2, 4, 6]]);
        assert_eq!((rows.len(), rows.count(p), rows.count(q), rows.count(none)), (4, 3, 1, 0));
        assert!(rows.columns(q).is_empty() && rows.columns(none).is_empty());
        rows.columns_mut(p)[1][2] = 7;
        assert_eq!(rows.columns(p)[1], [2, 4, 7]);
    }

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
