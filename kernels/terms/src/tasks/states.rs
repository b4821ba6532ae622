//! The states of a term plan: pieces of functions without calls inside, which a thread goes through one after the
//! other.
//!
//! A *state* is entered by a jump with values for its parameters: the entry of a function, the head of a nested loop
//! with calls inside, the code behind a nested region with calls that can be left in several places. A *resume point*
//! is entered when a call is back: with its value, and the live variables of a frame. Code runs from there through the
//! blocks of the plan up to the next call or jump; nested regions without calls are part of it.

use gchr_base::define_id;
use gchr_base::hash::HashMap;
use gchr_base::ids::IdVec;
use gchr_terms::plan::live::{self, LocalSet};
use gchr_terms::plan::{Block, End, FunctionId, LocalId, Region, Step, Target, TermPlan};

use super::direct::{Direct, called_at_end};
use super::equality::Equality;

define_id!(
    /// A state.
    StateId, "s"
);
define_id!(
    /// A resume point.
    ResumeId, "r"
);
define_id!(
    /// A nested region with calls inside.
    NestId, "nest"
);

/// A place in a plan: before a step, or before the end, of a block.
#[derive(Clone, Copy)]
pub struct Position<'p> {
    /// The block.
    pub block: &'p Block,
    /// Index of the step; the number of steps stands for the end.
    pub at: usize,
    /// The innermost region with calls around it; none: the function.
    pub nest: Option<NestId>,
}

/// A state.
pub struct State<'p> {
    /// Its function.
    pub function: FunctionId,
    /// Bound when it is entered.
    pub params: Vec<LocalId>,
    /// Its code.
    pub code: Position<'p>,
    /// The region whose head it is, if it is one.
    pub head_of: Option<&'p Region>,
    /// Whether only threads come here that leave no turn of a loop to be done twice ([`States::new`]).
    pub safepoints: bool,
}

/// Where a call comes back to.
pub struct Resume<'p> {
    /// Its function.
    pub function: FunctionId,
    /// Bound to the value.
    pub dst: LocalId,
    /// What the frame holds.
    pub live: Vec<LocalId>,
    /// Its code.
    pub code: ResumeCode<'p>,
    /// The calls beside the one under way, when they can be tasks.
    pub split: Option<Split<'p>>,
    /// See [`State`].
    pub safepoints: bool,
}

/// What follows a call.
pub enum ResumeCode<'p> {
    /// The rest of the block.
    Rest(Position<'p>),
    /// The cells of this nest around the value, and the return of the outermost one: where the call of a context meets
    /// its siblings.
    Nest(&'p [Step]),
}

/// Calls that may run side by side: the one under way, and those behind it.
#[derive(Clone)]
pub struct Split<'p> {
    /// The others in order: bound local, function, arguments.
    pub siblings: Vec<(LocalId, FunctionId, &'p [LocalId])>,
    /// Where they meet: the resume point of the last one.
    pub meet: ResumeId,
}

/// A nested region with calls inside, or one where a thread in safepoint mode may have to stop.
pub struct Nest<'p> {
    /// The local that gets its value.
    pub dst: LocalId,
    /// The region.
    pub region: &'p Region,
    /// Behind it.
    pub rest: Position<'p>,
    /// The state at its head, when it is a loop.
    pub head: Option<StateId>,
    /// The state behind it, when there is more than one way out.
    pub after: Option<StateId>,
    /// Whether it is code in its place for all but threads in safepoint mode.
    pub safepoints: bool,
}

/// All states of a plan.
pub struct States<'p> {
    /// The plan.
    pub plan: &'p TermPlan,
    /// Calls that are none here: they need no frame.
    pub direct: Direct,
    /// The entry of each function.
    pub entries: IdVec<FunctionId, StateId>,
    /// Whether a function may run inside a context of cells whose hole its value fills.
    pub holes: IdVec<FunctionId, bool>,
    /// States.
    pub states: IdVec<StateId, State<'p>>,
    /// Resume points; those that can be split come first, those that can be split into few calls before others.
    pub resumes: IdVec<ResumeId, Resume<'p>>,
    /// Nested regions with calls.
    pub nests: IdVec<NestId, Nest<'p>>,
    stops: bool,
    resume_at: HashMap<(*const Block, usize), ResumeId>,
    nest_at: HashMap<(*const Block, usize), NestId>,
}

impl<'p> States<'p> {
    /// Finds the states.
    ///
    /// `stops`: threads must be able to stop wherever they get no cell, and go on later. They go back to the beginning
    /// of a state then, or to a frame, and do again what came behind. That may be all there is memory for, so there is
    /// a second way through loops that build cells and calls without frames, for threads in *safepoint mode*: such a
    /// loop is a state of its own there, and such a call has a frame, so that no turn is done twice.
    pub fn new(plan: &'p TermPlan, equality: &Equality, stops: bool) -> Self {
        let mut states = Self {
            plan,
            stops,
            direct: Direct::new(plan, equality),
            entries: IdVec::new(),
            holes: holes(plan),
            states: IdVec::new(),
            resumes: IdVec::new(),
            nests: IdVec::new(),
            resume_at: HashMap::default(),
            nest_at: HashMap::default(),
        };
        for (id, function) in plan.functions.iter_enumerated() {
            let code = Position { block: &function.region.body, at: 0, nest: None };
            let head_of = function.region.is_loop().then_some(&function.region);
            let params = function.region.params.clone();
            let entry = State { function: id, params, code, head_of, safepoints: false };
            states.entries.push(states.states.push(entry));
        }
        for (id, function) in plan.functions.iter_enumerated() {
            let mut finder = Finder { states: &mut states, id };
            finder.block(&function.region.body, None, &LocalSet::default());
        }
        states.splits_first();
        states
    }

    /// The resume point of the call at a position.
    pub fn resume_at(&self, position: Position<'p>) -> ResumeId {
        self.resume_at[&(std::ptr::from_ref(position.block), position.at)]
    }

    /// Whether the call at a position, which needs no frame, has a resume point for threads in safepoint mode.
    pub fn has_safepoint_call(&self, position: Position<'p>) -> bool {
        self.resume_at.contains_key(&(std::ptr::from_ref(position.block), position.at))
    }

    /// Whether threads in safepoint mode jump to the function at the end of a block whose code stands there.
    pub fn has_safepoint_end(&self, end: &End) -> bool {
        self.stops && called_at_end(end).is_some_and(|function| self.direct.builds(function))
    }

    /// The nest of the region at a position, when it has calls inside; or when it has states for threads in safepoint
    /// mode and the thread is one.
    pub fn nest_at(&self, position: Position<'p>, safepoints: bool) -> Option<NestId> {
        let nest = self.nest_at.get(&(std::ptr::from_ref(position.block), position.at)).copied();
        nest.filter(|&nest| safepoints || !self.nests[nest].safepoints)
    }

    /// Number of resume points that can be split into two calls.
    pub fn single_splits(&self) -> usize {
        self.resumes.iter().filter(|r| r.split.as_ref().is_some_and(|s| s.siblings.len() == 1)).count()
    }

    /// Number of resume points that can be split.
    pub fn splits(&self) -> usize {
        self.resumes.iter().filter(|r| r.split.is_some()).count()
    }

    /// Gives resume points that can be split the lowest numbers, the fewer calls the lower.
    fn splits_first(&mut self) {
        let mut order: Vec<ResumeId> = self.resumes.ids().collect();
        order.sort_by_key(|&id| self.resumes[id].split.as_ref().map_or(usize::MAX, |s| s.siblings.len()));
        let mut number: IdVec<ResumeId, ResumeId> = self.resumes.ids().collect();
        for (new, &old) in order.iter().enumerate() {
            number[old] = ResumeId(new as u32);
        }
        let old = std::mem::take(&mut self.resumes).into_iter_enumerated();
        let mut old: Vec<Option<Resume<'p>>> = old.map(|(_, resume)| Some(resume)).collect();
        for id in order {
            if let Some(mut resume) = old[id.0 as usize].take() {
                resume.split.iter_mut().for_each(|split| split.meet = number[split.meet]);
                self.resumes.push(resume);
            }
        }
        self.resume_at.values_mut().for_each(|id| *id = number[*id]);
    }
}

/// Functions that may run inside a context: those that make one, those that one is handed to, and those that they end
/// in.
fn holes(plan: &TermPlan) -> IdVec<FunctionId, bool> {
    let mut holes: IdVec<FunctionId, bool> = plan.functions.iter().map(|_| false).collect();
    loop {
        let mut more = Vec::new();
        for (id, function) in plan.functions.iter_enumerated() {
            function.region.body.walk(&mut |block| match &block.end {
                End::Context { target: Target::Function(f), .. } => more.extend([id, *f]),
                End::Context { target: Target::Again, .. } => more.push(id),
                End::TailCall { function, .. } if holes[id] => more.push(*function),
                _ => {}
            });
        }
        more.retain(|&f| !holes[f]);
        if more.is_empty() {
            return holes;
        }
        more.into_iter().for_each(|f| holes[f] = true);
    }
}

/// Whether a block has calls that need frames, nested regions included.
fn has_calls(block: &Block, direct: &Direct) -> bool {
    let mut found = false;
    block.walk(&mut |b| {
        found |= b.steps.iter().any(|s| matches!(s, Step::Call { .. }) && !direct.step(s));
    });
    found
}

/// Whether a region without calls that need frames has turns that build cells, of its own or of what is inside.
fn repeats_building(region: &Region, direct: &Direct) -> bool {
    let mut builds = false;
    let mut inside = false;
    region.body.walk(&mut |block| {
        for step in &block.steps {
            match step {
                Step::Build { .. } | Step::Repeat { .. } => builds = true,
                Step::Call { function, .. } => inside |= direct.builds(*function),
                Step::Region { region, .. } => inside |= repeats_building(region, direct),
                _ => {}
            }
        }
    });
    inside || builds && region.is_loop()
}

/// In how many places a region is left with a value.
fn exits(block: &Block) -> usize {
    usize::from(matches!(block.end, End::Return(_)))
        + block.end.blocks().into_iter().map(exits).sum::<usize>()
}

/// Finds the states of one function.
struct Finder<'a, 'p> {
    states: &'a mut States<'p>,
    id: FunctionId,
}

impl<'p> Finder<'_, 'p> {
    fn block(&mut self, block: &'p Block, nest: Option<NestId>, after: &LocalSet) {
        let sets = live::before_steps(block, after);
        let key = |at: usize| (std::ptr::from_ref(block), at);
        for (i, step) in block.steps.iter().enumerate() {
            let rest = Position { block, at: i + 1, nest };
            match step {
                Step::Call { dst, function, .. } if !self.is_code(step, *function) => {
                    let mut live = sets[i + 1].clone();
                    live.remove(*dst);
                    let resume = Resume {
                        function: self.id,
                        dst: *dst,
                        live: live.iter().collect(),
                        code: ResumeCode::Rest(rest),
                        split: None,
                        safepoints: self.states.direct.step(step),
                    };
                    let id = self.states.resumes.push(resume);
                    self.states.resume_at.insert(key(i), id);
                }
                Step::Region { dst, region, .. } => {
                    let mut live = sets[i + 1].clone();
                    live.remove(*dst);
                    let around = live::around_loop(region, &live);
                    let direct = &self.states.direct;
                    let calls = has_calls(&region.body, direct);
                    if calls || self.states.stops && repeats_building(region, direct) {
                        let nest =
                            Nest { dst: *dst, region, rest, head: None, after: None, safepoints: !calls };
                        let id = self.nest(nest, &live, &around, &sets[i + 1]);
                        self.states.nest_at.insert(key(i), id);
                        self.block(&region.body, Some(id), &around);
                    }
                }
                _ => {}
            }
        }
        self.splits(block);
        block.end.blocks().into_iter().for_each(|b| self.block(b, nest, after));
    }

    /// Whether the function's code stands in the place of a call for all threads.
    fn is_code(&self, call: &Step, function: FunctionId) -> bool {
        self.states.direct.step(call) && !(self.states.stops && self.states.direct.builds(function))
    }

    fn nest(&mut self, nest: Nest<'p>, live: &LocalSet, around: &LocalSet, after: &LocalSet) -> NestId {
        let Nest { dst, region, rest, safepoints, .. } = nest;
        let nest = self.states.nests.push(nest);
        if region.is_loop() {
            let mut inside = live::before_block(&region.body, around);
            inside.union(around);
            region.params.iter().for_each(|&p| inside.remove(p));
            let params = region.params.iter().copied().chain(inside.iter()).collect();
            let code = Position { block: &region.body, at: 0, nest: Some(nest) };
            let head = State { function: self.id, params, code, head_of: Some(region), safepoints };
            self.states.nests[nest].head = Some(self.states.states.push(head));
        }
        if exits(&region.body) > 1 {
            let value = after.contains(dst).then_some(dst);
            let params = value.into_iter().chain(live.iter()).collect();
            let state = State { function: self.id, params, code: rest, head_of: None, safepoints };
            self.states.nests[nest].after = Some(self.states.states.push(state));
        }
        nest
    }

    /// Notes which calls of a block may run side by side.
    fn splits(&mut self, block: &'p Block) {
        for (i, step) in block.steps.iter().enumerate() {
            let Step::Call { siblings, .. } = step else { continue };
            let wanted = *siblings as usize;
            if wanted == 0 {
                continue;
            }
            let mut calls: Vec<_> = block.steps[i + 1..].iter().map_while(called).take(wanted).collect();
            let meet = if calls.len() == wanted {
                self.states.resume_at[&(std::ptr::from_ref(block), i + wanted)]
            } else {
                let End::Context { hole, nest, target, args } = &block.end else { continue };
                let function = match target {
                    Target::Again => self.id,
                    Target::Function(f) => *f,
                };
                calls.push((*hole, function, args));
                self.meet_in(block, *hole, nest)
            };
            let id = self.states.resume_at[&(std::ptr::from_ref(block), i)];
            self.states.resumes[id].split = Some(Split { siblings: calls, meet });
        }
    }

    /// The resume point where the call of a context meets its siblings; one for all of them.
    fn meet_in(&mut self, block: &'p Block, hole: LocalId, nest: &'p [Step]) -> ResumeId {
        let key = (std::ptr::from_ref(block), block.steps.len());
        if let Some(&known) = self.states.resume_at.get(&key) {
            return known;
        }
        let mut live = LocalSet::default();
        nest.iter().for_each(|step| step.uses().for_each(|l| live.insert(l)));
        nest.iter().filter_map(Step::dst).for_each(|d| live.remove(d));
        live.remove(hole);
        let live = live.iter().collect();
        let code = ResumeCode::Nest(nest);
        let meet = Resume { function: self.id, dst: hole, live, code, split: None, safepoints: false };
        let id = self.states.resumes.push(meet);
        self.states.resume_at.insert(key, id);
        id
    }
}

fn called(step: &Step) -> Option<(LocalId, FunctionId, &[LocalId])> {
    match step {
        Step::Call { dst, function, args, .. } => Some((*dst, *function, args)),
        _ => None,
    }
}
