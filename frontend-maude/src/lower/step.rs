//! What a search for a match is made of: steps, what they leave, and what is known before them.

use super::*;
use crate::term::Condition;

/// Values that are known, with their sorts.
pub(super) type Env = Vec<(Key, SortId)>;

/// One search.
pub(super) struct Search {
    pub wanted: Env,
    pub sort: SortId,
    pub some: SymbolId,
    pub none: SymbolId,
    pub span: Span,
}

/// What is still to be done: steps, with what is known before them.
#[derive(Clone, Copy)]
pub(super) struct Then<'s, 't> {
    pub steps: &'s [Step<'t>],
    pub env: &'s Env,
    pub search: &'s Search,
}

impl<'t> Then<'_, 't> {
    /// Further steps before these.
    pub fn after(self, first: impl IntoIterator<Item = Step<'t>>) -> Vec<Step<'t>> {
        first.into_iter().chain(self.steps.iter().cloned()).collect()
    }
}

/// A step of a search. `list`: the elements that are left.
#[derive(Clone)]
pub(super) enum Step<'t> {
    /// A value is like a pattern.
    Is(Key, &'t Term),
    Holds(&'t Condition),
    /// A value is an application of an operator with axioms; what is left of its arguments goes to some rests.
    Axioms {
        op: usize,
        subject: Key,
        term: &'t Term,
        rests: Vec<(Key, bool)>,
    },
    /// A rule leads to a term that has not been reached.
    New {
        right: &'t Term,
        extended: Option<(usize, &'t [(Key, bool)])>,
        reach: Reach,
    },
    /// Some element is like a pattern; `twice`: it and the one behind it are equal.
    Take {
        op: usize,
        list: Key,
        pattern: &'t Term,
        twice: bool,
    },
    /// The elements without a value that is among them, or without all arguments of a value.
    Without {
        op: usize,
        list: Key,
        value: &'t Term,
        all: bool,
    },
    /// Some elements are the value of a variable; `twice`: and as many others are equal to them.
    Split {
        op: usize,
        list: Key,
        var: &'t Term,
        none: bool,
        twice: bool,
    },
    /// All elements are the value of a variable.
    Rest {
        op: usize,
        list: Key,
        var: &'t Term,
        none: bool,
    },
    /// The first element is like a pattern.
    First {
        op: usize,
        list: Key,
        pattern: &'t Term,
    },
    /// The first elements are the value of a variable.
    Prefix {
        op: usize,
        list: Key,
        var: &'t Term,
        none: bool,
    },
    /// The first elements are the arguments of a value.
    Behind {
        op: usize,
        list: Key,
        value: &'t Term,
    },
    /// Some first elements are left, in reverse.
    Before {
        op: usize,
        list: Key,
        key: Key,
    },
    /// What is left is kept as a value, if there is something.
    Keep {
        op: usize,
        list: Key,
        key: Key,
    },
    Empty {
        op: usize,
        list: Key,
    },
    /// Some element of a value is like a pattern, one that is known or not; what is left of the value. `twice`: it and
    /// the one behind it are equal.
    Pick {
        op: usize,
        from: Key,
        pattern: &'t Term,
        known: bool,
        twice: bool,
        left: Left,
    },
    /// What is left of a value without one of its elements.
    Leave {
        op: usize,
        from: Key,
        taken: Key,
        left: Left,
    },
    /// Elements of a list in reverse before another list.
    Join {
        op: usize,
        seen: Key,
        rest: Key,
        list: Key,
    },
    /// The elements of a list are the value of a variable.
    Build {
        op: usize,
        elements: Key,
        var: &'t Term,
        none: bool,
        reversed: bool,
    },
}

impl<'t> Step<'t> {
    /// The terms that it is about.
    pub fn terms(&self) -> Vec<&'t Term> {
        match self {
            Step::Is(_, term)
            | Step::Axioms { term, .. }
            | Step::Take { pattern: term, .. }
            | Step::Without { value: term, .. }
            | Step::Split { var: term, .. }
            | Step::Rest { var: term, .. }
            | Step::First { pattern: term, .. }
            | Step::Prefix { var: term, .. }
            | Step::Behind { value: term, .. }
            | Step::Pick { pattern: term, .. }
            | Step::Build { var: term, .. }
            | Step::New { right: term, .. } => vec![term],
            Step::Holds(condition) => condition.terms().collect(),
            Step::Before { .. }
            | Step::Keep { .. }
            | Step::Empty { .. }
            | Step::Leave { .. }
            | Step::Join { .. } => Vec::new(),
        }
    }
}

/// Which steps there are.
#[derive(Clone, Copy)]
pub(super) enum Stepped {
    /// The first one that is found, as the argument of a symbol.
    First(SymbolId),
    /// One to a term that has not been reached.
    New(Reach),
}

/// A search for terms of a kind, at a place of another one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Reach {
    /// The kind of the value that a step is made in.
    pub kind: usize,
    /// The kind of the whole term.
    pub root: usize,
}

/// The term that a step leads to.
pub(super) const REACHED: Key = Key::Place(usize::MAX - 2);
/// What is left behind an element that is taken.
#[derive(Clone)]
pub(super) enum Left {
    /// Nothing uses it.
    Unused,
    /// Nothing uses it but a test whether it has a sort, which all applications of the operator have.
    Sorted(usize),
    /// A value; without an identity, some element must be left.
    Value(Key),
    /// A value, or nothing.
    Maybe(Key),
    /// Nothing may be left.
    Nothing,
}

/// What an argument of an associative operator may stand for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Width {
    /// One element.
    One,
    /// Several ones, and none if the identity has its sort.
    Many { none: bool },
}

/// Why nothing is like a pattern.
pub(super) struct Unmatched {
    pub span: Span,
    pub reason: &'static str,
}

/// Which argument stands for a key.
pub(super) fn position(env: &Env, key: &Key) -> usize {
    env.iter().position(|(known, _)| known == key).unwrap_or_else(|| unreachable!("it is known"))
}
