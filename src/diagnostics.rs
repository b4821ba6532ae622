//! Diagnostics together with the texts they point into: the error type of everything before a run.

use std::fmt;
use std::sync::Arc;

use gchr_base::diagnostic::{self, Diagnostic};
use gchr_base::limit::Wording;
use gchr_base::source::SourceMap;

/// Findings with the sources they point into.
#[derive(Clone, Debug)]
pub struct Diagnostics {
    sources: Arc<SourceMap>,
    list: Vec<Diagnostic>,
}

impl From<Diagnostic> for Diagnostics {
    /// A finding that is about no text.
    fn from(found: Diagnostic) -> Self {
        Self::new(Arc::new(SourceMap::new()), vec![found])
    }
}

impl Diagnostics {
    pub(crate) fn new(sources: Arc<SourceMap>, list: Vec<Diagnostic>) -> Self {
        Self { sources, list }
    }
    /// The findings, in order of their places.
    pub fn list(&self) -> &[Diagnostic] {
        &self.list
    }
    /// The findings for which `keep` says so, after it changed them.
    pub fn adjusted(&self, mut keep: impl FnMut(&mut Diagnostic) -> bool) -> Self {
        let mut list = self.list.clone();
        list.retain_mut(|found| keep(found));
        Self { sources: Arc::clone(&self.sources), list }
    }
    /// The same, with limits moved as a host has it.
    pub fn in_words(&self, wording: Wording) -> Self {
        self.adjusted(|found| {
            found.in_words(wording);
            true
        })
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
        self.has_error_of(&["D", "I"])
    }
    /// Whether the program may be right and the command line too: a limit was reached (`R02`), the run was interrupted,
    /// or the device failed.
    pub fn blame_the_run(&self) -> bool {
        self.concern_the_device() || self.has_error_of(&["R02"])
    }
    fn has_error_of(&self, families: &[&str]) -> bool {
        self.list.iter().any(|d| d.is_error() && families.iter().any(|family| d.code.starts_with(family)))
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
