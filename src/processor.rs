//! Programs on the processor: the interpreters, and native code for runs that take longer than a moment.
//!
//! A run is interpreted first: most are over before a function is compiled. One that is not starts again with native
//! code, which is as good as going on, for it has had no effects. Native code has integers of 64 bits: where those of a
//! program have any size and a result does not fit, the run starts again and is interpreted to its end. Runs that are
//! traced or recorded are interpreted.

mod refined;

#[cfg_attr(
    not(all(feature = "native", unix, any(target_arch = "x86_64", target_arch = "aarch64"))),
    path = "processor/absent.rs"
)]
mod native;

pub(crate) use refined::run_refined;

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use gchr_base::control::Control;
use gchr_base::diagnostic::Diagnostic;
use gchr_base::error::StopReason;
use gchr_base::op::ArithmeticError;
use gchr_base::rule::{self, GroundNode, GroundTerm};
use gchr_base::stats::Stats;
use gchr_terms::exec::{Evaluation, Evaluator, NormalForm, Prepared, Stopped};
use gchr_terms::plan::{TermOptions, TermPlan, compile};

use crate::options::{CompileOptions, Native};

/// Rule applications that are interpreted before a run starts again with native code that is there: less than a
/// millisecond.
const TRIAL: u64 = 1 << 16;

/// Rule applications that are interpreted for each step of a plan before it is compiled, and the most for a plan: about
/// half the time that compiling all of it takes, since runs rarely need all of it (floyd and bitonic sort: 0.09 ms a
/// step). Who waits as long as that at first takes at most twice the time of who knows how long the run takes.
const TRIAL_OF_STEP: u64 = 1 << 11;
const LONGEST_TRIAL: u64 = 1 << 21;

/// Why runs are interpreted although they should not be.
pub(crate) fn native_warnings(native: Native) -> Vec<Diagnostic> {
    let refused = (native != Native::Off).then(native::refused).flatten();
    let wanted = native == Native::On;
    let found = refused.filter(|refused| wanted || !refused.expected).map(|refused| {
        Diagnostic::warning("U0116", format!("the program is interpreted: {}", refused.why))
            .help("--native off leaves out the attempt")
    });
    found.into_iter().collect()
}

/// A term program for the processor.
pub(crate) struct CpuTerms {
    plan: TermPlan,
    options: TermOptions,
    native: Native,
    /// How many threads may share a run.
    threads: NonZeroUsize,
    /// Made when a run needs it; none where it is refused.
    code: OnceLock<Option<native::Code>>,
    /// The same for threads that share a run; none also where no two calls can run side by side.
    shared: OnceLock<Option<native::SharedCode>>,
    /// Rule applications that are interpreted before there is code, and those that were so far, by all runs.
    trial: u64,
    interpreted: AtomicU64,
}

impl CpuTerms {
    /// Makes the plan.
    pub fn new(rules: &rule::Program, options: &CompileOptions) -> Result<Self, Vec<Diagnostic>> {
        let plan = compile(rules, &options.to_term_options())?;
        let native = if options.trace { Native::Off } else { options.native };
        let steps: usize = plan.functions.iter().map(|function| function.region.body.size()).sum();
        Ok(Self {
            trial: (steps as u64 * TRIAL_OF_STEP).min(LONGEST_TRIAL),
            interpreted: AtomicU64::new(0),
            plan,
            options: options.to_term_options(),
            native,
            threads: options.threads(),
            code: OnceLock::new(),
            shared: OnceLock::new(),
        })
    }

    /// The plan that is interpreted.
    pub fn plan(&self) -> &TermPlan {
        &self.plan
    }

    /// Why runs are interpreted although they should not be.
    pub fn warnings(&self) -> Vec<Diagnostic> {
        native_warnings(self.native)
    }

    /// Bytecode for runs; `records`: for runs that are recorded, which are interpreted.
    pub fn prepare<'a>(
        &'a self,
        rules: &'a rule::Program,
        records: bool,
    ) -> Result<PreparedTerms<'a>, Box<Stopped>> {
        let interpreter = Prepared::new(rules, &self.plan, records)?;
        Ok(PreparedTerms { rules, terms: self, interpreter, records })
    }

    /// Normalises a term.
    pub fn run(
        &self,
        rules: &rule::Program,
        term: &GroundTerm,
        control: &mut Control<'_>,
    ) -> Result<Evaluation, Box<Stopped>> {
        let prepared = self.prepare(rules, control.records())?;
        let mut evaluator = prepared.evaluator();
        evaluator.shares = self.threads > NonZeroUsize::MIN;
        evaluator.run(term, control)
    }

    /// Rule applications that a run is interpreted for at first.
    fn trial(&self) -> u64 {
        if self.code.get().is_some() || self.shared.get().is_some() {
            return TRIAL;
        }
        self.trial.saturating_sub(self.interpreted.load(Ordering::Relaxed)).max(TRIAL)
    }

    fn code(&self, rules: &rule::Program) -> Option<&native::Code> {
        let make = || {
            let plan = compile(rules, &self.options.native()).ok()?;
            native::Code::new(rules, Arc::new(plan)).ok()
        };
        self.code.get_or_init(make).as_ref()
    }

    fn shared_code(&self, rules: &rule::Program) -> Option<&native::SharedCode> {
        let make = || {
            let plan = compile(rules, &self.options.shared()).ok()?;
            let splits = plan.functions.iter().any(|function| function.region.body.has_siblings());
            splits.then(|| native::SharedCode::new(rules, Arc::new(plan)).ok()).flatten()
        };
        self.shared.get_or_init(make).as_ref()
    }
}

/// A term program with its bytecode. Any number of threads can run it.
pub(crate) struct PreparedTerms<'a> {
    rules: &'a rule::Program,
    terms: &'a CpuTerms,
    interpreter: Prepared<'a>,
    records: bool,
}

impl<'a> PreparedTerms<'a> {
    /// An evaluator without memory of its own so far.
    pub fn evaluator(&'a self) -> TermEvaluator<'a> {
        let interpreter = self.interpreter.evaluator();
        TermEvaluator { prepared: self, interpreter, native: None, was_native: false, shares: false }
    }
}

/// Runs terms one after the other.
pub(crate) struct TermEvaluator<'a> {
    prepared: &'a PreparedTerms<'a>,
    interpreter: Evaluator<'a>,
    native: Option<native::Evaluator<'a>>,
    /// Whether the last normal form was found by native code.
    was_native: bool,
    /// Whether several threads may share a run.
    shares: bool,
}

impl TermEvaluator<'_> {
    /// Normalises a term.
    pub fn run(&mut self, term: &GroundTerm, control: &mut Control<'_>) -> Result<Evaluation, Box<Stopped>> {
        let PreparedTerms { rules, terms, records, .. } = *self.prepared;
        self.was_native = false;
        if terms.native == Native::Off || records || control.traces() {
            return self.interpreter.run(term, control);
        }
        if terms.native == Native::Auto && is_small(term) {
            let trial = terms.trial();
            let done = self.interpreter.run_for(term, control, trial)?;
            let applied = done.as_ref().map_or(trial, |done| done.stats.rewrites.unwrap_or(trial));
            terms.interpreted.fetch_add(applied, Ordering::Relaxed);
            if let Some(done) = done {
                return Ok(done);
            }
            self.interpreter.release();
        }
        if let Some(code) = self.shares.then(|| terms.shared_code(rules)).flatten() {
            match code.run(rules, terms.threads, term, control) {
                Ok(Some(done)) => return Ok(done),
                Err(native::Unfinished::Stopped(stopped)) if exceeds(rules, &stopped) => {
                    return self.interpreter.run(term, control);
                }
                Err(native::Unfinished::Stopped(stopped)) => return Err(stopped),
                // One thread comes to the same end, or says what it is.
                Ok(None) | Err(native::Unfinished::Refused(_)) => {}
            }
        }
        let Some(code) = terms.code(rules) else { return self.interpreter.run(term, control) };
        let native = self.native.get_or_insert_with(|| code.evaluator(rules));
        let native_ms = |stats: Stats| Stats { native_ms: Some(code.compile_ms()), ..stats };
        match native.run(term, control) {
            Ok(Evaluation { normal_form, stats }) => {
                self.was_native = true;
                Ok(Evaluation { normal_form, stats: native_ms(stats) })
            }
            Err(native::Unfinished::Stopped(stopped)) => {
                if exceeds(rules, &stopped) {
                    self.native = None;
                    return self.interpreter.run(term, control);
                }
                let Stopped { error, stats, results } = *stopped;
                Err(Box::new(Stopped { error, stats: native_ms(stats), results }))
            }
            Err(native::Unfinished::Refused(_)) => self.interpreter.run(term, control),
        }
    }

    /// Takes the cells of the last normal form back for the next run.
    pub fn recycle(&mut self, normal_form: NormalForm) {
        match &mut self.native {
            Some(native) if self.was_native => native.recycle(normal_form),
            _ => self.interpreter.recycle(normal_form),
        }
    }
}

/// Whether native code came to an integer of more than 64 bits, or to a normal form of their sort that is no number, in
/// a program whose integers have any size.
fn exceeds(rules: &rule::Program, stopped: &Stopped) -> bool {
    let of_any_size = rules.signature.big_integers;
    let reason = &stopped.error.reason;
    of_any_size
        && matches!(
            reason,
            StopReason::Arithmetic { error: ArithmeticError::Overflow, .. } | StopReason::NoRule { .. }
        )
}

/// Whether a term takes little time to build.
fn is_small(term: &GroundTerm) -> bool {
    let size =
        |node: &GroundNode| if let GroundNode::Repeat(_, count) = node { u64::from(*count) } else { 1 };
    term.nodes.iter().map(size).sum::<u64>() < TRIAL
}

#[cfg(test)]
#[path = "processor/tests.rs"]
mod tests;
