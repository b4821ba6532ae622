//! Functions that `simulated` blocks may call: those that only compute and read.

use gchr_base::ids::Id;

use super::*;

/// For each function whether it only computes and reads. Holes count as such until they are filled.
pub fn only_read(module: &Module) -> Vec<bool> {
    let mut all: Vec<bool> = Vec::with_capacity(module.functions.len());
    for function in &module.functions {
        let reads = !function.is_kernel() && reads_only(&function.body, &all);
        all.push(reads);
    }
    all
}

/// Whether statements only compute and read, given which functions do.
pub fn reads_only(block: &[Stmt], functions: &[bool]) -> bool {
    let mut reads = true;
    flow::each_statement(block, &mut |stmt| {
        reads &= match &stmt.kind {
            StmtKind::Assign { place, .. } => !is_visible(place),
            StmtKind::Effect { effect, .. } => match effect {
                Effect::Atomic { .. } => false,
                Effect::Call { function, .. } => functions.get(function.index()).copied().unwrap_or(false),
                Effect::Vote { .. } | Effect::Shuffle { .. } | Effect::ActiveMask | Effect::Cycles => true,
            },
            StmtKind::Declare { .. }
            | StmtKind::If { .. }
            | StmtKind::Switch { .. }
            | StmtKind::While { .. }
            | StmtKind::For { .. }
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Return(_)
            | StmtKind::Simulated(_)
            | StmtKind::Assume { .. } => true,
            _ => false,
        };
    });
    reads
}

/// Whether other threads see what is written there.
pub fn is_visible(place: &Place) -> bool {
    match &place.base {
        PlaceBase::Var(_) => false,
        PlaceBase::Element { buffer, .. } => buffer.ty.space() != Some(Space::Local),
    }
}

/// Takes out the `simulated` blocks that `unwanted` names.
pub fn remove(block: &mut Block, unwanted: &mut impl FnMut(&Block) -> bool) {
    block.retain(|stmt| !matches!(&stmt.kind, StmtKind::Simulated(body) if unwanted(body)));
    for stmt in block {
        stmt.blocks_mut().into_iter().for_each(|inner| remove(inner, unwanted));
    }
}

/// Removes the `simulated` blocks that change memory, because a filled hole of a template does.
pub fn remove_writing(module: &mut Module) {
    let reads = only_read(module);
    for function in module.functions.iter_mut() {
        remove(&mut function.body, &mut |body| !reads_only(body, &reads));
    }
}

/// Takes out all `simulated` blocks.
pub fn remove_all(module: &mut Module) {
    module.functions.iter_mut().for_each(|function| remove(&mut function.body, &mut |_| true));
}
