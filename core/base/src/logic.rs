//! The input of the logic machine: a program of clauses, constraint rules and goals over untyped terms with places,
//! the reader that the machine calls while a program runs, and the evaluator that a frontend calls while it reads one.
//!
//! A frontend makes a [`LogicProgram`]; the machine (`gchr-logic`) executes it. Module qualifiers, included files and
//! grammar rules are resolved by the frontend: here is one name space of predicates and one sequence of clauses.

mod evaluator;
mod operators;
mod reader;
mod terms;

pub use evaluator::{Evaluator, NoEvaluator, Unsolved};
pub use operators::{Fixity, OpDef, Operators, right_limit};
pub use reader::{ReadTerm, Reader, SyntaxError};
pub use terms::{CONS, LogicNode, LogicTermId, Rational, Terms, VarId, Variable};

use std::sync::Arc;

use crate::source::Span;

/// Name and number of arguments of a predicate, a constraint or a compound term.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Functor {
    /// The name.
    pub name: Arc<str>,
    /// The number of arguments.
    pub arity: usize,
}

impl std::fmt::Display for Functor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.name, self.arity)
    }
}

/// How an argument of a constraint is used.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Mode {
    /// `+`: ground when the constraint is added.
    Ground,
    /// `-`: a variable when the constraint is added.
    Free,
    /// `?`: anything.
    #[default]
    Any,
}

/// A column of a constraint.
#[derive(Clone, Debug)]
pub struct Column {
    /// Its mode.
    pub mode: Mode,
    /// Its type as a term (`int`, `list(any)`), if it has one.
    pub ty: Option<LogicTermId>,
}

/// A declared constraint symbol.
#[derive(Clone, Debug)]
pub struct ConstraintDeclaration {
    /// Its name.
    pub name: Arc<str>,
    /// Its columns.
    pub columns: Vec<Column>,
    /// Its module, if that is not the one of the program itself.
    pub module: Option<Arc<str>>,
    /// Where it is declared.
    pub span: Span,
}

/// `Head ---> A ; B` or `Head == Other`. Parameters are variables.
#[derive(Clone, Debug)]
pub struct TypeDefinition {
    /// The type that is defined.
    pub head: LogicTermId,
    /// What it is.
    pub body: TypeBody,
    /// Its parameters and other variables.
    pub variables: Vec<Variable>,
    /// Where it is defined.
    pub span: Span,
}

/// The right side of a type definition.
#[derive(Clone, Debug)]
pub enum TypeBody {
    /// One of these terms, whose arguments are types.
    Alternatives(Vec<LogicTermId>),
    /// Another name for a type.
    Alias(LogicTermId),
}

/// A clause `head :- body`; the body of a fact is the atom `true`.
#[derive(Clone, Debug)]
pub struct Clause {
    /// The head: an atom or a compound term.
    pub head: LogicTermId,
    /// The goal that must hold.
    pub body: LogicTermId,
    /// Its variables.
    pub variables: Vec<Variable>,
    /// Place in the source, final full stop included.
    pub span: Span,
}

/// A head of a rule.
#[derive(Clone, Debug)]
pub struct RuleHead {
    /// The constraint.
    pub constraint: LogicTermId,
    /// The variable after `#`, if there is one.
    pub id: Option<VarId>,
    /// Whether it is passive: only constraints that are active elsewhere take part here.
    pub passive: bool,
}

/// A rule of Constraint Handling Rules. A propagation rule has no removed heads, a simplification rule no kept ones.
#[derive(Clone, Debug)]
pub struct ConstraintRule {
    /// What stands before `@`, as text.
    pub name: Option<Arc<str>>,
    /// Heads that stay.
    pub kept: Vec<RuleHead>,
    /// Heads that are removed.
    pub removed: Vec<RuleHead>,
    /// The guard; the atom `true` where there is none.
    pub guard: LogicTermId,
    /// The body.
    pub body: LogicTermId,
    /// Whether it may fire again for the constraints that it fired for (`pragma no_history`).
    pub no_history: bool,
    /// Its variables.
    pub variables: Vec<Variable>,
    /// Place in the source.
    pub span: Span,
}

/// A goal to run: an initialization or a query.
#[derive(Clone, Debug)]
pub struct Goal {
    /// The goal.
    pub goal: LogicTermId,
    /// Its variables; those with names are part of an answer.
    pub variables: Vec<Variable>,
    /// Place in the source.
    pub span: Span,
}

/// What text in quotes stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum QuotedText {
    /// A string.
    Str,
    /// The list of its character codes.
    Codes,
    /// The list of its characters.
    Chars,
    /// An atom.
    Atom,
}

/// What a call of a predicate without clauses does (`set_prolog_flag(unknown, ...)`).
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Unknown {
    /// It raises an existence error.
    #[default]
    Error,
    /// It fails.
    Fail,
}

/// What unification does where a variable occurs in the term that it is unified with.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum OccursCheck {
    /// It makes a cyclic term.
    #[default]
    False,
    /// It fails.
    True,
    /// It raises an error.
    Error,
}

/// Flags of Prolog that change what programs mean, as they are at the end of the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Flags {
    /// `double_quotes`.
    pub double_quotes: QuotedText,
    /// `back_quotes`.
    pub back_quotes: QuotedText,
    /// `unknown`.
    pub unknown: Unknown,
    /// `occurs_check`.
    pub occurs_check: OccursCheck,
    /// `chr_toplevel_show_store`: whether answers show the store.
    pub show_store: bool,
    /// Whether guards may bind variables of heads (the option `check_guard_bindings` is off).
    pub guards_bind: bool,
    /// Whether the rules may be debugged: the options `debug, off` and `optimize, full` say no, which changes the
    /// order in which SWI-Prolog finds partners.
    pub debug: bool,
    /// The modules of the program: constraints called `module:name` are shown without the module.
    pub modules: Vec<Arc<str>>,
    /// Modules that are there and see that attributes of constraints are not shown: theirs are not shown either where
    /// nothing says how.
    pub hidden: Vec<Arc<str>>,
}

impl Default for Flags {
    fn default() -> Self {
        Self {
            double_quotes: QuotedText::Str,
            back_quotes: QuotedText::Codes,
            unknown: Unknown::Error,
            occurs_check: OccursCheck::False,
            show_store: true,
            guards_bind: false,
            debug: true,
            modules: Vec::new(),
            hidden: Vec::new(),
        }
    }
}

/// A program of clauses and rules. All ids of terms point into `terms`; variables are numbered from 0 in each clause,
/// rule, type and goal.
#[derive(Clone, Default, Debug)]
pub struct LogicProgram {
    /// All terms.
    pub terms: Terms,
    /// Declared constraint symbols.
    pub constraints: Vec<ConstraintDeclaration>,
    /// Type definitions.
    pub types: Vec<TypeDefinition>,
    /// Rules in textual order.
    pub rules: Vec<ConstraintRule>,
    /// Clauses in textual order; those of one predicate need not be together.
    pub clauses: Vec<Clause>,
    /// Predicates that are declared dynamic.
    pub dynamic: Vec<Functor>,
    /// Flags.
    pub flags: Flags,
    /// Operators at the end of the text.
    pub operators: Operators,
    /// Goals of `:- initialization(G)`, and of directives `:- G` that are goals: run once each, before the queries.
    pub initialization: Vec<Goal>,
    /// Queries, run one after the other on one store.
    pub queries: Vec<Goal>,
}
