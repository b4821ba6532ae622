//! The formats of others: tests from outside the crate, in one binary.

mod axioms;
mod conditions;
mod diagnostics;
mod docs;
mod includes;
mod properties;
mod strategies;

use gchr_base::diagnostic::{Diagnostic, render_all};
use gchr_base::reading::Account;
use gchr_base::source::SourceMap;
use gchr_formats::{Files, Format, Loaded, load};

/// Loads a text that comes from no file.
fn load_text(text: &str, format: Format) -> (SourceMap, Loaded) {
    let mut sources = SourceMap::new();
    let id = sources.add("test", text);
    let loaded = load(&mut sources, id, format, &Files::beside(None, &Account::default()));
    assert_eq!(loaded.program.is_none(), loaded.diagnostics.iter().any(Diagnostic::is_error));
    (sources, loaded)
}

/// Loads a text without any finding.
#[track_caller]
fn load_clean(text: &str, format: Format) -> (SourceMap, Loaded) {
    let (sources, loaded) = load_text(text, format);
    assert_eq!(loaded.diagnostics, [], "\n{}", render_all(&loaded.diagnostics, &sources, false));
    (sources, loaded)
}
