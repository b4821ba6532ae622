//! What a format has and gchr does not run: it is named with its place, as an error where results would change, else
//! as a warning.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::source::Span;

use crate::tokens::Fail;

/// Something without which the system would mean something else.
pub(crate) fn unsupported(span: Span, what: &str, help: &str) -> Fail {
    Box::new(Diagnostic::error("T1401", what).label(span, "this").help(help))
}

/// Something that is read and has no effect on results.
pub(crate) fn skipped(span: Span, what: &str) -> Diagnostic {
    Diagnostic::warning("T1403", what)
        .label(span, "skipped")
        .help("`gchr run FILE --input TERM` rewrites a term by the rules")
}

/// Rules of a relative system, which are rules like any other here.
pub(crate) fn relative(first: Span, count: usize) -> Diagnostic {
    let rules = if count == 1 { "rule is".to_string() } else { format!("rules, {count} of them, are") };
    Diagnostic::warning("T1402", format!("the relative {rules} applied like any other"))
        .label(first, "the first one")
        .note("which rules count matters for termination only; normal forms are the same")
        .help("gchr evaluates terms by all rules, in textual order")
}
