//! The result of a program.

use std::num::NonZeroUsize;

use gchr_base::ids::IdVec;
use gchr_base::signature::ConstraintId;
use gchr_constraints::exec::Store;
use gchr_terms::exec::NormalForm;

/// The result of a program.
#[derive(Debug)]
pub enum Answer {
    /// Of a term program.
    NormalForm(NormalForm),
    /// Of a constraint program: the final store.
    Store(Store),
    /// Of a constraint program of which [only sizes](crate::CompileOptions::only_sizes) were asked for: how many
    /// constraints of each symbol the final store has.
    Sizes(IdVec<ConstraintId, u64>),
    /// Of a program of the logic machine.
    Logic(LogicAnswers),
}

impl Answer {
    /// How many cells a normal form has: takes as long as to go through all of them.
    pub(crate) fn count_cells(&mut self, threads: NonZeroUsize) -> Option<u64> {
        match self {
            Answer::NormalForm(normal_form) => Some(normal_form.count_cells(threads)),
            Answer::Store(_) | Answer::Sizes(_) | Answer::Logic(_) => None,
        }
    }

    /// The exit code that the program asked for by `halt/1`.
    pub fn halted(&self) -> Option<u8> {
        match self {
            Answer::Logic(found) => found.halted.map(|code| code as u8),
            Answer::NormalForm(_) | Answer::Store(_) | Answer::Sizes(_) => None,
        }
    }
}

/// What the logic machine found.
#[derive(Debug)]
pub struct LogicAnswers {
    /// Answers in the order in which they were found, but for those that were written then.
    pub answers: Vec<gchr_logic::Answer>,
    /// Whether there may be more.
    pub more: bool,
    /// The code with which the program called `halt/1`.
    pub halted: Option<i32>,
    /// Whether more than one was asked for: tables say then which answer a row is of.
    pub several: bool,
}

/// How many constraints there are of each symbol: name, number of arguments, how many.
pub(crate) type Counts = Vec<(String, usize, usize)>;

/// How many constraints a result has.
pub(crate) enum Sizes {
    /// In all.
    Total(Counts),
    /// In each answer, where several were asked for.
    ByAnswer(Vec<Counts>),
}

impl Sizes {
    /// All counts, with the number of the answer that they are of.
    pub(crate) fn numbered(&self) -> impl Iterator<Item = (Option<i64>, &(String, usize, usize))> {
        let (all, several) = match self {
            Sizes::Total(counts) => (std::slice::from_ref(counts), false),
            Sizes::ByAnswer(all) => (all.as_slice(), true),
        };
        (1..).zip(all).flat_map(move |(number, counts)| {
            counts.iter().map(move |count| (several.then_some(number), count))
        })
    }
}

/// An answer, and its number from 1 where several were asked for.
pub(crate) type Numbered<'a> = (Option<i64>, &'a gchr_logic::Answer);

impl LogicAnswers {
    /// The answers with their numbers.
    pub(crate) fn numbered(&self) -> impl Iterator<Item = Numbered<'_>> {
        (1..).zip(&self.answers).map(|(number, answer)| (self.several.then_some(number), answer))
    }
}

/// What there was when a run was stopped: the store of a constraint program, or normal forms of some terms.
#[derive(Debug)]
pub enum Left {
    /// A ground store.
    Store(Store),
    /// The store of the logic machine: an answer without bindings.
    Logic(Box<gchr_logic::Answer>),
    /// So many constraints of the logic machine, whose text takes more than the limits allow.
    Untold(usize),
    /// What several terms came to that were evaluated together.
    Terms(Box<gchr_terms::exec::Results>),
}

impl Left {
    /// How many constraints, or normal forms, there were.
    pub fn len(&self) -> usize {
        match self {
            Left::Store(store) => store.len(),
            Left::Logic(answer) => answer.store.len(),
            Left::Untold(number) => *number,
            Left::Terms(results) => results.done(),
        }
    }
    /// Whether they can be shown.
    pub fn is_told(&self) -> bool {
        !matches!(self, Left::Untold(_))
    }
    /// Whether there were none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
