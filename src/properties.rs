//! What can be shown of a term program without running it: confluence, termination, completeness.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::watch::Watch;

pub use gchr_properties::{
    Argument, Cases, Completeness, Component, Confluence, DependencyPair, FunctionCases, Interpretation,
    Joining, Order, Outside, Overlap, Reason, Side, Step, Termination, Verdict,
};

use crate::diagnostics::Diagnostics;
use crate::program::{Language, Program};
use crate::stack::with_large_stack;

/// Which properties are asked for.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Asked {
    /// Whether results depend on the order of rewriting.
    pub confluence: bool,
    /// Whether rewriting ends.
    pub termination: bool,
    /// Whether each function has a rule for all arguments.
    pub completeness: bool,
}

/// What is known of those that were asked for.
#[derive(Clone, PartialEq, Debug)]
pub struct Properties {
    /// Whether results depend on the order of rewriting.
    pub confluence: Option<Confluence>,
    /// Whether rewriting ends.
    pub termination: Option<Termination>,
    /// Whether each function has a rule for all arguments.
    pub completeness: Option<Completeness>,
}

impl Properties {
    /// Whether the program has all of them that were asked for, as far as is shown.
    pub fn are_shown(&self) -> bool {
        self.confluence.as_ref().is_none_or(Confluence::is_shown)
            && self.termination.as_ref().is_none_or(Termination::is_shown)
            && self.completeness.as_ref().is_none_or(Completeness::is_shown)
    }
}

impl Program {
    /// Looks for properties of a term program. Fails for a constraint program, and when the watch says so.
    pub fn properties(&self, asked: Asked, watch: &Watch<'_>) -> Result<Properties, Diagnostics> {
        if self.language() != Language::Terms {
            let message = "confluence, termination and completeness are looked for in term programs only";
            let help = "ask for them in a .trs, .rec, .ari, .mcrl2 or .maude program";
            return Err(self.diagnostics(vec![Diagnostic::error("U0105", message).help(help)]));
        }
        let rules = self.rules();
        let look = || {
            let confluence =
                asked.confluence.then(|| gchr_properties::confluence(rules, watch)).transpose()?;
            let known = confluence.as_ref().and_then(|found| found.termination.clone());
            let look = || known.map_or_else(|| gchr_properties::termination(rules, watch), Ok);
            let termination = asked.termination.then(look).transpose()?;
            let completeness =
                asked.completeness.then(|| gchr_properties::completeness(rules, watch)).transpose()?;
            Ok(Properties { confluence, termination, completeness })
        };
        with_large_stack(look).map_err(|reason: gchr_base::stop::StopReason| {
            let note = "while properties of the program were looked for";
            self.diagnostics(vec![reason.to_diagnostic().note(note)])
        })
    }
}
