//! Statements, barriers and branches in the walk.

use std::sync::Arc;

use super::merge::Choice;
use super::model::Site;
use super::poly::Poly;
use super::provenance::Provenance;
use super::state::{Control, State};
use super::symbol::{Cond, Level};
use super::value::Value;
use super::verdict::{Assumed, Rule};
use super::walk::*;
use gchr_kernel::ir::*;

/// Limit of statements that a walk visits.
const MAX_STATEMENTS: usize = 2_000_000;

impl<'m> Walk<'m, '_> {
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
            if self.is_repeated(&state) {
                return None;
            }
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
                return self.repeat(state, &LoopParts { condition, body, counter: None });
            }
            StmtKind::For { var, start, condition, next, body, .. } => {
                let start = self.eval(&mut state, start);
                state.set(*var, start);
                return self.repeat(state, &LoopParts { condition, body, counter: Some((*var, next)) });
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
            StmtKind::Simulated(body) => self.steps(body),
            StmtKind::Fence(_) | StmtKind::Sleep(_) | StmtKind::Tally(_) => {}
        }
        Some(state)
    }

    /// The value of a variable that is declared without one.
    fn declared(&mut self, var: VarId) -> Value {
        let Some(frame) = self.frames.last() else { return Value::Unset };
        let var = &frame.function.vars[var];
        match var.ty.space() {
            Some(space) if matches!(var.storage, Storage::Array(_) | Storage::Striped(_)) => {
                self.memory(var.name.clone(), space)
            }
            _ => Value::Unset,
        }
    }

    fn assign(&mut self, state: &mut State<'m>, place: &'m gchr_kernel::ir::Place, value: &'m Expr) {
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

    fn own(&mut self, state: &mut State<'m>, name: &'m str, place: &'m gchr_kernel::ir::Place) {
        self.assume(name, Assumed::Own);
        let Some(claim) = self.claim(state, place) else { return };
        if !state.claims.contains(&claim) {
            Arc::make_mut(&mut state.claims).push(claim);
        }
    }

    /// Records the assumptions that only the simulator tests.
    fn steps(&mut self, body: &'m [Stmt]) {
        let Some(function) = self.frames.last().map(|f| f.function) else { return };
        flow::each_statement(body, &mut |stmt| {
            if let StmtKind::Assume { name, .. } = &stmt.kind {
                self.record_step(name, Site { function, stmt });
            }
        });
    }

    // Barriers

    pub fn barrier(&mut self, state: &mut State<'m>) {
        if state.control.level > Level::Block {
            let text = "a block barrier stands where control may differ between the threads of a block";
            self.refuse(Rule::Barrier, Some(state.control), text.into());
        }
        self.record_dependence(Rule::Barrier, state.control);
        state.since[0] = self.interval();
        state.claims = Arc::default();
    }

    pub fn grid_barrier(&mut self, state: &mut State<'m>) {
        if state.control.level > Level::Grid {
            let text = "a grid barrier stands where control may differ between the threads of the grid";
            self.refuse(Rule::GridBarrier, Some(state.control), text.into());
        }
        self.record_dependence(Rule::GridBarrier, state.control);
        state.since = [self.interval(), self.interval()];
        state.claims = Arc::default();
    }

    // Branches

    fn jump(&mut self, note: impl FnOnce(&mut Jumps<'m>)) -> Option<State<'m>> {
        let frame = self.frames.last_mut()?;
        frame.jumps += 1;
        note(frame.loops.last_mut()?);
        None
    }

    /// Jumps of the function so far, without those inside of loops that have ended.
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
        let provenances: Vec<Provenance> =
            branches.iter().map(|(cond, _)| self.symbols.provenance_of(cond)).collect();
        let choice = Choice { level, provenance: self.symbols.provenances.of_all(provenances) };
        let provenance = self.symbols.provenances.both(state.control.provenance, choice.provenance);
        for (cond, body) in branches {
            if *cond == Cond::Const(false) {
                continue;
            }
            let mut start = state.clone();
            start.learn(cond.clone());
            start.control = Control { provenance, ..self.diverge(state.control, level, site) };
            ends.extend(self.block(start, body));
        }
        let control = if self.jumps() == jumps {
            state.control
        } else {
            // Threads that jumped away are missing in what follows.
            let most = ends.iter().map(|e| e.control.level).max().unwrap_or(level).max(level);
            let inner = self.choice_of(&ends, most).provenance;
            let provenance = self.symbols.provenances.both(provenance, inner);
            Control { provenance, ..self.diverge(state.control, most, site) }
        };
        self.merge(ends, choice, control)
    }

    /// Control after a condition.
    pub fn diverge(&mut self, control: Control<'m>, level: Level, site: Option<Site<'m>>) -> Control<'m> {
        let mut control = control.diverged(level, site);
        if level > Level::Warp {
            control.token = self.token();
        }
        control
    }
}
