//! Indexes of a table: lists of rows, newest first, one for each key, and the ways to find the list of a key.
//!
//! **Invariant:** every linked row is in exactly one list of each index, that of its key; links of other rows are
//! meaningless. Where no two rows have the same key, there are no links. Where rows are never removed, an index has its
//! rows up to one, and links lead to older rows only. An index that only says whether there is a key has no rows at
//! all.

mod grid;
mod hash;
mod many;

use super::column::{Column, DEAD, Ids};
use crate::ir::{IndexKind, IndexPlan};
use gchr_base::memory::Shortage;
use gchr_base::signature::SortKind;
use grid::{Bits, Grid, Room};
use hash::{HashHeads, hash_many, hash_row, hash1, hash2};
pub(crate) use many::{Cursor, ListHeads};

/// No row.
pub(crate) const NONE: u32 = u32::MAX;
/// The row that stands for all of a set, from which none is ever removed: the first one.
const ANY: u32 = 0;

/// How rows of a list follow each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Chain {
    /// A list has one row.
    Single,
    /// All rows, from the last one down to 0.
    Rows,
    /// By the numbers of rows, one in so many bytes.
    Links {
        /// The distance of two numbers.
        bytes: usize,
    },
}

/// One index.
pub(crate) struct Index {
    columns: Box<[usize]>,
    links: Links,
    heads: Heads,
    /// The last row of the list of all rows.
    oldest: u32,
    /// Where rows are never removed: the row behind the last that is linked.
    linked: usize,
    /// Whether the key is one or two words that may be small.
    is_small: bool,
    /// Whether the index only says whether there is a key.
    is_set: bool,
}

/// How the rows of a list follow each other.
enum Links {
    /// Not at all: no two rows have the same key, or all rows are in one list and none is ever removed.
    None,
    /// To the next older row.
    Next(Vec<u32>),
    /// Both ways.
    Both(Vec<Link>),
}

#[derive(Clone, Copy)]
#[repr(C)]
struct Link {
    next: u32,
    prev: u32,
}

enum Heads {
    /// One list of all rows.
    All(u32),
    /// The same, of rows that follow each other and are never removed.
    Rows,
    /// Lists by one or two small numbers.
    Grid(Grid),
    /// Lists by hash of the key.
    Hash(HashHeads),
    /// No lists: which keys there are.
    Bits(Bits),
}

impl Index {
    /// An index of a table with columns of these kinds.
    pub(crate) fn new(plan: &IndexPlan, kinds: &[SortKind]) -> Self {
        let heads = match (plan.kind, plan.columns.len()) {
            (IndexKind::All, _) => Heads::All(NONE),
            (IndexKind::Dense, 1 | 2) => Heads::Grid(Grid::new()),
            _ => Heads::Hash(HashHeads::new()),
        };
        let (columns, links) = (plan.columns.clone().into(), Links::Both(Vec::new()));
        let is_small = |&c: &usize| matches!(kinds[c], SortKind::Int | SortKind::Atom | SortKind::Str);
        let is_small = matches!(plan.columns.len(), 1 | 2) && plan.columns.iter().all(is_small);
        Self { columns, links, heads, oldest: NONE, linked: 0, is_small, is_set: false }
    }

    /// From now on no two rows have the same key.
    pub(crate) fn make_unique(&mut self) {
        debug_assert!(self.link_capacity() == 0, "rows are linked later");
        // The list of all rows is followed from either end.
        if !self.is_all() {
            self.links = Links::None;
        }
    }

    /// From now on no two rows have the same key, and nobody asks which row has one. Keys with the same value in the
    /// column `beside`, if it is one of the key, are beside each other.
    pub(crate) fn make_set(&mut self, beside: Option<usize>) {
        self.make_unique();
        if let Some(place) = self.columns.iter().position(|&column| Some(column) == beside) {
            self.columns[..=place].rotate_right(1);
        }
        if self.is_small {
            (self.is_set, self.heads) = (true, Heads::Bits(Bits::new()));
        }
    }

    /// From now on rows come in order and none is removed.
    pub(crate) fn keep_rows(&mut self) {
        debug_assert!(self.link_capacity() == 0, "rows are linked later");
        match self.links {
            _ if self.is_all() => (self.heads, self.links) = (Heads::Rows, Links::None),
            Links::Both(_) => self.links = Links::Next(Vec::new()),
            Links::None | Links::Next(_) => {}
        }
    }

    /// The row behind `row` in its list: the next older one.
    #[inline]
    pub(crate) fn next(&self, row: u32) -> u32 {
        match &self.links {
            Links::Both(links) => links.get(row as usize).map_or(NONE, |link| link.next),
            Links::Next(links) => links.get(row as usize).map_or(NONE, |&next| next),
            // Before the first row there is none.
            Links::None if matches!(self.heads, Heads::Rows) => row.wrapping_sub(1),
            Links::None => NONE,
        }
    }

    /// How the rows of its lists follow each other.
    pub(super) fn chain(&self) -> Chain {
        match &self.links {
            Links::None if matches!(self.heads, Heads::Rows) => Chain::Rows,
            Links::None => Chain::Single,
            Links::Next(_) => Chain::Links { bytes: size_of::<u32>() },
            Links::Both(_) => Chain::Links { bytes: size_of::<Link>() },
        }
    }

    /// Where the links are; the number of the next row comes first in each.
    pub(super) fn links_place(&self) -> u64 {
        match &self.links {
            Links::None => 0,
            Links::Next(links) => links.as_ptr() as u64,
            Links::Both(links) => links.as_ptr() as u64,
        }
    }

    /// Where the heads of its lists are, if that is a grid, with its width and height; the same of the bits of a set.
    pub(super) fn grid(&self) -> Option<(u64, u64, u64)> {
        match &self.heads {
            Heads::Grid(grid) => grid.place(),
            Heads::Bits(bits) => bits.place(),
            _ => None,
        }
    }

    /// Whether two rows are known to be in one list: their keys are the same words.
    pub(crate) fn share_list(&self, table: &[Column], a: u32, b: u32) -> bool {
        self.columns.iter().all(|&c| table[c].get(a) == table[c].get(b))
    }

    /// The newest row of all.
    #[inline]
    pub(crate) fn first(&self) -> u32 {
        match &self.heads {
            Heads::All(head) => *head,
            // Without rows that is none.
            Heads::Rows => (self.linked as u32).wrapping_sub(1),
            _ => NONE,
        }
    }

    /// Whether the index only says whether there is a key.
    pub(super) fn is_set(&self) -> bool {
        self.is_set
    }

    /// The newest row with this value in the key's column; of a set, any row.
    #[inline]
    pub(crate) fn find1(&self, table: &[Column], a: u64) -> u32 {
        match &self.heads {
            Heads::Hash(hash) => match &table[self.columns[0]] {
                Column::Wide(x) => hash.find(hash1(a), |row| x[row as usize] == a),
                Column::Narrow(x) => hash.find(hash1(a), |row| u64::from(x[row as usize]) == a),
            },
            Heads::Grid(grid) => grid.get(0, a).wrapping_sub(1),
            Heads::Bits(bits) if bits.contains(0, a) => ANY,
            _ => NONE,
        }
    }

    /// The newest row with these values in the key's columns; of a set, any row.
    #[inline]
    pub(crate) fn find2(&self, table: &[Column], a: u64, b: u64) -> u32 {
        match &self.heads {
            Heads::Hash(hash) => match (&table[self.columns[0]], &table[self.columns[1]]) {
                (Column::Narrow(x), Column::Narrow(y)) => hash.find(hash2(a, b), |row| {
                    u64::from(x[row as usize]) == a && u64::from(y[row as usize]) == b
                }),
                (Column::Wide(x), Column::Wide(y)) => {
                    hash.find(hash2(a, b), |row| x[row as usize] == a && y[row as usize] == b)
                }
                (x, y) => hash.find(hash2(a, b), |row| x.get(row) == a && y.get(row) == b),
            },
            Heads::Grid(grid) => grid.get(a, b).wrapping_sub(1),
            Heads::Bits(bits) if bits.contains(a, b) => ANY,
            _ => NONE,
        }
    }

    /// The newest row with these values in the key's columns, three or more.
    #[inline]
    pub(crate) fn find(&self, table: &[Column], key: &[u64]) -> u32 {
        match &self.heads {
            Heads::Hash(hash) => hash.find(hash_many(key), |row| {
                self.columns.iter().zip(key).all(|(&c, &k)| table[c].get(row) == k)
            }),
            _ => NONE,
        }
    }

    /// The newest row with a key of any number of columns.
    pub(crate) fn lookup(&self, table: &[Column], key: &[u64]) -> u32 {
        match key {
            [] => self.first(),
            [a] => self.find1(table, *a),
            [a, b] => self.find2(table, *a, *b),
            _ => self.find(table, key),
        }
    }

    /// Whether a row has a key.
    #[inline]
    pub(crate) fn has_key(&self, table: &[Column], key: &[u64]) -> bool {
        match (&self.heads, key) {
            (Heads::Bits(bits), [b]) => bits.contains(0, *b),
            (Heads::Bits(bits), [a, b]) => bits.contains(*a, *b),
            (_, [a]) => self.find1(table, *a) != NONE,
            (_, [a, b]) => self.find2(table, *a, *b) != NONE,
            (_, []) => self.first() != NONE,
            _ => self.find(table, key) != NONE,
        }
    }

    /// The columns of the key, in the order in which its values are given.
    pub(crate) fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// Whether a column belongs to the key.
    pub(crate) fn has(&self, column: usize) -> bool {
        self.columns.contains(&column)
    }

    /// The oldest row of all.
    pub(crate) fn last(&self) -> u32 {
        match &self.heads {
            Heads::All(_) => self.oldest,
            Heads::Rows if self.linked > 0 => 0,
            _ => NONE,
        }
    }

    /// Whether the index is the list of all rows.
    pub(crate) fn is_all(&self) -> bool {
        matches!(self.heads, Heads::All(_) | Heads::Rows)
    }

    /// The row before `row` in the list of all rows: the next newer one.
    #[inline]
    pub(crate) fn newer(&self, row: u32) -> u32 {
        match &self.links {
            Links::Both(links) => links.get(row as usize).map_or(NONE, |link| link.prev),
            _ if (row as usize + 1) < self.linked => row + 1,
            _ => NONE,
        }
    }

    /// Rows whose links there is room for.
    pub(crate) fn link_capacity(&self) -> usize {
        match &self.links {
            Links::None => 0,
            Links::Next(links) => links.len(),
            Links::Both(links) => links.len(),
        }
    }

    /// Makes room for the links of rows up to a capacity.
    pub(crate) fn reserve(&mut self, rows: usize) {
        match &mut self.links {
            Links::None => {}
            Links::Next(links) => {
                links.reserve_exact(rows.saturating_sub(links.len()));
                links.resize(rows, NONE);
            }
            Links::Both(links) => {
                links.reserve_exact(rows.saturating_sub(links.len()));
                links.resize(rows, Link { next: NONE, prev: NONE });
            }
        }
    }

    /// The row behind the last that is linked, where rows are never removed.
    pub(crate) fn linked(&self) -> usize {
        self.linked
    }

    /// Bytes of links that a row has.
    pub(crate) fn link_bytes(&self) -> usize {
        match &self.links {
            Links::None => 0,
            Links::Next(_) => 4,
            Links::Both(_) => 8,
        }
    }

    /// Bytes of heads.
    pub(crate) fn head_bytes(&self) -> u64 {
        match &self.heads {
            Heads::All(_) | Heads::Rows => 0,
            Heads::Grid(grid) => grid.bytes(),
            Heads::Hash(hash) => hash.bytes(),
            Heads::Bits(bits) => bits.bytes(),
        }
    }

    /// One or two small numbers that are the key of a row.
    #[inline]
    fn pair(columns: &[usize], table: &[Column], row: u32) -> (u64, u64) {
        match columns {
            [a, b] => (table[*a].get(row), table[*b].get(row)),
            _ => (0, table[columns[0]].get(row)),
        }
    }

    /// Numbers up to this one probably come in all columns.
    pub(crate) fn expect(&mut self, largest: u64) {
        // As in [`pair`](Self::pair).
        let (a, b) = if self.columns.len() == 1 { (0, largest) } else { (largest, largest) };
        match &mut self.heads {
            Heads::Grid(grid) => grid.expect(a, b),
            Heads::Bits(bits) => bits.expect(a, b),
            Heads::All(_) | Heads::Rows | Heads::Hash(_) => {}
        }
    }

    /// Puts a row, for whose key there [is room](Self::make_room), before all others of its key.
    #[inline]
    pub(crate) fn insert(&mut self, table: &[Column], row: u32) {
        let columns = &self.columns;
        let old = match &mut self.heads {
            Heads::All(head) => std::mem::replace(head, row),
            Heads::Rows => NONE,
            Heads::Grid(grid) => {
                let (a, b) = Self::pair(columns, table, row);
                grid.replace(a, b, row + 1).wrapping_sub(1)
            }
            Heads::Hash(hash) => {
                let same = |other| columns.iter().all(|&c| table[c].get(other) == table[c].get(row));
                hash.insert(hash_row(columns, table, row), row, same)
            }
            Heads::Bits(bits) => {
                let (a, b) = Self::pair(columns, table, row);
                bits.set(a, b, true);
                NONE
            }
        };
        match &mut self.links {
            Links::None => debug_assert_eq!(old, NONE, "a key has one row"),
            Links::Next(links) => links[row as usize] = old,
            Links::Both(links) => {
                links[row as usize] = Link { next: old, prev: NONE };
                if old != NONE {
                    links[old as usize].prev = row;
                } else {
                    self.oldest = row;
                }
                return;
            }
        }
        self.linked = row as usize + 1;
    }

    /// Takes a row out of its list.
    pub(crate) fn remove(&mut self, table: &[Column], row: u32) {
        let Link { next, prev } = match &mut self.links {
            Links::Both(links) => {
                let link = links[row as usize];
                if link.next != NONE {
                    links[link.next as usize].prev = link.prev;
                } else {
                    self.oldest = link.prev;
                }
                if link.prev != NONE {
                    links[link.prev as usize].next = link.next;
                }
                link
            }
            Links::None | Links::Next(_) => {
                debug_assert!(!matches!((&self.links, &self.heads), (Links::Next(_), _) | (_, Heads::Rows)));
                Link { next: NONE, prev: NONE }
            }
        };
        if prev != NONE {
            return;
        }
        let columns = &self.columns;
        match &mut self.heads {
            Heads::All(head) => *head = next,
            Heads::Rows => {}
            Heads::Grid(grid) => {
                let (a, b) = Self::pair(columns, table, row);
                grid.replace(a, b, next.wrapping_add(1));
            }
            Heads::Hash(hash) => hash.replace(hash_row(columns, table, row), row, next),
            Heads::Bits(bits) => {
                let (a, b) = Self::pair(columns, table, row);
                bits.set(a, b, false);
            }
        }
    }

    /// Forgets all rows.
    pub(crate) fn clear(&mut self) {
        match &mut self.heads {
            Heads::All(head) => *head = NONE,
            Heads::Rows => {}
            Heads::Grid(grid) => *grid = Grid::new(),
            Heads::Hash(hash) => *hash = HashHeads::new(),
            Heads::Bits(bits) => *bits = Bits::new(),
        }
        (self.oldest, self.linked) = (NONE, 0);
    }

    /// Makes room for the key of a row: where numbers are negative, or an array would be out of proportion to the rows,
    /// of which `used` were ever used, it becomes a hash table. Says whether the heads grew.
    #[inline]
    pub(crate) fn make_room(
        &mut self,
        table: KeyedRows<'_>,
        row: u32,
        used: usize,
    ) -> Result<bool, Shortage> {
        let room = match &mut self.heads {
            Heads::All(_) | Heads::Rows => return Ok(false),
            Heads::Hash(hash) if !hash.is_full() => return Ok(false),
            Heads::Hash(hash) if !self.is_small => return hash.grow(),
            Heads::Hash(_) => return self.grow_hash(table, row, used),
            Heads::Grid(grid) => {
                let (a, b) = Self::pair(&self.columns, table.columns, row);
                grid.make_room(a, b, used)?
            }
            Heads::Bits(bits) => {
                let (a, b) = Self::pair(&self.columns, table.columns, row);
                bits.make_room(a, b, used)?
            }
        };
        if room == Room::Disproportionate {
            self.hash_instead(table, used)?;
        }
        Ok(room != Room::Had)
    }

    #[cold]
    fn grow_hash(&mut self, table: KeyedRows<'_>, row: u32, used: usize) -> Result<bool, Shortage> {
        if let Some(heads) = self.array_instead(table, row, used)? {
            self.heads = heads;
        } else if let Heads::Hash(hash) = &mut self.heads {
            hash.grow()?;
        }
        Ok(true)
    }

    #[cold]
    fn hash_instead(&mut self, table: KeyedRows<'_>, used: usize) -> Result<(), Shortage> {
        let mut hash = HashHeads::new();
        let mut insert = |row| {
            hash.reserve()?;
            hash.insert(hash_row(&self.columns, table.columns, row), row, |_| false);
            Ok(())
        };
        match &self.heads {
            Heads::Grid(grid) => grid.rows().try_for_each(&mut insert)?,
            _ => table.live(used).try_for_each(&mut insert)?,
        }
        // And for the row at hand.
        hash.reserve()?;
        self.heads = Heads::Hash(hash);
        Ok(())
    }

    /// An array for the keys of a full hash table, and for that of a row which is to be linked, where it takes not much
    /// more memory.
    fn array_instead(&self, table: KeyedRows<'_>, row: u32, used: usize) -> Result<Option<Heads>, Shortage> {
        let Heads::Hash(hash) = &self.heads else { return Ok(None) };
        let pair = |row| Self::pair(&self.columns, table.columns, row);
        let wider = |(a, b): (u64, u64), (c, d): (u64, u64)| (a.max(c), b.max(d));
        let (a, b) = hash.rows().map(pair).fold(pair(row), wider);
        let mut keys = std::iter::once((a, b)).chain(hash.rows().map(pair)).chain([pair(row)]);
        // The greatest key comes first, so that an array has its size at once.
        if self.is_set && Bits::fits(a, b, used) {
            let mut bits = Bits::new();
            if keys.try_fold(true, |fits, (a, b)| bits.make_room(a, b, used).map(|r| fits & r.fits()))? {
                hash.rows().map(pair).for_each(|(a, b)| bits.set(a, b, true));
                return Ok(Some(Heads::Bits(bits)));
            }
        } else if !self.is_set && Grid::fits(a, b, hash.len()) {
            let mut grid = Grid::new();
            if keys.try_fold(true, |fits, (a, b)| grid.make_room(a, b, used).map(|r| fits & r.fits()))? {
                for row in hash.rows() {
                    let (a, b) = pair(row);
                    grid.replace(a, b, row + 1);
                }
                return Ok(Some(Heads::Grid(grid)));
            }
        }
        Ok(None)
    }
}

/// What an index reads of its table.
#[derive(Clone, Copy)]
pub(crate) struct KeyedRows<'a> {
    pub(crate) columns: &'a [Column],
    pub(crate) ids: &'a Ids,
}

impl<'a> KeyedRows<'a> {
    /// Rows that hold a constraint, of the first so many.
    fn live(self, used: usize) -> impl Iterator<Item = u32> + 'a {
        (0..used as u32).filter(move |&row| self.ids.get(row) != DEAD)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn list(index: &Index, mut row: u32) -> Vec<u32> {
        let mut rows = Vec::new();
        while row != NONE {
            rows.push(row);
            row = index.next(row);
        }
        rows
    }

    proptest! {
        /// Any sequence of insertions and removals leaves, for every key, its rows newest first.
        #[test]
        fn lists_are_newest_first(
            operations in prop::collection::vec((any::<bool>(), 0i64..5, -1i64..6, 0usize..40), 0..120),
            scale in prop::sample::select(vec![1i64, 1000, 1 << 40]),
        ) {
            for kind in [IndexKind::Dense, IndexKind::Hash] {
                for columns in [vec![0], vec![1], vec![0, 1]] {
                    let mut index = Index::new(&IndexPlan { columns: columns.clone(), kind }, &[SortKind::Int; 2]);
                    index.reserve(200);
                    let mut table = [0, 1].map(|_| Column::Wide(gchr_base::memory::Growing::default()));
                    let mut live: Vec<u32> = Vec::new();
                    let mut ids = Ids::new();
                    ids.reserve(200);
                    for &(add, a, b, which) in &operations {
                        if add || live.is_empty() {
                            let row = match &mut table {
                                [Column::Wide(x), Column::Wide(y)] => {
                                    let rows = x.len();
                                    x.grow(rows + 1)[0] = (a * scale) as u64;
                                    y.grow(rows + 1)[0] = (b * scale) as u64;
                                    rows as u32
                                }
                                _ => unreachable!(),
                            };
                            index.make_room(KeyedRows { columns: &table, ids: &ids }, row, row as usize + 1).expect("there is memory");
                            index.insert(&table, row);
                            ids.set(row, u64::from(row));
                            live.push(row);
                        } else {
                            let row = live.remove(which % live.len());
                            index.remove(&table, row);
                            ids.set(row, DEAD);
                        }
                        for a in 0..5 {
                            for b in -1..6 {
                                let key = [(a * scale) as u64, (b * scale) as u64];
                                let wanted: Vec<u32> = live.iter().rev().copied()
                                    .filter(|&r| columns.iter().all(|&c| table[c].get(r) == key[c])).collect();
                                let found = match columns.as_slice() {
                                    [c] => index.find1(&table, key[*c]),
                                    _ => index.find2(&table, key[0], key[1]),
                                };
                                prop_assert_eq!(list(&index, found), wanted);
                            }
                        }
                    }
                }
            }
        }
    }
}
