//! Copies blocks with fresh locals: into another function for inlining, out of one for outlining.

use crate::plan::ir::*;
use gchr_base::hash::{HashMap, HashSet};
use gchr_base::ids::IdVec;

/// Copies blocks of a function with the given locals into another function.
pub(super) struct Copier<'a> {
    /// Locals of the function that is copied from; none when that is the function copied into.
    pub(super) from: Option<&'a IdVec<LocalId, Local>>,
    /// Result of the function that is copied from.
    pub(super) result: gchr_base::signature::SortId,
    /// The function that is copied into.
    pub(super) into: &'a mut Function,
    /// New locals for those bound so far. A local that is not here keeps its id.
    pub(super) map: HashMap<LocalId, LocalId>,
}

impl Copier<'_> {
    /// A fresh local of the function copied into for `local`; a parameter of a region that is borrowed stays so.
    pub(super) fn bind(&mut self, local: LocalId) -> LocalId {
        let copy = self.from.unwrap_or(&self.into.locals)[local].clone();
        let new = self.into.locals.push(copy);
        self.map.insert(local, new);
        new
    }
    /// The local to use in place of `local`.
    pub(super) fn local(&self, local: LocalId) -> LocalId {
        self.map.get(&local).copied().unwrap_or(local)
    }
    fn locals(&self, locals: &[LocalId]) -> Vec<LocalId> {
        locals.iter().map(|&l| self.local(l)).collect()
    }

    /// Copies a block. `nested`: it becomes part of a nested region, where tail calls are calls whose value is
    /// returned.
    pub(super) fn block(&mut self, block: &Block, nested: bool) -> Block {
        let mut steps: Vec<Step> = block.steps.iter().map(|s| self.step(s)).collect();
        let end = self.end(&block.end, nested, &mut steps);
        Block { applied: block.applied.clone(), steps, end }
    }

    /// Copies a step.
    pub(super) fn step(&mut self, step: &Step) -> Step {
        let mut copy = match step {
            Step::Region { inits, region, dst } => {
                let inits = self.locals(inits);
                let params = region.params.iter().map(|&p| self.bind(p)).collect();
                let body = self.block(&region.body, true);
                let dst = self.bind(*dst);
                return Step::Region { dst, inits, region: Box::new(Region { params, body }) };
            }
            other => other.clone(),
        };
        for l in copy.uses_mut() {
            *l = self.local(*l);
        }
        if let Step::Ref(RefStep::Open { fields, .. }) = &mut copy {
            fields.iter_mut().flatten().for_each(|f| *f = self.local(*f));
        }
        if let Step::Call { live, siblings, .. } = &mut copy {
            live.clear();
            *siblings = 0;
        }
        if let Some(dst) = step.dst() {
            let new = self.bind(dst);
            copy.set_dst(new);
        }
        copy
    }

    /// Copies an end; see [`Self::block`]. What must come before it is added to the steps.
    pub(super) fn end(&mut self, end: &End, nested: bool, steps: &mut Vec<Step>) -> End {
        match end {
            End::Return(value) => End::Return(self.local(*value)),
            End::TailCall { function, args } => {
                let args = self.locals(args);
                if !nested {
                    return End::TailCall { function: *function, args };
                }
                let dst = self.into.local("v", self.result);
                steps.push(Step::call(dst, *function, args));
                End::Return(dst)
            }
            End::Continue(args) => End::Continue(self.locals(args)),
            End::NoRule { symbol, args } => End::NoRule { symbol: *symbol, args: self.locals(args) },
            End::Context { hole, nest, target, args } => {
                let args = self.locals(args);
                let hole = self.bind(*hole);
                let nest = nest.iter().map(|s| self.step(s)).collect();
                End::Context { hole, nest, target: *target, args }
            }
            End::Match { on, arms, default } => {
                let on = self.local(*on);
                let arms = arms.iter().map(|arm| self.arm(arm, nested)).collect();
                let default = default.as_ref().map(|b| Box::new(self.block(b, nested)));
                End::Match { on, arms, default }
            }
            End::If { test, then, otherwise } => {
                let mut test = test.clone();
                test.uses_mut().for_each(|l| *l = self.local(*l));
                let then = Box::new(self.block(then, nested));
                let otherwise = Box::new(self.block(otherwise, nested));
                End::If { test, then, otherwise }
            }
        }
    }

    fn arm(&mut self, arm: &Arm, nested: bool) -> Arm {
        let fields = arm.fields.iter().map(|f| f.map(|f| self.bind(f))).collect();
        Arm { symbol: arm.symbol, fields, body: self.block(&arm.body, nested) }
    }
}

impl Step {
    /// Binds another local instead.
    pub(super) fn set_dst(&mut self, new: LocalId) {
        match self {
            Step::Const { dst, .. }
            | Step::Build { dst, .. }
            | Step::Repeat { dst, .. }
            | Step::Operate { dst, .. }
            | Step::Call { dst, .. }
            | Step::Region { dst, .. } => *dst = new,
            Step::Ref(RefStep::Open { token, .. }) => *token = token.map(|_| new),
            Step::Trace { .. } | Step::Ref(_) => {}
        }
    }
}

/// Locals that a block uses and does not bind, in order of their ids.
pub(super) fn free_locals(block: &Block) -> Vec<LocalId> {
    let (mut used, mut bound) = (Vec::new(), Vec::new());
    block.walk(&mut |b| {
        for step in &b.steps {
            used.extend(step.uses());
            bound.extend(step.dst());
            if let Step::Region { region, .. } = step {
                bound.extend_from_slice(&region.params);
            }
        }
        used.extend(b.end.uses());
        match &b.end {
            End::Match { arms, .. } => {
                arms.iter().for_each(|arm| bound.extend(arm.fields.iter().flatten()));
            }
            End::Context { hole, nest, .. } => {
                bound.push(*hole);
                nest.iter().for_each(|s| {
                    used.extend(s.uses());
                    bound.extend(s.dst());
                });
            }
            _ => {}
        }
    });
    used.sort_unstable();
    used.dedup();
    bound.sort_unstable();
    used.retain(|l| bound.binary_search(l).is_err());
    used
}

/// Locals that a step uses and that are bound outside of it.
pub(super) fn free_locals_of(step: &Step) -> Vec<LocalId> {
    match step {
        Step::Region { .. } => {
            let end = End::Continue(Vec::new());
            free_locals(&Block { applied: Vec::new(), steps: vec![step.clone()], end })
        }
        Step::Ref(RefStep::Open { cell, .. }) => vec![*cell],
        other => other.uses().collect(),
    }
}

/// A step without the tokens that have no memory.
pub(super) fn without_memory(step: &mut Step, empty: &HashSet<LocalId>) {
    match step {
        Step::Build { reuse, .. } => *reuse = reuse.filter(|token| !empty.contains(token)),
        Step::Region { region, .. } => block_without_memory(&mut region.body, empty),
        _ => {}
    }
}

fn block_without_memory(block: &mut Block, empty: &HashSet<LocalId>) {
    block.steps.retain(|s| !matches!(s, Step::Ref(RefStep::Free { token }) if empty.contains(token)));
    block.steps.iter_mut().for_each(|step| without_memory(step, empty));
    block.end.blocks_mut().into_iter().for_each(|b| block_without_memory(b, empty));
}
