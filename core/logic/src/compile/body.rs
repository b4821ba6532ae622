//! Goals of bodies: calls, tests, and control with choice points of the clause's own.

use gchr_base::hash::HashMap;

use super::Compiler;
use super::goal::Goal;
use crate::cell::Cell;
use crate::code::{FAIL, Instr, Place, X, Y};
use crate::names::atom;

impl Compiler<'_> {
    /// Code of goals; as the last ones they end with the clause.
    pub(super) fn conjunction(&mut self, goals: &[Goal], last: bool) {
        for (i, goal) in goals.iter().enumerate() {
            let last = last && i + 1 == goals.len();
            self.goal(goal, last);
            let ended = match goal {
                Goal::Call(_) | Goal::Meta(_) | Goal::If { .. } | Goal::Or(..) => last,
                Goal::Fail => true,
                _ => false,
            };
            if ended {
                return;
            }
        }
        if last {
            if self.has_frame {
                self.emit(Instr::Deallocate);
            }
            self.emit(Instr::Proceed);
        }
    }

    /// Goals of variables that were bound are run now.
    pub(super) fn wake(&mut self) {
        if self.db.wakes {
            self.emit(Instr::Wake(self.next_x));
        }
    }

    fn goal(&mut self, goal: &Goal, last: bool) {
        match goal {
            Goal::Call(term) => {
                let Some((name, arity)) = self.heap.functor(*term) else { return };
                let pred = self.db.pred(name, arity);
                let pred = self.db.resolved(pred);
                self.arguments(*term);
                self.call(pred, arity, last);
            }
            Goal::Meta(term) => {
                self.put(0, *term);
                let pred = self.db.pred(atom::call, 1);
                self.call(pred, 1, last);
            }
            Goal::Native(number, term) => {
                self.arguments(*term);
                self.emit(Instr::Builtin(*number));
                self.wake();
            }
            Goal::Cut => self.emit(match self.level {
                Some(level) => Instr::CutTo(level),
                None => Instr::NeckCut,
            }),
            Goal::Fail => self.emit(Instr::Fail),
            Goal::Unify(a, b) => self.unify(*a, *b),
            Goal::Is(a, b) => self.is(*a, *b),
            Goal::Compare(..) | Goal::Test(..) | Goal::Identical(..) => {
                self.test(goal);
            }
            Goal::If { condition, then, other, soft } => {
                self.initialise(&[&[condition, then], &[other]]);
                self.if_then_else(condition, then, other, *soft, last);
            }
            Goal::Or(left, right) => {
                self.initialise(&[&[left], &[right]]);
                let choice = self.code.len();
                self.emit(Instr::Try(FAIL));
                self.conjunction(left, last);
                let end = self.code.len();
                if !last {
                    self.emit(Instr::Jump(FAIL));
                }
                self.patch(&[choice]);
                self.conjunction(right, last);
                if !last {
                    self.patch(&[end]);
                }
            }
            Goal::Not(inner) => self.negation(inner),
        }
    }

    fn arguments(&mut self, term: Cell) {
        let (start, n) = self.heap.args(term);
        for i in 0..n {
            self.put(i as X, self.heap.cells[start + i]);
        }
    }

    fn call(&mut self, pred: u32, arity: usize, last: bool) {
        if !last {
            return self.emit(Instr::Call(pred, arity as u16));
        }
        if self.has_frame {
            self.emit(Instr::Deallocate);
        }
        self.emit(Instr::Execute(pred, arity as u16));
    }

    fn unify(&mut self, a: Cell, b: Cell) {
        let (mut a, mut b) = (self.heap.deref(a), self.heap.deref(b));
        if !a.is_var() || b.is_var() && !self.is_seen(b) && self.is_seen(a) {
            (a, b) = (b, a);
        }
        if !a.is_var() || self.is_seen(a) {
            let x = match self.operand(a) {
                Place::X(x) => x,
                Place::Y(y) => {
                    let x = self.temp();
                    self.emit(Instr::PutY(y, x));
                    x
                }
            };
            if b.is_var() && !self.is_seen(b) {
                // The value has a second name.
                match self.first(b) {
                    Some(Place::X(to)) => self.emit(Instr::Move(to, x)),
                    Some(Place::Y(to)) => self.emit(Instr::GetY(to, x)),
                    None => {}
                }
                return;
            }
            self.get(x, b);
            return self.wake();
        }
        // A new variable is what it is unified with, unless it occurs there.
        if self.heap.variables(b).contains(&a) {
            let place = self.operand(a);
            debug_assert!(matches!(place, Place::X(_) | Place::Y(_)));
            if a != b {
                self.unify(a, b);
            }
            return;
        }
        let x = self.temp();
        self.put(x, b);
        match self.first(a) {
            Some(Place::X(to)) => self.emit(Instr::Move(to, x)),
            Some(Place::Y(to)) => self.emit(Instr::GetY(to, x)),
            None => {}
        }
    }

    /// A test that fails unless its label is changed; the place of its instruction.
    fn test(&mut self, goal: &Goal) -> usize {
        match goal {
            Goal::Compare(compare, a, b) => {
                self.number(*a, 0);
                self.number(*b, 0);
                self.emit(Instr::Compare(*compare, FAIL));
            }
            Goal::Test(kind, a) => {
                let place = self.operand(*a);
                self.emit(Instr::Test(*kind, place, FAIL));
            }
            Goal::Identical(a, b, negated) => {
                let (a, b) = (self.operand(*a), self.operand(*b));
                self.emit(Instr::Identical(a, b, *negated, FAIL));
            }
            _ => self.emit(Instr::Jump(FAIL)),
        }
        self.code.len() - 1
    }

    fn if_then_else(&mut self, condition: &[Goal], then: &[Goal], other: &[Goal], soft: bool, last: bool) {
        let jumps = if !soft && condition.iter().all(Goal::is_test) {
            condition.iter().map(|goal| self.test(goal)).collect()
        } else {
            let (mark, choice) = self.attempt(condition);
            self.emit(if soft { Instr::SoftCut(mark) } else { Instr::CutTo(mark) });
            vec![choice]
        };
        self.conjunction(then, last);
        let end = self.code.len();
        if !last {
            self.emit(Instr::Jump(FAIL));
        }
        self.patch(&jumps);
        self.conjunction(other, last);
        if !last {
            self.patch(&[end]);
        }
    }

    fn negation(&mut self, inner: &[Goal]) {
        if inner.iter().all(Goal::is_test) {
            let jumps: Vec<usize> = inner.iter().map(|goal| self.test(goal)).collect();
            self.emit(Instr::Fail);
            return self.patch(&jumps);
        }
        self.initialise(&[&[inner]]);
        let (mark, choice) = self.attempt(inner);
        self.emit(Instr::CutTo(mark));
        self.emit(Instr::Fail);
        self.patch(&[choice]);
    }

    /// Goals behind a choice point: the slot that knows the choice points before it, and the instruction that makes it.
    /// A cut among the goals leaves it there: if what follows the cut fails, the alternative is next.
    fn attempt(&mut self, goals: &[Goal]) -> (Y, usize) {
        let mark = self.slot();
        self.emit(Instr::Mark(mark));
        let choice = self.code.len();
        self.emit(Instr::Try(FAIL));
        let level = self.level;
        if Goal::cuts(goals) {
            let own = self.slot();
            self.emit(Instr::Mark(own));
            self.level = Some(own);
        }
        self.conjunction(goals, false);
        self.level = level;
        (mark, choice)
    }

    /// Makes variables that first occur in one branch, and occur elsewhere too, before the branches.
    fn initialise(&mut self, branches: &[&[&[Goal]]]) {
        let mut shared = Vec::new();
        for parts in branches {
            let mut counts = HashMap::default();
            for goals in *parts {
                self.occurrences(goals, &mut counts);
            }
            let outside = |(cell, count): (&Cell, &u32)| {
                let var = self.vars[cell];
                (!var.seen && var.count > *count).then_some(*cell)
            };
            shared.extend(counts.iter().filter_map(outside));
        }
        shared.sort_by_key(|cell| cell.place());
        shared.dedup();
        for cell in shared {
            self.variable(cell);
        }
    }
}
