//! Terms whose sorts and symbols are known.

use gchr_base::hash::{HashMap, HashSet};
use gchr_base::source::Span;
use num_bigint::BigInt;
use std::sync::Arc;

use crate::types::Type;

/// A variable of one equation.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub name: Arc<str>,
    pub ty: Type,
    pub span: Span,
}

/// A symbol, and what the parameters of its sort stand for.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Callee {
    pub symbol: usize,
    pub params: Vec<Type>,
}

/// A term.
#[derive(Clone, Debug)]
pub(crate) struct Term {
    pub kind: Kind,
    pub ty: Type,
    pub span: Span,
}

/// Shape of a [`Term`].
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Var(usize),
    Number(BigInt),
    /// A symbol with all its arguments.
    Call(Callee, Vec<Term>),
    /// A symbol without its arguments.
    Value(Callee),
    /// A function that is a value, with arguments.
    Apply(Box<Term>, Vec<Term>),
    Lambda(Vec<usize>, Box<Term>),
    Where(Vec<(usize, Term)>, Box<Term>),
    /// `forall` or `exists` over one variable.
    Quantifier {
        all: bool,
        var: usize,
        body: Box<Term>,
        /// The text, for one that is not evaluated.
        shown: Arc<str>,
    },
}

/// An equation.
#[derive(Clone, Debug)]
pub(crate) struct Equation {
    pub vars: Vec<Variable>,
    /// Variables that stand for numbers at least so large.
    pub least: Vec<(usize, i64)>,
    pub condition: Option<Term>,
    pub left: Term,
    pub right: Term,
    pub span: Span,
}

impl Term {
    /// The terms right below this one.
    pub fn children(&self) -> Vec<&Term> {
        match &self.kind {
            Kind::Var(_) | Kind::Number(_) | Kind::Value(_) => Vec::new(),
            Kind::Call(_, args) => args.iter().collect(),
            Kind::Apply(head, args) => std::iter::once(&**head).chain(args).collect(),
            Kind::Lambda(_, body) | Kind::Quantifier { body, .. } => vec![body],
            Kind::Where(bindings, body) => {
                bindings.iter().map(|(_, value)| value).chain(std::iter::once(&**body)).collect()
            }
        }
    }

    /// Its variables that are not bound in it, in order of first occurrence. Each variable is bound at one place.
    pub fn free(terms: &[&Term]) -> Vec<usize> {
        let (mut found, mut seen, mut bound) = (Vec::new(), HashSet::default(), HashSet::default());
        let mut todo: Vec<&Term> = terms.iter().rev().copied().collect();
        while let Some(term) = todo.pop() {
            match &term.kind {
                Kind::Var(var) if seen.insert(*var) => found.push((*var, term.span)),
                Kind::Lambda(vars, _) => bound.extend(vars.iter().copied()),
                Kind::Where(bindings, _) => bound.extend(bindings.iter().map(|(var, _)| *var)),
                Kind::Quantifier { var, .. } => {
                    bound.insert(*var);
                }
                _ => {}
            }
            todo.extend(term.children().into_iter().rev());
        }
        found.into_iter().map(|(var, _)| var).filter(|var| !bound.contains(var)).collect()
    }

    /// With terms in place of all its variables; `None` where it binds some itself, or has others.
    pub fn with_values(&self, values: &HashMap<usize, &Term>) -> Option<Term> {
        let kind = match &self.kind {
            Kind::Var(var) => return values.get(var).map(|&value| value.clone()),
            Kind::Number(_) | Kind::Value(_) => self.kind.clone(),
            Kind::Call(callee, args) => {
                let args: Option<Vec<Term>> = args.iter().map(|arg| arg.with_values(values)).collect();
                Kind::Call(callee.clone(), args?)
            }
            Kind::Apply(head, args) => {
                let args: Option<Vec<Term>> = args.iter().map(|arg| arg.with_values(values)).collect();
                Kind::Apply(Box::new(head.with_values(values)?), args?)
            }
            Kind::Lambda(..) | Kind::Where(..) | Kind::Quantifier { .. } => return None,
        };
        Some(Term { kind, ty: self.ty.clone(), span: self.span })
    }

    /// The first place of a variable.
    pub fn place_of(&self, var: usize) -> Option<Span> {
        let mut todo = vec![self];
        while let Some(term) = todo.pop() {
            if matches!(term.kind, Kind::Var(found) if found == var) {
                return Some(term.span);
            }
            todo.extend(term.children().into_iter().rev());
        }
        None
    }
}
