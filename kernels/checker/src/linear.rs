//! Linear inequalities over the integers: elimination after Fourier and Motzkin, with coefficients divided by their
//! common divisor.

use gchr_base::hash::HashMap;

use super::poly::{Mono, Poly, gcd};

/// Inequalities at most; beyond that nothing is decided.
const MAX_ROWS: usize = 160;

/// Whether no integers make all of the polynomials `>= 0`. `false` says nothing.
pub(super) fn infeasible<'p>(polys: impl Iterator<Item = &'p Poly>) -> bool {
    let mut columns: HashMap<Mono, u32> = HashMap::default();
    let mut rows = Rows::default();
    for poly in polys {
        let mut row = rows.free.pop().unwrap_or_default();
        for &(mono, n) in poly.terms() {
            if mono == Mono::ONE {
                row.constant = n;
                continue;
            }
            let next = columns.len() as u32;
            row.terms.push((*columns.entry(mono).or_insert(next), n));
        }
        row.terms.sort_unstable_by_key(|t| t.0);
        if rows.add(row) {
            return true;
        }
    }
    rows.eliminate()
}

/// A sum that is not negative. Most have few terms of many columns.
#[derive(Default)]
struct Row {
    /// Columns in rising order, with their coefficients: none is zero.
    terms: Vec<(u32, i128)>,
    constant: i128,
    /// Of the terms.
    hash: u64,
}

impl Row {
    fn coefficient(&self, column: u32) -> i128 {
        self.terms.iter().find(|t| t.0 == column).map_or(0, |t| t.1)
    }

    fn clear(mut self) -> Self {
        self.terms.clear();
        self.constant = 0;
        self
    }

    /// Divides by the common divisor of the coefficients.
    fn tighten(&mut self) {
        let divisor = self.terms.iter().fold(0, |g, t| if g == 1 { g } else { gcd(g, t.1) });
        if divisor > 1 {
            self.terms.iter_mut().for_each(|t| t.1 /= divisor);
            // The sum of the others is a multiple of the divisor: the constant may be rounded down.
            self.constant = self.constant.div_euclid(divisor);
        }
        self.hash = self.terms.iter().fold(0, |hash: u64, &(column, n)| {
            let key = (n as u64).rotate_left(17) ^ u64::from(column);
            (hash.rotate_left(5) ^ key).wrapping_mul(0x517c_c1b7_2722_0a95)
        });
    }
}

/// The rows, and what is needed to choose the next column.
#[derive(Default)]
struct Rows {
    used: Vec<Row>,
    /// Rows that are not in use, for their memory.
    free: Vec<Row>,
    /// How many coefficients of a column are above zero, below zero.
    signs: Vec<[usize; 2]>,
}

impl Rows {
    /// Takes a row into use; says whether it is a contradiction by itself.
    fn add(&mut self, mut row: Row) -> bool {
        if row.terms.is_empty() {
            let wrong = row.constant < 0;
            self.free.push(row.clear());
            return wrong;
        }
        row.tighten();
        let same = |known: &&mut Row| known.hash == row.hash && known.terms == row.terms;
        match self.used.iter_mut().find(same) {
            Some(known) => {
                known.constant = row.constant.min(known.constant);
                self.free.push(row.clear());
            }
            None => {
                self.count(&row, 1);
                self.used.push(row);
            }
        }
        false
    }

    /// Adds to the numbers of signs what a row has.
    fn count(&mut self, row: &Row, by: isize) {
        let width = row.terms.last().map_or(0, |t| t.0 as usize + 1);
        if self.signs.len() < width {
            self.signs.resize(width, [0; 2]);
        }
        for &(column, n) in &row.terms {
            let sign = &mut self.signs[column as usize][usize::from(n < 0)];
            *sign = sign.wrapping_add_signed(by);
        }
    }

    fn eliminate(mut self) -> bool {
        let (mut below, mut above) = (Vec::new(), Vec::new());
        while let Some(column) = self.cheapest() {
            let [n_below, n_above] = self.signs[column as usize];
            if self.used.len() - n_below - n_above + n_below * n_above > MAX_ROWS {
                return false;
            }
            for at in (0..self.used.len()).rev() {
                match self.used[at].coefficient(column) {
                    0 => continue,
                    n if n > 0 => below.push(self.used.swap_remove(at)),
                    _ => above.push(self.used.swap_remove(at)),
                }
            }
            below.iter().chain(&above).for_each(|row| self.count(row, -1));
            for low in &below {
                for high in &above {
                    let to = self.free.pop().unwrap_or_default();
                    let Some(row) = combine(low, high, column, to) else { return false };
                    if self.add(row) {
                        return true;
                    }
                }
            }
            self.free.extend(below.drain(..).chain(above.drain(..)).map(Row::clear));
        }
        false
    }

    /// The column whose elimination makes the fewest rows.
    fn cheapest(&self) -> Option<u32> {
        let mut best: Option<(usize, u32)> = None;
        for (column, [below, above]) in (0..).zip(&self.signs) {
            let rows = below * above;
            if below + above > 0 && best.is_none_or(|(fewest, _)| rows < fewest) {
                best = Some((rows, column));
                if rows == 0 {
                    break;
                }
            }
        }
        best.map(|(_, column)| column)
    }
}

/// The sum of multiples of two rows in which a column is zero.
fn combine(low: &Row, high: &Row, column: u32, mut to: Row) -> Option<Row> {
    let (m, n) = (-high.coefficient(column), low.coefficient(column));
    let common = gcd(m, n).max(1);
    let (m, n) = (m / common, n / common);
    let (mut a, mut b) = (low.terms.iter().peekable(), high.terms.iter().peekable());
    loop {
        let next = match (a.peek(), b.peek()) {
            (None, None) => break,
            (Some(x), Some(y)) => x.0.min(y.0),
            (Some(x), None) => x.0,
            (None, Some(y)) => y.0,
        };
        let mut sum = 0;
        if let Some((_, x)) = a.next_if(|t| t.0 == next) {
            sum = times(*x, m)?;
        }
        if let Some((_, y)) = b.next_if(|t| t.0 == next) {
            sum = times(*y, n)?.checked_add(sum)?;
        }
        if sum != 0 {
            to.terms.push((next, sum));
        }
    }
    to.constant = times(low.constant, m)?.checked_add(times(high.constant, n)?)?;
    Some(to)
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
