//! Linear inequalities over the integers: elimination after Fourier and Motzkin, with coefficients divided by their common divisor.

use gchr_core::hash::HashMap;

use super::poly::{Mono, Poly, gcd};

/// Inequalities at most; beyond that nothing is decided.
const MAX_ROWS: usize = 160;

/// Whether no integers make all of the polynomials `>= 0`. `false` says nothing.
pub(super) fn infeasible<'p>(polys: impl Iterator<Item = &'p Poly> + Clone) -> bool {
    let mut columns: HashMap<Mono, usize> = HashMap::default();
    for (mono, _) in polys.clone().flat_map(Poly::terms).filter(|t| t.0 != Mono::ONE) {
        let next = columns.len();
        columns.entry(*mono).or_insert(next);
    }
    let mut rows = Rows::new(columns.len());
    for poly in polys {
        let at = rows.slot();
        let row = rows.row_mut(at);
        poly.terms().iter().for_each(|(mono, n)| match columns.get(mono) {
            Some(&column) => row[column] = *n,
            None => *row.last_mut().expect("rows have a constant") = *n,
        });
        if rows.add(at) {
            return true;
        }
    }
    rows.eliminate()
}

/// Sums that are not negative: coefficients of the products, each a column of its own, and last the constant.
struct Rows {
    width: usize,
    /// Rows one after the other, those in use and free ones.
    cells: Vec<i128>,
    /// Numbers of the rows in use, with a hash of their coefficients.
    used: Vec<(usize, u64)>,
    free: Vec<usize>,
    /// How many coefficients of a column are above zero, below zero.
    signs: Vec<[usize; 2]>,
}

impl Rows {
    fn new(width: usize) -> Self {
        Self { width, cells: Vec::new(), used: Vec::new(), free: Vec::new(), signs: vec![[0; 2]; width] }
    }

    fn row(&self, at: usize) -> &[i128] {
        &self.cells[at * (self.width + 1)..][..=self.width]
    }
    fn row_mut(&mut self, at: usize) -> &mut [i128] {
        &mut self.cells[at * (self.width + 1)..][..=self.width]
    }

    /// A row of zeros that is not in use yet.
    fn slot(&mut self) -> usize {
        match self.free.pop() {
            Some(at) => {
                self.row_mut(at).fill(0);
                at
            }
            None => {
                self.cells.resize(self.cells.len() + self.width + 1, 0);
                self.cells.len() / (self.width + 1) - 1
            }
        }
    }

    /// Takes a row into use; says whether it is a contradiction by itself.
    fn add(&mut self, at: usize) -> bool {
        let width = self.width;
        let row = self.row_mut(at);
        let divisor = row[..width].iter().fold(0, |g, &n| if n == 0 || g == 1 { g } else { gcd(g, n) });
        if divisor == 0 {
            let wrong = row[width] < 0;
            self.free.push(at);
            return wrong;
        }
        if divisor > 1 {
            row[..width].iter_mut().for_each(|n| *n /= divisor);
            // The sum of the others is a multiple of the divisor: the constant may be rounded down.
            row[width] = row[width].div_euclid(divisor);
        }
        let constant = row[width];
        let mut hash = 0_u64;
        for &n in &row[..width] {
            hash = (hash.rotate_left(5) ^ n as u64).wrapping_mul(0x517c_c1b7_2722_0a95);
        }
        let same =
            |&&(other, h): &&(usize, u64)| h == hash && self.row(other)[..width] == self.row(at)[..width];
        match self.used.iter().find(same).map(|known| known.0) {
            Some(known) => {
                let known = &mut self.row_mut(known)[width];
                *known = constant.min(*known);
                self.free.push(at);
            }
            None => {
                self.count(at, 1);
                self.used.push((at, hash));
            }
        }
        false
    }

    /// Adds to the numbers of signs what a row has.
    fn count(&mut self, at: usize, by: isize) {
        let row = &self.cells[at * (self.width + 1)..][..self.width];
        for (signs, &n) in self.signs.iter_mut().zip(row).filter(|(_, n)| **n != 0) {
            let sign = &mut signs[usize::from(n < 0)];
            *sign = sign.wrapping_add_signed(by);
        }
    }

    fn eliminate(mut self) -> bool {
        while let Some(column) = self.cheapest() {
            let [below, above] = self.signs[column];
            if self.used.len() - below - above + below * above > MAX_ROWS {
                return false;
            }
            let (mut below, mut above) = (Vec::new(), Vec::new());
            let mut used = std::mem::take(&mut self.used);
            used.retain(|&(at, _)| {
                match self.row(at)[column] {
                    0 => return true,
                    n if n > 0 => below.push(at),
                    _ => above.push(at),
                }
                false
            });
            self.used = used;
            below.iter().chain(&above).for_each(|&at| self.count(at, -1));
            for &low in &below {
                for &high in &above {
                    let Some(row) = self.combine(low, high, column) else { return false };
                    if self.add(row) {
                        return true;
                    }
                }
            }
            self.free.extend(below.into_iter().chain(above));
        }
        false
    }

    /// The column whose elimination makes the fewest rows.
    fn cheapest(&self) -> Option<usize> {
        let used = self.signs.iter().enumerate().filter(|(_, [below, above])| below + above > 0);
        used.min_by_key(|(_, [below, above])| below * above).map(|(column, _)| column)
    }

    /// The sum of multiples of two rows in which a column is zero.
    fn combine(&mut self, low: usize, high: usize, column: usize) -> Option<usize> {
        let (m, n) = (-self.row(high)[column], self.row(low)[column]);
        let common = gcd(m, n).max(1);
        let (m, n) = (m / common, n / common);
        let to = self.slot();
        for at in 0..=self.width {
            let (a, b) = (self.row(low)[at], self.row(high)[at]);
            if a != 0 || b != 0 {
                self.row_mut(to)[at] = times(a, m)?.checked_add(times(b, n)?)?;
            }
        }
        Some(to)
    }
}

fn times(a: i128, b: i128) -> Option<i128> {
    match (i64::try_from(a), i64::try_from(b)) {
        (Ok(a), Ok(b)) => Some(i128::from(a) * i128::from(b)),
        _ => a.checked_mul(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn poly(terms: &[(u32, i128)], constant: i128) -> Poly {
        terms.iter().fold(Poly::constant(constant), |p, &(v, n)| p.plus(&Poly::var(v), n).unwrap())
    }

    #[test]
    fn contradictions_are_found() {
        // x < y, y < z, z < x + 2
        let rows = [poly(&[(1, -1), (2, 1)], -1), poly(&[(2, -1), (3, 1)], -1), poly(&[(3, -1), (1, 1)], 1)];
        assert!(infeasible(rows.iter()));
        assert!(!infeasible(rows[..2].iter()));
        // 2x = 1 has no integer solution.
        assert!(infeasible([poly(&[(1, 2)], -1), poly(&[(1, -2)], 1)].iter()));
    }
}
