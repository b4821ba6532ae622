//! Arithmetic of the operators on the CPU.

use super::{ArithmeticError, Op};

impl Op {
    /// Integer arithmetic whose result is an integer; one-operand operators ignore `b`. `Div` is defined here only when
    /// exact. Signs as in SWI-Prolog: `//` and `rem` truncate, `div` and `mod` round down.
    #[inline]
    pub fn int(self, a: i64, b: i64) -> Result<i64, ArithmeticError> {
        use ArithmeticError::*;
        let ok = |r: Option<i64>| r.ok_or(Overflow);
        let nonzero = |b: i64| if b == 0 { Err(DivisionByZero) } else { Ok(()) };
        match self {
            Op::Add => ok(a.checked_add(b)),
            Op::Sub => ok(a.checked_sub(b)),
            Op::Mul => ok(a.checked_mul(b)),
            Op::Quot => nonzero(b).and_then(|()| ok(a.checked_div(b))),
            Op::Rem => nonzero(b).map(|()| a.wrapping_rem(b)),
            Op::FloorDiv => nonzero(b).and_then(|()| {
                let q = a.checked_div(b).ok_or(Overflow)?;
                Ok(if a % b != 0 && (a < 0) != (b < 0) { q - 1 } else { q })
            }),
            Op::Mod => nonzero(b).map(|()| {
                let r = a.wrapping_rem(b);
                if r != 0 && (r < 0) != (b < 0) { r + b } else { r }
            }),
            Op::Div => nonzero(b).and_then(|()| {
                let q = a.checked_div(b).ok_or(Overflow)?;
                if a % b == 0 { Ok(q) } else { Err(Type) }
            }),
            Op::Min => Ok(a.min(b)),
            Op::Max => Ok(a.max(b)),
            Op::Neg => ok(a.checked_neg()),
            Op::Abs => ok(a.checked_abs()),
            Op::Sign => Ok(a.signum()),
            Op::Gcd => {
                let (mut x, mut y) = (a.unsigned_abs(), b.unsigned_abs());
                while y != 0 {
                    (x, y) = (y, x % y);
                }
                i64::try_from(x).map_err(|_| Overflow)
            }
            Op::Msb if a > 0 => Ok(i64::from(63 - a.leading_zeros())),
            Op::Msb => Err(Undefined),
            Op::Pow => int_pow(a, b),
            Op::And => Ok(a & b),
            Op::Or => Ok(a | b),
            Op::Xor => Ok(a ^ b),
            Op::Not => Ok(!a),
            Op::Shl if b < 0 => Err(Undefined),
            Op::Shl if a == 0 => Ok(0),
            Op::Shl if b < 64 && (a << b) >> b == a => Ok(a << b),
            Op::Shl => Err(Overflow),
            Op::Shr if b < 0 => Err(Undefined),
            Op::Shr => Ok(a >> b.min(63)),
            Op::Eval | Op::Truncate | Op::Round | Op::Floor | Op::Ceiling => Ok(a),
            _ if self.is_of_texts() => super::texts::operate(self, a, b),
            _ => Err(Type),
        }
    }

    /// Float arithmetic whose result is a float; one-operand operators ignore `b`. A result that is not finite is an
    /// error.
    #[inline]
    pub fn float(self, a: f64, b: f64) -> Result<f64, ArithmeticError> {
        let value = match self {
            Op::Add => a + b,
            Op::Sub => a - b,
            Op::Mul => a * b,
            Op::Div if b == 0.0 => return Err(ArithmeticError::DivisionByZero),
            Op::Div => a / b,
            Op::Min => min_float(a, b),
            Op::Max => max_float(a, b),
            Op::Neg => -a,
            Op::Abs => a.abs(),
            Op::Sign if a == 0.0 => a,
            Op::Sign => a.signum(),
            Op::Pow if a < 0.0 && b.fract() != 0.0 => return Err(ArithmeticError::Undefined),
            Op::Pow if a == 0.0 && b < 0.0 => return Err(ArithmeticError::DivisionByZero),
            // The standard library's power is that of the system, which differs from system to system in the last bit.
            Op::Pow => libm::pow(a, b),
            Op::Eval | Op::ToFloat => a,
            _ => return Err(ArithmeticError::Type),
        };
        if value.is_finite() { Ok(value) } else { Err(ArithmeticError::Overflow) }
    }

    /// Conversion of a float to an integer ([`Op::rounds`]).
    #[inline]
    pub fn float_to_int(self, x: f64) -> Result<i64, ArithmeticError> {
        const END: f64 = 9_223_372_036_854_775_808.0;
        let whole = match self {
            Op::Truncate => x.trunc(),
            Op::Round => x.round(),
            Op::Floor => x.floor(),
            Op::Ceiling => x.ceil(),
            _ => return Err(ArithmeticError::Type),
        };
        if (-END..END).contains(&whole) { Ok(whole as i64) } else { Err(ArithmeticError::Overflow) }
    }
}

/// The smaller of two floats, of a float and a NaN the float. Two zeros are ordered by their signs, as by the
/// instructions of GPUs.
#[inline]
pub fn min_float(a: f64, b: f64) -> f64 {
    if a == b { f64::from_bits(a.to_bits() | b.to_bits()) } else { a.min(b) }
}

/// The greater of two floats, as [`min_float`].
#[inline]
pub fn max_float(a: f64, b: f64) -> f64 {
    if a == b { f64::from_bits(a.to_bits() & b.to_bits()) } else { a.max(b) }
}

/// Integer power; a negative exponent is defined for 1 and -1 only.
fn int_pow(a: i64, b: i64) -> Result<i64, ArithmeticError> {
    match (a, b) {
        (1, _) => Ok(1),
        (-1, _) => Ok(if b % 2 == 0 { 1 } else { -1 }),
        (0, b) if b < 0 => Err(ArithmeticError::DivisionByZero),
        (_, b) if b < 0 => Err(ArithmeticError::Type),
        (0, _) => Ok(i64::from(b == 0)),
        (_, b) => u32::try_from(b).ok().and_then(|b| a.checked_pow(b)).ok_or(ArithmeticError::Overflow),
    }
}
