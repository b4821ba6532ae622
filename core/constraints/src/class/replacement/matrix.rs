//! The dense keyed join of a monotone replacement, `c(I,K,A), c(K,J,B) \ c(I,J,C)` with `C > A + B`: values in a square
//! array, rounds as products of matrices over (min, +).
//!
//! **Invariant:** every key has one constraint, keys are small and values are far from 64 bits, so that no sum
//! overflows. What does not fit ([`Matrix::set`]) is left to the general join.

use gchr_base::memory;
use rayon::prelude::*;

use crate::exec::index::NONE;
use crate::exec::round::watch::RoundWatch;

/// Greater than every sum of values.
const ABSENT: i64 = 1 << 61;
/// Values of constraints are less, in absolute value.
const MOST: i64 = 1 << 60;
/// Keys below this are always worth an array.
const SMALL: usize = 256;
/// Rows that one thread takes at a time.
const ROWS: usize = 16;

/// Values by row and column key. Where the greatest value is best, they are negated.
pub(super) struct Matrix {
    width: usize,
    values: Vec<i64>,
    /// Rows of the table.
    rows: Vec<u32>,
    count: usize,
    /// Cells that are new or changed in the last round.
    changed: Vec<(u32, u32)>,
    is_changed: Vec<bool>,
}

/// A cell that takes a better value.
pub(super) type Better = (u32, u32, i64);

impl Matrix {
    pub(super) fn new() -> Self {
        let (values, rows, changed, is_changed) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { width: 0, values, rows, count: 0, changed, is_changed }
    }

    pub(super) fn bytes(&self) -> u64 {
        (self.values.capacity() * 8
            + self.rows.capacity() * 4
            + self.is_changed.capacity()
            + self.changed.capacity() * 8) as u64
    }

    /// Row of the table of a cell.
    pub(super) fn row(&self, i: u32, j: u32) -> u32 {
        self.rows[i as usize * self.width + j as usize]
    }

    /// Whether a round has something to look at.
    pub(super) fn is_pending(&self) -> bool {
        !self.changed.is_empty()
    }

    /// Takes a new constraint; says whether it fits.
    pub(super) fn set(&mut self, i: i64, j: i64, value: i64, row: u32) -> bool {
        let (Ok(i), Ok(j)) = (usize::try_from(i), usize::try_from(j)) else { return false };
        let needed = i.max(j).saturating_add(1);
        if value.unsigned_abs() >= MOST as u64 || needed > self.width && !self.grow(needed) {
            return false;
        }
        let at = i * self.width + j;
        if self.rows[at] != NONE {
            return false;
        }
        (self.values[at], self.rows[at]) = (value, row);
        self.count += 1;
        self.mark(i as u32, j as u32);
        true
    }

    fn mark(&mut self, i: u32, j: u32) {
        let at = i as usize * self.width + j as usize;
        if !self.is_changed[at] {
            self.is_changed[at] = true;
            self.changed.push((i, j));
        }
    }

    /// Makes room for keys below `needed` unless most cells would stay empty.
    fn grow(&mut self, needed: usize) -> bool {
        let width = needed.max(self.width + self.width / 2);
        if width > SMALL && width.checked_mul(width).is_none_or(|cells| cells / 64 > self.count + 1) {
            return false;
        }
        // Three values a cell; where there is no memory for them, the general join takes over.
        if memory::ask((width * width) as u64 * 13).is_err() {
            return false;
        }
        let mut wider = Self::new();
        wider.width = width;
        wider.values = vec![ABSENT; width * width];
        wider.rows = vec![NONE; width * width];
        wider.is_changed = vec![false; width * width];
        for i in 0..self.width {
            let (from, to) = (i * self.width, i * width);
            wider.values[to..to + self.width].copy_from_slice(&self.values[from..from + self.width]);
            wider.rows[to..to + self.width].copy_from_slice(&self.rows[from..from + self.width]);
            wider.is_changed[to..to + self.width].copy_from_slice(&self.is_changed[from..from + self.width]);
        }
        (wider.count, wider.changed) = (self.count, std::mem::take(&mut self.changed));
        *self = wider;
        true
    }

    /// The cells that take a better value in this round; nothing when the watch calls.
    pub(super) fn improve(&self, watch: &RoundWatch<'_>) -> Option<Vec<Better>> {
        if self.changed.len() * 8 < self.width {
            return self.few(watch);
        }
        let by_row = self.changed_by_row();
        let row = |i: usize| (!watch.calls()).then(|| self.improved_row(i, &by_row));
        let parallel = rayon::current_num_threads() > 1 && self.width > 2 * ROWS;
        let rows: Option<Vec<Vec<Better>>> = match parallel {
            true => (0..self.width).into_par_iter().with_min_len(ROWS).map(row).collect(),
            false => (0..self.width).map(row).collect(),
        };
        rows.map(|rows| rows.concat())
    }

    /// For each row its changed columns.
    fn changed_by_row(&self) -> Vec<Vec<u32>> {
        let mut by_row = vec![Vec::new(); self.width];
        self.changed.iter().for_each(|&(i, j)| by_row[i as usize].push(j));
        by_row
    }

    /// One row of the product. A sum through an unchanged first factor has a changed second one; a new cell looks at
    /// all sums.
    fn improved_row(&self, i: usize, changed: &[Vec<u32>]) -> Vec<Better> {
        let n = self.width;
        let own = &self.values[i * n..(i + 1) * n];
        let mut best = own.to_vec();
        for (k, &a) in own.iter().enumerate() {
            if k == i || a == ABSENT {
                continue;
            }
            let other = &self.values[k * n..(k + 1) * n];
            if self.is_changed[i * n + k] || changed[i].len() * 4 > n {
                // Without the column k: there the constraint would fill two heads.
                add_row(&mut best[..k], a, &other[..k]);
                add_row(&mut best[k + 1..], a, &other[k + 1..]);
            } else {
                for &j in changed[k].iter().chain(&changed[i]).filter(|&&j| j as usize != k) {
                    let sum = a + other[j as usize];
                    best[j as usize] = best[j as usize].min(sum);
                }
            }
        }
        let rows = &self.rows[i * n..(i + 1) * n];
        let better = |j: &usize| rows[*j] != NONE && best[*j] < own[*j];
        (0..n).filter(better).map(|j| (i as u32, j as u32, best[j])).collect()
    }

    /// The same when few cells changed: only sums with one of them, or for one of them.
    fn few(&self, watch: &RoundWatch<'_>) -> Option<Vec<Better>> {
        let width = self.width;
        let value = |i: usize, j: usize| self.values[i * width + j];
        let mut better = Vec::new();
        let mut offer = |i: usize, j: usize, sum: i64| {
            if sum < value(i, j) && self.rows[i * width + j] != NONE {
                better.push((i as u32, j as u32, sum));
            }
        };
        for (n, &(x, y)) in self.changed.iter().enumerate() {
            if n % ROWS == 0 && watch.calls() {
                return None;
            }
            let (x, y) = (x as usize, y as usize);
            let own = value(x, y);
            if x != y {
                for z in (0..width).filter(|&z| z != y) {
                    offer(x, z, own + value(y, z));
                }
                for z in (0..width).filter(|&z| z != x) {
                    offer(z, y, value(z, x) + own);
                }
            }
            for k in (0..width).filter(|&k| k != x && k != y) {
                offer(x, y, value(x, k) + value(k, y));
            }
        }
        better.sort_unstable();
        better.dedup_by_key(|&mut (i, j, _)| (i, j));
        Some(better)
    }

    /// Ends a round: takes the better values.
    pub(super) fn apply(&mut self, better: &[Better]) {
        for (i, j) in std::mem::take(&mut self.changed) {
            self.is_changed[i as usize * self.width + j as usize] = false;
        }
        for &(i, j, value) in better {
            self.values[i as usize * self.width + j as usize] = value;
            self.mark(i, j);
        }
    }

    /// Whether the values that a round gives would no longer be far from 64 bits.
    pub(super) fn overflows(&self, better: &[Better]) -> bool {
        better.iter().any(|b| b.2 <= -MOST)
    }

    /// The cells that are new or changed, to be looked at by the general join.
    pub(super) fn changed_rows(&self) -> impl Iterator<Item = u32> + '_ {
        self.changed.iter().map(|&(i, j)| self.row(i, j))
    }
}

#[inline]
fn add_row(best: &mut [i64], a: i64, other: &[i64]) {
    best.iter_mut().zip(other).for_each(|(best, &b)| *best = (*best).min(a + b));
}
