//! Propagators of sums: what they are, are not, or are at most.

use super::{Halt, NO_HIGH, NO_LOW, Operand, Propagation, Step};
use crate::cell::Cell;
use crate::names::atom;

/// A term of a sum.
#[derive(Clone, Copy)]
struct Term {
    factor: i128,
    of: Cell,
}

/// What a sum may be: infinite terms are left out of the ends, and counted.
#[derive(Default)]
struct Sums {
    low: i128,
    infinite_low: usize,
    high: i128,
    infinite_high: usize,
    /// Variables.
    open: usize,
}

impl Propagation<'_, '_, '_> {
    /// A sum that is a number, is none, or is at most one.
    pub(super) fn linear(&mut self, propagator: Cell, [op, factors, variables, total]: [Cell; 4]) -> Step {
        let (terms, total) = self.sum([factors, variables, total])?;
        match op.as_atom() {
            atom::fd_ne => self.unequal(propagator, &terms, total),
            atom::fd_eq => self.equal(propagator, &terms, total),
            atom::fd_le => self.at_most(propagator, &terms, total),
            _ => Err(Halt::Foreign),
        }
    }

    /// The terms of a sum, and the number that it is compared with.
    fn sum(&self, [factors, variables, total]: [Cell; 3]) -> Step<(Vec<Term>, i128)> {
        let Operand::Known(total) = self.operand(total)? else { return Err(Halt::Foreign) };
        let (factors, variables) = (self.m.heap.list_items(factors).0, self.m.heap.list_items(variables).0);
        self.m.spend(factors.len())?;
        let mut terms = Vec::with_capacity(factors.len());
        for (factor, of) in factors.into_iter().zip(variables) {
            let Operand::Known(factor) = self.operand(factor)? else { return Err(Halt::Foreign) };
            terms.push(Term { factor: factor.into(), of });
        }
        Ok((terms, total.into()))
    }

    /// Whether a comparison of a sum holds, where the domains say it.
    pub(super) fn is_known(&self, [op, factors, variables, total]: [Cell; 4]) -> Step<Option<bool>> {
        let (terms, total) = self.sum([factors, variables, total])?;
        Ok(match op.as_atom() {
            atom::fd_eq => self.is_equal(&terms, total)?,
            atom::fd_ne => self.is_equal(&terms, total)?.map(|holds| !holds),
            atom::fd_le => {
                let sums = self.sums(&terms)?;
                match sums.infinite_high == 0 && sums.high <= total {
                    true => Some(true),
                    false => (sums.infinite_low == 0 && sums.low > total).then_some(false),
                }
            }
            _ => return Err(Halt::Foreign),
        })
    }

    fn is_equal(&self, terms: &[Term], total: i128) -> Step<Option<bool>> {
        let open = |term: &&Term| matches!(self.operand(term.of), Ok(Operand::Open(_)));
        let twice = terms.iter().filter(open).map(|term| self.m.heap.deref(term.of));
        // A variable that occurs twice, since two became one: Prolog adds its factors.
        if let [a, b] = twice.collect::<Vec<_>>()[..]
            && a == b
        {
            return Err(Halt::Foreign);
        }
        match self.single(terms, total)? {
            (left, _, 0) => Ok(Some(left == 0)),
            (left, Some(term), _) => {
                if left % term.factor != 0 {
                    return Ok(Some(false));
                }
                let (value, domain) = (left / term.factor, self.domain(term.of)?);
                let is_in =
                    domain.iter().any(|&(low, high)| i128::from(low) <= value && value <= i128::from(high));
                Ok(if is_in { None } else { Some(false) })
            }
            _ => {
                let sums = self.sums(terms)?;
                let beyond = sums.infinite_low == 0 && sums.low > total;
                Ok((beyond || sums.infinite_high == 0 && sums.high < total).then_some(false))
            }
        }
    }

    /// What is left of a total without the known terms, and the only other one, if there is just one.
    fn single(&self, terms: &[Term], total: i128) -> Step<(i128, Option<Term>, usize)> {
        let (mut left, mut open, mut count) = (total, None, 0);
        for term in terms {
            match self.operand(term.of)? {
                Operand::Known(value) => left -= product(term.factor, value)?,
                Operand::Open(_) => {
                    open = Some(*term);
                    count += 1;
                }
            }
        }
        Ok((left, open.filter(|_| count == 1), count))
    }

    fn unequal(&mut self, propagator: Cell, terms: &[Term], total: i128) -> Step {
        match self.single(terms, total)? {
            (0, _, 0) => Err(Halt::Fails),
            (left, Some(term), _) => {
                self.over(propagator);
                match left % term.factor {
                    0 => self.remove(term.of, word(left / term.factor)?),
                    _ => Ok(()),
                }
            }
            _ => Ok(()),
        }
    }

    fn equal(&mut self, propagator: Cell, terms: &[Term], total: i128) -> Step {
        let sums = self.sums(terms)?;
        if sums.infinite_low == 0 && sums.low > total || sums.infinite_high == 0 && total > sums.high {
            return Err(Halt::Fails);
        }
        match sums.open {
            0 => {
                self.over(propagator);
                if sums.low == total { Ok(()) } else { Err(Halt::Fails) }
            }
            1 => {
                self.over(propagator);
                match self.single(terms, total)? {
                    (left, Some(term), _) if left % term.factor == 0 => {
                        let value = word(left / term.factor)?;
                        self.narrow(term.of, &[(value, value)])
                    }
                    _ => Err(Halt::Fails),
                }
            }
            _ => {
                self.prune(terms, 1, total, (sums.low, sums.infinite_low))?;
                self.prune(terms, -1, -total, (-sums.high, sums.infinite_high))
            }
        }
    }

    fn at_most(&mut self, propagator: Cell, terms: &[Term], total: i128) -> Step {
        let sums = self.sums(terms)?;
        if sums.infinite_high == 0 && sums.high <= total {
            self.over(propagator);
            return Ok(());
        }
        if sums.open == 0 || sums.infinite_low == 0 && sums.low > total {
            return Err(Halt::Fails);
        }
        if sums.open == 1 {
            self.over(propagator);
        }
        self.prune(terms, 1, total, (sums.low, sums.infinite_low))
    }

    fn sums(&self, terms: &[Term]) -> Step<Sums> {
        let mut sums = Sums::default();
        for term in terms {
            let (low, high) = match self.operand(term.of)? {
                Operand::Known(value) => (value, value),
                Operand::Open(variable) => {
                    sums.open += 1;
                    self.ends(variable)?
                }
            };
            let (least, greatest) = if term.factor > 0 { (low, high) } else { (high, low) };
            match is_infinite(least) {
                true => sums.infinite_low += 1,
                false => sums.low += product(term.factor, least)?,
            }
            match is_infinite(greatest) {
                true => sums.infinite_high += 1,
                false => sums.high += product(term.factor, greatest)?,
            }
        }
        Ok(sums)
    }

    /// Each term, times `sign`, is at most what a total leaves beside the least values of the others; `low` is the sum
    /// of the least values, and how many are infinite. Domains that shrank meanwhile only make this weaker.
    fn prune(&mut self, terms: &[Term], sign: i128, total: i128, (low, infinite): (i128, usize)) -> Step {
        if infinite > 1 {
            return Ok(());
        }
        for term in terms {
            let Operand::Open(variable) = self.operand(term.of)? else { continue };
            let (first, last) = self.ends(variable)?;
            let factor = sign * term.factor;
            let least = if factor > 0 { first } else { last };
            let left = match is_infinite(least) {
                true => total - low,
                false if infinite == 0 => total - low + product(factor, least)?,
                false => continue,
            };
            let bound = left.div_euclid(factor.abs());
            let (from, to) = match factor > 0 {
                true if last != NO_HIGH && i128::from(last) <= bound => continue,
                true => (first, word(bound)?),
                false if first != NO_LOW && i128::from(first) >= -bound => continue,
                false => (word(-bound)?, last),
            };
            if from > to {
                return Err(Halt::Fails);
            }
            self.narrow(variable, &[(from, to)])?;
        }
        Ok(())
    }
}

fn is_infinite(end: i64) -> bool {
    [NO_LOW, NO_HIGH].contains(&end)
}

/// A factor times a value.
fn product(factor: i128, value: i64) -> Step<i128> {
    // Few products of small integers are added, so that sums are far from the end of these numbers.
    factor.checked_mul(value.into()).filter(|product| product.unsigned_abs() < 1 << 96).ok_or(Halt::Foreign)
}

/// A number that a cell can hold.
fn word(number: i128) -> Step<i64> {
    let small = i64::try_from(number).ok().filter(|&number| Cell::small(number).is_some());
    small.ok_or(Halt::Foreign)
}
