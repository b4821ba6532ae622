//! Operators and tests.

use gchr_base::op::Op;
use gchr_base::signature::{SortId, SortKind, SymbolId};
use gchr_terms::exec::engine::constant_bits;
use gchr_terms::plan::{Block, Function, LocalId, Step, TermPlan, Test};

use super::Lower;
use crate::emit::{CheckedOp, Compare, Cond, FloatOp, Label, Val, WordOp};
use crate::function::Kind;
use crate::terms::helpers::Slow;

/// How an operator is computed.
#[derive(Clone, Copy)]
enum How {
    Checked(CheckedOp),
    /// `0 - a`
    Negated,
    Word(WordOp),
    /// `!a`
    Inverted,
    Divided,
    Shifted,
    ToFloat,
    Float(FloatOp),
    FloatNegated,
    FloatAbs,
    /// The operand itself.
    Same,
    Compared,
    /// Of a truth value.
    Not,
    TypeError,
    Helper(Slow),
}

/// How an operator on a kind of operands is computed; `result` is the kind of its value.
fn how(op: Op, kind: SortKind, result: SortKind) -> How {
    match (kind, op) {
        (SortKind::Data, Op::Negate) => How::Not,
        (_, Op::Both | Op::Either | Op::Negate) => How::TypeError,
        (SortKind::Data, Op::Same | Op::Differ) => How::Compared,
        (SortKind::Data, _) => How::TypeError,
        (_, _) if op.is_test() => How::Compared,
        (SortKind::Float, _) if op.rounds() => How::Helper(Slow::FloatToInt),
        (SortKind::Int, Op::ToFloat) => How::ToFloat,
        (SortKind::Float, _) if result == SortKind::Int => How::TypeError,
        (SortKind::Float, _) => match op {
            Op::Add => How::Float(FloatOp::Add),
            Op::Sub => How::Float(FloatOp::Sub),
            Op::Mul => How::Float(FloatOp::Mul),
            Op::Div => How::Float(FloatOp::Div),
            Op::Neg => How::FloatNegated,
            Op::Abs => How::FloatAbs,
            Op::Eval | Op::ToFloat => How::Same,
            _ => How::Helper(Slow::Float),
        },
        _ => match op {
            Op::Add => How::Checked(CheckedOp::Add),
            Op::Sub => How::Checked(CheckedOp::Sub),
            Op::Mul => How::Checked(CheckedOp::Mul),
            Op::Neg => How::Negated,
            Op::And => How::Word(WordOp::And),
            Op::Or => How::Word(WordOp::Or),
            Op::Xor => How::Word(WordOp::Xor),
            Op::Min => How::Word(WordOp::Min),
            Op::Max => How::Word(WordOp::Max),
            Op::Not => How::Inverted,
            Op::Quot | Op::Rem | Op::FloorDiv | Op::Mod => How::Divided,
            Op::Shl | Op::Shr => How::Shifted,
            Op::Eval | Op::Truncate | Op::Round | Op::Floor | Op::Ceiling => How::Same,
            _ => How::Helper(Slow::Int),
        },
    }
}

/// Whether all operators of a block are computed in line: then an operation without a result can be left to the
/// function that the block is the base case of, and nothing else has happened.
pub(super) fn all_in_line(plan: &TermPlan, function: &Function, block: &Block) -> bool {
    let kind = |local: LocalId| plan.layout.sorts[function.sort(local)].kind;
    let mut all = true;
    block.walk(&mut |block| {
        all &= block.steps.iter().all(|step| match step {
            Step::Operate { op, args, dst, .. } => {
                let operand = args.first().map_or(SortKind::Data, |&arg| kind(arg));
                !matches!(how(*op, operand, kind(*dst)), How::Helper(_))
            }
            _ => true,
        });
    });
    all
}

impl<'p> Lower<'_, '_, 'p> {
    pub(super) fn operate(&mut self, step: &'p Step, op: Op, args: &[LocalId], dst: LocalId) -> Val {
        let Some(&first) = args.first() else { return self.e.int(0) };
        let second = args.get(1).copied().unwrap_or(first);
        let kinds = [first, dst].map(|local| self.plan.layout.sorts[self.sort(local)].kind);
        let (a, b) = (self.get(first), self.get(second));
        match how(op, kinds[0], kinds[1]) {
            How::Checked(op) => {
                let (value, overflows) = self.e.checked(op, a, b);
                self.fails_if(overflows, step, Slow::Int, a, b);
                value
            }
            How::Negated => {
                let zero = self.e.int(0);
                let (value, overflows) = self.e.checked(CheckedOp::Sub, zero, a);
                self.fails_if(overflows, step, Slow::Int, a, b);
                value
            }
            How::Word(op) => self.e.word(op, a, b),
            How::Inverted => self.e.word_by(WordOp::Xor, a, -1),
            How::Divided => self.divided(step, op, a, b),
            How::Shifted => self.shifted(step, op, a, b),
            How::ToFloat => self.e.float_of_int(a),
            How::Float(op) => self.float_op(step, op, a, b),
            How::FloatNegated => {
                let bits = self.e.bits(a);
                let bits = self.e.word_by(WordOp::Xor, bits, i64::MIN);
                self.e.float_of_bits(bits)
            }
            How::FloatAbs => self.e.float_abs(a),
            How::Same => a,
            How::Compared => {
                let holds = self.compare(op, first, second);
                let (yes, no) = (self.truth(true), self.truth(false));
                self.e.select(holds, yes, no)
            }
            How::Not => self.negate(step, first),
            How::TypeError => self.type_error(step, first),
            How::Helper(helper) => self.by_helper(step, helper, a, b, dst),
        }
    }

    /// The value of a truth value.
    fn truth(&mut self, holds: bool) -> Val {
        let symbol = self.truth_symbol(holds);
        let tag = self.plan.layout.tag(symbol).unwrap_or(0);
        self.e.int(i64::from(tag))
    }

    fn truth_symbol(&self, holds: bool) -> SymbolId {
        if holds { self.booleans.true_symbol } else { self.booleans.false_symbol }
    }

    fn step_address(&mut self, step: &'p Step) -> Val {
        self.e.int(std::ptr::from_ref(step) as i64)
    }

    /// An operator that a helper computes.
    fn by_helper(&mut self, step: &'p Step, helper: Slow, a: Val, b: Val, dst: LocalId) -> Val {
        let (step, pending) = (self.step_address(step), self.pending());
        let helper = self.helpers.slow(helper);
        let value = self.e.helper(helper, &[step, a, b, pending], &[]);
        if self.kind(dst) == Kind::Float { self.e.float_of_bits(value) } else { value }
    }

    /// Ends the run when an operation has no result, which the helper tells again. In a base case the function itself
    /// finds out.
    fn fails_if(&mut self, fails: Cond, step: &'p Step, helper: Slow, a: Val, b: Val) {
        if let Some(miss) = self.miss {
            self.e.jump_if(fails, miss);
            return;
        }
        let (cold, on) = (self.e.cold_label(&[]), self.e.label(&[]));
        self.e.branch(fails, (cold, &[]), (on, &[]));
        self.e.bind(cold);
        let (step, pending) = (self.step_address(step), self.pending());
        let helper = self.helpers.slow(helper);
        self.e.leave(helper, &[step, a, b, pending]);
        self.e.bind(on);
    }

    fn float_op(&mut self, step: &'p Step, op: FloatOp, a: Val, b: Val) -> Val {
        if op == FloatOp::Div {
            let zero = self.e.float(0.0);
            let by_zero = self.e.float_compare(Compare::Equal, b, zero);
            self.fails_if(by_zero, step, Slow::Float, a, b);
        }
        let value = self.e.float_op(op, a, b);
        // Neither infinite nor undefined: the bits of the exponent are not all set.
        let bits = self.e.bits(value);
        let size = self.e.word_by(WordOp::And, bits, i64::MAX);
        let infinite =
            self.e.compare_to(Compare::GreaterOrEqual, size, f64::INFINITY.to_bits().cast_signed());
        self.fails_if(infinite, step, Slow::Float, a, b);
        value
    }

    /// Division of integers: by 0 and by -1 in the helper.
    fn divided(&mut self, step: &'p Step, op: Op, a: Val, b: Val) -> Val {
        let known = self.e.constant(b);
        if known.is_some_and(|b| b != 0 && b != -1) {
            return self.e.integer_division(op, a, b);
        }
        let more = self.e.word_by(WordOp::Add, b, 1);
        let special = self.e.compare_to(Compare::BelowOrEqual, more, 1);
        self.unless(special, step, a, b, |lower| lower.e.integer_division(op, a, b))
    }

    /// Shifts: by less than no bit, by all of them and losing some in the helper.
    fn shifted(&mut self, step: &'p Step, op: Op, a: Val, b: Val) -> Val {
        let special = self.e.compare_to(Compare::AboveOrEqual, b, 64);
        let known = self.e.constant(b).is_some_and(|b| (0..64).contains(&b));
        if op == Op::Shr && known {
            return self.e.word(WordOp::ShiftRightSigned, a, b);
        }
        if op == Op::Shr {
            return self.unless(special, step, a, b, |lower| lower.e.word(WordOp::ShiftRightSigned, a, b));
        }
        let value = self.e.word(WordOp::ShiftLeft, a, b);
        let back = self.e.word(WordOp::ShiftRightSigned, value, b);
        let loses = self.e.compare(Compare::NotEqual, back, a);
        if known {
            return self.unless(loses, step, a, b, |_| value);
        }
        let (yes, no) = (self.e.int(1), self.e.int(0));
        let special = self.e.select(special, yes, no);
        let special = self.e.select(loses, yes, special);
        let special = self.e.compare_to(Compare::NotEqual, special, 0);
        self.unless(special, step, a, b, |_| value)
    }

    /// A value that a helper computes, or finds to be none, in special cases, which are rare.
    fn unless(
        &mut self,
        special: Cond,
        step: &'p Step,
        a: Val,
        b: Val,
        plain: impl FnOnce(&mut Self) -> Val,
    ) -> Val {
        if let Some(miss) = self.miss {
            self.e.jump_if(special, miss);
            return plain(self);
        }
        let (cold, on) = (self.e.cold_label(&[]), self.e.label(&[]));
        let join = self.e.label(&[Kind::Word]);
        self.e.branch(special, (cold, &[]), (on, &[]));
        self.e.bind(cold);
        let (step, pending) = (self.step_address(step), self.pending());
        let value = self.e.rare_helper(self.helpers.int, &[step, a, b, pending], &[]);
        self.e.jump(join, &[value]);
        self.e.bind(on);
        let value = plain(self);
        self.e.jump(join, &[value]);
        self.e.bind(join)[0]
    }

    /// `!x`: the other truth value; another normal form is a type error.
    fn negate(&mut self, step: &'p Step, local: LocalId) -> Val {
        let value = self.get(local);
        let tag = self.tag(local, value);
        let (yes, no) = (self.truth(true), self.truth(false));
        let (is_yes, is_no) =
            (self.e.compare(Compare::Equal, tag, yes), self.e.compare(Compare::Equal, tag, no));
        let (other, end) = (self.e.label(&[]), self.e.label(&[Kind::Word]));
        self.e.branch(is_yes, (end, &[no]), (other, &[]));
        self.e.bind(other);
        let wrong = self.e.cold_label(&[]);
        self.e.branch(is_no, (end, &[yes]), (wrong, &[]));
        self.e.bind(wrong);
        self.leave_by_type(step, local);
        self.e.bind(end)[0]
    }

    fn leave_by_type(&mut self, step: &'p Step, local: LocalId) {
        if let Some(miss) = self.miss {
            self.e.jump(miss, &[]);
            return;
        }
        let (value, sort) = (self.get(local), self.sort(local));
        let sort = self.e.int(i64::from(sort.0));
        let (step, pending) = (self.step_address(step), self.pending());
        self.e.leave(self.helpers.type_error, &[step, sort, value, pending]);
    }

    fn type_error(&mut self, step: &'p Step, local: LocalId) -> Val {
        self.leave_by_type(step, local);
        // What follows is never reached.
        let on = self.e.label(&[]);
        self.e.bind(on);
        self.e.int(0)
    }

    /// A comparison or a test of the type of numbers, or structural equality of terms.
    fn compare(&mut self, op: Op, a: LocalId, b: LocalId) -> Cond {
        let sort = self.sort(a);
        let (x, y) = (self.get(a), self.get(b));
        match self.plan.layout.sorts[sort].kind {
            SortKind::Data => {
                let equal = self.same(a, x, y);
                let how = if op == Op::Differ { Compare::Equal } else { Compare::NotEqual };
                self.e.compare_to(how, equal, 0)
            }
            SortKind::Float => match op {
                Op::IsFloat | Op::IsNumber | Op::IsAtomic => self.e.holds(true),
                Op::Same | Op::Differ | Op::Before | Op::BeforeOrSame | Op::After | Op::AfterOrSame => {
                    // Two zeros differ: the order of the bits as integers, the lower ones turned over where the sign is
                    // set.
                    let (x, y) = (self.total(x), self.total(y));
                    self.ordered(op, x, y)
                }
                _ => match Compare::of(op) {
                    Some(how) => self.e.float_compare(how, x, y),
                    None => self.e.holds(false),
                },
            },
            _ => match op {
                Op::IsInteger | Op::IsNumber | Op::IsAtomic => self.e.holds(true),
                _ => self.ordered(op, x, y),
            },
        }
    }

    fn ordered(&mut self, op: Op, x: Val, y: Val) -> Cond {
        match Compare::of(op) {
            Some(how) => self.e.compare(how, x, y),
            None => self.e.holds(false),
        }
    }

    /// The bits of a float such that integers compare as the floats do in their total order.
    fn total(&mut self, value: Val) -> Val {
        let bits = self.e.bits(value);
        let sign = self.e.word_by(WordOp::ShiftRightSigned, bits, 63);
        let turned = self.e.word_by(WordOp::ShiftRight, sign, 1);
        self.e.word(WordOp::Xor, bits, turned)
    }

    /// Whether two terms are equal, as a number: different values are compared by a helper, where cells may be equal.
    fn same(&mut self, local: LocalId, x: Val, y: Val) -> Val {
        let sort = self.sort(local);
        let equal = self.e.compare(Compare::Equal, x, y);
        let (yes, no) = (self.e.int(1), self.e.int(0));
        if !self.has_cells(sort) {
            return self.e.select(equal, yes, no);
        }
        let (differ, end) = (self.e.label(&[]), self.e.label(&[Kind::Word]));
        self.e.branch(equal, (end, &[yes]), (differ, &[]));
        self.e.bind(differ);
        // Values with other symbols outermost.
        let mask = (1i64 << self.plan.layout.sorts[sort].tag_bits) - 1;
        if mask != 0 {
            let bits = self.e.word(WordOp::Xor, x, y);
            let tags = self.e.word_by(WordOp::And, bits, mask);
            let alike = self.e.compare_to(Compare::Equal, tags, 0);
            let look = self.e.label(&[]);
            self.e.branch(alike, (look, &[]), (end, &[no]));
            self.e.bind(look);
        }
        self.same_numbers(sort, x, y, end);
        let number = self.e.int(i64::from(sort.0));
        let found = self.e.helper(self.helpers.same, &[number, x, y], &[]);
        self.e.jump(end, &[found]);
        self.e.bind(end)[0]
    }

    /// Two values with the same tag are numbers: compares these, and goes to a label with whether they are equal.
    fn same_numbers(&mut self, sort: SortId, x: Val, y: Val, end: Label) {
        let Some(symbol) = self.number_in(sort) else { return };
        let Some(tag) = self.plan.layout.tag(symbol) else { return };
        let mask = (1i64 << self.plan.layout.sorts[sort].tag_bits) - 1;
        let (numbers, others) = (self.e.label(&[]), self.e.label(&[]));
        let own = self.e.word_by(WordOp::And, x, mask);
        let are_numbers = self.e.compare_to(Compare::Equal, own, i64::from(tag));
        self.e.branch(are_numbers, (numbers, &[]), (others, &[]));
        self.e.bind(numbers);
        match (self.number(x, symbol), self.number(y, symbol)) {
            (Some(a), Some(b)) => {
                let equal = self.e.compare(Compare::Equal, a, b);
                let (yes, no) = (self.e.int(1), self.e.int(0));
                let found = self.e.select(equal, yes, no);
                self.e.jump(end, &[found]);
            }
            _ => self.e.jump(others, &[]),
        }
        self.e.bind(others);
    }

    pub(super) fn test(&mut self, test: &Test) -> Cond {
        match *test {
            Test::Same(a, b) => self.compare(Op::Same, a, b),
            Test::Compare(op, a, b) => self.compare(op, a, b),
            Test::Constant(local, value) => {
                let own = self.get(local);
                let own = self.e.bits(own);
                self.e.compare_to(Compare::Equal, own, constant_bits(value).cast_signed())
            }
            Test::Holds(local) => self.holds(local),
        }
    }
}
