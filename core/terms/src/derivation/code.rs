//! Rules as straight code over slots: each subterm is evaluated once, arguments before what they are arguments of.

use std::collections::HashMap;

use super::Top;
use crate::plan::key::{ExprKey, shape};
use gchr_base::op::Op;
use gchr_base::rule::{Body, Const, Expr, ExprKind, Goal, GoalKind, Pattern, Rule, RuleId};
use gchr_base::signature::SymbolId;

/// A place for a term. Those of the variables come first.
pub(super) type Slot = u32;

/// A step.
pub(super) enum Ins<'a> {
    Number {
        dst: Slot,
        top: Top,
    },
    Apply {
        dst: Slot,
        symbol: SymbolId,
        args: Box<[Slot]>,
    },
    /// Applies a unary symbol so many times.
    Repeat {
        dst: Slot,
        symbol: SymbolId,
        count: u32,
        src: Slot,
    },
    Operate {
        dst: Slot,
        op: Op,
        args: [Slot; 2],
    },
    /// The first operand of a lazy operator decides, or the steps up to there evaluate the second one.
    Decide {
        dst: Slot,
        op: Op,
        src: Slot,
        to: usize,
    },
    Copy {
        dst: Slot,
        src: Slot,
    },
    /// The second operand, a truth value, is the result.
    Truth {
        dst: Slot,
        op: Op,
        first: Slot,
        src: Slot,
    },
    /// The rule applies only if this is true.
    Guard(Slot),
    /// The rule applies only if this matches; binds variables.
    Match {
        src: Slot,
        pattern: &'a Pattern,
    },
    /// The rule never applies.
    Fail,
    /// The rule is applied: what follows is its right-hand side.
    Fire,
    Return(Slot),
}

/// A rule.
pub(super) struct RuleCode<'a> {
    pub(super) rule: RuleId,
    pub(super) head: &'a [Pattern],
    pub(super) slots: usize,
    pub(super) code: Vec<Ins<'a>>,
}

impl<'a> RuleCode<'a> {
    pub(super) fn new(id: RuleId, rule: &'a Rule) -> Self {
        let head = rule.heads.first().map_or(&[][..], |head| head.atom.args());
        let mut writer = Writer { slots: rule.vars.len() as u32, code: Vec::new(), known: HashMap::new() };
        rule.guard.iter().for_each(|goal| writer.goal(goal));
        writer.code.push(Ins::Fire);
        writer.known.clear();
        if let Body::Replace(body) = &rule.body {
            let result = writer.expr(body);
            writer.code.push(Ins::Return(result));
        }
        Self { rule: id, head, slots: writer.slots as usize, code: writer.code }
    }
}

struct Writer<'a> {
    slots: u32,
    code: Vec<Ins<'a>>,
    /// Where the values of expressions are.
    known: HashMap<ExprKey<Slot>, Slot>,
}

impl<'a> Writer<'a> {
    fn fresh(&mut self) -> Slot {
        self.slots += 1;
        self.slots - 1
    }

    fn goal(&mut self, goal: &'a Goal) {
        match &goal.kind {
            GoalKind::Test(test) => self.condition(test),
            GoalKind::Bind { var, value } => {
                self.known.clear();
                let src = self.expr(value);
                self.code.push(Ins::Copy { dst: var.0, src });
            }
            GoalKind::Match { value, pattern } => {
                self.known.clear();
                let src = self.expr(value);
                self.code.push(Ins::Match { src, pattern });
            }
            GoalKind::Fail | GoalKind::Add { .. } | GoalKind::Write { .. } | GoalKind::Newline => {
                self.code.push(Ins::Fail);
            }
        }
    }

    /// Conjuncts are conditions of their own.
    fn condition(&mut self, test: &'a Expr) {
        if let ExprKind::Op { op: Op::Both, args } = &test.kind {
            args.iter().for_each(|arg| self.condition(arg));
            return;
        }
        self.known.clear();
        let src = self.expr(test);
        self.code.push(Ins::Guard(src));
    }

    /// Rules nest to a bounded depth.
    fn expr(&mut self, expr: &'a Expr) -> Slot {
        match &expr.kind {
            ExprKind::Var(var) => var.0,
            ExprKind::Const(Const::Int(n)) => self.number(ExprKey::Int(*n), Top::Int(*n)),
            ExprKind::Const(Const::Float(x)) => {
                self.number(ExprKey::Float(x.to_bits()), Top::Float(x.to_bits()))
            }
            // Terms have no texts.
            ExprKind::Const(Const::Atom(_) | Const::Str(_)) => {
                self.code.push(Ins::Fail);
                self.fresh()
            }
            ExprKind::App { symbol, args } => {
                let args: Vec<Slot> = args.iter().map(|arg| self.expr(arg)).collect();
                let key = ExprKey::App(*symbol, args.clone());
                self.once(key, |dst| Ins::Apply { dst, symbol: *symbol, args: args.into() })
            }
            &ExprKind::Repeat { symbol, count, ref arg } => {
                let src = self.expr(arg);
                let key = ExprKey::Repeat(symbol, count, src);
                self.once(key, |dst| Ins::Repeat { dst, symbol, count, src })
            }
            ExprKind::Op { op: op @ (Op::Both | Op::Either), args } => self.junction(*op, &args[0], &args[1]),
            &ExprKind::Op { op, ref args } => {
                let first = self.expr(&args[0]);
                let second = args.get(1).map_or(first, |arg| self.expr(arg));
                let args = [first, second];
                self.once(ExprKey::Op(op, args.to_vec()), |dst| Ins::Operate { dst, op, args })
            }
        }
    }

    fn number(&mut self, key: ExprKey<Slot>, top: Top) -> Slot {
        self.once(key, |dst| Ins::Number { dst, top })
    }

    /// The slot of an equal expression, or a fresh one that a step fills.
    fn once(&mut self, key: ExprKey<Slot>, step: impl FnOnce(Slot) -> Ins<'a>) -> Slot {
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let dst = self.fresh();
        self.code.push(step(dst));
        self.known.insert(key, dst);
        dst
    }

    fn junction(&mut self, op: Op, a: &'a Expr, b: &'a Expr) -> Slot {
        let first = self.expr(a);
        let key = ExprKey::Junction(op, first, shape(b));
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let dst = self.fresh();
        let decide = self.code.len();
        self.code.push(Ins::Fail);
        // What the second operand evaluates is not known outside.
        let known = self.known.clone();
        let src = self.expr(b);
        self.known = known;
        self.code.push(Ins::Truth { dst, op, first, src });
        self.code[decide] = Ins::Decide { dst, op, src: first, to: self.code.len() };
        self.known.insert(key, dst);
        dst
    }
}
