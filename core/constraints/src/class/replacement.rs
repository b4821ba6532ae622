//! Monotone replacements: the value of a constraint is replaced by the best of what its rule computes.

pub(crate) mod execute;
mod matrix;
pub(super) mod recognise;

use super::{BestOrder, RuleClass, is_number};
use crate::ir::ChrPlan;
use crate::ir::classes::Replacement;
use gchr_base::rule::{Role, RuleId};
use gchr_base::signature::{Density, SortKind};

impl RuleClass for Replacement {
    fn rules(&self) -> Vec<RuleId> {
        vec![self.rule]
    }

    fn explain(&self, plan: &ChrPlan) -> Vec<String> {
        let product = match &self.product {
            Ok(_) => "dense keyed join: the product of matrices".into(),
            Err(why) => format!("no dense keyed join, as {why}"),
        };
        vec![text(self, plan), product]
    }

    fn verify(&self, plan: &ChrPlan) -> Vec<&'static str> {
        let mut broken = Vec::new();
        let head = plan.rules[self.rule].heads.get(self.head);
        let target = head.is_some_and(|h| h.role == Role::Removed && h.constraint == self.constraint);
        if !target || !is_number(plan, self.constraint, self.best.column) {
            broken.push("a replacement has a wrong removed head");
        }
        if !is_product(plan, self) {
            broken.push("a replacement is not the product of matrices that the plan says");
        }
        broken
    }
}

fn text(r: &Replacement, plan: &ChrPlan) -> String {
    let what = if r.best.order == BestOrder::Least { "least" } else { "greatest" };
    let name = &plan.tables[r.constraint].name;
    let column = r.best.column + 1;
    format!("monotone replacement: column {column} of {name} takes the {what} value at once")
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
