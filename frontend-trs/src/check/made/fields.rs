//! Projections and recognisers of a `struct`: functions with an equation for each constructor that they know.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::hash::HashMap;
use gchr_base::ids::IdVec;
use gchr_base::rule::{Expr, ExprKind, Goal, GoalKind, Pattern, PatternKind, Rule, Var, VarId};
use gchr_base::signature::{Signature, SortId, SymbolId, SymbolKind};
use gchr_base::source::Span;

use super::maker::rule_of;
use crate::check::builtin::{WILD, no_truth};
use crate::check::fields::{Field, Fields};
use crate::check::reporter::Reporter;
use crate::check::scope::Scope;

/// A recogniser has an equation for each constructor of a sort that has at most so many symbols.
const FEW: usize = 16;

/// How a recogniser tells the other constructors from terms that none builds.
#[derive(Clone, Copy)]
enum Others {
    /// There are no such terms.
    All,
    /// By an equation for each of them.
    Each,
    /// By this test.
    Built(SymbolId),
}

/// The rules of projections and recognisers.
/// `is_eager`: whether arguments are evaluated, so that they may be told apart by the order of rules.
pub(crate) fn rules(
    fields: &mut Fields,
    is_eager: bool,
    scope: &mut Scope<'_>,
    reporter: &mut Reporter,
) -> Vec<Rule> {
    let mut rules = Vec::new();
    let mut of_sort: HashMap<SortId, Vec<SymbolId>> = HashMap::default();
    if fields.all.iter().any(|field| field.argument.is_none()) {
        let symbols = scope.signature.symbols.iter_enumerated();
        symbols.for_each(|(id, symbol)| of_sort.entry(symbol.result).or_default().push(id));
    }
    for field in &fields.all {
        let constructor = &scope.signature.symbols[field.of];
        if constructor.kind != SymbolKind::Constructor {
            reporter.report(has_equations(field, &scope.signature));
            continue;
        }
        let sort = constructor.result;
        match field.argument {
            Some(argument) => rules.push(projection(field, argument, &scope.signature)),
            None if scope.truth.is_none() => reporter.report(no_truth(field.span)),
            None => {
                let of_sort = &of_sort[&sort];
                let is_constructor =
                    |id: &SymbolId| scope.signature.symbols[*id].kind == SymbolKind::Constructor;
                // What is made for many sorts may stay unevaluated in this one.
                let is_closed = scope.families.is_empty();
                let others = if is_closed && of_sort.iter().all(is_constructor) {
                    Others::All
                } else if of_sort.len() <= FEW || !is_eager {
                    Others::Each
                } else if let Some(&known) = fields.built.get(&sort) {
                    Others::Built(known)
                } else if let Some(built) = built_test(sort, of_sort, field.span, scope, &mut rules) {
                    fields.built.insert(sort, built);
                    Others::Built(built)
                } else {
                    continue;
                };
                recogniser(field, of_sort, others, scope, &mut rules);
            }
        }
    }
    rules
}

/// A projection of a function: its applications are rewritten.
fn has_equations(field: &Field, signature: &Signature) -> Diagnostic {
    let [function, of] = [field.function, field.of].map(|symbol| signature.symbols[symbol].name.as_str());
    let mut diagnostic =
        Diagnostic::error("T0009", "projections and recognisers belong to constructors, not to functions")
            .label(field.span, format!("`{of}` has equations"));
    if let Some(span) = signature.symbols[field.of].span {
        diagnostic = diagnostic.label(span, "the function");
    }
    diagnostic.help(format!("remove `{function}`, or the equations of `{of}`"))
}

/// The pattern that a constructor builds, and the variables in it.
fn built(of: SymbolId, signature: &Signature, span: Span) -> (Pattern, IdVec<VarId, Var>) {
    let constructor = &signature.symbols[of];
    let vars: IdVec<VarId, Var> =
        constructor.args.iter().map(|&sort| Var { name: WILD.into(), sort, span }).collect();
    let args = vars.iter_enumerated();
    let args = args.map(|(id, var)| Pattern { kind: PatternKind::Var(id), sort: var.sort, span }).collect();
    (Pattern { kind: PatternKind::App { symbol: of, args }, sort: constructor.result, span }, vars)
}

fn projection(field: &Field, argument: usize, signature: &Signature) -> Rule {
    let (pattern, mut vars) = built(field.of, signature, field.span);
    let id = VarId(argument as u32);
    vars[id].name = "X".into();
    let value = Expr { kind: ExprKind::Var(id), sort: vars[id].sort, span: field.span };
    rule_of(field.function, vars, vec![pattern], value, field.span)
}

/// `true` for its constructor, `false` for the others; terms that are neither stay. `of_sort`: the symbols of the sort.
fn recogniser(field: &Field, of_sort: &[SymbolId], others: Others, scope: &Scope<'_>, rules: &mut Vec<Rule>) {
    let (signature, span) = (&*scope.signature, field.span);
    let Some(truth) = scope.truth else { return };
    let mut add = |pattern, vars, value| {
        let kind = ExprKind::App { symbol: value, args: Vec::new() };
        let value = Expr { kind, sort: truth.sort, span };
        rules.push(rule_of(field.function, vars, vec![pattern], value, span));
    };
    let (pattern, vars) = built(field.of, signature, span);
    let sort = pattern.sort;
    add(pattern, vars, truth.true_symbol);
    if of_sort.len() == 1 {
        return;
    }
    if let Others::Each = others {
        for &other in of_sort.iter().filter(|&&symbol| symbol != field.of) {
            if signature.symbols[other].kind == SymbolKind::Constructor {
                let (pattern, vars) = built(other, signature, span);
                add(pattern, vars, truth.false_symbol);
            }
        }
        return;
    }
    let mut vars = IdVec::new();
    let any = vars.push(Var { name: WILD.into(), sort, span });
    add(Pattern { kind: PatternKind::Var(any), sort, span }, vars, truth.false_symbol);
    if let (Others::Built(test), Some(rule)) = (others, rules.last_mut()) {
        let value = Expr { kind: ExprKind::Var(any), sort, span };
        let kind = ExprKind::App { symbol: test, args: vec![value] };
        let test = Expr { kind, sort: truth.sort, span };
        rule.guard.push(Goal { kind: GoalKind::Test(test), span });
    }
}

/// The function that is `true` of what a constructor builds; other terms it leaves as they are.
fn built_test(
    sort: SortId,
    of_sort: &[SymbolId],
    span: Span,
    scope: &mut Scope<'_>,
    rules: &mut Vec<Rule>,
) -> Option<SymbolId> {
    let truth = scope.truth?;
    let name = format!("{}.built", scope.sort_name(sort));
    let function = scope.make(name, vec![sort], truth.sort)?;
    for &symbol in of_sort {
        if scope.signature.symbols[symbol].kind == SymbolKind::Constructor {
            let (pattern, vars) = built(symbol, &scope.signature, span);
            let kind = ExprKind::App { symbol: truth.true_symbol, args: Vec::new() };
            let value = Expr { kind, sort: truth.sort, span };
            rules.push(rule_of(function, vars, vec![pattern], value, span));
        }
    }
    Some(function)
}
