//! Outermost: a term is rewritten one step after the other, each at the first place that is found from the root on.

use std::ops::Range;

use super::{Argument, Evaluates, Made, Strategy, Vars};
use crate::hash::HashMap;
use crate::rule::{Body, Expr, ExprKind, Goal, GoalKind, HeadAtom, Pattern, Rule};
use crate::signature::{Sort, SortId, SortKind, SymbolId, SymbolKind};

/// What is made for a sort.
#[derive(Clone, Copy)]
struct Steps {
    /// The term behind a step, or none.
    some: SymbolId,
    none: SymbolId,
    /// One step.
    step: SymbolId,
    /// All steps.
    evaluate: SymbolId,
}

type OfSorts = HashMap<SortId, Steps>;

/// Makes the rules of the program.
pub(super) fn make(made: &mut Made<'_>, strategy: &Strategy) {
    let sorts = made.open_sorts();
    let mut steps = OfSorts::default();
    for &sort in &sorts {
        let of = declare(made, sort);
        steps.insert(sort, of);
        made.evaluates.insert(sort, Evaluates { evaluate: of.evaluate, complete: None });
    }
    let source = made.source;
    // A choice between numbers evaluates what it chooses at once: its test comes first.
    let (choices, others): (Vec<SymbolId>, Vec<SymbolId>) = source.signature.symbols.ids().partition(|id| {
        strategy.parts.get(id) == Some(&1) && made.is_number(source.signature.symbols[*id].result)
    });
    choices.into_iter().for_each(|symbol| below(made, symbol, 0..1, &steps));
    source.rules.iter().for_each(|rule| at_root(made, rule, &steps));
    for symbol in others {
        below(made, symbol, 0..source.signature.arity(symbol), &steps);
    }
    sorts.iter().for_each(|sort| evaluation(made, *sort, steps[sort]));
}

fn declare(made: &mut Made<'_>, sort: SortId) -> Steps {
    let name = made.signature.sorts[sort].name.clone();
    let step = Sort { name: format!("@step({name})"), kind: SortKind::Data, span: None };
    let result = made.signature.sorts.push(step);
    Steps {
        some: made.declare("@some", vec![sort], result, SymbolKind::Constructor),
        none: made.declare("@none", Vec::new(), result, SymbolKind::Constructor),
        step: made.declare("@step", vec![sort], result, SymbolKind::Defined),
        evaluate: made.declare("@evaluate", vec![sort], sort, SymbolKind::Defined),
    }
}

/// A step by a rule of the text at the root of a term. A function that gives a number is no term: it is applied.
fn at_root(made: &mut Made<'_>, rule: &Rule, steps: &OfSorts) {
    let (Some(head), Body::Replace(right)) = (rule.heads.first(), &rule.body) else { return };
    let HeadAtom::Term { symbol, args } = &head.atom else { return };
    let guard = rule.guard.iter().map(|goal| condition(made, goal)).collect();
    let right = built(made, right);
    let mut rule = rule.clone();
    rule.guard = guard;
    match steps.get(&right.sort) {
        Some(of) => {
            let left = made.built(*symbol, args.clone(), head.span);
            rule.heads[0].atom = HeadAtom::Term { symbol: of.step, args: vec![left] };
            rule.body = Body::Replace(made.app(of.some, vec![right], rule.span));
        }
        None => rule.body = Body::Replace(right),
    }
    made.rules.push(rule);
}

/// A term that is not evaluated, but for the operators in it.
fn built(made: &Made<'_>, expr: &Expr) -> Expr {
    let kind = match &expr.kind {
        ExprKind::Var(_) | ExprKind::Const(_) => return expr.clone(),
        ExprKind::App { symbol, args } => {
            ExprKind::App { symbol: *symbol, args: args.iter().map(|arg| built(made, arg)).collect() }
        }
        ExprKind::Repeat { symbol, count, arg } => {
            ExprKind::Repeat { symbol: *symbol, count: *count, arg: Box::new(built(made, arg)) }
        }
        ExprKind::Op { op, args } => {
            ExprKind::Op { op: *op, args: args.iter().map(|arg| made.evaluated(built(made, arg))).collect() }
        }
    };
    Expr { kind, sort: expr.sort, span: expr.span }
}

/// A condition: its terms are evaluated.
fn condition(made: &Made<'_>, goal: &Goal) -> Goal {
    let value = |expr: &Expr| made.evaluated(built(made, expr));
    let kind = match &goal.kind {
        GoalKind::Test(test) => GoalKind::Test(value(test)),
        GoalKind::Bind { var, value: of } => GoalKind::Bind { var: *var, value: value(of) },
        GoalKind::Match { value: of, pattern } => {
            GoalKind::Match { value: value(of), pattern: pattern.clone() }
        }
        other => other.clone(),
    };
    Goal { kind, span: goal.span }
}

/// Steps below an application of a symbol, in those of these arguments that are evaluated.
fn below(made: &mut Made<'_>, symbol: SymbolId, arguments: Range<usize>, steps: &OfSorts) {
    let declared = &made.source.signature.symbols[symbol];
    let (span, sorts, result) = (made.place(symbol), &declared.args, declared.result);
    // What gives a number and has no rules is no term that has steps.
    if made.is_number(result) && declared.kind != SymbolKind::Defined {
        return;
    }
    for at in arguments {
        let Some(inner) = steps.get(&sorts[at]) else { continue };
        if made.argument(symbol, at) != Argument::Evaluated {
            continue;
        }
        let mut vars = Vars::default();
        let (patterns, mut values): (Vec<Pattern>, Vec<Expr>) =
            sorts.iter().map(|&sort| vars.fresh(sort, span)).unzip();
        let (next, behind) = vars.fresh(sorts[at], span);
        let value = made.app(inner.step, vec![values[at].clone()], span);
        let pattern = made.built(inner.some, vec![next], span);
        values[at] = behind;
        let goal = Goal { kind: GoalKind::Match { value, pattern }, span };
        let body = made.app(symbol, values, span);
        match steps.get(&result) {
            Some(own) => {
                let left = made.built(symbol, patterns, span);
                let body = made.app(own.some, vec![body], span);
                made.rule(own.step, vars.0, vec![left], vec![goal], body);
            }
            None => made.rule(symbol, vars.0, patterns, vec![goal], body),
        }
    }
}

/// A term without a step, and all steps of one.
fn evaluation(made: &mut Made<'_>, sort: SortId, steps: Steps) {
    let span = made.place_of_sort(sort);
    let mut vars = Vars::default();
    let (pattern, _) = vars.fresh(sort, span);
    let body = made.app(steps.none, Vec::new(), span);
    made.rule(steps.step, vars.0, vec![pattern], Vec::new(), body);
    let mut vars = Vars::default();
    let (pattern, value) = vars.fresh(sort, span);
    let (next, behind) = vars.fresh(sort, span);
    let step = made.app(steps.step, vec![value], span);
    let found = made.built(steps.some, vec![next], span);
    let goal = Goal { kind: GoalKind::Match { value: step, pattern: found }, span };
    let body = made.app(steps.evaluate, vec![behind], span);
    made.rule(steps.evaluate, vars.0, vec![pattern], vec![goal], body);
    let mut vars = Vars::default();
    let (pattern, value) = vars.fresh(sort, span);
    made.rule(steps.evaluate, vars.0, vec![pattern], Vec::new(), value);
}
