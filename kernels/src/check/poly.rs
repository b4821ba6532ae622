//! Polynomials with integer coefficients: what the checker knows of an index or a number.

use std::fmt;

/// Most factors of a product, and most terms of a sum, that are kept as such.
const MAX_DEGREE: usize = 4;
const MAX_TERMS: usize = 24;
/// Most terms of any sum: differences of sums, and bounds on them, are always kept.
const HARD_TERMS: usize = 256;
/// Largest coefficient of a sum that is kept as such.
const MAX_COEFFICIENT: u128 = 1 << 80;
const NONE: u32 = u32::MAX;

/// A product of variables, in rising order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Mono([u32; MAX_DEGREE]);

impl Mono {
    /// The empty product.
    pub const ONE: Mono = Mono([NONE; MAX_DEGREE]);

    pub fn var(var: u32) -> Self {
        let mut mono = Self::ONE;
        mono.0[0] = var;
        mono
    }
    pub fn vars(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().copied().take_while(|&v| v != NONE)
    }
    pub fn degree(&self) -> usize {
        self.vars().count()
    }
    fn times(&self, other: &Mono) -> Option<Mono> {
        let mut all: Vec<u32> = self.vars().chain(other.vars()).collect();
        if all.len() > MAX_DEGREE {
            return None;
        }
        all.sort_unstable();
        let mut mono = Self::ONE;
        mono.0[..all.len()].copy_from_slice(&all);
        Some(mono)
    }
    /// The product without one factor `var`.
    pub fn without(&self, var: u32) -> Option<Mono> {
        let at = self.vars().position(|v| v == var)?;
        let mut mono = *self;
        mono.0[at..].rotate_left(1);
        mono.0[MAX_DEGREE - 1] = NONE;
        Some(mono)
    }
}

/// A sum of products with coefficients, sorted, without zeros.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub(super) struct Poly {
    terms: Vec<(Mono, i128)>,
}

impl Poly {
    pub fn constant(n: i128) -> Self {
        Self { terms: if n == 0 { Vec::new() } else { vec![(Mono::ONE, n)] } }
    }
    pub fn var(var: u32) -> Self {
        Self { terms: vec![(Mono::var(var), 1)] }
    }
    pub fn terms(&self) -> &[(Mono, i128)] {
        &self.terms
    }
    pub fn from_terms(mut terms: Vec<(Mono, i128)>) -> Option<Self> {
        terms.sort_unstable_by_key(|t| t.0);
        let mut out: Vec<(Mono, i128)> = Vec::with_capacity(terms.len());
        for (mono, n) in terms {
            match out.last_mut() {
                Some(last) if last.0 == mono => last.1 = last.1.checked_add(n)?,
                _ => out.push((mono, n)),
            }
        }
        out.retain(|t| t.1 != 0);
        (out.len() <= HARD_TERMS).then_some(Self { terms: out })
    }
    /// Whether it is short enough to be computed with; others get a symbol of their own.
    pub fn is_short(&self) -> bool {
        self.terms.len() <= MAX_TERMS && self.terms.iter().all(|t| t.1.unsigned_abs() < MAX_COEFFICIENT)
    }
    /// The number, when it is one.
    pub fn as_constant(&self) -> Option<i128> {
        match self.terms.as_slice() {
            [] => Some(0),
            [(mono, n)] if *mono == Mono::ONE => Some(*n),
            _ => None,
        }
    }
    /// The variable, when it is one.
    pub fn as_var(&self) -> Option<u32> {
        match self.terms.as_slice() {
            [(mono, 1)] if mono.degree() == 1 => mono.vars().next(),
            _ => None,
        }
    }
    /// Variables, perhaps repeated.
    pub fn vars(&self) -> impl Iterator<Item = u32> + '_ {
        self.terms.iter().flat_map(|(mono, _)| mono.0.iter().copied().take_while(|&v| v != NONE))
    }
    /// `self + other * factor`; `None` when it grows too long.
    pub fn plus(&self, other: &Poly, factor: i128) -> Option<Poly> {
        if other.terms.is_empty() {
            return Some(self.clone());
        }
        let mut terms = self.terms.clone();
        for &(mono, n) in &other.terms {
            terms.push((mono, n.checked_mul(factor)?));
        }
        Self::from_terms(terms)
    }
    pub fn minus(&self, other: &Poly) -> Option<Poly> {
        self.plus(other, -1)
    }
    pub fn times(&self, other: &Poly) -> Option<Poly> {
        if self.terms.len() * other.terms.len() > 4 * MAX_TERMS {
            return None;
        }
        let mut terms = Vec::with_capacity(self.terms.len() * other.terms.len());
        for (a, n) in &self.terms {
            for (b, m) in &other.terms {
                terms.push((a.times(b)?, n.checked_mul(*m)?));
            }
        }
        Self::from_terms(terms)
    }
    pub fn scaled(&self, factor: i128) -> Option<Poly> {
        Poly::default().plus(self, factor)
    }
    /// Whether a variable occurs.
    pub fn has(&self, var: u32) -> bool {
        self.terms.iter().any(|(mono, _)| mono.0.contains(&var))
    }
    /// Puts `by` in place of `var`.
    pub fn substitute(&self, var: u32, by: &Poly) -> Option<Poly> {
        let mut rest = Vec::new();
        let mut added = Poly::default();
        for &(mono, n) in &self.terms {
            match mono.without(var) {
                None => rest.push((mono, n)),
                Some(others) => {
                    let product = Poly { terms: vec![(others, n)] }.substitute(var, by)?.times(by)?;
                    added = added.plus(&product, 1)?;
                }
            }
        }
        added.plus(&Poly { terms: rest }, 1)
    }
    /// Renames variables.
    pub fn rename(&self, mut name: impl FnMut(u32) -> u32) -> Poly {
        let mut rename = |mono: &Mono| {
            let mut vars = *mono;
            vars.0.iter_mut().filter(|v| **v != NONE).for_each(|v| *v = name(*v));
            vars.0.sort_unstable();
            vars
        };
        let terms = self.terms.iter().map(|(mono, n)| (rename(mono), *n)).collect();
        // Coefficients only meet when variables do: there are no more terms than before.
        Self::from_terms(terms).unwrap_or_default()
    }
    /// Greatest common divisor of the coefficients, that of the constant aside.
    pub fn content(&self) -> i128 {
        let coefficients = self.terms.iter().filter(|t| t.0 != Mono::ONE);
        coefficients.fold(0, |g, t| gcd(g, t.1))
    }
    pub fn constant_part(&self) -> i128 {
        self.terms.iter().find(|t| t.0 == Mono::ONE).map_or(0, |t| t.1)
    }
    /// Writes it as `factor * quotient + rest`, where the quotient takes every term that the factor divides.
    pub fn split(&self, factor: i128) -> (Poly, Poly) {
        let (mut quotient, mut rest) = (Vec::new(), Vec::new());
        for &(mono, n) in &self.terms {
            let (q, r) = if mono == Mono::ONE {
                (n.div_euclid(factor), n.rem_euclid(factor))
            } else {
                (n / factor, n % factor)
            };
            // A term is kept whole unless the factor divides it, so that the rest has few variables.
            match (mono == Mono::ONE, r) {
                (true, _) => {
                    quotient.push((mono, q));
                    rest.push((mono, r));
                }
                (false, 0) => quotient.push((mono, q)),
                (false, _) => rest.push((mono, n)),
            }
        }
        let poly =
            |terms: Vec<(Mono, i128)>| Poly { terms: terms.into_iter().filter(|t| t.1 != 0).collect() };
        (poly(quotient), poly(rest))
    }
    /// Writes it as `var * quotient + rest`, where the quotient takes every term with the variable.
    pub fn split_var(&self, var: u32) -> (Poly, Poly) {
        let (mut quotient, mut rest) = (Vec::new(), Vec::new());
        for &(mono, n) in &self.terms {
            match mono.without(var) {
                Some(others) => quotient.push((others, n)),
                None => rest.push((mono, n)),
            }
        }
        quotient.sort_unstable_by_key(|t| t.0);
        (Poly { terms: quotient }, Poly { terms: rest })
    }
}

pub(super) fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    if let (Ok(mut a), Ok(mut b)) = (u64::try_from(a), u64::try_from(b)) {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        return i128::from(a);
    }
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i128::try_from(a).unwrap_or(1)
}

impl fmt::Debug for Poly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.terms.is_empty() {
            return write!(f, "0");
        }
        for (i, (mono, n)) in self.terms.iter().enumerate() {
            let vars: Vec<String> = mono.vars().map(|v| format!("v{v}")).collect();
            let sign = if i > 0 { " + " } else { "" };
            match vars.as_slice() {
                [] => write!(f, "{sign}{n}")?,
                _ if *n == 1 => write!(f, "{sign}{}", vars.join("*"))?,
                _ => write!(f, "{sign}{n}*{}", vars.join("*"))?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arithmetic_is_exact() {
        let (x, y) = (Poly::var(1), Poly::var(2));
        let sum = x.plus(&y, 2).unwrap().plus(&Poly::constant(3), 1).unwrap();
        let square = sum.times(&sum).unwrap();
        // At x = 5, y = 7: (5 + 14 + 3)^2.
        let at = |p: &Poly| {
            p.substitute(1, &Poly::constant(5)).unwrap().substitute(2, &Poly::constant(7)).unwrap()
        };
        assert_eq!(at(&square).as_constant(), Some(22 * 22));
        assert_eq!(sum.minus(&sum).unwrap().as_constant(), Some(0));
    }

    #[test]
    fn splitting_gives_the_sum_back() {
        let (x, y) = (Poly::var(1), Poly::var(2));
        let p = x.scaled(64).unwrap().plus(&y, 5).unwrap().plus(&Poly::constant(-3), 1).unwrap();
        let (q, r) = p.split(32);
        assert_eq!(q.scaled(32).unwrap().plus(&r, 1).unwrap(), p);
        let product = p.times(&y).unwrap();
        let (q, r) = product.split_var(2);
        assert_eq!((q, r), (p, Poly::default()));
    }
}
