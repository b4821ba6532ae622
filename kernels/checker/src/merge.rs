//! Where paths meet in the walk: one state for several, as uniform as the choice between them.

use std::sync::Arc;

use super::model::Root;
use super::provenance::{NO_LOAD, Provenance};
use super::state::{Control, State, merge_since};
use super::symbol::Level;
use super::value::{Named, Value};
use super::vars::Vars;
use super::walk::Walk;
use gchr_kernel::ir::*;

/// A choice between several ways.
#[derive(Clone, Copy)]
pub(super) struct Choice {
    /// How uniform it is.
    pub level: Level,
    /// Atomic loads that it is made by.
    pub provenance: Provenance,
}

impl<'m> Walk<'m, '_> {
    /// One state for several, between which threads choose.
    pub fn merge(
        &mut self,
        states: Vec<State<'m>>,
        choice: Choice,
        control: Control<'m>,
    ) -> Option<State<'m>> {
        let merged = states.into_iter().reduce(|a, b| self.merge_two(a, b, choice))?;
        Some(State { control, ..merged })
    }

    pub fn merge_two(&mut self, a: State<'m>, b: State<'m>, choice: Choice) -> State<'m> {
        let path = a.path.common(&b.path);
        let since = [0, 1].map(|i| merge_since((&a.since[i], &a.path), (&b.since[i], &b.path), &path));
        let claims = if Arc::ptr_eq(&a.claims, &b.claims) {
            a.claims
        } else {
            Arc::new(a.claims.iter().filter(|c| b.claims.contains(c)).cloned().collect())
        };
        let vars = if a.vars.same(&b.vars) { a.vars } else { self.merge_vars(a.vars, &b.vars, choice) };
        State { vars, path, control: a.control, since, claims }
    }

    fn merge_vars(&mut self, a: Vars, b: &Vars, choice: Choice) -> Vars {
        let mut all = a.clone();
        for (var, x, y) in a.differences(b) {
            let ty = self.type_of(VarId(var as u32));
            all.set(var, self.join(x, y, choice, ty));
        }
        all
    }

    /// One of two values, as uniform as the choice allows.
    pub fn join(&mut self, a: &Value, b: &Value, choice: Choice, ty: Type) -> Value {
        match (a, b) {
            _ if a == b => a.clone(),
            (Value::Number(_) | Value::Truth(_), Value::Number(_) | Value::Truth(_)) => {
                let level = choice.level.max(self.level(a)).max(self.level(b));
                let provenances = [choice.provenance, self.provenance(a), self.provenance(b)];
                let provenance = self.symbols.provenances.of_all(provenances);
                self.computed(level, provenance, ty)
            }
            (Value::Buffer(a), Value::Buffer(b)) => {
                let mut roots: Vec<Root> = a.roots.iter().chain(b.roots.iter()).copied().collect();
                roots.sort_unstable();
                roots.dedup();
                self.one_of(roots.into(), choice.level.max(a.level).max(b.level))
            }
            (Value::Record(a), Value::Record(b)) if a.len() == b.len() => {
                let types = self.field_types(ty, a.len());
                let pairs = a.iter().zip(b.iter()).zip(types);
                Value::Record(pairs.map(|((a, b), ty)| self.join(a, b, choice, ty)).collect())
            }
            _ => Value::Unset,
        }
    }

    /// One of some buffers, chosen here.
    pub fn one_of(&mut self, roots: Arc<[Root]>, level: Level) -> Value {
        let choice = self.token();
        Value::Buffer(Named { roots, level, choice })
    }

    pub fn field_types(&self, ty: Type, count: usize) -> Vec<Type> {
        match ty {
            Type::Record(record) => self.module.records[record].fields.iter().map(|f| f.ty).collect(),
            _ => vec![Type::Void; count],
        }
    }

    /// The atomic loads that a value is computed from.
    pub fn provenance(&mut self, value: &Value) -> Provenance {
        match value {
            Value::Number(p) => self.symbols.provenance(p),
            Value::Truth(c) => self.symbols.provenance_of(c),
            Value::Record(fields) => fields.iter().fold(NO_LOAD, |provenance, field| {
                let of_field = self.provenance(field);
                self.symbols.provenances.both(provenance, of_field)
            }),
            Value::Unset | Value::Buffer(_) => NO_LOAD,
        }
    }

    /// The choice by control in which several ways end.
    pub fn choice_of(&mut self, ends: &[State<'m>], level: Level) -> Choice {
        Choice {
            level,
            provenance: self.symbols.provenances.of_all(ends.iter().map(|end| end.control.provenance)),
        }
    }

    pub fn level(&self, value: &Value) -> Level {
        match value {
            Value::Unset => Level::Thread,
            Value::Number(p) => self.symbols.level(p),
            Value::Truth(c) => self.symbols.level_of(c),
            Value::Record(fields) => fields.iter().map(|f| self.level(f)).max().unwrap_or_default(),
            Value::Buffer(named) => named.level,
        }
    }
}
