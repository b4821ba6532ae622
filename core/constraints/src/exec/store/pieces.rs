//! The constraints of a table in order: all at once, or piece by piece where memory does not take all of them sorted.
//!
//! A piece has the constraints whose packed numbers are in a range. Ranges are divided by how many constraints are in
//! each part of them until a piece fits.

use std::ops::RangeInclusive;
use std::sync::Arc;

use gchr_base::memory::{self, Shortage};
use gchr_base::value::Terms;

use super::sorted::{Packing, Sorted};
use crate::exec::table::{Live, Table};

/// Parts of a range that are counted at a time, as a power of two.
const PARTS: u32 = 12;
/// The part of the bound that a piece may take where nothing is left: a run that was stopped for its memory still shows
/// what it has.
const SPARE: u64 = 32;

/// The constraints of a table in order, in pieces that follow each other.
pub(super) struct Pieces<'a> {
    table: &'a Table,
    terms: Terms<'a>,
    left: Left,
}

enum Left {
    Nothing,
    /// All of them, as one piece.
    Whole(Live, Option<(Packing, u32)>),
    /// Memory takes neither all of them nor a piece.
    Refused(Shortage),
    Ranges(Ranges),
}

/// What is left where there are several pieces.
struct Ranges {
    packing: Arc<Packing>,
    bits: u32,
    /// Ranges of packed numbers in reverse, with how many constraints are in each.
    stack: Vec<(RangeInclusive<u128>, usize)>,
}

impl<'a> Pieces<'a> {
    /// Those of a table.
    pub fn new(table: &'a Table, terms: Terms<'a>) -> Self {
        let all = table.live();
        let live = table.live_rows();
        let packing = Packing::new(table, &live, terms);
        let asked = memory::ask(Sorted::bytes(all, packing.as_ref().map(|(_, bits)| *bits)));
        let left = match (asked, packing) {
            (Ok(()), packing) => Left::Whole(live, packing),
            (Err(shortage), None) => Left::Refused(shortage),
            (Err(_), Some((packing, bits))) => Left::Ranges(Ranges::new(packing, bits, all)),
        };
        Self { table, terms, left }
    }
}

impl<'a> Iterator for Pieces<'a> {
    type Item = Result<Sorted<'a>, Shortage>;

    fn next(&mut self) -> Option<Self::Item> {
        match std::mem::replace(&mut self.left, Left::Nothing) {
            Left::Nothing => None,
            Left::Whole(live, packing) => Some(Ok(Sorted::whole(self.table, self.terms, &live, packing))),
            Left::Refused(shortage) => Some(Err(shortage)),
            Left::Ranges(mut ranges) => {
                let room = (memory::left() / 2).max(memory::bound() / SPARE);
                let piece = ranges.next(self.table, room).map(Ok);
                self.left = Left::Ranges(ranges);
                piece
            }
        }
    }
}

impl Ranges {
    /// One range of `count` constraints.
    fn new(packing: Packing, bits: u32, count: usize) -> Self {
        let range = 0..=u128::MAX.unbounded_shr(u128::BITS - bits);
        Self { packing: Arc::new(packing), bits, stack: vec![(range, count)] }
    }

    /// The next piece, of so many bytes at most unless all its constraints are the same.
    fn next(&mut self, table: &Table, room: u64) -> Option<Sorted<'static>> {
        loop {
            let (range, count) = self.stack.pop()?;
            if Sorted::bytes_in_place(count, self.bits) <= room || range.start() == range.end() {
                return Some(Sorted::part(table, &self.packing, self.bits, &range, count));
            }
            self.divide(table, range, room);
        }
    }

    /// Puts the parts of a range back, as many together as fit.
    fn divide(&mut self, table: &Table, range: RangeInclusive<u128>, room: u64) {
        let (start, last) = range.into_inner();
        let shift = (u128::BITS - (last - start).leading_zeros()).saturating_sub(PARTS);
        let mut counts = vec![0; ((last - start) >> shift) as usize + 1];
        for key in table.rows().map(|row| self.packing.key(table, row)) {
            if (start..=last).contains(&key) {
                counts[((key - start) >> shift) as usize] += 1;
            }
        }
        let mut parts: Vec<(RangeInclusive<u128>, usize)> = Vec::new();
        for (at, count) in counts.into_iter().enumerate() {
            let from = start + ((at as u128) << shift);
            let to = last.min(from + ((1 << shift) - 1));
            match parts.last_mut() {
                Some((range, sum)) if Sorted::bytes_in_place(*sum + count, self.bits) <= room => {
                    *range = *range.start()..=to;
                    *sum += count;
                }
                _ => parts.push((from..=to, count)),
            }
        }
        self.stack.extend(parts.into_iter().rev().filter(|(_, count)| *count > 0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::store::sorted::tests::table;
    use gchr_base::signature::{Signature, SortKind};
    use gchr_base::value::Heap;
    use proptest::prelude::*;

    proptest! {
        /// Pieces, one after the other, are all constraints in order, and fit unless one constraint is there too often.
        #[test]
        fn pieces_follow_each_other(
            rows in prop::collection::vec(
                (prop::sample::select(vec![0, 1, 1 << 40, i64::MIN, i64::MAX]), -300i64..300, any::<i8>()),
                0..200,
            ),
            columns in 1usize..4,
            room in 0u64..2000,
        ) {
            let words = |&(a, b, c): &(i64, i64, i8)| vec![a as u64, b as u64, i64::from(c) as u64];
            let all: Vec<Vec<u64>> = rows.iter().map(words).map(|w| w[3 - columns..].to_vec()).collect();
            let table = table(&[SortKind::Int; 3][3 - columns..], &all);
            let (signature, heap) = (Signature::with_builtin_bool(), Heap::new());
            let terms = Terms { signature: &signature, heap: &heap };
            let (packing, bits) = Packing::new(&table, &table.live_rows(), terms).expect("numbers are packed");
            let mut ranges = Ranges::new(packing, bits, table.live());
            let row = |sorted: &Sorted<'_>, at| (0..columns).map(|c| sorted.word(at, c)).collect::<Vec<_>>();
            let mut found = Vec::new();
            while let Some(piece) = ranges.next(&table, room) {
                let rows: Vec<_> = (0..piece.len()).map(|at| row(&piece, at)).collect();
                prop_assert!(
                    Sorted::bytes_in_place(rows.len(), bits) <= room || rows.iter().all(|row| *row == rows[0])
                );
                found.extend(rows);
            }
            let sorted = Sorted::new(&table, terms);
            let wanted: Vec<_> = (0..sorted.len()).map(|at| row(&sorted, at)).collect();
            prop_assert_eq!(found, wanted);
        }
    }
}
