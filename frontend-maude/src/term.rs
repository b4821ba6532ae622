//! Terms and statements whose operators are known by name and sorts, so that they can be renamed and used in any module
//! that has these operators.

use std::sync::Arc;

use gchr_base::hash::HashSet;
use gchr_base::op::Op;
use gchr_base::rule::Const;
use gchr_base::source::Span;
use num_bigint::BigInt;

use crate::syntax::{EquationKind, TypeName};

/// Different variables with their sorts and first places, in the order in which they were found.
#[derive(Default)]
pub(crate) struct Variables<'t> {
    all: Vec<(&'t Arc<str>, &'t TypeName, Span)>,
    known: HashSet<(&'t Arc<str>, &'t TypeName)>,
}

impl<'t> Variables<'t> {
    /// Whether a variable is one of them.
    pub fn has(&self, name: &'t Arc<str>, of: &'t TypeName) -> bool {
        self.known.contains(&(name, of))
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &(&'t Arc<str>, &'t TypeName, Span)> {
        self.all.iter()
    }
}

/// An operator: its name and the sorts of one of its declarations.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct OpKey {
    pub name: Arc<str>,
    pub domain: Vec<TypeName>,
    pub range: TypeName,
}

/// A term.
#[derive(Clone, Debug)]
pub(crate) struct Term {
    pub kind: TermKind,
    pub span: Span,
}

/// Shape of a [`Term`].
#[derive(Clone, Debug)]
pub(crate) enum TermKind {
    Var(Arc<str>, TypeName),
    App(Arc<OpKey>, Vec<Term>),
    /// A unary operator so many times.
    Repeat(Arc<OpKey>, u32, Box<Term>),
    Number(BigInt),
    /// A quoted identifier or a string, with its sort.
    Text(Arc<str>, TypeName),
    /// A constant of a sort that is built in, in rules of another language.
    Value(Const, TypeName),
    /// An operation that is built in, with the sort of its result, in such rules.
    Operation(Op, Vec<Term>, TypeName),
    Special(Special, Vec<Term>),
    /// Whether a term has a sort.
    HasSort(Box<Term>, TypeName),
}

/// Operators on terms of any one kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Special {
    Equal,
    Differ,
    If,
}

/// A condition of an equation.
#[derive(Clone, Debug)]
pub(crate) enum Condition {
    /// The normal forms of both sides are equal.
    Equal(Term, Term),
    /// The normal form of the second one matches the first one.
    Match(Term, Term),
    HasSort(Term, TypeName),
    /// A truth value.
    Holds(Term),
}

/// An equation or a membership.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub kind: EquationKind,
    pub left: Term,
    /// Of an equation.
    pub right: Option<Term>,
    /// Of a membership.
    pub sort: Option<TypeName>,
    pub conditions: Vec<Condition>,
    pub otherwise: bool,
    pub span: Span,
}

impl Condition {
    /// Its terms.
    pub fn terms(&self) -> impl Iterator<Item = &Term> {
        let (first, second) = match self {
            Condition::Equal(a, b) | Condition::Match(a, b) => (a, Some(b)),
            Condition::HasSort(term, _) | Condition::Holds(term) => (term, None),
        };
        std::iter::once(first).chain(second)
    }
}

impl Term {
    /// The terms right below this one.
    pub fn children(&self) -> &[Term] {
        match &self.kind {
            TermKind::Var(..) | TermKind::Number(_) | TermKind::Text(..) | TermKind::Value(..) => &[],
            TermKind::App(_, args) | TermKind::Special(_, args) | TermKind::Operation(_, args, _) => args,
            TermKind::Repeat(_, _, arg) | TermKind::HasSort(arg, _) => std::slice::from_ref(&**arg),
        }
    }

    /// Whether it is written as another term is, wherever that stands.
    pub fn is_same(&self, other: &Term) -> bool {
        let root = match (&self.kind, &other.kind) {
            (TermKind::Var(a, of_a), TermKind::Var(b, of_b)) => a == b && of_a == of_b,
            (TermKind::App(a, _), TermKind::App(b, _)) => a.name == b.name,
            (TermKind::Repeat(a, m, _), TermKind::Repeat(b, n, _)) => a.name == b.name && m == n,
            (TermKind::Number(a), TermKind::Number(b)) => a == b,
            (TermKind::Text(a, _), TermKind::Text(b, _)) => a == b,
            (TermKind::Value(a, _), TermKind::Value(b, _)) => a == b,
            (TermKind::Operation(a, ..), TermKind::Operation(b, ..)) => a == b,
            _ => false,
        };
        let (left, right) = (self.children(), other.children());
        root && left.len() == right.len() && left.iter().zip(right).all(|(a, b)| a.is_same(b))
    }

    /// Its variables, in order of first occurrence.
    pub fn variables<'t>(&'t self, found: &mut Variables<'t>) {
        let mut todo = vec![self];
        while let Some(term) = todo.pop() {
            if let TermKind::Var(name, of) = &term.kind
                && found.known.insert((name, of))
            {
                found.all.push((name, of, term.span));
            }
            todo.extend(term.children().iter().rev());
        }
    }

    /// The same with other terms in the place of some: what `replace` gives is not looked into.
    pub fn with(&self, replace: &dyn Fn(&Term) -> Option<Term>) -> Term {
        if let Some(other) = replace(self) {
            return other;
        }
        let all = |args: &[Term]| args.iter().map(|arg| arg.with(replace)).collect();
        let one = |arg: &Term| Box::new(arg.with(replace));
        let kind = match &self.kind {
            TermKind::Var(..) | TermKind::Number(_) | TermKind::Text(..) | TermKind::Value(..) => {
                self.kind.clone()
            }
            TermKind::Operation(op, args, of) => TermKind::Operation(*op, all(args), of.clone()),
            TermKind::App(key, args) => TermKind::App(key.clone(), all(args)),
            TermKind::Repeat(key, count, arg) => TermKind::Repeat(key.clone(), *count, one(arg)),
            TermKind::Special(special, args) => TermKind::Special(*special, all(args)),
            TermKind::HasSort(arg, of) => TermKind::HasSort(one(arg), of.clone()),
        };
        Term { kind, span: self.span }
    }

    /// The same with other names of sorts and operators.
    pub fn map(&self, names: &dyn Names) -> Term {
        let op = |key: &Arc<OpKey>| Arc::new(names.op(key));
        let all = |args: &[Term]| args.iter().map(|arg| arg.map(names)).collect();
        let kind = match &self.kind {
            TermKind::Var(name, of) => TermKind::Var(name.clone(), names.type_name(of)),
            TermKind::App(key, args) => {
                let args: Vec<Term> = all(args);
                if let Some(term) = names.instead(key, &args) {
                    return term;
                }
                TermKind::App(op(key), args)
            }
            TermKind::Repeat(key, count, arg) => {
                let mut arg = arg.map(names);
                if names.instead(key, std::slice::from_ref(&arg)).is_none() {
                    let kind = TermKind::Repeat(op(key), *count, Box::new(arg));
                    return Term { kind, span: self.span };
                }
                for _ in 0..*count {
                    arg = names.instead(key, std::slice::from_ref(&arg)).unwrap_or(arg);
                }
                return arg;
            }
            TermKind::Number(number) => TermKind::Number(number.clone()),
            TermKind::Text(text, of) => TermKind::Text(text.clone(), names.type_name(of)),
            TermKind::Value(value, of) => TermKind::Value(*value, names.type_name(of)),
            TermKind::Operation(op, args, of) => TermKind::Operation(*op, all(args), names.type_name(of)),
            TermKind::Special(special, args) => TermKind::Special(*special, all(args)),
            TermKind::HasSort(arg, of) => TermKind::HasSort(Box::new(arg.map(names)), names.type_name(of)),
        };
        Term { kind, span: self.span }
    }
}

/// Other names for sorts and operators.
pub(crate) trait Names {
    fn type_name(&self, of: &TypeName) -> TypeName;
    fn op(&self, key: &OpKey) -> OpKey;
    /// The term that stands in the place of an application, if an operator has become one.
    fn instead(&self, _key: &OpKey, _args: &[Term]) -> Option<Term> {
        None
    }
}

impl Condition {
    /// The same with other terms.
    pub fn map(&self, other: &dyn Fn(&Term) -> Term) -> Condition {
        match self {
            Condition::Equal(a, b) => Condition::Equal(other(a), other(b)),
            Condition::Match(a, b) => Condition::Match(other(a), other(b)),
            Condition::HasSort(a, of) => Condition::HasSort(other(a), of.clone()),
            Condition::Holds(a) => Condition::Holds(other(a)),
        }
    }
}

impl Rule {
    /// The same with other names of sorts and operators.
    pub fn map(&self, names: &dyn Names) -> Rule {
        let condition = |condition: &Condition| match condition.map(&|term| term.map(names)) {
            Condition::HasSort(term, of) => Condition::HasSort(term, names.type_name(&of)),
            other => other,
        };
        Rule {
            kind: self.kind,
            left: self.left.map(names),
            right: self.right.as_ref().map(|right| right.map(names)),
            sort: self.sort.as_ref().map(|of| names.type_name(of)),
            conditions: self.conditions.iter().map(condition).collect(),
            otherwise: self.otherwise,
            span: self.span,
        }
    }
}
