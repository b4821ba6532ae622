//! Declared types of columns that say more than sorts: they are checked when values are added.

use super::ConstraintId;
use crate::define_id;
use crate::hash::{HashMap, HashSet};
use crate::ids::IdVec;
use crate::value::{Terms, Word};

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

impl Terms<'_> {
    /// Whether a tagged word is of a type. A part that occurs many times in a term is looked at once.
    pub fn has_type(self, word: u64, ty: TypeId) -> bool {
        let types = &self.signature.column_types;
        let mut pending = vec![(word, ty)];
        let mut seen: HashSet<(u64, TypeId)> = HashSet::default();
        while let Some((word, ty)) = pending.pop() {
            let constant = |text: &str| types.variant(ty, text, 0).is_some();
            let text = |id| self.signature.texts.get(id);
            let fits = match (&types.types[ty].kind, self.heap.view(word)) {
                (TypeKind::Any, _) => true,
                (TypeKind::Natural, Word::Int(n)) => n >= 0,
                (TypeKind::Int | TypeKind::Number, Word::Int(_)) => true,
                (TypeKind::Float | TypeKind::Number, Word::Float(_)) => true,
                (TypeKind::Atom, Word::Atom(_)) | (TypeKind::Str, Word::Str(_)) => true,
                (TypeKind::Variants(_), Word::Int(n)) => constant(&n.to_string()),
                (TypeKind::Variants(_), Word::Float(x)) => constant(&format!("{x:?}")),
                (TypeKind::Variants(_), Word::Atom(name)) => constant(text(name)),
                (TypeKind::Variants(_), Word::Str(string)) => constant(&format!("\"{}\"", text(string))),
                (TypeKind::Variants(_), Word::Compound(symbol, args)) => {
                    let name = &self.signature.symbols[symbol].name;
                    let variant = types.variant(ty, name, args.len());
                    if let Some(variant) = variant
                        && seen.insert((word, ty))
                    {
                        pending.extend(args.iter().copied().zip(variant.args.iter().copied()));
                    }
                    variant.is_some()
                }
                _ => false,
            };
            if !fits {
                return false;
            }
        }
        true
    }
}
