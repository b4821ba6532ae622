//! The constraints of a table in the standard order of their arguments.
//!
//! Where all columns are numbers or texts whose ranges are small enough, each constraint is packed into one number,
//! from the bits of the first argument down to those of the last one, and numbers are sorted. Else the rows are, by a
//! comparison of their arguments.

use std::cmp::Ordering;
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use rayon::prelude::*;

use super::digits::{Packed, sorted};
use crate::exec::column::Column;
use crate::exec::table::{Live, Table};
use gchr_base::signature::{SortKind, TextId};
use gchr_base::value::{Terms, Value, compare};

/// The constraints of a table, sorted.
pub(super) enum Sorted<'a> {
    /// Packed into 32 bits.
    Tiny(Vec<u32>, Arc<Packing>),
    /// Packed into 64 bits.
    Short(Vec<u64>, Arc<Packing>),
    /// Packed into 128 bits.
    Long(Vec<u128>, Arc<Packing>),
    /// Rows of the table.
    Rows(&'a Table, Vec<u32>),
}

/// How arguments are packed into a number, by column.
pub(super) struct Packing(Vec<Field>);

/// The bits of one argument.
struct Field {
    shift: u32,
    bits: u32,
    /// The least of the column, as [ordered](Field::ordered).
    least: u64,
    kind: SortKind,
    /// For texts: from the number of a text to its rank among those of the column, and back.
    ranks: Option<(Vec<u32>, Vec<u32>)>,
}

const SIGN: u64 = 1 << 63;
/// Constraints that a thread looks at in a row.
const STRETCH: usize = 1 << 16;

impl Field {
    /// The field of a column, if its order is that of numbers.
    fn new(table: &Table, live: &Live, column: usize, terms: Terms<'_>) -> Option<Self> {
        let kind = table.kinds[column];
        let values = &table.columns[column];
        let ranks = match kind {
            SortKind::Int | SortKind::Float => None,
            SortKind::Atom | SortKind::Str => Some(ranks(live, values, kind, terms)),
            _ => return None,
        };
        let mut field = Field { shift: 0, bits: 0, least: 0, kind, ranks };
        let extremes = |places: Range<usize>| {
            let (mut least, mut greatest) = (u64::MAX, 0);
            values.for_each(live, places, |word| {
                let value = field.ordered(word);
                (least, greatest) = (value.min(least), value.max(greatest));
            });
            (least, greatest)
        };
        let stretches = (0..live.len()).into_par_iter().step_by(STRETCH);
        let (least, greatest) = stretches
            .map(|from| extremes(from..live.len().min(from + STRETCH)))
            .reduce(|| (u64::MAX, 0), |a, b| (a.0.min(b.0), a.1.max(b.1)));
        if least <= greatest {
            (field.least, field.bits) = (least, u64::BITS - (greatest - least).leading_zeros());
        }
        Some(field)
    }

    /// A number that compares as the value of a word does.
    #[inline]
    fn ordered(&self, word: u64) -> u64 {
        match (&self.ranks, self.kind) {
            (Some((ranks, _)), _) => u64::from(ranks[word as usize]),
            (None, SortKind::Float) if word & SIGN != 0 => !word,
            _ => word ^ SIGN,
        }
    }

    /// The word of such a number.
    #[inline]
    fn word(&self, ordered: u64) -> u64 {
        match (&self.ranks, self.kind) {
            (Some((_, texts)), _) => u64::from(texts[ordered as usize]),
            (None, SortKind::Float) if ordered & SIGN == 0 => !ordered,
            _ => ordered ^ SIGN,
        }
    }
}

/// The ranks of the texts of a column by their numbers, and their numbers by rank.
fn ranks(live: &Live, column: &Column, kind: SortKind, terms: Terms<'_>) -> (Vec<u32>, Vec<u32>) {
    let mut ranks = Vec::new();
    let mut texts = Vec::new();
    column.for_each(live, 0..live.len(), |word| {
        let text = word as usize;
        if text >= ranks.len() {
            ranks.resize(text + 1, u32::MAX);
        }
        if ranks[text] == u32::MAX {
            ranks[text] = 0;
            texts.push(TextId(text as u32).0);
        }
    });
    let value = |text: u32| terms.value(kind, u64::from(text));
    texts.sort_unstable_by(|&a, &b| compare(value(a), value(b)));
    (0..).zip(&texts).for_each(|(rank, &text)| ranks[text as usize] = rank);
    (ranks, texts)
}

impl Packing {
    /// How the arguments of a table are packed, and the bits of all of them, at most 128; `None` where the order is not
    /// that of numbers.
    pub(super) fn new(table: &Table, live: &Live, terms: Terms<'_>) -> Option<(Self, u32)> {
        let fields = (0..table.kinds.len()).map(|column| Field::new(table, live, column, terms));
        let mut fields: Vec<Field> = fields.collect::<Option<_>>()?;
        let mut shift = 0;
        for field in fields.iter_mut().rev() {
            field.shift = shift;
            shift += field.bits;
        }
        (shift <= u128::BITS).then_some((Self(fields), shift))
    }

    /// The number of a constraint.
    pub(super) fn key(&self, table: &Table, row: u32) -> u128 {
        let fields = self.0.iter().zip(&table.columns);
        fields.fold(0, |key, (field, column)| {
            key.with(field.ordered(column.get(row)) - field.least, field.shift)
        })
    }

    /// The constraints whose numbers are in a range, sorted; `count` of them.
    fn part<T: Packed>(&self, table: &Table, range: &RangeInclusive<u128>, count: usize) -> Vec<T> {
        let mut keys = Vec::with_capacity(count);
        let of_range = table.rows().map(|row| self.key(table, row)).filter(|key| range.contains(key));
        keys.extend(of_range.map(T::of));
        keys.par_sort_unstable();
        keys
    }

    /// The constraints of a table as numbers.
    fn pack<T: Packed>(&self, table: &Table, live: &Live) -> Vec<T> {
        let mut packed = vec![T::default(); table.live()];
        packed.par_chunks_mut(STRETCH).enumerate().for_each(|(k, packed)| {
            let places = k * STRETCH..k * STRETCH + packed.len();
            for (field, column) in self.0.iter().zip(&table.columns) {
                let mut all = packed.iter_mut();
                column.for_each(live, places.clone(), |word| {
                    if let Some(packed) = all.next() {
                        *packed = packed.with(field.ordered(word) - field.least, field.shift);
                    }
                });
            }
        });
        packed
    }

    #[inline]
    fn unpack(&self, packed: impl Packed, column: usize) -> u64 {
        let field = &self.0[column];
        field.word(packed.part(field.shift, field.bits) + field.least)
    }
}

impl<'a> Sorted<'a> {
    pub(super) fn new(table: &'a Table, terms: Terms<'_>) -> Self {
        let live = table.live_rows();
        Self::whole(table, terms, &live, Packing::new(table, &live, terms))
    }

    /// All of them, packed in this way, or compared.
    pub(super) fn whole(
        table: &'a Table,
        terms: Terms<'_>,
        live: &Live,
        packing: Option<(Packing, u32)>,
    ) -> Self {
        match packing {
            Some((packing, bits)) => {
                let packing = Arc::new(packing);
                match bits {
                    ..=32 => Sorted::Tiny(sorted(packing.pack(table, live), bits), packing),
                    33..=64 => Sorted::Short(sorted(packing.pack(table, live), bits), packing),
                    _ => Sorted::Long(sorted(packing.pack(table, live), bits), packing),
                }
            }
            None => {
                let mut rows: Vec<u32> = Vec::with_capacity(table.live());
                rows.extend(table.rows());
                rows.sort_unstable_by(|&a, &b| compare_rows(table, terms, a, b));
                Sorted::Rows(table, rows)
            }
        }
    }

    /// Those of a table whose packed numbers are in a range; `count` of them.
    pub(super) fn part(
        table: &Table,
        packing: &Arc<Packing>,
        bits: u32,
        range: &RangeInclusive<u128>,
        count: usize,
    ) -> Sorted<'static> {
        match bits {
            ..=32 => Sorted::Tiny(packing.part(table, range, count), packing.clone()),
            33..=64 => Sorted::Short(packing.part(table, range, count), packing.clone()),
            _ => Sorted::Long(packing.part(table, range, count), packing.clone()),
        }
    }

    /// Bytes that so many constraints take when they are sorted at once, packed into so many bits where they can be.
    pub(super) fn bytes(count: usize, bits: Option<u32>) -> u64 {
        match bits {
            // Numbers are sorted from one array into another.
            Some(bits) => 2 * Self::bytes_in_place(count, bits),
            None => count as u64 * size_of::<u32>() as u64,
        }
    }

    /// Bytes that so many [of a range](Self::part) take.
    pub(super) fn bytes_in_place(count: usize, bits: u32) -> u64 {
        let word = match bits {
            ..=32 => size_of::<u32>(),
            33..=64 => size_of::<u64>(),
            _ => size_of::<u128>(),
        };
        count as u64 * word as u64
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Sorted::Tiny(packed, _) => packed.len(),
            Sorted::Short(packed, _) => packed.len(),
            Sorted::Long(packed, _) => packed.len(),
            Sorted::Rows(_, rows) => rows.len(),
        }
    }

    /// The word of an argument of the constraint at a place.
    #[inline]
    pub(super) fn word(&self, at: usize, column: usize) -> u64 {
        match self {
            Sorted::Tiny(packed, packing) => packing.unpack(packed[at], column),
            Sorted::Short(packed, packing) => packing.unpack(packed[at], column),
            Sorted::Long(packed, packing) => packing.unpack(packed[at], column),
            Sorted::Rows(table, rows) => table.columns[column].get(rows[at]),
        }
    }
}

fn compare_rows(table: &Table, terms: Terms<'_>, a: u32, b: u32) -> Ordering {
    for (column, &kind) in table.columns.iter().zip(&table.kinds) {
        let (x, y) = (column.get(a), column.get(b));
        let value = |word| -> Value<'_> { terms.value(kind, word) };
        let order = match kind {
            _ if x == y => Ordering::Equal,
            SortKind::Int => (x as i64).cmp(&(y as i64)),
            _ => compare(value(x), value(y)),
        };
        if order.is_ne() {
            return order;
        }
    }
    Ordering::Equal
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::ir::{ColumnPlan, TablePlan};
    use gchr_base::signature::{Density, Signature};
    use gchr_base::value::Heap;
    use proptest::prelude::*;

    pub(in crate::exec::store) fn table(kinds: &[SortKind], rows: &[Vec<u64>]) -> Table {
        let column = |&kind: &SortKind| ColumnPlan { kind, density: Density::Sparse };
        let columns = kinds.iter().map(column).collect();
        let (indexes, occurrences, removed_by) = (Vec::new(), Vec::new(), Vec::new());
        let plan =
            TablePlan { name: "t".into(), columns, indexes, occurrences, removed_by, any_order: false };
        let mut table = Table::new(&plan);
        (0..).zip(rows).for_each(|(id, row)| assert!(table.insert(id, row).is_ok()));
        table
    }

    proptest! {
        /// Packed constraints come in the order, and with the words, of compared ones.
        #[test]
        fn packing_keeps_order_and_words(
            rows in prop::collection::vec(
                (prop::sample::select(vec![0, 1, 7, -1, 1 << 40, i64::MIN, i64::MAX]), -3i64..3, any::<f64>()),
                0..40,
            ),
            columns in 1usize..4,
        ) {
            let kinds = [SortKind::Int, SortKind::Int, SortKind::Float];
            let words = |&(a, b, x): &(i64, i64, f64)| vec![a as u64, b as u64, x.to_bits()];
            let all: Vec<Vec<u64>> = rows.iter().map(words).map(|w| w[3 - columns..].to_vec()).collect();
            let table = table(&kinds[3 - columns..], &all);
            let (signature, heap) = (Signature::with_builtin_bool(), Heap::new());
            let terms = Terms { signature: &signature, heap: &heap };
            let sorted = Sorted::new(&table, terms);
            let mut order: Vec<u32> = table.rows().collect();
            order.sort_by(|&a, &b| compare_rows(&table, terms, a, b));
            prop_assert_eq!(sorted.len(), order.len());
            for (at, &row) in order.iter().enumerate() {
                for column in 0..columns {
                    prop_assert_eq!(sorted.word(at, column), table.columns[column].get(row));
                }
            }
        }
    }
}
