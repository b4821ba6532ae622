//! Goals of guards, bodies and queries.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::op::Op;
use gchr_base::rule::{ExprKind, GoalKind};
use gchr_base::signature::ConstraintId;
use gchr_base::source::Span;
use gchr_base::suggest::nearest;

use super::{Lowering, Scope};
use crate::ast::{Module, TermId, TermKind};
use crate::builtin::{self, Builtin};
use crate::types::Type;

/// Where a goal stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    /// No effects.
    Guard,
    /// A body or a query.
    Body,
}

impl<'a> Lowering<'_> {
    /// Lowers one goal; what it does is appended to the goals of the scope.
    pub(super) fn goal(&mut self, scope: &mut Scope<'a>, id: TermId, place: Place) {
        let module = scope.module;
        let span = module.span(id);
        let Some((name, args)) = module.functor(id) else {
            return self.report(
                Diagnostic::error("C0302", "this is not a goal")
                    .label(span, "neither a constraint nor a built-in")
                    .help("goals are constraints such as edge(1, 2), or built-ins such as X is Y+1"),
            );
        };
        if let Some(constraint) = self.declarations.constraint(name, args.len()) {
            return match place {
                Place::Body => self.add(scope, constraint, args, span),
                Place::Guard => self.beyond(
                    Diagnostic::error("C0308", "a guard adds no constraints")
                        .label(span, "a constraint")
                        .help("test for a constraint in the store with a head, or add it in the body"),
                ),
            };
        }
        // Clauses of the program come before built-ins that are not of ISO Prolog.
        let own = !builtin::is_protected(name, args.len())
            && self.declarations.clauses.contains(&(name.to_string(), args.len()));
        match builtin::goal(name, args.len()).filter(|_| !own) {
            Some(goal) => self.builtin(scope, goal, args, span, place),
            None => self.unknown_goal(name, args.len(), span, place),
        }
    }

    fn unknown_goal(&mut self, name: &str, arity: usize, span: Span, place: Place) {
        if let Some((what, help)) = builtin::refused(name, arity) {
            return self.beyond(
                Diagnostic::error("C0307", format!("{what} needs the logic machine"))
                    .label(span, "not a goal of rules over ground stores")
                    .help(help),
            );
        }
        if self.declarations.clauses.contains(&(name.to_string(), arity)) {
            return self.beyond(
                Diagnostic::error("C0302", format!("{name}/{arity} is defined by clauses of Prolog"))
                    .label(span, "neither a constraint nor a built-in")
                    .help(
                        "write a rule: declare the predicate as a constraint and use `<=>` in place of `:-`",
                    ),
            );
        }
        if builtin::is_predicate(name, arity) {
            return self.beyond(
                Diagnostic::error(
                    "C0302",
                    format!("the predicate {name}/{arity} of Prolog needs the logic machine"),
                )
                .label(span, "neither a constraint nor a built-in of rules over ground stores")
                .help("write constraints and rules that do what it does"),
            );
        }
        if !self.is_new(name, arity) {
            return;
        }
        let known = self.declarations.named(name).is_empty() && self.declarations.nearest(name).is_none();
        let builtin = nearest(name, builtin::goal_names()).filter(|_| known);
        let diagnostic = match (builtin, place) {
            (Some(near), _) => Diagnostic::error("C0302", format!("unknown goal {name}/{arity}"))
                .label(span, "neither a constraint nor a built-in")
                .help(format!("did you mean {near}?")),
            (None, Place::Guard) if known => Diagnostic::error(
                "C0302",
                format!("unknown goal {name}/{arity}"),
            )
            .label(span, "not a built-in test")
            .help(
                "guards hold comparisons, type tests, `is` and `=`; predicates of Prolog are not supported",
            ),
            _ => self.undeclared("C0302", name, arity, span),
        };
        // What looks like nothing else may be a goal that is never reached: SWI-Prolog says so when it is called.
        if builtin.is_none() && known && !self.in_query {
            self.beyond(diagnostic.clone());
        }
        self.report(diagnostic);
    }

    fn add(&mut self, scope: &mut Scope<'a>, constraint: ConstraintId, args: &[TermId], span: Span) {
        self.check_added_types(scope, args, constraint);
        // Every argument is looked at, so that each unbound variable is reported.
        let values: Vec<_> = args.iter().map(|&a| self.term(scope, a)).collect();
        if let Some(args) = values.into_iter().collect() {
            scope.push(GoalKind::Add { constraint, args }, span);
        }
    }

    fn builtin(&mut self, scope: &mut Scope<'a>, goal: Builtin, args: &[TermId], span: Span, place: Place) {
        match (goal, args) {
            (Builtin::True, _) => {}
            (Builtin::Fail, _) => scope.push(GoalKind::Fail, span),
            (Builtin::Is, &[left, right]) => self.is(scope, left, right, span),
            (Builtin::Unify, &[left, right]) => self.unify(scope, left, right, span),
            (Builtin::NotUnify, &[left, right]) => self.structural(scope, Op::Differ, &[left, right], span),
            (Builtin::Structural(op) | Builtin::TypeTest(op), args) => self.structural(scope, op, args, span),
            (Builtin::Compare(op), &[left, right]) => {
                if let (Some(left), Some(right)) = (self.arith(scope, left), self.arith(scope, right)) {
                    self.test(scope, op, vec![left, right], span);
                }
            }
            // Decided here: what is bound is known from the text.
            (Builtin::Var, &[arg]) if scope.unbound(arg).is_none() => scope.push(GoalKind::Fail, span),
            (Builtin::NonVar, &[arg]) if scope.first_unbound(arg).is_some() => {
                scope.push(GoalKind::Fail, span)
            }
            (Builtin::Var | Builtin::NonVar, _) => {}
            (_, _) if place == Place::Guard => self.beyond(
                Diagnostic::error("C0309", "a guard has no effects")
                    .label(span, "writes output")
                    .help("write in the body: Heads <=> Guard | write(...), Body"),
            ),
            (Builtin::Newline, _) => scope.push(GoalKind::Newline, span),
            (Builtin::Write { quoted, newline }, &[arg]) => {
                if let Some(value) = self.term(scope, arg) {
                    scope.push(GoalKind::Write { value, quoted }, span);
                    if newline {
                        scope.push(GoalKind::Newline, span);
                    }
                }
            }
            (Builtin::Format, args) => self.format(scope, args, span),
            _ => {}
        }
    }

    pub(super) fn test(
        &mut self,
        scope: &mut Scope<'_>,
        op: Op,
        args: Vec<gchr_base::rule::Expr>,
        span: Span,
    ) {
        let mut test = self.expr(ExprKind::Op { op, args }, span);
        test.sort = self.sorts.bool;
        scope.push(GoalKind::Test(test), span);
    }

    /// A comparison or a test of terms as they are.
    fn structural(&mut self, scope: &mut Scope<'a>, op: Op, args: &[TermId], span: Span) {
        let unbound = args.iter().find_map(|&a| scope.first_unbound(a));
        if let Some((name, place)) = unbound {
            return self.beyond(
                Diagnostic::error("C0403", format!("the variable {name} is not bound here"))
                    .label(place, "has no value")
                    .note("stores are ground: comparisons of unbound variables are not supported")
                    .help("bind it in a head or by `is` or `=` before this goal"),
            );
        }
        let values: Option<Vec<_>> = args.iter().map(|&a| self.term(scope, a)).collect();
        if let Some(values) = values {
            self.test(scope, op, values, span);
        }
    }

    /// Arguments that surely do not have the declared types of their columns.
    fn check_added_types(&mut self, scope: &Scope<'a>, args: &[TermId], constraint: ConstraintId) {
        let module = scope.module;
        let values: Vec<TermId> = args.iter().map(|&arg| scope.term_of(arg).unwrap_or(arg)).collect();
        for (i, (place, expected)) in self.misfits(module, &values, constraint) {
            let declared = &self.declarations.constraints[constraint];
            let arithmetic = module.functor(place).is_some_and(|(name, args)| {
                !args.is_empty() && Op::arithmetic_function(name, args.len()).is_some()
            });
            let help = if arithmetic {
                let (text, arg) = (module.term_text(place), module.term_text(args[i]));
                if place == args[i] {
                    format!("terms are not evaluated: write X is {text} before, and X here")
                } else {
                    format!("terms are not evaluated: write {arg} is {text} in place of {arg} = {text}")
                }
            } else if let (TermKind::Int(n), Type::Float) = (module.kind(place), &expected) {
                format!("an integer is not converted: write {n}.0")
            } else {
                "give a value of the declared type, or declare the column with a wider type, such as ?any"
                    .into()
            };
            let (code, label) =
                (if place == values[i] { "C0404" } else { "C0406" }, self.declarations.label(constraint));
            let diagnostic =
                Diagnostic::error(code, format!("argument {} of {label} has the wrong type", i + 1))
                    .label(module.span(place), format!("not of type {expected}"))
                    .label(declared.span, "declared here")
                    .help(help);
            if self.declarations.unchecked {
                self.beyond(diagnostic);
            } else {
                self.report(diagnostic);
            }
        }
    }

    /// Patterns that no value of the declared types matches.
    pub(super) fn check_head_types(&mut self, module: &Module, args: &[TermId], constraint: ConstraintId) {
        for (i, (place, expected)) in self.misfits(module, args, constraint) {
            let declared = &self.declarations.constraints[constraint];
            let label = self.declarations.label(constraint);
            let diagnostic = Diagnostic::warning(
                "C0502",
                format!("this head never matches argument {} of {label}", i + 1),
            )
            .label(module.span(place), format!("not of type {expected}"))
            .label(declared.span, "declared here")
            .help("correct the pattern, or declare the column with a wider type, such as ?any");
            self.report(diagnostic);
        }
    }

    fn misfits(
        &self,
        module: &Module,
        args: &[TermId],
        constraint: ConstraintId,
    ) -> Vec<(usize, (TermId, Type))> {
        let columns = &self.declarations.constraints[constraint].columns;
        let types = args.iter().zip(columns).enumerate();
        types
            .filter_map(|(i, (&arg, ty))| {
                let misfit = self.declarations.types.misfit(module, arg, ty.as_ref()?)?;
                Some((i, misfit))
            })
            .collect()
    }

    /// Whether a term is a variable.
    pub(super) fn is_variable(module: &Module, id: TermId) -> bool {
        matches!(module.kind(id), TermKind::Var(_))
    }
}
