//! Diagnostics: what is wrong, where, why, and the way out. Frontends, verifiers and executors all report through this
//! type.

mod excerpt;
mod numbers;
mod render;
mod shown;

pub use render::{render, render_all};

use crate::limit::{Limit, Wording};
use crate::source::Span;

/// How bad a diagnostic is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// The program runs, but the user probably wants to know.
    Warning,
    /// The program does not run.
    Error,
}

/// A place with a short text that says what is there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// What is there, e.g. "this has sort Nat".
    pub text: String,
}

/// One finding. The first label is the primary place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// Stable code such as `T0102`: `T` term frontend, `C` constraint frontend, `R` run time, `D` device,
    /// `K` kernel text, `S` µ-SIMD, `U` usage and files, `I` internal check.
    pub code: &'static str,
    /// Error or warning.
    pub severity: Severity,
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
    /// Places; empty only when there is no source text to point at (a missing file, a limit).
    pub labels: Vec<Label>,
    /// Causes and facts that help to understand.
    pub notes: Vec<String>,
    /// The way out.
    pub help: Option<String>,
    /// The limit that was reached, where it is one: then `help` says how to move it, as [`in_words`](Self::in_words)
    /// has it.
    pub limit: Option<Limit>,
}

impl Diagnostic {
    /// An error with a code and a message.
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, message.into())
    }
    /// A warning with a code and a message.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, message.into())
    }
    fn new(severity: Severity, code: &'static str, message: String) -> Self {
        Self { code, severity, message, labels: Vec::new(), notes: Vec::new(), help: None, limit: None }
    }
    /// Adds a place; the first one added is the primary place.
    #[must_use]
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }
    /// Adds a cause or a fact.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }
    /// Says the way out.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }
    /// Names the limit that was reached. The way out is to move it; [`in_words`](Self::in_words) says it anew.
    #[must_use]
    pub fn limit(mut self, limit: Limit) -> Self {
        self.limit = Some(limit);
        self.in_words(Limit::in_library);
        self
    }
    /// Says how a limit is moved as a host has it. Hosts do so to what they show.
    pub fn in_words(&mut self, wording: Wording) {
        if let Some(limit) = self.limit {
            self.help = Some(wording(limit).into());
        }
    }
    /// Whether this is an error.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// Whether any of the diagnostics is an error.
pub fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(Diagnostic::is_error)
}

/// Keeps the first `most` findings of a text that has more: a text with very many is not what it is taken for. `more`
/// says so, at the place of the first one that is left out, with this label there.
pub fn shorten(diagnostics: &mut Vec<Diagnostic>, most: usize, more: Diagnostic, label: &str) {
    let place = diagnostics.get(most).and_then(|d| d.labels.first()).map(|label| label.span);
    if let Some(place) = place {
        diagnostics.truncate(most);
        diagnostics.push(more.label(place, label));
    }
}

/// Sorts by place (then code), so that output does not depend on the order of the checks.
pub fn sort(diagnostics: &mut [Diagnostic]) {
    diagnostics.sort_by_key(|d| (d.labels.first().map(|l| l.span), d.code));
}
