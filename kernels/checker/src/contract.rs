//! Contracts in the comments of functions (a function is a barrier; memory changes owners by atomics), and which
//! functions have barriers.

use gchr_kernel::ir::*;

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

/// Memory whose elements change owners by release and acquire (ownership transfer), as the comment above a kernel says:
/// `handed: p.queue, p.joins: the last child reads what the others wrote`.
pub(super) struct Handed<'m> {
    /// Parameters, or fields of the launch record.
    pub names: Vec<&'m str>,
    /// Why only one thread at a time touches an element with anything but atomics.
    pub reason: String,
}

/// The memory that a kernel hands over. A line that begins further right goes on with the one above it.
pub(super) fn handed(kernel: &Function) -> Vec<Handed<'_>> {
    let mut all: Vec<Handed<'_>> = Vec::new();
    // Whether the line above is a reason.
    let mut open = false;
    for line in &kernel.doc {
        if let (true, true, Some(last)) = (open, line.starts_with("  "), all.last_mut()) {
            last.reason = format!("{} {}", last.reason, line.trim());
            continue;
        }
        let found = line.trim().strip_prefix("handed:").and_then(|rest| rest.split_once(": "));
        open = found.is_some();
        all.extend(found.map(|(list, reason)| Handed {
            names: list.split(',').map(str::trim).collect(),
            reason: reason.trim().to_string(),
        }));
    }
    all
}
