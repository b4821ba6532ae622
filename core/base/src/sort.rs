//! What the values of sorts are.

/// What the values of a sort are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SortKind {
    /// Terms over the constructors whose result sort this is.
    Data,
    /// Signed 64-bit integers; overflow is a run-time error.
    Int,
    /// IEEE 754 binary64.
    Float,
    /// Atoms (constraint programs): interned names, compared by identity, ordered by text.
    Atom,
    /// Strings (constraint programs): interned, like atoms but another type.
    Str,
    /// Any value of a constraint program: integer, float, atom, string or compound term, tagged at run time.
    Any,
}

impl SortKind {
    /// Name of the type in constraint programs.
    pub fn type_name(self) -> &'static str {
        match self {
            SortKind::Int => "int",
            SortKind::Float => "float",
            SortKind::Atom => "atom",
            SortKind::Str => "string",
            SortKind::Any => "any",
            SortKind::Data => "bool",
        }
    }
}
