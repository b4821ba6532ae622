//! Conditions: terms that must be true, and terms that must match patterns, in textual order.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::op::Op;
use gchr_base::rule::{Goal, GoalKind};
use gchr_base::signature::SortId;
use gchr_base::source::Span;

use super::builders::{ExprBuilder, PatternBuilder};
use super::builtin::no_truth;
use super::reporter::Reporter;
use super::resolve::{Resolver, RuleVars, Vars};
use super::scope::Scope;
use crate::ast::{Node, NodeKind, Part, Term};

/// The goals of a condition; `None` when something in it is wrong, which then is reported.
pub(crate) fn goals(
    condition: &Term,
    rule: &mut RuleVars,
    scope: &mut Scope<'_>,
    reporter: &mut Reporter,
) -> Option<Vec<Goal>> {
    let whole = condition.whole();
    if !condition.nodes.iter().any(|node| node.kind == NodeKind::Match) {
        return Some(vec![test(whole, rule, scope, reporter)?]);
    }
    let mut goals = Some(Vec::new());
    for part in parts(&condition.nodes) {
        let goal = match part.split_last() {
            Some((Node { kind: NodeKind::Match, span, .. }, operands)) => {
                pattern(*span, whole.within(operands), rule, scope, reporter)
            }
            _ => test(whole.within(part), rule, scope, reporter),
        };
        match (goal, &mut goals) {
            (Some(goal), Some(goals)) => goals.push(goal),
            (None, _) => goals = None,
            _ => {}
        }
    }
    goals
}

/// What a condition joins by `&&`, in textual order.
fn parts(condition: &[Node]) -> Vec<&[Node]> {
    let (mut parts, mut todo) = (Vec::new(), vec![condition]);
    while let Some(term) = todo.pop() {
        match term.split_last() {
            Some((Node { kind: NodeKind::Infix(Op::Both), .. }, operands)) => {
                let (left, right) = two(operands);
                todo.extend([right, left]);
            }
            _ => parts.push(term),
        }
    }
    parts
}

/// The two operands of an operator.
fn two(operands: &[Node]) -> (&[Node], &[Node]) {
    let right = operands.last().map_or(0, |node| node.size as usize);
    operands.split_at(operands.len() - right)
}

fn test(term: Part<'_>, rule: &RuleVars, scope: &mut Scope<'_>, reporter: &mut Reporter) -> Option<Goal> {
    let span = term.nodes.last()?.span;
    let mut builder = ExprBuilder::default();
    let expected = scope.truth.map(|truth| truth.sort);
    let sort = Resolver::new(scope, Vars::Bound(rule, "condition"), reporter).resolve(
        term,
        expected,
        &mut builder,
    )?;
    let Some(truth) = scope.truth else {
        reporter.report(no_truth(span));
        return None;
    };
    if sort != truth.sort {
        let found = scope.sort_name(sort);
        reporter.report(
            Diagnostic::error("T0204", format!("a condition has sort `Bool`, found `{found}`"))
                .label(span, format!("this has sort `{found}`"))
                .help("compare two terms (`C == D -> L = R`), or call a function with result `Bool`"),
        );
        return None;
    }
    Some(Goal { kind: GoalKind::Test(builder.finish()?), span })
}

/// Whether a term with this root may leave its sort open.
fn may_be_open(root: NodeKind, scope: &Scope<'_>) -> bool {
    match root {
        NodeKind::Name(name) | NodeKind::Call(name, 0) => {
            scope.symbol(name).is_some_and(|symbol| !scope.families.parameters_of(symbol).is_empty())
        }
        NodeKind::List(0) => true,
        _ => false,
    }
}

/// `P := T`: variables of the pattern that have no value yet get one.
fn pattern(
    span: Span,
    operands: Part<'_>,
    rule: &mut RuleVars,
    scope: &mut Scope<'_>,
    reporter: &mut Reporter,
) -> Option<Goal> {
    let (left, right) = two(operands.nodes);
    let expected = right.last().filter(|root| may_be_open(root.kind, scope));
    let expected = expected.and_then(|_| {
        // The pattern may say it; its variables have no values in the term.
        let (mut vars, mut quiet) = (rule.clone(), Reporter::default());
        let pattern = Resolver::new(scope, Vars::Bind(&mut vars), &mut quiet);
        pattern.resolve(operands.within(left), None, &mut PatternBuilder::default())
    });
    let mut value = ExprBuilder::default();
    let sort = Resolver::new(scope, Vars::Bound(rule, "condition"), reporter).resolve(
        operands.within(right),
        expected,
        &mut value,
    );
    let mut pattern = PatternBuilder::default();
    let found =
        Resolver::new(scope, Vars::Bind(rule), reporter).resolve(operands.within(left), sort, &mut pattern);
    let (sort, found) = (sort?, found?);
    if sort != found {
        reporter.report(different(left, found, right, sort, scope));
        return None;
    }
    Some(Goal { kind: GoalKind::Match { value: value.finish()?, pattern: pattern.finish()? }, span })
}

fn different(left: &[Node], found: SortId, right: &[Node], sort: SortId, scope: &Scope<'_>) -> Diagnostic {
    let (pattern, value) = (scope.sort_name(found), scope.sort_name(sort));
    let message = format!("pattern and term of `:=` have different sorts, `{pattern}` and `{value}`");
    let mut diagnostic = Diagnostic::error("T0308", message);
    for (side, name) in [(left, pattern), (right, value)] {
        if let Some(root) = side.last() {
            diagnostic = diagnostic.label(root.span, format!("this has sort `{name}`"));
        }
    }
    diagnostic.help(format!("write a pattern of sort `{value}`"))
}
