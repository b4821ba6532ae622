//! Monotone rules: they keep all their heads and have a body that only adds, so that rounds of them need no claims and no order.
//!
//! A table is *monotone* if every general rule that reads it is a propagation rule over monotone tables whose guard and body are total
//! and whose body adds to monotone tables only. Rounds that start from monotone tables stay in monotone tables, and their result does
//! not depend on the order in which instances fire (`docs/semantics.md`).

use crate::ir::classes::Monotone;
use crate::ir::{ChrPlan, Occurrence, Step};
use gchr_base::ids::IdVec;
use gchr_base::rule::{Expr, ExprKind, GoalKind, Role, RuleId};
use gchr_base::signature::{ConstraintId, SortKind};

/// The monotone tables of a plan, or why their rounds have no fast path.
pub(crate) fn recognise(plan: &ChrPlan) -> Result<Monotone, String> {
    let mut tables: IdVec<ConstraintId, bool> = plan.tables.ids().map(|t| is_candidate(plan, t)).collect();
    loop {
        let other = |rule: RuleId| !is_monotone_rule(plan, rule, &tables);
        let heads = plan.general_rules().filter(|(id, _)| other(*id)).flat_map(|(_, rule)| &rule.heads);
        let lost: Vec<ConstraintId> = heads.map(|h| h.constraint).filter(|&c| tables[c]).collect();
        if lost.is_empty() {
            break;
        }
        lost.into_iter().for_each(|c| tables[c] = false);
    }
    let added = added_tables(plan, &tables);
    let found = Monotone { tables, added };
    if !found.added.iter().any(|&a| a) {
        return Err("no rule only adds to tables that such rules read".into());
    }
    match maintained_index(plan, &found) {
        Some(o) => {
            let (rule, table) = (&plan.rules[o.rule].name, &plan.tables[o.constraint].name);
            Err(format!("{rule} joins {table} by an index with constraints that are added"))
        }
        None => Ok(found),
    }
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

/// An occurrence that would need an index over rows that are added: the fast path builds indexes only once.
pub(in crate::class) fn maintained_index<'a>(
    plan: &'a ChrPlan,
    found: &'a Monotone,
) -> Option<&'a Occurrence> {
    found.occurrences(plan).find(|o| {
        let keyed = |j: &&crate::ir::Join| !plan.tables[j.constraint].indexes[j.index].columns.is_empty();
        found.added[o.constraint] && o.joins.iter().filter(keyed).any(|j| found.added[j.constraint])
    })
}

/// Whether the classes of other rules allow that a table is monotone: it is a set of integers or has no class at all.
pub(in crate::class) fn is_candidate(plan: &ChrPlan, table: ConstraintId) -> bool {
    let columns = &plan.tables[table].columns;
    let read_by = |rule: RuleId| plan.rules[rule].heads.iter().any(|h| h.constraint == table);
    let replaced = plan.classes.replacements.iter().any(|r| read_by(r.rule));
    // A set of integers has a bit for each key.
    let set = plan.classes.reduction_of(table).is_none_or(|r| {
        r.best.is_none() && r.key.len() == columns.len() && columns.iter().all(|c| c.kind == SortKind::Int)
    });
    set && !replaced && plan.classes.divisor_of(table).is_none()
}

/// Whether a rule keeps all its heads, over monotone tables, is total, and adds to monotone tables only.
pub(in crate::class) fn is_monotone_rule(
    plan: &ChrPlan,
    rule: RuleId,
    tables: &IdVec<ConstraintId, bool>,
) -> bool {
    let rule_plan = &plan.rules[rule];
    let kept = rule_plan.heads.iter().all(|h| h.role == Role::Kept && tables[h.constraint]);
    let mut occurrences = plan.occurrences.iter().filter(|o| o.rule == rule);
    let Some(occurrence) = occurrences.clone().next() else {
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
    kept && body && total && typed && occurrences.all(|o| o.steps().all(is_total))
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
