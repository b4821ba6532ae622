//! Base cases of recursive functions, for call sites: a call that is one never becomes a frame.

use crate::plan::term::cost::Callees;
use crate::plan::term::ir::*;

/// The largest base case: it is copied to every call site.
const MAX_BASE: usize = 16;

/// The pass `base-cases`: fills in [`Function::base`]. Runs last, so that a base case accounts for references as the body does.
pub(super) fn base_cases(plan: &mut TermPlan) {
    let components = Callees::of(plan).components();
    for (members, recursive) in components {
        for member in members.into_iter().filter(|_| recursive) {
            let function = &plan.functions[member];
            let miss = || Block {
                applied: Vec::new(),
                steps: Vec::new(),
                end: End::TailCall { function: member, args: function.region.params.clone() },
            };
            let base = base(&function.region.body, &miss);
            plan.functions[member].base = base.filter(|b| b.size() <= MAX_BASE).map(Box::new);
        }
    }
}

/// A block as far as it is a base case; `None` when it is nowhere one. `miss`: what to do where it is none.
fn base(block: &Block, miss: &dyn Fn() -> Block) -> Option<Block> {
    if !block.steps.iter().all(is_short) {
        return None;
    }
    let below: Vec<Option<Block>> = block.end.blocks().into_iter().map(|b| base(b, miss)).collect();
    if below.is_empty() {
        return matches!(block.end, End::Return(_)).then(|| block.clone());
    }
    let hits = below.iter().flatten().count();
    // Where a call follows after all, nothing may have happened before.
    let undone = block.applied.is_empty() && block.steps.iter().all(is_test);
    if hits == 0 || hits < below.len() && !undone {
        return None;
    }
    let mut copy = block.clone();
    for (into, found) in copy.end.blocks_mut().into_iter().zip(below) {
        *into = found.unwrap_or_else(miss);
    }
    Some(copy)
}

/// No call, no loop and no branch.
fn is_short(step: &Step) -> bool {
    !matches!(step, Step::Call { .. } | Step::Region { .. } | Step::Trace { .. })
}

/// Only computes: a number or a truth value, from numbers.
fn is_test(step: &Step) -> bool {
    matches!(step, Step::Const { .. } | Step::Operate { .. })
}
