//! Native code, where there is some for the processor.

use std::num::NonZeroUsize;
use std::sync::{Arc, OnceLock};

use gchr_base::control::Control;
use gchr_base::facts::Facts;
use gchr_base::rule::{self, GroundTerm};
use gchr_base::stats::Stats;
use gchr_constraints::exec::{Outcome, Stopped};
use gchr_constraints::plan::ChrPlan;
use gchr_native::constraints;
use gchr_native::terms::{SharedTerms, Terms};
use gchr_terms::exec::Evaluation;
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

/// Code of a program whose runs several threads share.
pub(super) struct SharedCode(SharedTerms);

impl SharedCode {
    pub fn new(rules: &rule::Program, plan: Arc<TermPlan>) -> Result<Self, gchr_native::Refused> {
        SharedTerms::new(rules, plan).map(Self)
    }

    /// Normalises a term; `None`: the run is to be repeated by one thread.
    pub fn run(
        &self,
        rules: &rule::Program,
        threads: NonZeroUsize,
        term: &GroundTerm,
        control: &mut Control<'_>,
    ) -> Result<Option<Evaluation>, Unfinished> {
        let done = self.0.workers(rules, threads).run(term, control)?;
        let compile_ms = self.0.compile_time().as_secs_f64() * 1e3;
        let native = |stats| Stats { native_ms: Some(compile_ms), ..stats };
        Ok(done.map(|done| Evaluation { stats: native(done.stats), ..done }))
    }
}

/// Runs a constraint program under the refined semantics; no reason of a failure means that it is to be interpreted.
pub(super) fn run_constraints(
    rules: &rule::Program,
    plan: &ChrPlan,
    facts: &[Facts],
    control: &mut Control<'_>,
) -> Result<Outcome, Option<Box<Stopped>>> {
    constraints::run(rules, plan, facts, control).map_err(|unfinished| match unfinished {
        constraints::Unfinished::Stopped(stopped) => Some(stopped),
        constraints::Unfinished::Refused(_) => None,
    })
}
