//! Arithmetic of both languages, as the tables of their pages say. Operators have the names of constraint programs.

use std::cmp::Ordering;

use super::Stop;
use super::value::int_and_float;

/// A number.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Number {
    /// 64 bits.
    Int(i64),
    /// Finite.
    Float(f64),
}
use Number::{Float, Int};

/// A number, or the error of an operation.
pub type Computed = Result<Number, Stop>;

const OVERFLOW: Stop = Stop::Error("R0101");
const ZERO: Stop = Stop::Error("R0102");
const TYPE: Stop = Stop::Error("R0103");
const UNDEFINED: Stop = Stop::Error("R0104");

/// An operand of the wrong type.
pub const WRONG_TYPE: Stop = TYPE;

impl Number {
    fn float(self) -> f64 {
        match self {
            Int(n) => n as f64,
            Float(x) => x,
        }
    }
}

fn whole(value: i128) -> Computed {
    i64::try_from(value).map(Int).map_err(|_| OVERFLOW)
}

fn finite(value: f64) -> Computed {
    if value.is_finite() { Ok(Float(value)) } else { Err(OVERFLOW) }
}

/// Compares two numbers by value, exactly.
pub fn compare(a: Number, b: Number) -> Ordering {
    match (a, b) {
        (Int(a), Int(b)) => a.cmp(&b),
        (Float(a), Float(b)) => a.partial_cmp(&b).unwrap_or(Ordering::Equal),
        (Int(a), Float(b)) => int_and_float(a, b),
        (Float(a), Int(b)) => int_and_float(b, a).reverse(),
    }
}

/// The value of a function of one operand; `None` for a name that is none.
pub fn unary(name: &str, a: Number) -> Option<Computed> {
    Some(match (name, a) {
        ("+" | "eval", a) => Ok(a),
        ("-", Int(a)) => whole(-i128::from(a)),
        ("-", Float(a)) => Ok(Float(-a)),
        ("abs", Int(a)) => whole(i128::from(a).abs()),
        ("abs", Float(a)) => Ok(Float(a.abs())),
        ("sign", Int(a)) => Ok(Int(a.signum())),
        ("sign", Float(a)) => Ok(Float(if a == 0.0 { a } else { 1f64.copysign(a) })),
        ("msb", Int(a)) if a > 0 => Ok(Int(i64::from(a.ilog2()))),
        ("msb", Int(_)) => Err(UNDEFINED),
        ("\\", Int(a)) => Ok(Int(-1 - a)),
        ("float", a) => Ok(Float(a.float())),
        ("truncate" | "round" | "integer" | "floor" | "ceiling", Int(a)) => Ok(Int(a)),
        ("truncate", Float(a)) => rounded(a.trunc()),
        ("round" | "integer", Float(a)) => rounded(a.round()),
        ("floor", Float(a)) => rounded(a.floor()),
        ("ceiling", Float(a)) => rounded(a.ceil()),
        ("msb" | "\\", Float(_)) => Err(TYPE),
        _ => return None,
    })
}

fn rounded(x: f64) -> Computed {
    if x.abs() < 1e19 { whole(x as i128) } else { Err(OVERFLOW) }
}

/// The value of a function of two operands; `None` for a name that is none.
pub fn binary(name: &str, a: Number, b: Number) -> Option<Computed> {
    let integers = match (a, b) {
        (Int(a), Int(b)) => Some((i128::from(a), i128::from(b))),
        _ => None,
    };
    let (x, y) = (a.float(), b.float());
    Some(match (name, integers) {
        ("+", Some((a, b))) => whole(a + b),
        ("-", Some((a, b))) => whole(a - b),
        ("*", Some((a, b))) => whole(a * b),
        ("+", None) => finite(x + y),
        ("-", None) => finite(x - y),
        ("*", None) => finite(x * y),
        ("/", Some((_, 0))) => Err(ZERO),
        ("/", Some((a, b))) if a % b == 0 => whole(a / b),
        ("/", _) if y == 0.0 => Err(ZERO),
        ("/", _) => finite(x / y),
        ("min", _) => smaller(a, b, Ordering::Less),
        ("max", _) => smaller(a, b, Ordering::Greater),
        ("**" | "^", Some((a, b))) => integer_power(name, a, b),
        ("**" | "^", None) => float_power(x, y),
        ("//" | "rem" | "div" | "mod" | "gcd" | "/\\" | "\\/" | "xor" | "<<" | ">>", None) => Err(TYPE),
        ("//" | "rem" | "div" | "mod", Some((_, 0))) => Err(ZERO),
        ("//", Some((a, b))) => whole(a / b),
        ("rem", Some((a, b))) => whole(a % b),
        ("div", Some((a, b))) => whole(a.div_euclid(b) - i128::from(b < 0 && a.rem_euclid(b) != 0)),
        ("mod", Some((a, b))) => whole(((a % b) + b) % b),
        ("gcd", Some((a, b))) => whole(gcd(a.abs(), b.abs())),
        ("/\\", Some((a, b))) => whole(a & b),
        ("\\/", Some((a, b))) => whole(a | b),
        ("xor", Some((a, b))) => whole(a ^ b),
        ("<<" | ">>", Some((_, b))) if b < 0 => Err(UNDEFINED),
        ("<<", Some((0, _))) => Ok(Int(0)),
        ("<<", Some((a, b))) => {
            if b < 64 {
                whole(a << b)
            } else {
                Err(OVERFLOW)
            }
        }
        (">>", Some((a, b))) => whole(a >> b.min(100)),
        _ => return None,
    })
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The operand on one side of the other.
fn smaller(a: Number, b: Number, side: Ordering) -> Computed {
    match (compare(a, b), a, b) {
        (Ordering::Equal, Float(x), Float(y)) => {
            // Of two zeros -0.0 is the smaller one.
            let negative = if side.is_lt() {
                x.is_sign_negative() || y.is_sign_negative()
            } else {
                x.is_sign_negative() && y.is_sign_negative()
            };
            Ok(if x == 0.0 { Float(if negative { -0.0 } else { 0.0 }) } else { a })
        }
        (Ordering::Equal, Int(_), Int(_)) => Ok(a),
        (Ordering::Equal, ..) => Err(Stop::Unknown("which of an integer and an equal float is smaller")),
        (order, ..) => Ok(if order == side { a } else { b }),
    }
}

fn integer_power(name: &str, a: i128, b: i128) -> Computed {
    match (a, b) {
        (0, ..0) => Err(ZERO),
        (_, ..0) if name == "^" || a.abs() == 1 => Err(Stop::Unknown("a negative power of integers")),
        (_, ..0) => float_power(a as f64, b as f64),
        (0 | 1, _) => whole(if b == 0 { 1 } else { a }),
        (-1, _) => whole(if b % 2 == 0 { 1 } else { -1 }),
        (_, 64..) => Err(OVERFLOW),
        _ => (0..b).try_fold(Int(1), |power, _| match power {
            Int(n) => whole(i128::from(n) * a),
            other => Ok(other),
        }),
    }
}

fn float_power(x: f64, y: f64) -> Computed {
    match (x, y) {
        _ if x < 0.0 && y.fract() != 0.0 => Err(UNDEFINED),
        _ if x == 0.0 && y < 0.0 => Err(ZERO),
        (_, 0.0) => Ok(Float(1.0)),
        (_, 1.0) => Ok(Float(x)),
        (_, 2.0) => finite(x * x),
        (_, -1.0) => finite(1.0 / x),
        _ => Err(Stop::Unknown("the last bit of a power")),
    }
}
