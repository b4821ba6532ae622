//! The loop that executes instructions.

use super::{Alternative, Done, Machine, Throw};
use crate::cell::{Cell, Tag};
use crate::code::{Compare, FAIL, Instr, Kind, Label, Place};
use crate::names::atom;
use crate::number::Number;

/// How a goal ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    /// It holds; choice points may be left.
    Holds,
    /// It does not, or has no further solution.
    Fails,
}

/// Where the loop goes on.
type Next = Done<Option<Label>>;

impl Machine<'_, '_> {
    /// Calls a goal: its first solution.
    pub fn solve(&mut self, goal: Cell) -> Done<Outcome> {
        if self.returns {
            self.cut(self.floor());
        } else {
            self.heap.undo_to(0);
            self.heap.trail.clear();
            self.heap.undo.clear();
            self.choices.clear();
            self.saved.clear();
            self.heap.has_choice = false;
            self.heap.barrier = 0;
        }
        self.constraints.asked.clear();
        self.protect();
        self.findalls.clear();
        self.env = 0;
        self.cp = crate::code::at::ANSWER;
        if self.choices.len() < self.floor() {
            self.choose(Alternative::Code(FAIL), 0);
        }
        let level = self.choices.len();
        let next = self.call_goal(goal, level);
        self.proceed(next)
    }

    /// The next solution.
    pub fn again(&mut self) -> Done<Outcome> {
        self.proceed(Ok(None))
    }

    /// Runs from a place, handing thrown terms to their catchers.
    fn proceed(&mut self, mut next: Next) -> Done<Outcome> {
        loop {
            let at = match next {
                Ok(Some(at)) => at,
                Ok(None) => match self.backtrack() {
                    Ok(Some(at)) => at,
                    Ok(None) => return Ok(Outcome::Fails),
                    Err(throw) => {
                        next = Err(self.meant(throw));
                        continue;
                    }
                },
                Err(Throw::Ball(ball)) => {
                    next = self.unwind(ball);
                    if next.is_err() && self.choices.len() <= self.floor() {
                        return next.map(|_| Outcome::Fails);
                    }
                    continue;
                }
                Err(other) => return Err(other),
            };
            match self.execute(at) {
                Ok(outcome) => return Ok(outcome),
                Err(throw) => next = Err(self.meant(throw)),
            }
        }
    }

    /// What is thrown: where work was stopped in the middle, what it threw means nothing.
    fn meant(&mut self, throw: Throw) -> Throw {
        match self.checked(()).err().unwrap_or(throw) {
            Throw::Rung => self.rung(),
            throw => throw,
        }
    }

    /// Calls a built-in predicate. The program's own time limits end it where it changes nothing but its results.
    #[inline(always)]
    pub(super) fn call_native(&mut self, number: u32) -> Done<bool> {
        let native = self.natives[number as usize];
        self.heap.meter.may_ring(number < self.db.pure_natives);
        let holds = native(self);
        self.heap.meter.may_ring(false);
        holds.map_err(|throw| self.in_native(self.db.natives[number as usize], throw))
    }

    /// Executes instructions from a place until the goal holds or fails.
    fn execute(&mut self, mut p: Label) -> Done<Outcome> {
        macro_rules! fail {
            () => {
                match self.backtrack()? {
                    Some(at) => p = at,
                    None => return Ok(Outcome::Fails),
                }
            };
        }
        macro_rules! go {
            ($next:expr) => {
                match $next {
                    Some(at) => p = at,
                    None => fail!(),
                }
            };
        }
        macro_rules! must {
            ($holds:expr) => {
                if !$holds {
                    fail!();
                }
            };
        }
        macro_rules! test {
            ($holds:expr, $label:expr) => {
                if !$holds {
                    if $label == FAIL { fail!() } else { p = $label }
                }
            };
        }
        macro_rules! number {
            ($done:expr) => {
                $done.map_err(|throw| self.in_arithmetic(p, throw))?
            };
        }
        macro_rules! clean {
            () => {
                if self.is_cut_off() {
                    go!(self.clean_up_before(p)?);
                }
            };
        }
        loop {
            let instr = self.db.code[p as usize];
            p += 1;
            match instr {
                Instr::Move(to, from) => self.x[to as usize] = self.x[from as usize],
                Instr::GetY(y, x) => self.set_slot(y, self.x[x as usize]),
                Instr::GetValue(x, a) => {
                    must!(self.heap.unify(self.x[x as usize], self.x[a as usize]));
                }
                Instr::GetValueY(y, a) => must!(self.heap.unify(self.slot(y), self.x[a as usize])),
                Instr::GetConst(a, constant) => {
                    let cell = self.arg(a as usize);
                    if cell != constant {
                        must!(cell.is_var() && self.heap.bind(cell, constant));
                    }
                }
                Instr::GetList(a) => {
                    let cell = self.arg(a as usize);
                    if cell.tag() == Tag::Lst {
                        self.next = cell.place();
                        self.building = false;
                    } else if cell.is_var() {
                        let place = self.heap.top();
                        must!(self.heap.bind(cell, Cell::list(place)));
                        self.building = true;
                    } else {
                        fail!();
                    }
                }
                Instr::GetStruct(a, functor) => {
                    let cell = self.arg(a as usize);
                    if cell.tag() == Tag::Str && self.heap.cells[cell.place()] == functor {
                        self.next = cell.place() + 1;
                        self.building = false;
                    } else if cell.is_var() {
                        let place = self.heap.top();
                        self.heap.push(functor);
                        must!(self.heap.bind(cell, Cell::structure(place)));
                        self.building = true;
                    } else {
                        fail!();
                    }
                }
                Instr::UnifyX(x) => self.x[x as usize] = self.take(),
                Instr::UnifyY(y) => {
                    let cell = self.take();
                    self.set_slot(y, cell);
                }
                Instr::UnifyValue(x) => must!(self.unify_next(self.x[x as usize])),
                Instr::UnifyValueY(y) => must!(self.unify_next(self.slot(y))),
                Instr::UnifyConst(constant) => {
                    if self.building {
                        self.heap.push(constant);
                    } else {
                        let cell = self.heap.deref(self.heap.cells[self.next]);
                        self.next += 1;
                        if cell != constant {
                            must!(cell.is_var() && self.heap.bind(cell, constant));
                        }
                    }
                }
                Instr::UnifyVoid(n) => {
                    if self.building {
                        self.voids(n);
                    } else {
                        self.next += n as usize;
                    }
                }
                Instr::UnifyTailList => must!(self.tail_list()),

                Instr::Fresh(x) => self.x[x as usize] = self.heap.variable(),
                Instr::FreshY(y) => {
                    let cell = self.heap.variable();
                    self.set_slot(y, cell);
                }
                Instr::PutY(y, x) => self.x[x as usize] = self.slot(y),
                Instr::PutConst(x, constant) => self.x[x as usize] = constant,
                Instr::PutList(x) => {
                    self.x[x as usize] = Cell::list(self.heap.top());
                    self.building = true;
                }
                Instr::PutStruct(x, functor) => {
                    self.x[x as usize] = Cell::structure(self.heap.top());
                    self.heap.push(functor);
                    self.building = true;
                }
                Instr::SetX(x) => self.x[x as usize] = self.heap.variable(),
                Instr::SetY(y) => {
                    let cell = self.heap.variable();
                    self.set_slot(y, cell);
                }
                Instr::SetValue(x) => self.heap.push(self.x[x as usize]),
                Instr::SetValueY(y) => self.heap.push(self.slot(y)),
                Instr::SetConst(constant) => self.heap.push(constant),
                Instr::SetVoid(n) => self.voids(n),
                Instr::PutRecord(x, number) => {
                    self.x[x as usize] = self.heap.restore(&self.db.records[number as usize]);
                }
                Instr::GetRecord(x, number) => {
                    let term = self.heap.restore(&self.db.records[number as usize]);
                    must!(self.heap.unify(self.x[x as usize], term));
                }

                Instr::Allocate(slots) => self.allocate(slots as usize),
                Instr::Deallocate => self.deallocate(),
                Instr::Call(pred, arity) => {
                    if self.heap.woken.is_empty() {
                        self.cp = p;
                        self.step_into(arity as usize)?;
                        go!(self.enter(pred)?);
                    } else {
                        go!(self.wake(p - 1, arity as usize)?);
                    }
                }
                Instr::Execute(pred, arity) => {
                    if self.heap.woken.is_empty() {
                        self.step_into(arity as usize)?;
                        go!(self.enter(pred).map_err(|throw| self.raised_at(p, throw))?);
                    } else {
                        go!(self.wake(p - 1, arity as usize)?);
                    }
                }
                Instr::Proceed => {
                    if self.heap.woken.is_empty() {
                        p = self.cp;
                    } else {
                        go!(self.wake(p - 1, 0)?);
                    }
                }
                Instr::Builtin(number) => {
                    let holds = self.call_native(number).map_err(|throw| self.raised_at(p, throw))?;
                    must!(self.after_native(holds)?);
                    clean!();
                }
                Instr::Wake(live) => {
                    if !self.heap.woken.is_empty() {
                        go!(self.wake(p, live as usize)?);
                    }
                }
                Instr::NeckCut => {
                    self.cut(self.barrier);
                    clean!();
                }
                Instr::Level(y) => self.set_slot(y, Cell::int(self.barrier)),
                Instr::Mark(y) => self.set_slot(y, Cell::int(self.choices.len())),
                Instr::CutTo(y) => {
                    self.cut(self.slot(y).as_int() as usize);
                    clean!();
                }
                Instr::SoftCut(y) => self.soft_cut(self.slot(y).as_int() as usize),
                Instr::Try(label) => self.choose(Alternative::Code(label), 0),
                Instr::Jump(FAIL) => fail!(),
                Instr::Jump(label) => p = label,
                Instr::Fail => fail!(),

                Instr::NumX(x) => number!(self.push_value(self.x[x as usize])),
                Instr::NumY(y) => number!(self.push_value(self.slot(y))),
                Instr::NumInt(n) => self.numbers.push(Number::Int(n.into())),
                Instr::NumConst(cell) => number!(self.push_value(cell)),
                Instr::Eval(name, arity) => number!(self.apply(name, arity)),
                Instr::Add => number!(self.arithmetic(i64::checked_add, atom::plus)),
                Instr::Sub => number!(self.arithmetic(i64::checked_sub, atom::minus)),
                Instr::Mul => number!(self.arithmetic(i64::checked_mul, atom::star)),
                Instr::AddInt(n) => match self.numbers.last_mut() {
                    Some(Number::Int(a)) if a.checked_add(n.into()).is_some() => *a += i64::from(n),
                    _ => {
                        self.numbers.push(Number::Int(n.into()));
                        number!(self.apply(atom::plus, 2));
                    }
                },
                Instr::Result(x) => self.x[x as usize] = self.pop_number(),
                Instr::ResultY(y) => {
                    let cell = self.pop_number();
                    self.set_slot(y, cell);
                }
                Instr::IsX(x) => {
                    let cell = self.pop_number();
                    must!(self.heap.unify(self.x[x as usize], cell));
                }
                Instr::IsY(y) => {
                    let cell = self.pop_number();
                    must!(self.heap.unify(self.slot(y), cell));
                }
                Instr::Compare(compare, label) => test!(self.compare_numbers(compare), label),

                Instr::Test(kind, place, label) => {
                    let cell = self.at(place);
                    test!(self.is(kind, cell), label);
                }
                Instr::Identical(a, b, negated, label) => {
                    let same = self.heap.identical(self.at(a), self.at(b));
                    self.checked(())?;
                    test!(same != negated, label);
                }

                Instr::PopCatch => {
                    if self.heap.woken.is_empty() {
                        self.pop_catch();
                        p = crate::code::at::PROCEED;
                    } else {
                        go!(self.wake(p - 1, 0)?);
                    }
                }
                Instr::PopCleanup => {
                    if self.heap.woken.is_empty() {
                        go!(self.exited()?);
                    } else {
                        go!(self.wake(p - 1, 0)?);
                    }
                }
                Instr::Woken => p = self.woken(),
                Instr::NextGoal => {
                    if self.heap.woken.is_empty() {
                        go!(self.next_goal()?);
                    } else {
                        go!(self.wake(p - 1, 0)?);
                    }
                }
                Instr::Commit | Instr::SoftCommit => {
                    if self.heap.woken.is_empty() {
                        go!(self.commit(instr == Instr::SoftCommit)?);
                    } else {
                        go!(self.wake(p - 1, 0)?);
                    }
                }
                Instr::NotHeld => {
                    if self.heap.woken.is_empty() {
                        self.cut(self.slot(0).as_int() as usize);
                        if self.is_cut_off() {
                            go!(self.clean_up_before(FAIL)?);
                        } else {
                            fail!();
                        }
                    } else {
                        go!(self.wake(p - 1, 0)?);
                    }
                }
                Instr::Answer => {
                    if self.heap.woken.is_empty() {
                        return Ok(Outcome::Holds);
                    }
                    go!(self.wake(p - 1, 0)?);
                }
                Instr::Continue => go!(self.continue_active()?),
                Instr::NextWoken => go!(self.next_woken()?),
            }
        }
    }

    #[inline(always)]
    fn at(&self, place: Place) -> Cell {
        match place {
            Place::X(x) => self.x[x as usize],
            Place::Y(y) => self.slot(y),
        }
    }

    /// The next argument of the term that is taken apart, or a new variable of the one that is built.
    #[inline(always)]
    fn take(&mut self) -> Cell {
        if self.building {
            return self.heap.variable();
        }
        self.next += 1;
        let cell = self.heap.cells[self.next - 1];
        // An attributed variable is where it is: its cell is no value to be copied.
        if cell.tag() == Tag::Ref { cell } else { self.heap.deref(cell) }
    }

    /// New variables that nothing refers to.
    fn voids(&mut self, n: u32) {
        for _ in 0..n {
            self.heap.variable();
        }
    }

    #[inline(always)]
    fn unify_next(&mut self, value: Cell) -> bool {
        if self.building {
            self.heap.push(value);
            return true;
        }
        self.next += 1;
        self.heap.unify(self.heap.cells[self.next - 1], value)
    }

    fn tail_list(&mut self) -> bool {
        let place = self.heap.top();
        if self.building {
            self.heap.push(Cell::list(place + 1));
            return true;
        }
        let cell = self.heap.deref(self.heap.cells[self.next]);
        if cell.tag() == Tag::Lst {
            self.next = cell.place();
            return true;
        }
        self.building = cell.is_var() && self.heap.bind(cell, Cell::list(place));
        self.building
    }

    #[inline(always)]
    fn push_value(&mut self, cell: Cell) -> Done<()> {
        let cell = self.heap.deref(cell);
        if cell.is_int() {
            self.numbers.push(Number::Int(cell.as_int()));
            return Ok(());
        }
        self.heap.meter.may_ring(true);
        let number = self.evaluate(cell);
        self.heap.meter.may_ring(false);
        self.numbers.push(number?);
        Ok(())
    }

    #[inline(always)]
    fn arithmetic(&mut self, int: impl Fn(i64, i64) -> Option<i64>, name: crate::cell::Atom) -> Done<()> {
        if let [.., Number::Int(a), Number::Int(b)] = self.numbers[..]
            && let Some(n) = int(a, b)
        {
            self.numbers.pop();
            if let Some(last) = self.numbers.last_mut() {
                *last = Number::Int(n);
            }
            return Ok(());
        }
        self.apply(name, 2)
    }

    /// The result of a common function of two integers, where it is one of a machine word.
    #[inline]
    fn common(&self, name: crate::cell::Atom) -> Option<i64> {
        let [.., Number::Int(a), Number::Int(b)] = self.numbers[..] else { return None };
        match name {
            atom::modulo => a.checked_rem(b).map(|r| if r != 0 && (r < 0) != (b < 0) { r + b } else { r }),
            atom::quotient => a.checked_div(b),
            atom::remainder => a.checked_rem(b),
            atom::minimum => Some(a.min(b)),
            atom::maximum => Some(a.max(b)),
            atom::shift_right if (0..64).contains(&b) => Some(a >> b),
            atom::bit_and => Some(a & b),
            _ => None,
        }
    }

    /// Applies an evaluable functor to the numbers on the stack.
    fn apply(&mut self, name: crate::cell::Atom, arity: u8) -> Done<()> {
        if arity == 2
            && let Some(n) = self.common(name)
        {
            self.numbers.pop();
            self.numbers.pop();
            self.numbers.push(Number::Int(n));
            return Ok(());
        }
        let b = self.numbers.pop().unwrap_or(Number::Int(0));
        self.heap.meter.may_ring(true);
        let result = if arity == 1 {
            self.evaluate_unary(name, b)
        } else {
            let a = self.numbers.pop().unwrap_or(Number::Int(0));
            self.evaluate_binary(name, a, b)
        };
        self.heap.meter.may_ring(false);
        match result {
            Ok(number) => {
                self.checked(())?;
                self.numbers.push(number);
            }
            Err(throw) => {
                self.numbers.clear();
                return Err(throw);
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn pop_number(&mut self) -> Cell {
        match self.numbers.pop() {
            Some(Number::Int(n)) => self.heap.integer(n),
            Some(number) => self.heap.push_number(&number),
            None => Cell::int(0),
        }
    }

    #[inline(always)]
    fn compare_numbers(&mut self, compare: Compare) -> bool {
        let b = self.numbers.pop().unwrap_or(Number::Int(0));
        let a = self.numbers.pop().unwrap_or(Number::Int(0));
        let order = match (&a, &b) {
            (Number::Int(a), Number::Int(b)) => Some(a.cmp(b)),
            _ => crate::number::compare(&a, &b),
        };
        holds(compare, order)
    }

    /// Whether a term is of a kind.
    pub fn is(&self, kind: Kind, cell: Cell) -> bool {
        let cell = self.heap.deref(cell);
        match kind {
            Kind::Wakes => self.wakes,
            Kind::Var => cell.is_var(),
            Kind::Nonvar => !cell.is_var(),
            Kind::Atom => cell.is_text_atom(),
            Kind::Number => self.heap.is_number(cell),
            Kind::Atomic => !cell.is_var() && !cell.is_compound(),
            Kind::Compound => cell.is_compound(),
            Kind::Callable => cell.is_text_atom() || cell.is_compound(),
            Kind::Integer => self.heap.is_integer(cell),
            Kind::Float => self.heap.is_boxed(cell, crate::cell::BoxKind::Float),
            Kind::Str => self.heap.is_boxed(cell, crate::cell::BoxKind::Str),
        }
    }
}

/// Whether a comparison holds for an order; numbers that have none are unequal.
pub(crate) fn holds(compare: Compare, order: Option<std::cmp::Ordering>) -> bool {
    let Some(order) = order else { return compare == Compare::Ne };
    match compare {
        Compare::Lt => order.is_lt(),
        Compare::Gt => order.is_gt(),
        Compare::Le => order.is_le(),
        Compare::Ge => order.is_ge(),
        Compare::Eq => order.is_eq(),
        Compare::Ne => order.is_ne(),
    }
}
