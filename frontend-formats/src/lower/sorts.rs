//! The sort of every subterm, from the root down: what stands below a symbol has the sort that it declares.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::names::Name;
use gchr_base::signature::SortId;
use gchr_base::suggest::nearest;

use super::scope::{Meaning, Scope};
use crate::term::{Node, Term};

/// Most errors that are reported for one term.
const MAX_ERRORS: usize = 20;

/// The sorts of the nodes of a term that stands where a sort is expected; `None` when something is wrong, which then is
/// reported. `bound` knows the sorts of variables that have occurred before.
pub(super) fn of(
    term: &Term,
    expected: Option<SortId>,
    scope: &Scope<'_>,
    bound: &dyn Fn(Name) -> Option<SortId>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Vec<SortId>> {
    let before = diagnostics.len();
    let mut sorts = vec![None; term.nodes.len()];
    let mut expected = vec![expected];
    // The last node is the root, and below it the last argument comes first.
    for (at, node) in term.nodes.iter().enumerate().rev() {
        if diagnostics.len() >= before + MAX_ERRORS {
            return None;
        }
        let wanted = expected.pop().flatten();
        let mut below: Vec<Option<SortId>> = vec![None; node.arity as usize];
        let found = match scope.meaning(node.name, node.arity) {
            Meaning::Symbol(symbol) => {
                let declared = &scope.signature.symbols[symbol];
                if declared.args.len() == below.len() {
                    below = declared.args.iter().copied().map(Some).collect();
                } else {
                    diagnostics.push(wrong_arity(node, &declared.name, declared.args.len()));
                }
                Some(declared.result)
            }
            Meaning::Repeat(symbol, _) => {
                below = vec![Some(scope.signature.symbols[symbol].result)];
                below.first().copied().flatten()
            }
            Meaning::Variable(declared) => {
                let sort = declared.or_else(|| bound(node.name)).or(wanted);
                if node.arity > 0 {
                    diagnostics.push(wrong_arity(node, scope.text(node.name), 0));
                } else if sort.is_none() {
                    diagnostics.push(no_sort(node, scope));
                }
                sort
            }
            Meaning::Unknown => {
                diagnostics.push(unknown(node, scope));
                None
            }
        };
        if let (Some(found), Some(wanted)) = (found, wanted)
            && found != wanted
        {
            let (found, wanted) = (scope.sort_name(found), scope.sort_name(wanted));
            diagnostics.push(
                Diagnostic::error("T1201", format!("`{}` has sort `{found}`", scope.text(node.name)))
                    .label(node.span, format!("a term of sort `{wanted}` is expected here"))
                    .help(format!("write a term of sort `{wanted}`")),
            );
        }
        sorts[at] = found.or(wanted);
        expected.extend(below);
    }
    if diagnostics.len() > before { None } else { sorts.into_iter().collect() }
}

fn wrong_arity(node: &Node, name: &str, declared: usize) -> Diagnostic {
    let count = |n: usize| match n {
        0 => "no arguments".to_string(),
        1 => "1 argument".to_string(),
        n => format!("{n} arguments"),
    };
    let found = count(node.arity as usize);
    Diagnostic::error("T1103", format!("`{name}` takes {}, found {found}", count(declared)))
        .label(node.span, format!("applied to {found}"))
        .help("a symbol has one number of arguments, wherever it occurs")
}

fn no_sort(node: &Node, scope: &Scope<'_>) -> Diagnostic {
    let text = scope.text(node.name);
    Diagnostic::error("T1202", format!("the sort of variable `{text}` is not known"))
        .label(node.span, "first used here")
        .help("let it occur below a symbol, whose declaration says which sort it has")
}

fn unknown(node: &Node, scope: &Scope<'_>) -> Diagnostic {
    let text = scope.text(node.name);
    let near = nearest(text, scope.signature.symbols.iter().map(|symbol| symbol.name.as_str()));
    Diagnostic::error("T1102", format!("unknown symbol `{text}`")).label(node.span, "not declared").help(
        match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("declare `{text}`"),
        },
    )
}
