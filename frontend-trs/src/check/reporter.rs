//! Findings about a program, each reported once.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::hash::HashSet;

use crate::ast::Name;

/// Findings, and what has been reported already.
#[derive(Default)]
pub(crate) struct Reporter {
    pub diagnostics: Vec<Diagnostic>,
    /// Names whose declaration is broken, or that were reported as unknown: one report is enough.
    silenced: HashSet<Name>,
}

impl Reporter {
    pub fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// No more reports that this name is unknown.
    pub fn silence(&mut self, name: Name) {
        self.silenced.insert(name);
    }

    /// Whether an unknown name is still to be reported; false from the second time on.
    pub fn first_report(&mut self, name: Name) -> bool {
        self.silenced.insert(name)
    }

    /// Whether the declaration of this name is broken, or its use was reported already.
    pub fn is_silenced(&self, name: Name) -> bool {
        self.silenced.contains(&name)
    }

    /// Whether suggestions are still worth their time.
    pub fn suggests(&self) -> bool {
        self.diagnostics.len() < 50
    }
}
