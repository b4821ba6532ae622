//! Checks places without the search that chose them: that equal keys meet, that an instance has exactly one finder,
//! which has all its constraints, and that what is said to stay does.

use super::{arguments, exchanges, stays, variable_at};
use crate::ir::places::{Place, Places, RulePlaces};
use crate::ir::{ChrPlan, internal};
use gchr_base::diagnostic::Diagnostic;
use gchr_base::rule::{GoalKind, Program, RuleId};

/// One diagnostic for each broken invariant of the places of a plan.
pub(in crate::plan) fn verify(program: &Program, plan: &ChrPlan, found: &mut Vec<Diagnostic>) {
    let places = &plan.places;
    if places.tables.is_empty() {
        return;
    }
    for reduction in &plan.classes.reductions {
        if places.tables[reduction.constraint].home.iter().any(|column| !reduction.key.contains(column)) {
            found.push(internal(plan.rules[reduction.rule].span, "constraints of one key have two homes"));
        }
    }
    for (id, rule) in places.rules.iter_enumerated().filter(|(id, _)| plan.is_general(*id)) {
        if let Some(text) = broken(program, plan, places, id, rule) {
            found.push(internal(plan.rules[id].span, text));
        }
    }
}

fn broken(
    program: &Program,
    plan: &ChrPlan,
    places: &Places,
    id: RuleId,
    rule: &RulePlaces,
) -> Option<&'static str> {
    let heads = &plan.rules[id].heads;
    if rule.heads.len() != heads.len() {
        return Some("some head has no place");
    }
    let found = rule.heads.get(rule.finder)?;
    if *found == Place::Everywhere {
        return Some("an instance is found by all workers");
    }
    let var = variable_at(arguments(program, id, rule.finder), found);
    for (head, (plan, place)) in heads.iter().zip(&rule.heads).enumerate() {
        if !places.has(plan.constraint, place) {
            return Some("a head is looked for where its table has no copies");
        }
        let meets = *place == Place::Everywhere
            || (var.is_some() && variable_at(arguments(program, id, head), place) == var);
        if head != rule.finder && !meets {
            return Some("a partner is not where the instance is found");
        }
    }
    let added = plan.rules[id].body.iter().filter_map(|goal| match &goal.kind {
        GoalKind::Add { constraint, args } => Some(stays(&places.tables[*constraint].home, args, found, var)),
        _ => None,
    });
    if !added.eq(rule.stays.iter().copied()) {
        return Some("what is added stays elsewhere than it is said to");
    }
    (exchanges(plan, places, id) != rule.exchanges).then_some("a rule has another number of exchanges")
}
