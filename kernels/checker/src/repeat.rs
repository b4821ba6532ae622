//! Loops and `everywhere` blocks in the walk.
//!
//! At the head of a loop each variable that its body writes becomes an unknown. A loop with a barrier is walked twice, the second time
//! from the end of the first up to the barriers: so each interval that reaches from one turn into the next is seen whole. What is behind
//! them in the second turn is also behind them in the first one, whose unknowns stand for any turn. Where not every turn passes the
//! barrier, a thread sees several turns within one interval, and another thread may be at another turn: what such a loop computes
//! `varies`, and two threads do not share it even where it is uniform.

use std::sync::Arc;

use gchr_base::hash::HashSet;

use super::poly::Poly;
use super::provenance::Origin;
use super::state::{Control, Root, Since, State, Value};
use super::symbol::{Cond, Level, Symbol};
use super::walk::*;
use gchr_kernel::ir::*;

/// The turns of a loop.
#[derive(Clone, Copy)]
struct Turn {
    /// Symbols from here on are made in the loop.
    mark: u32,
    /// Number of the turn, from 0.
    symbol: u32,
}

impl<'m> Walk<'m, '_> {
    pub(super) fn repeat(&mut self, state: State<'m>, parts: &Parts<'m>) -> Option<State<'m>> {
        let key = self.key();
        let barriers = self.barriers_below(parts.body);
        let fresh = Repeat { control: Level::Grid, passes: barriers };
        let known = *self.learnt.loops.entry(key).or_insert(fresh);
        let outer = (self.context, state.control);
        let (returns, jumps) = (self.returns(), self.jumps());
        let mark = self.symbols.len();
        self.enter(known.passes);
        let (modified, head) = self.head(state, parts, key, known);
        let mut turn = Symbol::new(Level::Grid, self.varies(), false);
        turn.facts.push(Cond::Ge(Poly::var(self.symbols.len())));
        let turn = Turn { mark, symbol: self.symbols.add(turn) };
        let mut ends = Vec::new();
        let seconds = self.seconds.len();
        let open = head.control.origin;
        self.turns(head, parts, key, known, (&modified, turn), &mut ends);
        self.seconds.truncate(seconds);
        self.leave(known.passes);
        self.context = outer.0;
        // Who left the loop by a jump is back behind it.
        self.set_jumps(jumps + self.returns() - returns);

        let control = if self.returns() == returns {
            outer.1
        } else {
            let most = ends.iter().map(|e| e.control.level).max().unwrap_or_default();
            Control { origin: open, ..self.part(outer.1, most.max(known.control), self.site()) }
        };
        let choice = self.choice_of(&ends, known.control);
        self.symbols.origins.extend(open, choice.origin);
        let origins: Vec<Origin> = self.returned_since(returns).map(|end| end.origin).collect();
        for origin in origins {
            self.symbols.origins.extend(open, origin);
        }
        let mut merged = self.merge(ends, choice, control)?;
        for &var in modified.iter() {
            let value = merged.get(var);
            if self.stays_inside(&value, mark) {
                let level = self.level(&value).max(known.control);
                let ty = self.type_of(var);
                let value = self.anew(&value, level, ty);
                merged.set(var, value);
            }
        }
        Some(merged)
    }

    /// Walks over the turns of a loop; notes the states that leave it.
    fn turns(
        &mut self,
        mut head: State<'m>,
        parts: &Parts<'m>,
        key: Key,
        known: Repeat,
        (modified, turn): (&[VarId], Turn),
        ends: &mut Vec<State<'m>>,
    ) {
        let entry = head.clone();
        let scopes = self.barriers_below(parts.body);
        let copies = if scopes.contains(&true) { 2 } else { 1 };
        let outer = self.context;
        for copy in 0..copies {
            if copy == 1 {
                self.seconds.push(Second { after: self.intervals, scopes });
            }
            self.context = super::hash(&(outer, key.1, copy));
            let returns = self.returns();
            let condition = self.truth(&mut head, parts.condition);
            let level = self.symbols.level_of(&condition);
            let origin = self.symbols.origin_of(&condition);
            let origin = self.symbols.origins.both(head.control.origin, origin);
            let mut control = level;
            if condition != Cond::Const(true) {
                let mut end = head.clone();
                end.learn(condition.negate());
                end.control.origin = origin;
                ends.push(end);
            }
            let end = if condition == Cond::Const(false) {
                None
            } else {
                head.learn(condition);
                head.control = Control { origin, ..self.part(head.control, level, self.site()) };
                self.push_loop();
                let end = self.block(head.clone(), parts.body);
                let (breaks, continues) = self.pop_loop();
                control = breaks.iter().map(|b| b.control.level).fold(control, Level::max);
                ends.extend(breaks);
                let all: Vec<State<'m>> = continues.into_iter().chain(end).collect();
                // Lanes that went on at different places meet here.
                let part = all.iter().map(|s| s.control.level).max().unwrap_or_default();
                let choice = self.choice_of(&all, part);
                self.merge(all, choice, entry.control)
            };
            control = self.returned_since(returns).fold(control, |level, end| level.max(end.level));
            self.learn_control(key, control);
            let Some(mut end) = end else { return };
            if let Some((var, next)) = parts.counter {
                let next = self.eval(&mut end, next);
                end.set(var, next);
            }
            if copy == 0 {
                self.learn_turn(key, &entry, &end, modified, turn);
                for (since, _) in end.since.iter_mut().zip(known.passes).filter(|(_, passes)| !passes) {
                    // The last barrier may have been passed several turns ago.
                    *since = since.iter().map(|s| Since { facts: Vec::new(), ..*s }).collect();
                }
            }
            head = end;
        }
    }

    /// Unknowns for what the loop writes.
    fn head(
        &mut self,
        state: State<'m>,
        parts: &Parts<'m>,
        key: Key,
        known: Repeat,
    ) -> (Arc<[VarId]>, State<'m>) {
        let modified = self.modified(key.1, parts);
        let mut head = state;
        for &var in modified.iter() {
            let value = head.get(var);
            let ty = self.type_of(var);
            let value = self.phi(key, u64::from(var.0) << 16, &value, ty);
            head.set(var, value);
        }
        let origin = self.symbols.origins.open(head.control.origin);
        head.control = Control { origin, ..self.part(head.control, known.control, self.site()) };
        (modified, head)
    }

    fn phi(&mut self, key: Key, slot: u64, value: &Value, ty: Type) -> Value {
        match value {
            Value::Unset => Value::Unset,
            Value::Number(_) | Value::Truth(_) => {
                let first = self.level(value);
                let level = *self.learnt.levels.entry((key, slot)).or_insert(first);
                let origin = self.origin(value);
                let origin = self.symbols.origins.open(origin);
                let unknown = self.computed(level.max(first), origin, ty);
                if let (Value::Number(head), Value::Number(first)) = (&unknown, value)
                    && let Some(var) = head.as_var()
                {
                    self.symbols.get_mut(var).first = Some(first.clone());
                }
                unknown
            }
            Value::Buffer(named) => {
                let level = named.level.max(*self.learnt.levels.entry((key, slot)).or_insert(named.level));
                let known = self.learnt.buffers.entry((key, slot)).or_default();
                let mut all: Vec<Root> = known.iter().chain(named.roots.iter()).copied().collect();
                all.sort_unstable();
                all.dedup();
                self.one_of(all.into(), level)
            }
            Value::Record(fields) => {
                let types = self.field_types(ty, fields.len());
                let fields = (1..).zip(fields.iter()).zip(types);
                Value::Record(fields.map(|((at, f), ty)| self.phi(key, slot + at, f, ty)).collect())
            }
        }
    }

    fn learn_control(&mut self, key: Key, control: Level) {
        if let Some(known) = self.learnt.loops.get_mut(&key)
            && control > known.control
        {
            known.control = control;
            self.learnt.changed = true;
        }
    }

    /// Compares the end of a turn with its head.
    fn learn_turn(&mut self, key: Key, head: &State<'m>, end: &State<'m>, modified: &[VarId], turn: Turn) {
        for scope in 0..2 {
            let seen = |interval: u32| head.since[scope].iter().any(|s| s.interval == interval);
            let around = end.since[scope].iter().any(|s| seen(s.interval));
            if let Some(known) = self.learnt.loops.get_mut(&key)
                && known.passes[scope]
                && around
            {
                known.passes[scope] = false;
                self.learnt.changed = true;
            }
        }
        for &var in modified {
            self.learn_value(key, u64::from(var.0) << 16, (&head.get(var), &end.get(var)), turn);
        }
    }

    fn learn_value(&mut self, key: Key, slot: u64, (head, end): (&Value, &Value), turn: Turn) {
        match (head, end) {
            (Value::Number(_) | Value::Truth(_), Value::Number(_) | Value::Truth(_)) => {
                let level = self.level(end);
                self.learn_level(key, slot, level);
                let (open, by) = (self.origin(head), self.origin(end));
                self.symbols.origins.extend(open, by);
                if let (Value::Number(head), Value::Number(end)) = (head, end) {
                    self.learn_step(head, end, turn);
                }
            }
            (Value::Buffer(known), Value::Buffer(named)) => {
                self.learn_level(key, slot, named.level);
                if named.roots.iter().any(|r| !known.roots.contains(r)) {
                    self.learnt.buffers.entry((key, slot)).or_default().extend(named.roots.iter());
                    self.learnt.changed = true;
                }
            }
            (Value::Record(a), Value::Record(b)) => {
                for (at, pair) in (1..).zip(a.iter().zip(b.iter())) {
                    self.learn_value(key, slot + at, pair, turn);
                }
            }
            _ => {}
        }
    }

    fn learn_level(&mut self, key: Key, slot: u64, level: Level) {
        let known = self.learnt.levels.entry((key, slot)).or_insert(level);
        if level > *known {
            *known = level;
            self.learnt.changed = true;
        }
    }

    /// A variable that grows by the same in every turn is its first value and a multiple of that.
    fn learn_step(&mut self, head: &Poly, end: &Poly, turn: Turn) {
        let Some(var) = head.as_var() else { return };
        let Some(step) = end.minus(head).filter(|s| !s.vars().any(|v| v == var)) else { return };
        // What the loop itself computes is another number in each turn.
        let inside = |v: u32| v >= turn.mark && self.symbols.get(v).data;
        if step.vars().any(inside) || step.is_zero() {
            return;
        }
        if let (Some(first), Some(by)) =
            (self.symbols.get(var).first.clone(), step.times(&Poly::var(turn.symbol)))
            && let Some(definition) = first.plus(&by, 1)
        {
            self.symbols.get_mut(var).definition = Some(definition);
        }
    }

    /// Whether a value rests on what two threads do not share behind the loop.
    fn stays_inside(&self, value: &Value, mark: u32) -> bool {
        let varies = self.varies();
        let inside = |p: &Poly| {
            p.vars().any(|v| {
                let symbol = self.symbols.get(v);
                v >= mark && (0..2).any(|i| symbol.varies[i] && !varies[i])
            })
        };
        match value {
            Value::Number(p) => inside(p),
            Value::Truth(c) => {
                let mut found = false;
                c.polys(&mut |p| found |= inside(p));
                found
            }
            Value::Record(fields) => fields.iter().any(|f| self.stays_inside(f, mark)),
            Value::Unset | Value::Buffer(..) => false,
        }
    }

    /// The variables that a loop writes and that live longer than a turn.
    fn modified(&mut self, address: usize, parts: &Parts<'m>) -> Arc<[VarId]> {
        if let Some(known) = self.targets.get(&address) {
            return known.clone();
        }
        let mut declared: HashSet<VarId> = HashSet::default();
        let mut written: Vec<VarId> = parts.counter.iter().map(|c| c.0).collect();
        flow::each_statement(parts.body, &mut |stmt| match &stmt.kind {
            StmtKind::Declare { var, .. } | StmtKind::For { var, .. } => {
                declared.insert(*var);
            }
            StmtKind::Effect { result: Some(Target::Declare(var)), .. } => {
                declared.insert(*var);
            }
            StmtKind::Effect { result: Some(Target::Assign(var)), .. } => written.push(*var),
            StmtKind::Assign { place: Place { base: PlaceBase::Var(var), .. }, .. } => written.push(*var),
            StmtKind::Uniform { value: Expr { kind: ExprKind::Var(var), .. }, .. } => written.push(*var),
            _ => {}
        });
        written.retain(|v| !declared.contains(v));
        written.sort_unstable();
        written.dedup();
        let written: Arc<[VarId]> = written.into();
        self.targets.insert(address, written.clone());
        written
    }

    /// All lanes of the warp wake up and run the body in turn for each lane that is active: a loop whose turns are the same in the
    /// warp, in which the whole warp is active.
    pub(super) fn everywhere(
        &mut self,
        mut state: State<'m>,
        captures: &'m [(VarId, Expr)],
        body: &'m [Stmt],
    ) -> Option<State<'m>> {
        let values: Vec<Value> = captures.iter().map(|(_, value)| self.eval(&mut state, value)).collect();
        let outer = self.context;
        self.context = super::hash(&(outer, self.key().1, 2));
        self.enter([false; 2]);
        let mut awake = state.clone();
        awake.path = super::state::Path::default();
        // Claims were made by the lane that asked.
        awake.claims = Arc::default();
        awake.control.level = Level::Warp;
        awake.control.cause = self.site();
        awake.control.token = self.token();
        for ((var, expr), value) in captures.iter().zip(values) {
            let value = match (&value, self.level(&value)) {
                (_, level) if level <= Level::Warp => value,
                (Value::Buffer(named), _) => self.one_of(named.roots.clone(), Level::Warp),
                _ => self.unknown(Level::Warp, expr.ty),
            };
            awake.set(*var, value);
        }
        self.block(awake, body);
        self.leave([false; 2]);
        self.context = outer;
        Some(state)
    }
}
