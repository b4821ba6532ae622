//! Split points: brings calls that do not need each other's results together, cheapest first, and counts them.
//!
//! All steps of a block are evaluated in any case, so their order is free as long as none uses a local that a later one
//! binds. Result and rule applications stay the same; when several steps would fail, another one of them may be the
//! first.

use crate::plan::copy::free_locals;
use crate::plan::cost::{self, Cost};
use crate::plan::ir::*;
use gchr_base::ids::IdVec;

/// The pass `split`: fills in [`Step::Call::siblings`].
pub(super) fn split(plan: &mut TermPlan) {
    let costs = cost::costs(plan);
    let ids: Vec<FunctionId> = plan.functions.ids().collect();
    for id in ids {
        Splitter { costs: &costs, id }.block(&mut plan.functions[id].region.body);
    }
}

struct Splitter<'a> {
    costs: &'a IdVec<FunctionId, Cost>,
    /// The current function.
    id: FunctionId,
}

impl Splitter<'_> {
    fn block(&self, block: &mut Block) {
        for step in &mut block.steps {
            if let Step::Region { region, .. } = step {
                self.block(&mut region.body);
            }
        }
        let before = self.before_trees(block);
        let steps = std::mem::take(&mut block.steps);
        block.steps = self.schedule(steps, &block.end, &before);
        self.count(block, &before);
        block.end.blocks_mut().into_iter().for_each(|b| self.block(b));
    }

    fn cost(&self, step: &Step) -> Cost {
        match step {
            Step::Call { function, .. } => self.costs[*function],
            _ => Cost::Bounded,
        }
    }

    /// The cost of the call of a context.
    fn cost_at_end(&self, end: &End) -> Cost {
        match end {
            End::Context { target: Target::Function(f), .. } => self.costs[*f],
            End::Context { target: Target::Again, .. } => self.costs[self.id],
            _ => Cost::Bounded,
        }
    }

    /// Results of chains that a tree of calls needs. The chains come first and by themselves, so that trees are
    /// siblings of trees.
    fn before_trees(&self, block: &Block) -> Vec<LocalId> {
        let chains = block.steps.iter().enumerate().filter(|(_, step)| self.cost(step) == Cost::Chain);
        let feeds = |at: usize, result: LocalId| {
            let mut with = vec![result];
            for step in &block.steps[at + 1..] {
                if !needs(step).iter().any(|l| with.contains(l)) {
                    continue;
                }
                match self.cost(step) {
                    Cost::Tree => return true,
                    Cost::Chain => {}
                    Cost::Bounded => with.extend(step.dst()),
                }
            }
            let End::Context { args, .. } = &block.end else { return false };
            self.cost_at_end(&block.end) == Cost::Tree && args.iter().any(|l| with.contains(l))
        };
        chains.filter_map(|(at, step)| step.dst().filter(|&dst| feeds(at, dst))).collect()
    }

    /// Orders steps so that each call comes as soon as its arguments are available, next to the other calls that are
    /// ready.
    fn schedule(&self, steps: Vec<Step>, end: &End, before: &[LocalId]) -> Vec<Step> {
        let at_end = usize::from(self.cost_at_end(end) > Cost::Bounded);
        if steps.iter().filter(|s| self.cost(s) > Cost::Bounded).count() + at_end < 2 {
            return steps;
        }
        let mut left: Vec<Option<Step>> = steps.into_iter().map(Some).collect();
        let mut done = Vec::with_capacity(left.len());
        while left.iter().any(Option::is_some) {
            // All steps that are ready and no split points, and those that become ready by them.
            take_ready(&mut left, &mut done, &|step| self.cost(step) == Cost::Bounded, true);
            let first = done.len();
            take_ready(&mut left, &mut done, &|step| step.dst().is_some_and(|d| before.contains(&d)), false);
            if done.len() > first {
                continue;
            }
            take_ready(&mut left, &mut done, &|step| self.cost(step) > Cost::Bounded, false);
            done[first..].sort_by_key(|step| self.cost(step));
        }
        done
    }

    /// Counts the siblings of each call, a context's call at the end of the block included.
    fn count(&self, block: &mut Block, before: &[LocalId]) {
        let mut first = 0;
        while first < block.steps.len() {
            let mut results = Vec::new();
            let mut next = first;
            while let Some(Step::Call { dst, function, args, .. }) = block.steps.get(next)
                && self.costs[*function] > Cost::Bounded
                && !before.contains(dst)
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
}

/// Moves the wanted steps that use nothing bound by a step that is left. `chained`: those that only need steps moved
/// here, too.
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
