//! Base cases of recursive functions, for call sites: a call that is one never becomes a frame.
//!
//! A base case of depth 1 is a body as far as it gets without a call. One of depth k has base cases of depth k - 1 in the place of the
//! calls: where all of these have values, it has one, too.

mod unbox;
mod unfold;

use crate::ids::IdVec;
use crate::plan::term::cost::Callees;
use crate::plan::term::ir::*;

/// The deepest base case: three levels of a tree.
const DEPTH: u32 = 3;
/// The largest base case: it is copied to every call site.
const MAX_BASE: usize = 120;

/// A base case: a body of a function with locals of its own.
struct Base {
    locals: IdVec<LocalId, Local>,
    block: Block,
}

/// The pass `base-cases`: fills in [`Function::base`]. Runs last, so that a base case accounts for references as the body does.
pub(super) fn base_cases(plan: &mut TermPlan) {
    let mut bases: IdVec<FunctionId, Option<Base>> = plan.functions.iter().map(|_| None).collect();
    for _ in 0..DEPTH {
        let deeper: Vec<Option<Base>> =
            plan.functions.ids().map(|id| unfold::unfold(plan, id, &bases, MAX_BASE)).collect();
        // What has become too large stays as deep as it was.
        for (base, deeper) in bases.iter_mut().zip(deeper) {
            *base = deeper.or(base.take());
        }
    }
    let recursive = Callees::of(plan).components().into_iter().filter(|(_, recursive)| *recursive);
    for member in recursive.flat_map(|(members, _)| members).collect::<Vec<_>>() {
        if let Some(base) = bases[member].take() {
            let function = &mut plan.functions[member];
            function.locals = base.locals;
            function.base = Some(Box::new(base.block));
        }
    }
}

/// No call and no loop.
pub(super) fn is_short(step: &Step) -> bool {
    match step {
        Step::Call { .. } | Step::Trace { .. } => false,
        Step::Region { region, .. } => {
            let mut short = !region.is_loop();
            region.body.walk(&mut |block| short &= block.steps.iter().all(is_short));
            short
        }
        _ => true,
    }
}

/// Whether a step only computes numbers and truth values, or chooses a value.
fn is_pure_step(step: &Step) -> bool {
    match step {
        Step::Const { .. } | Step::Operate { .. } => true,
        Step::Region { region, .. } => {
            let mut pure = !region.is_loop();
            region.body.walk(&mut |block| pure &= is_pure(block) && !matches!(block.end, End::NoRule { .. }));
            pure
        }
        _ => false,
    }
}

/// Whether a block applies no rule and only computes numbers and truth values, or chooses values, before it ends.
pub(super) fn is_pure(block: &Block) -> bool {
    block.applied.is_empty() && block.steps.iter().all(is_pure_step)
}

/// Whether a block and all below end in values, without a call or a loop.
fn always_ends(block: &Block) -> bool {
    let below = block.end.blocks();
    block.steps.iter().all(is_short)
        && match &block.end {
            End::Return(_) => true,
            _ => !below.is_empty() && below.into_iter().all(always_ends),
        }
}
