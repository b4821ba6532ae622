//! Checks places without the search that chose them: that equal keys meet, that an instance has exactly one finder,
//! which has all its constraints, and that what is said to stay does.

use super::{arguments, exchanges, is_repeated, stays, variable_at};
use crate::ir::places::{Place, Places, RulePlaces};
use crate::ir::{ChrPlan, HeadPlan, internal};
use gchr_base::diagnostic::Diagnostic;
use gchr_base::rule::{GoalKind, Program, RuleId};

/// One diagnostic for each broken invariant of the places of a plan.
pub(in crate::plan) fn verify(program: &Program, plan: &ChrPlan, found: &mut Vec<Diagnostic>) {
    let places = &plan.places;
    if places.tables.is_empty() {
        return;
    }
    for reduction in &plan.classes.reductions {
        let table = &places.tables[reduction.constraint];
        let is_of_key = |place: &Place| match place {
            Place::By(columns) => columns.iter().all(|column| reduction.key.contains(column)),
            Place::Everywhere => true,
        };
        if !is_of_key(&table.home) || !table.copies.iter().all(is_of_key) {
            found.push(internal(plan.rules[reduction.rule].span, "constraints of one key are at two places"));
        }
    }
    let is_repeated = is_repeated(plan, places);
    for (id, rule) in places.rules.iter_enumerated().filter(|(id, _)| plan.is_general(*id)) {
        let is_other = || exchanges(plan, places, is_repeated, id) != rule.exchanges;
        let text = broken(program, plan, places, id, rule);
        if let Some(text) = text.or_else(|| is_other().then_some("a rule has another number of exchanges")) {
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
    let is_everywhere = |head: &HeadPlan| places.tables[head.constraint].home == Place::Everywhere;
    let Some(finder) = rule.finder else {
        let is_known = heads.iter().all(is_everywhere) && rule.stays.iter().all(|stays| *stays);
        return (!is_known)
            .then_some("an instance is found by all workers, of which some have not all of it");
    };
    let Some(found) = rule.heads.get(finder) else { return Some("no head finds the instances") };
    if *found == Place::Everywhere {
        return Some("an instance is found by all workers");
    }
    if plan.rules[id].added().any(|table| places.tables[table].home == Place::Everywhere) {
        return Some("one worker adds what all must have");
    }
    let var = variable_at(arguments(program, id, finder), found);
    for (head, (plan, place)) in heads.iter().zip(&rule.heads).enumerate() {
        if !places.has(plan.constraint, place) {
            return Some("a head is looked for where its table has no copies");
        }
        let meets = *place == Place::Everywhere
            || (var.is_some() && variable_at(arguments(program, id, head), place) == var);
        if head != finder && !meets {
            return Some("a partner is not where the instance is found");
        }
    }
    let added = plan.rules[id].body.iter().filter_map(|goal| match &goal.kind {
        GoalKind::Add { constraint, args } => Some(stays(&places.tables[*constraint].home, args, found, var)),
        _ => None,
    });
    (!added.eq(rule.stays.iter().copied())).then_some("what is added stays elsewhere than it is said to")
}
