//! Built-in predicates that look whether a goal succeeds once, of which `det/1` and `$/1` are made.

use super::Table;
use crate::cell::Cell;
use crate::machine::{Machine, Throw};
use crate::names::atom;

pub(super) const TABLE: Table = &[
    // `$choices(N)`: the number of choice points.
    ("$choices", 1, |m| {
        let choices = Cell::int(m.choices.len());
        Ok(m.unify_arg(0, choices))
    }),
    // `$no_choices(N, What, Why)`: what ran since then has left no choice points.
    ("$no_choices", 3, |m| match m.choices.len() <= m.int_arg(0)? as usize {
        true => Ok(true),
        false => Err(m.determinism_error(m.x[1], "nondet", m.x[2])),
    }),
    // `$no_solution(What, Why)`: it has failed.
    ("$no_solution", 2, |m| Err(m.determinism_error(m.x[0], "fail", m.x[1]))),
];

impl Machine<'_, '_> {
    /// `error(determinism_error(What, det, Found, Why), context(What, _))`; a goal says itself what it is.
    fn determinism_error(&mut self, what: Cell, found: &str, why: Cell) -> Throw {
        let (det, found) = (self.db.names.cell("det"), self.db.names.cell(found));
        let (name, context) = (self.db.names.intern("determinism_error"), self.db.names.intern("context"));
        let formal = self.heap.compound(name, &[what, det, found, why]);
        let unknown = self.heap.variable();
        let is_goal = self.heap.deref(why) == self.db.names.cell("goal");
        let context = if is_goal { unknown } else { self.heap.compound(context, &[what, unknown]) };
        let ball = self.heap.compound(atom::error, &[formal, context]);
        self.throw(ball)
    }
}
