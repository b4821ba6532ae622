//! Monotone rules: they keep all their heads and have a body that only adds, so that rounds of them need no claims and
//! no order.
//!
//! A table is *monotone* if every general rule that reads it is a propagation rule over monotone tables whose guard and
//! body are total and whose body adds to monotone tables only. Rounds that start from monotone tables stay in monotone
//! tables, and their result does not depend on the order in which instances fire (`docs/semantics.md`).

use std::collections::VecDeque;

use crate::ir::classes::{Monotone, Reduction, Verdict};
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

/// What keeps rules and tables from being monotone.
pub(in crate::class) struct Obstacles {
    /// Of each rule; one of its own if it has any, else one that other rules make.
    pub rules: IdVec<RuleId, Option<Obstacle>>,
    /// For each table that could be monotone the first rule that reads it and is not.
    pub readers: IdVec<ConstraintId, Option<RuleId>>,
}

/// What keeps the rules and tables of a plan from being monotone.
pub(in crate::class) fn obstacles(plan: &ChrPlan) -> Obstacles {
    let candidates = candidates(plan);
    let own: IdVec<RuleId, _> = plan.rules.ids().map(|rule| obstacle(plan, rule, &candidates)).collect();
    let mut rules = own.clone();
    let mut readers: IdVec<ConstraintId, Option<RuleId>> = candidates.iter().map(|_| None).collect();
    // From the rules with obstacles of their own to those which read their tables or add to them, and so on: so a rule
    // is told what was there before it, not what it does itself.
    let (users, mut kept) = (users(plan), candidates.clone());
    let mut pending: VecDeque<RuleId> =
        plan.general_rules().map(|(id, _)| id).filter(|id| rules[*id].is_some()).collect();
    while let Some(id) = pending.pop_front() {
        for head in plan.rules[id].heads.iter().filter(|h| candidates[h.constraint]) {
            readers[head.constraint].get_or_insert(id);
            if !std::mem::replace(&mut kept[head.constraint], false) {
                continue;
            }
            for &user in &users[head.constraint] {
                if rules[user].is_none() {
                    rules[user] = obstacle(plan, user, &kept);
                    pending.extend(rules[user].map(|_| user));
                }
            }
        }
    }
    Obstacles { rules, readers }
}

/// By table, whether the order of what follows from its new constraints cannot be told: the rules that read it would be
/// monotone if tables that keep the best of a key were.
pub(crate) fn any_order(plan: &ChrPlan) -> IdVec<ConstraintId, bool> {
    closed(plan, unordered(plan))
}

/// The greatest set of tables that may be monotone and are read by monotone rules only.
fn monotone_tables(plan: &ChrPlan) -> IdVec<ConstraintId, bool> {
    closed(plan, candidates(plan))
}

/// The greatest set of these tables that are read only by rules which keep all their heads, over such tables, are total
/// and add to such tables only. A rule is looked at again when it loses a table.
fn closed(plan: &ChrPlan, mut tables: IdVec<ConstraintId, bool>) -> IdVec<ConstraintId, bool> {
    let mut users = users(plan);
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

/// By table, the general rules that read it or add to it.
fn users(plan: &ChrPlan) -> IdVec<ConstraintId, Vec<RuleId>> {
    let mut users: IdVec<ConstraintId, Vec<RuleId>> = plan.tables.iter().map(|_| Vec::new()).collect();
    for (id, rule) in plan.general_rules() {
        rule.heads.iter().map(|h| h.constraint).chain(rule.added()).for_each(|c| users[c].push(id));
    }
    users
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
    // A set of integers has a bit for each key.
    tables_whose_reductions(plan, |reduction| reduction.best.is_none())
}

/// The tables of which the classes of rules allow that the order of their constraints cannot be told: of constraints
/// that meet in a reduction the same one stays in any order, and others are equal to it.
fn unordered(plan: &ChrPlan) -> IdVec<ConstraintId, bool> {
    tables_whose_reductions(plan, |_| true)
}

/// The tables of integers with reductions of some kind in which no column is beside the key and the value that is best,
/// and the tables without a class.
fn tables_whose_reductions(plan: &ChrPlan, fits: impl Fn(&Reduction) -> bool) -> IdVec<ConstraintId, bool> {
    let mut candidates: IdVec<ConstraintId, bool> = plan.tables.iter().map(|_| true).collect();
    for (rule, verdict) in plan.classes.verdicts.iter_enumerated() {
        match verdict {
            Verdict::General { .. } => {}
            Verdict::Reduction(at) => {
                let reduction = &plan.classes.reductions[*at];
                let columns = &plan.tables[reduction.constraint].columns;
                candidates[reduction.constraint] &= fits(reduction)
                    && reduction.key.len() + usize::from(reduction.best.is_some()) == columns.len()
                    && columns.iter().all(|c| c.kind == SortKind::Int);
            }
            Verdict::Replacement(_) | Verdict::Divisor(_) => {
                plan.rules[rule].heads.iter().for_each(|h| candidates[h.constraint] = false);
            }
        }
    }
    candidates
}

/// Whether a rule keeps all its heads, over monotone tables, is total, and adds to monotone tables only.
pub(in crate::class) fn is_monotone_rule(
    plan: &ChrPlan,
    rule: RuleId,
    tables: &IdVec<ConstraintId, bool>,
) -> bool {
    obstacle(plan, rule, tables).is_none()
}

/// What keeps a rule from being monotone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::class) enum Obstacle {
    RemovesHead,
    ReadsOther(ConstraintId),
    AddsOther(ConstraintId),
    AddsTerms(ConstraintId),
    BuildsTerms,
    OtherGoal,
    CanFail,
    UntypedVariable,
    KeyedByTerms,
    TakesTermsApart,
}

/// The first condition of a monotone rule that a rule does not meet.
pub(in crate::class) fn obstacle(
    plan: &ChrPlan,
    rule: RuleId,
    tables: &IdVec<ConstraintId, bool>,
) -> Option<Obstacle> {
    let rule_plan = &plan.rules[rule];
    if rule_plan.heads.iter().any(|h| h.role != Role::Kept) {
        return Some(Obstacle::RemovesHead);
    }
    if let Some(head) = rule_plan.heads.iter().find(|h| !tables[h.constraint]) {
        return Some(Obstacle::ReadsOther(head.constraint));
    }
    let Some(occurrence) = plan.occurrences_of(rule).next() else {
        return (!rule_plan.body.is_empty()).then_some(Obstacle::OtherGoal);
    };
    let of_body = rule_plan.body.iter().find_map(|goal| match &goal.kind {
        GoalKind::Bind { value, .. } => builds_terms(value).then_some(Obstacle::BuildsTerms),
        GoalKind::Add { constraint, .. } if !tables[*constraint] => Some(Obstacle::AddsOther(*constraint)),
        // Columns of any kind hold tagged words, which fast paths do not make.
        GoalKind::Add { constraint, args } => {
            let is_typed = plan.tables[*constraint].columns.iter().all(|c| c.kind != SortKind::Any);
            let builds = args.iter().any(builds_terms);
            (!is_typed || builds).then_some(Obstacle::AddsTerms(*constraint))
        }
        _ => Some(Obstacle::OtherGoal),
    });
    let total = rule_plan.can_fail.iter().flatten().all(|fails| !fails);
    let of_step = || plan.occurrences_of(rule).flat_map(|o| o.steps().filter_map(step_obstacle)).next();
    of_body
        .or_else(|| (!total).then_some(Obstacle::CanFail))
        .or_else(|| {
            let untyped = occurrence.slots.iter().any(|slot| slot.kind == SortKind::Any);
            untyped.then_some(Obstacle::UntypedVariable)
        })
        .or_else(|| is_keyed_by_words(plan, rule).then_some(Obstacle::KeyedByTerms))
        .or_else(of_step)
}

/// Whether rows are sought by a key in columns of any kind: such a key is a tagged word, and a number in it may need a
/// cell.
fn is_keyed_by_words(plan: &ChrPlan, rule: RuleId) -> bool {
    plan.occurrences_of(rule).flat_map(|o| &o.joins).any(|join| {
        let table = &plan.tables[join.constraint];
        table.indexes[join.index].columns.iter().any(|&c| table.columns[c].kind == SortKind::Any)
    })
}

fn step_obstacle(step: &Step) -> Option<Obstacle> {
    match step {
        Step::Test { test: value, can_fail, .. }
        | Step::Eval { value, can_fail, .. }
        | Step::Match { value, can_fail, .. } => match (can_fail, builds_terms(value)) {
            (true, _) => Some(Obstacle::CanFail),
            (_, true) => Some(Obstacle::BuildsTerms),
            _ => None,
        },
        Step::Field { .. } | Step::Functor { .. } => Some(Obstacle::TakesTermsApart),
        _ => None,
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
