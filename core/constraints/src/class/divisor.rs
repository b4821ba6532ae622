//! Greatest common divisors: of the constraints of one key one lives, with the greatest common divisor of their values.

pub(crate) mod execute;
pub(super) mod recognise;

use super::RuleClass;
use super::explain::those;
use crate::ir::ChrPlan;
use crate::ir::classes::Divisor;
use gchr_base::rule::RuleId;
use gchr_base::signature::SortKind;

impl RuleClass for Divisor {
    fn rules(&self) -> Vec<RuleId> {
        vec![self.rule, self.zero]
    }

    fn explain(&self, plan: &ChrPlan) -> Vec<String> {
        vec![text(self, plan)]
    }

    fn verify(&self, plan: &ChrPlan) -> Vec<&'static str> {
        let mut broken = Vec::new();
        let (classes, table) = (&plan.classes, &plan.tables[self.constraint]);
        let mut before = classes.divisors.iter().take_while(|o| o.rule != self.rule);
        let twice = before.any(|o| o.constraint == self.constraint);
        if twice || classes.reduction_of(self.constraint).is_some() || classes.is_replaced(self.constraint) {
            broken.push("a symbol has two classes");
        }
        let others: Vec<usize> = (0..table.columns.len()).filter(|&c| c != self.column).collect();
        if self.key != others || table.columns.get(self.column).is_none_or(|c| c.kind != SortKind::Int) {
            broken.push("a greatest common divisor has wrong columns");
        }
        if !plan.tables[self.constraint].occurrences.is_empty() {
            broken.push("a constraint that is reduced to a greatest common divisor has candidates");
        }
        broken
    }
}

fn text(d: &Divisor, plan: &ChrPlan) -> String {
    let (name, of, column) = (&plan.tables[d.constraint].name, those(&d.key), d.column + 1);
    format!(
        "semilattice reduction: of {name}, one of {of} lives, with the greatest common divisor of the positive integers in column {column}"
    )
}
