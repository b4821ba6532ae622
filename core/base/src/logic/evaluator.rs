//! What a frontend asks of the logic machine while it reads a text: goals, solved by the clauses that were read so far.

use super::{LogicProgram, ReadTerm};
use crate::source::Span;

/// Why a goal has no answer although it does not fail.
#[derive(Clone, Debug)]
pub struct Unsolved {
    /// What happened.
    pub message: String,
    /// Where, as far as that is known.
    pub place: Option<Span>,
    /// Whether a limit or a signal stopped it, so that further goals are not worth while.
    pub stopped: bool,
}

/// Solves goals while a text is read.
pub trait Evaluator {
    /// Forgets all clauses: a text is read from its beginning.
    fn begin(&mut self);
    /// Adds clauses, and runs the directives with them.
    fn consult(&mut self, part: &LogicProgram) -> Result<(), Unsolved>;
    /// The value of a variable in the first answer of the only query of a program; `None` where the query fails.
    fn solve(&mut self, query: &LogicProgram, variable: &str) -> Result<Option<ReadTerm>, Unsolved>;
    /// What goals wrote since this was asked last.
    fn written(&mut self) -> String;
}

/// Where nothing runs while a text is read.
#[derive(Clone, Copy, Default, Debug)]
pub struct NoEvaluator;

impl Evaluator for NoEvaluator {
    fn begin(&mut self) {}
    fn consult(&mut self, _: &LogicProgram) -> Result<(), Unsolved> {
        Ok(())
    }
    fn solve(&mut self, _: &LogicProgram, _: &str) -> Result<Option<ReadTerm>, Unsolved> {
        let message = "no goals run while the text is read".into();
        Err(Unsolved { message, place: None, stopped: true })
    }
    fn written(&mut self) -> String {
        String::new()
    }
}
