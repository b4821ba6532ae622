//! Monotone tables: rounds only add to them.

pub(crate) mod recognise;

use crate::ir::{ChrPlan, internal};
use gchr_base::diagnostic::Diagnostic;
use gchr_base::ids::IdVec;
use gchr_base::rule::RuleId;
use gchr_base::signature::ConstraintId;
use recognise::{Obstacle, Obstacles};

/// Monotone tables are closed under the rules that read them, and it is known whose indexes follow what is added.
pub(super) fn verify(plan: &ChrPlan, found: &mut Vec<Diagnostic>) {
    let Some(first) = plan.rules.iter().next() else { return };
    let mut fail = |text: String| found.push(internal(first.span, text));
    if plan.tables.iter().any(|table| table.any_order) {
        let any_order = recognise::any_order(plan);
        for (_, table) in plan.tables.iter_enumerated().filter(|(id, t)| t.any_order && !any_order[*id]) {
            fail(format!("the order of what {} adds can be told", table.name));
        }
    }
    let Ok(own) = &plan.monotone else { return };
    let candidates = recognise::candidates(plan);
    for (table, table_plan) in plan.tables.iter_enumerated().filter(|(t, _)| own.is_monotone(*t)) {
        if !candidates[table] || !table_plan.removed_by.is_empty() {
            fail(format!("the table {} is not monotone", table_plan.name));
        }
    }
    for (id, rule) in plan.general_rules() {
        let reads = rule.heads.iter().any(|h| own.is_monotone(h.constraint));
        if reads && !recognise::is_monotone_rule(plan, id, &own.tables) {
            fail(format!("{} reads a monotone table and is not monotone", rule.name));
        }
    }
    if own.added != recognise::added_tables(plan, &own.tables) {
        fail("the tables to which monotone rules add are not those of the plan".into());
    }
    if own.linked != recognise::linked_tables(plan, &own.tables, &own.added) {
        fail(
            "the tables among whose added constraints monotone rules look by key are not those of the plan"
                .into(),
        );
    }
}

/// For each rule why it has no part in the growth of sets, if it has none.
pub(super) fn explain(plan: &ChrPlan) -> IdVec<RuleId, Option<String>> {
    let found = recognise::obstacles(plan);
    found.rules.iter().map(|why| why.map(|why| text(plan, &found, why))).collect()
}

fn text(plan: &ChrPlan, found: &Obstacles, why: Obstacle) -> String {
    let name = |table: ConstraintId| &plan.tables[table].name;
    match why {
        Obstacle::RemovesHead => "it removes a head".into(),
        Obstacle::ReadsOther(table) => of_table(plan, found, table),
        Obstacle::AddsOther(table) => format!("it adds to {}: {}", name(table), of_table(plan, found, table)),
        Obstacle::AddsTerms(table) => format!("it adds terms to {}", name(table)),
        Obstacle::BuildsTerms => "it builds terms".into(),
        Obstacle::OtherGoal => "its body does not only compute and add constraints".into(),
        Obstacle::CanFail => {
            "something that it computes can be without a value (a sum of integers may overflow)".into()
        }
        Obstacle::UntypedVariable => "it has a variable of type any".into(),
        Obstacle::KeyedByTerms => "it looks for constraints by a column of type any".into(),
        Obstacle::TakesTermsApart => "it takes terms apart".into(),
    }
}

/// What takes a table from the monotone ones: its class, or a rule that reads it and is not monotone.
fn of_table(plan: &ChrPlan, found: &Obstacles, table: ConstraintId) -> String {
    let name = &plan.tables[table].name;
    if let Some(rule) = found.readers[table] {
        return format!("{name} is read by {}, which does not only add", plan.rules[rule].name);
    }
    match plan.classes.reductions.iter().find(|r| r.constraint == table) {
        Some(reduction) if reduction.best.is_some() => format!("{name} keeps the best of a key"),
        Some(reduction) if reduction.key.len() < plan.tables[table].columns.len() => {
            format!("{name} keeps one constraint of a key")
        }
        Some(_) => format!("{name} is no set of integers"),
        None => format!("values of {name} are replaced"),
    }
}
