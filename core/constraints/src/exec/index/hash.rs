//! Hash tables from keys to the first rows of their lists.

use super::NONE;
use crate::exec::column::Column;
use gchr_base::memory::{self, Shortage};

/// Open addressing with linear probing. An entry is the 32-bit hash of its key above the first row of its list; its
/// home is the hash as a fraction of the entries, whose number need not be a power of two.
pub(super) struct HashHeads {
    entries: Vec<u64>,
    used: usize,
}

const EMPTY: u64 = u64::MAX;

impl HashHeads {
    const FIRST: usize = 16;

    pub(super) fn new() -> Self {
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
    pub(super) fn find(&self, hash: u32, same: impl Fn(u32) -> bool) -> u32 {
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
    pub(super) fn reserve(&mut self) -> Result<bool, Shortage> {
        if self.is_full() { self.grow() } else { Ok(false) }
    }

    /// Whether there is no room for one more key.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.used * 4 >= self.entries.len() * 3
    }

    #[cold]
    pub(super) fn grow(&mut self) -> Result<bool, Shortage> {
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
    pub(super) fn insert(&mut self, hash: u32, row: u32, same: impl Fn(u32) -> bool) -> u32 {
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

    /// Number of keys.
    pub(super) fn len(&self) -> usize {
        self.used
    }

    /// The first rows of all lists.
    pub(super) fn rows(&self) -> impl Iterator<Item = u32> + '_ {
        self.entries.iter().filter(|&&entry| entry != EMPTY).map(|&entry| entry as u32)
    }

    pub(super) fn bytes(&self) -> u64 {
        self.entries.capacity() as u64 * 8
    }

    /// Makes `next` first in the list that `row` leads, or drops the key when there is none.
    pub(super) fn replace(&mut self, hash: u32, row: u32, next: u32) {
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
pub(super) fn hash1(a: u64) -> u32 {
    finish(fold(a ^ 0x2545_f491_4f6c_dd1d, MIX))
}

#[inline]
pub(super) fn hash2(a: u64, b: u64) -> u32 {
    finish(fold(a ^ 0x2545_f491_4f6c_dd1d, b ^ MIX))
}

#[inline]
pub(super) fn hash_many(key: &[u64]) -> u32 {
    finish(key.iter().fold(0, |hash, &k| fold(hash ^ k ^ 0x2545_f491_4f6c_dd1d, MIX)))
}

pub(super) fn hash_row(columns: &[usize], table: &[Column], row: u32) -> u32 {
    let get = |c: usize| table[columns[c]].get(row);
    match columns.len() {
        1 => hash1(get(0)),
        2 => hash2(get(0), get(1)),
        _ => finish(columns.iter().fold(0, |h, &c| fold(h ^ table[c].get(row) ^ 0x2545_f491_4f6c_dd1d, MIX))),
    }
}
