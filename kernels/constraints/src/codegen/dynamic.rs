//! Arithmetic and comparison of numbers whose types are known at run time only: integers as integers, else floats.

use gchr_base::op::Op;
use gchr_base::rule;
use gchr_base::signature::SortKind;
use gchr_base::value::tag;

use super::terms::tag_of;
use super::value::{TypedExpr, Values, relation};
use super::{not, op, u64};
use gchr_kernel::build;
use gchr_kernel::ir::*;
use gchr_runtime::codegen::{DeviceTrap, Site, checked_name, expression};

/// What is wrong plus one, as the template `checked` says it; 0 for nothing.
const TYPE: u32 = DeviceTrap::TYPE + 1;

/// A number: whether it is a float, its bits, and whether it is one at all.
struct Number {
    float: Expr,
    bits: Expr,
    valid: Expr,
}

/// The result at hand: whether it is a float, its bits, what is wrong.
struct DynamicResult {
    float: Expr,
    bits: Expr,
    wrong: Expr,
}

impl Number {
    fn int(&self) -> Expr {
        build::cast(Scalar::I64, self.bits.clone())
    }

    fn float(&self) -> Expr {
        let as_float = build::intrinsic(Intrinsic::FloatFromBits, vec![self.bits.clone()], Scalar::F64);
        let converted = build::cast(Scalar::F64, self.int());
        Expr::new(
            ExprKind::Select(Box::new(self.float.clone()), Box::new(as_float), Box::new(converted)),
            Type::F64,
        )
    }
}

fn bits_of(x: Expr) -> Expr {
    build::intrinsic(Intrinsic::FloatBits, vec![x], Scalar::U64)
}

fn either(a: Expr, b: Expr) -> Expr {
    op(BinaryOp::OrElse, a, b)
}

impl Values<'_> {
    fn number(&mut self, held: &TypedExpr) -> Number {
        let number = |float: bool, valid: bool| Number {
            float: build::bool(float),
            bits: Self::word(held),
            valid: build::bool(valid),
        };
        match held.kind {
            SortKind::Int => number(false, true),
            SortKind::Float => number(true, true),
            SortKind::Any => Number {
                float: build::eq(tag_of(&held.expr), u64(tag::FLOAT)),
                bits: self.reading(self.ctx.terms().number_of, vec![held.expr.clone()]),
                valid: op(BinaryOp::Le, tag_of(&held.expr), u64(tag::FLOAT)),
            },
            _ => number(false, false),
        }
    }

    /// An operator on numbers of which some type is not known.
    pub(crate) fn dynamic(&mut self, operator: Op, args: &[TypedExpr], expr: &rule::Expr) -> TypedExpr {
        let (first, second) = (&args[0], args.last().unwrap_or(&args[0]));
        let (a, b) = (self.number(first), self.number(second));
        let valid = op(BinaryOp::AndAlso, a.valid.clone(), b.valid.clone());
        let wrong = self.b.var("cause", build::u32(0));
        if operator.is_test() {
            self.b.when(not(valid), |b| b.assign(wrong.clone(), build::u32(TYPE)));
            self.report(&wrong, operator, [first, second], expr);
            let args = vec![a.float, a.bits, b.float, b.bits];
            let order = self.b.call("order", self.ctx.module, self.ctx.numbers().compare_values, args);
            return TypedExpr::new(SortKind::Data, comparison(operator, order));
        }
        let result = DynamicResult {
            float: self.b.var("as_float", build::bool(false)),
            bits: self.b.var("number", u64(0)),
            wrong,
        };
        self.b.begin();
        self.of_floats(operator, &a, &b, &result);
        let floats = self.b.end();
        self.b.begin();
        self.of_ints(operator, &a, &b, &result);
        let ints = self.b.end();
        self.b.begin();
        let condition = either(a.float.clone(), b.float.clone());
        self.b.push(StmtKind::If { condition, then: floats, otherwise: ints });
        let then = self.b.end();
        self.b.begin();
        self.b.assign(result.wrong.clone(), build::u32(TYPE));
        let otherwise = self.b.end();
        self.b.push(StmtKind::If { condition: valid, then, otherwise });
        let held = self.as_kind(&result, self.ctx.program.signature.kind(expr.sort));
        self.report(&result.wrong, operator, [first, second], expr);
        held
    }

    /// The result as a value of a kind; a number of another type is an error.
    fn as_kind(&mut self, result: &DynamicResult, kind: SortKind) -> TypedExpr {
        let DynamicResult { float, bits, wrong } = result;
        match kind {
            SortKind::Int | SortKind::Float => {
                let misfit = if kind == SortKind::Int { float.clone() } else { not(float.clone()) };
                let sound = build::eq(wrong.clone(), build::u32(0));
                let misfit = op(BinaryOp::AndAlso, sound, misfit);
                self.b.when(misfit, |b| b.assign(wrong.clone(), build::u32(TYPE)));
                let value = match kind {
                    SortKind::Int => build::cast(Scalar::I64, bits.clone()),
                    _ => build::intrinsic(Intrinsic::FloatFromBits, vec![bits.clone()], Scalar::F64),
                };
                TypedExpr::new(kind, self.b.var("value", value))
            }
            _ => {
                let word = self.b.var("value", u64(0));
                self.b.begin();
                self.b.begin();
                let boxed = self.float_word(bits.clone());
                self.b.assign(word.clone(), boxed);
                let then = self.b.end();
                self.b.begin();
                let small = self.int_word(bits.clone());
                self.b.assign(word.clone(), small);
                let otherwise = self.b.end();
                self.b.push(StmtKind::If { condition: float.clone(), then, otherwise });
                self.b.end_if(build::eq(wrong.clone(), build::u32(0)));
                TypedExpr::new(SortKind::Any, word)
            }
        }
    }

    /// Sets the flag of the condition or goal at hand, or notes the error, if there is one.
    fn report(&mut self, wrong: &Expr, operator: Op, operands: [&TypedExpr; 2], expr: &rule::Expr) {
        let site = Site { rule: Some(self.rule), span: expr.span };
        let number = self.sites.add_operator(operator, operands.map(|held| held.kind), site);
        let [a, b] = operands.map(Self::word);
        let cause = op(BinaryOp::Sub, wrong.clone(), build::u32(1));
        self.raise(op(BinaryOp::Ne, wrong.clone(), build::u32(0)), number, cause, [a, b]);
    }

    /// The value of a checked operation; what is wrong with it.
    fn checked(
        &mut self,
        operator: Op,
        float: bool,
        args: &[Expr],
        result: &DynamicResult,
        value: impl Fn(Expr) -> Expr,
    ) {
        let name = checked_name(operator, float).unwrap_or_default();
        let Some(check) = self.ctx.module.function(&format!("{name}_check")) else {
            // Never an error: the function takes a place to note one all the same.
            let Some(total) = self.ctx.module.function(&name) else {
                return self.b.assign(result.wrong.clone(), build::u32(TYPE));
            };
            let site = [self.ctx.field(&self.p, "error"), build::u32(0)];
            let args = site.into_iter().chain(args.iter().cloned()).collect();
            let computed = self.b.call("value", self.ctx.module, total, args);
            return self.b.assign(result.bits.clone(), value(computed));
        };
        let cause = self.b.call("cause", self.ctx.module, check, args.to_vec());
        self.b.assign(result.wrong.clone(), cause);
        self.b.begin();
        let computed = self.unchecked(operator, float, args);
        self.b.assign(result.bits.clone(), value(computed));
        self.b.end_if(build::eq(result.wrong.clone(), build::u32(0)));
    }

    fn of_ints(&mut self, operator: Op, a: &Number, b: &Number, result: &DynamicResult) {
        let args: Vec<Expr> = [a, b][..operator.arity()].iter().map(|n| n.int()).collect();
        let plain = |e: Expr| build::cast(Scalar::U64, e);
        match operator {
            Op::Div => self.exact_division(a, b, result),
            Op::Pow => self.int_power(a, b, result),
            Op::ToFloat => {
                self.b.assign(result.float.clone(), build::bool(true));
                self.b.assign(result.bits.clone(), bits_of(a.float()));
            }
            _ if operator.rounds() => self.b.assign(result.bits.clone(), a.bits.clone()),
            _ => match expression(operator, &args) {
                Some(value) => self.b.assign(result.bits.clone(), plain(value)),
                None => self.checked(operator, false, &args, result, plain),
            },
        }
    }

    /// The quotient of two integers: an integer where it is one.
    fn exact_division(&mut self, a: &Number, b: &Number, result: &DynamicResult) {
        let (x, y) = (a.int(), b.int());
        let quotient = self.ctx.names.functions.int_quot_check;
        let cause = self.b.call("cause", self.ctx.module, quotient, vec![x.clone(), y.clone()]);
        self.b.assign(result.wrong.clone(), cause);
        self.b.begin();
        let rest = self.ctx.names.functions.int_rem_unchecked;
        let rest = self.b.call("rest", self.ctx.module, rest, vec![x.clone(), y.clone()]);
        self.b.begin();
        let whole = op(BinaryOp::Div, x, y);
        self.b.assign(result.bits.clone(), build::cast(Scalar::U64, whole));
        let then = self.b.end();
        self.b.begin();
        self.b.assign(result.float.clone(), build::bool(true));
        self.b.assign(result.bits.clone(), bits_of(op(BinaryOp::Div, a.float(), b.float())));
        let otherwise = self.b.end();
        self.b.push(StmtKind::If { condition: build::eq(rest, build::i64(0)), then, otherwise });
        self.b.end_if(build::eq(result.wrong.clone(), build::u32(0)));
    }

    /// The power of two integers: a float where the exponent is negative, unless the base is one of those whose powers
    /// are integers.
    fn int_power(&mut self, a: &Number, b: &Number, result: &DynamicResult) {
        let (x, y) = (a.int(), b.int());
        let outside = |bound, order| op(order, x.clone(), build::i64(bound));
        let large = either(outside(1, BinaryOp::Gt), outside(-1, BinaryOp::Lt));
        let condition = op(BinaryOp::AndAlso, op(BinaryOp::Lt, y.clone(), build::i64(0)), large);
        self.b.begin();
        self.b.assign(result.float.clone(), build::bool(true));
        let [p, q] = [&x, &y].map(|n| build::cast(Scalar::F64, n.clone()));
        let operands = [self.b.var("operand", p), self.b.var("operand", q)];
        self.checked(Op::Pow, true, &operands, result, bits_of);
        let then = self.b.end();
        self.b.begin();
        self.checked(Op::Pow, false, &[x, y], result, |n| build::cast(Scalar::U64, n));
        let otherwise = self.b.end();
        self.b.push(StmtKind::If { condition, then, otherwise });
    }

    fn of_floats(&mut self, operator: Op, a: &Number, b: &Number, result: &DynamicResult) {
        let args: Vec<Expr> = [a, b][..operator.arity()].iter().map(|n| n.float()).collect();
        let args: Vec<Expr> = args.into_iter().map(|x| self.b.var("operand", x)).collect();
        match operator {
            Op::Min | Op::Max => {
                let greatest = build::bool(operator == Op::Max);
                let order = vec![greatest, a.float.clone(), a.bits.clone(), b.float.clone(), b.bits.clone()];
                let first = self.b.call("first", self.ctx.module, self.ctx.numbers().takes_first, order);
                let pick = |x: &Expr, y: &Expr| {
                    let kind =
                        ExprKind::Select(Box::new(first.clone()), Box::new(x.clone()), Box::new(y.clone()));
                    Expr::new(kind, x.ty)
                };
                self.b.assign(result.float.clone(), pick(&a.float, &b.float));
                self.b.assign(result.bits.clone(), pick(&a.bits, &b.bits));
            }
            _ if operator.rounds() => {
                self.checked(operator, true, &args, result, |n| build::cast(Scalar::U64, n));
            }
            Op::ToFloat | Op::Eval => {
                self.b.assign(result.float.clone(), build::bool(true));
                self.b.assign(result.bits.clone(), bits_of(args[0].clone()));
            }
            _ if operator.is_integer_only() => self.b.assign(result.wrong.clone(), build::u32(TYPE)),
            _ => {
                self.b.assign(result.float.clone(), build::bool(true));
                self.checked(operator, true, &args, result, bits_of);
            }
        }
    }
}

/// A comparison by how two values compare.
fn comparison(operator: Op, order: Expr) -> Expr {
    op(relation(operator), order, build::i64(0))
}
