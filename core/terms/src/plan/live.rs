//! Liveness: which locals are needed later. Fills in the resume points of calls; the CPU's slot allocation uses it too.

use crate::plan::ir::*;
use gchr_base::hash::HashMap;

/// A set of locals of one function: 64 neighbours share a word, so that a set is small if it has few of many locals,
/// and if it has most of them.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct LocalSet(
    /// Locals divided by 64, in order, with the bits of those that are in the set: at least one each.
    Vec<(u32, u64)>,
);

impl LocalSet {
    fn find(&self, local: LocalId) -> Result<usize, usize> {
        self.0.binary_search_by_key(&(local.0 / 64), |&(word, _)| word)
    }
    /// Adds a local.
    pub fn insert(&mut self, local: LocalId) {
        let bit = 1 << (local.0 % 64);
        match self.find(local) {
            Ok(at) => self.0[at].1 |= bit,
            Err(at) => self.0.insert(at, (local.0 / 64, bit)),
        }
    }
    /// Removes a local.
    pub fn remove(&mut self, local: LocalId) {
        if let Ok(at) = self.find(local) {
            self.0[at].1 &= !(1 << (local.0 % 64));
            if self.0[at].1 == 0 {
                self.0.remove(at);
            }
        }
    }
    /// Whether a local is in the set.
    pub fn contains(&self, local: LocalId) -> bool {
        self.find(local).is_ok_and(|at| self.0[at].1 >> (local.0 % 64) & 1 == 1)
    }
    /// Adds all of another set.
    pub fn union(&mut self, other: &LocalSet) {
        let mut at = 0;
        for &(word, bits) in &other.0 {
            at += self.0[at..].partition_point(|&(own, _)| own < word);
            match self.0.get_mut(at) {
                Some((own, known)) if *own == word => *known |= bits,
                _ => self.0.insert(at, (word, bits)),
            }
        }
    }
    fn take(&mut self, mut other: LocalSet) {
        if self.0.len() < other.0.len() {
            std::mem::swap(self, &mut other);
        }
        self.union(&other);
    }
    /// Removes all that another set does not have, and hands them to `removed`.
    pub fn retain(&mut self, kept: &LocalSet, removed: &mut dyn FnMut(LocalId)) {
        let mut at = 0;
        self.0.retain_mut(|(word, bits)| {
            at += kept.0[at..].partition_point(|&(other, _)| other < *word);
            let keep = kept.0.get(at).filter(|(other, _)| other == word).map_or(0, |&(_, bits)| bits);
            each(*word, *bits & !keep, removed);
            *bits &= keep;
            *bits != 0
        });
    }
    /// Removes all that another set does not have.
    pub fn intersect(&mut self, kept: &LocalSet) {
        let mut at = 0;
        self.0.retain_mut(|(word, bits)| {
            at += kept.0[at..].partition_point(|&(other, _)| other < *word);
            *bits &= kept.0.get(at).filter(|(other, _)| other == word).map_or(0, |&(_, bits)| bits);
            *bits != 0
        });
    }
    /// How many words hold it: at most so many times 64 locals.
    pub fn words(&self) -> usize {
        self.0.len()
    }
    /// The locals in order.
    pub fn iter(&self) -> impl Iterator<Item = LocalId> + '_ {
        self.0.iter().flat_map(|&(word, bits)| {
            let after = |&bits: &u64| Some(bits & (bits - 1)).filter(|&left| left != 0);
            std::iter::successors(Some(bits), after)
                .map(move |bits| LocalId(word * 64 + bits.trailing_zeros()))
        })
    }
}

fn each(word: u32, mut bits: u64, f: &mut dyn FnMut(LocalId)) {
    while bits != 0 {
        f(LocalId(word * 64 + bits.trailing_zeros()));
        bits &= bits - 1;
    }
}

/// Locals needed before each step of a block and before its end (one set more than there are steps), when `after` are
/// needed after the region that the block belongs to. Looks at all blocks below: where these are looked at too,
/// [`Before`] knows.
pub fn before_steps(block: &Block, after: &LocalSet) -> Vec<LocalSet> {
    steps(block, before_end(&block.end, after))
}

/// Locals needed before a block.
pub fn before_block(block: &Block, after: &LocalSet) -> LocalSet {
    let live = before_end(&block.end, after);
    block.steps.iter().rev().fold(live, |live, step| before_step(step, live))
}

fn steps(block: &Block, before_end: LocalSet) -> Vec<LocalSet> {
    let mut live = before_end;
    let mut sets = vec![live.clone()];
    for step in block.steps.iter().rev() {
        live = before_step(step, live);
        sets.push(live.clone());
    }
    sets.reverse();
    sets
}

/// The locals needed before each block of a region, nested regions left out: found once, from the leaves up.
#[derive(Default)]
pub struct Before(HashMap<*const Block, LocalSet>);

impl Before {
    /// Of the body of a region, when `after` are needed after it.
    pub fn new(body: &Block, after: &LocalSet) -> Self {
        let mut before = Self::default();
        before.note(body, after);
        before
    }

    fn note(&mut self, block: &Block, after: &LocalSet) -> LocalSet {
        let live = end(&block.end, after, &mut |below| self.note(below, after));
        let live = block.steps.iter().rev().fold(live, |live, step| before_step(step, live));
        self.0.insert(block, live.clone());
        live
    }

    /// Locals needed before a block of the region; none for a block of another one.
    pub fn block(&self, block: &Block) -> LocalSet {
        self.0.get(&std::ptr::from_ref(block)).cloned().unwrap_or_default()
    }

    /// As [`before_steps`], for a block of the region.
    pub fn steps(&self, block: &Block, after: &LocalSet) -> Vec<LocalSet> {
        steps(block, end(&block.end, after, &mut |below| self.block(below)))
    }
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
pub fn before_end(end_: &End, after: &LocalSet) -> LocalSet {
    end(end_, after, &mut |block| before_block(block, after))
}

/// The same; `before` says what is needed before a block below.
fn end(end: &End, after: &LocalSet, before: &mut dyn FnMut(&Block) -> LocalSet) -> LocalSet {
    let mut live = match end {
        End::Match { arms, default, .. } => {
            let mut live = LocalSet::default();
            for arm in arms {
                let mut inside = before(&arm.body);
                arm.fields.iter().flatten().for_each(|&f| inside.remove(f));
                live.take(inside);
            }
            default.iter().for_each(|block| live.take(before(block)));
            live
        }
        End::If { then, otherwise, .. } => {
            let mut live = before(then);
            live.union(&before(otherwise));
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
        annotate_region(&mut function.region.body, &LocalSet::default());
    }
    plan.resume_points = true;
}

/// Resume points do not matter for liveness, so that what is known of the region stays right.
fn annotate_region(body: &mut Block, after: &LocalSet) {
    let before = Before::new(body, after);
    annotate_block(body, after, &before);
}

fn annotate_block(block: &mut Block, after: &LocalSet, before: &Before) {
    let sets = before.steps(block, after);
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
                annotate_region(&mut region.body, &around);
            }
            _ => {}
        }
    }
    block.end.blocks_mut().into_iter().for_each(|b| annotate_block(b, after, before));
}
