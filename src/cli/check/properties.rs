//! What `gchr check --confluence --termination --complete` looks for.

mod json;
mod text;

use std::time::Duration;

use gchr::base::rule::RuleId;
use gchr::base::source::Span;
use gchr::properties::{Asked, Properties};
use gchr::{Diagnostics, Program};

use crate::cli::values;
use crate::cli::watchdog::{self, Phase};

pub use json::json;
pub use text::text;

/// Which properties are asked for.
#[derive(clap::Args)]
pub struct PropertyArgs {
    /// Show whether results depend on the order of rewriting: overlaps of rules, whether they join (.trs and the like)
    #[arg(long)]
    confluence: bool,
    /// Show whether rewriting ends: dependency pairs, and an order for each component (.trs and the like)
    #[arg(long)]
    termination: bool,
    /// Show whether each function has a rule for all arguments, or which patterns are missing (.trs and the like)
    #[arg(long)]
    complete: bool,
    /// Stop after this time, e.g. 10s or 5m, from the start of the process
    #[arg(long, value_name = "T", value_parser = values::duration)]
    timeout: Option<Duration>,
}

impl PropertyArgs {
    /// Whether any property is asked for.
    pub fn is_given(&self) -> bool {
        self.confluence || self.termination || self.complete
    }

    /// `--timeout`.
    pub fn timeout(&self) -> Option<Duration> {
        self.timeout
    }

    /// Looks for what is asked for.
    pub fn look_at(&self, program: &Program) -> Result<Properties, Diagnostics> {
        let asked =
            Asked { confluence: self.confluence, termination: self.termination, completeness: self.complete };
        watchdog::enter(Phase::Prove);
        let known = program.properties(asked, &watchdog::limits());
        if known.as_ref().is_err_and(Diagnostics::blame_the_run) {
            watchdog::heard();
        }
        watchdog::enter(Phase::Read);
        known
    }
}

/// The place of a rule: file and line.
fn place_of(program: &Program, rule: RuleId) -> (&str, usize) {
    place(program, program.rules().rules[rule].span)
}

fn place(program: &Program, span: Span) -> (&str, usize) {
    let sources = program.sources();
    (&sources.get(span.source).name, sources.line_column(span).0)
}
