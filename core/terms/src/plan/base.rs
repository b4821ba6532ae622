//! Base cases of recursive functions, for call sites: a call that reaches a base case needs no frame.
//!
//! A base case of depth 1 is a body up to its calls. One of depth k has base cases of depth k - 1 in place of the
//! calls: where all of these have values, it has one, too.

mod deferred;
mod unbox;
mod unfold;

use crate::plan::cost::Callees;
use crate::plan::ir::*;
use gchr_base::ids::IdVec;
use unfold::{Base, unfold};

/// The deepest base case: three levels of a tree.
const DEPTH: u32 = 3;
/// The largest base case. Bitonic sort takes as long with 60 and with 120, and a fifth more with 150 (one H200).
const MAX_BASE: usize = 90;
/// Limit of the code that all copies of base cases add to a program: it has to be compiled before the first step of a
/// run.
const BUDGET: usize = 800;
/// Steps of the largest program that has the whole budget. In a larger one, which takes longer to compile anyway, it is
/// as much smaller as the program is larger.
const SMALL_PROGRAM: usize = 400;

/// The pass `base-cases`: fills in [`Function::base`]. Runs last, so that a base case accounts for references as the
/// body does.
pub(super) fn base_cases(plan: &mut TermPlan) {
    let size: usize = plan.functions.iter().map(|function| function.region.body.size()).sum();
    let mut left = BUDGET * SMALL_PROGRAM / size.max(SMALL_PROGRAM);
    // A larger one would have no room, were there one copy of it.
    let most = MAX_BASE.min(left);
    let mut depths: Vec<IdVec<FunctionId, Option<Base>>> = Vec::new();
    let none = plan.functions.iter().map(|_| None).collect();
    for _ in 0..DEPTH {
        let known = depths.last().unwrap_or(&none);
        let deeper = plan.functions.ids().map(|id| {
            // A base case that becomes too large keeps the smaller depth.
            unfold(plan, id, known, most).or_else(|| known[id].clone())
        });
        depths.push(deeper.collect());
    }
    let copies = copies(plan);
    let recursive = Callees::of(plan).components().into_iter().filter(|(_, recursive)| *recursive);
    for member in recursive.flat_map(|(members, _)| members).collect::<Vec<_>>() {
        let bases = depths.iter_mut().rev().filter_map(|bases| bases[member].take());
        let found =
            bases.map(|base| (base.block.size() * copies[member], base)).find(|(size, _)| *size <= left);
        if let Some((size, base)) = found {
            left -= size;
            let function = &mut plan.functions[member];
            function.locals = base.locals;
            function.base = Some(Box::new(base.block));
        }
    }
}

/// By function: how many copies of its base case there would be. The code behind a call stands both at the call, for
/// when that is a base case, and at the place where the call comes back: so a call has a copy of its own for each call
/// before it.
fn copies(plan: &TermPlan) -> IdVec<FunctionId, usize> {
    let mut copies: IdVec<FunctionId, usize> = plan.functions.iter().map(|_| 0).collect();
    for (id, function) in plan.functions.iter_enumerated() {
        note_copies(&function.region.body, 0, id, &mut copies);
    }
    copies
}

/// Adds the copies for the calls of a block of the function `of`. `before`: the most calls on a way to the block; gives
/// those up to behind it.
fn note_copies(block: &Block, before: usize, of: FunctionId, copies: &mut IdVec<FunctionId, usize>) -> usize {
    let mut before = before;
    for step in &block.steps {
        match step {
            Step::Call { function, .. } => {
                copies[*function] += 1 + before;
                before += 1;
            }
            Step::Region { region, .. } => before = note_copies(&region.body, before, of, copies),
            _ => {}
        }
    }
    match block.end {
        End::Context { target: Target::Again, .. } => copies[of] += 1 + before,
        End::Context { target: Target::Function(function), .. } => copies[function] += 1 + before,
        _ => {}
    }
    let blocks = block.end.blocks().into_iter();
    blocks.map(|block| note_copies(block, before, of, copies)).max().unwrap_or(before)
}
