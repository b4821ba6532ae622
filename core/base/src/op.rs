//! Built-in operators of expressions, their names in both languages, and their arithmetic.

use std::cmp::Ordering;

/// A built-in operator. Operands are `Int`, `Float` or `Any` (checked at run time) unless a line says otherwise.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Op {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// `/`: real division; for two integers their quotient when it is exact, else a float (as in SWI-Prolog).
    Div,
    /// `//`: integer division, truncated towards zero.
    Quot,
    /// `rem`: remainder of [`Op::Quot`], sign of the dividend.
    Rem,
    /// `div`: integer division, rounded down.
    FloorDiv,
    /// `mod`: remainder of [`Op::FloorDiv`], sign of the divisor.
    Mod,
    /// Smaller operand.
    Min,
    /// Greater operand.
    Max,
    /// Negation (one operand).
    Neg,
    /// Absolute value (one operand).
    Abs,
    /// -1, 0 or 1 (one operand).
    Sign,
    /// Greatest common divisor of two integers, never negative.
    Gcd,
    /// Index of the most significant bit of a positive integer (one operand).
    Msb,
    /// Power; `**` and `^`.
    Pow,
    /// Bitwise and of integers.
    And,
    /// Bitwise or of integers.
    Or,
    /// Bitwise exclusive or of integers.
    Xor,
    /// Bitwise complement of an integer (one operand).
    Not,
    /// Shift left of integers; losing a bit is an overflow.
    Shl,
    /// Arithmetic shift right of integers.
    Shr,
    /// Conversion to float (one operand).
    ToFloat,
    /// Conversion to integer, truncated (one operand).
    Truncate,
    /// Numbers compare equal (`=:=`, `==` on `Int` and `Float`).
    Eq,
    /// Numbers compare different.
    Ne,
    /// Less.
    Lt,
    /// Less or equal.
    Le,
    /// Greater.
    Gt,
    /// Greater or equal.
    Ge,
    /// Structurally the same value of any sort (`==`).
    Same,
    /// Structurally different (`\==`).
    Differ,
    /// Before in the standard order of terms (`@<`).
    Before,
    /// Before or the same (`@=<`).
    BeforeOrSame,
    /// After (`@>`).
    After,
    /// After or the same (`@>=`).
    AfterOrSame,
    /// Both truth values hold.
    Both,
    /// One of the truth values holds.
    Either,
    /// The truth value does not hold (one operand).
    Negate,
    /// Type test (one operand).
    IsInteger,
    /// Type test (one operand).
    IsFloat,
    /// Type test (one operand).
    IsNumber,
    /// Type test (one operand).
    IsAtom,
    /// Type test (one operand).
    IsString,
    /// Type test (one operand): not compound.
    IsAtomic,
    /// Type test (one operand).
    IsCompound,
    /// Type test (one operand): an atom or a compound term.
    IsCallable,
}

/// Why an operation has no result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ArithmeticError {
    /// The result needs more than 64 bits, or is not a finite float.
    Overflow,
    /// Division by zero.
    DivisionByZero,
    /// An operand has the wrong type for the operator.
    Type,
    /// The operation is undefined there (`msb(0)`, a negative shift, `0 ** -1`).
    Undefined,
}

impl Op {
    /// Number of operands.
    pub fn arity(self) -> usize {
        use Op::*;
        match self {
            Neg | Abs | Sign | Msb | Not | ToFloat | Truncate | Negate | IsInteger | IsFloat | IsNumber
            | IsAtom | IsString | IsAtomic | IsCompound | IsCallable => 1,
            _ => 2,
        }
    }
    /// Whether the result is a truth value.
    pub fn is_test(self) -> bool {
        self >= Op::Eq
    }
    /// Whether both operands are truth values.
    pub fn is_logical(self) -> bool {
        matches!(self, Op::Both | Op::Either | Op::Negate)
    }
    /// Whether the operands are compared or inspected as they are, whatever their sort.
    pub fn is_structural(self) -> bool {
        use Op::*;
        matches!(self, Same | Differ | Before | BeforeOrSame | After | AfterOrSame) || self >= IsInteger
    }
    /// Whether the operation is defined on integers only.
    pub fn is_integer_only(self) -> bool {
        use Op::*;
        matches!(self, Quot | Rem | FloorDiv | Mod | Gcd | Msb | And | Or | Xor | Not | Shl | Shr)
    }
    /// Name as the rules and plan printers show it.
    pub fn name(self) -> &'static str {
        use Op::*;
        match self {
            Add => "+",
            Sub => "-",
            Mul => "*",
            Div => "/",
            Quot => "//",
            Rem => "rem",
            FloorDiv => "div",
            Mod => "mod",
            Min => "min",
            Max => "max",
            Neg => "neg",
            Abs => "abs",
            Sign => "sign",
            Gcd => "gcd",
            Msb => "msb",
            Pow => "**",
            And => "/\\",
            Or => "\\/",
            Xor => "xor",
            Not => "\\",
            Shl => "<<",
            Shr => ">>",
            ToFloat => "float",
            Truncate => "truncate",
            Eq => "=:=",
            Ne => "=\\=",
            Lt => "<",
            Le => "=<",
            Gt => ">",
            Ge => ">=",
            Same => "==",
            Differ => "\\==",
            Before => "@<",
            BeforeOrSame => "@=<",
            After => "@>",
            AfterOrSame => "@>=",
            Both => "&&",
            Either => "||",
            Negate => "!",
            IsInteger => "integer",
            IsFloat => "float?",
            IsNumber => "number",
            IsAtom => "atom",
            IsString => "string",
            IsAtomic => "atomic",
            IsCompound => "compound",
            IsCallable => "callable",
        }
    }

    /// Whether an ordering satisfies a comparison (`Eq` to `Ge` and `Same` to `AfterOrSame`); false for other operators.
    pub fn holds(self, ordering: Ordering) -> bool {
        use Op::*;
        match self {
            Eq | Same => ordering.is_eq(),
            Ne | Differ => ordering.is_ne(),
            Lt | Before => ordering.is_lt(),
            Le | BeforeOrSame => ordering.is_le(),
            Gt | After => ordering.is_gt(),
            Ge | AfterOrSame => ordering.is_ge(),
            _ => false,
        }
    }

    /// Integer arithmetic whose result is an integer; one-operand operators ignore `b`. `Div` is defined here only when exact.
    /// Signs as in SWI-Prolog: `//` and `rem` truncate, `div` and `mod` round down.
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
            Op::Truncate => Ok(a),
            _ => Err(Type),
        }
    }

    /// Float arithmetic whose result is a float; one-operand operators ignore `b`. A result that is not finite is an error.
    #[inline]
    pub fn float(self, a: f64, b: f64) -> Result<f64, ArithmeticError> {
        let value = match self {
            Op::Add => a + b,
            Op::Sub => a - b,
            Op::Mul => a * b,
            Op::Div if b == 0.0 => return Err(ArithmeticError::DivisionByZero),
            Op::Div => a / b,
            Op::Min => a.min(b),
            Op::Max => a.max(b),
            Op::Neg => -a,
            Op::Abs => a.abs(),
            Op::Sign if a == 0.0 => a,
            Op::Sign => a.signum(),
            Op::Pow if a < 0.0 && b.fract() != 0.0 => return Err(ArithmeticError::Undefined),
            Op::Pow if a == 0.0 && b < 0.0 => return Err(ArithmeticError::DivisionByZero),
            // The standard library's power is that of the system, which differs from system to system in the last bit.
            Op::Pow => libm::pow(a, b),
            Op::ToFloat => a,
            _ => return Err(ArithmeticError::Type),
        };
        if value.is_finite() { Ok(value) } else { Err(ArithmeticError::Overflow) }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_has_prolog_signs() {
        let table = [(7, 2), (-7, 2), (7, -2), (-7, -2)];
        let all = |op: Op| table.map(|(a, b)| op.int(a, b).unwrap());
        assert_eq!(all(Op::Quot), [3, -3, -3, 3]);
        assert_eq!(all(Op::Rem), [1, -1, 1, -1]);
        assert_eq!(all(Op::FloorDiv), [3, -4, -4, 3]);
        assert_eq!(all(Op::Mod), [1, 1, -1, -1]);
    }

    #[test]
    fn no_operation_wraps() {
        use ArithmeticError::*;
        assert_eq!(Op::Add.int(i64::MAX, 1), Err(Overflow));
        assert_eq!(Op::Quot.int(i64::MIN, -1), Err(Overflow));
        assert_eq!(Op::FloorDiv.int(i64::MIN, -1), Err(Overflow));
        assert_eq!(Op::Rem.int(i64::MIN, -1), Ok(0));
        assert_eq!(Op::Mod.int(i64::MIN, -1), Ok(0));
        assert_eq!(Op::Div.int(5, 0), Err(DivisionByZero));
        assert_eq!(Op::Shl.int(1, 63), Err(Overflow));
        assert_eq!(Op::Shl.int(-1, 63), Ok(i64::MIN));
        assert_eq!(Op::Neg.int(i64::MIN, 0), Err(Overflow));
        assert_eq!(Op::Gcd.int(i64::MIN, 0), Err(Overflow));
        assert_eq!(Op::Pow.int(2, 63), Err(Overflow));
        assert_eq!(Op::Pow.int(3, 4), Ok(81));
        assert_eq!(Op::Mul.float(f64::MAX, 2.0), Err(Overflow));
        assert_eq!(Op::Pow.float(10.0, 309.0), Err(Overflow));
        assert_eq!(Op::Pow.float(-8.0, 0.5), Err(Undefined));
        assert_eq!(Op::Pow.float(-0.0, -1.0), Err(DivisionByZero));
    }
}
