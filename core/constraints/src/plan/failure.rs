//! Which expressions can be without a value: decided here for guards, bodies and kernels alike.

use crate::ir::typing;
use gchr_base::op::Op;
use gchr_base::rule::{Const, Expr, ExprKind, Goal, GoalKind, Rule, VarId};
use gchr_base::signature::{Signature, SortKind};

/// Whether an operator on operands of these kinds, with results of this kind, can be without a result
/// ([`Op::can_fail`]).
///
/// Results of kind `Any` are tagged when the program runs, on the path on which every computation is checked.
pub fn operator_can_fail(op: Op, operands: &[SortKind], result: SortKind) -> bool {
    let computes = !op.is_structural() && !op.is_logical();
    let is_tagged = !matches!(result, SortKind::Int | SortKind::Float | SortKind::Data);
    (computes && is_tagged) || op.can_fail(operands)
}

/// What the failures of a rule's expressions depend on.
#[derive(Clone, Copy)]
pub(super) struct Failures<'a> {
    pub sig: &'a Signature,
    pub rule: &'a Rule,
}

impl Failures<'_> {
    /// Whether the expression can be without a value, or with one that is not of the kind that is to be stored.
    pub fn can_fail(self, expr: &Expr, stored: Option<SortKind>) -> bool {
        let mut fails = stored.is_some_and(|kind| kind != SortKind::Any && kind != self.kind(expr));
        expr.walk(&mut |e| {
            if let ExprKind::Op { op, args } = &e.kind {
                let operands: Vec<SortKind> = args.iter().map(|a| self.kind(a)).collect();
                fails |= operator_can_fail(*op, &operands, self.sig.kind(e.sort));
            }
        });
        fails
    }

    /// Whether each expression of a goal can fail, in the order in which they are written.
    pub fn of_goal(self, goal: &Goal) -> Vec<bool> {
        match &goal.kind {
            GoalKind::Test(value) | GoalKind::Match { value, .. } | GoalKind::Write { value, .. } => {
                vec![self.can_fail(value, None)]
            }
            GoalKind::Bind { var, value } => vec![self.can_fail(value, Some(self.kind_of_var(*var)))],
            GoalKind::Add { constraint, args } => {
                let columns = &self.sig.constraints[*constraint].columns;
                let kinds = columns.iter().map(|c| self.sig.kind(c.sort));
                let checked = |column, arg| {
                    typing::unproved(self.sig, Some(self.rule), *constraint, column, arg).is_some()
                };
                let fails = |(column, (arg, kind))| self.can_fail(arg, Some(kind)) || checked(column, arg);
                args.iter().zip(kinds).enumerate().map(fails).collect()
            }
            GoalKind::Fail | GoalKind::Newline => Vec::new(),
        }
    }

    fn kind_of_var(self, var: VarId) -> SortKind {
        self.sig.kind(self.rule.vars[var].sort)
    }

    /// What the values of an expression are.
    fn kind(self, expr: &Expr) -> SortKind {
        match &expr.kind {
            ExprKind::Var(var) => self.kind_of_var(*var),
            ExprKind::Const(Const::Int(_)) => SortKind::Int,
            ExprKind::Const(Const::Float(_)) => SortKind::Float,
            ExprKind::Const(Const::Atom(_)) => SortKind::Atom,
            ExprKind::Const(Const::Str(_)) => SortKind::Str,
            ExprKind::Repeat { .. } => SortKind::Any,
            ExprKind::App { .. } | ExprKind::Op { .. } => self.sig.kind(expr.sort),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sign_of_an_integer_is_total_and_that_of_any_value_is_not() {
        assert!(!operator_can_fail(Op::Sign, &[SortKind::Int], SortKind::Int));
        assert!(operator_can_fail(Op::Sign, &[SortKind::Any], SortKind::Any));
    }
}
