//! What programs have without declaring it: names, sorts and constructors, as far as a program uses them. Functions of
//! them, which have rules, are made elsewhere.

pub(super) mod characters;
pub(super) mod functions;
pub(super) mod lists;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::source::Span;

/// The name of the choice between two terms, unless the program declares a symbol of this name.
pub(crate) const IF: &str = "if";

/// The name of the sort of integers of any size, unless the program declares a sort of this name.
pub(crate) const INTEGER: &str = "Integer";

/// The name of the pattern that matches anything, unless the program declares a symbol or variable of this name.
pub(crate) const WILD: &str = "_";

/// The program's own `Bool` lacks constants.
pub(crate) fn no_truth(span: Span) -> Diagnostic {
    Diagnostic::error("T0207", "the program has no truth values")
        .label(span, "this needs the sort `Bool`")
        .note("the program declares a sort `Bool` without the constants `true` and `false` (or `True` and `False`)")
        .help("declare both constants in `Bool`, or leave its declaration out: it is built in")
}

/// Functions that are written by their names, unless the program declares a symbol of the name.
pub(crate) trait Named: Copy + 'static {
    /// All of them.
    const NAMED: &'static [Self];

    /// The name, as results show it.
    fn name(self) -> &'static str;

    /// The function of a name.
    fn named(name: &str) -> Option<Self> {
        Self::NAMED.iter().copied().find(|function| function.name() == name)
    }

    /// The names.
    fn names<'n>() -> impl Iterator<Item = &'n str> {
        Self::NAMED.iter().map(|function| -> &str { function.name() })
    }
}
