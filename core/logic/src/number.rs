//! Numbers of arithmetic: integers of any size, rational numbers and floats.

use std::cmp::Ordering;

use gchr_base::logic::Rational;
use num_bigint::{BigInt, Sign};
use num_traits::ToPrimitive;

use crate::cell::{BoxKind, Cell, Tag};
use crate::heap::Heap;
use crate::meter::Meter;

/// A number.
#[derive(Clone, Debug)]
pub(crate) enum Number {
    Int(i64),
    Big(Box<BigInt>),
    /// In lowest terms, and no integer.
    Rational(Box<Rational>),
    Float(f64),
}

impl Number {
    /// An integer in its smallest form.
    pub fn of_big(n: BigInt) -> Self {
        match i64::try_from(&n) {
            Ok(n) => Number::Int(n),
            Err(_) => Number::Big(Box::new(n)),
        }
    }
    /// A quotient; the denominator is not zero.
    pub fn of_parts(meter: &Meter, numerator: BigInt, denominator: BigInt) -> Self {
        let divisor = crate::big::gcd(meter, numerator.clone(), denominator.clone());
        if divisor.sign() == Sign::NoSign {
            return Number::Int(0);
        }
        let divisor = if denominator.sign() == Sign::Minus { -divisor } else { divisor };
        let reduced = |n: BigInt| match i64::try_from(&divisor) {
            Ok(1) => n,
            _ => crate::big::divide(meter, &n, &divisor).0,
        };
        let (numerator, denominator) = (reduced(numerator), reduced(denominator));
        match i64::try_from(&denominator) {
            Ok(1) => Number::of_big(numerator),
            _ => Number::Rational(Box::new(Rational { numerator, denominator })),
        }
    }
    pub fn is_int(&self) -> bool {
        matches!(self, Number::Int(_) | Number::Big(_))
    }
    pub fn is_float(&self) -> bool {
        matches!(self, Number::Float(_))
    }
    /// Numerator and denominator of a number that is no float.
    pub fn parts(&self) -> Option<(BigInt, BigInt)> {
        match self {
            Number::Int(n) => Some((BigInt::from(*n), BigInt::from(1))),
            Number::Big(n) => Some(((**n).clone(), BigInt::from(1))),
            Number::Rational(n) => Some((n.numerator.clone(), n.denominator.clone())),
            Number::Float(_) => None,
        }
    }
    pub fn to_big(&self) -> Option<BigInt> {
        match self {
            Number::Int(n) => Some(BigInt::from(*n)),
            Number::Big(n) => Some((**n).clone()),
            Number::Rational(_) | Number::Float(_) => None,
        }
    }
    pub fn to_float(&self) -> f64 {
        match self {
            Number::Int(n) => *n as f64,
            Number::Big(n) => n.to_f64().unwrap_or(f64::INFINITY),
            Number::Rational(n) => quotient(&n.numerator, &n.denominator),
            Number::Float(x) => *x,
        }
    }
}

impl Heap<'_> {
    /// The value of a cell that holds a number.
    pub fn number(&self, cell: Cell) -> Number {
        match cell.tag() {
            Tag::Int => Number::Int(cell.as_int()),
            _ if self.box_kind(cell) == BoxKind::Float => Number::Float(self.float_at(cell)),
            _ if self.box_kind(cell) == BoxKind::Rational => {
                Number::Rational(Box::new(self.rational_at(cell)))
            }
            _ => Number::of_big(self.big_at(cell)),
        }
    }
    pub fn is_number(&self, cell: Cell) -> bool {
        cell.is_int() || cell.tag() == Tag::Box && self.box_kind(cell) != BoxKind::Str
    }
    pub fn is_integer(&self, cell: Cell) -> bool {
        cell.is_int() || self.is_boxed(cell, BoxKind::Big)
    }
    pub fn is_rational(&self, cell: Cell) -> bool {
        self.is_integer(cell) || self.is_boxed(cell, BoxKind::Rational)
    }
    /// A number as a term.
    pub fn push_number(&mut self, n: &Number) -> Cell {
        match n {
            Number::Int(n) => self.integer(*n),
            Number::Big(n) => self.big(n),
            Number::Rational(n) => self.rational(n),
            Number::Float(x) => self.float(*x),
        }
    }
}

/// Compares by value; `None` where one of them is not a number.
pub(crate) fn compare(a: &Number, b: &Number) -> Option<Ordering> {
    match (a, b) {
        (Number::Int(a), Number::Int(b)) => Some(a.cmp(b)),
        (Number::Float(a), Number::Float(b)) => a.partial_cmp(b),
        // As SWI-Prolog does it.
        (Number::Rational(_), Number::Float(_)) | (Number::Float(_), Number::Rational(_)) => {
            a.to_float().partial_cmp(&b.to_float())
        }
        (Number::Rational(_), _) | (_, Number::Rational(_)) => Some(compare_parts(a, b)),
        (Number::Float(a), b) => int_with_float(b, *a).map(Ordering::reverse),
        (a, Number::Float(b)) => int_with_float(a, *b),
        (a, b) => Some(a.to_big().cmp(&b.to_big())),
    }
}

/// Compares numbers that are no floats.
fn compare_parts(a: &Number, b: &Number) -> Ordering {
    // Rounding keeps the order, but for numbers that become equal.
    let rounded = a.to_float().partial_cmp(&b.to_float()).unwrap_or(Ordering::Equal);
    rounded.then_with(|| {
        let ((above, below), (other_above, other_below)) =
            (a.parts().unwrap_or_default(), b.parts().unwrap_or_default());
        (above * other_below).cmp(&(other_above * below))
    })
}

/// The float that is nearest to a quotient.
fn quotient(numerator: &BigInt, denominator: &BigInt) -> f64 {
    // The quotient of integers with at least 64 bits, the last one of which stands for the rest.
    let shift = 66 + denominator.bits() as i64 - numerator.bits() as i64;
    let (above, below) = match u64::try_from(shift) {
        Ok(shift) => (numerator.magnitude() << shift, denominator.magnitude().clone()),
        Err(_) => (numerator.magnitude().clone(), denominator.magnitude() << shift.unsigned_abs()),
    };
    let whole = &above / &below;
    let inexact = whole.clone() * &below != above;
    let bits = if inexact { whole | num_bigint::BigUint::from(1_u32) } else { whole };
    let (mut value, mut left) = (bits.to_f64().unwrap_or(f64::INFINITY), -shift);
    while left != 0 && value != 0.0 && value.is_finite() {
        let step = left.clamp(-1000, 1000);
        value *= 2_f64.powi(step as i32);
        left -= step;
    }
    if numerator.sign() == Sign::Minus { -value } else { value }
}

/// Compares an integer with a float, exactly.
fn int_with_float(n: &Number, x: f64) -> Option<Ordering> {
    if x.is_nan() {
        return None;
    }
    let order = n.to_float().partial_cmp(&x)?;
    if order != Ordering::Equal || x.is_infinite() {
        return Some(order);
    }
    // Equal after rounding: the float is an integer then, which has an exact value.
    let exact = num_traits::FromPrimitive::from_f64(x.trunc())?;
    Some(n.to_big()?.cmp(&exact))
}

/// The standard order: by value, then -0.0 before 0.0, and floats before other numbers.
pub(crate) fn standard_order(a: &Number, b: &Number) -> Ordering {
    let by_value = compare(a, b).unwrap_or_else(|| a.to_float().total_cmp(&b.to_float()));
    by_value.then_with(|| match (a, b) {
        (Number::Float(a), Number::Float(b)) => a.total_cmp(b),
        _ => b.is_float().cmp(&a.is_float()),
    })
}
