//! Numbers of arithmetic: integers of any size and floats.

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_traits::ToPrimitive;

use crate::cell::{BoxKind, Cell, Tag};
use crate::heap::Heap;

/// A number.
#[derive(Clone, Debug)]
pub(crate) enum Number {
    Int(i64),
    Big(Box<BigInt>),
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
    pub fn is_int(&self) -> bool {
        !matches!(self, Number::Float(_))
    }
    pub fn to_big(&self) -> Option<BigInt> {
        match self {
            Number::Int(n) => Some(BigInt::from(*n)),
            Number::Big(n) => Some((**n).clone()),
            Number::Float(_) => None,
        }
    }
    pub fn to_float(&self) -> f64 {
        match self {
            Number::Int(n) => *n as f64,
            Number::Big(n) => n.to_f64().unwrap_or(f64::INFINITY),
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
            _ => Number::of_big(self.big_at(cell)),
        }
    }
    pub fn is_number(&self, cell: Cell) -> bool {
        cell.is_int() || cell.tag() == Tag::Box && self.box_kind(cell) != BoxKind::Str
    }
    pub fn is_integer(&self, cell: Cell) -> bool {
        cell.is_int() || self.is_boxed(cell, BoxKind::Big)
    }
    /// A number as a term.
    pub fn push_number(&mut self, n: &Number) -> Cell {
        match n {
            Number::Int(n) => self.integer(*n),
            Number::Big(n) => self.big(n),
            Number::Float(x) => self.float(*x),
        }
    }
}

/// Compares by value; `None` where one of them is not a number.
pub(crate) fn compare(a: &Number, b: &Number) -> Option<Ordering> {
    match (a, b) {
        (Number::Int(a), Number::Int(b)) => Some(a.cmp(b)),
        (Number::Float(a), Number::Float(b)) => a.partial_cmp(b),
        (Number::Float(a), b) => int_with_float(b, *a).map(Ordering::reverse),
        (a, Number::Float(b)) => int_with_float(a, *b),
        (a, b) => Some(a.to_big().cmp(&b.to_big())),
    }
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

/// The standard order: by value, then floats before integers.
pub(crate) fn standard_order(a: &Number, b: &Number) -> Ordering {
    let by_value = compare(a, b).unwrap_or_else(|| a.to_float().total_cmp(&b.to_float()));
    by_value.then_with(|| a.is_int().cmp(&b.is_int()))
}
