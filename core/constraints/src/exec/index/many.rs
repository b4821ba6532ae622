//! Indexes asked for many rows at a time, and given many rows, by loops that decide nothing for each.

use std::hint::select_unpredictable;
use std::ops::Range;

use super::{Heads, Index, Links, NONE};
use crate::exec::column::Column;
use gchr_base::memory::Shortage;

impl Index {
    /// The newest row of each of some keys, given by columns; of a set, any row.
    pub(crate) fn heads(&self, table: &[Column], key: &[&[u64]], count: usize, heads: &mut Vec<u32>) {
        match (&self.heads, key) {
            (_, []) => heads.resize(count, self.first()),
            (Heads::Grid(grid), [b]) => heads.extend(b.iter().map(|&b| grid.get(0, b).wrapping_sub(1))),
            (Heads::Grid(grid), [a, b]) => {
                heads.extend(a.iter().zip(*b).map(|(&a, &b)| grid.get(a, b).wrapping_sub(1)));
            }
            (_, [a]) => heads.extend(a.iter().map(|&a| self.find1(table, a))),
            (_, [a, b]) => heads.extend(a.iter().zip(*b).map(|(&a, &b)| self.find2(table, a, b))),
            _ => {
                let mut one = vec![0; key.len()];
                heads.extend((0..count).map(|at| {
                    one.iter_mut().zip(key).for_each(|(word, column)| *word = column[at]);
                    self.find(table, &one)
                }));
            }
        }
    }

    /// For each of some constraints, given by columns, a row of its key.
    pub(crate) fn rows_of(&self, table: &[Column], args: &[&[u64]], count: usize, rows: &mut Vec<u32>) {
        rows.clear();
        match &self.columns[..] {
            &[b] => self.heads(table, &[args[b]], count, rows),
            &[a, b] => self.heads(table, &[args[a], args[b]], count, rows),
            columns => {
                let key: Vec<&[u64]> = columns.iter().map(|&c| args[c]).collect();
                self.heads(table, &key, count, rows);
            }
        }
    }

    /// Puts the keys of constraints, given by columns, into the set, from a place on, as long as it has an array with
    /// room for them; the places of those that are new are appended. Gives the place behind the last of them.
    pub(crate) fn claim(
        &mut self,
        args: &[&[u64]],
        (from, to): (usize, usize),
        new: &mut Vec<u32>,
    ) -> Result<usize, Shortage> {
        match (&mut self.heads, &self.columns[..]) {
            (Heads::Bits(bits), &[b]) => bits.claim(|at| (0, args[b][at]), (from, to), new),
            (Heads::Bits(bits), &[a, b]) => {
                let (a, b) = (&args[a][..to], &args[b][..to]);
                bits.claim(|at| (a[at], b[at]), (from, to), new)
            }
            _ => Ok(from),
        }
    }

    /// Puts the keys of constraints, given by columns, into the set, as other threads may do at the same time. The
    /// places of those that are new are appended to one list, to another those for which there is no array with room.
    /// Afterwards the memory is to be [accounted for](Self::settle).
    pub(crate) fn claim_beside(
        &self,
        args: &[&[u64]],
        count: usize,
        new: &mut Vec<u32>,
        outside: &mut Vec<u32>,
    ) -> Result<(), Shortage> {
        match (&self.heads, &self.columns[..]) {
            (Heads::Bits(bits), &[b]) => bits.claim_beside(|at| (0, args[b][at]), count, new, outside),
            (Heads::Bits(bits), &[a, b]) => {
                let (a, b) = (&args[a][..count], &args[b][..count]);
                bits.claim_beside(|at| (a[at], b[at]), count, new, outside)
            }
            _ => {
                outside.extend(0..count as u32);
                Ok(())
            }
        }
    }

    /// Accounts for the memory that [claims](Self::claim_beside) of threads have taken.
    pub(crate) fn settle(&mut self) {
        if let Heads::Bits(bits) = &mut self.heads {
            bits.settle();
        }
    }

    /// Takes keys of constraints, given by columns, out of the set again, which has an array with room for them.
    pub(crate) fn unclaim(&mut self, args: &[Vec<u64>], count: usize) {
        let Heads::Bits(bits) = &mut self.heads else { return };
        match self.columns[..] {
            [b] => args[b][..count].iter().for_each(|&b| bits.set(0, b, false)),
            [a, b] => {
                let pairs = args[a][..count].iter().zip(&args[b][..count]);
                pairs.for_each(|(&a, &b)| bits.set(a, b, false));
            }
            _ => {}
        }
    }

    /// Writes rows of some lists, as many as there is room for, and the place of the list of each. Gives their number.
    #[inline]
    pub(crate) fn follow(
        &self,
        lists: &ListHeads,
        cursor: &mut Cursor,
        rows: &mut [u64],
        from: &mut [u32],
    ) -> usize {
        match &self.links {
            Links::Both(links) => {
                cursor.follow(lists, rows, from, |row| links.get(row as usize).map_or(NONE, |l| l.next))
            }
            Links::Next(links) => {
                cursor.follow(lists, rows, from, |row| links.get(row as usize).map_or(NONE, |&next| next))
            }
            // Before the first row there is none.
            Links::None if matches!(self.heads, Heads::Rows) => {
                cursor.follow(lists, rows, from, |row| row.wrapping_sub(1))
            }
            Links::None => cursor.follow(lists, rows, from, |_| NONE),
        }
    }

    /// Puts rows before all others of their keys, one after the other, as long as lists begin in an array with room for
    /// them and links lead to older rows only. Gives the row behind the last of them.
    pub(crate) fn insert_run(&mut self, table: &[Column], rows: Range<u32>) -> Result<u32, Shortage> {
        let (Heads::Grid(grid), Links::Next(links)) = (&mut self.heads, &mut self.links) else {
            return Ok(rows.start);
        };
        let end = match &self.columns[..] {
            [b] => match &table[*b] {
                Column::Narrow(b) => grid.push_run(|row| (0, u64::from(b[row as usize])), rows, links)?,
                Column::Wide(b) => grid.push_run(|row| (0, b[row as usize]), rows, links)?,
            },
            columns => grid.push_run(|row| Self::pair(columns, table, row), rows, links)?,
        };
        self.linked = end as usize;
        Ok(end)
    }

    /// Whether it is a set that [`claim`](Self::claim) and [`claim_beside`](Self::claim_beside) work for.
    pub(crate) fn is_array(&self) -> bool {
        matches!(self.heads, Heads::Bits(_))
    }
}

/// Lists to be followed: the first rows of those that have any, and their places.
#[derive(Default)]
pub(crate) struct ListHeads {
    heads: Vec<u32>,
    places: Vec<u32>,
    count: usize,
}

impl ListHeads {
    /// Takes the lists with these first rows, which may be empty.
    pub(crate) fn fill(&mut self, heads: &[u32]) {
        // One behind the last, which is read and not used.
        self.heads.resize(heads.len() + 1, NONE);
        self.places.resize(heads.len() + 1, 0);
        self.count = 0;
        for (place, &head) in heads.iter().enumerate() {
            (self.heads[self.count], self.places[self.count]) = (head, place as u32);
            self.count += usize::from(head != NONE);
        }
    }
}

/// How far some lists were followed.
pub(crate) struct Cursor {
    /// The list at hand: those before it are done.
    at: usize,
    row: u32,
    /// Whether lists are long, as far as was seen.
    are_long: bool,
}

/// Rows of lists that are long, on average: their ends can be predicted.
const LONG: usize = 24;

impl Cursor {
    /// At the beginning of some lists.
    pub(crate) fn new(lists: &ListHeads) -> Self {
        Self { at: 0, row: lists.heads.first().map_or(NONE, |&row| row), are_long: false }
    }

    /// Whether all lists are done.
    pub(crate) fn is_done(&self, lists: &ListHeads) -> bool {
        self.at == lists.count
    }

    /// The place of the list at hand and its first row; goes on to the next one.
    pub(crate) fn list(&mut self, lists: &ListHeads) -> Option<(u32, u32)> {
        (!self.is_done(lists)).then(|| {
            self.at += 1;
            (lists.places[self.at - 1], lists.heads[self.at - 1])
        })
    }

    /// Where a list ends is predicted where lists are long; else nothing branches on it.
    #[inline]
    fn follow(
        &mut self,
        lists: &ListHeads,
        rows: &mut [u64],
        from: &mut [u32],
        next: impl Fn(u32) -> u32,
    ) -> usize {
        let most = rows.len().min(from.len());
        let (rows, from) = (&mut rows[..most], &mut from[..most]);
        let (heads, places) = (&lists.heads[..=lists.count], &lists.places[..=lists.count]);
        let (mut at, mut row, mut count) = (self.at, self.row, 0);
        if self.are_long {
            while at < lists.count && count < most {
                while row != NONE && count < most {
                    (rows[count], from[count]) = (u64::from(row), places[at]);
                    count += 1;
                    row = next(row);
                }
                if row == NONE {
                    at += 1;
                    row = heads[at];
                }
            }
        } else {
            while at < lists.count && count < most {
                (rows[count], from[count]) = (u64::from(row), places[at]);
                count += 1;
                let (behind, after) = (next(row), heads[at + 1]);
                let is_last = behind == NONE;
                row = select_unpredictable(is_last, after, behind);
                at += usize::from(is_last);
            }
        }
        self.are_long = count > LONG * (at - self.at + 1);
        (self.at, self.row) = (at, row);
        count
    }
}
