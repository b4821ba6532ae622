//! Lane arithmetic: one operation on 32 values at once.
//!
//! Values are bits, zero-extended to 64. All lanes are computed, active or not, so nothing here may fail; what is an
//! error in the kernel (division by zero, wide shifts, floats out of range) gives 0 and is reported by the caller for
//! the active lanes.

use super::code::{LaneValues, WARP};
use super::divergence::{Lanes, lanes};
use gchr_base::op::{max_float, min_float};
use gchr_kernel::ir::{BinaryOp, Intrinsic, Scalar, UnaryOp};

/// A scalar of the kernel language as a Rust type.
trait Number: Copy {
    fn of(bits: u64) -> Self;
    fn bits(self) -> u64;
}

macro_rules! value {
    ($($ty:ty: $of:expr, $bits:expr;)*) => {$(
        impl Number for $ty {
            #[inline(always)]
            fn of(bits: u64) -> Self {
                $of(bits)
            }
            #[inline(always)]
            fn bits(self) -> u64 {
                $bits(self)
            }
        }
    )*};
}

value! {
    bool: |b| b != 0, |v| v as u64;
    u8: |b| b as u8, |v| v as u64;
    u32: |b| b as u32, |v| v as u64;
    i32: |b| b as u32 as i32, |v| v as u32 as u64;
    u64: |b| b, |v| v;
    i64: |b| b as i64, |v| v as u64;
    f64: f64::from_bits, f64::to_bits;
}

#[inline(always)]
fn map1<A: Number, R: Number>(out: &mut LaneValues, a: &LaneValues, f: impl Fn(A) -> R) {
    for i in 0..WARP {
        out[i] = f(A::of(a[i])).bits();
    }
}

#[inline(always)]
fn map2<A: Number, R: Number>(out: &mut LaneValues, a: &LaneValues, b: &LaneValues, f: impl Fn(A, A) -> R) {
    for i in 0..WARP {
        out[i] = f(A::of(a[i]), A::of(b[i])).bits();
    }
}

macro_rules! integer_binary {
    ($name:ident, $ty:ty) => {
        fn $name(op: BinaryOp, out: &mut LaneValues, a: &LaneValues, b: &LaneValues) {
            match op {
                BinaryOp::Add => map2(out, a, b, <$ty>::wrapping_add),
                BinaryOp::Sub => map2(out, a, b, <$ty>::wrapping_sub),
                BinaryOp::Mul => map2(out, a, b, <$ty>::wrapping_mul),
                BinaryOp::Div => map2(out, a, b, |x: $ty, y| x.checked_div(y).unwrap_or(0)),
                BinaryOp::Rem => map2(out, a, b, |x: $ty, y| x.checked_rem(y).unwrap_or(0)),
                BinaryOp::And | BinaryOp::AndAlso => map2(out, a, b, |x: $ty, y| x & y),
                BinaryOp::Or | BinaryOp::OrElse => map2(out, a, b, |x: $ty, y| x | y),
                BinaryOp::Xor => map2(out, a, b, |x: $ty, y| x ^ y),
                BinaryOp::Shl | BinaryOp::Shr => {}
                _ => compare::<$ty>(op, out, a, b),
            }
        }
    };
}

integer_binary!(binary_u8, u8);
integer_binary!(binary_u32, u32);
integer_binary!(binary_i32, i32);
integer_binary!(binary_u64, u64);
integer_binary!(binary_i64, i64);

fn compare<T: Number + PartialOrd>(op: BinaryOp, out: &mut LaneValues, a: &LaneValues, b: &LaneValues) {
    match op {
        BinaryOp::Eq => map2(out, a, b, |x: T, y| x == y),
        BinaryOp::Ne => map2(out, a, b, |x: T, y| x != y),
        BinaryOp::Lt => map2(out, a, b, |x: T, y| x < y),
        BinaryOp::Le => map2(out, a, b, |x: T, y| x <= y),
        BinaryOp::Gt => map2(out, a, b, |x: T, y| x > y),
        BinaryOp::Ge => map2(out, a, b, |x: T, y| x >= y),
        _ => {}
    }
}

fn binary_f64(op: BinaryOp, out: &mut LaneValues, a: &LaneValues, b: &LaneValues) {
    match op {
        BinaryOp::Add => map2(out, a, b, |x: f64, y| x + y),
        BinaryOp::Sub => map2(out, a, b, |x: f64, y| x - y),
        BinaryOp::Mul => map2(out, a, b, |x: f64, y| x * y),
        BinaryOp::Div => map2(out, a, b, |x: f64, y| x / y),
        _ => compare::<f64>(op, out, a, b),
    }
}

fn binary_bool(op: BinaryOp, out: &mut LaneValues, a: &LaneValues, b: &LaneValues) {
    match op {
        BinaryOp::And | BinaryOp::AndAlso => map2(out, a, b, |x: bool, y| x & y),
        BinaryOp::Or | BinaryOp::OrElse => map2(out, a, b, |x: bool, y| x | y),
        BinaryOp::Xor => map2(out, a, b, |x: bool, y| x ^ y),
        _ => compare::<bool>(op, out, a, b),
    }
}

/// Two-operand operations but shifts. Errors are found by [`division_faults`].
pub(crate) fn binary(op: BinaryOp, ty: Scalar, out: &mut LaneValues, a: &LaneValues, b: &LaneValues) {
    match ty {
        Scalar::Bool => binary_bool(op, out, a, b),
        Scalar::U8 => binary_u8(op, out, a, b),
        Scalar::U32 => binary_u32(op, out, a, b),
        Scalar::I32 => binary_i32(op, out, a, b),
        Scalar::U64 => binary_u64(op, out, a, b),
        Scalar::I64 => binary_i64(op, out, a, b),
        Scalar::F64 => binary_f64(op, out, a, b),
    }
}

/// The active lanes in which an integer division divides by zero, and those in which it overflows.
pub(crate) fn division_faults(ty: Scalar, active: Lanes, a: &LaneValues, b: &LaneValues) -> (Lanes, Lanes) {
    let (mut zero, mut overflow) = (0, 0);
    let least = match ty {
        Scalar::I32 => Some((u64::from(i32::MIN.cast_unsigned()), u64::from(u32::MAX))),
        Scalar::I64 => Some((i64::MIN.cast_unsigned(), u64::MAX)),
        Scalar::F64 => return (0, 0),
        _ => None,
    };
    for lane in lanes(active) {
        zero |= u64::from(b[lane] == 0) << lane;
        overflow |= u64::from(least == Some((a[lane], b[lane]))) << lane;
    }
    (zero, overflow)
}

/// Shifts; the amount is a 64-bit number. Returns the lanes in which it is too wide.
pub(crate) fn shift(left: bool, ty: Scalar, out: &mut LaneValues, a: &LaneValues, b: &LaneValues) -> Lanes {
    let width = 8 * u64::from(ty.bytes());
    let mut wide = 0;
    for i in 0..WARP {
        let amount = if b[i] < width { b[i] } else { 0 };
        let too_wide = b[i] >= width;
        wide |= u64::from(too_wide) << i;
        let value = match (left, ty) {
            (true, Scalar::U8) => (a[i] << amount) as u8 as u64,
            (true, Scalar::U32 | Scalar::I32) => (a[i] << amount) as u32 as u64,
            (true, _) => a[i] << amount,
            (false, Scalar::I32) => i32::bits(i32::of(a[i]) >> amount),
            (false, Scalar::I64) => i64::bits(i64::of(a[i]) >> amount),
            (false, _) => a[i] >> amount,
        };
        out[i] = if too_wide { 0 } else { value };
    }
    wide
}

/// One-operand operations.
pub(crate) fn unary(op: UnaryOp, ty: Scalar, out: &mut LaneValues, a: &LaneValues) {
    match (op, ty) {
        (UnaryOp::Not, _) | (_, Scalar::Bool) => map1(out, a, |x: bool| !x),
        (UnaryOp::Neg, Scalar::F64) => map1(out, a, |x: f64| -x),
        (UnaryOp::Neg, Scalar::U8) => map1(out, a, u8::wrapping_neg),
        (UnaryOp::Neg, Scalar::U32 | Scalar::I32) => map1(out, a, u32::wrapping_neg),
        (UnaryOp::Neg, Scalar::U64 | Scalar::I64) => map1(out, a, u64::wrapping_neg),
        (UnaryOp::BitNot, Scalar::U8) => map1(out, a, |x: u8| !x),
        (UnaryOp::BitNot, Scalar::U32 | Scalar::I32) => map1(out, a, |x: u32| !x),
        (UnaryOp::BitNot, _) => map1(out, a, |x: u64| !x),
    }
}

fn to_float(from: Scalar, bits: u64) -> f64 {
    match from {
        Scalar::I32 => f64::from(i32::of(bits)),
        Scalar::I64 => i64::of(bits) as f64,
        Scalar::F64 => f64::of(bits),
        Scalar::Bool | Scalar::U8 | Scalar::U32 | Scalar::U64 => bits as f64,
    }
}

/// A float towards zero as an integer, when the type can hold it.
fn from_float(to: Scalar, value: f64) -> Option<u64> {
    let whole = value.trunc();
    let fits = |low: f64, end: f64| whole >= low && whole < end;
    const TWO_63: f64 = 9_223_372_036_854_775_808.0;
    match to {
        Scalar::U8 => fits(0.0, 256.0).then_some(whole as u64),
        Scalar::U32 => fits(0.0, 4_294_967_296.0).then_some(whole as u64),
        Scalar::I32 => fits(-2_147_483_648.0, 2_147_483_648.0).then(|| i32::bits(whole as i32)),
        Scalar::U64 => fits(0.0, 2.0 * TWO_63).then_some(whole as u64),
        Scalar::I64 => fits(-TWO_63, TWO_63).then(|| i64::bits(whole as i64)),
        Scalar::Bool => Some(u64::from(value != 0.0)),
        Scalar::F64 => Some(value.to_bits()),
    }
}

/// Conversions. Returns the lanes in which a float does not fit.
pub(crate) fn cast(from: Scalar, to: Scalar, out: &mut LaneValues, a: &LaneValues) -> Lanes {
    let mut faults = 0;
    match (from, to) {
        (Scalar::F64, _) => {
            for i in 0..WARP {
                let value = from_float(to, f64::of(a[i]));
                faults |= u64::from(value.is_none()) << i;
                out[i] = value.unwrap_or(0);
            }
        }
        (_, Scalar::F64) => {
            for i in 0..WARP {
                out[i] = to_float(from, a[i]).to_bits();
            }
        }
        (_, Scalar::Bool) => map1(out, a, |x: u64| x != 0),
        (_, Scalar::U8) => map1(out, a, |x: u64| x as u8),
        (_, Scalar::U32 | Scalar::I32) => map1(out, a, |x: u64| x as u32),
        (Scalar::I32, _) => map1(out, a, |x: i32| i64::from(x)),
        _ => *out = *a,
    }
    faults
}

macro_rules! both {
    ($ty:expr, $out:expr, $a:expr, $b:expr, $method:ident, $float:expr) => {
        match $ty {
            Scalar::Bool | Scalar::U8 => map2($out, $a, $b, u8::$method),
            Scalar::U32 => map2($out, $a, $b, u32::$method),
            Scalar::I32 => map2($out, $a, $b, i32::$method),
            Scalar::U64 => map2($out, $a, $b, u64::$method),
            Scalar::I64 => map2($out, $a, $b, i64::$method),
            Scalar::F64 => map2($out, $a, $b, $float),
        }
    };
}

/// Pure built-in functions.
pub(crate) fn intrinsic(op: Intrinsic, ty: Scalar, out: &mut LaneValues, a: &LaneValues, b: &LaneValues) {
    let narrow = ty.bytes() <= 4;
    match op {
        Intrinsic::PopCount => map1(out, a, |x: u64| x.count_ones()),
        Intrinsic::FindFirstSet => {
            map1(out, a, |x: u64| if x == 0 { 0 } else { x.trailing_zeros() + 1 });
        }
        Intrinsic::LeadingZeros if narrow => map1(out, a, |x: u64| x.leading_zeros() - 32),
        Intrinsic::LeadingZeros => map1(out, a, |x: u64| x.leading_zeros()),
        Intrinsic::Min => both!(ty, out, a, b, min, min_float),
        Intrinsic::Max => both!(ty, out, a, b, max, max_float),
        Intrinsic::MulHigh => match ty {
            Scalar::I32 => map2(out, a, b, |x: i32, y| ((i64::from(x) * i64::from(y)) >> 32) as i32),
            Scalar::I64 => map2(out, a, b, |x: i64, y| ((i128::from(x) * i128::from(y)) >> 64) as i64),
            Scalar::U64 => map2(out, a, b, |x: u64, y| ((u128::from(x) * u128::from(y)) >> 64) as u64),
            _ => map2(out, a, b, |x: u32, y| ((u64::from(x) * u64::from(y)) >> 32) as u32),
        },
        Intrinsic::SquareRoot => map1(out, a, f64::sqrt),
        Intrinsic::FloatBits | Intrinsic::FloatFromBits => *out = *a,
    }
}

/// New value of an atomic read-modify-write; compare-exchange writes `b` when `old` is `a`.
pub(crate) fn modify(op: gchr_kernel::ir::AtomicOp, ty: Scalar, old: u64, a: u64, b: u64) -> u64 {
    use gchr_kernel::ir::AtomicOp;
    let narrow = |bits: u64| if ty.bytes() == 4 { bits & u64::from(u32::MAX) } else { bits };
    let less = |x: u64, y: u64| match ty {
        Scalar::I32 => i32::of(x) < i32::of(y),
        Scalar::I64 => i64::of(x) < i64::of(y),
        _ => x < y,
    };
    match op {
        AtomicOp::Load => old,
        AtomicOp::Store | AtomicOp::Exchange => a,
        AtomicOp::Add => narrow(old.wrapping_add(a)),
        AtomicOp::Sub => narrow(old.wrapping_sub(a)),
        AtomicOp::Min => {
            if less(a, old) {
                a
            } else {
                old
            }
        }
        AtomicOp::Max => {
            if less(old, a) {
                a
            } else {
                old
            }
        }
        AtomicOp::And => old & a,
        AtomicOp::Or => old | a,
        AtomicOp::Xor => old ^ a,
        AtomicOp::CompareExchange => {
            if old == a {
                b
            } else {
                old
            }
        }
    }
}
