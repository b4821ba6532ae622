//! The walk over a kernel: symbolic execution in which every path is taken once, called functions are walked at their
//! calls, loops once with unknowns in place of what they change, and loops that pass a barrier a second time up to it,
//! so that every interval between two barriers is seen from its start to its end.
//!
//! Facts that are not known in advance (how uniform a loop's variables are, whether all paths of a loop pass a barrier,
//! whether a flag is written while it is read) are assumed optimistically. Assumptions that fail are recorded in
//! [`Learnt`], and the walk is repeated until nothing new is learnt: a least fixpoint over the levels.

use std::sync::Arc;

use gchr_base::hash::{HashMap, HashSet};

use super::access::{Access, DivergentLoad};
use super::contract::{barriers_in, handed};
use super::model::{Key, Memory, Root, Site, Violation};
use super::poly::Poly;
use super::provenance::{Dependence, NO_LOAD, Provenance};
use super::state::{Control, LastBarrier, PathCondition, State};
use super::symbol::{Cond, Level, Symbol, Symbols};
use super::value::{Named, Value};
use super::vars::Vars;
use super::verdict::{Assumed, Rule};
use gchr_kernel::ir::*;

/// What earlier walks over a kernel have found out.
#[derive(Clone, Default)]
pub(super) struct Learnt<'m> {
    /// Level of a variable at the head of a loop.
    pub levels: HashMap<(Key, u64), Level>,
    /// Buffers that a variable may name at the head of a loop.
    pub buffers: HashMap<(Key, u64), Vec<Root>>,
    pub loops: HashMap<Key, LoopFacts>,
    /// Atomic loads of elements that other threads may write at the same time.
    pub divergent_loads: HashMap<Key, DivergentLoad<'m>>,
    /// Atomic loads that are worth a proof that threads agree on them; `None` for all. Others count as divergent.
    pub wanted: Option<HashSet<Key>>,
    /// Memory by name: parameters, fields of the launch record, shared arrays.
    pub roots: Vec<Memory>,
    /// Whether the last walk found out something new.
    pub changed: bool,
    /// Walks so far.
    pub walks: usize,
}

impl Learnt<'_> {
    /// Whether threads may not agree on an atomic load.
    pub fn is_divergent(&self, load: &Key) -> bool {
        let is_wanted = self.wanted.as_ref().is_none_or(|wanted| wanted.contains(load));
        !is_wanted || self.divergent_loads.contains_key(load)
    }
}

/// What is known of a loop.
#[derive(Clone, Copy)]
pub(super) struct LoopFacts {
    /// How uniform the iterations and the exits of the loop are.
    pub control: Level,
    /// Whether every iteration passes a barrier of the block, of the grid.
    pub passes: [bool; 2],
}

/// The result of a walk.
pub(super) struct WalkResult<'m> {
    pub symbols: Symbols,
    pub accesses: Vec<Access<'m>>,
    pub reasons: Vec<Violation<'m>>,
    pub assumptions: Vec<(String, Assumed, Site<'m>)>,
    /// Steps that the simulator tests.
    pub steps: Vec<(String, Assumed, Site<'m>)>,
    pub statements: usize,
    pub intervals: u32,
    pub handed: Vec<&'m str>,
    /// Divergent atomic loads that would keep a broken rule if they were uniform.
    pub wanted: HashSet<Key>,
    /// Atomic loads on which control depends at barriers and masks.
    pub rests: HashSet<Key>,
}

/// A call on the stack of the walk.
pub(super) struct CallFrame<'m> {
    pub function: &'m Function,
    pub returns: Vec<(State<'m>, Value)>,
    pub loops: Vec<Jumps<'m>>,
    /// Jumps in this function so far.
    pub jumps: usize,
}

/// States at the `break`s and `continue`s of a loop.
#[derive(Default)]
pub(super) struct Jumps<'m> {
    pub breaks: Vec<State<'m>>,
    pub continues: Vec<State<'m>>,
}

/// A loop's parts.
pub(super) struct LoopParts<'m> {
    pub condition: &'m Expr,
    pub body: &'m [Stmt],
    pub counter: Option<(VarId, &'m Expr)>,
}

/// The second iteration of a loop, which is walked up to the barriers that the loop passes: what follows them was seen
/// in the first.
pub(super) struct SecondIteration {
    /// The last interval before it.
    pub after: u32,
    /// Barriers that stand in the loop: of the block, of the grid.
    pub scopes: [bool; 2],
}

/// A walk over a kernel.
pub(super) struct Walk<'m, 'l> {
    pub module: &'m Module,
    pub learnt: &'l mut Learnt<'m>,
    pub symbols: Symbols,
    pub accesses: Vec<Access<'m>>,
    pub frames: Vec<CallFrame<'m>>,
    /// The current statement.
    pub stmt: Option<&'m Stmt>,
    pub context: u64,
    /// Number of enclosing loops of which not every iteration passes a barrier of the block, of the grid.
    varying: [u32; 2],
    pub intervals: u32,
    /// Enclosing loops that are in their second iteration.
    pub second_iterations: Vec<SecondIteration>,
    tokens: u32,
    reasons: Vec<Violation<'m>>,
    assumptions: Vec<(String, Assumed, Site<'m>)>,
    steps: Vec<(String, Assumed, Site<'m>)>,
    pub statements: usize,
    /// By loop: variables that it writes; by body: barriers in it.
    pub targets: HashMap<usize, Arc<[VarId]>>,
    below: HashMap<usize, [bool; 2]>,
    barriers: &'l [[bool; 2]],
    /// Memory that is handed over by atomics, by name.
    handed: Vec<&'m str>,
    /// How much memory was known when the walk began, and whether an access may be to any of it.
    roots: usize,
    unnamed: bool,
    /// On what control depends where rules are broken, and at all barriers and masks.
    refused: Dependence,
    rests: Dependence,
}

impl<'m, 'l> Walk<'m, 'l> {
    pub fn new(
        module: &'m Module,
        max_threads: u32,
        learnt: &'l mut Learnt<'m>,
        barriers: &'l [[bool; 2]],
    ) -> Self {
        Self {
            module,
            roots: learnt.roots.len(),
            learnt,
            symbols: Symbols::new(max_threads),
            accesses: Vec::new(),
            frames: Vec::new(),
            stmt: None,
            context: 0,
            varying: [0; 2],
            intervals: 0,
            second_iterations: Vec::new(),
            tokens: 0,
            reasons: Vec::new(),
            assumptions: Vec::new(),
            steps: Vec::new(),
            statements: 0,
            targets: HashMap::default(),
            below: HashMap::default(),
            barriers,
            handed: Vec::new(),
            unnamed: false,
            refused: Dependence::default(),
            rests: Dependence::default(),
        }
    }

    pub fn finish(self) -> WalkResult<'m> {
        // More memory is known now than when an access to all of it was walked over.
        self.learnt.changed |= self.unnamed && self.learnt.roots.len() > self.roots;
        let loads = |control: &Dependence| control.loads(&self.symbols.provenances);
        let (mut wanted, rests) = (loads(&self.refused), loads(&self.rests));
        wanted.retain(|load| self.learnt.is_divergent(load));
        WalkResult {
            symbols: self.symbols,
            accesses: self.accesses,
            reasons: self.reasons,
            assumptions: self.assumptions,
            steps: self.steps,
            statements: self.statements,
            intervals: self.intervals,
            handed: self.handed,
            wanted,
            rests,
        }
    }

    /// Walks over the kernel.
    pub fn kernel(&mut self, kernel: &'m Function) {
        let mut vars = Vars::new(kernel.vars.len());
        for (id, var) in kernel.vars.iter_enumerated() {
            if matches!(var.storage, Storage::Param) {
                vars.set(id.0 as usize, self.parameter(kernel, id));
            }
        }
        let control = Control { level: Level::Grid, cause: None, token: self.token(), provenance: NO_LOAD };
        let start = State {
            vars,
            path: PathCondition::default(),
            control,
            since: [self.interval(), self.interval()],
            claims: Arc::default(),
        };
        self.enter_function(kernel);
        self.stmt = kernel.body.first();
        for memory in handed(kernel) {
            self.assume(&memory.reason, Assumed::Handed);
            self.handed.extend(memory.names);
        }
        self.block(start, &kernel.body);
        self.leave_function();
    }

    pub fn enter_function(&mut self, function: &'m Function) {
        self.frames.push(CallFrame { function, returns: Vec::new(), loops: Vec::new(), jumps: 0 });
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
        Value::Buffer(Named { roots: [at as Root].into(), level: Level::Grid, choice: 0 })
    }

    /// Some memory, unknown which.
    pub fn any_memory(&mut self, space: Option<Space>) -> Named {
        self.unnamed = true;
        let roots = (0..).zip(&self.learnt.roots).filter(|(_, memory)| Some(memory.space) == space);
        let roots = roots.map(|(root, _)| root).collect();
        Named { roots, level: Level::Thread, choice: self.token() }
    }

    /// Whether threads hand this memory to each other by atomics.
    pub fn is_handed(&self, root: Root) -> bool {
        self.learnt.roots.get(root as usize).is_some_and(|memory| self.handed.contains(&memory.name.as_str()))
    }

    // Loops

    pub fn barriers_below(&mut self, body: &[Stmt]) -> [bool; 2] {
        let barriers = self.barriers;
        *self.below.entry(body.as_ptr().addr()).or_insert_with(|| barriers_in(body, barriers))
    }

    /// Whether what follows was seen in the first iteration of some loop: since the start of its second one, all
    /// barriers were passed.
    pub fn is_repeated(&self, state: &State<'m>) -> bool {
        let is_behind = |second: &SecondIteration, scope: usize| {
            !second.scopes[scope] || state.since[scope].iter().all(|s| s.interval > second.after)
        };
        self.second_iterations.iter().any(|second| is_behind(second, 0) && is_behind(second, 1))
    }

    /// Enters a loop whose iterations pass barriers of these scopes.
    pub fn enter(&mut self, passes: [bool; 2]) {
        (0..2).for_each(|i| self.varying[i] += u32::from(!passes[i]));
    }
    pub fn leave(&mut self, passes: [bool; 2]) {
        (0..2).for_each(|i| self.varying[i] -= u32::from(!passes[i]));
    }
    /// Whether a value that is computed here may differ between several iterations within one interval.
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
    pub fn returned_since(&self, before: usize) -> impl Iterator<Item = Control<'m>> + '_ {
        let returns = self.frames.last().map_or(&[][..], |f| &f.returns[before..]);
        returns.iter().map(|(state, _)| state.control)
    }
    pub fn type_of(&self, var: VarId) -> Type {
        self.frames.last().and_then(|f| f.function.vars.get(var)).map_or(Type::Void, |v| v.ty)
    }
    /// Unknowns in the shape of a value.
    pub fn anew(&mut self, value: &Value, level: Level, ty: Type) -> Value {
        match value {
            Value::Number(_) | Value::Truth(_) => {
                let provenance = self.provenance(value);
                self.computed(level, provenance, ty)
            }
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

    pub fn interval(&mut self) -> Arc<[LastBarrier]> {
        self.intervals += 1;
        [LastBarrier { interval: self.intervals, facts: Vec::new() }].into()
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

    /// The same for one that is computed from atomic loads.
    pub fn computed(&mut self, level: Level, provenance: Provenance, ty: Type) -> Value {
        let varies = self.varies();
        self.fresh(Symbol { provenance, ..Symbol::new(level, varies, true) }, ty)
    }

    pub fn fresh(&mut self, symbol: Symbol, ty: Type) -> Value {
        match ty {
            Type::Record(record) => {
                let module = self.module;
                let fields = module.records[record].fields.iter();
                Value::Record(fields.map(|f| self.fresh(symbol.clone(), f.ty)).collect())
            }
            Type::Scalar(scalar) => {
                let id = self.symbols.add(Symbol { range: Some(scalar), ..symbol });
                let poly = Poly::var(id);
                if scalar == Scalar::Bool { Value::truth(Cond::Ne(poly)) } else { Value::number(poly) }
            }
            _ => Value::Unset,
        }
    }

    /// Records on what control depends at a place where a rule asks for uniform control.
    pub fn record_dependence(&mut self, rule: Rule, control: Control<'m>) {
        self.rests.add(rule, control.provenance);
    }

    /// Records a broken rule; with the control that breaks it, if that is the cause.
    pub fn refuse(&mut self, rule: Rule, control: Option<Control<'m>>, text: String) {
        let Some(site) = self.site() else { return };
        let other = control.and_then(|control| control.cause);
        if let Some(control) = control {
            self.refused.add(rule, control.provenance);
        }
        let known = |r: &Violation<'m>| r.0 == rule && std::ptr::eq(r.1.stmt, site.stmt);
        if !self.reasons.iter().any(known) {
            self.reasons.push((rule, site, other, text));
        }
    }

    pub fn record_step(&mut self, name: &str, site: Site<'m>) {
        self.steps.push((name.to_string(), Assumed::Step, site));
    }

    pub fn assume(&mut self, name: &str, kind: Assumed) {
        if let Some(site) = self.site() {
            self.assumptions.push((name.to_string(), kind, site));
        }
    }
}
