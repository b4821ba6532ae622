//! Native code, where there is some for the processor.

use std::sync::{Arc, OnceLock};

use gchr_base::rule;
use gchr_native::terms::Terms;
use gchr_terms::plan::TermPlan;

pub(super) use gchr_native::terms::{Evaluator, Unfinished};

/// Why there is no native code.
pub(super) struct Absent {
    pub why: String,
    /// Whether it was to be expected: nothing is said then, unless native code was asked for.
    pub expected: bool,
}

/// Whether the system refuses executable memory, and why.
pub(super) fn refused() -> Option<Absent> {
    static REFUSED: OnceLock<Option<String>> = OnceLock::new();
    let why = REFUSED.get_or_init(|| gchr_native::probe().err().map(|refused| refused.to_string()));
    why.clone().map(|why| Absent { why, expected: false })
}

/// Code of a program.
pub(super) struct Code(Terms);

impl Code {
    pub fn new(rules: &rule::Program, plan: Arc<TermPlan>) -> Result<Self, gchr_native::Refused> {
        Terms::new(rules, plan).map(Self)
    }

    pub fn evaluator<'a>(&'a self, rules: &'a rule::Program) -> Evaluator<'a> {
        self.0.evaluator(rules)
    }

    /// Milliseconds spent on compiling so far.
    pub fn compile_ms(&self) -> f64 {
        self.0.compile_time().as_secs_f64() * 1e3
    }
}
