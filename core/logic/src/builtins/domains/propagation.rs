//! Propagation of constraints over integers: domains are narrowed, and the propagators of variables whose domains
//! changed run until none finds out more.
//!
//! What domains and propagators are, `clpfd.pl` says. Propagators wait in a queue, the first one first, each once; a
//! domain can only shrink, so the order makes no difference to what is left. Those that are written in Prolog are
//! handed out with the rest of the queue, and so are those that meet integers beyond machine words: Prolog runs them,
//! and comes back.

use std::collections::VecDeque;

use super::super::Table;
use crate::cell::{Cell, Tag};
use crate::machine::{Done, Machine, Throw};
use crate::names::atom;

pub(super) const TABLE: Table = &[
    ("$fd_propagate", 4, propagate),
    ("$fd_resume", 3, resume),
    ("$fd_narrow", 4, narrow),
    ("$fd_remove", 4, remove),
];

/// Ends of a domain that has none there.
const NO_LOW: i64 = i64::MIN;
const NO_HIGH: i64 = i64::MAX;

/// A domain: intervals in ascending order, which do not touch.
type Domain = Vec<(i64, i64)>;

/// Why something was not done.
enum Halt {
    /// No value is left.
    Fails,
    /// Prolog has to do it.
    Foreign,
    /// The end of the run.
    Throw(Throw),
}

impl From<Throw> for Halt {
    fn from(throw: Throw) -> Self {
        Halt::Throw(throw)
    }
}

type Step<T = ()> = Result<T, Halt>;

/// A variable or its value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operand {
    Known(i64),
    Open(Cell),
}

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

/// `$fd_propagate(First, Second, Propagator, Rest)`: the propagators of two lists, as far as they do not wait already.
/// `Propagator` is `[]` at the end, or the next one that Prolog runs, with the rest of the queue.
fn propagate(m: &mut Machine<'_, '_>) -> Done<bool> {
    let lists = [m.x[0], m.x[1]];
    let mut run = Propagation::new(m);
    lists.into_iter().for_each(|list| run.wait(list));
    run.finish(2)
}

/// `$fd_resume(Queue, Propagator, Rest)`: goes on with the rest of a queue.
fn resume(m: &mut Machine<'_, '_>) -> Done<bool> {
    let queue = m.heap.list_items(m.x[0]).0.into();
    Propagation { m, queue }.finish(1)
}

/// `$fd_narrow(Variable, Domain, Propagator, Rest)`; `Propagator` is `large` where Prolog has to do it.
fn narrow(m: &mut Machine<'_, '_>) -> Done<bool> {
    let (of, domain) = (m.arg(0), m.arg(1));
    let mut run = Propagation::new(m);
    let done = run.read(domain).and_then(|domain| run.narrow(of, &domain));
    run.finish_first(done)
}

/// `$fd_remove(Variable, Value, Propagator, Rest)`: likewise.
fn remove(m: &mut Machine<'_, '_>) -> Done<bool> {
    let (of, value) = (m.arg(0), m.arg(1));
    let mut run = Propagation::new(m);
    let done = match value.is_int() {
        true => run.remove(of, value.as_int()),
        false => Err(Halt::Foreign),
    };
    run.finish_first(done)
}

/// The queue.
struct Propagation<'m, 'p, 'h> {
    m: &'m mut Machine<'p, 'h>,
    queue: VecDeque<Cell>,
}

impl<'m, 'p, 'h> Propagation<'m, 'p, 'h> {
    fn new(m: &'m mut Machine<'p, 'h>) -> Self {
        Self { m, queue: VecDeque::new() }
    }

    /// Has propagators wait; one that runs does so again.
    fn wait(&mut self, list: Cell) {
        let mut rest = self.m.heap.deref(list);
        while rest.tag() == Tag::Lst {
            let propagator = self.m.heap.deref(self.m.heap.cells[rest.place()]);
            match self.state(propagator) {
                atom::idle => {
                    self.set_state(propagator, atom::queued);
                    self.queue.push_back(propagator);
                }
                atom::running => self.set_state(propagator, atom::again),
                _ => {}
            }
            rest = self.m.heap.deref(self.m.heap.cells[rest.place() + 1]);
        }
    }

    fn state(&self, propagator: Cell) -> crate::cell::Atom {
        self.m.heap.deref(self.m.heap.arg(propagator, 1)).as_atom()
    }

    fn set_state(&mut self, propagator: Cell, state: crate::cell::Atom) {
        let place = self.m.heap.args(propagator).0 + 1;
        self.m.heap.assign(place, Cell::atom(state));
    }

    /// After something was done first: the rest.
    fn finish_first(self, done: Step) -> Done<bool> {
        match done {
            Ok(()) => self.finish(2),
            Err(Halt::Fails) => Ok(false),
            Err(Halt::Foreign) => Ok(self.m.unify_arg(2, Cell::atom(atom::large))),
            Err(Halt::Throw(throw)) => Err(throw),
        }
    }

    /// Runs what waits; the arguments from `at` on tell what is left to Prolog.
    fn finish(mut self, at: usize) -> Done<bool> {
        while let Some(propagator) = self.queue.pop_front() {
            if self.state(propagator) == atom::done {
                continue;
            }
            self.m.spend(1)?;
            self.set_state(propagator, atom::running);
            match self.run(propagator) {
                Ok(()) => match self.state(propagator) {
                    atom::running => self.set_state(propagator, atom::idle),
                    atom::again => {
                        self.set_state(propagator, atom::queued);
                        self.queue.push_back(propagator);
                    }
                    _ => {}
                },
                Err(Halt::Fails) => return Ok(false),
                Err(Halt::Foreign) => {
                    let rest: Vec<Cell> = self.queue.into();
                    let rest = self.m.heap.list(&rest);
                    return Ok(self.m.unify_arg(at, propagator) && self.m.unify_arg(at + 1, rest));
                }
                Err(Halt::Throw(throw)) => return Err(throw),
            }
        }
        Ok(self.m.unify_arg(at, Cell::atom(atom::nil)))
    }

    fn run(&mut self, propagator: Cell) -> Step {
        let what = self.m.heap.deref(self.m.heap.arg(propagator, 0));
        let arg = |i: usize| self.m.heap.deref(self.m.heap.arg(what, i));
        match self.m.heap.functor(what) {
            Some((atom::differs, 3)) => self.differs(propagator, [arg(0), arg(1), arg(2)], false),
            Some((atom::apart, 3)) => self.differs(propagator, [arg(0), arg(1), arg(2)], true),
            Some((atom::one, 3)) => self.one(propagator, [arg(0), arg(1), arg(2)]),
            Some((atom::shift, 3)) => self.shifted(propagator, [arg(0), arg(1), arg(2)], false),
            Some((atom::mirror, 3)) => self.shifted(propagator, [arg(0), arg(1), arg(2)], true),
            Some((atom::lin, 4)) => self.linear(propagator, [arg(0), arg(1), arg(2), arg(3)]),
            _ => Err(Halt::Foreign),
        }
    }

    /// It can find out nothing more.
    fn over(&mut self, propagator: Cell) {
        self.set_state(propagator, atom::done);
    }

    fn operand(&self, cell: Cell) -> Step<Operand> {
        match self.m.heap.deref(cell) {
            cell if cell.is_int() => Ok(Operand::Known(cell.as_int())),
            cell if cell.is_var() => Ok(Operand::Open(cell)),
            _ => Err(Halt::Foreign),
        }
    }

    /// `X` is not `Y + C`; where they are `apart`, nor `Y - C`.
    fn differs(&mut self, propagator: Cell, [x, y, c]: [Cell; 3], apart: bool) -> Step {
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
    fn one(&mut self, propagator: Cell, [left, x, right]: [Cell; 3]) -> Step {
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
    fn shifted(&mut self, propagator: Cell, [x, y, c]: [Cell; 3], mirror: bool) -> Step {
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

    /// A sum that is a number, is none, or is at most one.
    fn linear(&mut self, propagator: Cell, [op, factors, variables, total]: [Cell; 4]) -> Step {
        let Operand::Known(total) = self.operand(total)? else { return Err(Halt::Foreign) };
        let (factors, variables) = (self.m.heap.list_items(factors).0, self.m.heap.list_items(variables).0);
        self.m.spend(factors.len())?;
        let mut terms = Vec::with_capacity(factors.len());
        for (factor, of) in factors.into_iter().zip(variables) {
            let Operand::Known(factor) = self.operand(factor)? else { return Err(Halt::Foreign) };
            terms.push(Term { factor: factor.into(), of });
        }
        let total = i128::from(total);
        match op.as_atom() {
            atom::fd_ne => self.unequal(propagator, &terms, total),
            atom::fd_eq => self.equal(propagator, &terms, total),
            atom::fd_le => self.at_most(propagator, &terms, total),
            _ => Err(Halt::Foreign),
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

    /// The value `fd(Domain, Propagators, Waiting)` of a variable's attribute.
    fn attribute(&self, variable: Cell) -> Option<[Cell; 3]> {
        let value = self.m.attached(variable, Cell::atom(atom::clpfd))?;
        Some([0, 1, 2].map(|i| self.m.heap.deref(self.m.heap.arg(value, i))))
    }

    /// The domain of a variable or value.
    fn domain(&self, of: Cell) -> Step<Domain> {
        match self.operand(of)? {
            Operand::Known(value) => Ok(vec![(value, value)]),
            Operand::Open(variable) => match self.attribute(variable) {
                Some([domain, ..]) => self.read(domain),
                None => Ok(vec![(NO_LOW, NO_HIGH)]),
            },
        }
    }

    /// The ends of a variable's domain.
    fn ends(&self, variable: Cell) -> Step<(i64, i64)> {
        let Some([domain, ..]) = self.attribute(variable) else { return Ok((NO_LOW, NO_HIGH)) };
        let (mut first, mut last) = (None, domain);
        self.m.heap.skip_items(domain, |interval| {
            first.get_or_insert(interval);
            last = interval;
        });
        Ok((self.interval(first.unwrap_or(last))?.0, self.interval(last)?.1))
    }

    fn interval(&self, cell: Cell) -> Step<(i64, i64)> {
        let (low, high) = self.m.heap.binary(cell, atom::minus).ok_or(Halt::Foreign)?;
        let end = |cell: Cell, infinite: i64| match cell {
            cell if cell.is_int() => Ok(cell.as_int()),
            cell if self.m.heap.is_boxed(cell, crate::cell::BoxKind::Float) => Ok(infinite),
            _ => Err(Halt::Foreign),
        };
        Ok((end(low, NO_LOW)?, end(high, NO_HIGH)?))
    }

    fn read(&self, domain: Cell) -> Step<Domain> {
        let mut intervals = Vec::new();
        let mut rest = domain;
        while rest.tag() == Tag::Lst {
            intervals.push(self.interval(self.m.heap.deref(self.m.heap.cells[rest.place()]))?);
            rest = self.m.heap.deref(self.m.heap.cells[rest.place() + 1]);
        }
        Ok(intervals)
    }

    fn write(&mut self, (low, high): (i64, i64)) -> Step<Cell> {
        let mut end = |end: i64| match end {
            NO_LOW => Ok(self.m.heap.float(f64::NEG_INFINITY)),
            NO_HIGH => Ok(self.m.heap.float(f64::INFINITY)),
            end => Cell::small(end).ok_or(Halt::Foreign),
        };
        let ends = [end(low)?, end(high)?];
        Ok(self.m.heap.compound(atom::minus, &ends))
    }

    /// Leaves a variable the values that are in a domain, too.
    fn narrow(&mut self, of: Cell, domain: &[(i64, i64)]) -> Step {
        let variable = match self.operand(of)? {
            Operand::Known(value) => {
                let is_in = domain.iter().any(|&(low, high)| low <= value && value <= high);
                return if is_in { Ok(()) } else { Err(Halt::Fails) };
            }
            Operand::Open(variable) => variable,
        };
        let known = self.attribute(variable);
        let left = match known {
            Some([before, ..]) => {
                let before = self.read(before)?;
                self.m.spend(before.len() + domain.len())?;
                let left = meet(&before, domain);
                if left == before {
                    return Ok(());
                }
                left
            }
            None => domain.to_vec(),
        };
        match left[..] {
            [] => Err(Halt::Fails),
            [(low, high)] if low == high => self.bind(variable, low, known),
            _ => {
                let mut intervals = Vec::with_capacity(left.len());
                for interval in left {
                    intervals.push(self.write(interval)?);
                }
                let list = self.m.heap.list(&intervals);
                self.set(variable, list, known);
                Ok(())
            }
        }
    }

    /// Takes a value from the domain of a variable. What is behind it stays as it is.
    fn remove(&mut self, of: Cell, value: i64) -> Step {
        let variable = match self.operand(of)? {
            Operand::Known(known) => return if known == value { Err(Halt::Fails) } else { Ok(()) },
            Operand::Open(variable) => variable,
        };
        let Some(known) = self.attribute(variable) else {
            return self.narrow(variable, &[(NO_LOW, value - 1), (value + 1, NO_HIGH)]);
        };
        let (mut before, mut rest) = (Vec::new(), known[0]);
        let (low, high) = loop {
            if rest.tag() != Tag::Lst {
                return Ok(());
            }
            let cell = self.m.heap.deref(self.m.heap.cells[rest.place()]);
            let interval = self.interval(cell)?;
            rest = self.m.heap.deref(self.m.heap.cells[rest.place() + 1]);
            if interval.1 >= value {
                break interval;
            }
            before.push(cell);
        };
        if value < low {
            return Ok(());
        }
        self.m.spend(1 + before.len())?;
        let parts = [(low, value.saturating_sub(1)), (value.saturating_add(1), high)];
        let parts: Vec<(i64, i64)> = match (low == value, high == value) {
            (true, true) => Vec::new(),
            (true, false) => vec![parts[1]],
            (false, true) => vec![parts[0]],
            (false, false) => parts.to_vec(),
        };
        // The only value that is left is one of these, or one before or behind them.
        let ends = before.len() + parts.len();
        let single = match (&parts[..], &before[..]) {
            (&[part], []) if rest.tag() != Tag::Lst => Some(part),
            ([], &[part]) if rest.tag() != Tag::Lst => Some(self.interval(part)?),
            ([], []) if rest.tag() == Tag::Lst => {
                let behind = self.m.heap.deref(self.m.heap.cells[rest.place() + 1]);
                let next = self.m.heap.deref(self.m.heap.cells[rest.place()]);
                if behind.tag() == Tag::Lst { None } else { Some(self.interval(next)?) }
            }
            _ => None,
        };
        if ends == 0 && rest.tag() != Tag::Lst {
            return Err(Halt::Fails);
        }
        if let Some((low, high)) = single
            && low == high
        {
            return self.bind(variable, low, Some(known));
        }
        for part in parts {
            before.push(self.write(part)?);
        }
        let list = self.m.heap.list_with_tail(&before, rest);
        self.set(variable, list, Some(known));
        Ok(())
    }

    /// Gives a variable a domain; its propagators wait.
    fn set(&mut self, variable: Cell, domain: Cell, known: Option<[Cell; 3]>) {
        let nil = Cell::atom(atom::nil);
        let [_, propagators, waiting] = known.unwrap_or([nil; 3]);
        let value = self.m.heap.compound(atom::fd, &[domain, propagators, waiting]);
        self.m.attach(variable, Cell::atom(atom::clpfd), value);
        self.wait(propagators);
    }

    /// Binds a variable; all its propagators wait, so that what its binding wakes need not look at its domain.
    fn bind(&mut self, variable: Cell, value: i64, known: Option<[Cell; 3]>) -> Step {
        let value = Cell::small(value).ok_or(Halt::Foreign)?;
        if let Some([_, propagators, waiting]) = known {
            self.m.detach(variable, Cell::atom(atom::clpfd));
            self.wait(waiting);
            self.wait(propagators);
        }
        if self.m.heap.unify(variable, value) { Ok(()) } else { Err(Halt::Fails) }
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

/// What is in both domains.
fn meet(a: &[(i64, i64)], b: &[(i64, i64)]) -> Domain {
    let (mut i, mut j, mut both) = (0, 0, Vec::new());
    while let (Some(&(a_low, a_high)), Some(&(b_low, b_high))) = (a.get(i), b.get(j)) {
        let (low, high) = (a_low.max(b_low), a_high.min(b_high));
        if low <= high {
            both.push((low, high));
        }
        if a_high < b_high { i += 1 } else { j += 1 }
    }
    both
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domains_meet_in_what_is_in_both() {
        let mut random = 7_u64;
        let mut domain = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let mut intervals: Domain = Vec::new();
            for value in (0..24).filter(|&value| random >> (33 + value) & 1 == 1) {
                match intervals.last_mut() {
                    Some((_, high)) if *high + 1 == value => *high = value,
                    _ => intervals.push((value, value)),
                }
            }
            intervals
        };
        let values = |domain: &[(i64, i64)]| -> Vec<i64> {
            domain.iter().flat_map(|&(low, high)| low..=high).collect()
        };
        for _ in 0..500 {
            let (a, b) = (domain(), domain());
            let expected: Vec<i64> = values(&a).into_iter().filter(|v| values(&b).contains(v)).collect();
            assert_eq!(values(&meet(&a, &b)), expected, "{a:?} {b:?}");
            assert_eq!(meet(&a, &[(NO_LOW, NO_HIGH)]), a);
        }
    }
}
