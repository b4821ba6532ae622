//! Missing cases of functions, and rules that can never apply.

use gchr_base::cases::{Effort, Example, Matrix, Question, Values};
use gchr_base::diagnostic::Diagnostic;
use gchr_base::hash::HashSet;
use gchr_base::ids::Id;
use gchr_base::rule::{Pattern, PatternKind, Program, RuleId};
use gchr_base::signature::{SortId, SortKind, SymbolId, SymbolKind};

use crate::check::Checked;

use super::index::Index;
use super::values::examples;
use super::{Function, show};

/// Warns of functions with a term, built from constructors, that no left-hand side matches. Conditions are taken to
/// hold and repeated variables to be equal: whether a condition is always true is not decided.
pub(crate) fn missing_cases(
    checked: &Checked,
    functions: &[Function<'_>],
    effort: &Effort,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let signature = &checked.program.signature;
    let values = Values::constructors(signature);
    let any = examples(signature);
    // A projection is for some of the constructors.
    for function in functions.iter().filter(|function| !checked.fields.contains(&function.symbol)) {
        let symbol = &signature.symbols[function.symbol];
        let mut matrix = Matrix::new(signature, &values, effort);
        function.cases.iter().for_each(|case| matrix.push(case.args));
        let Question::Yes(args) = matrix.uncovered(&symbol.args) else { continue };
        // A sort without constructors has no values to miss.
        let empty = |sort: &SortId| any[sort.index()].is_none() && values.heads(*sort).is_empty();
        if symbol.args.iter().any(empty) || args.iter().any(|arg| mentions(arg, &empty)) {
            continue;
        }
        if modulo_axioms(checked, function) || args.iter().any(|arg| has_axioms(checked, arg)) {
            continue;
        }
        let example = show::example(signature, function.symbol, &args, &any);
        let Some(span) = symbol.span else { continue };
        // Numbers of a machine word have no applications among them.
        let stays = signature.kind(symbol.result) == SortKind::Data || signature.big_integers;
        let (note, help) = match stays {
            true => ("is a normal form: it stays as it is", ", unless that is what you want"),
            false => ("is no number: a run that comes to it ends with an error", ""),
        };
        diagnostics.push(
            Diagnostic::warning("T0503", format!("no rule of `{}` matches `{example}`", symbol.name))
                .label(span, "some arguments of this function have no rule")
                .note(format!("`{example}` {note}"))
                .help(format!("add an equation for `{example}`{help}")),
        );
    }
}

/// Whether rules of a function match modulo axioms. Of the ways to write such a term, one with a rule is enough.
fn modulo_axioms(checked: &Checked, function: &Function<'_>) -> bool {
    let mut found = checked.axioms.contains_key(&function.symbol);
    for arg in function.cases.iter().flat_map(|case| case.args) {
        arg.walk(&mut |pattern| {
            if let PatternKind::App { symbol, .. } = &pattern.kind {
                found |= checked.axioms.contains_key(symbol);
            }
        });
    }
    found
}

/// Whether a term has a symbol with axioms.
fn has_axioms(checked: &Checked, example: &Example) -> bool {
    match example {
        Example::Any(_) | Example::Const(_) => false,
        Example::App(symbol, args) => {
            checked.axioms.contains_key(symbol) || args.iter().any(|arg| has_axioms(checked, arg))
        }
    }
}

fn mentions(example: &Example, empty: &impl Fn(&SortId) -> bool) -> bool {
    match example {
        Example::Any(sort) => empty(sort),
        Example::Const(_) => false,
        Example::App(_, args) => args.iter().any(|arg| mentions(arg, empty)),
    }
}

/// Warns of rules whose every redex an earlier rule takes, and of those that match what is no normal form, and returns
/// them.
pub(crate) fn unreachable_rules(
    program: &Program,
    functions: &[Function<'_>],
    values: &Values,
    effort: &Effort,
    diagnostics: &mut Vec<Diagnostic>,
) -> HashSet<RuleId> {
    let mut unreachable = HashSet::default();
    let is_declared = |function: &&Function<'_>| program.signature.symbols[function.symbol].span.is_some();
    for function in functions.iter().filter(is_declared) {
        // The rules that certainly take what they match.
        let (mut certain, mut index) = (Vec::new(), Index::default());
        for (i, case) in function.cases.iter().enumerate() {
            if let Some(pattern) = never_a_value(program, values, case.args) {
                unreachable.insert(case.id);
                diagnostics.push(no_such_argument(program, function, i, pattern));
                continue;
            }
            let earlier: Vec<usize> = index.candidates(case.args).map(|at| certain[at]).collect();
            if !effort.spend(earlier.len()) {
                return unreachable;
            }
            let mut matrix = Matrix::new(&program.signature, values, effort);
            earlier.iter().for_each(|&at| matrix.push(function.cases[at].args));
            if i > 0 && matches!(matrix.useful(case.args), Question::No) {
                unreachable.insert(case.id);
                diagnostics.push(warning(program, function, i, &earlier));
            }
            if case.certain() {
                certain.push(i);
                index.push(case.args);
            }
        }
    }
    unreachable
}

/// A pattern for an application of a function that always rewrites: arguments are normal forms, hence no such
/// application.
fn never_a_value<'p>(program: &Program, values: &Values, args: &'p [Pattern]) -> Option<&'p Pattern> {
    let mut found = None;
    for arg in args {
        arg.walk(&mut |pattern| {
            if let PatternKind::App { symbol, .. } = pattern.kind
                && program.signature.symbols[symbol].kind == SymbolKind::Defined
                && !values.is_head(symbol)
            {
                found.get_or_insert(pattern);
            }
        });
    }
    found
}

fn no_such_argument(program: &Program, function: &Function<'_>, at: usize, pattern: &Pattern) -> Diagnostic {
    let name = |symbol: SymbolId| &program.signature.symbols[symbol].name;
    let inner = match pattern.kind {
        PatternKind::App { symbol, .. } => name(symbol),
        _ => name(function.symbol),
    };
    Diagnostic::warning("T0501", format!("this rule of `{}` never applies", name(function.symbol)))
        .label(function.cases[at].rule.heads[0].span, "never matches")
        .label(
            pattern.span,
            format!("`{inner}` has a rule for every argument, so this is never a normal form"),
        )
        .note("rewriting is innermost: arguments are rewritten to normal forms before a rule is tried")
        .help(format!("match the constructors that `{inner}` gives, or remove this rule"))
}

/// `earlier`: rules that may match the same terms.
fn warning(program: &Program, function: &Function<'_>, at: usize, earlier: &[usize]) -> Diagnostic {
    let name = &program.signature.symbols[function.symbol].name;
    let place = |i: usize| function.cases[i].rule.heads[0].span;
    let warning = Diagnostic::warning("T0501", format!("this rule of `{name}` never applies"))
        .label(place(at), "everything that this matches is rewritten by an earlier rule");
    let args = function.cases[at].args;
    let more_general = |&&i: &&usize| is_instance(args, function.cases[i].args);
    let warning = match earlier.iter().find(more_general) {
        Some(&i) => warning.label(place(i), "this rule comes first and is at least as general"),
        None => warning.note("the earlier rules together cover all its cases"),
    };
    warning.help("rules are tried in textual order: move the special case up, or remove this rule")
}

/// Whether `special` is `general` with terms for its variables, all of which are different.
pub(crate) fn is_instance(special: &[Pattern], general: &[Pattern]) -> bool {
    let mut pairs: Vec<(&Pattern, &Pattern)> = special.iter().zip(general).collect();
    while let Some((special, general)) = pairs.pop() {
        match (&special.kind, &general.kind) {
            (_, PatternKind::Wild | PatternKind::Var(_)) => {}
            (PatternKind::Const(a), PatternKind::Const(b)) if a == b => {}
            (PatternKind::App { symbol: f, args: a }, PatternKind::App { symbol: g, args: b }) if f == g => {
                pairs.extend(a.iter().zip(b));
            }
            _ => return false,
        }
    }
    true
}
