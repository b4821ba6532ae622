//! Loops and `everywhere` blocks in the walk.
//!
//! At the head of a loop each variable that its body writes becomes an unknown. A loop with a barrier is walked twice,
//! the second time from the end of the first iteration up to its barriers: so each interval that spans two iterations
//! is seen whole. What follows the barriers in the second iteration also follows them in the first one, whose unknowns
//! stand for any iteration. If not every iteration passes the barrier, an interval contains several iterations, and two
//! threads may be in different ones: a value that such a loop computes `varies`, and two threads do not share it even
//! where it is uniform.

use std::sync::Arc;

use gchr_base::hash::HashSet;

use super::model::{Key, Root};
use super::poly::Poly;
use super::provenance::Provenance;
use super::state::{Control, LastBarrier, State};
use super::symbol::{Cond, Level, Symbol};
use super::value::Value;
use super::walk::*;
use gchr_kernel::ir::*;

/// The iterations of a loop.
#[derive(Clone, Copy)]
struct Iteration {
    /// Symbols from here on are made in the loop.
    mark: u32,
    /// Number of the iteration, from 0.
    symbol: u32,
}

impl<'m> Walk<'m, '_> {
    pub(super) fn repeat(&mut self, state: State<'m>, parts: &LoopParts<'m>) -> Option<State<'m>> {
        let key = self.key();
        let barriers = self.barriers_below(parts.body);
        let fresh = LoopFacts { control: Level::Grid, passes: barriers };
        let known = *self.learnt.loops.entry(key).or_insert(fresh);
        let outer = (self.context, state.control);
        let (returns, jumps) = (self.returns(), self.jumps());
        let mark = self.symbols.len();
        self.enter(known.passes);
        let (modified, head) = self.head(state, parts, key, known);
        let mut turn = Symbol::new(Level::Grid, self.varies(), false);
        turn.facts.push(Cond::Ge(Poly::var(self.symbols.len())));
        let turn = Iteration { mark, symbol: self.symbols.add(turn) };
        let mut ends = Vec::new();
        let second_iterations = self.second_iterations.len();
        let open = head.control.provenance;
        self.turns(head, parts, key, known, (&modified, turn), &mut ends);
        self.second_iterations.truncate(second_iterations);
        self.leave(known.passes);
        self.context = outer.0;
        // Threads that left the loop by a jump rejoin after it.
        self.set_jumps(jumps + self.returns() - returns);

        let control = if self.returns() == returns {
            outer.1
        } else {
            let most = ends.iter().map(|e| e.control.level).max().unwrap_or_default();
            Control { provenance: open, ..self.diverge(outer.1, most.max(known.control), self.site()) }
        };
        let choice = self.choice_of(&ends, known.control);
        self.symbols.provenances.extend(open, choice.provenance);
        let provenances: Vec<Provenance> = self.returned_since(returns).map(|end| end.provenance).collect();
        for provenance in provenances {
            self.symbols.provenances.extend(open, provenance);
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

    /// Walks over the iterations of a loop; collects the states that leave it.
    fn turns(
        &mut self,
        mut head: State<'m>,
        parts: &LoopParts<'m>,
        key: Key,
        known: LoopFacts,
        (modified, turn): (&[VarId], Iteration),
        ends: &mut Vec<State<'m>>,
    ) {
        let entry = head.clone();
        let scopes = self.barriers_below(parts.body);
        let copies = if scopes.contains(&true) { 2 } else { 1 };
        let outer = self.context;
        for copy in 0..copies {
            if copy == 1 {
                self.second_iterations.push(SecondIteration { after: self.intervals, scopes });
            }
            self.context = super::hash(&(outer, key.1, copy));
            let returns = self.returns();
            let condition = self.truth(&mut head, parts.condition);
            let level = self.symbols.level_of(&condition);
            let provenance = self.symbols.provenance_of(&condition);
            let provenance = self.symbols.provenances.both(head.control.provenance, provenance);
            let mut control = level;
            if condition != Cond::Const(true) {
                let mut end = head.clone();
                end.learn(condition.negate());
                end.control.provenance = provenance;
                ends.push(end);
            }
            let end = if condition == Cond::Const(false) {
                None
            } else {
                head.learn(condition);
                head.control = Control { provenance, ..self.diverge(head.control, level, self.site()) };
                self.push_loop();
                let end = self.block(head.clone(), parts.body);
                let (breaks, continues) = self.pop_loop();
                control = breaks.iter().map(|b| b.control.level).fold(control, Level::max);
                ends.extend(breaks);
                let all: Vec<State<'m>> = continues.into_iter().chain(end).collect();
                // Lanes that continued at different places reconverge here.
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
                    // The last barrier may have been passed several iterations ago.
                    *since = since.iter().map(|s| LastBarrier { facts: Vec::new(), ..*s }).collect();
                }
            }
            head = end;
        }
    }

    /// Unknowns for what the loop writes.
    fn head(
        &mut self,
        state: State<'m>,
        parts: &LoopParts<'m>,
        key: Key,
        known: LoopFacts,
    ) -> (Arc<[VarId]>, State<'m>) {
        let modified = self.modified(key.1, parts);
        let mut head = state;
        for &var in modified.iter() {
            let value = head.get(var);
            let ty = self.type_of(var);
            let value = self.phi(key, u64::from(var.0) << 16, &value, ty);
            head.set(var, value);
        }
        let provenance = self.symbols.provenances.open(head.control.provenance);
        head.control = Control { provenance, ..self.diverge(head.control, known.control, self.site()) };
        (modified, head)
    }

    fn phi(&mut self, key: Key, slot: u64, value: &Value, ty: Type) -> Value {
        match value {
            Value::Unset => Value::Unset,
            Value::Number(_) | Value::Truth(_) => {
                let first = self.level(value);
                let level = *self.learnt.levels.entry((key, slot)).or_insert(first);
                let provenance = self.provenance(value);
                let provenance = self.symbols.provenances.open(provenance);
                let unknown = self.computed(level.max(first), provenance, ty);
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

    /// Compares the end of an iteration with its head.
    fn learn_turn(
        &mut self,
        key: Key,
        head: &State<'m>,
        end: &State<'m>,
        modified: &[VarId],
        turn: Iteration,
    ) {
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

    fn learn_value(&mut self, key: Key, slot: u64, (head, end): (&Value, &Value), turn: Iteration) {
        match (head, end) {
            (Value::Number(_) | Value::Truth(_), Value::Number(_) | Value::Truth(_)) => {
                let level = self.level(end);
                self.learn_level(key, slot, level);
                let (open, by) = (self.provenance(head), self.provenance(end));
                self.symbols.provenances.extend(open, by);
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

    /// A variable that grows by the same step in every iteration is its first value plus a multiple of the step.
    fn learn_step(&mut self, head: &Poly, end: &Poly, turn: Iteration) {
        let Some(var) = head.as_var() else { return };
        let Some(step) = end.minus(head).filter(|s| !s.vars().any(|v| v == var)) else { return };
        // A value that the loop itself computes differs between iterations.
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

    /// Whether a value depends on symbols that two threads do not share after the loop.
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

    /// The variables that a loop writes and that outlive an iteration.
    fn modified(&mut self, address: usize, parts: &LoopParts<'m>) -> Arc<[VarId]> {
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

    /// The whole warp runs the body once for each lane that is active: a loop that is uniform in the warp, in which all
    /// lanes are active.
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
        awake.path = super::state::PathCondition::default();
        // Claims belong to the lane that entered the block.
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
