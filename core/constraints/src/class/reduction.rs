//! Reductions: of the constraints of one key one lives.

pub(crate) mod execute;
pub(super) mod recognise;

use super::explain::those;
use super::{BestOrder, RuleClass, is_number};
use crate::ir::ChrPlan;
use crate::ir::classes::Reduction;
use gchr_base::rule::RuleId;
use gchr_base::signature::SortKind;

impl RuleClass for Reduction {
    fn rules(&self) -> Vec<RuleId> {
        vec![self.rule]
    }

    fn explain(&self, plan: &ChrPlan) -> Vec<String> {
        vec![text(self, plan)]
    }

    fn verify(&self, plan: &ChrPlan) -> Vec<&'static str> {
        let mut broken = Vec::new();
        let table = &plan.tables[self.constraint];
        let value = self
            .best
            .is_none_or(|b| !self.key.contains(&b.column) && is_number(plan, self.constraint, b.column));
        if !value || !self.key.is_sorted() || self.key.iter().any(|&c| c >= table.columns.len()) {
            broken.push("a reduction has wrong columns");
        }
        if plan.indexed && table.indexes.get(self.index).is_none_or(|index| index.columns != self.key) {
            broken.push("a reduction has no index on just its key");
        }
        if plan.occurrences_of(self.rule).next().is_some() {
            broken.push("a reduction has candidates");
        }
        broken
    }
}

fn text(r: &Reduction, plan: &ChrPlan) -> String {
    let table = &plan.tables[r.constraint];
    let name = &table.name;
    let kept = |what: &str, column: usize| {
        let int = table.columns[column].kind == SortKind::Int;
        let kind = if int { "integer" } else { "float" };
        format!("with the {what} {kind} in column {}", column + 1)
    };
    let of = those(&r.key);
    match r.best {
        None if r.key.len() == table.columns.len() => {
            format!("set semantics of {name}: equal constraints are dropped")
        }
        None => format!("first per key: of {name}, the oldest one of {of} lives"),
        Some(best) => {
            let what = if best.order == BestOrder::Least { "least" } else { "greatest" };
            let class = if r.key.is_empty() { "semilattice reduction" } else { "best per key" };
            format!("{class}: of {name}, the one of {of} {} lives", kept(what, best.column))
        }
    }
}
