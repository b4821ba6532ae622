//! Functions of a plan as native code: blocks, regions, ends.

mod calls;
mod fork;
mod operate;

use gchr_base::ids::{Id, IdVec};
use gchr_base::signature::{Booleans, SortId};
use gchr_terms::exec::engine::constant_bits;
use gchr_terms::plan::live::{self, Before, LocalSet};
use gchr_terms::plan::{Block, End, Function, FunctionId, LocalId, Region, Step, Target, TermPlan};

use super::helpers::{CONTEXT, Helpers, OPERANDS};
use super::kind;
use crate::emit::{Compare, Cond, Emit, Label, MemoryAccess, Root, Val, Width, WordOp};
use crate::function::{Func, Kind, NO_NOTE};

/// Functions with more locals test the stack even if they call nothing: their frames may be large.
const SMALL: usize = 256;
/// Branches of a match that are tested one after the other; more of them are a jump by the tag.
const TESTED: usize = 4;

/// Rule applications that are complete but not counted yet.
#[derive(Clone, Copy)]
pub(super) struct Pending {
    fixed: i64,
    more: Option<Val>,
}

const NONE: Pending = Pending { fixed: 0, more: None };

/// What the innermost region is: where its value goes.
#[derive(Clone, Copy)]
enum Scope {
    /// The function; `head` is where a loop goes back to.
    Function { head: Option<Label> },
    /// A nested region.
    Region { head: Option<Label>, join: Label, counts: bool },
    /// A base case; `miss` is the call in its place.
    Base { join: Label, miss: Label },
}

/// What changes along a path and is put back for the next one.
#[derive(Clone)]
struct Path {
    locals: IdVec<LocalId, Option<Val>>,
    pending: Pending,
    rule: Option<u32>,
    kept: crate::emit::Kept,
}

/// A function being lowered.
pub(super) struct Lower<'e, 'f, 'p> {
    pub(super) e: &'e mut Emit<'f>,
    pub(super) plan: &'p TermPlan,
    pub(super) booleans: Booleans,
    pub(super) helpers: &'static Helpers,
    id: FunctionId,
    /// The function whose locals these are: the lowered one, or the one whose base case is being copied.
    pub(super) function: &'p Function,
    locals: IdVec<LocalId, Option<Val>>,
    pub(super) pending: Pending,
    rule: Option<u32>,
    /// Where the value goes, and the root of what is around it, of a function that fills a hole.
    hole: Option<(Val, Val)>,
    /// Roots of the caller of a base case.
    outer: Vec<Root>,
    scope: Scope,
    before: Before,
    /// In a base case: where paths without a value go, and what has no result.
    pub(super) miss: Option<Label>,
}

impl<'e, 'f, 'p> Lower<'e, 'f, 'p> {
    pub(super) fn new(
        e: &'e mut Emit<'f>,
        plan: &'p TermPlan,
        booleans: Booleans,
        helpers: &'static Helpers,
        id: FunctionId,
    ) -> Self {
        let function = &plan.functions[id];
        Self {
            e,
            plan,
            booleans,
            helpers,
            id,
            function,
            locals: function.locals.iter().map(|_| None).collect(),
            pending: NONE,
            rule: None,
            hole: None,
            outer: Vec::new(),
            scope: Scope::Function { head: None },
            before: Before::default(),
            miss: None,
        }
    }

    /// Emits the function; `fills`: the form that fills a hole, which is given behind the parameters.
    pub(super) fn function(mut self, fills: bool) {
        let region = &self.function.region;
        let mut values = self.e.params();
        let mut calls = false;
        let is_call = |step: &Step| matches!(step, Step::Call { .. });
        region.body.walk(&mut |block| calls |= block.steps.iter().any(is_call));
        if calls || self.function.locals.len() > SMALL {
            self.e.check_stack(self.helpers.grow, &[], &[]);
        }
        if region.is_loop() {
            let mut kinds = self.kinds(&region.params);
            kinds.extend(fills.then_some(Kind::Word));
            let head = self.e.label(&kinds);
            self.e.jump(head, &values[..kinds.len()]);
            let inside = self.e.bind(head);
            values[..inside.len()].copy_from_slice(&inside);
            self.scope = Scope::Function { head: Some(head) };
        }
        if fills {
            let params = region.params.len();
            self.hole = Some((values[params], values[params + 1]));
        }
        self.bind(&region.params, &values);
        self.body(&region.body, &LocalSet::default());
    }

    fn func(&self, function: FunctionId, fills: bool) -> Func {
        let index = function.index() + if fills { self.plan.functions.len() } else { 0 };
        Func(index as u32)
    }

    // Locals.

    pub(super) fn get(&self, local: LocalId) -> Val {
        self.locals[local].unwrap_or_else(|| unreachable!("verified plans bind {local:?} before they use it"))
    }

    pub(super) fn set(&mut self, local: LocalId, value: Val) {
        self.locals[local] = Some(value);
    }

    fn bind(&mut self, locals: &[LocalId], values: &[Val]) {
        locals.iter().zip(values).for_each(|(&local, &value)| self.set(local, value));
    }

    fn values(&self, locals: &[LocalId]) -> Vec<Val> {
        locals.iter().map(|&local| self.get(local)).collect()
    }

    pub(super) fn sort(&self, local: LocalId) -> SortId {
        self.function.sort(local)
    }

    pub(super) fn kind(&self, local: LocalId) -> Kind {
        kind(self.plan.layout.sorts[self.sort(local)].kind)
    }

    fn kinds(&self, locals: &[LocalId]) -> Vec<Kind> {
        locals.iter().map(|&local| self.kind(local)).collect()
    }

    pub(super) fn has_cells(&self, sort: SortId) -> bool {
        self.plan.layout.sorts[sort].has_cells()
    }

    /// The roots when these locals are live: theirs, and those of what is around.
    pub(super) fn roots(&self, live: &LocalSet) -> Vec<Root> {
        self.roots_with(live, &[])
    }

    /// The same, with `more`.
    pub(super) fn roots_with(&self, live: &LocalSet, more: &[Root]) -> Vec<Root> {
        let own = live.iter().filter(|&local| self.has_cells(self.sort(local)));
        let mut roots: Vec<Root> =
            own.filter_map(|local| Some((self.sort(local).0, self.locals[local]?))).collect();
        roots.extend(&self.outer);
        roots.extend(self.hole.map(|(_, root)| (CONTEXT, root)));
        roots.extend(more);
        roots.sort_unstable();
        roots.dedup();
        roots
    }

    fn save(&self) -> Path {
        let (locals, pending, rule) = (self.locals.clone(), self.pending, self.rule);
        Path { locals, pending, rule, kept: self.e.kept() }
    }

    fn restore(&mut self, path: Path) {
        (self.locals, self.pending, self.rule) = (path.locals, path.pending, path.rule);
        self.e.restore(path.kept);
        self.note();
    }

    /// Tells later calls which rule they belong to.
    fn note(&mut self) {
        self.e.note(self.rule.unwrap_or(NO_NOTE));
    }

    // Counts.

    /// The applications that are complete but not counted, as a value.
    pub(super) fn pending(&mut self) -> Val {
        let Pending { fixed, more } = self.pending;
        match more {
            Some(more) => self.e.word_by(WordOp::Add, more, fixed),
            None => self.e.int(fixed),
        }
    }

    fn has_pending(&self) -> bool {
        self.pending.fixed != 0 || self.pending.more.is_some()
    }

    /// Counts what is complete.
    fn count(&mut self) {
        if self.has_pending() {
            let steps = self.pending();
            self.e.count(steps);
        }
        self.pending = NONE;
    }

    /// Counts what is complete, and looks whether there is fuel: before each call and each turn of a loop. `live` and
    /// `more` are needed afterwards: where several threads share a run, another one may collect meanwhile.
    fn burn(&mut self, live: &LocalSet, more: &[Root]) {
        if self.has_pending() {
            let steps = self.pending();
            let roots = if self.forks() { self.roots_with(live, more) } else { Vec::new() };
            self.e.burn(steps, self.helpers.refuel, &[], &roots);
        }
        self.pending = NONE;
    }

    // Blocks.

    /// The body of a region.
    fn body(&mut self, body: &'p Block, after: &LocalSet) {
        let outside = std::mem::replace(&mut self.before, Before::new(body, after));
        self.block(body, after);
        self.before = outside;
    }

    fn block(&mut self, block: &'p Block, after: &LocalSet) {
        if let Some(last) = block.applied.last() {
            self.pending.fixed += block.applied.len() as i64;
            self.rule = Some(last.0);
            self.note();
        }
        let sets = self.before.steps(block, after);
        let mut i = 0;
        while let Some(step) = block.steps.get(i) {
            if let Some(calls) = self.side_by_side(step) {
                if self.fork(block, i, calls, &sets) {
                    return;
                }
                i += calls;
            } else {
                self.step(step, &sets[i], &sets[i + 1]);
                i += 1;
            }
        }
        self.end(&block.end, after);
    }

    pub(super) fn step(&mut self, step: &'p Step, before: &LocalSet, after: &LocalSet) {
        match step {
            Step::Const { dst, value } => {
                let bits = constant_bits(*value);
                let value = match self.kind(*dst) {
                    Kind::Word => self.e.int(bits.cast_signed()),
                    Kind::Float => self.e.float(f64::from_bits(bits)),
                };
                self.set(*dst, value);
            }
            Step::Build { dst, symbol, args, .. } => {
                let args: Vec<Option<Val>> = args.iter().map(|&arg| Some(self.get(arg))).collect();
                let roots = self.roots(before);
                let (value, _) = self.build(*symbol, &args, &roots);
                self.set(*dst, value);
            }
            Step::Repeat { dst, symbol, count, arg } => {
                let (inner, roots) = (self.get(*arg), self.roots(before));
                let value = self.repeat(*symbol, *count, inner, &roots);
                self.set(*dst, value);
            }
            Step::Operate { dst, op, args, .. } => {
                let value = self.operate(step, *op, args, *dst);
                self.set(*dst, value);
            }
            Step::Call { dst, function, args, .. } => {
                let mut live = after.clone();
                live.remove(*dst);
                self.call(*dst, *function, args, &live);
            }
            Step::Region { dst, inits, region } => {
                let mut live = after.clone();
                live.remove(*dst);
                self.region(*dst, inits, region, &live);
            }
            // Traced runs are interpreted; the collector finds unreferenced cells.
            Step::Trace { .. } | Step::Ref(_) => {}
        }
    }

    // Regions.

    fn region(&mut self, dst: LocalId, inits: &[LocalId], region: &'p Region, live: &LocalSet) {
        let around = live::around_loop(region, live);
        let inits = self.values(inits);
        let counts = counts(&region.body);
        let mut params = vec![self.kind(dst)];
        params.extend(counts.then_some(Kind::Word));
        let join = self.e.label(&params);
        let mut head = None;
        let path = if region.is_loop() {
            self.count();
            let path = self.save();
            let label = self.e.label(&self.kinds(&region.params));
            self.e.jump(label, &inits);
            let values = self.e.bind(label);
            self.bind(&region.params, &values);
            head = Some(label);
            path
        } else {
            let path = self.save();
            self.bind(&region.params, &inits);
            path
        };
        let (scope, hole) = (self.scope, self.hole);
        self.scope = Scope::Region { head, join, counts };
        self.body(&region.body, &around);
        (self.scope, self.hole) = (scope, hole);
        let joined = self.e.bind(join);
        self.restore(path);
        if counts {
            self.pending = Pending { fixed: 0, more: Some(joined[1]) };
        }
        self.set(dst, joined[0]);
    }

    // Ends.

    fn end(&mut self, end: &'p End, after: &LocalSet) {
        match end {
            End::Return(value) => self.give(*value),
            End::TailCall { function, args } => self.tail_call(*function, args),
            End::Continue(args) => {
                let mut live = after.clone();
                args.iter().for_each(|&arg| live.insert(arg));
                self.burn(&live, &[]);
                let mut args = self.values(args);
                let head = match self.scope {
                    Scope::Function { head } => {
                        args.extend(self.hole.map(|(hole, _)| hole));
                        head
                    }
                    Scope::Region { head, .. } => head,
                    Scope::Base { .. } => None,
                };
                let Some(head) = head else { unreachable!("only loops continue") };
                self.e.jump(head, &args);
            }
            End::Context { hole, nest, target, args } => self.context(*hole, nest, *target, args),
            End::NoRule { args, .. } => self.no_rule(end, args),
            End::Match { on, arms, default } => self.match_(*on, arms, default.as_deref(), after),
            End::If { test, then, otherwise } => {
                let holds = self.test(test);
                let (yes, no) = (self.e.label(&[]), self.e.label(&[]));
                self.e.branch(holds, (yes, &[]), (no, &[]));
                self.branch(yes, then, after);
                self.branch(no, otherwise, after);
            }
        }
    }

    /// A block that is one of several.
    fn branch(&mut self, label: Label, block: &'p Block, after: &LocalSet) {
        let (path, hole) = (self.save(), self.hole);
        self.e.bind(label);
        self.block(block, after);
        self.restore(path);
        self.hole = hole;
    }

    fn give(&mut self, value: LocalId) {
        let value = self.get(value);
        match self.scope {
            Scope::Region { join, counts: false, .. } => self.e.jump(join, &[value]),
            Scope::Region { join, .. } | Scope::Base { join, .. } => {
                let pending = self.pending();
                self.e.jump(join, &[value, pending]);
            }
            Scope::Function { .. } => {
                self.count();
                match self.hole {
                    Some((hole, root)) => {
                        self.e.store(Width::Single, MemoryAccess::Plain, value, hole, 0);
                        let root = self.e.low_half(root);
                        self.e.give(root);
                    }
                    None => self.e.give(value),
                }
            }
        }
    }

    fn tail_call(&mut self, function: FunctionId, args: &[LocalId]) {
        // The end of the paths of a base case that have no value.
        if let Scope::Base { miss, .. } = self.scope {
            self.e.jump(miss, &[]);
            return;
        }
        let live = args.iter().fold(LocalSet::default(), |mut live, &arg| {
            live.insert(arg);
            live
        });
        self.burn(&live, &[]);
        let mut args = self.values(args);
        args.extend(self.hole.into_iter().flat_map(|(hole, root)| [hole, root]));
        let function = self.func(function, self.hole.is_some());
        self.e.tail_call(function, &args);
    }

    /// Builds the cells around a call, and goes on with the call, which fills the hole in them.
    fn context(&mut self, hole: LocalId, nest: &'p [Step], target: Target, args: &[LocalId]) {
        let mut live = LocalSet::default();
        args.iter().for_each(|&arg| live.insert(arg));
        let (root, place) = self.around(hole, nest, &live);
        self.burn(&live, &[(CONTEXT, root)]);
        let mut args = self.values(args);
        args.push(place);
        match (target, self.hole, self.scope) {
            (Target::Again, Some(_), Scope::Function { head: Some(head) }) => self.e.jump(head, &args),
            _ => {
                let function = match target {
                    Target::Again => self.id,
                    Target::Function(function) => function,
                };
                args.push(root);
                let function = self.func(function, true);
                self.e.tail_call(function, &args);
            }
        }
    }

    /// Builds cells around a hole, and puts them into the hole that the function fills, if it does: gives the root of
    /// all cells around the new hole, and its address.
    fn around(&mut self, hole: LocalId, nest: &'p [Step], live: &LocalSet) -> (Val, Val) {
        let (outermost, place) = self.nest(hole, nest, live);
        let root = match self.hole {
            Some((hole, root)) => {
                self.e.store(Width::Single, MemoryAccess::Plain, outermost, hole, 0);
                root
            }
            None => {
                let sort = nest.last().and_then(Step::dst).map_or(SortId(0), |dst| self.sort(dst));
                self.e.word_by(WordOp::Or, outermost, i64::from(sort.0) << 32)
            }
        };
        (root, place)
    }

    fn no_rule(&mut self, end: &'p End, args: &[LocalId]) {
        if let Some(miss) = self.miss {
            self.e.jump(miss, &[]);
            return;
        }
        let room = self.e.load_machine(Width::Word, MemoryAccess::Constant, OPERANDS);
        for (i, value) in self.values(args).into_iter().enumerate() {
            let bits = self.e.bits(value);
            self.e.store(Width::Word, MemoryAccess::Plain, bits, room, 8 * i as i32);
        }
        let end = self.e.int(std::ptr::from_ref(end) as i64);
        let function = self.e.int(std::ptr::from_ref(self.function) as i64);
        let pending = self.pending();
        self.e.leave(self.helpers.no_rule, &[end, function, pending]);
    }

    fn match_(
        &mut self,
        on: LocalId,
        arms: &'p [gchr_terms::plan::Arm],
        default: Option<&'p Block>,
        after: &LocalSet,
    ) {
        let value = self.get(on);
        let labels: Vec<Label> = arms.iter().map(|_| self.e.label(&[])).collect();
        let other = default.map(|_| self.e.label(&[]));
        let tags: Vec<i64> =
            arms.iter().map(|arm| i64::from(self.plan.layout.tag(arm.symbol).unwrap_or(0))).collect();
        let mut targets: Vec<(Option<i64>, Label)> =
            tags.iter().copied().map(Some).zip(labels.clone()).collect();
        targets.extend(other.map(|label| (None, label)));
        match targets.as_slice() {
            // A value of a sort without values: never reached.
            [] => self.e.unreachable(),
            [(_, only)] => self.e.jump(*only, &[]),
            [first @ .., last] => {
                let tag = self.tag(on, value);
                self.select(tag, first, last.1);
            }
        }
        for (arm, label) in arms.iter().zip(labels) {
            let (path, hole) = (self.save(), self.hole);
            self.e.bind(label);
            self.fields(value, arm);
            self.block(&arm.body, after);
            self.restore(path);
            self.hole = hole;
        }
        if let Some((label, block)) = other.zip(default) {
            self.branch(label, block, after);
        }
    }

    /// Goes to one of several labels by a tag.
    fn select(&mut self, tag: Val, first: &[(Option<i64>, Label)], last: Label) {
        if first.len() >= TESTED {
            let cases = first.iter().filter_map(|&(tag, label)| Some((tag?.cast_unsigned(), label)));
            let cases: Vec<(u64, Label)> = cases.collect();
            self.e.switch(tag, &cases, last);
            return;
        }
        for (i, &(known, label)) in first.iter().enumerate() {
            let is_known = self.e.compare_to(Compare::Equal, tag, known.unwrap_or(0));
            if i + 1 == first.len() {
                self.e.branch(is_known, (label, &[]), (last, &[]));
            } else {
                self.e.jump_if(is_known, label);
            }
        }
    }

    /// The tag of a value.
    pub(super) fn tag(&mut self, local: LocalId, value: Val) -> Val {
        let bits = self.plan.layout.sorts[self.sort(local)].tag_bits;
        self.e.word_by(WordOp::And, value, (1i64 << bits) - 1)
    }

    /// Whether a truth value is true.
    pub(super) fn holds(&mut self, local: LocalId) -> Cond {
        let value = self.get(local);
        match self.plan.layout.tag(self.booleans.true_symbol) {
            Some(tag) => {
                let own = self.tag(local, value);
                self.e.compare_to(Compare::Equal, own, i64::from(tag))
            }
            // Truth is never a normal form.
            None => self.e.holds(false),
        }
    }
}

/// Whether the number of applications that are pending may change in a region.
fn counts(body: &Block) -> bool {
    let mut counts = false;
    body.walk(&mut |block| {
        counts |= !block.applied.is_empty();
        counts |= block.steps.iter().any(|step| match step {
            Step::Call { .. } => true,
            Step::Region { region, .. } => region.is_loop(),
            _ => false,
        });
        counts |= matches!(block.end, End::Continue(_));
    });
    counts
}
