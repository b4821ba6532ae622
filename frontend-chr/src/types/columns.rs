//! The types of columns as they are checked when a program runs: without aliases and parameters.

use gchr_base::hash::HashMap;
use gchr_base::signature::{ColumnType, ColumnTypes, ConstraintId, TypeId, TypeKind, Variant};

use super::{Expanded, Type, Types};

/// Most types that are checked: types with parameters may have no end. Others are any values.
const MOST: usize = 1 << 16;

/// Makes types of columns.
pub(crate) struct Columns<'a> {
    types: &'a Types,
    known: HashMap<String, TypeId>,
}

impl<'a> Columns<'a> {
    pub fn new(types: &'a Types) -> Self {
        Self { types, known: HashMap::default() }
    }

    /// Notes the type of a column, unless its sort says it all.
    pub fn declare(&mut self, constraint: ConstraintId, column: usize, ty: &Type, found: &mut ColumnTypes) {
        let checked = matches!(
            self.types.expand(ty),
            Expanded::Builtin(Type::Natural | Type::Number) | Expanded::Variants(_)
        );
        if checked {
            let ty = self.make(ty, found);
            found.set(constraint, column, ty);
        }
    }

    fn make(&mut self, ty: &Type, found: &mut ColumnTypes) -> TypeId {
        let mut pending = Vec::new();
        let made = self.reserve(ty, found, &mut pending);
        while let Some((id, ty)) = pending.pop() {
            let kind = match self.types.expand(&ty) {
                Expanded::Unknown => TypeKind::Any,
                Expanded::Builtin(ty) => builtin(&ty),
                Expanded::Variants(variants) => {
                    let mut all = Vec::with_capacity(variants.len());
                    for super::Variant { name, args } in variants {
                        let args = args.iter().map(|arg| self.reserve(arg, found, &mut pending)).collect();
                        all.push(Variant { name, args });
                    }
                    TypeKind::Variants(all)
                }
            };
            found.types[id].kind = kind;
        }
        made
    }

    /// The id of a type, whose values are still to be found out when it is new.
    fn reserve(&mut self, ty: &Type, found: &mut ColumnTypes, pending: &mut Vec<(TypeId, Type)>) -> TypeId {
        let ty = if found.types.len() < MOST { ty } else { &Type::Any };
        let name = ty.to_string();
        *self.known.entry(name.clone()).or_insert_with(|| {
            let id = found.types.push(ColumnType { name, kind: TypeKind::Any });
            pending.push((id, ty.clone()));
            id
        })
    }
}

fn builtin(ty: &Type) -> TypeKind {
    match ty {
        Type::Int | Type::DenseInt => TypeKind::Int,
        Type::Natural => TypeKind::Natural,
        Type::Float => TypeKind::Float,
        Type::Number => TypeKind::Number,
        Type::Atom => TypeKind::Atom,
        Type::Str => TypeKind::Str,
        Type::Any | Type::Param(_) | Type::User(..) => TypeKind::Any,
    }
}
