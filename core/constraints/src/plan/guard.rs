//! Conditions of a guard: what they use and bind, and which of them determine a key.
//!
//! **Placement.** A condition that cannot raise an error is tested as soon as its variables are bound. One that can (an
//! overflow, a division by zero, an operand of the wrong type) must raise it only when all partners are there and all
//! conditions before it hold: tried earlier it only prunes ([`super::Step::Prune`]), and it is tested again at the end.
//! So no order of joins invents an error; a condition that does not hold may hide the error of another one, as in
//! SWI-Prolog.

use super::failure::Failures;
use super::{Linear, Operand, SlotId, Step};
use crate::ir::vars::{expr_vars, pattern_vars};
use gchr_base::op::Op;
use gchr_base::rule::{Const, Expr, ExprKind, Goal, GoalKind, Rule, VarId};
use gchr_base::signature::{Signature, SortKind};

/// A condition with what the placement needs to know.
pub(super) struct Conjunct<'a> {
    pub goal: &'a Goal,
    pub uses: Vec<VarId>,
    pub binds: Vec<VarId>,
    pub can_fail: bool,
}

/// The conditions of a guard, in textual order.
pub(super) fn conjuncts<'a>(sig: &Signature, rule: &'a Rule) -> Vec<Conjunct<'a>> {
    let failures = Failures { sig, rule };
    let conjunct = |goal: &'a Goal| {
        let (mut uses, mut binds) = (Vec::new(), Vec::new());
        match &goal.kind {
            GoalKind::Test(test) => expr_vars(test, &mut uses),
            GoalKind::Bind { var, value } => {
                expr_vars(value, &mut uses);
                binds.push(*var);
            }
            GoalKind::Match { value, pattern } => {
                expr_vars(value, &mut uses);
                pattern_vars(pattern, &mut binds);
            }
            _ => {}
        }
        Conjunct { goal, uses, binds, can_fail: failures.of_goal(goal).contains(&true) }
    };
    rule.guard.iter().map(conjunct).collect()
}

impl Step {
    /// Slots that the step needs the value of. A variable that a taken-apart value is compared with counts too.
    pub(crate) fn reads(&self) -> Vec<SlotId> {
        let mut vars = Vec::new();
        let mut slots = Vec::new();
        match self {
            Step::Load { .. } | Step::Fail { .. } => {}
            Step::Field { of: slot, .. } | Step::Functor { slot, .. } => slots.push(*slot),
            Step::SameColumn { value: Operand::Slot(slot), .. } => slots.push(*slot),
            Step::SameColumn { .. } => {}
            Step::Same { slot, value } => {
                slots.push(*slot);
                if let Operand::Slot(other) = value {
                    slots.push(*other);
                }
            }
            Step::Test { test: e, .. } | Step::Prune { test: e, .. } | Step::Eval { value: e, .. } => {
                expr_vars(e, &mut vars);
            }
            Step::Match { value, pattern, .. } => {
                expr_vars(value, &mut vars);
                pattern_vars(pattern, &mut vars);
            }
        }
        slots.extend(vars.into_iter().map(|v| SlotId(v.0)));
        slots
    }
}

/// Solves a condition for a variable: a sum of other variables and a constant that the variable must equal.
///
/// Conditions that qualify: `A =:= B` where both sides are sums and differences of integer variables and constants (`A
/// == B` between variables and constants too), and the variable occurs once.
pub(super) fn solve(sig: &Signature, goal: &Goal, conjunct: usize, var: VarId) -> Option<Linear> {
    let GoalKind::Test(Expr { kind: ExprKind::Op { op, args }, .. }) = &goal.kind else { return None };
    let plain = |e: &Expr| matches!(e.kind, ExprKind::Var(_) | ExprKind::Const(_));
    if !(*op == Op::Eq || *op == Op::Same && args.iter().all(plain)) {
        return None;
    }
    let mut sum = Sum { sig, terms: Vec::new(), constant: 0 };
    sum.add(&args[0], false)?;
    sum.add(&args[1], true)?;
    let at = sum.terms.iter().position(|&(v, _)| v == var)?;
    let (_, negative) = sum.terms.swap_remove(at);
    if sum.terms.iter().any(|&(v, _)| v == var) {
        return None;
    }
    // var + rest = 0, or -var + rest = 0
    let terms = sum.terms.into_iter().map(|(v, minus)| (SlotId(v.0), minus == negative)).collect();
    let constant = if negative { sum.constant } else { sum.constant.checked_neg()? };
    Some(Linear { terms, constant, conjunct })
}

struct Sum<'a> {
    sig: &'a Signature,
    terms: Vec<(VarId, bool)>,
    constant: i64,
}

impl Sum<'_> {
    fn add(&mut self, expr: &Expr, minus: bool) -> Option<()> {
        if self.sig.kind(expr.sort) != SortKind::Int {
            return None;
        }
        match &expr.kind {
            ExprKind::Var(v) => self.terms.push((*v, minus)),
            ExprKind::Const(Const::Int(n)) => {
                self.constant =
                    if minus { self.constant.checked_sub(*n)? } else { self.constant.checked_add(*n)? };
            }
            ExprKind::Op { op: Op::Add, args } => {
                self.add(&args[0], minus)?;
                self.add(&args[1], minus)?;
            }
            ExprKind::Op { op: Op::Sub, args } => {
                self.add(&args[0], minus)?;
                self.add(&args[1], !minus)?;
            }
            ExprKind::Op { op: Op::Neg, args } => self.add(&args[0], !minus)?,
            _ => return None,
        }
        Some(())
    }
}

/// For `X == Y`, or `X =:= Y` on integers, between two variables of one sort: the other variable.
pub(super) fn equal_to(sig: &Signature, goal: &Goal, var: VarId) -> Option<VarId> {
    let GoalKind::Test(Expr { kind: ExprKind::Op { op, args }, .. }) = &goal.kind else { return None };
    let [Expr { kind: ExprKind::Var(a), sort: s, .. }, Expr { kind: ExprKind::Var(b), sort: t, .. }] =
        &args[..]
    else {
        return None;
    };
    let kind = sig.kind(*s);
    if s != t || !(*op == Op::Same || *op == Op::Eq && kind == SortKind::Int) {
        return None;
    }
    match () {
        () if *a == var && *b != var => Some(*b),
        () if *b == var && *a != var => Some(*a),
        () => None,
    }
}
