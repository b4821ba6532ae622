//! Reductions on insertion: `c(..) \ c(..) <=> guard | true`, before every other rule over `c`.

use crate::class::{Best, BestOrder, Reduction, RulesOver};
use gchr_base::op::Op;
use gchr_base::rule::{
    Body, ExprKind, GoalKind, Head, HeadAtom, Pattern, PatternKind, Program, Role, Rule, RuleId, VarId,
};
use gchr_base::signature::SortKind;

/// The reduction that a rule is, or why it is none.
pub(in crate::class) fn recognise(
    program: &Program,
    over: &RulesOver,
    id: RuleId,
    rule: &Rule,
) -> Result<Reduction, String> {
    let reduction = anywhere(program, id, rule)?;
    match over.rules(reduction.constraint).first() {
        Some(&first) if first != id => {
            let symbol = program.signature.constraint_name(reduction.constraint);
            Err(format!("{} comes first over {symbol}", program.rule_name(first)))
        }
        _ => Ok(reduction),
    }
}

/// The reduction that a rule would be if it came before all others over its constraint, or why it is none anywhere.
pub(crate) fn anywhere(program: &Program, id: RuleId, rule: &Rule) -> Result<Reduction, String> {
    let [kept, removed] = pair(rule).ok_or("it has not one kept and one removed head")?;
    let (
        HeadAtom::Constraint { constraint, args: kept },
        HeadAtom::Constraint { constraint: other, args: removed },
    ) = (&kept.atom, &removed.atom)
    else {
        return Err("its heads are no constraints".into());
    };
    if constraint != other {
        return Err("its heads have different symbols".into());
    }
    if !matches!(&rule.body, Body::Goals(goals) if goals.is_empty()) {
        return Err("its body is not empty".into());
    }
    let best = best(program, rule)?;
    let mut key = Vec::new();
    let mut value = None;
    for (column, (k, r)) in kept.iter().zip(removed).enumerate() {
        let uses = |p: &Pattern| variable(p).map_or(0, |v| occurrences(kept, v) + occurrences(removed, v));
        match (variable(k), variable(r), &best) {
            (Some(a), Some(b), _) if a == b && uses(k) == 2 => key.push(column),
            (Some(a), Some(b), Some((good, bad, _))) if (a, b) == (*good, *bad) && uses(k) + uses(r) == 2 => {
                value = Some(column);
            }
            _ if free(k, uses(k), &best) && free(r, uses(r), &best) => {}
            _ => return Err(format!("column {} is neither key nor value nor free", column + 1)),
        }
    }
    let best = match (best, value) {
        (None, _) => None,
        (Some((_, _, order)), Some(column)) => Some(Best { column, order }),
        (Some(_), None) => return Err("its guard compares no column with itself".into()),
    };
    Ok(Reduction { rule: id, constraint: *constraint, key, best, index: 0 })
}

/// The kept and the removed head of a rule with one of each.
pub(in crate::class) fn pair(rule: &Rule) -> Option<[&Head; 2]> {
    match rule.heads.as_slice() {
        [a, b] if (a.role, b.role) == (Role::Kept, Role::Removed) => Some([a, b]),
        [a, b] if (a.role, b.role) == (Role::Removed, Role::Kept) => Some([b, a]),
        _ => None,
    }
}

/// The variables that the guard compares, the better one first; `None` without guard.
fn best(program: &Program, rule: &Rule) -> Result<Option<(VarId, VarId, BestOrder)>, String> {
    let goal = match rule.guard.as_slice() {
        [] => return Ok(None),
        [goal] => goal,
        _ => return Err("its guard is more than one comparison".into()),
    };
    let other = || "its guard is not A =< B or A >= B with A kept and B removed".to_string();
    let GoalKind::Test(test) = &goal.kind else { return Err(other()) };
    let ExprKind::Op { op, args } = &test.kind else { return Err(other()) };
    let [a, b] = args.as_slice() else { return Err(other()) };
    let (ExprKind::Var(x), ExprKind::Var(y)) = (&a.kind, &b.kind) else { return Err(other()) };
    let kinds = (program.signature.kind(a.sort), program.signature.kind(b.sort));
    if !matches!(kinds, (SortKind::Int, SortKind::Int) | (SortKind::Float, SortKind::Float)) {
        return Err("its guard does not compare integers or floats of declared columns".into());
    }
    let kept = |v: VarId| {
        rule.heads
            .iter()
            .any(|h| h.role == Role::Kept && h.atom.args().iter().any(|p| variable(p) == Some(v)))
    };
    match (op, kept(*x), kept(*y)) {
        (Op::Le, true, false) => Ok(Some((*x, *y, BestOrder::Least))),
        (Op::Ge, true, false) => Ok(Some((*x, *y, BestOrder::Greatest))),
        (Op::Ge, false, true) => Ok(Some((*y, *x, BestOrder::Least))),
        (Op::Le, false, true) => Ok(Some((*y, *x, BestOrder::Greatest))),
        _ => Err(other()),
    }
}

pub(in crate::class) fn variable(pattern: &Pattern) -> Option<VarId> {
    match pattern.kind {
        PatternKind::Var(v) => Some(v),
        _ => None,
    }
}

pub(in crate::class) fn occurrences(args: &[Pattern], var: VarId) -> usize {
    let mut count = 0;
    let mut visit = |p: &Pattern| count += usize::from(p.kind == PatternKind::Var(var));
    args.iter().for_each(|p| p.walk(&mut |p| visit(p)));
    count
}

/// Whether a pattern takes any value and nothing else depends on it.
fn free(pattern: &Pattern, uses: usize, best: &Option<(VarId, VarId, BestOrder)>) -> bool {
    let compared = |v: VarId| best.is_some_and(|(a, b, _)| v == a || v == b);
    match pattern.kind {
        PatternKind::Wild => true,
        PatternKind::Var(v) => uses == 1 && !compared(v),
        _ => false,
    }
}
