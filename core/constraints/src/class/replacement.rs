//! Monotone replacements: the value of a constraint is replaced by the best of what its rule computes.

pub(crate) mod execute;
mod matrix;
pub(super) mod recognise;

use super::{Best, BestOrder, RuleClass, is_number};
use crate::plan::ChrPlan;
use gchr_base::rule::{Expr, Role, RuleId};
use gchr_base::signature::{ConstraintId, Density, SortKind};

/// The value of a constraint is replaced by the best of what its rule computes.
#[derive(Clone, PartialEq, Debug)]
pub struct Replacement {
    /// The rule.
    pub rule: RuleId,
    /// The symbol whose values are replaced. No other rule sees it.
    pub constraint: ConstraintId,
    /// Position of the removed head.
    pub head: usize,
    /// Column of the value, and which is best.
    pub best: Best,
    /// What the value is compared with and replaced by: over variables of the kept heads.
    pub candidate: Expr,
    /// The product of matrices over (min, +) or (max, +) that its rounds are, or why they are none. Then no other rule replaces
    /// values of the symbol.
    pub product: Result<Product, String>,
}

/// A dense keyed join `c(I,K,D1), c(K,J,D2) \ c(I,J,D3)` whose candidate is `D1 + D2`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Product {
    /// Position of the head with the row key.
    pub left: usize,
    /// Position of the head with the column key.
    pub right: usize,
    /// Column of the row key I in the removed head.
    pub row: usize,
    /// Column of the column key J in the removed head.
    pub column: usize,
}

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
