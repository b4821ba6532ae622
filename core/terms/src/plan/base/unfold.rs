//! Base cases by symbolic execution: all paths through a body and the base cases that it calls, as one tree of
//! decisions.
//!
//! Steps with an effect (cells, references, rules that are counted) are deferred until a path has its value; before
//! that a path only computes the operands of its next decision. So a path without a value has no effect, and reads of
//! several calls are next to each other. A match on a cell that is still to be built is decided here, and the cell is
//! built only if something else needs it.

use crate::plan::copy::{Copier, free_locals_of, without_memory};
use crate::plan::effects::{always_ends, always_fails, is_pure_step, is_short};
use crate::plan::ir::*;
use crate::plan::live::LocalSet;
use crate::plan::simplify::drop_unused;
use gchr_base::hash::{HashMap, HashSet};
use gchr_base::ids::IdVec;
use gchr_base::rule::RuleId;
use gchr_base::signature::{SortId, SymbolId};

/// A base case: a body of a function with locals of its own.
#[derive(Clone)]
pub(super) struct Base {
    pub(super) locals: IdVec<LocalId, Local>,
    pub(super) block: Block,
}

/// Branches that are explored for each step of the largest base case: most have no value and become no step.
const FORKS: usize = 4;

/// The base case of a function, of at most this size, with these of the functions that it calls; none when no path has
/// a value.
pub(super) fn unfold(
    plan: &TermPlan,
    id: FunctionId,
    known: &IdVec<FunctionId, Option<Base>>,
    most: usize,
) -> Option<Base> {
    let function = &plan.functions[id];
    let params = &function.region.params;
    let into = Function {
        name: String::new(),
        result: function.result,
        locals: function.locals.clone(),
        region: Region { params: params.clone(), body: Block::returning(LocalId(0)) },
        base: None,
    };
    let mut unfolder = Unfolder { plan, id, known, into, left: most, forks: FORKS * most, too_large: false };
    let frame = Frame {
        locals: &function.locals,
        result: function.result,
        map: params.iter().map(|&p| (p, p)).collect(),
        block: &function.region.body,
        at: 0,
        is_base: false,
        then: Then::Return,
    };
    let mut path = Path::default();
    path.applied.clone_from(&frame.block.applied);
    path.frames.push(frame);
    let mut block = unfolder.run(path).filter(|_| !unfolder.too_large)?;
    drop_unused(&mut block, &mut LocalSet::default());
    Some(Base { locals: unfolder.into.locals, block })
}

/// A call on the stack of a path.
#[derive(Clone)]
struct Frame<'a> {
    locals: &'a IdVec<LocalId, Local>,
    result: SortId,
    /// The locals of the base case for its locals.
    map: HashMap<LocalId, LocalId>,
    block: &'a Block,
    /// The next step.
    at: usize,
    /// Whether a tail call means that there is no value.
    is_base: bool,
    then: Then<'a>,
}

impl Frame<'_> {
    fn local(&self, local: LocalId) -> LocalId {
        self.map.get(&local).copied().unwrap_or(local)
    }
}

/// The continuation of a frame: the use of the value of its current call.
#[derive(Clone, Copy)]
enum Then<'a> {
    Bind(LocalId),
    Return,
    Nest(LocalId, &'a [Step]),
}

/// A path from the beginning to a decision or a value.
#[derive(Clone, Default)]
pub(super) struct Path<'a> {
    frames: Vec<Frame<'a>>,
    applied: Vec<RuleId>,
    /// Steps before the next decision.
    now: Vec<Step>,
    /// Deferred steps: they follow all decisions.
    pub(super) late: Vec<Step>,
    /// Heads and fields of values, as far as they are known.
    pub(super) heads: HashMap<LocalId, (SymbolId, Vec<LocalId>)>,
    /// Tokens without memory.
    pub(super) empty: HashSet<LocalId>,
}

impl Path<'_> {
    /// Replaces a local by another one in all frames from here on.
    pub(super) fn rename(&mut self, local: LocalId, new: LocalId) {
        let known = self.frames.iter_mut().flat_map(|frame| frame.map.values_mut());
        known.filter(|l| **l == local).for_each(|l| *l = new);
    }
}

/// How a path continues after the end of a block.
enum Next {
    On,
    /// It is one of several from here, or it has a value, or none.
    Done(Option<Block>),
}

const MISS: Next = Next::Done(None);

pub(super) struct Unfolder<'a> {
    pub(super) plan: &'a TermPlan,
    id: FunctionId,
    known: &'a IdVec<FunctionId, Option<Base>>,
    /// The function under construction: has all locals of the base case.
    pub(super) into: Function,
    /// Steps and blocks that there may still be.
    left: usize,
    /// Branches that may still be explored, with or without a value.
    forks: usize,
    too_large: bool,
}

impl<'a> Unfolder<'a> {
    /// The rest of a path, and of those that it branches into.
    fn run(&mut self, mut path: Path<'a>) -> Option<Block> {
        loop {
            // The search ends once the base case is too large: there may be exponentially many paths.
            if self.too_large {
                return None;
            }
            let frame = path.frames.last_mut()?;
            if let Some(step) = frame.block.steps.get(frame.at) {
                frame.at += 1;
                if !self.step(&mut path, step) {
                    return None;
                }
            } else if let Next::Done(block) = self.end(&mut path) {
                return block;
            }
        }
    }

    /// A block that is part of the base case; none when there are too many.
    fn pay(&mut self, block: Block) -> Option<Block> {
        let size = 1 + block.steps.iter().map(step_size).sum::<usize>();
        self.too_large |= size > self.left;
        self.left = self.left.saturating_sub(size);
        (!self.too_large).then_some(block)
    }

    fn enter(&self, path: &mut Path<'a>, block: &'a Block) {
        path.applied.extend_from_slice(&block.applied);
        if let Some(frame) = path.frames.last_mut() {
            (frame.block, frame.at) = (block, 0);
        }
    }

    /// Lets a copier work on the locals of the innermost frame.
    fn copy<T>(&mut self, path: &mut Path<'a>, work: impl FnOnce(&mut Copier<'_>) -> T) -> Option<T> {
        let frame = path.frames.last_mut()?;
        let map = std::mem::take(&mut frame.map);
        let mut copier = Copier { from: Some(frame.locals), result: frame.result, into: &mut self.into, map };
        let done = work(&mut copier);
        frame.map = copier.map;
        Some(done)
    }

    /// Whether the path continues after a step.
    fn step(&mut self, path: &mut Path<'a>, step: &'a Step) -> bool {
        if let Step::Call { dst, function, args, .. } = step {
            return self.call(path, *function, args, Then::Bind(*dst));
        }
        if !is_short(step) || always_fails(step) {
            return false;
        }
        let Some(mut copy) = self.copy(path, |copier| copier.step(step)) else { return false };
        without_memory(&mut copy, &path.empty);
        match &copy {
            Step::Build { dst, symbol, args, .. } => {
                path.heads.insert(*dst, (*symbol, args.clone()));
            }
            Step::Ref(reference) => {
                if let Some(settled) = self.settle(path, reference) {
                    return settled;
                }
            }
            _ => {}
        }
        path.late.push(copy);
        true
    }

    /// Goes into the base case of a function; whether it has one.
    fn call(&mut self, path: &mut Path<'a>, function: FunctionId, args: &[LocalId], then: Then<'a>) -> bool {
        let Some(base) = &self.known[function] else { return false };
        let Some(frame) = path.frames.last_mut() else { return false };
        frame.then = then;
        let callee = &self.plan.functions[function];
        let values = args.iter().map(|&a| frame.local(a));
        let map = callee.region.params.iter().copied().zip(values).collect();
        path.applied.extend_from_slice(&base.block.applied);
        path.frames.push(Frame {
            locals: &base.locals,
            result: callee.result,
            map,
            block: &base.block,
            at: 0,
            is_base: true,
            then: Then::Return,
        });
        true
    }

    fn end(&mut self, path: &mut Path<'a>) -> Next {
        let Some(frame) = path.frames.last() else { return MISS };
        let block = frame.block;
        let called = match &block.end {
            End::Return(value) => {
                let value = frame.local(*value);
                return self.back(path, value);
            }
            End::Match { .. } | End::If { .. } => return self.decide(path, block),
            End::NoRule { .. } => return MISS,
            End::TailCall { .. } | End::Continue(_) | End::Context { .. } if frame.is_base => return MISS,
            End::TailCall { function, args } => self.call(path, *function, args, Then::Return),
            End::Continue(args) => self.call(path, self.id, args, Then::Return),
            End::Context { hole, nest, target, args } => {
                let function = match target {
                    Target::Again => self.id,
                    Target::Function(function) => *function,
                };
                self.call(path, function, args, Then::Nest(*hole, nest))
            }
        };
        if called { Next::On } else { MISS }
    }

    /// A body has a value.
    fn back(&mut self, path: &mut Path<'a>, mut value: LocalId) -> Next {
        loop {
            let stuck = path.heads.get(&value).is_some_and(|(s, _)| self.plan.function_of[*s].is_some());
            if stuck {
                // Rare: left to the function itself.
                return MISS;
            }
            path.frames.pop();
            let Some(frame) = path.frames.last_mut() else {
                let mut steps = std::mem::take(&mut path.now);
                steps.append(&mut path.late);
                let applied = std::mem::take(&mut path.applied);
                return Next::Done(self.pay(Block { applied, steps, end: End::Return(value) }));
            };
            match frame.then {
                Then::Bind(dst) => {
                    frame.map.insert(dst, value);
                    return Next::On;
                }
                Then::Return => {}
                Then::Nest(hole, nest) => {
                    frame.map.insert(hole, value);
                    if !nest.iter().all(|step| self.step(path, step)) {
                        return MISS;
                    }
                    let outer = nest.last().and_then(Step::dst);
                    let Some((outer, frame)) = outer.zip(path.frames.last()) else { return MISS };
                    value = frame.local(outer);
                }
            }
        }
    }

    /// One of the paths that a path branches into: its deferred steps bind locals of its own.
    fn fork(&mut self, path: &Path<'a>) -> Path<'a> {
        self.too_large |= self.forks == 0;
        self.forks = self.forks.saturating_sub(1);
        let mut fork = path.clone();
        let (result, map) = (self.into.result, HashMap::default());
        let mut copier = Copier { from: None, result, into: &mut self.into, map };
        fork.late = path.late.iter().map(|step| copier.step(step)).collect();
        let new = |local: &LocalId| copier.local(*local);
        let heads = path
            .heads
            .iter()
            .map(|(local, (symbol, fields))| (new(local), (*symbol, fields.iter().map(new).collect())));
        fork.heads = heads.collect();
        for frame in &mut fork.frames {
            frame.map.values_mut().for_each(|local| *local = new(local));
        }
        fork
    }

    fn decide(&mut self, path: &mut Path<'a>, block: &'a Block) -> Next {
        if let End::Match { on, arms, default } = &block.end
            && let Some(taken) = self.known_arm(path, *on, arms, default.as_deref())
        {
            self.enter(path, taken);
            return Next::On;
        }
        if path.frames.len() > 1 && block.end.blocks().into_iter().all(always_ends) {
            return self.choose(path, block);
        }
        let Some(frame) = path.frames.last() else { return MISS };
        let needed: Vec<LocalId> = block.end.uses().into_iter().map(|l| frame.local(l)).collect();
        if !self.pull(path, needed) {
            return MISS;
        }
        let steps = std::mem::take(&mut path.now);
        let Some(end) = self.branch(path, &block.end) else { return MISS };
        Next::Done(self.pay(Block { applied: Vec::new(), steps, end }))
    }

    /// Moves the steps that some locals need before the next decision; whether these steps are without effect.
    fn pull(&self, path: &mut Path<'a>, mut needed: Vec<LocalId>) -> bool {
        let mut moved = vec![false; path.late.len()];
        for (at, step) in path.late.iter().enumerate().rev() {
            if step.dst().is_some_and(|dst| needed.contains(&dst)) {
                // A region transfers references from its candidates to the chosen value.
                let counts = self.plan.references.is_some() && matches!(step, Step::Region { .. });
                if counts || !is_pure_step(step) {
                    return false;
                }
                moved[at] = true;
                needed.extend(free_locals_of(step));
            }
        }
        let mut moved = moved.into_iter();
        let (now, late) =
            std::mem::take(&mut path.late).into_iter().partition(|_| moved.next() == Some(true));
        path.late = late;
        let now: Vec<Step> = now;
        path.now.extend(now);
        true
    }

    /// Locals for all fields of an arm: a later match on the value may need fields that this one does not.
    fn bind_fields(&mut self, path: &mut Path<'a>, arm: &'a Arm) -> Option<Vec<LocalId>> {
        let sorts = &self.plan.layout.variant(arm.symbol)?.fields;
        let bind = |copier: &mut Copier<'_>| {
            let fields = arm.fields.iter().zip(sorts);
            let bind = fields.map(|(field, of)| match field {
                Some(field) => copier.bind(*field),
                None => copier.into.local("field", of.sort),
            });
            bind.collect()
        };
        self.copy(path, bind)
    }

    /// All paths from a decision on; none when none of them has a value.
    fn branch(&mut self, path: &Path<'a>, end: &'a End) -> Option<End> {
        let frame = path.frames.last()?;
        let mut below = Vec::new();
        let mut fields = Vec::new();
        if let End::Match { on, arms, .. } = end {
            let on = frame.local(*on);
            for arm in arms {
                let mut inner = self.fork(path);
                let bound = self.bind_fields(&mut inner, arm)?;
                inner.heads.insert(on, (arm.symbol, bound.clone()));
                fields.push(bound.into_iter().map(Some).collect());
                self.enter(&mut inner, &arm.body);
                below.push(self.run(inner));
            }
        }
        for block in end.blocks().into_iter().skip(below.len()) {
            let mut inner = self.fork(path);
            self.enter(&mut inner, block);
            below.push(self.run(inner));
        }
        if below.iter().all(Option::is_none) {
            return None;
        }
        let params = self.into.region.params.clone();
        let miss = End::TailCall { function: self.id, args: params };
        let mut below = below.into_iter().map(|block| {
            block.unwrap_or_else(|| Block { applied: Vec::new(), steps: Vec::new(), end: miss.clone() })
        });
        Some(match end {
            End::Match { on, arms, default } => {
                let arms = arms.iter().zip(fields).zip(below.by_ref());
                let arms = arms.map(|((arm, fields), body)| Arm { symbol: arm.symbol, fields, body });
                let arms = arms.collect();
                let default = default.as_ref().and_then(|_| below.next()).map(Box::new);
                End::Match { on: frame.local(*on), arms, default }
            }
            End::If { test, .. } => {
                let mut test = test.clone();
                test.uses_mut().for_each(|l| *l = frame.local(*l));
                End::If { test, then: Box::new(below.next()?), otherwise: Box::new(below.next()?) }
            }
            _ => return None,
        })
    }

    /// The block that a match on a value of known head goes to.
    fn known_arm(
        &mut self,
        path: &mut Path<'a>,
        on: LocalId,
        arms: &'a [Arm],
        default: Option<&'a Block>,
    ) -> Option<&'a Block> {
        let value = path.frames.last()?.local(on);
        self.unbox(path, value);
        let (symbol, fields) = path.heads.get(&value)?.clone();
        let Some(arm) = arms.iter().find(|arm| arm.symbol == symbol) else { return default };
        let bound = arm.fields.iter().zip(fields).filter_map(|(local, field)| Some(((*local)?, field)));
        path.frames.last_mut()?.map.extend(bound);
        Some(&arm.body)
    }

    /// A decision inside of a call that has a value on all paths: a nested region, after which there is one path.
    fn choose(&mut self, path: &mut Path<'a>, block: &'a Block) -> Next {
        let Some(frame) = path.frames.last() else { return MISS };
        let result = frame.result;
        let mut steps = Vec::new();
        let Some(end) = self.copy(path, |copier| copier.end(&block.end, true, &mut steps)) else {
            return MISS;
        };
        let body = Block { applied: Vec::new(), steps, end };
        let dst = self.into.local("v", result);
        let region = Box::new(Region { params: Vec::new(), body });
        let mut chosen = Step::Region { dst, inits: Vec::new(), region };
        without_memory(&mut chosen, &path.empty);
        path.late.push(chosen);
        self.back(path, dst)
    }
}

fn step_size(step: &Step) -> usize {
    match step {
        Step::Region { region, .. } => 1 + region.body.size(),
        _ => 1,
    }
}
