//! The walk over a kernel: symbolic execution in which every path is taken once, called functions are walked at their calls, loops
//! once with unknowns in place of what they change, and loops that pass a barrier twice, so that every interval between two barriers
//! is seen from its start to its end.
//!
//! What is not known in advance (how uniform a loop's variables are, whether all paths of a loop pass a barrier, whether a flag that
//! is read is written meanwhile) is first assumed for the best. What turns out otherwise is remembered in [`Learnt`], and the walk is
//! repeated until nothing new is learnt: a least fixpoint over the levels.

use std::rc::Rc;

use gchr_core::hash::{HashMap, HashSet};

use super::access::Access;
use super::poly::Poly;
use super::state::{Claim, Control, Path, Root, Since, Site, State, Value, merge_since};
use super::symbol::{Cond, Level, Symbol, Symbols};
use super::verdict::{Assumed, Rule};
use crate::ir::*;

/// Statements that may be walked over.
const MAX_STATEMENTS: usize = 2_000_000;

/// A place in the walk: the calls and loops that led there, by hash, and a statement.
pub(super) type Key = (u64, usize);

/// What earlier walks over a kernel have found out.
#[derive(Default)]
pub(super) struct Learnt {
    /// Level of a variable at the head of a loop.
    pub levels: HashMap<(Key, u64), Level>,
    /// Buffers that a variable may name at the head of a loop.
    pub buffers: HashMap<(Key, u64), Vec<Root>>,
    pub loops: HashMap<Key, Repeat>,
    /// Atomic loads of what others write meanwhile.
    pub torn: HashSet<Key>,
    /// Memory by name: parameters, fields of the launch record, shared arrays.
    pub roots: Vec<Memory>,
    pub changed: bool,
}

/// What is known of a loop.
#[derive(Clone, Copy)]
pub(super) struct Repeat {
    /// How uniform the turns and the ends of the loop are.
    pub control: Level,
    /// Whether every turn passes a barrier of the block, of the grid.
    pub passes: [bool; 2],
}

/// A buffer or array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Memory {
    pub name: String,
    pub space: Space,
}

/// A broken rule: where, what other place has to do with it, how.
pub(super) type Refusal<'m> = (Rule, Site<'m>, Option<Site<'m>>, String);

/// What a walk gives.
pub(super) struct Found<'m> {
    pub symbols: Symbols,
    pub accesses: Vec<Access<'m>>,
    pub reasons: Vec<Refusal<'m>>,
    pub assumptions: Vec<(String, Assumed, Site<'m>)>,
    pub statements: usize,
    pub intervals: u32,
}

/// A function that is being walked over.
pub(super) struct Frame<'m> {
    pub function: &'m Function,
    returns: Vec<(State<'m>, Value)>,
    loops: Vec<Jumps<'m>>,
    /// Jumps walked over in this function.
    jumps: usize,
}

#[derive(Default)]
struct Jumps<'m> {
    breaks: Vec<State<'m>>,
    continues: Vec<State<'m>>,
}

/// A loop's parts.
pub(super) struct Parts<'m> {
    pub condition: &'m Expr,
    pub body: &'m [Stmt],
    pub counter: Option<(VarId, &'m Expr)>,
}

/// A walk over a kernel.
pub(super) struct Walk<'m, 'l> {
    pub module: &'m Module,
    pub learnt: &'l mut Learnt,
    pub symbols: Symbols,
    pub accesses: Vec<Access<'m>>,
    pub frames: Vec<Frame<'m>>,
    /// The statement being walked over.
    pub stmt: Option<&'m Stmt>,
    pub context: u64,
    /// Loops around in whose turns no barrier of the block, of the grid is passed.
    varying: [u32; 2],
    intervals: u32,
    tokens: u32,
    reasons: Vec<Refusal<'m>>,
    assumptions: Vec<(String, Assumed, Site<'m>)>,
    statements: usize,
    pub targets: HashMap<usize, Rc<[VarId]>>,
    barriers: &'l [[bool; 2]],
}

/// For each function whether it has a barrier of the block, of the grid.
pub(super) fn barriers_of(module: &Module) -> Vec<[bool; 2]> {
    let mut all: Vec<[bool; 2]> = Vec::new();
    for function in &module.functions {
        let mut has = barriers_in(&function.body, &all);
        if let Some(scope) = contract(function) {
            has[0] = true;
            has[1] |= scope == Scope::Device;
        }
        all.push(has);
    }
    all
}

fn barriers_in(block: &[Stmt], functions: &[[bool; 2]]) -> [bool; 2] {
    let mut has = [false; 2];
    flow::each_statement(block, &mut |stmt| match &stmt.kind {
        StmtKind::Barrier => has[0] = true,
        StmtKind::Effect { effect: Effect::Call { function, .. }, .. } => {
            let called = functions.get(function.0 as usize).copied().unwrap_or_default();
            has = [has[0] | called[0], has[1] | called[1]];
        }
        _ => {}
    });
    has
}

/// The barrier that a function says it is: `barrier: grid` or `barrier: block` in its contract.
pub(super) fn contract(function: &Function) -> Option<Scope> {
    function.doc.iter().find_map(|line| match line.trim().strip_prefix("barrier:")?.trim() {
        "grid" => Some(Scope::Device),
        "block" => Some(Scope::Block),
        _ => None,
    })
}

impl<'m, 'l> Walk<'m, 'l> {
    pub fn new(
        module: &'m Module,
        max_threads: u32,
        learnt: &'l mut Learnt,
        barriers: &'l [[bool; 2]],
    ) -> Self {
        Self {
            module,
            learnt,
            symbols: Symbols::new(max_threads),
            accesses: Vec::new(),
            frames: Vec::new(),
            stmt: None,
            context: 0,
            varying: [0; 2],
            intervals: 0,
            tokens: 0,
            reasons: Vec::new(),
            assumptions: Vec::new(),
            statements: 0,
            targets: HashMap::default(),
            barriers,
        }
    }

    pub fn finish(self) -> Found<'m> {
        Found {
            symbols: self.symbols,
            accesses: self.accesses,
            reasons: self.reasons,
            assumptions: self.assumptions,
            statements: self.statements,
            intervals: self.intervals,
        }
    }

    /// Walks over the kernel.
    pub fn kernel(&mut self, kernel: &'m Function) {
        let vars = kernel.vars.iter_enumerated().map(|(id, var)| match var.storage {
            Storage::Param => self.parameter(kernel, id),
            _ => Value::Unset,
        });
        let vars = Rc::new(vars.collect());
        let control = Control { level: Level::Grid, cause: None, token: self.token() };
        let start = State {
            vars,
            path: Path::default(),
            control,
            since: [self.interval(), self.interval()],
            claims: Rc::default(),
        };
        self.enter_function(kernel);
        self.block(start, &kernel.body);
        self.leave_function();
    }

    pub fn enter_function(&mut self, function: &'m Function) {
        self.frames.push(Frame { function, returns: Vec::new(), loops: Vec::new(), jumps: 0 });
    }

    /// Leaves a function; gives the states in which it returns, with what.
    pub fn leave_function(&mut self) -> Vec<(State<'m>, Value)> {
        self.frames.pop().map(|f| f.returns).unwrap_or_default()
    }

    fn parameter(&mut self, kernel: &Function, id: VarId) -> Value {
        let var = &kernel.vars[id];
        match var.ty {
            Type::Record(record) => {
                let fields = self.module.records[record].fields.iter();
                let fields: Vec<Value> =
                    fields.map(|f| self.argument(format!("{}.{}", var.name, f.name), f.ty)).collect();
                Value::Record(fields.into())
            }
            ty => self.argument(var.name.clone(), ty),
        }
    }

    pub fn argument(&mut self, name: String, ty: Type) -> Value {
        match ty {
            Type::Buffer(space, _) | Type::Records(space, _) => self.memory(name, space),
            ty => {
                let symbol = Symbol::new(Level::Grid, [false; 2], false);
                self.fresh(symbol, ty)
            }
        }
    }

    /// A buffer or array by name.
    pub fn memory(&mut self, name: String, space: Space) -> Value {
        let memory = Memory { name, space };
        let roots = &mut self.learnt.roots;
        let at = roots.iter().position(|r| *r == memory).unwrap_or_else(|| {
            roots.push(memory);
            roots.len() - 1
        });
        Value::Buffer([at as Root].into(), Level::Grid)
    }

    // Loops

    pub fn barriers_below(&self, body: &[Stmt]) -> [bool; 2] {
        barriers_in(body, self.barriers)
    }

    /// Enters a loop whose turns pass barriers of these scopes.
    pub fn enter(&mut self, passes: [bool; 2]) {
        (0..2).for_each(|i| self.varying[i] += u32::from(!passes[i]));
    }
    pub fn leave(&mut self, passes: [bool; 2]) {
        (0..2).for_each(|i| self.varying[i] -= u32::from(!passes[i]));
    }
    /// Whether what is computed here is another number in each of several turns within one interval.
    pub fn varies(&self) -> [bool; 2] {
        self.varying.map(|n| n > 0)
    }
    pub fn push_loop(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            frame.loops.push(Jumps::default());
        }
    }
    pub fn pop_loop(&mut self) -> (Vec<State<'m>>, Vec<State<'m>>) {
        let jumps = self.frames.last_mut().and_then(|f| f.loops.pop()).unwrap_or_default();
        (jumps.breaks, jumps.continues)
    }
    /// Number of returns of the function so far.
    pub fn returns(&self) -> usize {
        self.frames.last().map_or(0, |f| f.returns.len())
    }
    pub fn returned_since(&self, before: usize) -> impl Iterator<Item = Level> + '_ {
        let returns = self.frames.last().map_or(&[][..], |f| &f.returns[before..]);
        returns.iter().map(|(state, _)| state.control.level)
    }
    pub fn type_of(&self, var: VarId) -> Type {
        self.frames.last().and_then(|f| f.function.vars.get(var)).map_or(Type::Void, |v| v.ty)
    }
    /// Unknowns in the shape of a value.
    pub fn anew(&mut self, value: &Value, level: Level, ty: Type) -> Value {
        match value {
            Value::Number(_) | Value::Truth(_) => self.unknown(level, ty),
            Value::Record(fields) => {
                let types = self.field_types(ty, fields.len());
                Value::Record(fields.iter().zip(types).map(|(f, ty)| self.anew(f, level, ty)).collect())
            }
            Value::Unset | Value::Buffer(..) => value.clone(),
        }
    }

    // Numbers and names

    pub fn token(&mut self) -> u32 {
        self.tokens += 1;
        self.tokens
    }

    fn interval(&mut self) -> Rc<[Since]> {
        self.intervals += 1;
        [Since { interval: self.intervals, facts: Vec::new() }].into()
    }

    pub fn key(&self) -> Key {
        (self.context, self.stmt.map_or(0, |s| std::ptr::from_ref(s).addr()))
    }

    pub fn site(&self) -> Option<Site<'m>> {
        Some(Site { function: self.frames.last()?.function, stmt: self.stmt? })
    }

    /// A new number (or truth value, or record of them) at this place.
    pub fn unknown(&mut self, level: Level, ty: Type) -> Value {
        let varies = self.varies();
        self.fresh(Symbol::new(level, varies, true), ty)
    }

    pub fn fresh(&mut self, symbol: Symbol, ty: Type) -> Value {
        match ty {
            Type::Record(record) => {
                let module = self.module;
                let fields = module.records[record].fields.iter();
                Value::Record(fields.map(|f| self.fresh(symbol.clone(), f.ty)).collect())
            }
            Type::Scalar(scalar) => {
                let id = self.symbols.add(symbol);
                let poly = Poly::var(id);
                self.symbols.get_mut(id).facts.extend(super::eval::range(scalar, &poly));
                if scalar == Scalar::Bool { Value::truth(Cond::Ne(poly)) } else { Value::number(poly) }
            }
            _ => Value::Unset,
        }
    }

    pub fn refuse(&mut self, rule: Rule, other: Option<Site<'m>>, text: String) {
        let Some(site) = self.site() else { return };
        let known = |r: &Refusal<'m>| r.0 == rule && std::ptr::eq(r.1.stmt, site.stmt);
        if !self.reasons.iter().any(known) {
            self.reasons.push((rule, site, other, text));
        }
    }

    pub fn assume(&mut self, name: &str, kind: Assumed) {
        if let Some(site) = self.site() {
            self.assumptions.push((name.to_string(), kind, site));
        }
    }

    // Statements

    /// Walks over statements; `None` when their end is never reached.
    pub fn block(&mut self, state: State<'m>, block: &'m [Stmt]) -> Option<State<'m>> {
        let mut state = state;
        for stmt in block {
            self.statements += 1;
            let outer = self.stmt.replace(stmt);
            if self.statements > MAX_STATEMENTS {
                self.refuse(
                    Rule::Limit,
                    None,
                    format!("the kernel has more than {MAX_STATEMENTS} statements to check"),
                );
                return None;
            }
            let next = self.statement(state, stmt);
            self.stmt = outer;
            state = next?;
        }
        Some(state)
    }

    fn statement(&mut self, mut state: State<'m>, stmt: &'m Stmt) -> Option<State<'m>> {
        match &stmt.kind {
            StmtKind::Declare { var, value } => {
                let value = match value {
                    Some(value) => self.eval(&mut state, value),
                    None => self.declared(*var),
                };
                state.set(*var, value);
            }
            StmtKind::Assign { place, value } => self.assign(&mut state, place, value),
            StmtKind::Effect { result, effect } => {
                let value = self.effect(&mut state, effect)?;
                if let Some(Target::Declare(var) | Target::Assign(var)) = result {
                    state.set(*var, value);
                }
            }
            StmtKind::If { condition, then, otherwise } => {
                let condition = self.truth(&mut state, condition);
                let negated = condition.negate();
                return self.branch(state, &[(condition, then), (negated, otherwise)]);
            }
            StmtKind::Switch { value, cases, default } => return self.switch(state, value, cases, default),
            StmtKind::While { condition, body } => {
                return self.repeat(state, &Parts { condition, body, counter: None });
            }
            StmtKind::For { var, start, condition, next, body, .. } => {
                let start = self.eval(&mut state, start);
                state.set(*var, start);
                return self.repeat(state, &Parts { condition, body, counter: Some((*var, next)) });
            }
            StmtKind::Break => return self.jump(|jumps| jumps.breaks.push(state)),
            StmtKind::Continue => return self.jump(|jumps| jumps.continues.push(state)),
            StmtKind::Return(value) => {
                let value = value.as_ref().map_or(Value::Unset, |v| self.eval(&mut state, v));
                let frame = self.frames.last_mut()?;
                frame.jumps += 1;
                frame.returns.push((state, value));
                return None;
            }
            StmtKind::Barrier => self.barrier(&mut state),
            StmtKind::WarpBarrier { mask } => {
                self.mask(&mut state, mask);
            }
            StmtKind::Everywhere { captures, body } => return self.everywhere(state, captures, body),
            StmtKind::Assume { name, condition } => {
                self.assume(name, Assumed::Condition);
                let condition = self.truth(&mut state, condition);
                state.learn(condition);
            }
            StmtKind::Uniform { name, scope, value } => self.uniform(&mut state, name, *scope, value),
            StmtKind::Own { name, place } => self.own(&mut state, name, place),
            StmtKind::Fence(_) | StmtKind::Sleep(_) => {}
        }
        Some(state)
    }

    /// The value of a variable that is declared without one.
    fn declared(&mut self, var: VarId) -> Value {
        let Some(frame) = self.frames.last() else { return Value::Unset };
        let var = &frame.function.vars[var];
        match var.ty.space() {
            Some(space) if matches!(var.storage, Storage::Array(_)) => self.memory(var.name.clone(), space),
            _ => Value::Unset,
        }
    }

    fn assign(&mut self, state: &mut State<'m>, place: &'m crate::ir::Place, value: &'m Expr) {
        match (&place.base, place.field) {
            (PlaceBase::Var(var), None) => {
                let value = self.eval(state, value);
                state.set(*var, value);
            }
            (PlaceBase::Var(var), Some(field)) => {
                let value = self.eval(state, value);
                let record = match state.get(*var) {
                    Value::Record(fields) => fields.to_vec(),
                    _ => Vec::new(),
                };
                let fields = (0..record.len().max(field as usize + 1)).map(|at| match at == field as usize {
                    true => value.clone(),
                    false => record.get(at).cloned().unwrap_or(Value::Unset),
                });
                state.set(*var, Value::Record(fields.collect()));
            }
            (PlaceBase::Element { .. }, _) => {
                self.eval(state, value);
                self.write(state, place);
            }
        }
    }

    fn uniform(&mut self, state: &mut State<'m>, name: &'m str, scope: Scope, value: &'m Expr) {
        self.assume(name, Assumed::Uniform);
        let ExprKind::Var(var) = value.kind else { return };
        let level = if scope == Scope::Block { Level::Block } else { Level::Grid };
        let old = state.get(var);
        let new = self.unknown(level, value.ty);
        if let (Value::Number(old), Value::Number(new)) = (&old, &new)
            && let Some(difference) = new.minus(old)
        {
            state.learn(Cond::Eq(difference));
        }
        state.set(var, new);
    }

    fn own(&mut self, state: &mut State<'m>, name: &'m str, place: &'m crate::ir::Place) {
        self.assume(name, Assumed::Own);
        let Some((roots, index)) = self.claim(state, place) else { return };
        // Which of several buffers is meant is not known: nothing is claimed.
        let [root] = *roots else { return };
        let claim = Claim { root, index: Rc::new(index), field: place.field };
        if !state.claims.contains(&claim) {
            Rc::make_mut(&mut state.claims).push(claim);
        }
    }

    // Barriers

    pub fn barrier(&mut self, state: &mut State<'m>) {
        if state.control.level > Level::Block {
            let text = "a block barrier stands where control may differ between the threads of a block";
            self.refuse(Rule::Barrier, state.control.cause, text.into());
        }
        state.since[0] = self.interval();
        state.claims = Rc::default();
    }

    pub fn grid_barrier(&mut self, state: &mut State<'m>) {
        if state.control.level > Level::Grid {
            let text = "a grid barrier stands where control may differ between the threads of the grid";
            self.refuse(Rule::GridBarrier, state.control.cause, text.into());
        }
        state.since = [self.interval(), self.interval()];
        state.claims = Rc::default();
    }

    // Branches

    fn jump(&mut self, note: impl FnOnce(&mut Jumps<'m>)) -> Option<State<'m>> {
        let frame = self.frames.last_mut()?;
        frame.jumps += 1;
        note(frame.loops.last_mut()?);
        None
    }

    /// Jumps of the function so far, those within loops that have ended aside.
    pub fn jumps(&self) -> usize {
        self.frames.last().map_or(0, |f| f.jumps)
    }
    pub fn set_jumps(&mut self, jumps: usize) {
        if let Some(frame) = self.frames.last_mut() {
            frame.jumps = jumps;
        }
    }

    fn switch(
        &mut self,
        mut state: State<'m>,
        value: &'m Expr,
        cases: &'m [(Vec<u64>, Block)],
        default: &'m Block,
    ) -> Option<State<'m>> {
        let number = self.number(&mut state, value);
        let is = |n: u64| {
            let literal = super::eval::integer(value.ty.scalar().unwrap_or(Scalar::U64), n);
            number.plus(&Poly::constant(-literal), 1).map_or(Cond::Const(true), Cond::Eq)
        };
        let mut branches: Vec<(Cond, &'m Block)> = Vec::new();
        let mut other = Cond::Const(true);
        for (values, body) in cases {
            let any = values.iter().fold(Cond::Const(false), |c, &n| c.or(is(n)));
            // What holds in the default branch is only kept when it is short.
            other = if cases.len() <= 4 { other.and(any.negate()) } else { other };
            branches.push((any, body));
        }
        branches.push((other, default));
        self.branch_at(state, &branches, self.symbols.level(&number))
    }

    fn branch(&mut self, state: State<'m>, branches: &[(Cond, &'m Block)]) -> Option<State<'m>> {
        if let Some((_, body)) = branches.iter().find(|b| b.0 == Cond::Const(true)) {
            return self.block(state, body);
        }
        let level = branches.iter().map(|b| self.symbols.level_of(&b.0)).max().unwrap_or_default();
        self.branch_at(state, branches, level)
    }

    fn branch_at(
        &mut self,
        state: State<'m>,
        branches: &[(Cond, &'m Block)],
        level: Level,
    ) -> Option<State<'m>> {
        let site = self.site();
        let jumps = self.jumps();
        let mut ends = Vec::new();
        for (cond, body) in branches {
            if *cond == Cond::Const(false) {
                continue;
            }
            let mut start = state.clone();
            start.learn(cond.clone());
            start.control = self.part(state.control, level, site);
            ends.extend(self.block(start, body));
        }
        let control = if self.jumps() == jumps {
            state.control
        } else {
            // Who jumped away is missing in what follows.
            let most = ends.iter().map(|e| e.control.level).max().unwrap_or(level).max(level);
            self.part(state.control, most, site)
        };
        self.merge(ends, level, control)
    }

    /// Control behind a condition.
    pub fn part(&mut self, control: Control<'m>, level: Level, site: Option<Site<'m>>) -> Control<'m> {
        let mut control = control.parted(level, site);
        if level > Level::Warp {
            control.token = self.token();
        }
        control
    }

    // Merging

    /// One state for several, between which threads choose as uniformly as `level` says.
    pub fn merge(&mut self, states: Vec<State<'m>>, level: Level, control: Control<'m>) -> Option<State<'m>> {
        let merged = states.into_iter().reduce(|a, b| self.merge_two(a, b, level))?;
        Some(State { control, ..merged })
    }

    pub fn merge_two(&mut self, a: State<'m>, b: State<'m>, level: Level) -> State<'m> {
        let path = a.path.common(&b.path);
        let since = [0, 1].map(|i| merge_since((&a.since[i], &a.path), (&b.since[i], &b.path), &path));
        let claims = if Rc::ptr_eq(&a.claims, &b.claims) {
            a.claims
        } else {
            Rc::new(a.claims.iter().filter(|c| b.claims.contains(c)).cloned().collect())
        };
        let vars =
            if Rc::ptr_eq(&a.vars, &b.vars) { a.vars } else { self.merge_vars(&a.vars, &b.vars, level) };
        State { vars, path, control: a.control, since, claims }
    }

    fn merge_vars(&mut self, a: &Rc<Vec<Value>>, b: &Rc<Vec<Value>>, level: Level) -> Rc<Vec<Value>> {
        let Some(function) = self.frames.last().map(|f| f.function) else { return a.clone() };
        let types = function.vars.iter().map(|v| v.ty);
        let pairs = a.iter().zip(b.iter()).zip(types);
        Rc::new(pairs.map(|((a, b), ty)| self.join(a, b, level, ty)).collect())
    }

    /// One of two values, as uniform as `level` allows.
    pub fn join(&mut self, a: &Value, b: &Value, level: Level, ty: Type) -> Value {
        match (a, b) {
            _ if a == b => a.clone(),
            (Value::Number(_) | Value::Truth(_), Value::Number(_) | Value::Truth(_)) => {
                let level = level.max(self.level(a)).max(self.level(b));
                self.unknown(level, ty)
            }
            (Value::Buffer(a, m), Value::Buffer(b, n)) => {
                let mut roots: Vec<Root> = a.iter().chain(b.iter()).copied().collect();
                roots.sort_unstable();
                roots.dedup();
                Value::Buffer(roots.into(), level.max(*m).max(*n))
            }
            (Value::Record(a), Value::Record(b)) if a.len() == b.len() => {
                let types = self.field_types(ty, a.len());
                let pairs = a.iter().zip(b.iter()).zip(types);
                Value::Record(pairs.map(|((a, b), ty)| self.join(a, b, level, ty)).collect())
            }
            _ => Value::Unset,
        }
    }

    pub fn field_types(&self, ty: Type, count: usize) -> Vec<Type> {
        match ty {
            Type::Record(record) => self.module.records[record].fields.iter().map(|f| f.ty).collect(),
            _ => vec![Type::Void; count],
        }
    }

    pub fn level(&self, value: &Value) -> Level {
        match value {
            Value::Unset => Level::Thread,
            Value::Number(p) => self.symbols.level(p),
            Value::Truth(c) => self.symbols.level_of(c),
            Value::Record(fields) => fields.iter().map(|f| self.level(f)).max().unwrap_or_default(),
            Value::Buffer(_, level) => *level,
        }
    }
}
