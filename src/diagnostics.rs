//! Diagnostics together with the texts they point into: the error type of everything before a run.

use std::fmt;
use std::sync::Arc;

use gchr_base::diagnostic::{self, Diagnostic};
use gchr_base::source::SourceMap;

/// Findings with the sources they point into.
#[derive(Clone, Debug)]
pub struct Diagnostics {
    sources: Arc<SourceMap>,
    list: Vec<Diagnostic>,
}

impl Diagnostics {
    pub(crate) fn new(sources: Arc<SourceMap>, list: Vec<Diagnostic>) -> Self {
        Self { sources, list }
    }
    /// The findings, in order of their places.
    pub fn list(&self) -> &[Diagnostic] {
        &self.list
    }
    /// The texts that the findings point into.
    pub fn sources(&self) -> &SourceMap {
        &self.sources
    }
    /// Number of errors and of warnings.
    pub fn counts(&self) -> (usize, usize) {
        let errors = self.list.iter().filter(|d| d.is_error()).count();
        (errors, self.list.len() - errors)
    }
    /// Whether the cause is a device or gchr itself, and not the program or how it was started.
    pub fn concern_the_device(&self) -> bool {
        self.list.iter().any(|d| d.is_error() && d.code.starts_with(['D', 'I']))
    }
    /// Whether a limit of the run was reached, before it began.
    pub fn is_of_a_limit(&self) -> bool {
        self.list.iter().any(|d| d.is_error() && d.code.starts_with("R02"))
    }
    /// All findings as they are shown on a terminal, with source lines and carets.
    pub fn render(&self, color: bool) -> String {
        diagnostic::render_all(&self.list, &self.sources, color)
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl std::error::Error for Diagnostics {}

/// A device cannot show single rule applications.
pub(crate) fn trace_missing() -> Diagnostic {
    Diagnostic::error("U0105", "--trace is for --device cpu: a device applies many rules at once")
        .help("leave out --trace, or give --device cpu")
}
