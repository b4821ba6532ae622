//! Invariants of classes.

use super::monotone::recognise as monotone;
use super::{Replacement, Verdict};
use crate::plan::{ChrPlan, internal};
use gchr_base::diagnostic::Diagnostic;
use gchr_base::rule::{Program, Role, Semantics};
use gchr_base::signature::{Density, SortKind};

/// Checks that verdicts and classes belong to each other, that a symbol has one reduction or values that are replaced and not
/// both, that columns exist and values are numbers, that indexes are on keys, and that rules of classes have no candidates.
pub(crate) fn verify(program: &Program, plan: &ChrPlan, found: &mut Vec<Diagnostic>) {
    let classes = &plan.classes;
    let mut fail = |rule, text: &str| found.push(internal(plan.rules[rule].span, text));
    if classes.verdicts.len() != program.rules.len() {
        if let Some((id, _)) = program.rules.iter_enumerated().next() {
            fail(id, "some rule has no verdict on its class");
        }
        return;
    }
    if plan.semantics == Semantics::Refined && !classes.is_empty() {
        classes.reductions.iter().for_each(|r| fail(r.rule, "a class belongs to rounds"));
    }
    for (id, verdict) in classes.verdicts.iter_enumerated() {
        let own = match verdict {
            Verdict::Reduction(at) => classes.reductions.get(*at).is_some_and(|r| r.rule == id),
            Verdict::Replacement(at) => classes.replacements.get(*at).is_some_and(|r| r.rule == id),
            Verdict::Divisor(at) => classes.divisors.get(*at).is_some_and(|d| d.rule == id || d.zero == id),
            Verdict::General { .. } => true,
        };
        if !own {
            fail(id, "a verdict names the class of another rule");
        }
    }
    for (i, r) in classes.reductions.iter().enumerate() {
        let table = &plan.tables[r.constraint];
        let twice = classes.reductions[..i].iter().any(|o| o.constraint == r.constraint);
        if twice || classes.is_replaced(r.constraint) {
            fail(r.rule, "a symbol has two classes");
        }
        let value =
            r.best.is_none_or(|b| !r.key.contains(&b.column) && is_number(plan, r.constraint, b.column));
        if !value || !r.key.is_sorted() || r.key.iter().any(|&c| c >= table.columns.len()) {
            fail(r.rule, "a reduction has wrong columns");
        }
        let chosen = plan.tables.iter().any(|t| !t.indexes.is_empty());
        if chosen && table.indexes.get(r.index).is_none_or(|index| index.columns != r.key) {
            fail(r.rule, "a reduction has no index on just its key");
        }
        if plan.occurrences.iter().any(|o| o.rule == r.rule) {
            fail(r.rule, "a reduction has candidates");
        }
    }
    for (i, d) in classes.divisors.iter().enumerate() {
        let table = &plan.tables[d.constraint];
        let twice = classes.divisors[..i].iter().any(|o| o.constraint == d.constraint);
        if twice || classes.reduction_of(d.constraint).is_some() || classes.is_replaced(d.constraint) {
            fail(d.rule, "a symbol has two classes");
        }
        let others: Vec<usize> = (0..table.columns.len()).filter(|&c| c != d.column).collect();
        if d.key != others || table.columns.get(d.column).is_none_or(|c| c.kind != SortKind::Int) {
            fail(d.rule, "a greatest common divisor has wrong columns");
        }
        if plan.occurrences.iter().any(|o| o.constraint == d.constraint) {
            fail(d.rule, "a constraint that is reduced to a greatest common divisor has candidates");
        }
    }
    for r in &classes.replacements {
        let heads = &plan.rules[r.rule].heads;
        let target =
            heads.get(r.head).is_some_and(|h| h.role == Role::Removed && h.constraint == r.constraint);
        if !target || !is_number(plan, r.constraint, r.best.column) {
            fail(r.rule, "a replacement has a wrong removed head");
        }
        if !is_product(plan, r) {
            fail(r.rule, "a replacement is not the product of matrices that the plan says");
        }
    }
    monotone_tables(plan, found);
}

/// Whether a replacement that is a product of matrices has the shape of one, and its table for itself.
fn is_product(plan: &ChrPlan, r: &Replacement) -> bool {
    let Ok(product) = r.product else { return true };
    let columns = &plan.tables[r.constraint].columns;
    let heads = &plan.rules[r.rule].heads;
    let mut positions = [product.row, product.column, r.best.column];
    positions.sort_unstable();
    let dense = [product.row, product.column];
    let alone = plan.classes.replacements.iter().filter(|o| o.constraint == r.constraint).count() == 1;
    let mut parts = [product.left, product.right, r.head];
    parts.sort_unstable();
    alone
        && positions == [0, 1, 2]
        && columns.len() == 3
        && columns.iter().all(|c| c.kind == SortKind::Int)
        && dense.iter().all(|&c| columns[c].density == Density::Dense)
        && parts == [0, 1, 2]
        && heads.iter().all(|h| h.constraint == r.constraint)
}

/// Monotone tables are closed under the rules that read them, and need no index over what is added.
fn monotone_tables(plan: &ChrPlan, found: &mut Vec<Diagnostic>) {
    let Ok(own) = &plan.monotone else { return };
    let Some(first) = plan.rules.iter().next() else { return };
    let mut fail = |text: String| found.push(internal(first.span, text));
    for (table, table_plan) in plan.tables.iter_enumerated().filter(|(t, _)| own.is_monotone(*t)) {
        if !monotone::is_candidate(plan, table) || !table_plan.removed_by.is_empty() {
            fail(format!("the table {} is not monotone", table_plan.name));
        }
    }
    for (id, rule) in plan.general_rules() {
        let reads = rule.heads.iter().any(|h| own.is_monotone(h.constraint));
        if reads && !monotone::is_monotone_rule(plan, id, &own.tables) {
            fail(format!("{} reads a monotone table and is not monotone", rule.name));
        }
    }
    if own.added != monotone::added_tables(plan, &own.tables) {
        fail("the tables to which monotone rules add are not those of the plan".into());
    }
    if monotone::maintained_index(plan, own).is_some() {
        fail("a monotone rule needs an index over constraints that are added".into());
    }
}

fn is_number(plan: &ChrPlan, constraint: gchr_base::signature::ConstraintId, column: usize) -> bool {
    let kind = plan.tables[constraint].columns.get(column).map(|c| c.kind);
    matches!(kind, Some(SortKind::Int | SortKind::Float))
}
