//! Where paths meet in the walk: one state for several, as uniform as the choice between them.

use std::sync::Arc;

use super::state::{Control, Named, Root, State, Value, merge_since};
use super::symbol::Level;
use super::vars::Vars;
use super::walk::Walk;
use crate::ir::*;

impl<'m> Walk<'m, '_> {
    /// One state for several, between which threads choose as uniformly as `level` says.
    pub fn merge(&mut self, states: Vec<State<'m>>, level: Level, control: Control<'m>) -> Option<State<'m>> {
        let merged = states.into_iter().reduce(|a, b| self.merge_two(a, b, level))?;
        Some(State { control, ..merged })
    }

    pub fn merge_two(&mut self, a: State<'m>, b: State<'m>, level: Level) -> State<'m> {
        let path = a.path.common(&b.path);
        let since = [0, 1].map(|i| merge_since((&a.since[i], &a.path), (&b.since[i], &b.path), &path));
        let claims = if Arc::ptr_eq(&a.claims, &b.claims) {
            a.claims
        } else {
            Arc::new(a.claims.iter().filter(|c| b.claims.contains(c)).cloned().collect())
        };
        let vars = if a.vars.same(&b.vars) { a.vars } else { self.merge_vars(a.vars, &b.vars, level) };
        State { vars, path, control: a.control, since, claims }
    }

    fn merge_vars(&mut self, a: Vars, b: &Vars, level: Level) -> Vars {
        let mut all = a.clone();
        for (var, x, y) in a.differences(b) {
            let ty = self.type_of(VarId(var as u32));
            all.set(var, self.join(x, y, level, ty));
        }
        all
    }

    /// One of two values, as uniform as `level` allows.
    pub fn join(&mut self, a: &Value, b: &Value, level: Level, ty: Type) -> Value {
        match (a, b) {
            _ if a == b => a.clone(),
            (Value::Number(_) | Value::Truth(_), Value::Number(_) | Value::Truth(_)) => {
                let level = level.max(self.level(a)).max(self.level(b));
                self.unknown(level, ty)
            }
            (Value::Buffer(a), Value::Buffer(b)) => {
                let mut roots: Vec<Root> = a.roots.iter().chain(b.roots.iter()).copied().collect();
                roots.sort_unstable();
                roots.dedup();
                self.one_of(roots.into(), level.max(a.level).max(b.level))
            }
            (Value::Record(a), Value::Record(b)) if a.len() == b.len() => {
                let types = self.field_types(ty, a.len());
                let pairs = a.iter().zip(b.iter()).zip(types);
                Value::Record(pairs.map(|((a, b), ty)| self.join(a, b, level, ty)).collect())
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
