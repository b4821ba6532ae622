//! Rational numbers: their arithmetic is exact, and a result that is an integer is one.

use gchr_base::logic::Rational;
use num_bigint::{BigInt, Sign};
use num_traits::{Signed, ToPrimitive, Zero};

use super::MAX_BITS;
use crate::big;
use crate::cell::Atom;
use crate::machine::{Done, Machine};
use crate::names::atom;
use crate::number::Number;

/// Most bits of a number of which an exact root is looked for, and the highest root.
const ROOT_BITS: u64 = 1 << 12;

impl Machine<'_, '_> {
    /// Numerator and denominator of an operand; a float has none.
    pub(super) fn parts_of(&mut self, name: Atom, arity: usize, n: &Number) -> Done<(BigInt, BigInt)> {
        match n.parts() {
            Some(parts) => Ok(parts),
            None => {
                self.refuses(name, arity);
                let cell = self.heap.push_number(n);
                Err(self.type_error("rational", cell))
            }
        }
    }

    /// The number with these parts, where it is not too large.
    fn of_parts(&mut self, numerator: BigInt, denominator: BigInt) -> Done<Number> {
        self.checked(())?;
        if numerator.bits() + denominator.bits() > MAX_BITS {
            return Err(self.resource_error("memory"));
        }
        self.checked(Number::of_parts(&self.heap.meter, numerator, denominator))
    }

    fn product(&self, a: &BigInt, b: &BigInt) -> Done<BigInt> {
        self.checked(big::multiply(&self.heap.meter, a, b))
    }

    /// The exact quotient.
    pub(super) fn quotient(&mut self, name: Atom, a: &Number, b: &Number) -> Done<Number> {
        let ((above, below), (other_above, other_below)) =
            (self.parts_of(name, 2, a)?, self.parts_of(name, 2, b)?);
        if other_above.is_zero() {
            self.refuses(name, 2);
            return Err(self.evaluation_error("zero_divisor"));
        }
        let (numerator, denominator) =
            (self.product(&above, &other_below)?, self.product(&below, &other_above)?);
        self.of_parts(numerator, denominator)
    }

    /// Sum, difference or product, where one number is rational and none is a float.
    pub(super) fn ring_of_rationals(&mut self, name: Atom, a: &Number, b: &Number) -> Done<Option<Number>> {
        let (Some((a, c)), Some((b, d))) = (a.parts(), b.parts()) else { return Ok(None) };
        let numerator = if name == atom::star {
            self.product(&a, &b)?
        } else {
            let (left, right) = (self.product(&a, &d)?, self.product(&b, &c)?);
            if name == atom::plus { left + right } else { left - right }
        };
        let denominator = self.product(&c, &d)?;
        self.of_parts(numerator, denominator).map(Some)
    }

    /// A function of a rational number; nothing where it is one of floats, or there is none.
    pub(super) fn unary_of_rational(&mut self, name: Atom, n: &Rational) -> Done<Option<Number>> {
        let of = |numerator: BigInt| {
            Number::Rational(Box::new(Rational { numerator, denominator: n.denominator.clone() }))
        };
        let negative = n.numerator.is_negative();
        Ok(Some(match name {
            atom::plus | atom::plus_of | atom::eval | atom::rational | atom::rationalize => {
                of(n.numerator.clone())
            }
            atom::minus => of(-&n.numerator),
            atom::abs => of(n.numerator.abs()),
            atom::sign => Number::Int(if negative { -1 } else { 1 }),
            atom::numerator => Number::of_big(n.numerator.clone()),
            atom::denominator => Number::of_big(n.denominator.clone()),
            atom::fractional_part => of(self.divided(&n.numerator, &n.denominator)?.1),
            atom::floor => Number::of_big(self.floored(&n.numerator, &n.denominator)?.0),
            atom::ceiling => Number::of_big(self.floored(&n.numerator, &n.denominator)?.0 + 1),
            atom::truncate | atom::trunc | atom::integer_part => {
                Number::of_big(self.divided(&n.numerator, &n.denominator)?.0)
            }
            atom::integer | atom::round => {
                let twice = &n.numerator * 2;
                let up = if negative { twice - &n.denominator } else { twice + &n.denominator };
                Number::of_big(self.divided(&up, &(&n.denominator * 2))?.0)
            }
            _ => return Ok(None),
        }))
    }

    /// The power of numbers of which one is rational, where it is rational; nothing where it is a float.
    pub(super) fn power_of_rationals(&mut self, base: &Number, exponent: &Number) -> Done<Option<Number>> {
        let (Some((mut above, mut below)), Some((power, root))) = (base.parts(), exponent.parts()) else {
            return Ok(None);
        };
        if root.bits() > 1 {
            let (Some(exact), Some(exact_below)) = (exact_root(&above, &root), exact_root(&below, &root))
            else {
                return Ok(None);
            };
            (above, below) = (exact, exact_below);
        }
        if power.sign() == Sign::Minus {
            if above.is_zero() {
                self.refuses(atom::power, 2);
                return Err(self.evaluation_error("zero_divisor"));
            }
            (above, below) = if above.is_negative() { (-below, -above) } else { (below, above) };
        }
        let bits = above.bits().max(below.bits());
        let times =
            power.magnitude().to_u32().filter(|&n| bits <= 1 || bits.saturating_mul(n.into()) <= MAX_BITS);
        let Some(times) = times else { return Err(self.resource_error("memory")) };
        let meter = &self.heap.meter;
        let (above, below) = (big::power(meter, &above, times), big::power(meter, &below, times));
        self.of_parts(above, below).map(Some)
    }

    /// The value of a float: the exact one, or the simplest that is the float again when it is rounded, as continued
    /// fractions give it.
    pub(super) fn rational_of_float(&mut self, x: f64, simplest: bool) -> Done<Number> {
        if !x.is_finite() {
            return Err(self.evaluation_error(if x.is_nan() { "undefined" } else { "rational_overflow" }));
        }
        if x.fract() == 0.0 {
            return Ok(Self::whole(x));
        }
        if !simplest {
            let (mantissa, exponent) = exact_parts(x);
            return self.of_parts(mantissa, BigInt::from(1) << exponent);
        }
        let (mut rest, mut before) = (exact_parts(x.abs()), (BigInt::from(0), BigInt::from(1)));
        let (mut above, mut below) = (BigInt::from(1), BigInt::from(0));
        let mut scale = BigInt::from(1) << rest.1;
        loop {
            let (whole, left) = self.divided(&rest.0, &scale)?;
            let next = (&whole * &above + &before.0, &whole * &below + &before.1);
            before = (above, below);
            (above, below) = next;
            let found = Number::of_parts(&self.heap.meter, above.clone(), below.clone());
            if left.is_zero() || found.to_float() == x.abs() {
                return if x < 0.0 { self.evaluate_unary(atom::minus, found) } else { Ok(found) };
            }
            (rest.0, scale) = (scale, left);
        }
    }
}

/// An integer and the power of two that it is to be divided by to be the float.
fn exact_parts(x: f64) -> (BigInt, u64) {
    let bits = x.to_bits();
    let (fraction, exponent) = (bits & ((1 << 52) - 1), bits >> 52 & 0x7ff);
    let mantissa = if exponent == 0 { fraction } else { fraction | 1 << 52 };
    let shift = 1075 - exponent.max(1);
    let zeros = u64::from(mantissa.trailing_zeros()).min(shift);
    let mantissa = BigInt::from(mantissa >> zeros);
    (if x < 0.0 { -mantissa } else { mantissa }, shift - zeros)
}

/// The root of a number, if it is an integer.
fn exact_root(n: &BigInt, root: &BigInt) -> Option<BigInt> {
    if n.magnitude().bits() <= 1 && n.sign() != Sign::Minus {
        return Some(n.clone());
    }
    let root = root.to_u32().filter(|&root| u64::from(root) <= ROOT_BITS && n.bits() <= ROOT_BITS)?;
    if n.is_negative() && root % 2 == 0 {
        return None;
    }
    let found = n.nth_root(root);
    (found.pow(root) == *n).then_some(found)
}
