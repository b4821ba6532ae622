//! Terms of heads, which are taken apart, and of bodies, which are built.

use super::Compiler;
use crate::cell::{Cell, Tag};
use crate::code::{Instr, Place, X};

/// Ground terms of more nodes are copied as a whole.
const LARGE: usize = 24;

/// Nesting of a term of a body beyond which its parts are built from outside.
const DEEP: usize = 60;

impl Compiler<'_> {
    pub(super) fn head(&mut self, start: usize, arity: usize) {
        for i in 0..arity {
            let cell = self.heap.deref(self.heap.cells[start + i]);
            self.get(i as X, cell);
        }
    }

    /// Matches a register with a term.
    pub(super) fn get(&mut self, register: X, cell: Cell) {
        if cell.is_var() {
            if self.is_seen(cell) {
                return match self.place(cell) {
                    Place::X(x) => self.emit(Instr::GetValue(x, register)),
                    Place::Y(y) => self.emit(Instr::GetValueY(y, register)),
                };
            }
            match self.first(cell) {
                Some(Place::X(x)) if x != register => self.emit(Instr::Move(x, register)),
                Some(Place::Y(y)) => self.emit(Instr::GetY(y, register)),
                _ => {}
            }
        } else if cell.is_immediate() {
            self.emit(Instr::GetConst(register, cell));
        } else {
            self.get_compound(register, cell);
        }
    }

    fn get_compound(&mut self, register: X, cell: Cell) {
        let mut work = vec![(register, cell, false)];
        while let Some((register, mut cell, temporary)) = work.pop() {
            if !self.heap.meter.spend(1) {
                return;
            }
            if self.is_whole(cell) {
                let record = self.record(cell);
                self.emit(Instr::GetRecord(register, record));
                continue;
            }
            self.emit(match cell.tag() {
                Tag::Lst => Instr::GetList(register),
                _ => Instr::GetStruct(register, self.heap.cells[cell.place()]),
            });
            if temporary {
                self.free_x.push(register);
            }
            let mut inner = Vec::new();
            'spine: loop {
                let (start, n) = self.heap.args(cell);
                for i in 0..n {
                    let arg = self.heap.deref(self.heap.cells[start + i]);
                    if i + 1 == n && arg.tag() == Tag::Lst {
                        self.emit(Instr::UnifyTailList);
                        cell = arg;
                        continue 'spine;
                    }
                    self.unify_argument(arg, &mut inner);
                }
                break;
            }
            work.extend(inner.into_iter().rev());
        }
    }

    fn unify_argument(&mut self, arg: Cell, inner: &mut Vec<(X, Cell, bool)>) {
        if arg.is_var() {
            let instr = if self.is_seen(arg) {
                match self.place(arg) {
                    Place::X(x) => Instr::UnifyValue(x),
                    Place::Y(y) => Instr::UnifyValueY(y),
                }
            } else {
                match self.first(arg) {
                    Some(Place::X(x)) => Instr::UnifyX(x),
                    Some(Place::Y(y)) => Instr::UnifyY(y),
                    None => return self.void(true),
                }
            };
            self.emit(instr);
        } else if arg.is_immediate() {
            self.emit(Instr::UnifyConst(arg));
        } else {
            let x = self.temp();
            self.emit(Instr::UnifyX(x));
            inner.push((x, arg, true));
        }
    }

    /// One more argument that nothing refers to.
    fn void(&mut self, head: bool) {
        match self.code.last_mut() {
            Some(Instr::UnifyVoid(n)) if head => *n += 1,
            Some(Instr::SetVoid(n)) if !head => *n += 1,
            _ => self.emit(if head { Instr::UnifyVoid(1) } else { Instr::SetVoid(1) }),
        }
    }

    /// Whether a term is copied as a whole: it has no variables and is boxed or large.
    fn is_whole(&mut self, term: Cell) -> bool {
        if term.tag() == Tag::Box {
            return true;
        }
        let (mut pending, mut nodes) = (vec![term], 0);
        while let Some(cell) = pending.pop() {
            let cell = self.heap.deref(cell);
            if cell.is_var() {
                return false;
            }
            nodes += 1;
            if nodes > LARGE {
                return self.is_ground(term);
            }
            let (start, n) = self.heap.args(cell);
            pending.extend(self.heap.cells[start..start + n].iter().rev());
        }
        false
    }

    /// Whether a compound term has no variables. Its parts will be asked, too: what is found of them is kept.
    fn is_ground(&mut self, term: Cell) -> bool {
        let place = self.heap.args(term).0;
        if !self.asked.has(place) {
            let (compounds, loops) = self.heap.compounds(&[term]);
            if !loops.is_empty() {
                return self.heap.is_ground(term);
            }
            for compound in compounds {
                let (start, n) = self.heap.args(compound);
                let is_open = |&arg: &Cell| {
                    let arg = self.heap.deref(arg);
                    arg.is_var() || arg.is_compound() && self.open.has(self.heap.args(arg).0)
                };
                let is_open = self.heap.cells[start..start + n].iter().any(is_open);
                self.asked.insert(start, self.heap.top());
                if is_open {
                    self.open.insert(start, self.heap.top());
                }
            }
        }
        !self.open.has(place)
    }

    fn record(&mut self, cell: Cell) -> u32 {
        let record = self.heap.record_of(cell);
        self.db.records.push(record);
        self.db.records.len() as u32 - 1
    }

    /// Puts a term into a register.
    pub(super) fn put(&mut self, register: X, cell: Cell) {
        let cell = self.heap.deref(cell);
        if cell.is_var() {
            match self.variable(cell) {
                None => self.emit(Instr::Fresh(register)),
                Some(Place::X(x)) if x == register => {}
                Some(Place::X(x)) => self.emit(Instr::Move(register, x)),
                Some(Place::Y(y)) => self.emit(Instr::PutY(y, register)),
            }
        } else if cell.is_immediate() {
            self.emit(Instr::PutConst(register, cell));
        } else {
            self.build(register, cell, 0);
        }
    }

    /// The place of a variable with its value, which is a new variable at first; `None` where it occurs nowhere else.
    pub(super) fn variable(&mut self, cell: Cell) -> Option<Place> {
        if self.is_seen(cell) {
            return Some(self.place(cell));
        }
        let place = self.first(cell)?;
        self.emit(match place {
            Place::X(x) => Instr::Fresh(x),
            Place::Y(y) => Instr::FreshY(y),
        });
        Some(place)
    }

    fn build(&mut self, register: X, cell: Cell, depth: usize) {
        if !self.heap.meter.spend(1) {
            return;
        }
        if self.is_whole(cell) {
            let record = self.record(cell);
            return self.emit(Instr::PutRecord(register, record));
        }
        let args = self.spine(cell);
        // Parts first; what is too deep stays a variable until the whole is there.
        let mut parts = Vec::with_capacity(args.len());
        for &(arg, is_tail) in &args {
            let inner = !is_tail && !arg.is_var() && !arg.is_immediate();
            parts.push(inner.then(|| {
                let x = self.temp();
                if depth < DEEP {
                    self.build(x, arg, depth + 1);
                }
                x
            }));
        }
        self.emit(match cell.tag() {
            Tag::Lst => Instr::PutList(register),
            _ => Instr::PutStruct(register, self.heap.cells[cell.place()]),
        });
        for (&(arg, is_tail), part) in args.iter().zip(&parts) {
            match part {
                _ if is_tail => self.emit(Instr::UnifyTailList),
                Some(x) if depth < DEEP => self.emit(Instr::SetValue(*x)),
                Some(x) => self.emit(Instr::SetX(*x)),
                None => self.set_argument(arg),
            }
        }
        for (&(arg, _), x) in args.iter().zip(&parts) {
            let Some(x) = *x else { continue };
            if depth >= DEEP {
                self.get_compound(x, arg);
            }
            self.free_x.push(x);
        }
    }

    /// The arguments of a term, where a last one that is a list is followed by its own.
    fn spine(&self, mut cell: Cell) -> Vec<(Cell, bool)> {
        let mut args = Vec::new();
        loop {
            let (start, n) = self.heap.args(cell);
            let all = (0..n).map(|i| self.heap.deref(self.heap.cells[start + i]));
            args.extend(all.map(|arg| (arg, false)));
            match args.last_mut() {
                Some(last) if last.0.tag() == Tag::Lst => {
                    last.1 = true;
                    cell = last.0;
                }
                _ => return args,
            }
        }
    }

    fn set_argument(&mut self, arg: Cell) {
        if !arg.is_var() {
            return self.emit(Instr::SetConst(arg));
        }
        let instr = if self.is_seen(arg) {
            match self.place(arg) {
                Place::X(x) => Instr::SetValue(x),
                Place::Y(y) => Instr::SetValueY(y),
            }
        } else {
            match self.first(arg) {
                Some(Place::X(x)) => Instr::SetX(x),
                Some(Place::Y(y)) => Instr::SetY(y),
                None => return self.void(false),
            }
        };
        self.emit(instr);
    }
}
