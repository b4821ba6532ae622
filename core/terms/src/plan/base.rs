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
/// Limit of the code that all copies of base cases add to a program, one at each call site.
const BUDGET: usize = 1500;

/// The pass `base-cases`: fills in [`Function::base`]. Runs last, so that a base case accounts for references as the body does.
pub(super) fn base_cases(plan: &mut TermPlan) {
    let mut depths: Vec<IdVec<FunctionId, Option<Base>>> = Vec::new();
    let none = plan.functions.iter().map(|_| None).collect();
    for _ in 0..DEPTH {
        let known = depths.last().unwrap_or(&none);
        let deeper = plan.functions.ids().map(|id| {
            // A base case that becomes too large keeps the smaller depth.
            unfold(plan, id, known, MAX_BASE).or_else(|| known[id].clone())
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
