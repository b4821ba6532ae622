//! Propagators of truth values, 0 and 1: connectives, and values of constraints that may hold or not.

use super::{Halt, Operand, Propagation, Step, meet};
use crate::cell::Cell;
use crate::names::atom;

impl Propagation<'_, '_, '_> {
    /// A truth value of a constraint: known where domains decide it. A constraint whose value is known is posted by
    /// Prolog.
    pub(super) fn reified(&mut self, propagator: Cell, [value, constraint]: [Cell; 2]) -> Step {
        if let Operand::Known(_) = self.operand(value)? {
            return Err(Halt::Foreign);
        }
        let arg = |i: usize| self.m.heap.deref(self.m.heap.arg(constraint, i));
        let known = match self.m.heap.functor(constraint) {
            Some((atom::in_, 2)) => {
                let (domain, wanted) = (self.domain(arg(0))?, self.read(arg(1))?);
                match meet(&domain, &wanted) {
                    both if both.is_empty() => Some(false),
                    both => (both == domain).then_some(true),
                }
            }
            Some((atom::lin, 4)) => self.is_known([arg(0), arg(1), arg(2), arg(3)])?,
            _ => return Err(Halt::Foreign),
        };
        match known {
            Some(holds) => {
                self.over(propagator);
                self.decide(value, holds)
            }
            None => Ok(()),
        }
    }

    fn decide(&mut self, value: Cell, holds: bool) -> Step {
        let value_of = i64::from(holds);
        self.narrow(value, &[(value_of, value_of)])
    }

    /// `A` implies `B`; `A` or `B`, `A` and `B` are `C`.
    pub(super) fn connective(&mut self, propagator: Cell, goal: Cell) -> Step {
        let arg = |i: usize| self.m.heap.deref(self.m.heap.arg(goal, i));
        match self.m.heap.functor(goal) {
            Some((atom::fd_if, 2)) => self.implies(propagator, [arg(0), arg(1)]),
            Some((atom::fd_or, 3)) => self.joined(propagator, [arg(0), arg(1), arg(2)], true),
            Some((atom::fd_and, 3)) => self.joined(propagator, [arg(0), arg(1), arg(2)], false),
            _ => Err(Halt::Foreign),
        }
    }

    fn implies(&mut self, propagator: Cell, [a, b]: [Cell; 2]) -> Step {
        let (known_a, known_b) = (self.truth(a)?, self.truth(b)?);
        if known_a.is_none() && known_b.is_none() && a != b {
            return Ok(());
        }
        self.over(propagator);
        match (known_a, known_b) {
            (Some(true), _) => self.decide(b, true),
            (_, Some(false)) => self.decide(a, false),
            _ => Ok(()),
        }
    }

    /// `decisive`: the value of one side that decides the whole, true for "or".
    fn joined(&mut self, propagator: Cell, [a, b, c]: [Cell; 3], decisive: bool) -> Step {
        let [known_a, known_b, known_c] = [self.truth(a)?, self.truth(b)?, self.truth(c)?];
        if [known_a, known_b].contains(&Some(decisive)) {
            self.over(propagator);
            return self.decide(c, decisive);
        }
        let other = match (known_a, known_b) {
            (Some(_), _) => Some(b),
            (_, Some(_)) => Some(a),
            _ if a == b => Some(a),
            _ => None,
        };
        match (other, known_c) {
            // Two variables become one.
            (Some(other), None) => match self.truth(other)? {
                Some(value) => {
                    self.over(propagator);
                    self.decide(c, value)
                }
                None => Err(Halt::Foreign),
            },
            (Some(other), Some(value)) => {
                self.over(propagator);
                self.decide(other, value)
            }
            (None, Some(value)) if value != decisive => {
                self.over(propagator);
                self.decide(a, value)?;
                self.decide(b, value)
            }
            _ => Ok(()),
        }
    }

    /// The value, if it is known.
    fn truth(&self, cell: Cell) -> Step<Option<bool>> {
        match self.operand(cell)? {
            Operand::Known(0) => Ok(Some(false)),
            Operand::Known(1) => Ok(Some(true)),
            Operand::Known(_) => Err(Halt::Foreign),
            Operand::Open(_) => Ok(None),
        }
    }
}
