//! Linear inequalities over the integers: elimination after Fourier and Motzkin, with coefficients divided by their common divisor.

use gchr_core::hash::HashMap;

use super::poly::{Mono, Poly, gcd};

/// Inequalities at most; beyond that nothing is decided.
const MAX_ROWS: usize = 160;

/// Coefficients of the products, each a column of its own, and last the constant: a sum that is not negative.
type Row = Vec<i128>;

/// Whether no integers make all of the polynomials `>= 0`. `false` says nothing.
pub(super) fn infeasible(polys: &[Poly]) -> bool {
    let mut columns: HashMap<Mono, usize> = HashMap::default();
    for (mono, _) in polys.iter().flat_map(Poly::terms).filter(|t| t.0 != Mono::ONE) {
        let next = columns.len();
        columns.entry(*mono).or_insert(next);
    }
    let width = columns.len();
    let mut rows = Rows { width, rows: Vec::with_capacity(polys.len()) };
    for poly in polys {
        let mut row = vec![0; width + 1];
        poly.terms().iter().for_each(|(mono, n)| row[columns.get(mono).copied().unwrap_or(width)] = *n);
        if rows.add(row) {
            return true;
        }
    }
    rows.eliminate()
}

struct Rows {
    width: usize,
    rows: Vec<Row>,
}

impl Rows {
    /// Adds a row; says whether it is a contradiction by itself.
    fn add(&mut self, mut row: Row) -> bool {
        let width = self.width;
        let divisor = row[..width].iter().fold(0, |g, &n| if n == 0 { g } else { gcd(g, n) });
        if divisor == 0 {
            return row[width] < 0;
        }
        if divisor > 1 {
            row[..width].iter_mut().for_each(|n| *n /= divisor);
            // The sum of the others is a multiple of the divisor: the constant may be rounded down.
            row[width] = row[width].div_euclid(divisor);
        }
        match self.rows.iter_mut().find(|known| known[..width] == row[..width]) {
            Some(known) => known[width] = known[width].min(row[width]),
            None => self.rows.push(row),
        }
        false
    }

    fn eliminate(mut self) -> bool {
        while let Some(column) = self.cheapest() {
            let (mut above, mut below) = (Vec::new(), Vec::new());
            let mut rest = Rows { width: self.width, rows: Vec::with_capacity(self.rows.len()) };
            for row in self.rows {
                match row[column] {
                    0 => rest.rows.push(row),
                    n if n > 0 => below.push(row),
                    _ => above.push(row),
                }
            }
            if rest.rows.len() + above.len() * below.len() > MAX_ROWS {
                return false;
            }
            for low in &below {
                for high in &above {
                    let Some(row) = combine(low, -high[column], high, low[column]) else { return false };
                    if rest.add(row) {
                        return true;
                    }
                }
            }
            self = rest;
        }
        false
    }

    /// The column whose elimination makes the fewest rows.
    fn cheapest(&self) -> Option<usize> {
        let mut best = None;
        for column in 0..self.width {
            let (mut below, mut above) = (0, 0);
            for row in &self.rows {
                match row[column] {
                    0 => {}
                    n if n > 0 => below += 1,
                    _ => above += 1,
                }
            }
            let cost = below * above;
            if below + above > 0 && best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, column));
                if cost == 0 {
                    break;
                }
            }
        }
        best.map(|(_, column)| column)
    }
}

/// `low * m + high * n`
fn combine(low: &[i128], m: i128, high: &[i128], n: i128) -> Option<Row> {
    let common = gcd(m, n).max(1);
    let (m, n) = (m / common, n / common);
    let sum = |(a, b): (&i128, &i128)| a.checked_mul(m)?.checked_add(b.checked_mul(n)?);
    low.iter().zip(high).map(sum).collect()
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
        assert!(infeasible(&rows));
        assert!(!infeasible(&rows[..2]));
        // 2x = 1 has no integer solution.
        assert!(infeasible(&[poly(&[(1, 2)], -1), poly(&[(1, -2)], 1)]));
    }
}
