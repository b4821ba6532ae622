//! Untyped terms with places, in a table: a child is always made before its parent, so that nothing recurses over the
//! depth of a text.

use std::sync::Arc;

use num_bigint::BigInt;

use crate::define_id;
use crate::ids::IdVec;
use crate::source::Span;

define_id!(
    /// A term of a [`Terms`].
    LogicTermId, "t"
);

define_id!(
    /// A variable of one clause, rule, goal or term that was read.
    VarId, "v"
);

/// A variable as its text names it.
#[derive(Clone, PartialEq, Debug)]
pub struct Variable {
    /// Its name; `None` for an anonymous one (`_`).
    pub name: Option<Arc<str>>,
    /// How often it occurs.
    pub occurrences: u32,
}

/// A rational number as it is written, `1r3`: not always in lowest terms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rational {
    /// The number above the line, with the sign.
    pub numerator: BigInt,
    /// The number below it, which is positive.
    pub denominator: BigInt,
}

impl std::fmt::Display for Rational {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}r{}", self.numerator, self.denominator)
    }
}

/// Shape of a term.
#[derive(Clone, PartialEq, Debug)]
pub enum LogicNode {
    /// A variable.
    Var(VarId),
    /// An integer of a machine word.
    Int(i64),
    /// An integer that needs more.
    Big(Arc<BigInt>),
    /// A rational number.
    Rational(Arc<Rational>),
    /// A float.
    Float(f64),
    /// An atom.
    Atom(Arc<str>),
    /// `[]`, which is no atom that has a name of that text: `'[]'` is another one.
    Nil,
    /// A string.
    Str(Arc<str>),
    /// A functor with at least one argument. Operators are functors; a list cell is `'[|]'(Head, Tail)`, `{T}` is
    /// `{}(T)`.
    Compound {
        /// Name of the functor.
        name: Arc<str>,
        /// Arguments.
        args: Box<[LogicTermId]>,
    },
}

/// Name of the functor of list cells.
pub const CONS: &str = "[|]";

/// A table of terms.
#[derive(Clone, Default, Debug)]
pub struct Terms {
    nodes: IdVec<LogicTermId, LogicNode>,
    spans: Vec<Span>,
}

impl Terms {
    /// Adds a term whose parts are in the table.
    pub fn push(&mut self, node: LogicNode, span: Span) -> LogicTermId {
        self.spans.push(span);
        self.nodes.push(node)
    }
    /// Adds a list cell.
    pub fn cons(&mut self, head: LogicTermId, tail: LogicTermId, span: Span) -> LogicTermId {
        self.push(LogicNode::Compound { name: CONS.into(), args: [head, tail].into() }, span)
    }
    /// Adds an atom.
    pub fn atom(&mut self, name: &str, span: Span) -> LogicTermId {
        self.push(LogicNode::Atom(name.into()), span)
    }
    /// The shape of a term.
    pub fn node(&self, id: LogicTermId) -> &LogicNode {
        &self.nodes[id]
    }
    /// The place of a term.
    pub fn span(&self, id: LogicTermId) -> Span {
        self.spans[id.0 as usize]
    }
    /// How many terms there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
    /// Name and arguments of an atom or a compound term; `[]` has the name `[]`.
    pub fn functor(&self, id: LogicTermId) -> Option<(&str, &[LogicTermId])> {
        match self.node(id) {
            LogicNode::Atom(name) => Some((name, &[])),
            LogicNode::Nil => Some(("[]", &[])),
            LogicNode::Compound { name, args } => Some((name, args)),
            _ => None,
        }
    }
    /// The two arguments of the compound term `name(left, right)`.
    pub fn binary(&self, id: LogicTermId, functor: &str) -> Option<(LogicTermId, LogicTermId)> {
        match self.functor(id) {
            Some((name, &[left, right])) if name == functor => Some((left, right)),
            _ => None,
        }
    }
}
