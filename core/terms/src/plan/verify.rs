//! Checks the invariants of a plan after every pass. A violation is a bug of a pass.

mod tasks;

use crate::plan::ir::*;
use crate::plan::live::{self, Before, LocalSet};
use crate::plan::refs;
use gchr_base::ids::IdVec;
use gchr_base::op::Op;
use gchr_base::rule::Const;
use gchr_base::signature::{SortId, SortKind, SymbolId};

/// One text per broken invariant:
/// every local is bound once, before it is used, where control passes; every step, call and field has the sort that is
/// needed; matches have their arms in tag order and a default exactly when variants are left; tail calls and contexts
/// are not in nested regions; a context's nest uses its hole and each of its cells once; once `liveness` has run,
/// resume points are the live locals.
pub fn verify(plan: &TermPlan) -> Vec<String> {
    let mut violations = Vec::new();
    let unknown = |f: &Option<FunctionId>| f.is_some_and(|f| plan.functions.get(f).is_none());
    if plan.function_of.iter().any(unknown) {
        violations.push("a symbol has an unknown function".to_string());
    }
    for function in plan.functions.iter() {
        let mut check = PlanCheck {
            plan,
            function,
            scope: Scope::new(function),
            tokens: LocalSet::default(),
            violations: Vec::new(),
        };
        check.function();
        violations.extend(check.violations.into_iter().map(|text| format!("{}: {text}", function.name)));
    }
    violations
}

struct PlanCheck<'a> {
    plan: &'a TermPlan,
    function: &'a Function,
    /// What is bound, on the path to here.
    scope: Scope,
    /// Those among them that are no values.
    tokens: LocalSet,
    violations: Vec<String>,
}

/// Which locals are bound: anywhere, and on the path to the place at hand.
struct Scope {
    /// By local.
    states: IdVec<LocalId, Bound>,
    /// Those bound on the path, in order.
    path: Vec<LocalId>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Bound {
    No,
    Elsewhere,
    Here,
}

impl Scope {
    fn new(function: &Function) -> Self {
        Self { states: function.locals.iter().map(|_| Bound::No).collect(), path: Vec::new() }
    }

    fn contains(&self, local: LocalId) -> bool {
        self.states.get(local) == Some(&Bound::Here)
    }

    /// Leaves the blocks that were entered when the path had so many locals.
    fn leave(&mut self, path: usize) {
        for local in self.path.drain(path..) {
            self.states[local] = Bound::Elsewhere;
        }
    }
}

impl<'a> PlanCheck<'a> {
    fn fail(&mut self, text: impl Into<String>) {
        self.violations.push(text.into());
    }

    fn function(&mut self) {
        let function = self.function;
        function.region.params.iter().for_each(|&p| self.bind(p));
        self.block(&function.region.body, &function.region, function.result, false);
        if self.plan.resume_points {
            self.resume_points(&function.region.body, &LocalSet::default());
        }
        if let Some(base) = &function.base {
            self.base(base);
        }
        if self.plan.references.is_some() && self.violations.is_empty() {
            for body in std::iter::once(&function.region.body).chain(function.base.as_deref()) {
                self.violations.extend(refs::check(self.plan, function, body));
            }
        }
    }

    fn bind(&mut self, local: LocalId) {
        match self.scope.states.get(local) {
            None => self.fail(format!("unknown local {local}")),
            Some(Bound::No) => {
                self.scope.states[local] = Bound::Here;
                self.scope.path.push(local);
            }
            Some(_) => self.fail(format!("{local} is bound twice")),
        }
    }

    fn sort_of(&mut self, local: LocalId) -> Option<SortId> {
        if !self.scope.contains(local) {
            self.fail(format!("{local} is not bound here"));
        }
        if self.tokens.contains(local) {
            self.fail(format!("{local} is a token, no value"));
        }
        self.function.locals.get(local).map(|l| l.sort)
    }

    fn expect(&mut self, local: LocalId, sort: SortId) {
        if self.sort_of(local).is_some_and(|s| s != sort) {
            self.fail(format!("{local} has another sort than its use"));
        }
    }

    fn expect_all(&mut self, locals: &[LocalId], sorts: &[SortId]) {
        if locals.len() != sorts.len() {
            return self.fail("wrong number of arguments");
        }
        locals.iter().zip(sorts).for_each(|(&l, &s)| self.expect(l, s));
    }

    fn call(&mut self, function: FunctionId, args: &[LocalId]) -> Option<SortId> {
        let Some(callee) = self.plan.functions.get(function) else {
            self.fail(format!("unknown function {function}"));
            return None;
        };
        if callee.region.params.len() != args.len() {
            self.fail("wrong number of arguments");
        }
        let sorts = callee.region.params.iter().map(|&p| callee.sort(p));
        args.iter().zip(sorts).for_each(|(&arg, sort)| self.expect(arg, sort));
        Some(callee.result)
    }

    fn block(&mut self, block: &'a Block, region: &'a Region, result: SortId, nested: bool) {
        let outer = self.scope.path.len();
        if block.applied.iter().any(|&r| self.plan.rule_names.get(r).is_none()) {
            self.fail("unknown rule");
        }
        block.steps.iter().for_each(|s| self.step(s));
        self.siblings(block);
        self.end(&block.end, region, result, nested);
        self.scope.leave(outer);
    }

    fn step(&mut self, step: &'a Step) {
        match step {
            Step::Const { dst, value } => {
                self.bind(*dst);
                self.constant(*dst, *value);
            }
            Step::Build { dst, symbol, args, reuse } => {
                reuse.iter().for_each(|&token| self.token(token, *symbol));
                let sorts: Option<Vec<SortId>> =
                    self.plan.layout.variant(*symbol).map(|v| v.fields.iter().map(|f| f.sort).collect());
                match (sorts, self.plan.layout.sort_and_tag(*symbol)) {
                    (Some(sorts), Some((sort, _))) => {
                        self.expect_all(args, &sorts);
                        self.bind(*dst);
                        self.expect(*dst, sort);
                    }
                    _ => self.fail(format!("{symbol} heads no normal form")),
                }
            }
            Step::Repeat { dst, symbol, count, arg } => {
                self.bind(*dst);
                let sort = self.function.sort(*dst);
                self.expect(*arg, sort);
                let fits = self
                    .plan
                    .layout
                    .variant(*symbol)
                    .is_some_and(|v| v.fields.len() == 1 && v.fields[0].sort == sort)
                    && self.plan.layout.sort_and_tag(*symbol).is_some_and(|(s, _)| s == sort);
                if !fits || *count == 0 {
                    self.fail("a repetition does not fit its symbol");
                }
            }
            Step::Operate { dst, op, args, .. } => {
                self.operands(*op, args);
                self.bind(*dst);
                let wide = self.plan.layout.sorts[self.function.sort(*dst)].is_wide();
                if op.is_test() == wide {
                    self.fail("an operation has a result of another sort");
                }
            }
            Step::Call { dst, function, args, .. } => {
                let sort = self.call(*function, args);
                self.bind(*dst);
                if let Some(sort) = sort {
                    self.expect(*dst, sort);
                }
            }
            Step::Region { dst, inits, region } => {
                let function = self.function;
                let sorts: Vec<SortId> = region.params.iter().map(|&p| function.sort(p)).collect();
                self.expect_all(inits, &sorts);
                let outer = self.scope.path.len();
                region.params.iter().for_each(|&p| self.bind(p));
                self.block(&region.body, region, function.sort(*dst), true);
                self.scope.leave(outer);
                self.bind(*dst);
            }
            Step::Trace { rule, symbol, args } => {
                if self.plan.rule_names.get(*rule).is_none() {
                    self.fail("unknown rule");
                }
                self.application(*symbol, args);
            }
            Step::Ref(step) => self.reference(step),
        }
    }

    /// Operands of one sort: truth values, numbers, or values that are compared structurally.
    fn operands(&mut self, op: Op, args: &[LocalId]) {
        if args.len() != op.arity() {
            self.fail("wrong number of operands");
        }
        let sorts: Vec<SortId> = args.iter().filter_map(|&a| self.sort_of(a)).collect();
        let wide = sorts.iter().any(|&s| self.plan.layout.sorts[s].is_wide());
        if sorts.windows(2).any(|s| s[0] != s[1]) || !op.is_structural() && op.is_logical() == wide {
            self.fail("an operand has another sort than its operator needs");
        }
    }

    /// An application of a symbol that has a function: a redex, or one that no rule matches.
    fn application(&mut self, symbol: SymbolId, args: &[LocalId]) -> Option<SortId> {
        match self.plan.function_of.get(symbol) {
            Some(&Some(function)) => self.call(function, args),
            _ => {
                self.fail(format!("{symbol} has no function"));
                None
            }
        }
    }

    fn constant(&mut self, local: LocalId, value: Const) {
        let Some(sort) = self.sort_of(local) else { return };
        let fits = matches!(
            (value, self.plan.layout.sorts[sort].kind),
            (Const::Int(_), SortKind::Int) | (Const::Float(_), SortKind::Float)
        );
        if !fits {
            self.fail("a constant has another sort");
        }
    }

    fn end(&mut self, end: &'a End, region: &'a Region, result: SortId, nested: bool) {
        if nested && matches!(end, End::TailCall { .. } | End::Context { .. }) {
            self.fail("a nested region leaves its function");
        }
        match end {
            End::Return(value) => self.expect(*value, result),
            End::TailCall { function, args } => {
                if self.call(*function, args).is_some_and(|s| s != result) {
                    self.fail("a tail call has another sort");
                }
            }
            End::NoRule { symbol, args } => {
                let sort = self.application(*symbol, args);
                if sort.is_some_and(|s| !self.plan.layout.sorts[s].is_wide()) {
                    self.fail("an application that no rule matches is a normal form");
                }
            }
            End::Continue(args) => self.again(args, region),
            End::Context { hole, nest, target, args } => {
                match target {
                    Target::Again => self.again(args, region),
                    Target::Function(f) => {
                        let sort = self.call(*f, args);
                        if sort.is_some_and(|s| s != self.function.sort(*hole)) {
                            self.fail("a hole has another sort than what fills it");
                        }
                    }
                }
                self.nest(*hole, nest, result);
            }
            End::Match { on, arms, default } => {
                if self.sort_of(*on).is_some_and(|s| self.plan.layout.sorts[s].is_wide()) {
                    self.fail("a match on a number");
                }
                self.arms(*on, arms, default.is_some());
                for arm in arms {
                    let outer = self.scope.path.len();
                    self.fields(arm);
                    self.block(&arm.body, region, result, nested);
                    self.scope.leave(outer);
                }
                default.iter().for_each(|b| self.block(b, region, result, nested));
            }
            End::If { test, then, otherwise } => {
                self.test(test);
                self.block(then, region, result, nested);
                self.block(otherwise, region, result, nested);
            }
        }
    }

    fn again(&mut self, args: &[LocalId], region: &Region) {
        let sorts: Vec<SortId> = region.params.iter().map(|&p| self.function.sort(p)).collect();
        self.expect_all(args, &sorts);
    }

    fn nest(&mut self, hole: LocalId, nest: &'a [Step], result: SortId) {
        if self.plan.layout.sorts[self.function.sort(hole)].is_wide() {
            self.fail("a number fills a hole");
        }
        self.bind(hole);
        let mut chain = LocalSet::default();
        chain.insert(hole);
        let mut last = hole;
        for step in nest {
            let cell = matches!(step, Step::Build { .. } | Step::Repeat { .. });
            if !cell || !step.uses().filter(|&l| chain.contains(l)).eq([last]) {
                self.fail("a context is not a nest of cells around its hole, each used once");
            }
            self.step(step);
            last = step.dst().unwrap_or(last);
            chain.insert(last);
        }
        if nest.is_empty() {
            self.fail("a context has no cell");
        }
        self.expect(last, result);
    }

    fn arms(&mut self, on: LocalId, arms: &[Arm], default: bool) {
        let sort = self.function.sort(on);
        let tags: Vec<_> = arms.iter().map(|arm| self.plan.layout.sort_and_tag(arm.symbol)).collect();
        if tags.iter().any(|t| t.is_none_or(|(s, _)| s != sort)) || !tags.is_sorted_by(|a, b| a < b) {
            self.fail("the arms of a match are not variants in tag order");
        }
        if default == (arms.len() == self.plan.layout.sorts[sort].variants.len()) {
            self.fail("the arms of a match are not exhaustive, or its default is unreachable");
        }
    }

    fn fields(&mut self, arm: &'a Arm) {
        let Some(variant) = self.plan.layout.variant(arm.symbol) else { return };
        if variant.fields.len() != arm.fields.len() {
            return self.fail("an arm has the wrong number of fields");
        }
        for (field, layout) in arm.fields.iter().zip(&variant.fields) {
            if let Some(field) = *field {
                self.bind(field);
                self.expect(field, layout.sort);
            }
        }
    }

    fn test(&mut self, test: &Test) {
        match *test {
            Test::Same(a, b) => {
                if let Some(sort) = self.sort_of(a) {
                    self.expect(b, sort);
                }
            }
            Test::Compare(op, a, b) => {
                if !op.is_test() || op.is_structural() {
                    self.fail("a test compares by an operator that compares no numbers");
                }
                self.operands(op, &[a, b]);
            }
            Test::Constant(a, value) => self.constant(a, value),
            Test::Holds(a) => {
                if self.sort_of(a).is_some_and(|s| self.plan.layout.sorts[s].is_wide()) {
                    self.fail("a number is tested for truth");
                }
            }
        }
    }

    fn resume_points(&mut self, body: &'a Block, after: &LocalSet) {
        self.resume_points_of(body, after, &Before::new(body, after));
    }

    fn resume_points_of(&mut self, block: &'a Block, after: &LocalSet, before: &Before) {
        let sets = before.steps(block, after);
        for (i, step) in block.steps.iter().enumerate() {
            match step {
                Step::Call { dst, live, .. } => {
                    let mut set = sets[i + 1].clone();
                    set.remove(*dst);
                    if !set.iter().eq(live.iter().copied()) {
                        self.fail(format!("the resume point behind {dst} is not what is live there"));
                    }
                }
                Step::Region { dst, region, .. } => {
                    let mut set = sets[i + 1].clone();
                    set.remove(*dst);
                    let around = live::around_loop(region, &set);
                    self.resume_points(&region.body, &around);
                }
                _ => {}
            }
        }
        block.end.blocks().into_iter().for_each(|b| self.resume_points_of(b, after, before));
    }
}
