//! Types of columns, checked when a constraint is added.

use crate::cell::{BoxKind, Cell};
use crate::machine::{Done, Machine, Throw};
use crate::names::atom;
use crate::store::types::{Alternative, Body, Type, instance};

impl Machine<'_, '_> {
    /// Raises a type error unless the argument has the type of its column.
    pub(super) fn check_type(&mut self, ty: &Type, value: Cell) -> Done<()> {
        let mut pending = vec![(ty.clone(), self.heap.deref(value))];
        while let Some((ty, cell)) = pending.pop() {
            self.spend(1)?;
            let Type::Named(name, args) = &ty else { continue };
            let cell = self.heap.deref(cell);
            if cell.is_var() {
                self.wait_for_type(&ty, cell);
                continue;
            }
            let simple = match &**name {
                "any" | "chr_identifier" => Some(true),
                "int" | "integer" => Some(self.heap.is_integer(cell)),
                "dense_int" | "natural" => {
                    Some(self.heap.is_integer(cell) && !(cell.is_int() && cell.as_int() < 0))
                }
                "float" => Some(self.heap.is_boxed(cell, BoxKind::Float)),
                "number" => Some(self.heap.is_number(cell)),
                // Types that a program may define itself.
                "atom" | "string" if self.constraints.types.0.contains_key(&(name.clone(), 0)) => None,
                "atom" => Some(cell.is_atom()),
                "string" => Some(self.heap.is_boxed(cell, BoxKind::Str)),
                _ => None,
            };
            match simple {
                Some(true) => continue,
                Some(false) => {
                    let kind = self.db.names.cell(name);
                    return Err(self.not_of_type(kind, cell));
                }
                None => {}
            }
            let Some((params, body)) = self.constraints.types.0.get(&(name.clone(), args.len())).cloned()
            else {
                return Err(self.wrong_type(&ty, cell));
            };
            match body {
                Body::Alias(other) => pending.push((instance(&other, &params, args), cell)),
                Body::Alternatives(all) => {
                    let functor = self.heap.functor(cell);
                    let fits = all.iter().find(|alternative| match alternative {
                        Alternative::Int(n) => cell.is_int() && cell.as_int() == *n,
                        Alternative::Float(x) => {
                            self.heap.is_boxed(cell, BoxKind::Float) && self.heap.float_at(cell) == *x
                        }
                        Alternative::Term(name, args) => {
                            functor.is_some_and(|(f, n)| n == args.len() && **self.db.names.text(f) == **name)
                        }
                    });
                    match fits {
                        None => return Err(self.wrong_type(&ty, cell)),
                        Some(Alternative::Term(_, types)) => {
                            // SWI-Prolog skips arguments that are declared `any`, and not those of a parameter that is.
                            for (i, ty) in types.iter().enumerate().rev().filter(|(_, ty)| !ty.is_any()) {
                                pending.push((instance(ty, &params, args), self.heap.arg(cell, i)));
                            }
                        }
                        Some(_) => {}
                    }
                }
            }
        }
        Ok(())
    }

    /// An unbound variable is checked when it is bound, by a goal that waits as in SWI-Prolog.
    fn wait_for_type(&mut self, ty: &Type, variable: Cell) {
        let mut named = |name: &str| self.db.names.intern(name);
        let (when, nonvar, once, check, trigger) =
            (named("when"), named("nonvar"), named("once"), named("$dynamic_type_check"), named("$trigger"));
        let condition = self.heap.compound(nonvar, &[variable]);
        let kind = self.type_cell(ty);
        let check = self.heap.compound(check, &[kind, variable]);
        let goal = self.heap.compound(once, &[check]);
        let run = self.heap.compound(trigger, &[condition, goal]);
        let (done, ran) = (self.heap.variable(), self.heap.variable());
        let waiting = self.heap.compound(when, &[condition, goal, done, run, ran]);
        let module = Cell::atom(when);
        let mut all = match self.attached(variable, module) {
            Some(list) => self.heap.list_items(list).0,
            None => Vec::new(),
        };
        all.push(waiting);
        let list = self.heap.list(&all);
        self.attach(variable, module, list);
    }

    /// `'$dynamic_type_check'(Type, Value)`: raises an error unless the value has the type.
    pub(super) fn check_dynamic_type(&mut self) -> Done<bool> {
        let ty = self.type_of(self.x[0]);
        self.check_type(&ty, self.x[1])?;
        Ok(true)
    }

    fn type_of(&self, cell: Cell) -> Type {
        let cell = self.heap.deref(cell);
        match self.heap.functor(cell) {
            Some((name, n)) => {
                let args = (0..n).map(|i| self.type_of(self.heap.arg(cell, i))).collect();
                Type::Named(self.db.names.text(name).to_string(), args)
            }
            None => Type::Named("any".into(), Vec::new()),
        }
    }

    /// A type error that names a type with its parameters.
    fn wrong_type(&mut self, ty: &Type, culprit: Cell) -> Throw {
        let kind = self.type_cell(ty);
        self.not_of_type(kind, culprit)
    }

    /// The error of a value that is not of its column's type, with SWI-Prolog's message.
    fn not_of_type(&mut self, kind: Cell, culprit: Cell) -> Throw {
        let [error, context] = ["type_error", "context"].map(|name| self.db.names.intern(name));
        let message = self.db.names.cell("CHR Runtime Type Error");
        let (formal, place) = (self.heap.compound(error, &[kind, culprit]), self.heap.variable());
        let context = self.heap.compound(context, &[place, message]);
        let ball = self.heap.compound(atom::error, &[formal, context]);
        self.throw(ball)
    }

    fn type_cell(&mut self, ty: &Type) -> Cell {
        match ty {
            Type::Variable(_) => self.db.names.cell("any"),
            Type::Named(name, args) => {
                let args: Vec<Cell> = args.iter().map(|arg| self.type_cell(arg)).collect();
                let functor = self.db.names.intern(name);
                if args.is_empty() { self.db.names.cell(name) } else { self.heap.compound(functor, &args) }
            }
        }
    }
}
