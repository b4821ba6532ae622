//! What a step or a block of a plan may do besides computing a value: call, loop, build, count, fail.

use crate::plan::ir::*;

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
pub(super) fn is_pure_step(step: &Step) -> bool {
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
pub(super) fn always_ends(block: &Block) -> bool {
    let below = block.end.blocks();
    block.steps.iter().all(is_short)
        && match &block.end {
            End::Return(_) => true,
            _ => !below.is_empty() && below.into_iter().all(always_ends),
        }
}

/// Whether a step gets to an application that no rule matches on all paths. Code after it is never reached, and may use
/// values without an owner.
pub(super) fn always_fails(step: &Step) -> bool {
    fn fails(block: &Block) -> bool {
        let below = block.end.blocks();
        let ends = match &block.end {
            End::NoRule { .. } => true,
            _ => !below.is_empty() && below.into_iter().all(fails),
        };
        ends || block.steps.iter().any(always_fails)
    }
    matches!(step, Step::Region { region, .. } if fails(&region.body))
}
