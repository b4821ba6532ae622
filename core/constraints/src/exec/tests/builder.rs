//! Builds small programs: sorts by kind, constraint symbols, rules of patterns and expressions written as functions.

use std::sync::{Arc, Mutex, PoisonError};

use crate::exec::{Outcome, Stopped, Store, run};
use crate::plan::{ChrPlan, Joins, RoundsOptions, compile, compile_rounds};
use crate::rounds;
use gchr_base::control::{Control, Limits};
use gchr_base::error::RunError;
use gchr_base::facts::Facts;
use gchr_base::ids::IdVec;
use gchr_base::op::Op;
use gchr_base::rule::*;
use gchr_base::signature::*;
use gchr_base::source::{SourceMap, Span};
use gchr_base::stats::Stats;

pub(super) struct Builder {
    pub(super) program: Program,
    span: Span,
    any: SortId,
}

/// What a head or an argument is made of, by names.
#[derive(Clone, Debug)]
pub(super) enum T {
    Wild,
    Var(&'static str),
    Int(i64),
    Float(f64),
    Atom(&'static str),
    F(&'static str, Vec<T>),
    Op(Op, Vec<T>),
}

pub(super) fn v(name: &'static str) -> T {
    if name == "_" { T::Wild } else { T::Var(name) }
}
pub(super) fn n(value: i64) -> T {
    T::Int(value)
}
pub(super) fn op(op: Op, args: impl Into<Vec<T>>) -> T {
    T::Op(op, args.into())
}
pub(super) fn f(name: &'static str, args: impl Into<Vec<T>>) -> T {
    T::F(name, args.into())
}

/// A goal of a guard or a body.
#[derive(Clone, Debug)]
pub(super) enum G {
    Test(T),
    Is(&'static str, T),
    Match(T, T),
    Add(&'static str, Vec<T>),
    Write(T),
    Newline,
    Fail,
}

pub(super) fn add(name: &'static str, args: impl Into<Vec<T>>) -> G {
    G::Add(name, args.into())
}

/// Kept heads, removed heads, guard, body.
#[derive(Default)]
pub(super) struct R {
    pub(super) kept: Vec<(&'static str, Vec<T>)>,
    pub(super) removed: Vec<(&'static str, Vec<T>)>,
    pub(super) passive: Vec<usize>,
    pub(super) guard: Vec<G>,
    pub(super) body: Vec<G>,
}

struct Scope {
    vars: IdVec<VarId, Var>,
}

impl Builder {
    pub(super) fn new() -> Self {
        let mut signature = Signature::with_builtin_bool();
        let mut sources = SourceMap::new();
        let span = Span::new(sources.add("test", ""), 0, 0);
        let mut any = SortId(0);
        for (name, kind) in [
            ("int", SortKind::Int),
            ("float", SortKind::Float),
            ("atom", SortKind::Atom),
            ("string", SortKind::Str),
            ("any", SortKind::Any),
        ] {
            any = signature.sorts.push(Sort { name: name.into(), kind, span: None });
        }
        let program =
            Program { signature, rules: IdVec::new(), start: Start::Goals(Vec::new()), semantics: None };
        Self { program, span, any }
    }

    /// Declares a constraint; columns are sort names, `dense` for dense integers.
    pub(super) fn con(&mut self, name: &str, columns: &[&str]) -> &mut Self {
        let sig = &mut self.program.signature;
        let column = |c: &&str| {
            let (kind, density) = if *c == "dense" { ("int", Density::Dense) } else { (*c, Density::Sparse) };
            let sort = sig.sorts.iter_enumerated().find(|(_, s)| s.name == kind).unwrap().0;
            Column { sort, density, declared: true }
        };
        let columns = columns.iter().map(column).collect();
        sig.constraints.push(Constraint { name: name.into(), columns, span: None, is_made: false });
        self
    }

    pub(super) fn rule(&mut self, name: &str, r: R) -> &mut Self {
        let mut scope = Scope { vars: IdVec::new() };
        let mut heads = Vec::new();
        for (role, list) in [(Role::Kept, &r.kept), (Role::Removed, &r.removed)] {
            for (constraint, args) in list {
                let id = self.constraint(constraint);
                let sorts: Vec<SortId> =
                    self.program.signature.constraints[id].columns.iter().map(|c| c.sort).collect();
                let args = args.iter().zip(sorts).map(|(a, s)| self.pattern(&mut scope, a, s)).collect();
                let passive = r.passive.contains(&heads.len());
                let atom = HeadAtom::Constraint { constraint: id, args };
                heads.push(Head { role, atom, passive, span: self.span });
            }
        }
        let guard = r.guard.iter().map(|g| self.goal(&mut scope, g)).collect();
        let body = Body::Goals(r.body.iter().map(|g| self.goal(&mut scope, g)).collect());
        let rule = Rule { name: Some(name.into()), vars: scope.vars, heads, guard, body, span: self.span };
        self.program.rules.push(rule);
        self
    }

    pub(super) fn query(&mut self, goals: impl Into<Vec<G>>) -> &mut Self {
        let mut scope = Scope { vars: IdVec::new() };
        let goals = goals.into().iter().map(|g| self.goal(&mut scope, g)).collect();
        let query = Query { vars: scope.vars, goals, span: self.span };
        if let Start::Goals(queries) = &mut self.program.start {
            queries.push(query);
        }
        self
    }

    fn constraint(&self, name: &str) -> ConstraintId {
        let constraints = &self.program.signature.constraints;
        constraints.iter_enumerated().find(|(_, c)| c.name == name).expect("declared").0
    }

    fn sort(&self, kind: SortKind) -> SortId {
        self.program.signature.sort_of_kind(kind).unwrap()
    }

    fn functor(&mut self, name: &str, arity: usize) -> SymbolId {
        let sig = &mut self.program.signature;
        let known = sig.symbols.iter_enumerated().find(|(_, s)| s.name == name && s.args.len() == arity);
        known.map(|(id, _)| id).unwrap_or_else(|| {
            sig.symbols.push(Symbol {
                name: name.into(),
                args: vec![self.any; arity],
                result: self.any,
                kind: SymbolKind::Functor,
                span: None,
            })
        })
    }

    fn var(&self, scope: &mut Scope, name: &str, sort: SortId) -> VarId {
        let known = scope.vars.iter_enumerated().find(|(_, v)| v.name == name).map(|(id, _)| id);
        known.unwrap_or_else(|| scope.vars.push(Var { name: name.into(), sort, span: self.span }))
    }

    fn constant(&mut self, t: &T) -> Option<(Const, SortId)> {
        let (c, kind) = match t {
            T::Int(n) => (Const::Int(*n), SortKind::Int),
            T::Float(x) => (Const::Float(*x), SortKind::Float),
            T::Atom(a) => (Const::Atom(self.program.signature.texts.intern(a)), SortKind::Atom),
            _ => return None,
        };
        Some((c, self.sort(kind)))
    }

    fn pattern(&mut self, scope: &mut Scope, t: &T, sort: SortId) -> Pattern {
        let kind = match t {
            T::Wild => PatternKind::Wild,
            T::Var(name) => PatternKind::Var(self.var(scope, name, sort)),
            T::F(name, args) => {
                let symbol = self.functor(name, args.len());
                let any = self.any;
                PatternKind::App { symbol, args: args.iter().map(|a| self.pattern(scope, a, any)).collect() }
            }
            _ => PatternKind::Const(self.constant(t).expect("a constant").0),
        };
        Pattern { kind, sort, span: self.span }
    }

    fn expr(&mut self, scope: &mut Scope, t: &T) -> Expr {
        let span = self.span;
        let (kind, sort) = match t {
            T::Var(name) => {
                let var = self.var(scope, name, self.any);
                (ExprKind::Var(var), scope.vars[var].sort)
            }
            T::F(name, args) => {
                let symbol = self.functor(name, args.len());
                let args = args.iter().map(|a| self.expr(scope, a)).collect::<Vec<_>>();
                let args = args.into_iter().map(|a| self.as_any(a)).collect();
                (ExprKind::App { symbol, args }, self.any)
            }
            T::Op(op, args) => {
                let args: Vec<Expr> = args.iter().map(|a| self.expr(scope, a)).collect();
                let kinds: Vec<SortKind> = args.iter().map(|a| self.program.signature.kind(a.sort)).collect();
                let sort = match () {
                    () if op.is_test() => self.program.signature.booleans.sort,
                    () if *op == Op::Div => self.any,
                    () if kinds.iter().all(|k| *k == SortKind::Int) => self.sort(SortKind::Int),
                    () if kinds.contains(&SortKind::Any) => self.any,
                    () => self.sort(SortKind::Float),
                };
                (ExprKind::Op { op: *op, args }, sort)
            }
            _ => {
                let (c, sort) = self.constant(t).expect("a constant");
                (ExprKind::Const(c), sort)
            }
        };
        Expr { kind, sort, span }
    }

    /// Constants have the sort that is asked for.
    fn as_any(&self, mut expr: Expr) -> Expr {
        if matches!(expr.kind, ExprKind::Const(_)) {
            expr.sort = self.any;
        }
        expr
    }

    fn goal(&mut self, scope: &mut Scope, g: &G) -> Goal {
        let kind = match g {
            G::Test(t) => GoalKind::Test(self.expr(scope, t)),
            G::Is(name, t) => {
                let value = self.expr(scope, t);
                GoalKind::Bind { var: self.var(scope, name, value.sort), value }
            }
            G::Match(t, p) => {
                let value = self.expr(scope, t);
                let pattern = self.pattern(scope, p, value.sort);
                GoalKind::Match { value, pattern }
            }
            G::Add(name, args) => {
                let constraint = self.constraint(name);
                let columns = self.program.signature.constraints[constraint].columns.clone();
                let args = args.iter().zip(columns).map(|(a, c)| {
                    let expr = self.expr(scope, a);
                    if c.sort == self.any { self.as_any(expr) } else { expr }
                });
                GoalKind::Add { constraint, args: args.collect() }
            }
            G::Write(t) => GoalKind::Write { value: self.expr(scope, t), quoted: false },
            G::Newline => GoalKind::Newline,
            G::Fail => GoalKind::Fail,
        };
        Goal { kind, span: self.span }
    }

    pub(super) fn plan(&self) -> ChrPlan {
        let found = verify(&self.program);
        assert!(found.is_empty(), "{found:?}\n{}", self.program);
        compile(&self.program).unwrap_or_else(|found| panic!("{found:?}\n{}", self.program))
    }

    pub(super) fn plan_text(&self) -> String {
        self.plan().display(&self.program).to_string()
    }

    pub(super) fn run(&self) -> Ran {
        self.run_with(Limits::default())
    }

    pub(super) fn run_with(&self, limits: Limits) -> Ran {
        self.run_traced(limits, true)
    }

    pub(super) fn rounds_plan(&self, options: RoundsOptions) -> ChrPlan {
        compile_rounds(&self.program, options).unwrap_or_else(|found| panic!("{found:?}\n{}", self.program))
    }

    /// In rounds, on so many threads.
    pub(super) fn run_rounds(&self, how: &Rounds, limits: Limits) -> Ran {
        let plan = self.rounds_plan(how.plan);
        let limits = Limits { max_rounds: how.max_rounds, ..limits };
        let run = |facts: &[Facts], control: &mut Control| rounds::run(&self.program, &plan, facts, control);
        pool(how.threads).install(|| self.ran(limits, how.traced, &how.facts, &run))
    }

    /// In rounds, under a control that is made where they run.
    pub(super) fn under<T: Send>(
        &self,
        how: &Rounds,
        with: impl FnOnce(&dyn Fn(&mut Control) -> Result<Outcome, Box<Stopped>>) -> T + Send,
    ) -> T {
        let plan = self.rounds_plan(how.plan);
        pool(how.threads).install(|| with(&|control| rounds::run(&self.program, &plan, &how.facts, control)))
    }

    pub(super) fn run_traced(&self, limits: Limits, traced: bool) -> Ran {
        let plan = self.plan();
        self.ran(limits, traced, &[], &|facts, control| run(&self.program, &plan, facts, control))
    }

    fn ran(&self, limits: Limits, traced: bool, facts: &[Facts], run: Run<'_>) -> Ran {
        let mut trace = Vec::new();
        let mut output = Vec::new();
        let result = {
            let mut control = Control::new(limits).output(&mut output);
            if traced {
                control = control.trace(|line| trace.push(line.to_string()));
            }
            run(facts, &mut control)
        };
        let (store, stats, error) = match result {
            Ok(outcome) => (outcome.store, outcome.stats, None),
            Err(stopped) => (stopped.store, stopped.stats, Some(stopped.error)),
        };
        let mut text = Vec::new();
        store.write_text(&self.program.signature, &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        Ran { trace, output: String::from_utf8(output).unwrap(), text, store, stats, error }
    }
}

/// Threads, made once for each number.
pub(super) fn pool(threads: usize) -> Arc<rayon::ThreadPool> {
    static POOLS: Mutex<Vec<Arc<rayon::ThreadPool>>> = Mutex::new(Vec::new());
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let known = pools.iter().find(|p| p.current_num_threads() == threads).cloned();
    known.unwrap_or_else(|| {
        let pool = Arc::new(rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap());
        pools.push(Arc::clone(&pool));
        pool
    })
}

type Run<'a> = &'a (dyn Fn(&[Facts], &mut Control) -> Result<Outcome, Box<Stopped>> + Sync);

/// How to run in rounds.
#[derive(Clone)]
pub(super) struct Rounds {
    pub(super) plan: RoundsOptions,
    pub(super) max_rounds: Option<u64>,
    pub(super) threads: usize,
    pub(super) traced: bool,
    pub(super) facts: Vec<Facts>,
}

impl Rounds {
    /// The definition.
    pub(super) fn oracle(classes: bool) -> Self {
        let plan = RoundsOptions { classes, joins: Joins::Exhaustive };
        Self { plan, max_rounds: None, threads: 1, traced: false, facts: Vec::new() }
    }
    /// The executor.
    pub(super) fn on(threads: usize, classes: bool) -> Self {
        let plan = RoundsOptions { classes, joins: Joins::Indexed };
        Self { threads, plan, ..Self::oracle(classes) }
    }
    pub(super) fn traced(self) -> Self {
        Self { traced: true, ..self }
    }
    pub(super) fn until(self, max_rounds: u64) -> Self {
        Self { max_rounds: Some(max_rounds), ..self }
    }
}

/// What a run gave.
pub(super) struct Ran {
    pub(super) trace: Vec<String>,
    pub(super) output: String,
    pub(super) text: String,
    pub(super) store: Store,
    pub(super) stats: Stats,
    pub(super) error: Option<RunError>,
}
