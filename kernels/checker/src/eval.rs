//! Expressions in the walk: numbers as polynomials over symbols, truth values as conditions on them, reads of memory as
//! accesses.
//!
//! Integers are taken for what they count: arithmetic whose result reaches an index or a branch is assumed to stay in
//! the range of its type (`docs/verification.md`). Casts that change the sign, and everything on floats, are functions
//! of which nothing is known.

use super::merge::Choice;
use super::poly::Poly;
use super::state::State;
use super::symbol::{Application, BLOCK, BLOCK_SIZE, Cond, GRID_SIZE, LANE, Level, linear, thread_in_block};
use super::value::{Named, Value};
use super::walk::Walk;
use gchr_kernel::ir::*;

/// Bits of an integer literal as the number they stand for.
pub(super) fn integer(scalar: Scalar, bits: u64) -> i128 {
    match scalar {
        Scalar::I32 => i128::from(bits as u32 as i32),
        Scalar::I64 => i128::from(bits as i64),
        _ => i128::from(bits),
    }
}

/// `p >= 0` in terms of warps, where it does not depend on the lane: `32 * q + r >= 0` with `0 <= r < 32` says `q >=
/// 0`.
fn without_lane(p: &Poly) -> Poly {
    let (warps, rest) = p.split(32);
    let lane = Poly::var(LANE);
    let low = rest == lane || rest == linear(&[(&lane, -1)], 31);
    if low { warps } else { p.clone() }
}

impl<'m> Walk<'m, '_> {
    /// The value of an expression as a number; truth values are 0 or 1.
    pub fn number(&mut self, state: &mut State<'m>, expr: &'m Expr) -> Poly {
        match self.eval(state, expr) {
            Value::Number(poly) => poly,
            Value::Truth(cond) => self.indicator(&cond),
            _ => self.unknown_number(Level::Thread),
        }
    }

    /// The value of an expression as a truth value.
    pub fn truth(&mut self, state: &mut State<'m>, expr: &'m Expr) -> Cond {
        match self.eval(state, expr) {
            Value::Truth(cond) => (*cond).clone(),
            Value::Number(poly) => Cond::Ne(poly),
            _ => Cond::Ne(self.unknown_number(Level::Thread)),
        }
    }

    pub fn unknown_number(&mut self, level: Level) -> Poly {
        match self.unknown(level, Type::I64) {
            Value::Number(poly) => poly,
            _ => Poly::zero(),
        }
    }

    fn indicator(&mut self, cond: &Cond) -> Poly {
        match cond {
            Cond::Const(b) => Poly::constant(i128::from(*b)),
            // A truth value that is a symbol of its own.
            Cond::Ne(p) if p.as_var().is_some_and(|v| self.symbols.is_bit(v)) => p.clone(),
            _ => self.opaque(Application::Indicator(cond.clone()), Scalar::Bool),
        }
    }

    pub fn eval(&mut self, state: &mut State<'m>, expr: &'m Expr) -> Value {
        match &expr.kind {
            ExprKind::Literal(literal) => self.literal(*literal, expr.ty),
            ExprKind::Constant(id) => {
                let constant = &self.module.constants[*id];
                match constant.value {
                    ConstantValue::Given(literal) => self.literal(literal, expr.ty),
                    ConstantValue::Hole => self.argument(constant.name.clone(), expr.ty),
                }
            }
            ExprKind::Var(var) => match state.get(*var) {
                Value::Unset => self.unknown(Level::Thread, expr.ty),
                value => value,
            },
            ExprKind::Field(base, field) => self.field(state, base, *field, expr.ty),
            ExprKind::Element { buffer, index } => self.load(state, buffer, index, None, expr.ty),
            ExprKind::Special(special) => Value::number(match special {
                Special::ThreadInBlock => thread_in_block(),
                Special::Block => Poly::var(BLOCK),
                Special::BlockSize => Poly::var(BLOCK_SIZE),
                Special::GridSize => Poly::var(GRID_SIZE),
                Special::Lane => Poly::var(LANE),
            }),
            ExprKind::Unary(op, a) => self.unary(state, *op, a),
            ExprKind::Binary(op, a, b) => self.binary(state, *op, a, b),
            ExprKind::Select(c, a, b) => self.select(state, c, a, b, expr.ty),
            ExprKind::Cast(a) => self.cast(state, a, expr.ty),
            ExprKind::Intrinsic(intrinsic, args) => {
                let scalar = args.first().and_then(|a| a.ty.scalar()).unwrap_or(Scalar::U64);
                let args: Vec<Poly> = args.iter().map(|a| self.number(state, a)).collect();
                Value::number(self.intrinsic(*intrinsic, scalar, args))
            }
            ExprKind::Record(fields) => fields.iter().map(|f| self.eval(state, f)).collect::<Vec<_>>().into(),
        }
    }

    fn literal(&mut self, literal: Literal, ty: Type) -> Value {
        match literal {
            Literal::Bool(b) => Value::truth(Cond::Const(b)),
            Literal::Int(bits) => {
                Value::number(Poly::constant(integer(ty.scalar().unwrap_or(Scalar::U64), bits)))
            }
            // A float is the number of its bits: equal floats are equal numbers, and no more is known of them.
            Literal::Float(x) => {
                let bits = Poly::constant(i128::from(x.to_bits()));
                Value::number(
                    self.opaque(Application::Unary(UnaryOp::BitNot, Scalar::F64, bits), Scalar::F64),
                )
            }
        }
    }

    fn field(&mut self, state: &mut State<'m>, base: &'m Expr, field: u32, ty: Type) -> Value {
        if let ExprKind::Element { buffer, index } = &base.kind {
            return self.load(state, buffer, index, Some(field), ty);
        }
        match self.eval(state, base) {
            Value::Record(fields) => match fields.get(field as usize) {
                None | Some(Value::Unset) => self.unknown(Level::Thread, ty),
                Some(value) => value.clone(),
            },
            _ => self.unknown(Level::Thread, ty),
        }
    }

    /// The buffers that an expression may name.
    pub fn buffer(&mut self, state: &mut State<'m>, expr: &'m Expr) -> Named {
        match self.eval(state, expr) {
            Value::Buffer(named) => named,
            // On some way here it was not written, and reading it there is an error that the simulator reports.
            _ => self.any_memory(expr.ty.space()),
        }
    }

    /// A number that is a function of others, of which only the type is known.
    fn opaque(&mut self, term: Application, result: Scalar) -> Poly {
        self.symbols.apply(term, Some(result), |_| Vec::new())
    }

    fn unary(&mut self, state: &mut State<'m>, op: UnaryOp, a: &'m Expr) -> Value {
        if op == UnaryOp::Not {
            return Value::truth(self.truth(state, a).negate());
        }
        let scalar = a.ty.scalar().unwrap_or(Scalar::U64);
        let value = self.number(state, a);
        let signed = scalar.is_signed() && op == UnaryOp::Neg;
        let negated = value.scaled(-1).filter(|_| signed || value.as_constant() == Some(0));
        Value::number(negated.unwrap_or_else(|| self.opaque(Application::Unary(op, scalar, value), scalar)))
    }

    fn binary(&mut self, state: &mut State<'m>, op: BinaryOp, a: &'m Expr, b: &'m Expr) -> Value {
        if op.is_logical() {
            let left = self.truth(state, a);
            // The right operand is only evaluated in threads in which the left one does not decide.
            let path = state.path.clone();
            let conjunction = op == BinaryOp::AndAlso;
            state.learn(if conjunction { left.clone() } else { left.negate() });
            let right = self.truth(state, b);
            state.path = path;
            return Value::truth(if conjunction { left.and(right) } else { left.or(right) });
        }
        let scalar = a.ty.scalar().unwrap_or(Scalar::U64);
        let (left, right) = (self.number(state, a), self.number(state, b));
        if op.is_comparison() {
            return Value::truth(self.compare(op, scalar, left, right));
        }
        Value::number(self.arithmetic(op, scalar, left, right))
    }

    fn compare(&mut self, op: BinaryOp, scalar: Scalar, a: Poly, b: Poly) -> Cond {
        if scalar == Scalar::F64 {
            return Cond::Ne(self.opaque(Application::Binary(op, scalar, a, b), Scalar::Bool));
        }
        let less = |a: &Poly, b: &Poly, by: i128| Cond::Ge(linear(&[(b, 1), (a, -1)], -by));
        let cond = match op {
            BinaryOp::Eq => Cond::Eq(linear(&[(&a, 1), (&b, -1)], 0)),
            BinaryOp::Ne => Cond::Ne(linear(&[(&a, 1), (&b, -1)], 0)),
            BinaryOp::Lt => less(&a, &b, 1),
            BinaryOp::Le => less(&a, &b, 0),
            BinaryOp::Gt => less(&b, &a, 1),
            _ => less(&b, &a, 0),
        };
        match &cond {
            Cond::Ge(p) if p.as_constant().is_none() => Cond::Ge(without_lane(p)),
            Cond::Ge(p) => p.as_constant().map_or(cond.clone(), |n| Cond::Const(n >= 0)),
            Cond::Eq(p) => p.as_constant().map_or(cond.clone(), |n| Cond::Const(n == 0)),
            Cond::Ne(p) => p.as_constant().map_or(cond.clone(), |n| Cond::Const(n != 0)),
            _ => cond,
        }
    }

    fn arithmetic(&mut self, op: BinaryOp, scalar: Scalar, a: Poly, b: Poly) -> Poly {
        if scalar == Scalar::F64 {
            return self.opaque(Application::Binary(op, scalar, a, b), scalar);
        }
        let power = |n: &Poly| n.as_constant().filter(|n| (0..64).contains(n)).map(|n| 1_i128 << n);
        let sum = match op {
            BinaryOp::Add => a.plus(&b, 1),
            BinaryOp::Sub => a.minus(&b),
            BinaryOp::Mul => a.times(&b),
            BinaryOp::Shl => power(&b).and_then(|by| a.scaled(by)),
            _ => None,
        };
        if let Some(sum) = sum.filter(Poly::is_short) {
            return sum;
        }
        let unsigned = !scalar.is_signed();
        match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => self
                .opaque(Application::Sum(op, a, b), if op == BinaryOp::Sub { Scalar::I64 } else { scalar }),
            BinaryOp::Shr if unsigned && power(&b).is_some() => {
                let by = power(&b).unwrap_or(1);
                self.quotient(a, Poly::constant(by))
            }
            BinaryOp::Div if unsigned => self.quotient(a, b),
            BinaryOp::Rem if unsigned => self.remainder(a, b),
            BinaryOp::And if unsigned => self.masked(a, b),
            _ => self.opaque(Application::Binary(op, scalar, a, b), scalar),
        }
    }

    /// `a / b`, rounded down; `a >= 0`.
    fn quotient(&mut self, a: Poly, b: Poly) -> Poly {
        if let (Some(n), Some(m)) = (a.as_constant(), b.as_constant())
            && m > 0
        {
            return Poly::constant(n.div_euclid(m));
        }
        if b.as_constant() == Some(32) && a == thread_in_block() {
            return Poly::var(super::symbol::WARP);
        }
        self.symbols.apply(Application::Quotient(a.clone(), b.clone()), None, |q| {
            let mut facts = vec![Cond::Ge(q.clone())];
            if let Some(product) = q.times(&b)
                && let Some(rest) = a.minus(&product)
                && let Some(room) = b.minus(&rest).and_then(|p| p.plus(&Poly::constant(-1), 1))
            {
                facts.extend([Cond::Ge(rest), Cond::Ge(room)]);
            }
            facts
        })
    }

    fn remainder(&mut self, a: Poly, b: Poly) -> Poly {
        let quotient = self.quotient(a.clone(), b.clone());
        let rest = quotient.times(&b).and_then(|p| a.minus(&p)).filter(Poly::is_short);
        rest.unwrap_or_else(|| {
            self.opaque(Application::Binary(BinaryOp::Rem, Scalar::U64, a, b), Scalar::U64)
        })
    }

    /// `a & b`: a remainder when `b` is one less than a power of two, else at most `b`.
    fn masked(&mut self, a: Poly, b: Poly) -> Poly {
        let (a, b) = if a.as_constant().is_some() { (b, a) } else { (a, b) };
        match b.as_constant() {
            Some(n) if n >= 0 && (n + 1).count_ones() == 1 && a.as_constant().is_none() => {
                self.remainder(a, Poly::constant(n + 1))
            }
            _ => {
                let term = Application::Binary(BinaryOp::And, Scalar::U64, a.clone(), b.clone());
                self.symbols.apply(term, Some(Scalar::U64), |p| {
                    let most = |n: &Poly| n.minus(p).map(Cond::Ge);
                    most(&a).into_iter().chain(most(&b)).collect()
                })
            }
        }
    }

    fn select(&mut self, state: &mut State<'m>, c: &'m Expr, a: &'m Expr, b: &'m Expr, ty: Type) -> Value {
        let cond = self.truth(state, c);
        if let Cond::Const(holds) = cond {
            return self.eval(state, if holds { a } else { b });
        }
        let path = state.path.clone();
        state.learn(cond.clone());
        let left = self.eval(state, a);
        state.path = path.with(cond.negate());
        let right = self.eval(state, b);
        state.path = path;
        match (left, right) {
            (Value::Number(a), Value::Number(b)) if a != b => {
                let term = Application::Select(cond.clone(), a.clone(), b.clone());
                let scalar = ty.scalar().unwrap_or(Scalar::I64);
                Value::number(self.symbols.apply(term, Some(scalar), |p| {
                    let is = |x: &Poly| p.minus(x).map_or(Cond::Const(true), Cond::Eq);
                    vec![Cond::Or([cond.clone().and(is(&a)), cond.negate().and(is(&b))].into())]
                }))
            }
            (Value::Truth(a), Value::Truth(b)) => {
                let (yes, no) = (cond.clone().and((*a).clone()), cond.negate().and((*b).clone()));
                Value::truth(yes.or(no))
            }
            (left, right) => {
                let level = self.symbols.level_of(&cond);
                let choice = Choice { level, provenance: self.symbols.provenance_of(&cond) };
                self.join(&left, &right, choice, ty)
            }
        }
    }

    fn cast(&mut self, state: &mut State<'m>, a: &'m Expr, ty: Type) -> Value {
        let from = a.ty.scalar().unwrap_or(Scalar::U64);
        let to = ty.scalar().unwrap_or(Scalar::U64);
        if to == Scalar::Bool {
            return Value::truth(match from {
                Scalar::F64 => {
                    let value = self.number(state, a);
                    Cond::Ne(self.opaque(Application::Cast(from, to, value), to))
                }
                _ => self.truth(state, a),
            });
        }
        let value = self.number(state, a);
        let keeps = match (from, to) {
            (Scalar::Bool | Scalar::U8, to) => to != Scalar::F64,
            (Scalar::F64, _) | (_, Scalar::F64) => false,
            (Scalar::U32, Scalar::I64) => true,
            // A constant is what its type can hold.
            _ if from.is_signed() != to.is_signed() => {
                value.as_constant().is_some_and(|n| (0..1 << 31).contains(&n))
            }
            _ => to != Scalar::U8,
        };
        Value::number(if keeps { value } else { self.opaque(Application::Cast(from, to, value), to) })
    }

    fn intrinsic(&mut self, intrinsic: Intrinsic, scalar: Scalar, args: Vec<Poly>) -> Poly {
        let integer = scalar != Scalar::F64;
        let term = Application::Intrinsic(intrinsic, scalar, args.clone());
        let up = |a: &Poly, b: &Poly| a.minus(b).map(Cond::Ge);
        match (intrinsic, args.as_slice()) {
            (Intrinsic::Min | Intrinsic::Max, [a, b]) if integer => {
                if let (Some(n), Some(m)) = (a.as_constant(), b.as_constant()) {
                    return Poly::constant(if intrinsic == Intrinsic::Min { n.min(m) } else { n.max(m) });
                }
                let sign = if intrinsic == Intrinsic::Min { 1 } else { -1 };
                self.symbols.apply(term, Some(scalar), |p| {
                    let bound = |x: &Poly| if sign == 1 { up(x, p) } else { up(p, x) };
                    let reached = |x: &Poly| if sign == 1 { up(p, x) } else { up(x, p) };
                    let either = reached(a).zip(reached(b)).map(|(a, b)| Cond::Or([a, b].into()));
                    bound(a).into_iter().chain(bound(b)).chain(either).collect()
                })
            }
            (Intrinsic::PopCount | Intrinsic::FindFirstSet | Intrinsic::LeadingZeros, _) => {
                let bits = if scalar == Scalar::U64 { 64 } else { 32 };
                self.symbols.apply(term, Some(Scalar::U32), |p| vec![Cond::Ge(linear(&[(p, -1)], bits))])
            }
            _ => self.opaque(term, if integer { scalar } else { Scalar::I64 }),
        }
    }
}

impl From<Vec<Value>> for Value {
    fn from(fields: Vec<Value>) -> Self {
        Value::Record(fields.into())
    }
}
