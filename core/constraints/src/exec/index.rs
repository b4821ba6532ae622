//! Indexes of a table: doubly linked lists of rows, newest first, one for each key, and the ways to find the list of a key.
//!
//! **Invariant:** every linked row is in exactly one list of each index, that of its key; links of other rows are meaningless. Where no two
//! rows have the same key, there are no links.

use super::column::Column;
use crate::ir::{IndexKind, IndexPlan};
use gchr_base::memory::{self, Shortage};

/// No row.
pub(crate) const NONE: u32 = u32::MAX;

/// One index.
pub(crate) struct Index {
    columns: Box<[usize]>,
    /// Empty if the index is unique.
    links: Vec<Link>,
    /// Whether no two rows have the same key.
    unique: bool,
    heads: Heads,
    /// The last row of the list of all rows.
    oldest: u32,
}

#[derive(Clone, Copy)]
struct Link {
    next: u32,
    prev: u32,
}

enum Heads {
    /// One list of all rows.
    All(u32),
    /// Lists by the value of one column.
    Dense(Vec<u32>),
    /// Lists by the values of two columns; the array has `width` entries for each value of the first.
    Grid { heads: Vec<u32>, width: usize },
    /// Lists by hash of the key.
    Hash(HashHeads),
}

/// Open addressing with linear probing. An entry is the 32-bit hash of its key above the first row of its list; its home is the hash as a
/// fraction of the entries, whose number need not be a power of two.
struct HashHeads {
    entries: Vec<u64>,
    used: usize,
}

const EMPTY: u64 = u64::MAX;

impl Index {
    pub(crate) fn new(plan: &IndexPlan) -> Self {
        let heads = match (plan.kind, plan.columns.len()) {
            (IndexKind::All, _) => Heads::All(NONE),
            (IndexKind::Dense, 1) => Heads::Dense(Vec::new()),
            (IndexKind::Dense, 2) => Heads::Grid { heads: Vec::new(), width: 0 },
            _ => Heads::Hash(HashHeads::new()),
        };
        Self { columns: plan.columns.clone().into(), links: Vec::new(), unique: false, heads, oldest: NONE }
    }

    /// From now on no two rows have the same key.
    pub(crate) fn make_unique(&mut self) {
        debug_assert!(self.links.is_empty(), "rows are linked later");
        // The list of all rows is followed from either end.
        self.unique = !self.is_all();
    }

    /// The row behind `row` in its list: the next older one.
    #[inline]
    pub(crate) fn next(&self, row: u32) -> u32 {
        self.links.get(row as usize).map_or(NONE, |link| link.next)
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
            _ => NONE,
        }
    }

    /// The newest row with this value in the key's column.
    #[inline]
    pub(crate) fn find1(&self, table: &[Column], a: u64) -> u32 {
        match &self.heads {
            Heads::Hash(hash) => match &table[self.columns[0]] {
                Column::Wide(x) => hash.find(hash1(a), |row| x[row as usize] == a),
                Column::Narrow(x) => hash.find(hash1(a), |row| u64::from(x[row as usize]) == a),
            },
            Heads::Dense(heads) => usize::try_from(a).ok().and_then(|a| heads.get(a)).map_or(NONE, |&r| r),
            _ => NONE,
        }
    }

    /// The newest row with these values in the key's columns.
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
            Heads::Grid { heads, width } => match grid_place(*width, a, b) {
                Some(place) => heads.get(place).map_or(NONE, |&r| r),
                None => NONE,
            },
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

    /// Whether a column belongs to the key.
    pub(crate) fn has(&self, column: usize) -> bool {
        self.columns.contains(&column)
    }

    /// The oldest row of all.
    pub(crate) fn last(&self) -> u32 {
        match &self.heads {
            Heads::All(_) => self.oldest,
            _ => NONE,
        }
    }

    /// Whether the index is the list of all rows.
    pub(crate) fn is_all(&self) -> bool {
        matches!(self.heads, Heads::All(_))
    }

    /// The row before `row` in its list: the next newer one.
    #[inline]
    pub(crate) fn newer(&self, row: u32) -> u32 {
        self.links.get(row as usize).map_or(NONE, |link| link.prev)
    }

    /// Makes room for rows up to a capacity.
    pub(crate) fn reserve(&mut self, rows: usize) {
        if !self.unique {
            self.links.reserve_exact(rows - self.links.len());
            self.links.resize(rows, Link { next: NONE, prev: NONE });
        }
    }

    /// Bytes of links that a row has.
    pub(crate) fn link_bytes(&self) -> usize {
        if self.unique { 0 } else { 8 }
    }

    /// Bytes of heads.
    pub(crate) fn head_bytes(&self) -> usize {
        match &self.heads {
            Heads::All(_) => 0,
            Heads::Dense(heads) | Heads::Grid { heads, .. } => heads.capacity() * 4,
            Heads::Hash(hash) => hash.entries.capacity() * 8,
        }
    }

    /// Puts a row, for whose key there [is room](Self::make_room), before all others of its key.
    pub(crate) fn insert(&mut self, table: &[Column], row: u32) {
        let columns = &self.columns;
        let old = match &mut self.heads {
            Heads::All(head) => std::mem::replace(head, row),
            Heads::Dense(heads) => std::mem::replace(&mut heads[table[columns[0]].get(row) as usize], row),
            Heads::Grid { heads, width } => {
                let (a, b) = (table[columns[0]].get(row), table[columns[1]].get(row));
                std::mem::replace(&mut heads[a as usize * *width + b as usize], row)
            }
            Heads::Hash(hash) => {
                let same = |other| columns.iter().all(|&c| table[c].get(other) == table[c].get(row));
                hash.insert(hash_row(columns, table, row), row, same)
            }
        };
        if self.unique {
            debug_assert_eq!(old, NONE, "a key has one row");
            return;
        }
        self.links[row as usize] = Link { next: old, prev: NONE };
        if old != NONE {
            self.links[old as usize].prev = row;
        } else {
            self.oldest = row;
        }
    }

    /// Takes a row out of its list.
    pub(crate) fn remove(&mut self, table: &[Column], row: u32) {
        let Link { next, prev } =
            if self.unique { Link { next: NONE, prev: NONE } } else { self.links[row as usize] };
        if next != NONE {
            self.links[next as usize].prev = prev;
        } else {
            self.oldest = prev;
        }
        if prev != NONE {
            self.links[prev as usize].next = next;
            return;
        }
        let columns = &self.columns;
        match &mut self.heads {
            Heads::All(head) => *head = next,
            Heads::Dense(heads) => heads[table[columns[0]].get(row) as usize] = next,
            Heads::Grid { heads, width } => {
                let (a, b) = (table[columns[0]].get(row), table[columns[1]].get(row));
                heads[a as usize * *width + b as usize] = next;
            }
            Heads::Hash(hash) => hash.replace(hash_row(columns, table, row), row, next),
        }
    }

    /// Makes room for the key of a row: extends a dense array to it, or turns it into a hash table when the key is negative or the array
    /// would be out of proportion to the rows, of which `rows` were ever used. Says whether the heads grew.
    pub(crate) fn make_room(&mut self, table: &[Column], row: u32, rows: usize) -> Result<bool, Shortage> {
        let most = (rows * 16).max(1 << 16);
        let value = |c: usize| usize::try_from(table[self.columns[c]].get(row) as i64).ok();
        match &mut self.heads {
            Heads::All(_) => return Ok(false),
            Heads::Hash(hash) => return hash.reserve(),
            Heads::Dense(heads) => match value(0) {
                Some(a) if a < heads.len() => return Ok(false),
                Some(a) if a < most => {
                    let len = (a + 1).max(heads.len() * 2).min(most);
                    memory::ask((len - heads.len()) as u64 * 4)?;
                    heads.resize(len, NONE);
                    return Ok(true);
                }
                _ => {}
            },
            Heads::Grid { heads, width } => match (value(0), value(1)) {
                (Some(a), Some(b)) if b < *width && a < heads.len() / *width => return Ok(false),
                (Some(a), Some(b)) if a < most && b < most => {
                    let height = heads.len().checked_div(*width).unwrap_or(0);
                    let wide = if b < *width { *width } else { (b + 1).max(*width * 2) };
                    let high = if a < height { height } else { (a + 1).max(height * 2) };
                    if wide.checked_mul(high).is_some_and(|n| n <= most.max(rows.saturating_mul(32))) {
                        memory::ask(wide as u64 * high as u64 * 4)?;
                        let mut grown = vec![NONE; wide * high];
                        for (old, new) in heads.chunks(*width.max(&mut 1)).zip(grown.chunks_mut(wide)) {
                            new[..old.len()].copy_from_slice(old);
                        }
                        (*heads, *width) = (grown, wide);
                        return Ok(true);
                    }
                }
                _ => {}
            },
        }
        self.hash_instead(table)?;
        Ok(true)
    }

    fn hash_instead(&mut self, table: &[Column]) -> Result<(), Shortage> {
        let old = match &self.heads {
            Heads::Dense(heads) | Heads::Grid { heads, .. } => heads,
            Heads::All(_) | Heads::Hash(_) => return Ok(()),
        };
        let mut hash = HashHeads::new();
        for row in old.iter().copied().filter(|&r| r != NONE) {
            hash.reserve()?;
            hash.insert(hash_row(&self.columns, table, row), row, |_| false);
        }
        // And for the row at hand.
        hash.reserve()?;
        self.heads = Heads::Hash(hash);
        Ok(())
    }
}

#[inline]
fn grid_place(width: usize, a: u64, b: u64) -> Option<usize> {
    let (a, b) = (usize::try_from(a).ok()?, usize::try_from(b).ok()?);
    if b < width { a.checked_mul(width)?.checked_add(b) } else { None }
}

impl HashHeads {
    const FIRST: usize = 16;

    fn new() -> Self {
        Self { entries: vec![EMPTY; Self::FIRST], used: 0 }
    }

    #[inline]
    fn home(&self, hash: u32) -> usize {
        ((u64::from(hash) * self.entries.len() as u64) >> 32) as usize
    }

    /// The place behind another one.
    #[inline]
    fn behind(&self, at: usize) -> usize {
        if at + 1 == self.entries.len() { 0 } else { at + 1 }
    }

    /// How many places one place is behind another one.
    fn distance(&self, from: usize, to: usize) -> usize {
        if to >= from { to - from } else { to + self.entries.len() - from }
    }

    #[inline]
    fn find(&self, hash: u32, same: impl Fn(u32) -> bool) -> u32 {
        let mut at = self.home(hash);
        loop {
            let entry = self.entries[at];
            if entry == EMPTY {
                return NONE;
            }
            if (entry >> 32) as u32 == hash && same(entry as u32) {
                return entry as u32;
            }
            at = self.behind(at);
        }
    }

    /// Makes room for one more key: at most three quarters are in use, so that every probe ends.
    #[inline]
    fn reserve(&mut self) -> Result<bool, Shortage> {
        if self.used * 4 < self.entries.len() * 3 { Ok(false) } else { self.grow() }
    }

    #[cold]
    fn grow(&mut self) -> Result<bool, Shortage> {
        let entries = self.entries.len() / 2 * 3;
        memory::ask(entries as u64 * 8)?;
        let old = std::mem::replace(&mut self.entries, vec![EMPTY; entries]);
        for entry in old.into_iter().filter(|&e| e != EMPTY) {
            let mut at = self.home((entry >> 32) as u32);
            while self.entries[at] != EMPTY {
                at = self.behind(at);
            }
            self.entries[at] = entry;
        }
        Ok(true)
    }

    /// Puts `row` first in the list of its key; returns the row that was first.
    fn insert(&mut self, hash: u32, row: u32, same: impl Fn(u32) -> bool) -> u32 {
        let mut at = self.home(hash);
        let new = u64::from(hash) << 32 | u64::from(row);
        loop {
            let entry = self.entries[at];
            if entry == EMPTY {
                self.entries[at] = new;
                self.used += 1;
                return NONE;
            }
            if (entry >> 32) as u32 == hash && same(entry as u32) {
                self.entries[at] = new;
                return entry as u32;
            }
            at = self.behind(at);
        }
    }

    /// Makes `next` first in the list that `row` leads, or drops the key when there is none.
    fn replace(&mut self, hash: u32, row: u32, next: u32) {
        let wanted = u64::from(hash) << 32 | u64::from(row);
        let mut at = self.home(hash);
        while self.entries[at] != wanted {
            if self.entries[at] == EMPTY {
                debug_assert!(false, "a linked row is found by its key");
                return;
            }
            at = self.behind(at);
        }
        if next != NONE {
            self.entries[at] = u64::from(hash) << 32 | u64::from(next);
            return;
        }
        self.used -= 1;
        // Entries behind the hole move up unless that would put them before their home.
        let mut hole = at;
        let mut probe = hole;
        loop {
            probe = self.behind(probe);
            let entry = self.entries[probe];
            if entry == EMPTY {
                break;
            }
            let home = self.home((entry >> 32) as u32);
            if self.distance(home, probe) >= self.distance(hole, probe) {
                self.entries[hole] = entry;
                hole = probe;
            }
        }
        self.entries[hole] = EMPTY;
    }
}

const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

/// No hash is all ones, so that no entry looks like [`EMPTY`].
#[inline]
fn finish(hash: u64) -> u32 {
    ((hash >> 32) as u32) & !1
}

#[inline]
fn hash1(a: u64) -> u32 {
    finish(fold(a ^ 0x2545_f491_4f6c_dd1d, MIX))
}

#[inline]
fn hash2(a: u64, b: u64) -> u32 {
    finish(fold(a ^ 0x2545_f491_4f6c_dd1d, b ^ MIX))
}

#[inline]
fn hash_many(key: &[u64]) -> u32 {
    finish(key.iter().fold(0, |hash, &k| fold(hash ^ k ^ 0x2545_f491_4f6c_dd1d, MIX)))
}

fn hash_row(columns: &[usize], table: &[Column], row: u32) -> u32 {
    let get = |c: usize| table[columns[c]].get(row);
    match columns.len() {
        1 => hash1(get(0)),
        2 => hash2(get(0), get(1)),
        _ => finish(columns.iter().fold(0, |h, &c| fold(h ^ table[c].get(row) ^ 0x2545_f491_4f6c_dd1d, MIX))),
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
                    let mut index = Index::new(&IndexPlan { columns: columns.clone(), kind });
                    index.reserve(200);
                    let mut table = [Column::Wide(Vec::new()), Column::Wide(Vec::new())];
                    let mut live: Vec<u32> = Vec::new();
                    for &(add, a, b, which) in &operations {
                        if add || live.is_empty() {
                            let row = match &mut table {
                                [Column::Wide(x), Column::Wide(y)] => {
                                    x.push((a * scale) as u64);
                                    y.push((b * scale) as u64);
                                    x.len() as u32 - 1
                                }
                                _ => unreachable!(),
                            };
                            index.make_room(&table, row, row as usize + 1).expect("there is memory");
                            index.insert(&table, row);
                            live.push(row);
                        } else {
                            let row = live.remove(which % live.len());
                            index.remove(&table, row);
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
