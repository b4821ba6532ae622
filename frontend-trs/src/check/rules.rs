//! An equation to a rule of the rule IR.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::op::Op;
use gchr_base::rule::{Body, Expr, Goal, GoalKind, Head, HeadAtom, PatternKind, Role, Rule};
use gchr_base::signature::SortId;
use gchr_base::source::Span;

use super::builders::{ExprBuilder, MAX_DEPTH, PatternBuilder, too_deep};
use super::builtin::characters::CharFunction;
use super::builtin::lists::ListSymbol;
use super::builtin::{IF, Named, WILD};
use super::condition;
use super::instances::has_only_own_parameters;
use super::reporter::Reporter;
use super::resolve::{Resolver, RuleVars, Vars};
use super::scope::Scope;
use crate::ast::{Binding, Equation, NodeKind, Term};

/// The rule of an equation; `None` when something in it is wrong, which then is reported.
pub(crate) fn lower(equation: &Equation, scope: &mut Scope<'_>, reporter: &mut Reporter) -> Option<Rule> {
    let terms = [Some(&equation.left), equation.condition.as_ref(), Some(&equation.right)];
    let terms = terms.into_iter().flatten().chain(equation.values.iter().map(|binding| &binding.value));
    let deep = terms.filter(|term| term.depth > MAX_DEPTH);
    let before = reporter.diagnostics.len();
    deep.for_each(|term| reporter.report(too_deep(term.span())));
    if reporter.diagnostics.len() > before {
        return None;
    }
    if !is_application(&equation.left, scope, reporter) || is_function(&equation.left, scope, reporter) {
        return None;
    }
    if let NodeKind::Name(name) | NodeKind::Call(name, _) | NodeKind::Power(name, _) =
        equation.left.root().kind
    {
        scope.made.owner = scope.symbol(name);
    }
    let mut rule = RuleVars::default();
    let mut left = PatternBuilder::default();
    let left_sort = Resolver::new(scope, Vars::Bind(&mut rule), reporter).with_head().resolve(
        equation.left.whole(),
        None,
        &mut left,
    );
    let mut guard = match &equation.condition {
        Some(condition) => condition::goals(condition, &mut rule, scope, reporter),
        None => Some(Vec::new()),
    };
    let values = values(&equation.values, &mut rule, scope, reporter)?;
    let declared = scope.made.owner.map(|owner| scope.signature.symbols[owner].result);
    let mut right = ExprBuilder::default();
    let right_sort = Resolver::new(scope, Vars::Bound(&rule, "right-hand side"), reporter).resolve(
        equation.right.whole(),
        left_sort.or(declared),
        &mut right,
    );
    let (left_sort, right_sort) = (left_sort?, right_sort?);
    if left_sort != right_sort {
        reporter.report(different_sides(equation, left_sort, right_sort, scope));
        return None;
    }
    let head = head(left, &equation.left, scope, reporter)?;
    if let Some(guard) = &mut guard {
        guard.extend(values);
    }
    let mut rule = Rule {
        name: None,
        vars: rule.vars,
        heads: vec![head],
        guard: guard?,
        body: Body::Replace(right.finish()?),
        span: equation.span,
    };
    (scope.families.is_empty() || has_only_own_parameters(&mut rule, scope, reporter)).then_some(rule)
}

/// Gives variables the values that stand behind `whr`; `None` when something is wrong.
fn values(
    bindings: &[Binding],
    rule: &mut RuleVars,
    scope: &mut Scope<'_>,
    reporter: &mut Reporter,
) -> Option<Vec<Goal>> {
    let found: Vec<Option<(SortId, Expr)>> = bindings
        .iter()
        .map(|binding| {
            let mut builder = ExprBuilder::default();
            let sort = Resolver::new(scope, Vars::Bound(rule, "value of a variable"), reporter).resolve(
                binding.value.whole(),
                None,
                &mut builder,
            )?;
            Some((sort, builder.finish()?))
        })
        .collect();
    let mut goals = Some(Vec::new());
    for (binding, found) in bindings.iter().zip(found) {
        let (name, text) = (binding.name, scope.text(binding.name.name));
        if let Some(declared) = scope.variable(name.name) {
            declared.used.set(true);
        }
        let Some((sort, value)) = found else {
            goals = None;
            continue;
        };
        let Some(var) = rule.give_value(name, text, sort) else {
            reporter.report(
                Diagnostic::error("T0309", format!("`{text}` has a value already"))
                    .label(name.span, "given another one here")
                    .help("name another variable behind `whr`, and use it in the right-hand side"),
            );
            goals = None;
            continue;
        };
        if let Some(goals) = &mut goals {
            let span = name.span.to(binding.value.span());
            goals.push(Goal { kind: GoalKind::Bind { var, value }, span });
        }
    }
    goals
}

/// Whether a left-hand side is an application of a symbol; reports it when not.
fn is_application(left: &Term, scope: &Scope<'_>, reporter: &mut Reporter) -> bool {
    let (what, help) = match left.root().kind {
        NodeKind::Name(name) => match scope.variable(name) {
            Some(_) if scope.symbol(name).is_some() => (
                "a variable",
                format!("write `{0}()` for the constant `{0}`, which the variable hides", scope.text(name)),
            ),
            Some(_) => ("a variable", "a rule rewrites applications of one symbol: `F(...) = ...`".into()),
            None if scope.symbol(name).is_none() && scope.text(name) == WILD => {
                ("`_`", "a rule rewrites applications of one symbol: `F(...) = ...`".into())
            }
            None => return true,
        },
        NodeKind::Call(..) | NodeKind::Power(..) => return true,
        NodeKind::Int(_) | NodeKind::Large { .. } | NodeKind::Float(_) => {
            ("a literal", "numbers are normal forms: declare a function `F` and write `F(...) = ...`".into())
        }
        NodeKind::Apply(_) | NodeKind::Lambda | NodeKind::Parameters(_) => (
            "a function that is a value, or an application of one",
            "give a symbol the result `lambda X: S. T`: `F(...) = lambda X: Nat. S(X)`".into(),
        ),
        NodeKind::Character(_) | NodeKind::Text(..) => {
            ("a literal", "texts are normal forms: declare a function `F` and write `F(...) = ...`".into())
        }
        NodeKind::List(_) => {
            ("a list", "lists are values: declare a function `F` and write `F(...) = ...`".into())
        }
        NodeKind::Prefix(_) | NodeKind::Infix(_) | NodeKind::Match | NodeKind::ListOp(_) => (
            "an application of a built-in operator",
            "operators have their meaning already: declare a function `F` and write `F(...) = ...`".into(),
        ),
    };
    reporter.report(
        Diagnostic::error("T0301", format!("the left-hand side of an equation is {what}"))
            .label(left.span(), "nothing to rewrite")
            .help(help),
    );
    false
}

/// Whether a left-hand side is an application of a built-in function; reports it when it is.
fn is_function(left: &Term, scope: &Scope<'_>, reporter: &mut Reporter) -> bool {
    let (NodeKind::Name(name) | NodeKind::Call(name, _) | NodeKind::Power(name, _)) = left.root().kind else {
        return false;
    };
    let text = scope.text(name);
    let found = scope.symbol(name).is_none()
        && !reporter.is_silenced(name)
        && (Op::term_function(text).is_some()
            || text == IF
            || ListSymbol::named(text).is_some()
            || CharFunction::named(text).is_some());
    if found {
        reporter.report(
            Diagnostic::error("T0302", format!("`{text}` is built in and has no equations"))
                .label(left.span(), "the left-hand side of an equation")
                .help(format!("declare `{text}` in a `map` section: then it is a function of your own")),
        );
    }
    found
}

fn different_sides(equation: &Equation, left: SortId, right: SortId, scope: &Scope<'_>) -> Diagnostic {
    let (left, right) = (scope.sort_name(left), scope.sort_name(right));
    Diagnostic::error(
        "T0203",
        format!("the sides of this equation have different sorts, `{left}` and `{right}`"),
    )
    .label(equation.right.span(), format!("this has sort `{right}`"))
    .label(equation.left.span(), format!("this has sort `{left}`"))
    .help(format!("replace the right-hand side by a term of sort `{left}`"))
}

fn head(left: PatternBuilder, term: &Term, scope: &Scope<'_>, reporter: &mut Reporter) -> Option<Head> {
    let span: Span = term.span();
    let mut root = left.finish()?;
    let PatternKind::App { symbol, args } = &mut root.kind else { return None };
    let (symbol, args) = (*symbol, std::mem::take(args));
    let declared = &scope.signature.symbols[symbol];
    if declared.span.is_none() {
        reporter.report(
            Diagnostic::error("T0302", format!("`{}` is built in and has no equations", declared.name))
                .label(span, "the left-hand side of an equation")
                .help("declare a function of your own, or declare `Bool` in the program"),
        );
        return None;
    }
    Some(Head { role: Role::Removed, atom: HeadAtom::Term { symbol, args }, passive: false, span })
}
