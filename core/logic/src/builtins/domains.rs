//! Constraints over integers, as far as they are written in Rust; `clpfd.pl` says what they are.

mod matching;
mod propagation;

use super::Table;
use crate::machine::{Done, Machine};
use crate::names::atom;

pub(super) const TABLE: Table = &[("$integer_value", 2, integer_value)];
pub(super) const PROPAGATION: Table = propagation::TABLE;

/// `$integer_value(Expression, Value)`: the value of a sum or product of integers; fails for anything else.
fn integer_value(m: &mut Machine<'_, '_>) -> Done<bool> {
    let expression = m.arg(0);
    if expression.is_int() {
        return Ok(m.unify_arg(1, expression));
    }
    let mut pending = vec![expression];
    while let Some(cell) = pending.pop() {
        m.spend(1)?;
        let cell = m.heap.deref(cell);
        match m.heap.functor(cell) {
            _ if m.heap.is_integer(cell) => {}
            Some((atom::plus | atom::minus | atom::star, 2)) => {
                pending.extend([m.heap.arg(cell, 0), m.heap.arg(cell, 1)])
            }
            _ => return Ok(false),
        }
    }
    let value = m.evaluate(expression)?;
    let value = m.heap.push_number(&value);
    Ok(m.unify_arg(1, value))
}
