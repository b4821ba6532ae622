//! Expressions of a rule that become a function of their own, with the variables that they use as its parameters.

use super::{Expr, ExprKind, Pattern, PatternKind, Var, VarId};
use crate::hash::HashMap;
use crate::ids::IdVec;
use crate::signature::SortId;
use crate::source::Span;

/// The variables that some expressions of a rule use, and what they are in the rules of the new function.
#[derive(Clone, Debug)]
pub struct Outline {
    /// In the rule that the expressions stand in, in the order in which they occur.
    outer: Vec<VarId>,
    /// The variables of each rule of the function.
    vars: IdVec<VarId, Var>,
    inner: HashMap<VarId, VarId>,
}

impl Outline {
    /// Of the expressions of a rule with these variables.
    pub fn of(expressions: &[&Expr], vars: &IdVec<VarId, Var>) -> Self {
        let mut outline = Self { outer: Vec::new(), vars: IdVec::new(), inner: HashMap::default() };
        for expression in expressions {
            expression.walk(&mut |expr| {
                if let ExprKind::Var(var) = expr.kind
                    && !outline.inner.contains_key(&var)
                {
                    outline.outer.push(var);
                    outline.inner.insert(var, outline.vars.push(vars[var].clone()));
                }
            });
        }
        outline
    }

    /// Sorts of the parameters.
    pub fn sorts(&self) -> impl Iterator<Item = SortId> + '_ {
        self.vars.iter().map(|var| var.sort)
    }

    /// The variables of a rule of the function.
    pub fn vars(&self) -> IdVec<VarId, Var> {
        self.vars.clone()
    }

    /// The parameters, as the head of a rule has them.
    pub fn patterns(&self, span: Span) -> impl Iterator<Item = Pattern> + '_ {
        let pattern =
            move |(id, var): (VarId, &Var)| Pattern { kind: PatternKind::Var(id), sort: var.sort, span };
        self.vars.iter_enumerated().map(pattern)
    }

    /// The arguments, where the function is called in the place of the expressions.
    pub fn values(&self, span: Span) -> impl Iterator<Item = Expr> + '_ {
        let value =
            move |(&outer, var): (&VarId, &Var)| Expr { kind: ExprKind::Var(outer), sort: var.sort, span };
        self.outer.iter().zip(self.vars.iter()).map(value)
    }

    /// One of the expressions, in a rule of the function.
    pub fn inside(&self, mut expression: Expr) -> Expr {
        let mut todo = vec![&mut expression];
        while let Some(expr) = todo.pop() {
            match &mut expr.kind {
                ExprKind::Var(var) => *var = self.inner[var],
                ExprKind::Const(_) => {}
                ExprKind::App { args, .. } | ExprKind::Op { args, .. } => todo.extend(args),
                ExprKind::Repeat { arg, .. } => todo.push(arg),
            }
        }
        expression
    }
}
