//! Calls: of predicates, of goals that are terms, and control constructs of these.

use super::{Alternative, Done, Machine, Throw};
use crate::cell::{Cell, Tag};
use crate::code::{Label, PredId, at};
use crate::database::{Control, Definition, Found, List, NO_KEY, fits, key_of, keys_of};
use crate::names::atom;
use crate::walk::Visited;

/// What a control construct goes on with: a place, or a goal with the choice points that its cut leaves. Goals in
/// goals are called in a loop: they may be nested to any depth.
pub(super) enum Entered {
    At(Option<Label>),
    Goal(Cell, usize),
}

impl Machine<'_, '_> {
    /// Enters a predicate whose arguments are in the registers: where to go on, or `None` to fail.
    #[inline]
    pub fn enter(&mut self, pred: PredId) -> Done<Option<Label>> {
        match &self.db.preds[pred as usize].definition {
            Definition::Clauses(_) => Ok(self.enter_clauses(pred)),
            Definition::Native(number) => {
                let holds = self.call_native(*number)?;
                if !self.after_native(holds)? {
                    return Ok(None);
                }
                // What follows may look at variables at once, with no call before it.
                if self.is_cut_off() {
                    return self.clean_up_before(self.cp);
                }
                if self.heap.woken.is_empty() { Ok(Some(self.cp)) } else { self.wake(self.cp, 0) }
            }
            Definition::Control(control) => {
                let (control, arity) = (*control, self.db.preds[pred as usize].arity);
                match self.enter_control(control, pred, arity)? {
                    Entered::At(at) => Ok(at),
                    Entered::Goal(goal, level) => self.call_goal(goal, level),
                }
            }
            Definition::Constraint(symbol) => self.add_constraint(*symbol),
            Definition::Unknown => self.unknown(pred),
        }
    }

    #[inline]
    fn enter_clauses(&mut self, pred: PredId) -> Option<Label> {
        let predicate = &self.db.preds[pred as usize];
        let arity = predicate.arity;
        let key = if arity > 0 { key_of(&self.heap, self.heap.deref(self.x[0])) } else { NO_KEY };
        self.barrier = self.choices.len();
        let Definition::Clauses(clauses) = &predicate.definition else { return None };
        if let Some(quick) = clauses.quick() {
            let mut fitting = quick.iter().enumerate().filter(|&(_, &(of, _))| fits(of, key));
            let (first, &(_, code)) = fitting.next()?;
            if fitting.next().is_none() {
                return Some(code);
            }
            // The other arguments may tell them apart.
            let [first, second] = clauses.first_two(first, key, &self.heap, &self.x[..arity]);
            let code = quick[first?].1;
            if let Some(at) = second {
                let (list, time) = (clauses.all().clone(), self.db.generation);
                self.choose(Alternative::Clauses { list, at, time }, arity);
            }
            return Some(code);
        }
        let (keys, time) = (keys_of(&self.heap, &self.x[..arity]), self.db.generation);
        let List { ids: list, start } = match self.db.candidates(pred, &keys) {
            Found::Several(list) => list,
            Found::One(id) => {
                let clause = &self.db.clauses[id as usize];
                return clause.may_match(&keys, time).then_some(clause.code);
            }
        };
        let first = self.db.next_clause(&list, start, &keys, time)?;
        let code = self.db.clauses[list[first] as usize].code;
        if let Some(at) = self.db.next_clause(&list, first + 1, &keys, time) {
            self.choose(Alternative::Clauses { list, at, time }, arity);
        }
        Some(code)
    }

    fn enter_control(&mut self, control: Control, pred: PredId, arity: usize) -> Done<Entered> {
        Ok(match control {
            Control::Call => {
                let goal = self.with_arguments(self.x[0], 1, arity)?;
                if goal.tag() == Tag::Str && arity == 1 && !self.is_body(goal)? {
                    return Err(self.type_error("callable", goal));
                }
                Entered::Goal(goal, self.choices.len())
            }
            Control::CallCut => Entered::Goal(self.x[0], self.arg(1).as_int() as usize),
            Control::Catch => {
                let goal = self.x[0];
                self.choose(Alternative::Catch(0), 3);
                self.frame(&[], at::POP_CATCH);
                let env = self.env;
                if let Some(choice) = self.choices.last_mut() {
                    choice.alternative = Alternative::Catch(env);
                }
                Entered::Goal(goal, self.choices.len())
            }
            Control::Cleanup => self.call_cleanup()?,
            Control::Construct => {
                let name = self.db.preds[pred as usize].name;
                let args: Vec<Cell> = self.x[..arity].to_vec();
                Entered::Goal(self.heap.compound(name, &args), self.choices.len())
            }
            Control::WakeConstraints => Entered::At(self.wake_constraints()?),
        })
    }

    /// A goal with further arguments, those of registers `from..to`.
    fn with_arguments(&mut self, goal: Cell, from: usize, to: usize) -> Done<Cell> {
        if from == to {
            return Ok(self.heap.deref(goal));
        }
        let goal = self.unqualified(goal);
        self.checked(())?;
        let Some((name, n)) = self.heap.functor(goal) else {
            return Err(if goal.is_var() {
                self.instantiation_error()
            } else {
                self.type_error("callable", goal)
            });
        };
        let start = self.heap.args(goal).0;
        let mut args = self.heap.cells[start..start + n].to_vec();
        args.extend_from_slice(&self.x[from..to]);
        Ok(self.heap.compound(name, &args))
    }

    /// Calls a goal that is a term; its cut leaves `level` choice points.
    pub fn call_goal(&mut self, goal: Cell, mut level: usize) -> Done<Option<Label>> {
        let mut goal = self.heap.deref(goal);
        loop {
            // A goal that holds itself is one without end.
            self.spend(1)?;
            let Some((name, arity)) = self.heap.functor(goal) else {
                return Err(if goal.is_var() {
                    self.instantiation_error()
                } else {
                    self.type_error("callable", goal)
                });
            };
            if goal.tag() == Tag::Lst {
                let pred = self.db.named("consult", 1);
                self.x[0] = goal;
                return self.enter(pred);
            }
            let parts = |i| self.heap.arg(goal, i);
            match (name, arity) {
                (atom::comma, 2) => {
                    let (first, second) = (parts(0), parts(1));
                    self.frame(&[second, Cell::int(level)], at::NEXT_GOAL);
                    goal = first;
                }
                (atom::true_, 0) => return Ok(Some(self.cp)),
                (atom::fail | atom::false_, 0) => return Ok(None),
                (atom::cut | atom::guard, 0) => {
                    self.cut(level);
                    return if self.is_cut_off() { self.clean_up_before(self.cp) } else { Ok(Some(self.cp)) };
                }
                (atom::semicolon | atom::bar, 2) => {
                    let (left, right) = (parts(0), parts(1));
                    match self.conditional(left) {
                        Some((condition, then, label)) => {
                            level = self.if_then_else(then, right, level, label);
                            goal = condition;
                        }
                        None => {
                            self.alternative_goal(right, level);
                            goal = left;
                        }
                    }
                }
                (atom::arrow | atom::soft, 2) => {
                    let Some((condition, then, label)) = self.conditional(goal) else { return Ok(None) };
                    level = self.if_then_else(then, Cell::atom(atom::fail), level, label);
                    goal = condition;
                }
                (atom::not, 1) => {
                    let inner = parts(0);
                    let mark = self.choices.len();
                    self.choose(Alternative::Code(at::PROCEED), 0);
                    self.frame(&[Cell::int(mark)], at::NOT_HELD);
                    level = self.choices.len();
                    goal = inner;
                }
                (atom::not_unifiable, 2) => {
                    let (a, b) = (parts(0), parts(1));
                    match self.unifies(a, b) {
                        None => return Ok(Some(self.cp)),
                        Some(false) => return Ok(None),
                        // Goals of variables may keep the terms from being equal.
                        Some(true) => {
                            let equal = self.heap.compound(atom::equal, &[a, b]);
                            goal = self.heap.compound(atom::not, &[equal]);
                        }
                    }
                }
                (atom::colon, 2) => {
                    let module = parts(0);
                    if !module.is_atom() {
                        return Err(match module.is_var() {
                            true => self.instantiation_error(),
                            false => self.type_error("module", module),
                        });
                    }
                    goal = parts(1);
                }
                (atom::call, 1) => {
                    goal = parts(0);
                    if goal.tag() == Tag::Str && !self.is_body(goal)? {
                        return Err(self.type_error("callable", goal));
                    }
                    level = self.choices.len();
                }
                _ => match self.call_predicate(goal, name, arity)? {
                    Entered::At(at) => return Ok(at),
                    Entered::Goal(inner, its_level) => (goal, level) = (self.heap.deref(inner), its_level),
                },
            }
        }
    }

    fn call_predicate(&mut self, goal: Cell, name: crate::cell::Atom, arity: usize) -> Done<Entered> {
        let start = self.heap.args(goal).0;
        if arity > self.x.len() {
            return Err(self.resource_error("arguments"));
        }
        self.x[..arity].copy_from_slice(&self.heap.cells[start..start + arity]);
        let pred = self.db.pred(name, arity);
        self.step_into(arity)?;
        match self.db.preds[pred as usize].definition {
            Definition::Control(control) => self.enter_control(control, pred, arity),
            _ => self.enter(pred).map(Entered::At),
        }
    }

    /// Condition and consequence of `C -> T` and `C *-> T`.
    fn conditional(&self, goal: Cell) -> Option<(Cell, Cell, Label)> {
        let hard = self.heap.binary(goal, atom::arrow).map(|(c, t)| (c, t, at::COMMIT));
        hard.or_else(|| self.heap.binary(goal, atom::soft).map(|(c, t)| (c, t, at::SOFT_COMMIT)))
    }

    /// The choice point for another goal.
    fn alternative_goal(&mut self, goal: Cell, level: usize) {
        let kept = [self.x[0], self.x[1]];
        self.x[0] = goal;
        self.x[1] = Cell::int(level);
        self.choose(Alternative::Goal, 2);
        [self.x[0], self.x[1]] = kept;
    }

    /// Prepares a conditional; the cut barrier of its condition.
    fn if_then_else(&mut self, then: Cell, other: Cell, level: usize, label: Label) -> usize {
        let mark = self.choices.len();
        self.alternative_goal(other, level);
        self.frame(&[then, Cell::int(level), Cell::int(mark)], label);
        self.choices.len()
    }

    /// Goes on with the second goal of a conjunction that is interpreted.
    pub(super) fn next_goal(&mut self) -> Done<Option<Label>> {
        let (goal, level) = (self.slot(0), self.slot(1).as_int() as usize);
        self.deallocate();
        self.call_goal(goal, level)
    }

    /// The condition of an interpreted conditional holds.
    pub(super) fn commit(&mut self, soft: bool) -> Done<Option<Label>> {
        let (goal, level, mark) = (self.slot(0), self.slot(1).as_int() as usize, self.slot(2).as_int());
        if soft {
            self.soft_cut(mark as usize);
        } else {
            self.cut(mark as usize);
        }
        self.deallocate();
        if self.is_cut_off() {
            self.frame(&[goal, Cell::int(level)], at::NEXT_GOAL);
            return self.clean_up_before(at::NEXT_GOAL);
        }
        self.call_goal(goal, level)
    }

    /// Takes the alternative of a choice point away.
    pub(super) fn soft_cut(&mut self, mark: usize) {
        if mark + 1 == self.choices.len() {
            self.cut(mark);
        } else if let Some(choice) = self.choices.get_mut(mark) {
            choice.alternative = Alternative::Code(crate::code::FAIL);
        }
    }

    /// The goal of `catch/3` ended: its choice point goes unless there are others on it.
    pub(super) fn pop_catch(&mut self) {
        let env = self.env;
        if matches!(self.choices.last(), Some(c) if matches!(c.alternative, Alternative::Catch(e) if e == env))
        {
            let level = self.choices.len() - 1;
            self.cut(level);
        }
        self.deallocate();
    }

    /// Finds the `catch/3` that a thrown term is for: where to go on.
    pub(super) fn unwind(&mut self, ball: Box<crate::record::Record>) -> Done<Option<Label>> {
        let thrown_in = self.thrown_in.take().unwrap_or(self.env);
        let (mut active, mut env) = (Visited::default(), thrown_in);
        while env != 0 && active.insert(env, self.stack.len()) {
            env = self.stack[env].0 as usize;
        }
        while let Some(choice) = self.choices.get(self.floor()..).and_then(<[_]>::last) {
            let env = match choice.alternative {
                Alternative::Catch(env) => env,
                Alternative::Cleanup(env) => return self.thrown_within(&ball, active.has(env), thrown_in),
                _ => {
                    self.choices.pop();
                    continue;
                }
            };
            self.restore();
            self.restore_registers();
            let (catcher, recovery) = (self.x[1], self.x[2]);
            let level = self.choices.len() - 1;
            if !active.has(env) {
                self.choices.pop();
                continue;
            }
            let thrown = self.restored(&ball);
            // The choice point stays until it is known that the term is caught: it undoes the bindings.
            if self.heap.unify(catcher, thrown) {
                self.saved.truncate(self.choices[level].saved);
                self.choices.truncate(level);
                self.settle();
                return self.call_goal(recovery, level);
            }
            self.restore();
            self.choices.pop();
        }
        self.saved.truncate(self.choices.last().map_or(0, |choice| choice.saved));
        self.settle();
        Err(Throw::Ball(ball))
    }
}
