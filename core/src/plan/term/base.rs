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
            plan.functions[member].base = base.map(|b| Box::new(b.0)).filter(|b| b.size() <= MAX_BASE);
        }
    }
}

/// A block as far as it is a base case, and whether it always is one; `None` when it is nowhere one. `miss`: what to do where it is
/// none.
fn base(block: &Block, miss: &dyn Fn() -> Block) -> Option<(Block, bool)> {
    if !block.steps.iter().all(is_short) {
        return None;
    }
    let below: Vec<Option<(Block, bool)>> = block.end.blocks().into_iter().map(|b| base(b, miss)).collect();
    if below.is_empty() {
        return matches!(block.end, End::Return(_)).then(|| (block.clone(), true));
    }
    let always = below.iter().all(|b| matches!(b, Some((_, true))));
    // Where a call follows after all, nothing may have happened before.
    if below.iter().all(Option::is_none) || !always && !is_pure(block) {
        return None;
    }
    let mut copy = block.clone();
    for (into, found) in copy.end.blocks_mut().into_iter().zip(below) {
        *into = found.map_or_else(miss, |f| f.0);
    }
    Some((copy, always))
}

/// No call, no loop and no branch.
fn is_short(step: &Step) -> bool {
    !matches!(step, Step::Call { .. } | Step::Region { .. } | Step::Trace { .. })
}

/// Whether a block applies no rule and only computes numbers and truth values before it ends.
pub(super) fn is_pure(block: &Block) -> bool {
    block.applied.is_empty()
        && block.steps.iter().all(|s| matches!(s, Step::Const { .. } | Step::Operate { .. }))
}
