//! Which calls are code of their caller: those of loops and of chains of cells, which need no frame to come back to.
//!
//! A function is *leaf* when it calls nothing but leaf functions, besides going round itself. Such a call is a loop in
//! the place where it stands, with a context of its own; lanes of a warp that do the same meet again behind it. Calls
//! that may become tasks stay calls.
//!
//! Where threads must be able to stop and go on later, a thread that gets no cell inside of a leaf function goes back
//! to before its call. One that gets nowhere like this takes the call like any other ([`Direct::builds`] says where
//! that can happen).

use gchr_base::hash::HashSet;
use gchr_base::ids::IdVec;
use gchr_terms::plan::{Block, End, FunctionId, Step, Target, TermPlan};

use super::equality::Equality;

/// The largest leaf function, with what it calls. Larger ones were slower in the place of their calls: the lexer's text
/// of 64 steps by a third. Presumably lanes that come to such a loop one after the other go through it so, while frames
/// let them meet in every turn.
const MOST: usize = 32;
/// What all copies may add to the code of a program.
const BUDGET: usize = 1500;

/// Calls without frames.
pub struct Direct {
    steps: HashSet<*const Step>,
    ends: HashSet<*const End>,
    /// By function: whether it, or what it calls, builds cells.
    builders: IdVec<FunctionId, bool>,
}

impl Direct {
    /// Chooses them.
    pub fn new(plan: &TermPlan, equality: &Equality) -> Self {
        let sizes = leaf(plan, equality);
        let builders = builders(plan);
        let mut direct = Self { steps: HashSet::default(), ends: HashSet::default(), builders };
        let mut left = BUDGET;
        let mut pays = |function: FunctionId| {
            let size = sizes[function].filter(|&size| size <= left);
            left -= size.unwrap_or(0);
            size.is_some()
        };
        for function in plan.functions.iter() {
            function.region.body.walk(&mut |block| {
                for (at, step) in block.steps.iter().enumerate() {
                    let Step::Call { function, siblings: 0, .. } = step else { continue };
                    if !in_group(block, at) && pays(*function) {
                        direct.steps.insert(std::ptr::from_ref(step));
                    }
                }
                let last = block.steps.len();
                if let Some(function) = called_at_end(&block.end)
                    && !in_group(block, last)
                    && pays(function)
                {
                    direct.ends.insert(std::ptr::from_ref(&block.end));
                }
            });
        }
        direct
    }

    /// Whether a step is a call that needs no frame.
    pub fn step(&self, step: &Step) -> bool {
        self.steps.contains(&std::ptr::from_ref(step))
    }

    /// Whether a function, or what it calls, builds cells.
    pub fn builds(&self, function: FunctionId) -> bool {
        self.builders[function]
    }

    /// Whether the function at the end of a block is part of the code there.
    pub fn end(&self, end: &End) -> bool {
        self.ends.contains(&std::ptr::from_ref(end))
    }
}

/// Whether the call at a place is a sibling of one before it; the end of the block is a place, too.
pub(super) fn in_group(block: &Block, at: usize) -> bool {
    let reaches = |(i, step): (usize, &Step)| matches!(step, Step::Call { siblings, .. } if i + *siblings as usize >= at);
    block.steps[..at].iter().enumerate().any(reaches)
}

pub(super) fn called_at_end(end: &End) -> Option<FunctionId> {
    match end {
        End::TailCall { function, .. } | End::Context { target: Target::Function(function), .. } => {
            Some(*function)
        }
        _ => None,
    }
}

/// Functions that build cells, or call some that do.
fn builders(plan: &TermPlan) -> IdVec<FunctionId, bool> {
    let mut builders: IdVec<FunctionId, bool> = plan.functions.iter().map(|_| false).collect();
    loop {
        let mut changed = false;
        for (id, function) in plan.functions.iter_enumerated() {
            let mut builds = builders[id];
            function.region.body.walk(&mut |block| {
                builds |= matches!(block.end, End::Context { .. });
                builds |= called_at_end(&block.end).is_some_and(|f| builders[f]);
                builds |= block.steps.iter().any(|step| match step {
                    Step::Build { .. } | Step::Repeat { .. } => true,
                    Step::Call { function, .. } => builders[*function],
                    _ => false,
                });
            });
            changed |= builds != builders[id];
            builders[id] = builds;
        }
        if !changed {
            return builders;
        }
    }
}

/// Sizes of the leaf functions, copies of what they call included; none of others. Callees first, so there is no
/// circle.
fn leaf(plan: &TermPlan, equality: &Equality) -> IdVec<FunctionId, Option<usize>> {
    let mut sizes: IdVec<FunctionId, Option<usize>> = plan.functions.iter().map(|_| None).collect();
    loop {
        let mut changed = false;
        for (id, function) in plan.functions.iter_enumerated() {
            // A comparison of terms looks first whether they are the same one.
            if sizes[id].is_some() || equality.compares(id) {
                continue;
            }
            let mut size = Some(function.region.body.size());
            function.region.body.walk(&mut |block| {
                let steps = block.steps.iter().filter_map(|step| match step {
                    Step::Call { function, .. } => Some(*function),
                    _ => None,
                });
                for callee in steps.chain(called_at_end(&block.end)) {
                    size = size.zip(sizes[callee]).map(|(a, b)| a + b);
                }
            });
            sizes[id] = size.filter(|&size| size <= MOST);
            changed |= sizes[id].is_some();
        }
        if !changed {
            return sizes;
        }
    }
}
