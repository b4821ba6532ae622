//! Greatest common divisors: Euclid's algorithm as two rules, `c(.., 0) <=> true` and
//! `c(.., N) \ c(.., M) <=> 0 < N, N =< M | L is M mod N, c(.., L)`, which alone look at `c`.

use crate::class::reduction::recognise::{occurrences, pair, variable};
use crate::class::{Divisor, RulesOver};
use gchr_base::op::Op;
use gchr_base::rule::{
    Body, Const, Expr, ExprKind, Goal, GoalKind, HeadAtom, Pattern, PatternKind, Program, Role, Rule, RuleId,
    VarId,
};
use gchr_base::signature::{ConstraintId, SortKind};

/// The class of a rule that takes steps of Euclid's algorithm, or why it has none; nothing for other rules.
pub(in crate::class) fn recognise(
    program: &Program,
    over: &RulesOver,
    id: RuleId,
    rule: &Rule,
) -> Option<Result<Divisor, String>> {
    let step = step(program, rule)?;
    Some(check(program, over, id, rule, step))
}

/// A rule that replaces the value of one of two constraints by a remainder.
struct Step {
    constraint: ConstraintId,
    key: Vec<usize>,
    column: usize,
    /// Value that is kept, and value that is replaced.
    values: (VarId, VarId),
}

fn step(program: &Program, rule: &Rule) -> Option<Step> {
    let [kept, removed] = pair(rule)?;
    let HeadAtom::Constraint { constraint, args: kept } = &kept.atom else { return None };
    let HeadAtom::Constraint { constraint: other, args: removed } = &removed.atom else { return None };
    let Body::Goals(goals) = &rule.body else { return None };
    let [
        Goal { kind: GoalKind::Bind { var, value: rest }, .. },
        Goal { kind: GoalKind::Add { constraint: added, args }, .. },
    ] = goals.as_slice()
    else {
        return None;
    };
    if constraint != other || constraint != added {
        return None;
    }
    let ExprKind::Op { op: Op::Mod | Op::Rem | Op::Sub, args: operands } = &rest.kind else { return None };
    let [m, n] = operands.as_slice() else { return None };
    let values = (read(n)?, read(m)?);
    let (mut key, mut column) = (Vec::new(), None);
    for (at, ((k, r), arg)) in kept.iter().zip(removed).zip(args).enumerate() {
        let (k, r, arg) = (variable(k)?, variable(r)?, read(arg)?);
        let uses = |v| occurrences(kept, v) + occurrences(removed, v);
        if k == r && arg == k && uses(k) == 2 {
            key.push(at);
        } else if (k, r) == values && arg == *var && uses(k) + uses(r) == 2 && column.is_none() {
            column = Some(at);
        } else {
            return None;
        }
    }
    let column = column?;
    let int = program.signature.kind(kept[column].sort) == SortKind::Int;
    int.then_some(Step { constraint: *constraint, key, column, values })
}

fn check(
    program: &Program,
    over: &RulesOver,
    id: RuleId,
    rule: &Rule,
    step: Step,
) -> Result<Divisor, String> {
    let Step { constraint, key, column, values: (n, m) } = step;
    let ordered = |e: &Expr| compares(e, n, m);
    let tests: Vec<&Expr> = rule
        .guard
        .iter()
        .map(|goal| match &goal.kind {
            GoalKind::Test(test) => Ok(test),
            _ => Err("its guard is more than comparisons".to_string()),
        })
        .collect::<Result<_, _>>()?;
    if !tests.iter().any(|t| ordered(t)) || !tests.iter().all(|t| ordered(t) || is_positive(t, n)) {
        return Err("its guard is not 0 < N, N =< M with N kept and M removed".into());
    }
    if !tests.iter().any(|t| is_positive(t, n)) {
        return Err(
            "it also takes negative numbers, with which it may go on for ever: its guard lacks 0 < N".into(),
        );
    }
    let symbol = program.signature.constraint_name(constraint);
    match *over.rules(constraint) {
        [zero, own] if own == id && drops_zero(&program.rules[zero], constraint, column) => {
            Ok(Divisor { rule: id, zero, constraint, key, column })
        }
        _ => Err(format!("the rules over {symbol} are not one that drops zeros and, behind it, this one")),
    }
}

/// `n =< m`.
fn compares(test: &Expr, n: VarId, m: VarId) -> bool {
    let ExprKind::Op { op, args } = &test.kind else { return false };
    let [a, b] = args.as_slice() else { return false };
    match op {
        Op::Le => (read(a), read(b)) == (Some(n), Some(m)),
        Op::Ge => (read(a), read(b)) == (Some(m), Some(n)),
        _ => false,
    }
}

/// `0 < n`.
fn is_positive(test: &Expr, n: VarId) -> bool {
    let ExprKind::Op { op, args } = &test.kind else { return false };
    let [a, b] = args.as_slice() else { return false };
    let zero = |e: &Expr| e.kind == ExprKind::Const(Const::Int(0));
    match op {
        Op::Lt => zero(a) && read(b) == Some(n),
        Op::Gt => read(a) == Some(n) && zero(b),
        _ => false,
    }
}

/// `c(.., 0) <=> true`.
fn drops_zero(rule: &Rule, constraint: ConstraintId, column: usize) -> bool {
    let [head] = rule.heads.as_slice() else { return false };
    let HeadAtom::Constraint { constraint: c, args } = &head.atom else { return false };
    let empty = rule.guard.is_empty() && matches!(&rule.body, Body::Goals(goals) if goals.is_empty());
    let any = |p: &Pattern| match p.kind {
        PatternKind::Wild => true,
        PatternKind::Var(v) => occurrences(args, v) == 1,
        _ => false,
    };
    let fits = |(at, p): (usize, &Pattern)| match at == column {
        true => p.kind == PatternKind::Const(Const::Int(0)),
        false => any(p),
    };
    *c == constraint && head.role == Role::Removed && empty && args.iter().enumerate().all(fits)
}

fn read(expr: &Expr) -> Option<VarId> {
    match expr.kind {
        ExprKind::Var(v) => Some(v),
        _ => None,
    }
}
