//! The text of a statement, for reports.

use crate::ir::*;
use crate::text::print::print_statement;

/// The first line of a statement in the text form.
pub(super) fn statement(stmt: &StmtKind, function: &Function, module: &Module) -> String {
    print_statement(module, function, &head(stmt).into())
}

/// The statement without the blocks in it.
fn head(stmt: &StmtKind) -> StmtKind {
    let none = Block::new;
    match stmt {
        StmtKind::If { condition, .. } => {
            StmtKind::If { condition: condition.clone(), then: none(), otherwise: none() }
        }
        StmtKind::Switch { value, .. } => {
            StmtKind::Switch { value: value.clone(), cases: Vec::new(), default: none() }
        }
        StmtKind::While { condition, .. } => StmtKind::While { condition: condition.clone(), body: none() },
        StmtKind::For { var, start, condition, next, .. } => StmtKind::For {
            var: *var,
            start: start.clone(),
            condition: condition.clone(),
            next: next.clone(),
            body: none(),
            unroll: false,
        },
        StmtKind::Everywhere { captures, .. } => {
            StmtKind::Everywhere { captures: captures.clone(), body: none() }
        }
        other => other.clone(),
    }
}
