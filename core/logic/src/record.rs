//! Terms outside of the heap: results of `findall/3`, global variables, thrown terms, clauses.

use crate::cell::Cell;

/// A copy of a term whose places are relative to its own cells.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub cells: Box<[Cell]>,
    pub root: Cell,
    /// Whether the term is `Term-List`, with the attributes of its variables in the list.
    pub attributed: bool,
}

impl Record {
    /// Words of the boxed value whose header is at a place.
    pub fn words(&self, at: usize) -> usize {
        let header = self.cells[at];
        match header.box_kind() {
            crate::cell::BoxKind::Float => 2,
            crate::cell::BoxKind::Str => 1 + (header.detail() as usize).div_ceil(8),
            crate::cell::BoxKind::Big => 2 + self.cells[at + 1].0 as usize,
            crate::cell::BoxKind::Rational => {
                2 + crate::cell::digits_of_parts(self.cells[at + 1]).iter().sum::<usize>()
            }
        }
    }
}
