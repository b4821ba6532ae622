//! Unused variables, symbols and sorts, and variables that hide a constant.
//!
//! Of texts that the program imports, what it does not use is no finding. Without an `input` the program is a
//! collection of functions for terms given elsewhere: then only variables are looked at.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::hash::HashSet;
use gchr_base::ids::Id;
use gchr_base::rule::{Expr, ExprKind, GoalKind, GroundNode, Head, HeadAtom, PatternKind, Rule, Start};
use gchr_base::signature::{Signature, SortId, SymbolId, SymbolKind};
use gchr_base::source::Span;

use crate::check::Checked;

/// Variables that no equation uses, and variables of the name of a constant.
pub(crate) fn variables(checked: &Checked, diagnostics: &mut Vec<Diagnostic>) {
    for variable in checked.variables.iter().filter(|variable| variable.span.source == checked.source) {
        let name = &variable.text;
        if !variable.used {
            diagnostics.push(
                Diagnostic::warning("T0506", format!("variable `{name}` is never used"))
                    .label(variable.span, "declared here")
                    .help("remove it from its declaration"),
            );
        } else if let Some(constant) = variable.hides {
            let mut warning =
                Diagnostic::warning("T0507", format!("variable `{name}` hides the constant `{name}()`"))
                    .label(variable.span, "the variable");
            if let Some(span) = checked.program.signature.symbols[constant].span {
                warning = warning.label(span, "the constant");
            }
            diagnostics.push(
                warning
                    .note(format!("in equations `{name}` is the variable and `{name}()` the constant"))
                    .help("rename one of the two"),
            );
        }
    }
}

/// Symbols that neither the input nor a rule of another symbol mentions, and sorts of which nothing is used.
pub(crate) fn symbols_and_sorts(checked: &Checked, diagnostics: &mut Vec<Diagnostic>) {
    let program = &checked.program;
    let Start::Term(Some(input)) = &program.start else { return };
    let signature = &program.signature;
    let mut used = vec![false; signature.symbols.len()];
    for node in &input.nodes {
        if let GroundNode::App(symbol) | GroundNode::Repeat(symbol, _) = *node {
            used[checked.origin(symbol).index()] = true;
        }
    }
    // What a `struct` says of its own symbols is no use of them.
    let of_struct =
        |rule: &&Rule| rule.heads.iter().any(|head| head.span == rule.span && is_field(head, checked));
    program.rules.iter().filter(|rule| !of_struct(rule)).for_each(|rule| mark(rule, checked, &mut used));
    let identities = checked.axioms.values().filter_map(|axioms| axioms.identity);
    identities.for_each(|of| used[checked.origin(of).index()] = true);
    // What one instance is used for, all are.
    for id in signature.symbols.ids() {
        used[id.index()] = used[checked.origin(id).index()];
    }
    let unused_sorts = unused_sorts(signature, &used);
    let used_sorts = signature.sorts.iter_enumerated().filter(|(id, _)| !unused_sorts[id.index()]);
    let mut said: HashSet<Span> = used_sorts.filter_map(|(_, sort)| sort.span).collect();
    let own = |span: Option<Span>| span.filter(|span| span.source == checked.source);
    for (id, sort) in signature.sorts.iter_enumerated() {
        if let (true, Some(span)) = (unused_sorts[id.index()], own(sort.span))
            && said.insert(span)
        {
            diagnostics.push(
                Diagnostic::warning("T0505", format!("sort `{}` is never used", sort.name))
                    .label(span, "no rule and no input has a term of this sort")
                    .help("remove it"),
            );
        }
    }
    for (id, symbol) in signature.symbols.iter_enumerated() {
        let Some(span) = own(symbol.span) else { continue };
        if checked.origin(id) != id
            || used[id.index()]
            || unused_sorts[symbol.result.index()]
            || checked.fields.contains(&id)
        {
            continue;
        }
        let (kind, label) = match symbol.kind {
            SymbolKind::Defined => {
                ("function", "neither the input nor a rule of another function applies it")
            }
            _ => ("constructor", "neither a rule nor the input mentions it"),
        };
        diagnostics.push(
            Diagnostic::warning("T0504", format!("{kind} `{}` is never used", symbol.name))
                .label(span, label)
                .help("remove it, or use it"),
        );
    }
}

/// Whether a head is one of a projection or recogniser.
fn is_field(head: &Head, checked: &Checked) -> bool {
    matches!(head.atom, HeadAtom::Term { symbol, .. } if checked.fields.contains(&symbol))
}

/// Marks the symbols of a rule, except its own function: recursion alone is no use.
fn mark(rule: &Rule, checked: &Checked, used: &mut [bool]) {
    let own = rule.heads.iter().find_map(|head| match head.atom {
        HeadAtom::Term { symbol, .. } => Some(symbol),
        HeadAtom::Constraint { .. } => None,
    });
    let own = own.map(|own| checked.origin(own));
    let own = own.map(|own| checked.owners.get(&own).copied().unwrap_or(own));
    let mut set = |symbol: SymbolId| {
        let symbol = checked.origin(symbol);
        if Some(symbol) != own {
            used[symbol.index()] = true;
        }
    };
    let matched = rule.guard.iter().filter_map(|goal| match &goal.kind {
        GoalKind::Match { pattern, .. } => Some(pattern),
        _ => None,
    });
    for pattern in rule.heads.iter().flat_map(|head| head.atom.args()).chain(matched) {
        pattern.walk(&mut |pattern| {
            if let PatternKind::App { symbol, .. } = &pattern.kind {
                set(*symbol);
            }
        });
    }
    rule.walk(&mut |expr: &Expr| {
        if let ExprKind::App { symbol, .. } | ExprKind::Repeat { symbol, .. } = &expr.kind {
            set(*symbol);
        }
    });
}

/// Sorts without a used symbol that no symbol of another sort takes as an argument.
fn unused_sorts(signature: &Signature, used: &[bool]) -> Vec<bool> {
    let mut unused = vec![true; signature.sorts.len()];
    for (id, symbol) in signature.symbols.iter_enumerated() {
        if used[id.index()] {
            unused[symbol.result.index()] = false;
        }
        let others = |arg: &&SortId| **arg != symbol.result;
        symbol.args.iter().filter(others).for_each(|arg| unused[arg.index()] = false);
    }
    unused
}
