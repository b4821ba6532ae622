//! Arithmetic in line.

use super::Compiler;
use crate::cell::{Cell, Tag};
use crate::code::{Instr, Place};
use crate::names::atom;

/// Nesting beyond which an expression is evaluated as a term.
const DEEP: usize = 100;

impl Compiler<'_> {
    /// Code that leaves the value of an expression on the stack of numbers.
    pub(super) fn number(&mut self, expression: Cell, depth: usize) {
        let cell = self.heap.deref(expression);
        let evaluable = matches!(self.heap.functor(cell), Some((_, 1 | 2))) && cell.tag() == Tag::Str;
        if evaluable && depth < DEEP {
            return self.operation(cell, depth);
        }
        let instr = match cell.tag() {
            Tag::Int => match i32::try_from(cell.as_int()) {
                Ok(n) => Instr::NumInt(n),
                Err(_) => Instr::NumConst(cell),
            },
            Tag::Atom => Instr::NumConst(cell),
            _ => match self.operand(cell) {
                Place::X(x) => Instr::NumX(x),
                Place::Y(y) => Instr::NumY(y),
            },
        };
        self.emit(instr);
    }

    fn operation(&mut self, cell: Cell, depth: usize) {
        let Some((name, arity)) = self.heap.functor(cell) else { return };
        self.number(self.heap.arg(cell, 0), depth + 1);
        if arity == 1 {
            return self.emit(Instr::Eval(name, 1));
        }
        let right = self.heap.arg(cell, 1);
        let small = right.is_int().then(|| i32::try_from(right.as_int()).ok()).flatten();
        match (name, small) {
            (atom::plus, Some(n)) => return self.emit(Instr::AddInt(n)),
            (atom::minus, Some(n)) if n != i32::MIN => return self.emit(Instr::AddInt(-n)),
            _ => {}
        }
        self.number(right, depth + 1);
        self.emit(match name {
            atom::plus => Instr::Add,
            atom::minus => Instr::Sub,
            atom::star => Instr::Mul,
            _ => Instr::Eval(name, 2),
        });
    }

    /// A place that holds a term.
    pub(super) fn operand(&mut self, cell: Cell) -> Place {
        let cell = self.heap.deref(cell);
        if cell.is_var()
            && let Some(place) = self.variable(cell)
        {
            return place;
        }
        let x = self.temp();
        self.put(x, cell);
        Place::X(x)
    }

    /// `X is E`.
    pub(super) fn is(&mut self, left: Cell, right: Cell) {
        self.number(right, 0);
        let left = self.heap.deref(left);
        if left.is_var() && !self.is_seen(left) {
            let place = self.first(left).unwrap_or_else(|| Place::X(self.temp()));
            return self.emit(match place {
                Place::X(x) => Instr::Result(x),
                Place::Y(y) => Instr::ResultY(y),
            });
        }
        let instr = match self.operand(left) {
            Place::X(x) => Instr::IsX(x),
            Place::Y(y) => Instr::IsY(y),
        };
        self.emit(instr);
        self.wake();
    }
}
