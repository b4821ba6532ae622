//! Values of slots, expressions and conditions, as one occurrence or one body sees them.
//!
//! While instances are searched nothing is noted: an operation without a value sets a flag, and what it gives is not
//! used. When an error is to be explained, the same code runs once more with operations that note.

use gchr_base::ids::IdVec;
use gchr_base::op::Op;
use gchr_base::rule::{self, Const, PatternKind, RuleId};
use gchr_base::signature::SortKind;
use gchr_base::source::Span;
use gchr_constraints::exec::variable_text;
use gchr_constraints::plan::{Key, Linear, Operand, Slot, SlotId, Step};

use super::{CodegenCtx, any, not, op, u64};
use crate::layout::Part;
use gchr_kernel::build::{self, FunctionBuilder};
use gchr_kernel::ir::*;
use gchr_kernel::spelling;
use gchr_runtime::codegen::{Arithmetic, DeviceTrap, Site, Sites};

/// A value: `i64`, `f64`, `u64` for texts and for words of type `any`, `bool`.
#[derive(Clone)]
pub(crate) struct TypedExpr {
    pub kind: SortKind,
    pub expr: Expr,
    /// Whether there is one; `None` when that is sure.
    pub defined: Option<Expr>,
}

impl TypedExpr {
    pub fn new(kind: SortKind, expr: Expr) -> Self {
        Self { kind, expr, defined: None }
    }
}

/// What happens when an operation has no value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OnError {
    /// A flag is set.
    Flag,
    /// It is noted, with its place.
    Note,
}

/// An open block.
enum Open {
    If(Expr),
    /// A loop over the rows of a key, with the variable of the row and its successor.
    Chain(Expr, Expr),
    /// A loop over all rows: counter, first, condition, next.
    All([Expr; 4]),
    /// A loop over the pairs of rows of two keys.
    Product(Product),
}

/// The variables of a loop over pairs of rows.
struct Product {
    /// A row of the one key, and the one behind it.
    row: Expr,
    next: Expr,
    /// The first row of the other key, the one at hand, and the one behind it; none where the row is no partner.
    first: Expr,
    other: Expr,
    following: Expr,
}

/// Code of one occurrence or body, with what it knows.
pub(crate) struct Values<'a> {
    pub ctx: CodegenCtx<'a>,
    pub b: FunctionBuilder,
    pub p: Expr,
    pub rule: RuleId,
    /// Rows of the heads found so far.
    pub rows: Vec<Option<Expr>>,
    pub sites: &'a mut Sites,
    on_error: OnError,
    slots: Vec<Option<TypedExpr>>,
    /// What the values of slots are.
    kinds: Vec<SortKind>,
    open: Vec<Open>,
    /// The flag of the condition or goal at hand.
    flag: Option<Expr>,
    /// Conditions that have no value, of those that are not known to be decided otherwise.
    failing: Vec<Expr>,
}

impl<'a> Values<'a> {
    pub fn new(
        ctx: CodegenCtx<'a>,
        b: FunctionBuilder,
        p: Expr,
        rule: RuleId,
        slots: &IdVec<SlotId, Slot>,
        on_error: OnError,
        sites: &'a mut Sites,
    ) -> Self {
        let heads = ctx.plan.rules[rule].heads.len();
        let rows = vec![None; heads];
        let kinds: Vec<SortKind> = slots.iter().map(|slot| slot.kind).collect();
        let slots = vec![None; kinds.len()];
        Self {
            ctx,
            b,
            p,
            rule,
            rows,
            sites,
            on_error,
            slots,
            kinds,
            open: Vec::new(),
            flag: None,
            failing: Vec::new(),
        }
    }

    /// What follows is run only if the condition holds.
    pub fn open_if(&mut self, condition: Expr) {
        self.open.push(Open::If(condition));
        self.b.begin();
    }

    /// What follows is run for each row of a key.
    pub fn open_chain(&mut self, row: Expr, next: Expr) {
        self.b.begin();
        // Asked for early, as whatever is done with the row takes as long.
        let following = self.b.var("following", next);
        self.open.push(Open::Chain(row, following));
    }

    /// What follows is run for each pair of rows of two keys, the second of which has a row. The result is a variable
    /// for the other row behind the one at hand, to be set where the row has partners.
    pub fn open_product(&mut self, row: Expr, next: Expr, first: Expr, other: Expr) -> Expr {
        self.b.begin();
        let following = self.b.var("following", self.ctx.names.constants.none.clone());
        let product = Product { row, next, first, other, following: following.clone() };
        self.open.push(Open::Product(product));
        following
    }

    /// What follows is run for each value of a counter.
    pub fn open_all(&mut self, counter: Expr, start: Expr, condition: Expr, next: Expr) {
        self.open.push(Open::All([counter, start, condition, next]));
        self.b.begin();
    }

    /// Closes all open blocks.
    pub fn close(&mut self) {
        while let Some(open) = self.open.pop() {
            match open {
                Open::If(condition) => self.b.end_if(condition),
                Open::Chain(row, next) => {
                    self.b.assign(row.clone(), next);
                    let more = op(BinaryOp::Ne, row, self.ctx.names.constants.none.clone());
                    self.b.end_while(more);
                }
                Open::All([counter, start, condition, next]) => {
                    self.b.end_for(&counter, start, condition, next)
                }
                Open::Product(Product { row, next, first, other, following }) => {
                    let none = self.ctx.names.constants.none.clone();
                    self.b.assign(other.clone(), following);
                    self.b.when(build::eq(other.clone(), none.clone()), |b| {
                        b.assign(other, first);
                        b.assign(row.clone(), next);
                    });
                    self.b.end_while(op(BinaryOp::Ne, row, none));
                }
            }
        }
    }

    /// Whether the guard has no value, all conditions that have one being true.
    pub fn fails(&self) -> Expr {
        any(self.failing.iter().cloned())
    }

    fn kind(&self, expr: &rule::Expr) -> SortKind {
        self.ctx.program.signature.kind(expr.sort)
    }

    /// A column of a head's row.
    pub fn column(&mut self, head: usize, column: usize) -> TypedExpr {
        let table = self.ctx.table_of(self.rule, head);
        let kind = self.ctx.plan.tables[table].columns[column].kind;
        let row = self.rows[head].clone().expect("the plan reads partners that are joined");
        let word = build::element(self.ctx.part(&self.p, table, Part::Column(column)), row);
        let expr = match kind {
            SortKind::Int => build::cast(Scalar::I64, word),
            SortKind::Float => build::intrinsic(Intrinsic::FloatFromBits, vec![word], Scalar::F64),
            SortKind::Data => build::cast(Scalar::Bool, word),
            SortKind::Atom | SortKind::Str | SortKind::Any => word,
        };
        TypedExpr::new(kind, expr)
    }

    /// The 64 bits that a column stores.
    pub fn word(held: &TypedExpr) -> Expr {
        match held.kind {
            SortKind::Float => build::intrinsic(Intrinsic::FloatBits, vec![held.expr.clone()], Scalar::U64),
            _ => build::cast(Scalar::U64, held.expr.clone()),
        }
    }

    /// Value of a slot that the plan's verifier has seen bound.
    fn slot(&self, slot: SlotId) -> TypedExpr {
        self.slots[slot.0 as usize].clone().expect("the plan binds slots before it uses them")
    }

    /// Gives a slot a value; what must hold for the value to be of its kind.
    fn bind(&mut self, slot: SlotId, held: &TypedExpr) -> Option<Expr> {
        let (held, fits) = self.matched(held, self.kinds[slot.0 as usize]);
        self.set(slot, held);
        fits
    }

    /// Gives a slot a value of its kind.
    fn set(&mut self, slot: SlotId, held: TypedExpr) {
        let name = match self.ctx.program.rules[self.rule].vars.iter().nth(slot.0 as usize) {
            Some(var) => format!("v_{}", spelling::part(&var.name)),
            None => format!("part{}", slot.0),
        };
        let expr = self.b.var(&name, held.expr);
        self.slots[slot.0 as usize] = Some(TypedExpr { expr, ..held });
    }

    /// Gives a variable of the body its value.
    pub fn bind_var(&mut self, var: rule::VarId, held: TypedExpr) {
        self.set(SlotId(var.0), held);
    }

    /// What the values of a variable are.
    pub fn kind_of_var(&self, var: rule::VarId) -> SortKind {
        self.kinds[var.0 as usize]
    }

    fn constant(&self, c: Const) -> TypedExpr {
        match c {
            Const::Int(n) => TypedExpr::new(SortKind::Int, build::i64(n)),
            Const::Float(x) => {
                TypedExpr::new(SortKind::Float, Expr::new(ExprKind::Literal(Literal::Float(x)), Type::F64))
            }
            Const::Atom(t) => TypedExpr::new(SortKind::Atom, u64(u64::from(t.0))),
            Const::Str(t) => TypedExpr::new(SortKind::Str, u64(u64::from(t.0))),
        }
    }

    fn operand(&self, operand: Operand) -> TypedExpr {
        match operand {
            Operand::Slot(slot) => self.slot(slot),
            Operand::Const(c) => self.constant(c),
        }
    }

    /// Whether the values that a key is made of are known.
    pub fn knows(&self, key: &Key) -> bool {
        let is_bound = |slot: &SlotId| self.slots[slot.0 as usize].is_some();
        match key {
            Key::Slot(slot) | Key::Equal { slot, .. } => is_bound(slot),
            Key::Const(_) => true,
            Key::Linear(linear) => linear.terms.iter().all(|(slot, _)| is_bound(slot)),
        }
    }

    /// The word that a column must have; and a condition without which no row has it.
    pub fn key(&mut self, key: &Key, kind: SortKind) -> (Expr, Option<Expr>) {
        let held = match key {
            Key::Slot(slot) | Key::Equal { slot, .. } => self.slot(*slot),
            Key::Const(c) => self.constant(*c),
            Key::Linear(linear) => {
                let (sum, fits) = self.linear(linear);
                return (build::cast(Scalar::U64, sum), fits);
            }
        };
        let (held, fits) = self.matched(&held, kind);
        (Self::word(&held), fits)
    }

    /// A sum, and whether it fits 64 bits: computed with 128.
    fn linear(&mut self, linear: &Linear) -> (Expr, Option<Expr>) {
        if linear.terms.is_empty() {
            return (build::i64(linear.constant), None);
        }
        let sign = |n: Expr| build::cast(Scalar::U64, op(BinaryOp::Shr, n, build::u32(63)));
        let low = self.b.var("low", u64(linear.constant as u64));
        let high = self.b.var("high", u64((linear.constant >> 63) as u64));
        for &(slot, minus) in &linear.terms {
            let term = self.slot(slot).expr;
            let (word, upper) = (build::cast(Scalar::U64, term.clone()), sign(term));
            let (operation, carries) = if minus {
                (BinaryOp::Sub, op(BinaryOp::Lt, low.clone(), word.clone()))
            } else {
                let sum = op(BinaryOp::Add, low.clone(), word.clone());
                (BinaryOp::Add, op(BinaryOp::Lt, sum, word.clone()))
            };
            let carry = self.b.var("carry", build::cast(Scalar::U64, carries));
            self.b.assign(low.clone(), op(operation, low.clone(), word));
            self.b.assign(high.clone(), op(operation, op(operation, high.clone(), upper), carry));
        }
        let sum = build::cast(Scalar::I64, low);
        (sum.clone(), Some(build::eq(high, sign(sum))))
    }

    /// A step of matching; what follows is run only if it holds.
    pub fn step(&mut self, step: &Step) {
        match step {
            Step::Load { slot, head, column } => {
                let held = self.column(*head, *column);
                self.bind_if_it_fits(*slot, &held);
            }
            Step::Field { slot, of, index } => {
                let field = self.field_of(&self.slot(*of).expr, *index);
                self.bind_if_it_fits(*slot, &TypedExpr::new(SortKind::Any, field));
            }
            Step::SameColumn { head, column, value } => {
                let held = self.column(*head, *column);
                let other = self.operand(*value);
                let same = self.same(&held, &other);
                self.open_if(same);
            }
            Step::Same { slot, value } => {
                let (held, other) = (self.slot(*slot), self.operand(*value));
                let same = self.same(&held, &other);
                self.open_if(same);
            }
            Step::Functor { slot, symbol } => {
                let has = self.has_functor(&self.slot(*slot).expr, *symbol);
                self.open_if(has);
            }
            Step::Test { test, can_fail, .. } => {
                let (held, decided) = self.conjunct(test, None, *can_fail);
                let holds = op(BinaryOp::OrElse, not(decided), held.expr);
                self.open_if(holds);
            }
            // Only saves work: the condition is tested when all partners are there.
            Step::Prune { .. } => {}
            Step::Eval { slot, value, can_fail, .. } => {
                let (held, decided) = self.conjunct(value, Some(*slot), *can_fail);
                self.set(*slot, held);
                if let Some(held) = &mut self.slots[slot.0 as usize] {
                    held.defined = (decided != build::bool(true)).then_some(decided);
                }
            }
            Step::Match { value, pattern, can_fail, .. } => {
                let (held, decided) = self.conjunct(value, None, *can_fail);
                let matches = self.pattern(held, pattern);
                self.open_if(op(BinaryOp::OrElse, not(decided), matches));
            }
            Step::Fail { .. } => self.open_if(build::bool(false)),
        }
    }

    fn bind_if_it_fits(&mut self, slot: SlotId, held: &TypedExpr) {
        if let Some(fits) = self.bind(slot, held) {
            self.open_if(fits);
        }
    }

    /// A step of which only what it binds matters: the instance is known to be one.
    pub fn replay(&mut self, step: &Step) {
        match step {
            Step::Eval { .. } => self.step(step),
            Step::Load { slot, head, column } => {
                let held = self.column(*head, *column);
                self.bind(*slot, &held);
            }
            Step::Field { slot, of, index } => {
                let field = self.field_of(&self.slot(*of).expr, *index);
                self.bind(*slot, &TypedExpr::new(SortKind::Any, field));
            }
            Step::Match { value, pattern, can_fail, .. } => {
                let (held, _) = self.conjunct(value, None, *can_fail);
                self.pattern(held, pattern);
            }
            Step::Test { test, can_fail, .. } if self.on_error == OnError::Note => {
                self.conjunct(test, None, *can_fail);
            }
            _ => {}
        }
    }

    /// A value that a pattern takes apart: binds its variables, says whether it matches.
    pub fn pattern(&mut self, held: TypedExpr, pattern: &rule::Pattern) -> Expr {
        match &pattern.kind {
            PatternKind::Wild => build::bool(true),
            PatternKind::Const(c) => {
                let other = self.constant(*c);
                self.same(&held, &other)
            }
            PatternKind::Var(v) => match self.slots[v.0 as usize].clone() {
                Some(other) => self.same(&held, &other),
                None => self.bind(SlotId(v.0), &held).unwrap_or_else(|| build::bool(true)),
            },
            PatternKind::App { symbol, args } => {
                if held.kind != SortKind::Any {
                    // Its variables have values all the same: what follows names them.
                    for arg in args {
                        self.pattern(TypedExpr::new(SortKind::Any, u64(0)), arg);
                    }
                    return build::bool(false);
                }
                let word = self.b.var("term", held.expr);
                let has = self.has_functor(&word, *symbol);
                let has = self.b.var("has", has);
                let mut matches = vec![has.clone()];
                for (index, arg) in args.iter().enumerate().filter(|(_, a)| a.kind != PatternKind::Wild) {
                    // Variables are bound whether or not the term has this argument.
                    let field = Box::new(self.field_of(&word, index));
                    let kind = ExprKind::Select(Box::new(has.clone()), field, Box::new(u64(0)));
                    let part = self.b.var("part", Expr::new(kind, Type::U64));
                    matches.push(self.pattern(TypedExpr::new(SortKind::Any, part), arg));
                }
                build::all(matches)
            }
        }
    }

    /// The value of a condition of the guard, for a slot if it is to be one of its kind; and whether it has one.
    fn conjunct(&mut self, expr: &rule::Expr, slot: Option<SlotId>, can_fail: bool) -> (TypedExpr, Expr) {
        let mut defined = Vec::new();
        expr.walk(&mut |e| {
            if let rule::ExprKind::Var(v) = e.kind {
                defined.extend(self.slots[v.0 as usize].as_ref().and_then(|held| held.defined.clone()));
            }
        });
        let all_there = build::all(defined);
        let kind = slot.map(|slot| self.kinds[slot.0 as usize]);
        let (held, flag) = match kind {
            None => self.goal(expr, can_fail),
            Some(kind) => self.goal_of_kind(expr, can_fail, kind, || variable_text(kind)),
        };
        let Some(flag) = flag else { return (held, all_there) };
        self.failing.push(op(BinaryOp::AndAlso, all_there.clone(), flag.clone()));
        let decided = self.b.var("decided", op(BinaryOp::AndAlso, all_there, not(flag)));
        (held, decided)
    }

    /// The value of an expression of a body, and whether it has none, if the plan says that it can fail.
    pub fn goal(&mut self, expr: &rule::Expr, can_fail: bool) -> (TypedExpr, Option<Expr>) {
        self.flagged(can_fail, |v| v.expr(expr))
    }

    /// As [`goal`](Self::goal), of a kind; where other values are an error, `place` says what they do not fit.
    pub fn goal_of_kind(
        &mut self,
        expr: &rule::Expr,
        can_fail: bool,
        kind: SortKind,
        place: impl FnOnce() -> String,
    ) -> (TypedExpr, Option<Expr>) {
        self.flagged(can_fail, |v| v.stored(expr, kind, place))
    }

    fn flagged(
        &mut self,
        can_fail: bool,
        value: impl FnOnce(&mut Self) -> TypedExpr,
    ) -> (TypedExpr, Option<Expr>) {
        if self.on_error == OnError::Note || !can_fail {
            return (value(self), None);
        }
        let flag = self.b.var("wrong", build::bool(false));
        self.flag = Some(flag.clone());
        let held = value(self);
        self.flag = None;
        (held, Some(flag))
    }

    /// The value of an expression as one of a kind; an error when it is of another one.
    fn stored(&mut self, expr: &rule::Expr, kind: SortKind, place: impl FnOnce() -> String) -> TypedExpr {
        let held = self.expr(expr);
        let (fitting, fits) = self.matched(&held, kind);
        if let Some(fits) = fits {
            let site = Site { rule: Some(self.rule), span: expr.span };
            let number = self.sites.add_column(place(), site);
            let word = if held.kind == SortKind::Any { held.expr } else { u64(0) };
            self.raise(not(fits), number, build::u32(DeviceTrap::FAILED), [word, u64(0)]);
        }
        fitting
    }

    /// Sets the flag of the condition or goal at hand, or notes an error, where a condition holds.
    pub(crate) fn raise(&mut self, condition: Expr, site: u32, cause: Expr, operands: [Expr; 2]) {
        let flag = self.flag.clone();
        let error = self.ctx.field(&self.p, "error");
        let fail = self.ctx.names.functions.fail;
        self.b.when(condition, |b| match flag {
            Some(flag) => b.assign(flag, build::bool(true)),
            None => {
                let [x, y] = operands;
                b.run(fail, vec![error, build::u32(site), cause, x, y]);
            }
        });
    }

    /// Whether the operator is one whose template has a check.
    fn check(&self, op: Op, float: bool) -> Option<FunctionId> {
        let name = gchr_runtime::codegen::checked_name(op, float)?;
        self.ctx.module.function(&format!("{name}_check"))
    }

    /// The value of an expression.
    pub fn expr(&mut self, expr: &rule::Expr) -> TypedExpr {
        match &expr.kind {
            rule::ExprKind::Var(v) => self.slot(SlotId(v.0)),
            rule::ExprKind::Const(c) => self.constant(*c),
            rule::ExprKind::App { symbol, args } => {
                let truth = self.ctx.program.signature.booleans;
                if expr.sort != truth.sort {
                    return self.compound(*symbol, args);
                }
                TypedExpr::new(SortKind::Data, build::bool(*symbol == truth.true_symbol))
            }
            rule::ExprKind::Repeat { symbol, count, arg } => self.repeated(*symbol, *count, arg),
            rule::ExprKind::Op { op: Op::Both | Op::Either, args } => self.lazy(expr, args),
            rule::ExprKind::Op { op, args } => {
                let mut held = Vec::with_capacity(args.len());
                for arg in args {
                    held.push(self.expr(arg));
                }
                self.operator(*op, held, expr)
            }
        }
    }

    /// `&&` and `||`: the second operand is evaluated only when it matters.
    fn lazy(&mut self, expr: &rule::Expr, args: &[rule::Expr]) -> TypedExpr {
        let both = matches!(expr.kind, rule::ExprKind::Op { op: Op::Both, .. });
        let first = self.expr(&args[0]);
        let result = self.b.var("holds", first.expr);
        self.b.begin();
        let second = self.expr(&args[1]);
        self.b.assign(result.clone(), second.expr);
        self.b.end_if(if both { result.clone() } else { not(result.clone()) });
        TypedExpr::new(SortKind::Data, result)
    }

    fn operator(&mut self, operator: Op, args: Vec<TypedExpr>, expr: &rule::Expr) -> TypedExpr {
        use SortKind::{Float, Int};
        let result = self.kind(expr);
        let float = args.iter().any(|a| a.kind == Float);
        if operator.is_structural() {
            return self.structural(operator, &args);
        }
        let kinds: Vec<SortKind> = args.iter().map(|a| a.kind).collect();
        if is_dynamic(&kinds, result) {
            return self.dynamic(operator, &args, expr);
        }
        if let ([a, b], true) = (&args[..], operator.is_test() && float)
            && a.kind != b.kind
        {
            return self.mixed_comparison(operator, a, b);
        }
        if operator.rounds() && !float {
            return args[0].clone();
        }
        let scalar = |held: TypedExpr| match (held.kind, float) {
            (Int, true) => build::cast(Scalar::F64, held.expr),
            _ => held.expr,
        };
        let args: Vec<Expr> = args.into_iter().map(scalar).collect();
        let value = self.compute(operator, float, args, expr.span);
        TypedExpr::new(result, value)
    }

    fn compute(&mut self, operator: Op, float: bool, args: Vec<Expr>, span: Span) -> Expr {
        let site = Site { rule: Some(self.rule), span };
        let error = self.ctx.field(&self.p, "error");
        let module = self.ctx.module;
        let checked = self.flag.clone().and_then(|flag| Some((flag, self.check(operator, float)?)));
        let Some((flag, check)) = checked else {
            let arithmetic = Arithmetic { module, error, sites: self.sites };
            return arithmetic.compute(&mut self.b, operator, float, args, site);
        };
        let args: Vec<Expr> = args.into_iter().map(|a| self.b.var("operand", a)).collect();
        let wrong = self.b.call("cause", module, check, args.clone());
        let ty = if float && !operator.rounds() { Type::F64 } else { Type::I64 };
        let value = self.b.declare("result", ty);
        self.b.begin();
        let computed = self.unchecked(operator, float, &args);
        self.b.assign(value.clone(), computed);
        let then = self.b.end();
        self.b.begin();
        self.b.assign(flag, build::bool(true));
        let zero = match ty {
            Type::F64 => Expr::new(ExprKind::Literal(Literal::Float(0.0)), Type::F64),
            _ => build::i64(0),
        };
        self.b.assign(value.clone(), zero);
        let otherwise = self.b.end();
        let condition = build::eq(wrong, build::u32(0));
        self.b.push(StmtKind::If { condition, then, otherwise });
        value
    }

    /// The value of an operation that is known to have one.
    pub(crate) fn unchecked(&mut self, operator: Op, float: bool, args: &[Expr]) -> Expr {
        let plain = match operator {
            Op::Add => Some(BinaryOp::Add),
            Op::Sub => Some(BinaryOp::Sub),
            Op::Mul => Some(BinaryOp::Mul),
            Op::Div | Op::Quot => Some(BinaryOp::Div),
            _ => None,
        };
        match (plain, args) {
            (Some(plain), [a, b]) => op(plain, a.clone(), b.clone()),
            (None, [a]) if operator == Op::Neg => {
                Expr::new(ExprKind::Unary(UnaryOp::Neg, Box::new(a.clone())), a.ty)
            }
            _ => {
                let name = gchr_runtime::codegen::checked_name(operator, float).unwrap_or_default();
                let function = self.ctx.generated(&format!("{name}_unchecked"));
                let value = self.b.call("value", self.ctx.module, function, args.to_vec());
                gchr_runtime::codegen::rounded(&mut self.b, operator, &args[0], value)
            }
        }
    }

    /// An integer and a float compare by value, exactly.
    fn mixed_comparison(&mut self, operator: Op, a: &TypedExpr, b: &TypedExpr) -> TypedExpr {
        let f = self.ctx.names.functions.compare_int_float;
        let (n, x, mirrored) = match a.kind {
            SortKind::Int => (a.expr.clone(), b.expr.clone(), false),
            _ => (b.expr.clone(), a.expr.clone(), true),
        };
        let order = self.b.call("order", self.ctx.module, f, vec![n, x]);
        let (left, right) = if mirrored { (build::i64(0), order) } else { (order, build::i64(0)) };
        TypedExpr::new(SortKind::Data, op(relation(operator), left, right))
    }
}

/// The comparison of numbers that an operator of comparison asks for.
pub(crate) fn relation(operator: Op) -> BinaryOp {
    match operator {
        Op::Eq => BinaryOp::Eq,
        Op::Ne => BinaryOp::Ne,
        Op::Lt => BinaryOp::Lt,
        Op::Le => BinaryOp::Le,
        Op::Gt => BinaryOp::Gt,
        _ => BinaryOp::Ge,
    }
}

/// Whether an operator on operands of these kinds needs to know more than these.
fn is_dynamic(operands: &[SortKind], result: SortKind) -> bool {
    use SortKind::{Data, Float, Int};
    let numbers = operands.iter().all(|k| matches!(k, Int | Float));
    !(numbers && matches!(result, Int | Float | Data) || operands.iter().all(|k| *k == Data))
}
