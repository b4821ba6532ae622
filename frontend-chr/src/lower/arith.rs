//! Arithmetic expressions and `is`.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::op::Op;
use gchr_base::rule::{Const, Expr, ExprKind, GoalKind};
use gchr_base::source::Span;
use gchr_base::suggest::nearest;

use super::scope::Built;
use super::{Lowering, Scope};
use crate::ast::{TermId, TermKind};
use crate::builtin;

enum Step {
    Visit(TermId),
    Build(Op, usize, Span),
}

impl<'a> Lowering<'_> {
    /// `left is right`: binds an unbound variable, else tests that left is the value, as unification would.
    pub(super) fn is(&mut self, scope: &mut Scope<'a>, left: TermId, right: TermId, span: Span) {
        let Some(value) = self.evaluated(scope, right) else {
            // The variable counts as bound, so that one error does not lead to many.
            if let Some(name) = scope.unbound(left) {
                scope.bind(name, scope.module.span(left));
            }
            return;
        };
        match scope.unbound(left) {
            Some(name) => {
                let var = scope.bind(name, scope.module.span(left));
                scope.push(GoalKind::Bind { var, value }, span);
            }
            None => {
                if let Some(left) = self.term(scope, left) {
                    self.test(scope, Op::Same, vec![left, value], span);
                }
            }
        }
    }

    /// The value of an arithmetic expression. A variable alone may hold a term, which is evaluated when the program
    /// runs, as
    /// operands of operators are.
    fn evaluated(&mut self, scope: &mut Scope<'a>, id: TermId) -> Option<Expr> {
        let value = self.arith(scope, id)?;
        Some(match value.kind {
            ExprKind::Var(_) => {
                let span = value.span;
                self.expr(ExprKind::Op { op: Op::Eval, args: vec![value] }, span)
            }
            _ => value,
        })
    }

    /// An arithmetic expression, or `None` after what is wrong with it is reported.
    pub(super) fn arith(&mut self, scope: &mut Scope<'a>, id: TermId) -> Option<Expr> {
        let (mut steps, mut values) = (vec![Step::Visit(id)], Vec::<Built>::new());
        let mut whole = true;
        while let Some(step) = steps.pop() {
            match step {
                Step::Visit(id) => {
                    if let Some(value) = self.visit(scope, id, &mut steps, &mut whole) {
                        values.push((value, 1));
                    }
                }
                Step::Build(op, arity, span) => {
                    let args = values.split_off(values.len().saturating_sub(arity));
                    values.push(self.apply(scope, span, args, |args| ExprKind::Op { op, args }));
                }
            }
        }
        values.pop().filter(|_| whole).map(|(value, _)| value)
    }

    /// Plans the operands of a function, or gives the value of a leaf.
    fn visit(
        &mut self,
        scope: &mut Scope<'a>,
        id: TermId,
        steps: &mut Vec<Step>,
        whole: &mut bool,
    ) -> Option<Expr> {
        let (module, span) = (scope.module, scope.module.span(id));
        let constant = |c| Some(Expr { kind: ExprKind::Const(c), sort: self.sorts.any, span });
        match module.kind(id) {
            TermKind::Int(_) | TermKind::Big(_) | TermKind::Rational(_) | TermKind::Float(_) => {
                let number = self.constant(module, id)?;
                return Some(Expr { kind: ExprKind::Const(number), sort: self.sorts.any, span });
            }
            TermKind::Var(_) => match self.variable(scope, id) {
                Some(value) => return Some(value),
                None => self.unbound_operand(scope, id),
            },
            TermKind::Compound { name, args } => match Op::arithmetic_function(name, args.len()) {
                Some(op) => {
                    steps.push(Step::Build(op, args.len(), span));
                    steps.extend(args.iter().rev().map(|&a| Step::Visit(a)));
                    return None;
                }
                None => self.unknown_function(name, args.len(), span),
            },
            // As in Prolog, a list of one element is that element.
            TermKind::List { items, tail: None } if items.len() == 1 => {
                steps.push(Step::Visit(items[0]));
                return None;
            }
            TermKind::Atom(name) => match Op::arithmetic_constant(name) {
                Some(x) => return constant(Const::Float(x)),
                None => self.unknown_function(name, 0, span),
            },
            TermKind::Str(_) | TermKind::List { .. } => self.report(
                Diagnostic::error("C0311", "this is not an arithmetic expression")
                    .label(span, "not a number")
                    .help("compare terms that are not numbers with == or @<, bind them with ="),
            ),
        }
        *whole = false;
        constant_zero(self.sorts.any, span)
    }

    fn unbound_operand(&mut self, scope: &Scope<'_>, id: TermId) {
        let name = scope.unbound(id).unwrap_or("_");
        self.beyond(
            Diagnostic::error("C0402", format!("the variable {name} is not bound here"))
                .label(scope.module.span(id), "has no value to compute with")
                .note("goals run from left to right; a variable is bound by a head, by `is` or by `=`")
                .help("move this goal behind the one that binds the variable, or correct the name"),
        );
    }

    fn unknown_function(&mut self, name: &str, arity: usize, span: Span) {
        let help = match nearest(name, builtin::function_names()) {
            Some(near) => format!("did you mean {near}?"),
            None => format!("functions are {}", builtin::function_list()),
        };
        let shown = if arity == 0 { name.to_string() } else { format!("{name}/{arity}") };
        let diagnostic = Diagnostic::error("C0310", format!("{shown} is not an arithmetic function"))
            .label(span, "cannot be evaluated")
            .help(help);
        if builtin::is_function(name, arity) {
            self.beyond(diagnostic);
        } else {
            self.report(diagnostic);
        }
    }
}

fn constant_zero(sort: gchr_base::signature::SortId, span: Span) -> Option<Expr> {
    Some(Expr { kind: ExprKind::Const(Const::Int(0)), sort, span })
}
