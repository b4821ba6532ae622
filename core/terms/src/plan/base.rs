//! Base cases of recursive functions, for call sites: a call that is one never becomes a frame.
//!
//! A base case of depth 1 is a body as far as it gets without a call. One of depth k has base cases of depth k - 1 in the place of the
//! calls: where all of these have values, it has one, too.

mod deferred;
mod unbox;
mod unfold;

use crate::plan::cost::Callees;
use crate::plan::ir::*;
use gchr_base::ids::IdVec;

/// The deepest base case: three levels of a tree.
const DEPTH: u32 = 3;
/// The largest base case. Bitonic sort takes as long with 60 and with 120, and a fifth more with 150 (one H200).
const MAX_BASE: usize = 90;
/// What all copies of base cases, one at each call site, may add to the code of a program.
const BUDGET: usize = 1500;

/// A base case: a body of a function with locals of its own.
#[derive(Clone)]
struct Base {
    locals: IdVec<LocalId, Local>,
    block: Block,
}

/// The pass `base-cases`: fills in [`Function::base`]. Runs last, so that a base case accounts for references as the body does.
pub(super) fn base_cases(plan: &mut TermPlan) {
    let mut depths: Vec<IdVec<FunctionId, Option<Base>>> = Vec::new();
    let none = plan.functions.iter().map(|_| None).collect();
    for _ in 0..DEPTH {
        let known = depths.last().unwrap_or(&none);
        let deeper = plan.functions.ids().map(|id| {
            // What has become too large stays as deep as it was.
            unfold::unfold(plan, id, known, MAX_BASE).or_else(|| known[id].clone())
        });
        depths.push(deeper.collect());
    }
    let sites = call_sites(plan);
    let mut left = BUDGET;
    let recursive = Callees::of(plan).components().into_iter().filter(|(_, recursive)| *recursive);
    for member in recursive.flat_map(|(members, _)| members).collect::<Vec<_>>() {
        let bases = depths.iter_mut().rev().filter_map(|bases| bases[member].take());
        let found =
            bases.map(|base| (base.block.size() * sites[member], base)).find(|(size, _)| *size <= left);
        if let Some((size, base)) = found {
            left -= size;
            let function = &mut plan.functions[member];
            function.locals = base.locals;
            function.base = Some(Box::new(base.block));
        }
    }
}

/// By function: how many calls of it there are.
fn call_sites(plan: &TermPlan) -> IdVec<FunctionId, usize> {
    let mut sites: IdVec<FunctionId, usize> = plan.functions.iter().map(|_| 0).collect();
    for (id, function) in plan.functions.iter_enumerated() {
        function.region.body.walk(&mut |block| {
            for step in &block.steps {
                if let Step::Call { function, .. } = step {
                    sites[*function] += 1;
                }
            }
            match block.end {
                End::Context { target: Target::Again, .. } => sites[id] += 1,
                End::Context { target: Target::Function(function), .. } => sites[function] += 1,
                _ => {}
            }
        });
    }
    sites
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

/// Whether a step gets to an application that no rule matches on all ways. Code behind it is never reached, and may use what nobody holds.
fn always_fails(step: &Step) -> bool {
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
