//! Questions about a function before it is lowered: unwritten variables, jumps that leave early.

use gchr_base::ids::Id;
use gchr_kernel::ir::{Block, Function, Stmt, StmtKind, Storage};

/// Variables that are declared without a value: reading them is checked at run time.
pub(super) fn declared_unwritten(function: &Function) -> Vec<bool> {
    let mut found = vec![false; function.vars.len()];
    visit(&function.body, &mut |stmt| {
        if let StmtKind::Declare { var, value: None } = stmt
            && let Some(slot) = found.get_mut(var.index())
        {
            *slot = function.vars[*var].storage == Storage::Register;
        }
        true
    });
    found
}

/// Calls `f` for each statement; when it says no, those within are left out.
fn visit(block: &Block, f: &mut impl FnMut(&StmtKind) -> bool) {
    let mut todo: Vec<&Stmt> = block.iter().rev().collect();
    while let Some(stmt) = todo.pop() {
        if !f(&stmt.kind) {
            continue;
        }
        match &stmt.kind {
            StmtKind::If { then, otherwise, .. } => todo.extend(then.iter().chain(otherwise)),
            StmtKind::Switch { cases, default, .. } => {
                todo.extend(cases.iter().flat_map(|c| &c.1).chain(default));
            }
            StmtKind::While { body, .. }
            | StmtKind::For { body, .. }
            | StmtKind::Everywhere { body, .. }
            | StmtKind::Simulated(body) => todo.extend(body),
            _ => {}
        }
    }
}

/// Whether lanes leave an iteration of this loop body by `continue`.
pub(super) fn has_continue(body: &Block) -> bool {
    let mut found = false;
    visit(body, &mut |stmt| {
        found |= *stmt == StmtKind::Continue;
        !matches!(stmt, StmtKind::While { .. } | StmtKind::For { .. } | StmtKind::Everywhere { .. })
    });
    found
}

/// Whether a function returns elsewhere than at its very end.
pub(super) fn has_early_return(function: &Function) -> bool {
    let mut returns = 0;
    visit(&function.body, &mut |stmt| {
        returns += usize::from(matches!(stmt, StmtKind::Return(_)));
        true
    });
    returns > usize::from(ends_with_return(function))
}

pub(super) fn ends_with_return(function: &Function) -> bool {
    matches!(function.body.last(), Some(Stmt { kind: StmtKind::Return(_), .. }))
}
