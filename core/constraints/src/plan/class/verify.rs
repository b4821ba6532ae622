//! Invariants of classes.

use super::Verdict;
use crate::plan::{ChrPlan, internal};
use gchr_base::diagnostic::Diagnostic;
use gchr_base::rule::{Program, Role, Semantics};
use gchr_base::signature::SortKind;

/// Checks that verdicts and classes belong to each other, that a symbol has one reduction or values that are replaced and not
/// both, that columns exist and values are numbers, that indexes are on keys, and that rules of classes have no candidates.
pub(in crate::plan) fn verify(program: &Program, plan: &ChrPlan, found: &mut Vec<Diagnostic>) {
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
    }
}

fn is_number(plan: &ChrPlan, constraint: gchr_base::signature::ConstraintId, column: usize) -> bool {
    let kind = plan.tables[constraint].columns.get(column).map(|c| c.kind);
    matches!(kind, Some(SortKind::Int | SortKind::Float))
}
