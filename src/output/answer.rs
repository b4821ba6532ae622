//! The result of a program.

use gchr_constraints::exec::Store;
use gchr_terms::exec::NormalForm;

/// The result of a program.
#[derive(Debug)]
pub enum Answer {
    /// Of a term program.
    NormalForm(NormalForm),
    /// Of a constraint program: the final store.
    Store(Store),
    /// Of a program of the logic machine.
    Logic(LogicAnswers),
}

/// What the logic machine found.
#[derive(Debug)]
pub struct LogicAnswers {
    /// Answers in the order in which they were found.
    pub answers: Vec<gchr_logic::Answer>,
    /// Whether there may be more.
    pub more: bool,
    /// The code with which the program called `halt/1`.
    pub halted: Option<i32>,
}
