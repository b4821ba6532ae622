//! Propagation of constraints over integers: domains are narrowed, and the propagators of variables whose domains
//! changed run until none finds out more.
//!
//! What domains and propagators are, `clpfd.pl` says. Propagators wait in a queue, the first one first, each once; a
//! domain can only shrink, so the order makes no difference to what is left. Those that are written in Prolog are
//! handed out with the rest of the queue, and so are those that meet integers beyond machine words: Prolog runs them,
//! and comes back.

mod distinct;
mod pairs;
mod sums;
mod truth;

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

/// Propagators that run between two calls, where the heap can be collected.
const AT_ONCE: usize = 1 << 12;

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

/// `$fd_propagate(First, Second, Propagator, Rest)`: the propagators of two lists, as far as they do not wait already.
/// `Propagator` is `[]` at the end, `again` where the rest of the queue is to be resumed, or the next one that Prolog
/// runs.
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
        let mut left = AT_ONCE;
        while let Some(propagator) = self.queue.pop_front() {
            if left == 0 {
                self.queue.push_front(propagator);
                return self.hand_out(at, Cell::atom(atom::again));
            }
            left -= 1;
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
                Err(Halt::Foreign) => return self.hand_out(at, propagator),
                Err(Halt::Throw(throw)) => return Err(throw),
            }
        }
        Ok(self.m.unify_arg(at, Cell::atom(atom::nil)))
    }

    /// Leaves something to Prolog, and the rest of the queue.
    fn hand_out(self, at: usize, what: Cell) -> Done<bool> {
        let rest: Vec<Cell> = self.queue.into();
        let rest = self.m.heap.list(&rest);
        Ok(self.m.unify_arg(at, what) && self.m.unify_arg(at + 1, rest))
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
            Some((atom::distinct, 1)) => self.distinct(propagator, arg(0)),
            Some((atom::reified, 2)) => self.reified(propagator, [arg(0), arg(1)]),
            Some((atom::call, 1)) => self.connective(propagator, arg(0)),
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
        match self.attribute(variable) {
            Some([domain, ..]) => Ok(self.ends_of(domain)?.0),
            None => Ok((NO_LOW, NO_HIGH)),
        }
    }

    /// The ends of a domain that has values, and how many intervals it has.
    fn ends_of(&self, domain: Cell) -> Step<((i64, i64), usize)> {
        let (mut first, mut last) = (None, domain);
        let (count, _) = self.m.heap.skip_items(domain, |interval| {
            first.get_or_insert(interval);
            last = interval;
        });
        Ok(((self.interval(first.unwrap_or(last))?.0, self.interval(last)?.1), count))
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
        let mut intervals = Vec::with_capacity(left.len());
        for interval in left {
            intervals.push(self.write(interval)?);
        }
        let left = self.m.heap.list(&intervals);
        self.leave(variable, known, left)
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
        if low < value {
            before.push(self.write((low, value - 1))?);
        }
        if value < high {
            before.push(self.write((value + 1, high))?);
        }
        let left = self.m.heap.list_with_tail(&before, rest);
        self.leave(variable, Some(known), left)
    }

    /// Leaves a variable the values of a domain that is less than the one before; its propagators wait, unless a domain
    /// without end [moves on](moves_on).
    fn leave(&mut self, variable: Cell, known: Option<[Cell; 3]>, domain: Cell) -> Step {
        if domain.tag() != Tag::Lst {
            return Err(Halt::Fails);
        }
        let (ends, count) = self.ends_of(domain)?;
        if count == 1 && ends.0 == ends.1 {
            return self.bind(variable, ends.0, known);
        }
        let nil = Cell::atom(atom::nil);
        let [_, propagators, waiting] = known.unwrap_or([nil; 3]);
        let value = self.m.heap.compound(atom::fd, &[domain, propagators, waiting]);
        self.m.attach(variable, Cell::atom(atom::clpfd), value);
        if let Some([before, ..]) = known
            && !moves_on(self.ends_of(before)?.0, ends)
        {
            self.wait(propagators);
        }
        Ok(())
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

/// Whether a domain without end only has its other end moved: propagators that push each other's ends would never come
/// to rest, as in SWI-Prolog they do. They run when the domain has both ends.
fn moves_on((low, high): (i64, i64), (new_low, new_high): (i64, i64)) -> bool {
    new_high == NO_HIGH && low != NO_LOW && low != new_low
        || new_low == NO_LOW && high != NO_HIGH && high != new_high
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
