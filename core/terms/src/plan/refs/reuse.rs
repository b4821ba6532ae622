//! Reuse: the memory of an opened cell goes to a cell of the same class that is built later on the same path.

use crate::plan::ir::*;
use crate::plan::layout::{ClassId, Layout};
use crate::plan::live;
use gchr_base::ids::{Id, IdVec};

/// The pass `reuse`: tokens for opened cells, the next new cell on each path takes them.
pub(in crate::plan) fn reuse(plan: &mut TermPlan) {
    let layout = &plan.layout;
    for function in plan.functions.iter_mut() {
        let Function { locals, region, .. } = function;
        block(&mut region.body, layout, locals);
    }
    live::annotate(plan);
}

fn block(block: &mut Block, layout: &Layout, locals: &mut IdVec<LocalId, Local>) {
    for at in 0..block.steps.len() {
        match &mut block.steps[at] {
            Step::Region { region, .. } => self::block(&mut region.body, layout, locals),
            Step::Ref(RefStep::Open { cell, symbol, token, .. }) => {
                let class = layout.variant(*symbol).and_then(|v| v.class);
                let sort = locals[*cell].sort;
                let new = LocalId::from_index(locals.len());
                *token = Some(new);
                if place(block, at + 1, layout, class, new) {
                    locals.push(Local { name: "token".into(), sort, borrowed: false });
                } else if let Step::Ref(RefStep::Open { token, .. }) = &mut block.steps[at] {
                    *token = None;
                }
            }
            _ => {}
        }
    }
    block.end.blocks_mut().into_iter().for_each(|b| self::block(b, layout, locals));
}

/// Whether a step builds a cell of a class.
fn builds(layout: &Layout, step: &Step, class: Option<ClassId>) -> bool {
    match step {
        Step::Build { symbol, reuse: None, .. } => {
            class.is_some() && layout.variant(*symbol).is_some_and(|v| v.class == class)
        }
        _ => false,
    }
}

/// Whether some path through a block builds a cell of a class, nested regions not included.
pub(super) fn fits(layout: &Layout, block: &Block, class: Option<ClassId>) -> bool {
    let inside = |end: &End| match end {
        End::Context { nest, .. } => nest.iter().any(|s| builds(layout, s, class)),
        _ => false,
    };
    block.steps.iter().any(|s| builds(layout, s, class))
        || inside(&block.end)
        || block.end.blocks().into_iter().any(|b| fits(layout, b, class))
}

/// Gives a token to the first fitting cell on each path from a step on, and frees it on paths without one. Does nothing
/// and says so when there is no such cell at all.
fn place(block: &mut Block, from: usize, layout: &Layout, class: Option<ClassId>, token: LocalId) -> bool {
    let steps = block.steps.iter_mut().skip(from);
    let nest: &mut [Step] = match &mut block.end {
        End::Context { nest, .. } => nest,
        _ => &mut [],
    };
    for step in steps.chain(nest) {
        if builds(layout, step, class)
            && let Step::Build { reuse, .. } = step
        {
            *reuse = Some(token);
            return true;
        }
    }
    let below = block.end.blocks_mut();
    if !below.iter().any(|b| fits(layout, b, class)) {
        return false;
    }
    for block in below {
        if !place(block, 0, layout, class, token) {
            block.steps.insert(0, Step::Ref(RefStep::Free { token }));
        }
    }
    true
}
