//! Questions about blocks with `everywhere`, and small changes of them.

use gchr_base::ids::Id;

use crate::ir::rewrite::each_statement_mut;
use crate::ir::*;

pub(super) const ALL_LANES: u32 = u32::MAX;

/// Whether the block wakes up lanes, itself or through a call.
pub(super) fn contains(block: &[Stmt], wakes: &[bool]) -> bool {
    let mut found = false;
    flow::each_statement(block, &mut |stmt| found |= wakes_up(stmt, wakes));
    found
}

pub(super) fn wakes_up(stmt: &Stmt, wakes: &[bool]) -> bool {
    match &stmt.kind {
        StmtKind::Everywhere { .. } => true,
        StmtKind::Effect { effect: Effect::Call { function, .. }, .. } => {
            wakes.get(function.index()).copied().unwrap_or(false)
        }
        _ => false,
    }
}

/// Replaces declarations directly in the block by plain writes; returns the declared variables.
pub(super) fn undeclare(block: &mut [Stmt], declared: &mut Vec<VarId>) {
    for stmt in block {
        match &mut stmt.kind {
            StmtKind::Effect { result: Some(target @ Target::Declare(_)), .. } => {
                if let Target::Declare(var) = *target {
                    declared.push(var);
                    *target = Target::Assign(var);
                }
            }
            StmtKind::Declare { var, value: Some(value) } => {
                declared.push(*var);
                let place = Place { base: PlaceBase::Var(*var), field: None, ty: value.ty };
                let value = value.clone();
                stmt.kind = StmtKind::Assign { place, value };
            }
            _ => {}
        }
    }
}

/// Whether a jump in the block leaves it: a `return`, or a `break` or `continue` of a loop around it.
pub(super) fn escapes(block: &[Stmt], in_loop: bool) -> bool {
    block.iter().any(|stmt| match &stmt.kind {
        StmtKind::Return(_) => true,
        StmtKind::Break | StmtKind::Continue => !in_loop,
        StmtKind::While { body, .. } | StmtKind::For { body, .. } => escapes(body, true),
        StmtKind::Everywhere { .. } => false,
        _ => stmt.blocks().into_iter().any(|b| escapes(b, in_loop)),
    })
}

/// Generated statements come from where the statement that they stand for does.
pub(super) fn inherit(block: &mut [Stmt], origin: &Origin) {
    each_statement_mut(block, &mut |stmt| {
        if stmt.origin.line.is_none() {
            stmt.origin.line = origin.line;
        }
    });
}
