//! Invariants of classes.

use super::monotone;
use crate::ir::{ChrPlan, internal};
use gchr_base::diagnostic::Diagnostic;
use gchr_base::ids::IdVec;
use gchr_base::rule::{Program, Semantics};
use gchr_base::signature::ConstraintId;

/// Checks that verdicts and classes belong to each other, that a symbol has one reduction or values that are replaced
/// and not both, that columns exist and values are numbers, that indexes are on keys, and that rules of classes have no
/// candidates.
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
        let own =
            verdict.is_general() || classes.member(verdict).is_some_and(|class| class.rules().contains(&id));
        if !own {
            fail(id, "a verdict names the class of another rule");
        }
    }
    let mut reduced: IdVec<ConstraintId, bool> = plan.tables.iter().map(|_| false).collect();
    classes.replacements.iter().for_each(|r| reduced[r.constraint] = true);
    for reduction in &classes.reductions {
        if std::mem::replace(&mut reduced[reduction.constraint], true) {
            fail(reduction.rule, "a symbol has two classes");
        }
    }
    for class in classes.members() {
        let broken = class.verify(plan);
        class.rules().first().into_iter().for_each(|&rule| broken.iter().for_each(|text| fail(rule, text)));
    }
    monotone::verify(plan, found);
}
