//! Monotone rules: they keep all their heads and have a body that only adds, so that rounds of them need no claims and no order.
//!
//! A table is *monotone* if every general rule that reads it is a propagation rule over monotone tables whose guard and body are total
//! and whose body adds to monotone tables only. Rounds that start from monotone tables stay in monotone tables, and their result does
//! not depend on the order in which instances fire (`docs/semantics.md`).

use crate::ir::classes::Monotone;
use crate::ir::{ChrPlan, Join, Step};
use gchr_base::ids::IdVec;
use gchr_base::rule::{Expr, ExprKind, GoalKind, Role, RuleId};
use gchr_base::signature::{ConstraintId, SortKind};

/// The monotone tables of a plan, or why their rounds have no fast path.
pub(crate) fn recognise(plan: &ChrPlan) -> Result<Monotone, String> {
    let tables = monotone_tables(plan);
    let added = added_tables(plan, &tables);
    if !added.iter().any(|&a| a) {
        return Err("no rule only adds to tables that such rules read".into());
    }
    let linked = linked_tables(plan, &tables, &added);
    Ok(Monotone { tables, added, linked })
}

/// By table, whether the order of what follows from its new constraints cannot be told.
pub(crate) fn any_order(plan: &ChrPlan) -> IdVec<ConstraintId, bool> {
    monotone_tables(plan)
}

/// The greatest set of tables that are candidates and read by monotone rules only. A rule is looked at again when it loses a table.
fn monotone_tables(plan: &ChrPlan) -> IdVec<ConstraintId, bool> {
    let mut tables = candidates(plan);
    let mut users: IdVec<ConstraintId, Vec<RuleId>> = plan.tables.iter().map(|_| Vec::new()).collect();
    for (id, rule) in plan.general_rules() {
        rule.heads.iter().map(|h| h.constraint).chain(rule.added()).for_each(|c| users[c].push(id));
    }
    let mut pending: Vec<RuleId> = plan.general_rules().map(|(id, _)| id).collect();
    let mut is_other: IdVec<RuleId, bool> = plan.rules.iter().map(|_| false).collect();
    while let Some(rule) = pending.pop() {
        if is_other[rule] || is_monotone_rule(plan, rule, &tables) {
            continue;
        }
        is_other[rule] = true;
        for head in &plan.rules[rule].heads {
            if std::mem::replace(&mut tables[head.constraint], false) {
                pending.append(&mut users[head.constraint]);
            }
        }
    }
    tables
}

/// The tables to which rules over monotone tables add.
pub(in crate::class) fn added_tables(
    plan: &ChrPlan,
    tables: &IdVec<ConstraintId, bool>,
) -> IdVec<ConstraintId, bool> {
    let mut added: IdVec<ConstraintId, bool> = plan.tables.ids().map(|_| false).collect();
    let fires = |rule: &crate::ir::RulePlan| rule.heads.iter().all(|h| tables[h.constraint]);
    plan.general_rules()
        .filter(|(_, rule)| fires(rule))
        .flat_map(|(_, rule)| rule.added())
        .for_each(|c| added[c] = true);
    added
}

/// The tables in which a constraint that is added looks by a key for others that are added.
pub(in crate::class) fn linked_tables(
    plan: &ChrPlan,
    tables: &IdVec<ConstraintId, bool>,
    added: &IdVec<ConstraintId, bool>,
) -> IdVec<ConstraintId, bool> {
    let mut linked: IdVec<ConstraintId, bool> = plan.tables.ids().map(|_| false).collect();
    let is_keyed = |j: &&Join| !plan.tables[j.constraint].indexes[j.index].columns.is_empty();
    plan.occurrences
        .iter()
        .filter(|o| plan.is_general(o.rule) && tables[o.constraint] && added[o.constraint])
        .flat_map(|o| o.joins.iter().filter(is_keyed))
        .filter(|join| added[join.constraint])
        .for_each(|join| linked[join.constraint] = true);
    linked
}

/// The tables of which the classes of rules allow that they are monotone: sets of integers, and those without a class.
pub(in crate::class) fn candidates(plan: &ChrPlan) -> IdVec<ConstraintId, bool> {
    let mut candidates: IdVec<ConstraintId, bool> = plan.tables.iter().map(|_| true).collect();
    for replacement in &plan.classes.replacements {
        plan.rules[replacement.rule].heads.iter().for_each(|h| candidates[h.constraint] = false);
    }
    for reduction in &plan.classes.reductions {
        let columns = &plan.tables[reduction.constraint].columns;
        // A set of integers has a bit for each key.
        candidates[reduction.constraint] &= reduction.best.is_none()
            && reduction.key.len() == columns.len()
            && columns.iter().all(|c| c.kind == SortKind::Int);
    }
    plan.classes.divisors.iter().for_each(|d| candidates[d.constraint] = false);
    candidates
}

/// Whether a rule keeps all its heads, over monotone tables, is total, and adds to monotone tables only.
pub(in crate::class) fn is_monotone_rule(
    plan: &ChrPlan,
    rule: RuleId,
    tables: &IdVec<ConstraintId, bool>,
) -> bool {
    let rule_plan = &plan.rules[rule];
    let kept = rule_plan.heads.iter().all(|h| h.role == Role::Kept && tables[h.constraint]);
    let mut occurrences = plan.occurrences_of(rule);
    let Some(occurrence) = plan.occurrences_of(rule).next() else {
        return kept && rule_plan.body.is_empty();
    };
    let body = rule_plan.body.iter().all(|goal| match &goal.kind {
        GoalKind::Bind { value, .. } => !builds_terms(value),
        GoalKind::Add { constraint, args } => {
            // Columns of any kind hold tagged words, which fast paths do not make.
            let is_typed = plan.tables[*constraint].columns.iter().all(|c| c.kind != SortKind::Any);
            tables[*constraint] && is_typed && !args.iter().any(builds_terms)
        }
        _ => false,
    });
    let total = rule_plan.can_fail.iter().flatten().all(|fails| !fails);
    let typed = occurrence.slots.iter().all(|slot| slot.kind != SortKind::Any);
    let words = is_keyed_by_words(plan, rule);
    kept && body && total && typed && !words && occurrences.all(|o| o.steps().all(is_total))
}

/// Whether rows are sought by a key in columns of any kind: such a key is a tagged word, and a number in it may need a cell.
fn is_keyed_by_words(plan: &ChrPlan, rule: RuleId) -> bool {
    plan.occurrences_of(rule).flat_map(|o| &o.joins).any(|join| {
        let table = &plan.tables[join.constraint];
        table.indexes[join.index].columns.iter().any(|&c| table.columns[c].kind == SortKind::Any)
    })
}

fn is_total(step: &Step) -> bool {
    match step {
        Step::Test { test: value, can_fail, .. }
        | Step::Eval { value, can_fail, .. }
        | Step::Match { value, can_fail, .. } => !can_fail && !builds_terms(value),
        Step::Field { .. } | Step::Functor { .. } => false,
        _ => true,
    }
}

fn builds_terms(expr: &Expr) -> bool {
    let mut builds = false;
    expr.walk(&mut |e| match &e.kind {
        ExprKind::App { args, .. } => builds |= !args.is_empty(),
        ExprKind::Repeat { .. } => builds = true,
        _ => {}
    });
    builds
}
