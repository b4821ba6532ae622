//! Values of slots, expressions and conditions, as one occurrence or one body sees them.
//!
//! While instances are searched nothing is noted: an operation without a value sets a flag, and what it gives is not used. When an error
//! is to be explained, the same code runs once more with operations that note.

use gchr_core::op::Op;
use gchr_core::plan::chr::{Key, Linear, Operand, SlotId, Step};
use gchr_core::rule::{self, Const, PatternKind, RuleId};
use gchr_core::signature::SortKind;
use gchr_core::source::Span;

use super::{Made, Scene, any, not, op, refuse, u64};
use crate::build::{self, FunctionBuilder};
use crate::codegen::{Arithmetic, Site, Sites};
use crate::ir::*;
use crate::rounds::layout::Part;

/// A value: `i64`, `f64`, `u64` for texts, `bool`.
#[derive(Clone)]
pub(super) struct Held {
    pub kind: SortKind,
    pub expr: Expr,
    /// Whether there is one; `None` when that is sure.
    pub defined: Option<Expr>,
}

impl Held {
    fn sure(kind: SortKind, expr: Expr) -> Self {
        Self { kind, expr, defined: None }
    }
}

/// What happens when an operation has no value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum OnError {
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
}

/// Code of one occurrence or body, with what it knows.
pub(super) struct Values<'a> {
    pub scene: Scene<'a>,
    pub b: FunctionBuilder,
    pub p: Expr,
    pub rule: RuleId,
    /// Rows of the heads found so far.
    pub rows: Vec<Option<Expr>>,
    pub sites: &'a mut Sites,
    on_error: OnError,
    slots: Vec<Option<Held>>,
    open: Vec<Open>,
    /// The flag of the condition or goal at hand.
    flag: Option<Expr>,
    /// Conditions that have no value, of those that are not known to be decided otherwise.
    failing: Vec<Expr>,
}

impl<'a> Values<'a> {
    pub fn new(
        scene: Scene<'a>,
        b: FunctionBuilder,
        p: Expr,
        rule: RuleId,
        slots: usize,
        on_error: OnError,
        sites: &'a mut Sites,
    ) -> Self {
        let heads = scene.plan.rules[rule].heads.len();
        let rows = vec![None; heads];
        let slots = vec![None; slots];
        Self {
            scene,
            b,
            p,
            rule,
            rows,
            sites,
            on_error,
            slots,
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
                    let more = op(BinaryOp::Ne, row, self.scene.constant("NONE"));
                    self.b.end_while(more);
                }
                Open::All([counter, start, condition, next]) => {
                    self.b.end_for(&counter, start, condition, next)
                }
            }
        }
    }

    /// Whether the guard has no value, all conditions that have one being true.
    pub fn fails(&self) -> Expr {
        any(self.failing.iter().cloned())
    }

    fn kind(&self, expr: &rule::Expr) -> SortKind {
        self.scene.program.signature.kind(expr.sort)
    }

    /// A column of a head's row.
    pub fn column(&mut self, head: usize, column: usize) -> Made<Held> {
        let table = self.scene.table_of(self.rule, head);
        let kind = self.scene.plan.tables[table].columns[column].kind;
        let row = self.rows[head].clone().expect("the plan reads partners that are joined");
        let word = build::element(self.scene.part(&self.p, table, Part::Column(column)), row);
        self.held_word(word, kind)
    }

    fn held_word(&mut self, word: Expr, kind: SortKind) -> Made<Held> {
        let expr = match kind {
            SortKind::Int => build::cast(Scalar::I64, word),
            SortKind::Float => build::intrinsic(Intrinsic::FloatFromBits, vec![word], Scalar::F64),
            SortKind::Atom | SortKind::Str => word,
            SortKind::Any | SortKind::Data => return Err(self.refuse_any(self.span())),
        };
        Ok(Held::sure(kind, expr))
    }

    fn span(&self) -> Span {
        self.scene.plan.rules[self.rule].span
    }

    fn refuse_any(&self, span: Span) -> gchr_core::diagnostic::Diagnostic {
        refuse("a value whose type is known at run time only", span)
    }

    /// The 64 bits that a column stores.
    pub fn word(held: &Held) -> Expr {
        match held.kind {
            SortKind::Float => build::intrinsic(Intrinsic::FloatBits, vec![held.expr.clone()], Scalar::U64),
            _ => build::cast(Scalar::U64, held.expr.clone()),
        }
    }

    /// Value of a slot that the plan's verifier has seen bound.
    fn slot(&self, slot: SlotId) -> Held {
        self.slots[slot.0 as usize].clone().expect("the plan binds slots before it uses them")
    }

    fn bind(&mut self, slot: SlotId, held: Held) {
        let name = match self.scene.program.rules[self.rule].vars.iter().nth(slot.0 as usize) {
            Some(var) => crate::rounds::layout::identifier(&format!("v_{}", var.name)),
            None => format!("part{}", slot.0),
        };
        let expr = self.b.var(&name, held.expr);
        self.slots[slot.0 as usize] = Some(Held { expr, ..held });
    }

    /// Gives a variable of the body its value.
    pub fn bind_var(&mut self, var: rule::VarId, held: Held) {
        self.bind(SlotId(var.0), held);
    }

    fn constant(&self, c: Const) -> Held {
        match c {
            Const::Int(n) => Held::sure(SortKind::Int, build::i64(n)),
            Const::Float(x) => {
                Held::sure(SortKind::Float, Expr::new(ExprKind::Literal(Literal::Float(x)), Type::F64))
            }
            Const::Atom(t) => Held::sure(SortKind::Atom, u64(u64::from(t.0))),
            Const::Str(t) => Held::sure(SortKind::Str, u64(u64::from(t.0))),
        }
    }

    fn operand(&self, operand: Operand) -> Held {
        match operand {
            Operand::Slot(slot) => self.slot(slot),
            Operand::Const(c) => self.constant(c),
        }
    }

    /// Whether two values are the same.
    fn same(a: &Held, b: &Held) -> Expr {
        if a.kind == b.kind { build::eq(Self::word(a), Self::word(b)) } else { build::bool(false) }
    }

    /// The word that a column must have; and a condition without which no row has it.
    pub fn key(&mut self, key: &Key, kind: SortKind) -> Made<(Expr, Option<Expr>)> {
        let held = match key {
            Key::Slot(slot) | Key::Equal { slot, .. } => self.slot(*slot),
            Key::Const(c) => self.constant(*c),
            Key::Linear(linear) => {
                let (sum, fits) = self.linear(linear);
                return Ok((build::cast(Scalar::U64, sum), fits));
            }
        };
        if kind == SortKind::Any {
            return Err(self.refuse_any(self.span()));
        }
        let fits = (held.kind != kind).then(|| build::bool(false));
        Ok((Self::word(&held), fits))
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
    pub fn step(&mut self, step: &Step) -> Made<()> {
        match step {
            Step::Load { slot, head, column } => {
                let held = self.column(*head, *column)?;
                self.bind(*slot, held);
            }
            Step::SameColumn { head, column, value } => {
                let held = self.column(*head, *column)?;
                let other = self.operand(*value);
                self.open_if(Self::same(&held, &other));
            }
            Step::Same { slot, value } => {
                let (held, other) = (self.slot(*slot), self.operand(*value));
                self.open_if(Self::same(&held, &other));
            }
            Step::Field { .. } | Step::Functor { .. } => return Err(refuse("a compound term", self.span())),
            Step::Test { test, .. } => {
                let (held, decided) = self.conjunct(test)?;
                let holds = op(BinaryOp::OrElse, not(decided), held.expr);
                self.open_if(holds);
            }
            // Only saves work: the condition is tested when all partners are there.
            Step::Prune { .. } => {}
            Step::Eval { slot, value, .. } => {
                let (held, decided) = self.conjunct(value)?;
                self.bind(*slot, held);
                if let Some(held) = &mut self.slots[slot.0 as usize] {
                    held.defined = (decided != build::bool(true)).then_some(decided);
                }
            }
            Step::Match { value, pattern, .. } => {
                let (held, decided) = self.conjunct(value)?;
                let matches = self.pattern(held, pattern)?;
                self.open_if(op(BinaryOp::OrElse, not(decided), matches));
            }
            Step::Fail { .. } => self.open_if(build::bool(false)),
        }
        Ok(())
    }

    /// A step of which only what it binds matters: the instance is known to be one.
    pub fn replay(&mut self, step: &Step) -> Made<()> {
        match step {
            Step::Load { .. } | Step::Eval { .. } => self.step(step),
            Step::Match { value, pattern, .. } => {
                let (held, _) = self.conjunct(value)?;
                self.pattern(held, pattern).map(|_| ())
            }
            Step::Field { .. } => Err(refuse("a compound term", self.span())),
            Step::Test { test, .. } if self.on_error == OnError::Note => self.conjunct(test).map(|_| ()),
            _ => Ok(()),
        }
    }

    /// A value that a pattern takes apart: binds its variables, says whether it matches.
    pub fn pattern(&mut self, held: Held, pattern: &rule::Pattern) -> Made<Expr> {
        Ok(match &pattern.kind {
            PatternKind::Wild => build::bool(true),
            PatternKind::Const(c) => Self::same(&held, &self.constant(*c)),
            PatternKind::Var(v) => match self.slots[v.0 as usize].clone() {
                Some(other) => Self::same(&held, &other),
                None => {
                    self.bind(SlotId(v.0), held);
                    build::bool(true)
                }
            },
            PatternKind::App { .. } => return Err(refuse("a compound term", pattern.span)),
        })
    }

    /// The value of a condition of the guard, and whether it has one.
    fn conjunct(&mut self, expr: &rule::Expr) -> Made<(Held, Expr)> {
        let mut defined = Vec::new();
        expr.walk(&mut |e| {
            if let rule::ExprKind::Var(v) = e.kind {
                defined.extend(self.slots[v.0 as usize].as_ref().and_then(|held| held.defined.clone()));
            }
        });
        let all_there = build::all(defined);
        if self.on_error == OnError::Note || !self.is_fallible(expr) {
            return Ok((self.expr(expr)?, all_there));
        }
        let flag = self.b.var("wrong", build::bool(false));
        self.flag = Some(flag.clone());
        let held = self.expr(expr)?;
        self.flag = None;
        self.failing.push(op(BinaryOp::AndAlso, all_there.clone(), flag.clone()));
        let decided = self.b.var("decided", op(BinaryOp::AndAlso, all_there, not(flag)));
        Ok((held, decided))
    }

    /// The value of an expression of a body, and whether it has none.
    pub fn goal(&mut self, expr: &rule::Expr) -> Made<(Held, Option<Expr>)> {
        if self.on_error == OnError::Note || !self.is_fallible(expr) {
            return Ok((self.expr(expr)?, None));
        }
        let flag = self.b.var("wrong", build::bool(false));
        self.flag = Some(flag.clone());
        let held = self.expr(expr)?;
        self.flag = None;
        Ok((held, Some(flag)))
    }

    /// Whether the operator is one whose template has a check.
    fn check(&self, op: Op, float: bool) -> Option<FunctionId> {
        let name = crate::codegen::checked_name(op, float)?;
        self.scene.module.function(&format!("{name}_wrong"))
    }

    fn is_fallible(&self, expr: &rule::Expr) -> bool {
        let mut found = false;
        expr.walk(&mut |e| {
            if let rule::ExprKind::Op { op, args } = &e.kind {
                let float = args.iter().any(|a| self.kind(a) == SortKind::Float);
                found |= self.check(*op, float).is_some();
            }
        });
        found
    }

    /// The value of an expression.
    pub fn expr(&mut self, expr: &rule::Expr) -> Made<Held> {
        match &expr.kind {
            rule::ExprKind::Var(v) => Ok(self.slot(SlotId(v.0))),
            rule::ExprKind::Const(c) => Ok(self.constant(*c)),
            rule::ExprKind::App { symbol, .. } => {
                let truth = self.scene.program.signature.booleans;
                if expr.sort != truth.sort {
                    return Err(refuse("a compound term", expr.span));
                }
                Ok(Held::sure(SortKind::Data, build::bool(*symbol == truth.true_symbol)))
            }
            rule::ExprKind::Repeat { .. } => Err(refuse("a compound term", expr.span)),
            rule::ExprKind::Op { op: Op::Both | Op::Either, args } => self.lazy(expr, args),
            rule::ExprKind::Op { op, args } => {
                let mut held = Vec::with_capacity(args.len());
                for arg in args {
                    held.push(self.expr(arg)?);
                }
                self.operator(*op, held, expr)
            }
        }
    }

    /// `&&` and `||`: the second operand is evaluated only when it matters.
    fn lazy(&mut self, expr: &rule::Expr, args: &[rule::Expr]) -> Made<Held> {
        let both = matches!(expr.kind, rule::ExprKind::Op { op: Op::Both, .. });
        let first = self.expr(&args[0])?;
        let result = self.b.var("holds", first.expr);
        self.b.begin();
        let second = self.expr(&args[1])?;
        self.b.assign(result.clone(), second.expr);
        self.b.end_if(if both { result.clone() } else { not(result.clone()) });
        Ok(Held::sure(SortKind::Data, result))
    }

    fn operator(&mut self, operator: Op, args: Vec<Held>, expr: &rule::Expr) -> Made<Held> {
        use SortKind::{Data, Float, Int};
        let result = self.kind(expr);
        let numeric = args.iter().all(|a| matches!(a.kind, Int | Float));
        let float = args.iter().any(|a| a.kind == Float);
        if operator.is_structural() {
            return self.structural(operator, &args, expr.span);
        }
        let truths = operator.is_logical() && args.iter().all(|a| a.kind == Data);
        if !(numeric || truths) || !matches!(result, Int | Float | Data) || operator == Op::Pow {
            return Err(refuse(&format!("the operator {} on these operands", operator.name()), expr.span));
        }
        if let ([a, b], true) = (&args[..], operator.is_test() && float)
            && a.kind != b.kind
        {
            return Ok(self.mixed_comparison(operator, a, b));
        }
        if operator == Op::Truncate && !float {
            return Ok(args[0].clone());
        }
        let scalar = |held: Held| match (held.kind, float) {
            (Int, true) => build::cast(Scalar::F64, held.expr),
            _ => held.expr,
        };
        let args: Vec<Expr> = args.into_iter().map(scalar).collect();
        let value = self.compute(operator, float, args, expr.span);
        Ok(Held::sure(result, value))
    }

    fn compute(&mut self, operator: Op, float: bool, args: Vec<Expr>, span: Span) -> Expr {
        let site = Site { rule: Some(self.rule), span };
        let error = self.scene.field(&self.p, "error");
        let module = self.scene.module;
        let checked = self.flag.clone().and_then(|flag| Some((flag, self.check(operator, float)?)));
        let Some((flag, check)) = checked else {
            let arithmetic = Arithmetic { module, error, sites: self.sites };
            return arithmetic.compute(&mut self.b, operator, float, args, site);
        };
        let args: Vec<Expr> = args.into_iter().map(|a| self.b.var("operand", a)).collect();
        let wrong = self.b.call("cause", module, check, args.clone());
        let ty = if float && operator != Op::Truncate { Type::F64 } else { Type::I64 };
        let value = self.b.declare("result", ty);
        self.b.begin();
        let computed = self.unnoted(operator, float, &args);
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
    fn unnoted(&mut self, operator: Op, float: bool, args: &[Expr]) -> Expr {
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
                let name = crate::codegen::checked_name(operator, float).unwrap_or_default();
                let function = self.scene.function(&format!("{name}_value"));
                self.b.call("value", self.scene.module, function, args.to_vec())
            }
        }
    }

    /// An integer and a float compare by value, exactly.
    fn mixed_comparison(&mut self, operator: Op, a: &Held, b: &Held) -> Held {
        let f = self.scene.function("compare_int_float");
        let (n, x, mirrored) = match a.kind {
            SortKind::Int => (a.expr.clone(), b.expr.clone(), false),
            _ => (b.expr.clone(), a.expr.clone(), true),
        };
        let order = self.b.call("order", self.scene.module, f, vec![n, x]);
        let (left, right) = if mirrored { (build::i64(0), order) } else { (order, build::i64(0)) };
        let comparison = match operator {
            Op::Eq => BinaryOp::Eq,
            Op::Ne => BinaryOp::Ne,
            Op::Lt => BinaryOp::Lt,
            Op::Le => BinaryOp::Le,
            Op::Gt => BinaryOp::Gt,
            _ => BinaryOp::Ge,
        };
        Held::sure(SortKind::Data, op(comparison, left, right))
    }

    /// Comparisons of values as they are, and type tests.
    fn structural(&mut self, operator: Op, args: &[Held], span: Span) -> Made<Held> {
        let kind = args[0].kind;
        let truth = |b: bool| build::bool(b);
        let expr = match (operator, args) {
            (Op::Same, [a, b]) => Self::same(a, b),
            (Op::Differ, [a, b]) => not(Self::same(a, b)),
            (Op::Before | Op::BeforeOrSame | Op::After | Op::AfterOrSame, [a, b])
                if a.kind == SortKind::Int && b.kind == SortKind::Int =>
            {
                let comparison = match operator {
                    Op::Before => BinaryOp::Lt,
                    Op::BeforeOrSame => BinaryOp::Le,
                    Op::After => BinaryOp::Gt,
                    _ => BinaryOp::Ge,
                };
                op(comparison, a.expr.clone(), b.expr.clone())
            }
            (Op::IsInteger, _) => truth(kind == SortKind::Int),
            (Op::IsFloat, _) => truth(kind == SortKind::Float),
            (Op::IsNumber, _) => truth(matches!(kind, SortKind::Int | SortKind::Float)),
            (Op::IsString, _) => truth(kind == SortKind::Str),
            (Op::IsAtomic, _) => truth(true),
            (Op::IsCompound, _) => truth(false),
            (Op::IsAtom | Op::IsCallable, _) if kind != SortKind::Atom => truth(false),
            _ => return Err(refuse(&format!("the operator {} on these operands", operator.name()), span)),
        };
        Ok(Held::sure(SortKind::Data, expr))
    }
}
