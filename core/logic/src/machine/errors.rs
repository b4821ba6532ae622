//! Errors as ISO Prolog has them, and where they were raised.

use super::{Done, Machine, Throw};
use crate::cell::{Atom, Cell};
use crate::code::{Compare, Instr, Label, PredId};
use crate::database::{Definition, Predicate};
use crate::names::atom;

/// Goals of a backtrace.
const DEPTH: usize = 12;

impl Machine<'_, '_> {
    /// Throws a term.
    pub fn throw(&mut self, ball: Cell) -> Throw {
        self.note_backtrace();
        Throw::Ball(Box::new(self.recorded(ball)))
    }
    /// `error(Formal, _)`.
    pub fn error(&mut self, formal: Cell) -> Throw {
        let context = self.heap.variable();
        let ball = self.heap.compound(atom::error, &[formal, context]);
        self.throw(ball)
    }
    /// An error of a built-in predicate: its context says which one, unless that is the machine's own affair.
    #[cold]
    pub fn in_native(&mut self, pred: PredId, throw: Throw) -> Throw {
        let Predicate { name, arity, .. } = self.db.preds[pred as usize];
        let text = self.db.names.text(name).clone();
        // What a predicate of the library leaves to the machine has its name behind `$`.
        let public = self.db.names.intern(text.trim_start_matches('$'));
        if name == public && &*text != "throw" {
            return self.in_context(name, arity, throw);
        }
        match self.db.known(public, arity) {
            Some(pred) if name != public && self.db.preds[pred as usize].library => {
                self.in_context(public, arity, throw)
            }
            _ => throw,
        }
    }
    /// An error of arithmetic in line: its context is what the result is for.
    #[cold]
    pub fn in_arithmetic(&mut self, at: Label, throw: Throw) -> Throw {
        let mut result = at;
        let name = loop {
            match self.db.code.get(result as usize) {
                Some(Instr::Compare(compare, _)) => {
                    break match compare {
                        Compare::Lt => atom::lt,
                        Compare::Gt => atom::gt,
                        Compare::Le => atom::le,
                        Compare::Ge => atom::ge,
                        Compare::Eq => atom::num_eq,
                        Compare::Ne => atom::num_ne,
                    };
                }
                Some(Instr::Result(_) | Instr::ResultY(_) | Instr::IsX(_) | Instr::IsY(_)) | None => {
                    break atom::is;
                }
                Some(_) => result += 1,
            }
        };
        let throw = self.in_context(name, 2, throw);
        self.raised_at(at, throw)
    }
    /// Notes that an error was raised by the instruction before a place: its clause may have left its environment, or
    /// have none.
    #[cold]
    pub fn raised_at(&mut self, at: Label, throw: Throw) -> Throw {
        if let Throw::Ball(_) = &throw
            && let Some(place) = self.db.place_of(at.saturating_sub(1))
            && self.backtrace.first() != Some(&place)
        {
            self.backtrace.insert(0, place);
            self.backtrace.truncate(DEPTH);
        }
        throw
    }
    /// Fills the context of an error that has none: the function of arithmetic that refused its operands, or else a
    /// predicate.
    fn in_context(&mut self, name: Atom, arity: usize, throw: Throw) -> Throw {
        let function = self.function.take();
        let Throw::Ball(record) = throw else { return throw };
        let ball = self.restored(&record);
        let Some((_, context)) = self.heap.binary(ball, atom::error).filter(|(_, context)| context.is_var())
        else {
            return Throw::Ball(record);
        };
        let indicator =
            |m: &mut Self, name, arity| m.heap.compound(atom::slash, &[Cell::atom(name), Cell::int(arity)]);
        let place = match function {
            Some((name, arity)) => indicator(self, name, arity),
            None => {
                let (system, indicator) = (self.db.names.cell("system"), indicator(self, name, arity));
                self.heap.compound(atom::colon, &[system, indicator])
            }
        };
        let (name, message) = (self.db.names.intern("context"), self.heap.variable());
        let known = self.heap.compound(name, &[place, message]);
        self.heap.unify(context, known);
        Throw::Ball(Box::new(self.recorded(ball)))
    }
    pub fn formal(&mut self, name: &str, args: &[Cell]) -> Throw {
        let name = self.db.names.intern(name);
        let formal = self.heap.compound(name, args);
        self.error(formal)
    }
    pub fn instantiation_error(&mut self) -> Throw {
        self.formal("instantiation_error", &[])
    }
    pub fn type_error(&mut self, kind: &str, culprit: Cell) -> Throw {
        let kind = self.db.names.cell(kind);
        self.formal("type_error", &[kind, culprit])
    }
    pub fn domain_error(&mut self, kind: &str, culprit: Cell) -> Throw {
        let kind = self.db.names.cell(kind);
        self.formal("domain_error", &[kind, culprit])
    }
    pub fn evaluation_error(&mut self, kind: &str) -> Throw {
        let kind = self.db.names.cell(kind);
        self.formal("evaluation_error", &[kind])
    }
    pub fn representation_error(&mut self, what: &str) -> Throw {
        let what = self.db.names.cell(what);
        self.formal("representation_error", &[what])
    }
    pub fn resource_error(&mut self, what: &str) -> Throw {
        let what = self.db.names.cell(what);
        self.formal("resource_error", &[what])
    }
    pub fn existence_error(&mut self, kind: &str, what: Cell) -> Throw {
        let kind = self.db.names.cell(kind);
        self.formal("existence_error", &[kind, what])
    }
    pub fn permission_error(&mut self, action: &str, kind: &str, culprit: Cell) -> Throw {
        let (action, kind) = (self.db.names.cell(action), self.db.names.cell(kind));
        self.formal("permission_error", &[action, kind, culprit])
    }
    /// `name/arity` as a term.
    pub fn indicator(&mut self, pred: PredId) -> Cell {
        let pred = &self.db.preds[pred as usize];
        let (name, arity) = (Cell::atom(pred.name), Cell::int(pred.arity));
        self.heap.compound(atom::slash, &[name, arity])
    }

    /// A predicate without clauses is called.
    #[cold]
    pub fn unknown(&mut self, pred: PredId) -> Done<Option<Label>> {
        if self.load_library_for(pred)? {
            return self.enter(pred);
        }
        let predicate = &self.db.preds[pred as usize];
        let defined = matches!(predicate.definition, Definition::Clauses(_));
        if defined || predicate.dynamic || self.db.flags.unknown == gchr_base::logic::Unknown::Fail {
            return Ok(None);
        }
        let indicator = self.indicator(pred);
        let formal = {
            let (name, kind) = (self.db.names.intern("existence_error"), self.db.names.cell("procedure"));
            self.heap.compound(name, &[kind, indicator])
        };
        let ball = self.heap.compound(atom::error, &[formal, indicator]);
        Err(self.throw(ball))
    }

    /// Notes which goals are running.
    fn note_backtrace(&mut self) {
        self.backtrace.clear();
        let mut env = self.env;
        let mut at = self.cp;
        while self.backtrace.len() < DEPTH {
            if let Some(place) = self.db.place_of(at.saturating_sub(1))
                && self.backtrace.last() != Some(&place)
            {
                self.backtrace.push(place);
            }
            if env == 0 {
                break;
            }
            at = self.stack[env + 1].0 as Label;
            env = self.stack[env].0 as usize;
        }
    }
}
