//! The data part of mCRL2 specifications: tests from outside the crate, in one binary.

mod diagnostics;
mod docs;
mod evaluation;
mod properties;

use gchr_base::diagnostic::{Diagnostic, render_all};
use gchr_base::source::SourceMap;
use gchr_mcrl2::{Loaded, load};

/// Loads a text, with a term to evaluate.
fn load_text(text: &str, term: Option<&str>) -> (SourceMap, Loaded) {
    let mut sources = SourceMap::new();
    let id = sources.add("test", text);
    let term = term.map(|term| sources.add("--input", term));
    let loaded = load(&sources, id, term);
    assert_eq!(loaded.program.is_none(), loaded.diagnostics.iter().any(Diagnostic::is_error));
    (sources, loaded)
}

/// The normal form of a term by a text without errors.
#[track_caller]
fn value(text: &str, term: &str) -> String {
    let (sources, loaded) = load_text(text, Some(term));
    let shown = render_all(&loaded.diagnostics, &sources, false);
    let program = loaded.program.unwrap_or_else(|| panic!("{shown}"));
    gchr_terms::testing::normal_form(&program)
}
