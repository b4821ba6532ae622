//! Tail calls and tail calls modulo constructors (TRMC): what would be a stack of pending frames becomes a loop.
//!
//! A tail call modulo constructors builds the cells around a call first (the *context*) and passes the
//! place of the missing field on.

use crate::plan::ir::*;
use crate::plan::live::LocalSet;
use gchr_base::ids::Id;

/// The pass `tail-calls`: a call whose value is returned at once becomes an end; one of the function itself, a loop.
pub(super) fn tail_calls(plan: &mut TermPlan) {
    let ids: Vec<FunctionId> = plan.functions.ids().collect();
    for id in ids {
        let body = &mut plan.functions[id].region.body;
        body.for_each_tail_mut(&mut |block| {
            if let (Some(Step::Call { dst, .. }), End::Return(value)) = (block.steps.last(), &block.end)
                && dst == value
                && let Some(Step::Call { function, args, .. }) = block.steps.pop()
            {
                block.end = End::TailCall { function, args };
            }
            if let End::TailCall { function, args } = &mut block.end
                && *function == id
            {
                block.end = End::Continue(std::mem::take(args));
            }
        });
    }
}

/// The pass `contexts`: a last call whose value only goes into cells that are returned passes the hole on.
pub(super) fn contexts(plan: &mut TermPlan) {
    let ids: Vec<FunctionId> = plan.functions.ids().collect();
    for id in ids {
        let function = &plan.functions[id];
        if plan.layout.sorts[function.result].is_wide() {
            continue;
        }
        let wide: Vec<bool> = function.locals.iter().map(|l| plan.layout.sorts[l.sort].is_wide()).collect();
        let body = &mut plan.functions[id].region.body;
        body.for_each_tail_mut(&mut |block| {
            context(block, id, &wide);
        });
    }
}

fn context(block: &mut Block, id: FunctionId, wide: &[bool]) -> Option<()> {
    let End::Return(value) = block.end else { return None };
    let call = block
        .steps
        .iter()
        .rposition(|s| !matches!(s, Step::Build { .. } | Step::Repeat { .. } | Step::Const { .. }))?;
    let Step::Call { dst: hole, .. } = block.steps[call] else { return None };
    if wide[hole.index()] {
        return None;
    }
    // The chain of cells from the one with the hole outwards, each used once and by the next; everything else can be
    // built before the call.
    let mut nest = vec![false; block.steps.len()];
    let mut chain = LocalSet::default();
    chain.insert(hole);
    let mut last = hole;
    for (i, step) in block.steps.iter().enumerate().skip(call + 1) {
        let mut inside = step.uses().filter(|&l| chain.contains(l));
        match (inside.next(), inside.next()) {
            (None, _) => {}
            (Some(only), None) if only == last => {
                nest[i] = true;
                last = step.dst()?;
                chain.insert(last);
            }
            _ => return None,
        }
    }
    if last == hole || last != value {
        return None;
    }
    let mut before = Vec::new();
    let mut inside = Vec::new();
    let mut called = None;
    for (i, step) in block.steps.drain(..).enumerate() {
        if nest[i] {
            inside.push(step);
        } else if i == call {
            called = Some(step);
        } else {
            before.push(step);
        }
    }
    block.steps = before;
    if let Some(Step::Call { function, args, .. }) = called {
        let target = if function == id { Target::Again } else { Target::Function(function) };
        block.end = End::Context { hole, nest: inside, target, args };
    }
    Some(())
}
