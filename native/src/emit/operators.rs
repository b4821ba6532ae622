//! Operators and comparisons of words and floats.

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::types::{F64, I8, I16, I32, I64};
use cranelift_codegen::ir::{self, InstBuilder, MemFlagsData};

use gchr_base::op::Op;

use super::{Cond, Emit, Val};
use crate::function::Kind;

/// Comparisons of words; `Below` and its kin compare without a sign.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compare {
    /// `a = b`
    Equal,
    /// `a != b`
    NotEqual,
    /// `a < b`
    Less,
    /// `a <= b`
    LessOrEqual,
    /// `a > b`
    Greater,
    /// `a >= b`
    GreaterOrEqual,
    /// `a < b`, without a sign.
    Below,
    /// `a <= b`, without a sign.
    BelowOrEqual,
    /// `a > b`, without a sign.
    Above,
    /// `a >= b`, without a sign.
    AboveOrEqual,
}

impl Compare {
    /// The comparison of numbers that an operator is.
    pub fn of(op: Op) -> Option<Self> {
        Some(match op {
            Op::Eq | Op::Same => Self::Equal,
            Op::Ne | Op::Differ => Self::NotEqual,
            Op::Lt | Op::Before => Self::Less,
            Op::Le | Op::BeforeOrSame => Self::LessOrEqual,
            Op::Gt | Op::After => Self::Greater,
            Op::Ge | Op::AfterOrSame => Self::GreaterOrEqual,
            _ => return None,
        })
    }
}

/// Operators on words that never fail. Shifts take their distance modulo 64.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WordOp {
    /// Sum, wrapping.
    Add,
    /// Difference, wrapping.
    Sub,
    /// Product, wrapping.
    Mul,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// To the left.
    ShiftLeft,
    /// To the right, zeros from the left.
    ShiftRight,
    /// To the right, copies of the sign from the left.
    ShiftRightSigned,
    /// The smaller one, signed.
    Min,
    /// The larger one, signed.
    Max,
}

/// Operators on signed words that may overflow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CheckedOp {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
}

/// Division of signed words, towards zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum DivideOp {
    /// Quotient.
    Quotient,
    /// Remainder.
    Remainder,
}

/// Operators on floats.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FloatOp {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Quotient.
    Div,
}

/// Words.
impl Emit<'_> {
    /// A constant.
    pub fn int(&mut self, value: i64) -> Val {
        Val(self.b.ins().iconst(I64, value))
    }

    /// The value of a word if it is a constant.
    pub fn constant(&self, word: Val) -> Option<i64> {
        let inst = self.b.func.dfg.value_def(word.0).inst()?;
        match self.b.func.dfg.insts[inst] {
            ir::InstructionData::UnaryImm { opcode: ir::Opcode::Iconst, imm } => Some(imm.bits()),
            _ => None,
        }
    }

    /// An operator that never fails.
    pub fn word(&mut self, op: WordOp, a: Val, b: Val) -> Val {
        let (a, b) = (a.0, b.0);
        let ins = self.b.ins();
        Val(match op {
            WordOp::Add => ins.iadd(a, b),
            WordOp::Sub => ins.isub(a, b),
            WordOp::Mul => ins.imul(a, b),
            WordOp::And => ins.band(a, b),
            WordOp::Or => ins.bor(a, b),
            WordOp::Xor => ins.bxor(a, b),
            WordOp::ShiftLeft => ins.ishl(a, b),
            WordOp::ShiftRight => ins.ushr(a, b),
            WordOp::ShiftRightSigned => ins.sshr(a, b),
            WordOp::Min => ins.smin(a, b),
            WordOp::Max => ins.smax(a, b),
        })
    }

    /// The same with a constant.
    pub fn word_by(&mut self, op: WordOp, a: Val, b: i64) -> Val {
        let neutral = match op {
            WordOp::Add | WordOp::Sub | WordOp::Or | WordOp::Xor => b == 0,
            WordOp::ShiftLeft | WordOp::ShiftRight | WordOp::ShiftRightSigned => b == 0,
            WordOp::Mul => b == 1,
            WordOp::And => b == -1,
            WordOp::Min | WordOp::Max => false,
        };
        if neutral {
            return a;
        }
        let b = self.int(b);
        self.word(op, a, b)
    }

    /// `a + b`
    pub fn add(&mut self, a: Val, b: Val) -> Val {
        self.word(WordOp::Add, a, b)
    }

    /// An operator that may overflow, and whether it does.
    pub fn checked(&mut self, op: CheckedOp, a: Val, b: Val) -> (Val, Cond) {
        let small = |value: &i64| i32::try_from(*value).is_ok();
        match (op, self.constant(a).filter(small), self.constant(b).filter(small)) {
            (CheckedOp::Add, Some(by), _) => return self.checked_step(b, by),
            (CheckedOp::Add, _, Some(by)) => return self.checked_step(a, by),
            (CheckedOp::Sub, _, Some(by)) => return self.checked_step(a, -by),
            _ => {}
        }
        let ins = self.b.ins();
        let (value, overflow) = match op {
            CheckedOp::Add => ins.sadd_overflow(a.0, b.0),
            CheckedOp::Sub => ins.ssub_overflow(a.0, b.0),
            CheckedOp::Mul => ins.smul_overflow(a.0, b.0),
        };
        (Val(value), Cond(overflow))
    }

    /// `a + by`, and whether it overflows: it does where it lies on the wrong side of `a`. That is one comparison,
    /// which a jump takes as it is; the flag of an addition would have to be stored first.
    fn checked_step(&mut self, a: Val, by: i64) -> (Val, Cond) {
        let sum = self.word_by(WordOp::Add, a, by);
        let wrong = if by < 0 { IntCC::SignedGreaterThan } else { IntCC::SignedLessThan };
        (sum, Cond(self.b.ins().icmp(wrong, sum.0, a.0)))
    }

    /// Division: `b` is neither 0 nor, where `a` may be the smallest number, -1.
    fn divide(&mut self, op: DivideOp, a: Val, b: Val) -> Val {
        Val(match op {
            DivideOp::Quotient => self.b.ins().sdiv(a.0, b.0),
            DivideOp::Remainder => self.b.ins().srem(a.0, b.0),
        })
    }

    /// Division of integers by neither 0 nor -1. `//` and `rem` truncate, `div` and `mod` round down.
    pub fn integer_division(&mut self, op: Op, a: Val, b: Val) -> Val {
        let power = self.constant(b).filter(|b| *b > 0 && b.count_ones() == 1);
        match (op, power) {
            (Op::Quot, _) => self.divide(DivideOp::Quotient, a, b),
            (Op::Rem, _) => self.divide(DivideOp::Remainder, a, b),
            (Op::Mod, Some(power)) => self.word_by(WordOp::And, a, power - 1),
            (Op::FloorDiv, Some(power)) => {
                self.word_by(WordOp::ShiftRightSigned, a, i64::from(power.trailing_zeros()))
            }
            (_, _) => {
                let rest = self.divide(DivideOp::Remainder, a, b);
                // The rest has the sign of the divisor, or is zero: where the signs differ, `rest xor b` is negative.
                let signs = self.word(WordOp::Xor, rest, b);
                let differ = self.compare_to(Compare::Less, signs, 0);
                let zero = self.int(0);
                if op == Op::Mod {
                    let mended = self.add(rest, b);
                    let mended = self.select(differ, mended, rest);
                    let none = self.compare_to(Compare::Equal, rest, 0);
                    return self.select(none, zero, mended);
                }
                let quotient = self.divide(DivideOp::Quotient, a, b);
                let less = self.word_by(WordOp::Sub, quotient, 1);
                let mended = self.select(differ, less, quotient);
                let none = self.compare_to(Compare::Equal, rest, 0);
                self.select(none, quotient, mended)
            }
        }
    }

    /// A comparison of words.
    pub fn compare(&mut self, how: Compare, a: Val, b: Val) -> Cond {
        let cc = match how {
            Compare::Equal => IntCC::Equal,
            Compare::NotEqual => IntCC::NotEqual,
            Compare::Less => IntCC::SignedLessThan,
            Compare::LessOrEqual => IntCC::SignedLessThanOrEqual,
            Compare::Greater => IntCC::SignedGreaterThan,
            Compare::GreaterOrEqual => IntCC::SignedGreaterThanOrEqual,
            Compare::Below => IntCC::UnsignedLessThan,
            Compare::BelowOrEqual => IntCC::UnsignedLessThanOrEqual,
            Compare::Above => IntCC::UnsignedGreaterThan,
            Compare::AboveOrEqual => IntCC::UnsignedGreaterThanOrEqual,
        };
        Cond(self.b.ins().icmp(cc, a.0, b.0))
    }

    /// The same with a constant.
    pub fn compare_to(&mut self, how: Compare, a: Val, b: i64) -> Cond {
        let b = self.int(b);
        self.compare(how, a, b)
    }

    /// A value that is known to hold or not.
    pub fn holds(&mut self, holds: bool) -> Cond {
        Cond(self.b.ins().iconst(I8, i64::from(holds)))
    }

    /// One of two values.
    pub fn select(&mut self, which: Cond, yes: Val, no: Val) -> Val {
        Val(self.b.ins().select(which.0, yes.0, no.0))
    }

    /// The low 32 bits of a word, without a sign.
    pub fn low_half(&mut self, a: Val) -> Val {
        let low = self.b.ins().ireduce(I32, a.0);
        Val(self.b.ins().uextend(I64, low))
    }

    /// The low 16 bits of a word, without a sign.
    pub fn low_quarter(&mut self, a: Val) -> Val {
        let low = self.b.ins().ireduce(I16, a.0);
        Val(self.b.ins().uextend(I64, low))
    }
}

/// Floats.
impl Emit<'_> {
    /// A constant.
    pub fn float(&mut self, value: f64) -> Val {
        Val(self.b.ins().f64const(value))
    }

    /// An operator.
    pub fn float_op(&mut self, op: FloatOp, a: Val, b: Val) -> Val {
        let ins = self.b.ins();
        Val(match op {
            FloatOp::Add => ins.fadd(a.0, b.0),
            FloatOp::Sub => ins.fsub(a.0, b.0),
            FloatOp::Mul => ins.fmul(a.0, b.0),
            FloatOp::Div => ins.fdiv(a.0, b.0),
        })
    }

    /// Square root.
    pub fn sqrt(&mut self, a: Val) -> Val {
        Val(self.b.ins().sqrt(a.0))
    }

    /// Without the sign.
    pub fn float_abs(&mut self, a: Val) -> Val {
        Val(self.b.ins().fabs(a.0))
    }

    /// A comparison of floats, `how` not among those without a sign.
    pub fn float_compare(&mut self, how: Compare, a: Val, b: Val) -> Cond {
        let cc = match how {
            Compare::Equal => FloatCC::Equal,
            Compare::NotEqual => FloatCC::NotEqual,
            Compare::Less | Compare::Below => FloatCC::LessThan,
            Compare::LessOrEqual | Compare::BelowOrEqual => FloatCC::LessThanOrEqual,
            Compare::Greater | Compare::Above => FloatCC::GreaterThan,
            Compare::GreaterOrEqual | Compare::AboveOrEqual => FloatCC::GreaterThanOrEqual,
        };
        Cond(self.b.ins().fcmp(cc, a.0, b.0))
    }

    /// A signed word as a float.
    pub fn float_of_int(&mut self, a: Val) -> Val {
        Val(self.b.ins().fcvt_from_sint(F64, a.0))
    }

    /// The bits of a float as a word; a word stays what it is.
    pub fn bits(&mut self, a: Val) -> Val {
        if self.kind(a) == Kind::Word {
            return a;
        }
        Val(self.b.ins().bitcast(I64, MemFlagsData::new(), a.0))
    }

    /// The float with these bits; a float stays what it is.
    pub fn float_of_bits(&mut self, a: Val) -> Val {
        if self.kind(a) == Kind::Float {
            return a;
        }
        Val(self.b.ins().bitcast(F64, MemFlagsData::new(), a.0))
    }

    fn kind(&self, a: Val) -> Kind {
        if self.b.func.dfg.value_type(a.0) == F64 { Kind::Float } else { Kind::Word }
    }
}
