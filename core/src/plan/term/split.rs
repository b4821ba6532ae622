//! Split points: brings calls that do not need each other's results together, cheapest first, and counts them.
//!
//! All steps of a block are evaluated whatever happens, so that their order is free as far as none uses what a later one binds. Result and
//! rule applications stay the same; when several steps would fail, another one of them may be the first.

use crate::ids::IdVec;
use crate::plan::term::copy::free_locals;
use crate::plan::term::cost::{self, Cost};
use crate::plan::term::ir::*;

/// The pass `split`: fills in [`Step::Call::siblings`].
pub(super) fn split(plan: &mut TermPlan) {
    let costs = cost::costs(plan);
    for function in plan.functions.iter_mut() {
        block(&mut function.region.body, &costs);
    }
}

fn block(block: &mut Block, costs: &IdVec<FunctionId, Cost>) {
    for step in &mut block.steps {
        if let Step::Region { region, .. } = step {
            self::block(&mut region.body, costs);
        }
    }
    block.steps = schedule(std::mem::take(&mut block.steps), costs);
    count(block, costs);
    block.end.blocks_mut().into_iter().for_each(|b| self::block(b, costs));
}

/// Steps in an order in which each call comes as soon as what it needs is there, together with the others of its time.
fn schedule(steps: Vec<Step>, costs: &IdVec<FunctionId, Cost>) -> Vec<Step> {
    let cost = |step: &Step| match step {
        Step::Call { function, .. } => costs[*function],
        _ => Cost::Bounded,
    };
    if steps.iter().filter(|s| cost(s) > Cost::Bounded).count() < 2 {
        return steps;
    }
    let mut left: Vec<Option<Step>> = steps.into_iter().map(Some).collect();
    let mut done = Vec::with_capacity(left.len());
    while left.iter().any(Option::is_some) {
        // Everything that is ready and is no split point, and what that makes ready.
        take_ready(&mut left, &mut done, &|step| cost(step) == Cost::Bounded, true);
        let first = done.len();
        take_ready(&mut left, &mut done, &|step| cost(step) > Cost::Bounded, false);
        done[first..].sort_by_key(cost);
    }
    done
}

/// Moves the wanted steps that use nothing bound by a step that is left. `chained`: those that only need steps moved here, too.
fn take_ready(
    left: &mut [Option<Step>],
    done: &mut Vec<Step>,
    wanted: &dyn Fn(&Step) -> bool,
    chained: bool,
) {
    let mut waiting: Vec<LocalId> = Vec::new();
    for slot in left {
        let Some(step) = slot else { continue };
        let ready = wanted(step) && needs(step).iter().all(|l| !waiting.contains(l));
        if !ready || !chained {
            waiting.extend(step.dst());
        }
        if ready {
            done.extend(slot.take());
        }
    }
}

fn needs(step: &Step) -> Vec<LocalId> {
    let mut needs: Vec<LocalId> = step.uses().collect();
    if let Step::Region { region, .. } = step {
        needs.extend(free_locals(&region.body));
    }
    needs
}

/// Counts the siblings of each call, a context's call at the end of the block included.
fn count(block: &mut Block, costs: &IdVec<FunctionId, Cost>) {
    let mut first = 0;
    while first < block.steps.len() {
        let mut results = Vec::new();
        let mut next = first;
        while let Some(Step::Call { dst, function, args, .. }) = block.steps.get(next)
            && costs[*function] > Cost::Bounded
            && !args.iter().any(|a| results.contains(a))
        {
            results.push(*dst);
            next += 1;
        }
        let mut group = results.len();
        if let End::Context { args, .. } = &block.end
            && next == block.steps.len()
            && !args.iter().any(|a| results.contains(a))
        {
            group += 1;
        }
        for (i, step) in block.steps[first..next].iter_mut().enumerate() {
            if let Step::Call { siblings, .. } = step {
                *siblings = (group - 1 - i) as u32;
            }
        }
        first = next.max(first + 1);
    }
}
