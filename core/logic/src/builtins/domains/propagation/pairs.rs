//! Propagators of values that are different, or so far from each other.

use super::{Domain, Halt, NO_HIGH, NO_LOW, Operand, Propagation, Step};
use crate::cell::{Cell, Tag};

impl Propagation<'_, '_, '_> {
    /// `X` is not `Y + C`; where they are `apart`, nor `Y - C`.
    pub(super) fn differs(&mut self, propagator: Cell, [x, y, c]: [Cell; 3], apart: bool) -> Step {
        let Operand::Known(c) = self.operand(c)? else { return Err(Halt::Foreign) };
        let (value, other, steps) = match (self.operand(x)?, self.operand(y)?) {
            (Operand::Known(x), _) => (x, y, [-c, c]),
            (_, Operand::Known(y)) => (y, x, [c, -c]),
            (a, b) if a == b && c == 0 => return Err(Halt::Fails),
            (a, b) => {
                if a == b {
                    self.over(propagator);
                }
                return Ok(());
            }
        };
        self.over(propagator);
        for step in &steps[..1 + usize::from(apart)] {
            self.remove(other, value + step)?;
        }
        Ok(())
    }

    /// `X` is none of the others.
    pub(super) fn one(&mut self, propagator: Cell, [left, x, right]: [Cell; 3]) -> Step {
        let value = self.operand(x)?;
        if let Operand::Known(_) = value {
            self.over(propagator);
        }
        for others in [left, right] {
            let mut rest = self.m.heap.deref(others);
            while rest.tag() == Tag::Lst {
                self.m.spend(1)?;
                let other = self.m.heap.deref(self.m.heap.cells[rest.place()]);
                match value {
                    Operand::Known(value) => self.remove(other, value)?,
                    Operand::Open(x) if x == other => return Err(Halt::Fails),
                    Operand::Open(_) => {}
                }
                rest = self.m.heap.deref(self.m.heap.cells[rest.place() + 1]);
            }
        }
        Ok(())
    }

    /// `X + C` is `Y`; where it is a `mirror`, `C - X` is.
    pub(super) fn shifted(&mut self, propagator: Cell, [x, y, c]: [Cell; 3], mirror: bool) -> Step {
        let Operand::Known(c) = self.operand(c)? else { return Err(Halt::Foreign) };
        let moved = |domain: &[(i64, i64)], by: i64| -> Domain {
            let end = |end: i64| if [NO_LOW, NO_HIGH].contains(&end) { end } else { end + by };
            domain.iter().map(|&(low, high)| (end(low), end(high))).collect()
        };
        let mirrored = |domain: &[(i64, i64)]| -> Domain {
            let end = |end: i64| match end {
                NO_LOW => NO_HIGH,
                NO_HIGH => NO_LOW,
                end => c - end,
            };
            domain.iter().rev().map(|&(low, high)| (end(high), end(low))).collect()
        };
        let ends = [(x, y, c), (y, x, -c)];
        let operands = [self.operand(x)?, self.operand(y)?];
        if operands[0] == operands[1]
            && let Operand::Open(_) = operands[0]
        {
            self.over(propagator);
            return match mirror {
                false if c == 0 => Ok(()),
                true if c % 2 == 0 => self.narrow(x, &[(c / 2, c / 2)]),
                _ => Err(Halt::Fails),
            };
        }
        let known = operands.iter().position(|operand| matches!(operand, Operand::Known(_)));
        if known.is_some() {
            self.over(propagator);
        }
        for (from, to, by) in
            ends.into_iter().skip(known.unwrap_or(0)).take(if known.is_some() { 1 } else { 2 })
        {
            let domain = self.domain(from)?;
            self.narrow(to, &if mirror { mirrored(&domain) } else { moved(&domain, by) })?;
        }
        Ok(())
    }
}
