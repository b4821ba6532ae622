//! Declared types of columns that say more than sorts: they are checked when values are added.

use super::ConstraintId;
use crate::define_id;
use crate::hash::HashMap;
use crate::ids::IdVec;

define_id!(
    /// A type that values are checked for.
    TypeId, "type"
);

/// A type of values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ColumnType {
    /// As it is written.
    pub name: String,
    /// What its values are.
    pub kind: TypeKind,
}

/// What the values of a [`ColumnType`] are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TypeKind {
    /// Any values.
    Any,
    /// Integers.
    Int,
    /// Integers from 0.
    Natural,
    /// Floats.
    Float,
    /// Integers and floats.
    Number,
    /// Atoms.
    Atom,
    /// Strings.
    Str,
    /// One of these.
    Variants(Vec<Variant>),
}

/// A constant, or a functor with the types of its arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variant {
    /// Name of the functor, or text of the constant.
    pub name: String,
    /// Types of arguments; none for a constant.
    pub args: Vec<TypeId>,
}

/// The types of columns that are checked when the program runs.
#[derive(Clone, Default, Debug)]
pub struct ColumnTypes {
    /// All types.
    pub types: IdVec<TypeId, ColumnType>,
    columns: HashMap<(ConstraintId, usize), TypeId>,
}

impl ColumnTypes {
    /// Gives a column a type.
    pub fn set(&mut self, constraint: ConstraintId, column: usize, ty: TypeId) {
        self.columns.insert((constraint, column), ty);
    }

    /// The type of a column, if its values are to be checked.
    pub fn of(&self, constraint: ConstraintId, column: usize) -> Option<TypeId> {
        self.columns.get(&(constraint, column)).copied()
    }

    /// The alternative of a type with a name and a number of arguments.
    pub fn variant(&self, ty: TypeId, name: &str, arity: usize) -> Option<&Variant> {
        match &self.types[ty].kind {
            TypeKind::Variants(all) => all.iter().find(|v| v.args.len() == arity && v.name == name),
            _ => None,
        }
    }
}
