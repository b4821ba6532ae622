//! Heads and equations of the topology scheduler: a term program with conditions, repeated variables and built-in
//! operators lowered to rules that one thread can try on one term slot.
//!
//! Rules that need the value of a condition before they apply are split: the redex first becomes a *continuation*, a
//! head of its own that holds the condition's term beside the redex's arguments; when the condition is in normal form
//! the continuation applies the rule or goes on with the rules behind it, and so it does for a redex that the rule's
//! pattern does not match. Lazy `&&` and `||` are continuations too. These steps are not rule applications. Arithmetic
//! on numbers that are at hand is computed within the step; everything else is a term with an operator as its head.
//!
//! What is evaluated once by the plan of terms is evaluated once here: the subterms of one condition, and those of one
//! right-hand side. So both count the same rule applications.

mod graph;
mod lower;

use gchr_base::define_id;
use gchr_base::hash::HashMap;
use gchr_base::ids::IdVec;
use gchr_base::op::Op;
use gchr_base::rule::{Program, RuleId, VarId};
use gchr_base::signature::{SortId, SymbolId};

use gchr_runtime::codegen::Site;

pub use graph::{Graph, Node, NodeId, Ref};

define_id!(
    /// What a term slot can have at its head.
    HeadId, "head"
);

/// A head.
#[derive(Clone, PartialEq, Debug)]
pub struct Head {
    /// Name in generated code and reports.
    pub name: String,
    /// What it stands for.
    pub kind: HeadKind,
    /// Number of argument slots.
    pub arity: usize,
    /// Equations in the order in which they are tried.
    pub equations: Vec<Equation>,
    /// An application that no equation rewrites is a run-time error: its sort has only numbers as values.
    pub numeric: bool,
}

impl Head {
    /// Whether its applications are rewritten by a built-in step, which waits for all arguments.
    pub fn is_builtin(&self) -> bool {
        matches!(self.kind, HeadKind::Operator { .. } | HeadKind::Same | HeadKind::All)
    }
}

/// What a [`Head`] stands for.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum HeadKind {
    /// No term: the slot is free. Always head 0.
    Free,
    /// A symbol of the program.
    Symbol(SymbolId),
    /// An integer; its 64 bits lie in place of the arguments.
    Int,
    /// A float; its 64 bits lie in place of the arguments.
    Float,
    /// A continuation, or another head of a step that is no rule application.
    Continuation,
    /// A built-in operator waiting for its operands, which are numbers.
    Operator {
        /// The operator.
        op: Op,
        /// Sort of the operands.
        sort: SortId,
        /// Where it is written, for run-time errors.
        site: Site,
    },
    /// Structural equality of two terms.
    Same,
    /// Conjunction of so many truth values.
    All,
}

/// One way to rewrite a term with a given head.
#[derive(Clone, PartialEq, Debug)]
pub struct Equation {
    /// One pattern an argument.
    pub patterns: Vec<Pattern>,
    /// Scalar tests that must hold, as nodes of the graph.
    pub tests: Vec<NodeId>,
    /// What the term becomes.
    pub result: EquationResult,
    /// Everything that tests and result build or compute.
    pub graph: Graph,
    /// Whether it counts as a rule application.
    pub counted: bool,
    /// The rule that it comes from; `None` for steps of the start term and of repeated symbols.
    pub rule: Option<RuleId>,
}

/// What a rewritten term becomes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EquationResult {
    /// The term that the reference stands for.
    Term(Ref),
    /// The application of this head to the redex's own arguments from the given one on; no rule applies to it: a normal
    /// form, or a run-time error when the head is [numeric](Head::numeric).
    Stuck {
        /// The defined symbol.
        head: HeadId,
        /// First argument.
        skip: usize,
    },
    /// A run-time error: the first arguments of the redex are no operands of this operator.
    TypeError {
        /// The operator.
        op: Op,
        /// Where it is written.
        site: Site,
        /// So many arguments are its operands.
        operands: usize,
    },
}

/// A linear pattern.
#[derive(Clone, PartialEq, Debug)]
pub enum Pattern {
    /// Anything; its head is not looked at.
    Any,
    /// Anything, bound to a variable.
    Bind(VarId),
    /// A term with this head.
    App(HeadId, Vec<Pattern>),
    /// An integer with this value.
    Int(i64),
    /// A float with these bits.
    Float(u64),
}

impl Pattern {
    /// Whether matching it reads the slot it is matched against.
    pub fn inspects(&self) -> bool {
        !matches!(self, Pattern::Any | Pattern::Bind(_))
    }
}

/// The whole system.
#[derive(Clone, PartialEq, Debug)]
pub struct System {
    /// Heads; 0 is [`HeadKind::Free`].
    pub heads: IdVec<HeadId, Head>,
    /// `true`.
    pub true_head: HeadId,
    /// `false`.
    pub false_head: HeadId,
    /// Head of integers.
    pub int_head: HeadId,
    /// Head of floats.
    pub float_head: HeadId,
    /// Head of structural equality.
    pub same_head: HeadId,
    /// Head of conjunctions.
    pub all_head: HeadId,
    /// Head of each symbol of the signature, by its position.
    pub symbol_heads: Vec<HeadId>,
    /// Heads of the operators of the start term, by operator and sort of the operands.
    pub start_heads: HashMap<(Op, SortId), HeadId>,
    /// Largest number of argument slots, at least 2 (a 64-bit number takes two).
    pub max_arity: usize,
}

impl System {
    /// Lowers a term program.
    pub fn new(program: &Program) -> Self {
        lower::lower(program)
    }
    /// Whether a term with this head is rewritten by an equation or a built-in step.
    pub fn is_active(&self, head: HeadId) -> bool {
        let head = &self.heads[head];
        head.is_builtin() || head.numeric || !head.equations.is_empty()
    }
}
