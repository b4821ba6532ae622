//! The tables that workers cannot divide: each worker has all of their constraints, and does for itself what the rules
//! over them do. So it can be only where every rule that adds to such a table looks at such tables alone.

use crate::class::Best;
use crate::ir::ChrPlan;
use crate::ir::classes::{Reduction, Verdict};
use gchr_base::ids::IdVec;
use gchr_base::rule::{Goal, RuleId};
use gchr_base::signature::{ConstraintId, SortKind};

/// By table, whether it is undivided.
pub(super) fn tables(plan: &ChrPlan) -> IdVec<ConstraintId, bool> {
    let mut adding: IdVec<ConstraintId, Vec<RuleId>> = plan.tables.iter().map(|_| Vec::new()).collect();
    for (id, rule) in plan.general_rules() {
        rule.added().for_each(|table| adding[table].push(id));
    }
    let mut undivided: IdVec<ConstraintId, bool> = plan.tables.iter().map(|_| false).collect();
    let heads = |id: RuleId| plan.rules[id].heads.iter().map(|head| head.constraint);
    let with_reason = plan.rules.ids().filter(|&id| reason(plan, id).is_some());
    let mut found: Vec<ConstraintId> = with_reason.flat_map(heads).collect();
    found.extend(plan.tables.ids().filter(|&id| has_terms(plan, id)));
    while let Some(table) = found.pop() {
        if !std::mem::replace(&mut undivided[table], true) {
            found.extend(adding[table].iter().flat_map(|&id| heads(id)));
        }
    }
    undivided
}

/// Why a rule needs all constraints of its heads at one place.
pub(super) fn reason(plan: &ChrPlan, id: RuleId) -> Option<String> {
    let rule = &plan.rules[id];
    let seen = rule.heads.iter().map(|head| head.constraint).chain(rule.added());
    let name = |table: ConstraintId| plan.tables[table].name.as_str();
    if let Some(table) = seen.into_iter().find(|&table| has_terms(plan, table)) {
        return Some(format!("{} has a column for values of any kind", name(table)));
    }
    match &plan.classes.verdicts[id] {
        Verdict::Reduction(at) => of_reduction(plan, &plan.classes.reductions[*at]),
        Verdict::Replacement(_) => Some("it replaces values in place".into()),
        Verdict::Divisor(_) => Some("it takes greatest common divisors".into()),
        Verdict::General { .. } => {
            let removed = rule.heads.iter().find(|head| !plan.tables[head.constraint].removed_by.is_empty());
            if let Some(head) = removed {
                let by = plan.tables[head.constraint].removed_by[0];
                let by = if by == id { "it" } else { &plan.rules[by].name };
                return Some(format!("{by} removes constraints {}", name(head.constraint)));
            }
            rule.body.iter().any(Goal::writes).then(|| "it writes output".into())
        }
    }
}

/// Why it cannot be told from the values of a table's constraints which of them stays.
fn of_reduction(plan: &ChrPlan, reduction: &Reduction) -> Option<String> {
    let columns = &plan.tables[reduction.constraint].columns;
    if reduction.key.len() + usize::from(reduction.best.is_some()) < columns.len() {
        return Some("which of its constraints stays depends on their age".into());
    }
    let is_float = |best: Best| columns[best.column].kind == SortKind::Float;
    let is_float = reduction.best.is_some_and(is_float);
    is_float.then(|| "it compares floats, of which equal ones can differ".into())
}

fn has_terms(plan: &ChrPlan, table: ConstraintId) -> bool {
    plan.tables[table].columns.iter().any(|column| column.kind == SortKind::Any)
}
