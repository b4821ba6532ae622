//! Which variables occur in parts of rules.

use gchr_base::rule::{Expr, ExprKind, Goal, GoalKind, Pattern, PatternKind, VarId};

/// Adds the variables of an expression.
pub(crate) fn expr_vars(expr: &Expr, vars: &mut Vec<VarId>) {
    expr.walk(&mut |e| {
        if let ExprKind::Var(v) = e.kind {
            vars.push(v);
        }
    });
}

/// Adds the variables of a pattern.
pub(crate) fn pattern_vars(pattern: &Pattern, vars: &mut Vec<VarId>) {
    pattern.walk(&mut |p| {
        if let PatternKind::Var(v) = p.kind {
            vars.push(v);
        }
    });
}

/// Adds the variables that a goal uses.
pub(crate) fn goal_vars(goal: &Goal, vars: &mut Vec<VarId>) {
    match &goal.kind {
        GoalKind::Test(e) | GoalKind::Bind { value: e, .. } | GoalKind::Write { value: e, .. } => {
            expr_vars(e, vars)
        }
        GoalKind::Match { value, pattern } => {
            expr_vars(value, vars);
            pattern_vars(pattern, vars);
        }
        GoalKind::Add { args, .. } => args.iter().for_each(|a| expr_vars(a, vars)),
        GoalKind::Fail | GoalKind::Newline => {}
    }
}
