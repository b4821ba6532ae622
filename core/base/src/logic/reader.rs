//! What the logic machine asks of a frontend while a program runs: terms from text (`read_term/2`, `term_to_atom/2`).

use super::{Flags, LogicTermId, Operators, Terms, Variable};

/// A term that was read.
#[derive(Clone, Debug)]
pub struct ReadTerm {
    /// The table that holds it. Spans have no meaning.
    pub terms: Terms,
    /// The term; `None` where only white space and comments are left.
    pub term: Option<LogicTermId>,
    /// Its variables.
    pub variables: Vec<Variable>,
    /// The byte behind what was read: behind the full stop.
    pub end: usize,
}

/// Why a text is no term.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SyntaxError {
    /// What is wrong, as SWI-Prolog names it where it has a name: `operator_expected`, `end_of_file`.
    pub message: String,
    /// The byte where it is.
    pub at: usize,
    /// The byte behind the clause, where reading may go on.
    pub end: usize,
}

/// Reads terms from text.
pub trait Reader: Send + Sync {
    /// Reads the next term of `text` from the byte `at` on. It ends with a full stop or, where there is none, with the
    /// text.
    fn read(
        &self,
        text: &str,
        at: usize,
        operators: &Operators,
        flags: &Flags,
    ) -> Result<ReadTerm, SyntaxError>;
}
