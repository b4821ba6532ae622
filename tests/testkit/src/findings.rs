//! What tests hold findings of a text to.

use gchr_base::diagnostic::{Diagnostic, render_all};
use gchr_base::source::SourceMap;

/// Every finding shows a place and a way out.
#[track_caller]
pub fn are_complete(diagnostics: &[Diagnostic]) {
    for diagnostic in diagnostics {
        assert!(diagnostic.help.is_some(), "{} shows a way out", diagnostic.code);
        assert!(!diagnostic.labels.is_empty(), "{} shows a place", diagnostic.code);
    }
}

/// Codes of findings, and the source text of the primary place of each.
#[track_caller]
pub fn check(sources: &SourceMap, diagnostics: &[Diagnostic], expected: &[(&str, &str)]) {
    are_complete(diagnostics);
    let found: Vec<_> = diagnostics.iter().map(|d| (d.code, sources.snippet(d.labels[0].span))).collect();
    assert_eq!(found, expected, "\n{}", render_all(diagnostics, sources, false));
}
