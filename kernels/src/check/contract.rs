//! Which functions have barriers, and which say that they are one.

use crate::ir::*;

/// For each function whether it has a barrier of the block, of the grid.
pub(super) fn barriers_of(module: &Module) -> Vec<[bool; 2]> {
    let mut all: Vec<[bool; 2]> = Vec::new();
    for function in &module.functions {
        let mut has = barriers_in(&function.body, &all);
        if let Some(scope) = contract(function) {
            has[0] = true;
            has[1] |= scope == Scope::Device;
        }
        all.push(has);
    }
    all
}

pub(super) fn barriers_in(block: &[Stmt], functions: &[[bool; 2]]) -> [bool; 2] {
    let mut has = [false; 2];
    flow::each_statement(block, &mut |stmt| match &stmt.kind {
        StmtKind::Barrier => has[0] = true,
        StmtKind::Effect { effect: Effect::Call { function, .. }, .. } => {
            let called = functions.get(function.0 as usize).copied().unwrap_or_default();
            has = [has[0] | called[0], has[1] | called[1]];
        }
        _ => {}
    });
    has
}

/// The barrier that a function says it is: `barrier: grid` or `barrier: block` in its contract.
pub(super) fn contract(function: &Function) -> Option<Scope> {
    function.doc.iter().find_map(|line| match line.trim().strip_prefix("barrier:")?.trim() {
        "grid" => Some(Scope::Device),
        "block" => Some(Scope::Block),
        _ => None,
    })
}
