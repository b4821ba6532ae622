//! Integers of any size as expressions: a constant has less than 62 bits, larger ones are put together of parts.

use num_bigint::BigInt;

use super::{Const, Expr, ExprKind};
use crate::op::Op;
use crate::signature::SortId;
use crate::source::Span;

impl Const {
    /// An integer that programs with integers of any size may have as a constant.
    pub fn of_integer(value: &BigInt) -> Option<Self> {
        i64::try_from(value).ok().filter(|value| value.unsigned_abs() >> 62 == 0).map(Const::Int)
    }
}

impl Expr {
    /// An integer, of a sort of integers.
    pub fn integer(value: &BigInt, sort: SortId, span: Span) -> Self {
        if let Some(small) = Const::of_integer(value) {
            return Self { kind: ExprKind::Const(small), sort, span };
        }
        let half = value.bits() / 2;
        let high: BigInt = value >> half;
        let low = value - (&high << half);
        let operation = |op, args| Self { kind: ExprKind::Op { op, args }, sort, span };
        let places = Self::integer(&half.into(), sort, span);
        let high = operation(Op::Shl, vec![Self::integer(&high, sort, span), places]);
        operation(Op::Add, vec![high, Self::integer(&low, sort, span)])
    }
}
