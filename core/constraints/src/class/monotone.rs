//! Monotone tables: rounds only add to them.

pub(crate) mod recognise;

use crate::ir::{ChrPlan, internal};
use gchr_base::diagnostic::Diagnostic;

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
