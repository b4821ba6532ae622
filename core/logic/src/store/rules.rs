//! Rules of constraints as plans: what each head looks for, and what decides whether a rule fires.

use std::rc::Rc;

use super::types::Type;
use crate::cell::{Atom, Cell};
use crate::code::{Compare, Kind, PredId};

/// One instruction of the matching of a head: cells are visited depth first.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Match {
    /// A variable of the rule that gets its value.
    First(u16),
    /// A variable that has one: the cell must be identical.
    Same(u16),
    Const(Cell),
    /// A stored term: the cell must be identical.
    Record(u32),
    List,
    Struct(Cell),
}

/// A step of the matching of a head.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Step {
    pub what: Match,
    /// Whether a variable that the constraint has there is bound to what is asked for: programs that SWI-Prolog's
    /// compiler makes unify in columns that are declared `+`, which they trust to hold no variables.
    pub binds: bool,
}

/// A head that is looked for in the store.
#[derive(Clone, Debug)]
pub(crate) struct Partner {
    pub symbol: u32,
    /// Position among the heads of the rule.
    pub head: usize,
    pub removed: bool,
    pub pattern: Vec<Step>,
    /// The index to be used, and what its columns must be equal to.
    pub lookup: Option<(usize, Vec<Match>)>,
    /// Known variables of its columns that are not ground: SWI-Prolog looks for it by the first one that is unbound.
    pub via: Vec<u16>,
}

/// A head of a rule as the one that the active constraint fills.
#[derive(Clone, Debug)]
pub(crate) struct Occurrence {
    pub rule: u32,
    pub head: usize,
    pub removed: bool,
    pub pattern: Vec<Step>,
    pub partners: Vec<Partner>,
    /// Whether what its own head binds stays bound where the rule does not fire: so it is where the active constraint
    /// stays and partners are looked for.
    pub keeps_bindings: bool,
    /// How it is tried together with its neighbours.
    pub shared: Option<Shared>,
}

/// What decides whether a rule fires.
#[derive(Clone, Debug)]
pub(crate) enum Guard {
    /// Tests that are evaluated on the spot.
    Tests(Vec<Test>),
    /// Goals: they are a part of the rule's clause, before its body.
    Goals,
}

/// A test in line.
#[derive(Clone, Debug)]
pub(crate) enum Test {
    Compare(Compare, Expr, Expr),
    Identical(Expr, Expr, bool),
    Kind(Kind, Expr),
}

/// An operand of a test.
#[derive(Clone, Debug)]
pub(crate) enum Expr {
    Slot(u16),
    Const(Cell),
    Apply(Atom, Vec<Expr>),
}

/// A rule.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub name: String,
    pub heads: usize,
    pub slots: usize,
    pub guard: Guard,
    /// The predicate with the body; its arguments are the variables of these slots, behind the activation where goals
    /// guard it.
    pub body: PredId,
    pub args: Vec<u16>,
    /// Whether the body is nothing.
    pub empty: bool,
    /// Whether combinations that fired are remembered.
    pub history: bool,
    /// The variables of goals that are a guard: those of columns that are declared `+`, and the others of heads.
    pub trusted: Vec<u16>,
    pub locked: Vec<u16>,
}

/// A place in the arguments of a constraint.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Path {
    pub column: usize,
    /// From outside to inside: the functor of a term, none for a list, and which of its arguments.
    pub inside: Vec<(Option<Cell>, usize)>,
    /// Whether the column is declared `+`: indexes do not follow variables there.
    pub trusted: bool,
}

impl Path {
    /// The path to an argument of what is there.
    pub fn below(&self, functor: Option<Cell>, argument: usize) -> Self {
        let mut inside = self.inside.clone();
        inside.push((functor, argument));
        Self { inside, ..*self }
    }
}

/// A constraint symbol.
#[derive(Clone, Debug)]
pub(crate) struct Symbol {
    pub name: Atom,
    pub arity: usize,
    /// Its module.
    pub module: Cell,
    pub occurrences: Vec<Rc<Occurrence>>,
    /// What each index knows constraints by.
    pub indexes: Vec<Vec<Path>>,
    /// Whether an argument may be unbound: then bindings wake it.
    pub open: bool,
    /// Of each column, whether a binding in it may let a rule fire: it is not declared `+`, and some head has a term
    /// there, or a variable that occurs again in the heads or is asked about in the guard.
    pub asked: Vec<bool>,
    /// Whether all active heads have variables alone where an argument may be unbound, and their guards ask about none
    /// of them: then SWI-Prolog does not wake it when a variable that it holds stays and another one is bound to that.
    pub partial: bool,
    /// Types of the columns, for those that have one.
    pub types: Vec<Option<Type>>,
}

/// The place of an occurrence among those that are tried together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Shared {
    /// Which one it is.
    pub index: usize,
    /// How many there are.
    pub len: usize,
    /// Partners that it has in common with those before it; the first one with the second one.
    pub depth: usize,
    /// The same of the next one; none for the last.
    pub next: usize,
}
