//! Polynomials with integer coefficients: what the checker knows of an index or a number.

use std::fmt;
use std::sync::Arc;

/// Most factors of a product, and most terms of a sum, that are kept as such.
const MAX_DEGREE: u32 = 4;
const MAX_TERMS: usize = 24;
/// Most terms of any sum: differences of sums, and bounds on them, are always kept.
const HARD_TERMS: usize = 256;
/// Largest coefficient of a sum that is kept as such.
const MAX_COEFFICIENT: u128 = 1 << 80;
/// Bits of a variable in a product, and what stands for none.
const BITS: u32 = 32;
const NONE: u32 = u32::MAX;

/// A product of variables: their numbers in rising order from the highest bits on, `NONE` in the rest. Products are
/// ordered as their lists of variables are; the empty one is the last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Mono(u128);

impl Mono {
    /// The empty product.
    pub const ONE: Mono = Mono(u128::MAX);

    pub fn var(var: u32) -> Self {
        Self::ONE.put(0, var)
    }
    #[inline]
    fn at(self, place: u32) -> u32 {
        (self.0 >> ((MAX_DEGREE - 1 - place) * BITS)) as u32
    }
    #[inline]
    fn put(self, place: u32, var: u32) -> Self {
        let shift = (MAX_DEGREE - 1 - place) * BITS;
        Mono(self.0 & !(u128::from(NONE) << shift) | u128::from(var) << shift)
    }
    #[inline]
    pub fn vars(self) -> impl Iterator<Item = u32> {
        (0..self.degree()).map(move |place| self.at(place))
    }
    #[inline]
    pub fn degree(self) -> u32 {
        MAX_DEGREE - self.0.trailing_ones() / BITS
    }
    fn times(self, other: Mono) -> Option<Mono> {
        if self.degree() + other.degree() > MAX_DEGREE {
            return None;
        }
        Some(other.vars().fold(self, Mono::with))
    }
    /// The product with one more factor, for which there is room.
    #[inline]
    fn with(self, var: u32) -> Mono {
        let (mut mono, mut var) = (self, var);
        for place in 0..MAX_DEGREE {
            let old = mono.at(place);
            if old > var {
                mono = mono.put(place, var);
                var = old;
            }
        }
        mono
    }
    /// The product without one factor `var`.
    pub fn without(self, var: u32) -> Option<Mono> {
        let place = (0..MAX_DEGREE).find(|&place| self.at(place) == var)?;
        // What follows moves up.
        let below = (MAX_DEGREE - 1 - place) * BITS;
        let kept = self.0 & !(u128::MAX >> (place * BITS));
        let moved = self.0 & !(u128::MAX << below);
        Some(Mono(kept | moved << BITS | u128::from(NONE)))
    }
    fn rename(self, name: &mut impl FnMut(u32) -> u32) -> Mono {
        self.vars().fold(Self::ONE, |mono, var| mono.with(name(var)))
    }
}

/// A product with its coefficient.
type Term = (Mono, i128);

/// A sum of products with coefficients, sorted, without zeros.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Poly(Terms);

/// The terms of a sum: most have one, a constant or a variable. Copies share more of them.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Terms {
    None,
    One(Term),
    Many(Arc<[Term]>),
}

/// Terms that are being put together: on the stack as long as they are few.
struct Sum {
    few: [Term; Sum::FEW],
    len: usize,
    /// All of them, once there are more.
    many: Vec<Term>,
}

impl Sum {
    const FEW: usize = 8;

    fn new() -> Self {
        Self { few: [(Mono::ONE, 0); Self::FEW], len: 0, many: Vec::new() }
    }
    /// Appends a term, unless it is zero.
    #[inline]
    fn push(&mut self, term: Term) {
        if term.1 == 0 {
            return;
        }
        if self.len < Self::FEW {
            self.few[self.len] = term;
        } else {
            if self.many.is_empty() {
                self.many.extend_from_slice(&self.few);
            }
            self.many.push(term);
        }
        self.len += 1;
    }
    fn terms(&mut self) -> &mut [Term] {
        if self.many.is_empty() { &mut self.few[..self.len] } else { &mut self.many }
    }
    /// The sum of terms that are in order.
    fn finish(&mut self) -> Poly {
        Poly::of(self.terms())
    }
    /// The sum of terms in any order, some of one product.
    fn collect(&mut self) -> Option<Poly> {
        let terms = self.terms();
        let mut len = terms.len();
        if !terms.is_sorted_by(|a, b| a.0 < b.0) {
            terms.sort_unstable_by_key(|t| t.0);
            let mut rest = 0;
            len = 0;
            while let Some(&(mono, mut n)) = terms.get(rest) {
                rest += 1;
                while let Some(&(_, m)) = terms.get(rest).filter(|t| t.0 == mono) {
                    n = n.checked_add(m)?;
                    rest += 1;
                }
                terms[len] = (mono, n);
                len += usize::from(n != 0);
            }
        }
        (len <= HARD_TERMS).then(|| Poly::of(&terms[..len]))
    }
}

impl FromIterator<Term> for Sum {
    fn from_iter<I: IntoIterator<Item = Term>>(terms: I) -> Self {
        let mut sum = Sum::new();
        terms.into_iter().for_each(|term| sum.push(term));
        sum
    }
}

impl Poly {
    /// The sum of terms that are in order.
    fn of(terms: &[Term]) -> Self {
        Self(match terms {
            [] => Terms::None,
            [term] => Terms::One(*term),
            terms => Terms::Many(Arc::from(terms)),
        })
    }
    pub fn zero() -> Self {
        Self(Terms::None)
    }
    pub fn constant(n: i128) -> Self {
        if n == 0 { Self::zero() } else { Self(Terms::One((Mono::ONE, n))) }
    }
    pub fn var(var: u32) -> Self {
        Self(Terms::One((Mono::var(var), 1)))
    }
    pub fn is_zero(&self) -> bool {
        self.terms().is_empty()
    }
    pub fn terms(&self) -> &[Term] {
        match &self.0 {
            Terms::None => &[],
            Terms::One(term) => std::slice::from_ref(term),
            Terms::Many(terms) => terms,
        }
    }
    /// Whether it is short enough to be computed with; others get a symbol of their own.
    pub fn is_short(&self) -> bool {
        self.terms().len() <= MAX_TERMS && self.terms().iter().all(|t| t.1.unsigned_abs() < MAX_COEFFICIENT)
    }
    /// The number, when it is one.
    pub fn as_constant(&self) -> Option<i128> {
        match *self.terms() {
            [] => Some(0),
            [(Mono::ONE, n)] => Some(n),
            _ => None,
        }
    }
    /// The variable, when it is one.
    pub fn as_var(&self) -> Option<u32> {
        match *self.terms() {
            [(mono, 1)] if mono.degree() == 1 => Some(mono.at(0)),
            _ => None,
        }
    }
    /// Variables, perhaps repeated.
    pub fn vars(&self) -> impl Iterator<Item = u32> + '_ {
        self.terms().iter().flat_map(|(mono, _)| mono.vars())
    }
    /// `self + other * factor`; `None` when it grows too long.
    pub fn plus(&self, other: &Poly, factor: i128) -> Option<Poly> {
        match (&self.0, &other.0) {
            (_, Terms::None) => return Some(self.clone()),
            (Terms::None, _) if factor == 1 => return Some(other.clone()),
            _ => {}
        }
        let mut sum = Sum::new();
        let (mut a, mut b) = (self.terms(), other.terms());
        while let ([x, after_x @ ..], [y, after_y @ ..]) = (a, b) {
            if x.0 < y.0 {
                sum.push(*x);
                a = after_x;
                continue;
            }
            let n = y.1.checked_mul(factor)?;
            b = after_y;
            if x.0 == y.0 {
                sum.push((x.0, n.checked_add(x.1)?));
                a = after_x;
            } else {
                sum.push((y.0, n));
            }
        }
        a.iter().for_each(|x| sum.push(*x));
        for y in b {
            sum.push((y.0, y.1.checked_mul(factor)?));
        }
        (sum.len <= HARD_TERMS).then(|| sum.finish())
    }
    /// A sum of multiples, and a constant; `None` when it grows too long.
    pub fn sum(multiples: &[(&Poly, i128)], constant: i128) -> Option<Poly> {
        let mut sum = Sum::new();
        for (poly, factor) in multiples {
            for (mono, n) in poly.terms().iter() {
                sum.push((*mono, n.checked_mul(*factor)?));
            }
        }
        sum.push((Mono::ONE, constant));
        sum.collect()
    }
    pub fn minus(&self, other: &Poly) -> Option<Poly> {
        self.plus(other, -1)
    }
    pub fn times(&self, other: &Poly) -> Option<Poly> {
        if self.terms().len() * other.terms().len() > 4 * MAX_TERMS {
            return None;
        }
        let mut sum = Sum::new();
        for (a, n) in self.terms().iter() {
            for (b, m) in other.terms().iter() {
                sum.push((a.times(*b)?, n.checked_mul(*m)?));
            }
        }
        sum.collect()
    }
    pub fn scaled(&self, factor: i128) -> Option<Poly> {
        let mut sum = Sum::new();
        for (mono, n) in self.terms().iter() {
            sum.push((*mono, n.checked_mul(factor)?));
        }
        Some(sum.finish())
    }
    /// Whether a variable occurs.
    pub fn has(&self, var: u32) -> bool {
        self.vars().any(|v| v == var)
    }
    /// Puts `by` in place of `var`.
    pub fn substitute(&self, var: u32, by: &Poly) -> Option<Poly> {
        let mut sum = Sum::new();
        for &(mono, n) in self.terms().iter() {
            match mono.without(var) {
                None => sum.push((mono, n)),
                Some(others) if others.vars().any(|v| v == var) => {
                    let rest = Poly(Terms::One((others, n)));
                    let product = rest.substitute(var, by)?.times(by)?;
                    product.terms().iter().for_each(|&term| sum.push(term));
                }
                Some(others) => {
                    for &(mono, m) in by.terms().iter() {
                        sum.push((others.times(mono)?, n.checked_mul(m)?));
                    }
                }
            }
        }
        sum.collect()
    }
    /// Renames variables.
    pub fn rename(&self, mut name: impl FnMut(u32) -> u32) -> Poly {
        if let Terms::One((mono, n)) = &self.0 {
            return Self(Terms::One((mono.rename(&mut name), *n)));
        }
        let mut terms: Sum = self.terms().iter().map(|(mono, n)| (mono.rename(&mut name), *n)).collect();
        // Coefficients only meet when variables do: there are no more terms than before.
        terms.collect().unwrap_or_else(Self::zero)
    }
    /// Greatest common divisor of the coefficients, that of the constant aside.
    pub fn content(&self) -> i128 {
        let coefficients = self.terms().iter().filter(|t| t.0 != Mono::ONE);
        coefficients.fold(0, |g, t| if g == 1 { g } else { gcd(g, t.1) })
    }
    pub fn constant_part(&self) -> i128 {
        // The empty product is the last of all.
        self.terms().last().filter(|t| t.0 == Mono::ONE).map_or(0, |t| t.1)
    }
    /// Writes it as `factor * quotient + rest`, where the quotient takes every term that the factor divides.
    pub fn split(&self, factor: i128) -> (Poly, Poly) {
        let (mut quotient, mut rest) = (Sum::new(), Sum::new());
        for &(mono, n) in self.terms().iter() {
            if mono == Mono::ONE {
                quotient.push((mono, n.div_euclid(factor)));
                rest.push((mono, n.rem_euclid(factor)));
            } else if n % factor == 0 {
                quotient.push((mono, n / factor));
            } else {
                // A term is kept whole unless the factor divides it, so that the rest has few variables.
                rest.push((mono, n));
            }
        }
        (quotient.finish(), rest.finish())
    }
    /// Writes it as `var * quotient + rest`, where the quotient takes every term with the variable.
    pub fn split_var(&self, var: u32) -> (Poly, Poly) {
        let (mut quotient, mut rest) = (Sum::new(), Sum::new());
        for &(mono, n) in self.terms().iter() {
            match mono.without(var) {
                Some(others) => quotient.push((others, n)),
                None => rest.push((mono, n)),
            }
        }
        quotient.terms().sort_unstable_by_key(|t| t.0);
        (quotient.finish(), rest.finish())
    }
}

pub(super) fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    if a == 1 || b == 1 {
        return 1;
    }
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
        if self.terms().is_empty() {
            return write!(f, "0");
        }
        for (i, (mono, n)) in self.terms().iter().enumerate() {
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
        assert_eq!((q, r), (p, Poly::zero()));
    }
}
