//! Modules of Maude: tests from outside the crate, in one binary.

mod apart;
mod counts;
mod diagnostics;
mod docs;
mod evaluation;
mod floats;
mod growth;
mod matching;
mod modules;
mod properties;
mod rewriting;
mod searching;
mod sorts;
mod strings;

use gchr_base::diagnostic::{Diagnostic, render_all};
use gchr_base::reading::Account;
use gchr_base::source::SourceMap;
use gchr_maude::{Files, Loaded, load};

/// Loads a text, with a term to evaluate.
fn load_text(text: &str, term: Option<&str>) -> (SourceMap, Loaded) {
    let mut sources = SourceMap::new();
    let id = sources.add("test", text);
    let term = term.map(|term| sources.add("--input", term));
    let account = Account::default();
    let loaded = load(&mut sources, id, term, &Files::beside(None, &account));
    assert_eq!(loaded.program.is_none(), loaded.diagnostics.iter().any(Diagnostic::is_error));
    (sources, loaded)
}

/// The normal form of the terms of a text without errors, or of another term.
#[track_caller]
fn value(text: &str, term: Option<&str>) -> String {
    let (sources, loaded) = load_text(text, term);
    let shown = render_all(&loaded.diagnostics, &sources, false);
    let program = loaded.program.unwrap_or_else(|| panic!("{shown}"));
    gchr_terms::testing::normal_form(&program)
}

/// Terms and their values by one text.
#[track_caller]
fn check(text: &str, cases: &[(&str, &str)]) {
    for (term, expected) in cases {
        assert_eq!(&value(text, Some(term)), expected, "{term}");
    }
}
