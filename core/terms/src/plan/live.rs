//! Liveness: which locals are needed later. Fills in the resume points of calls; the CPU's slot allocation uses it too.

use crate::plan::ir::*;
use gchr_base::ids::Id;

/// A set of locals of one function.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct LocalSet(Vec<u64>);

impl LocalSet {
    /// Adds a local.
    pub fn insert(&mut self, local: LocalId) {
        let (word, bit) = (local.index() / 64, local.index() % 64);
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << bit;
    }
    /// Removes a local.
    pub fn remove(&mut self, local: LocalId) {
        if let Some(word) = self.0.get_mut(local.index() / 64) {
            *word &= !(1 << (local.index() % 64));
        }
    }
    /// Whether a local is in the set.
    pub fn contains(&self, local: LocalId) -> bool {
        self.0.get(local.index() / 64).is_some_and(|w| w >> (local.index() % 64) & 1 == 1)
    }
    /// Adds all of another set.
    pub fn union(&mut self, other: &LocalSet) {
        if other.0.len() > self.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
    }
    /// The locals in order.
    pub fn iter(&self) -> impl Iterator<Item = LocalId> + '_ {
        self.0.iter().enumerate().flat_map(|(i, &word)| {
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| LocalId::from_index(i * 64 + bit))
        })
    }
}

/// Locals needed before each step of a block and before its end (one set more than there are steps), when `after` are
/// needed after the region that the block belongs to.
pub fn before_steps(block: &Block, after: &LocalSet) -> Vec<LocalSet> {
    let mut live = before_end(&block.end, after);
    let mut sets = vec![live.clone()];
    for step in block.steps.iter().rev() {
        live = before_step(step, live);
        sets.push(live.clone());
    }
    sets.reverse();
    sets
}

/// Locals needed before a block.
pub fn before_block(block: &Block, after: &LocalSet) -> LocalSet {
    let live = before_end(&block.end, after);
    block.steps.iter().rev().fold(live, |live, step| before_step(step, live))
}

/// Locals needed inside a region at every point because control may come back to its head: those bound outside.
pub fn around_loop(region: &Region, after: &LocalSet) -> LocalSet {
    let mut around = after.clone();
    if region.is_loop() {
        let mut inside = before_block(&region.body, after);
        region.params.iter().for_each(|&p| inside.remove(p));
        around.union(&inside);
    }
    around
}

fn before_step(step: &Step, mut live: LocalSet) -> LocalSet {
    if let Some(dst) = step.dst() {
        live.remove(dst);
    }
    if let Step::Region { region, .. } = step {
        live = before_block(&region.body, &live);
        region.params.iter().for_each(|&p| live.remove(p));
    }
    step.uses().for_each(|l| live.insert(l));
    live
}

/// Locals needed before an end.
pub fn before_end(end: &End, after: &LocalSet) -> LocalSet {
    let mut live = match end {
        End::Match { arms, default, .. } => {
            let mut live = LocalSet::default();
            for arm in arms {
                let mut inside = before_block(&arm.body, after);
                arm.fields.iter().flatten().for_each(|&f| inside.remove(f));
                live.union(&inside);
            }
            default.iter().for_each(|block| live.union(&before_block(block, after)));
            live
        }
        End::If { then, otherwise, .. } => {
            let mut live = before_block(then, after);
            live.union(&before_block(otherwise, after));
            live
        }
        End::Context { hole, nest, .. } => {
            let mut live = LocalSet::default();
            for step in nest {
                step.uses().for_each(|l| live.insert(l));
            }
            nest.iter().filter_map(Step::dst).for_each(|d| live.remove(d));
            live.remove(*hole);
            live
        }
        End::NoRule { .. } => LocalSet::default(),
        End::Return(_) | End::TailCall { .. } | End::Continue(_) => after.clone(),
    };
    end.uses().into_iter().for_each(|l| live.insert(l));
    live
}

/// The pass `liveness`: fills in the resume point of each call.
pub(super) fn annotate(plan: &mut TermPlan) {
    for function in plan.functions.iter_mut() {
        annotate_block(&mut function.region.body, &LocalSet::default());
    }
    plan.resume_points = true;
}

fn annotate_block(block: &mut Block, after: &LocalSet) {
    let sets = before_steps(block, after);
    for (i, step) in block.steps.iter_mut().enumerate() {
        match step {
            Step::Call { dst, live, .. } => {
                let mut set = sets[i + 1].clone();
                set.remove(*dst);
                *live = set.iter().collect();
            }
            Step::Region { dst, region, .. } => {
                let mut set = sets[i + 1].clone();
                set.remove(*dst);
                let around = around_loop(region, &set);
                annotate_block(&mut region.body, &around);
            }
            _ => {}
        }
    }
    block.end.blocks_mut().into_iter().for_each(|b| annotate_block(b, after));
}
