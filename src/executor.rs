//! The interface of executors: an [`Executor`] compiles a program for one kind of device under one semantics, a
//! [`Compiled`] program runs. `executors` has the implementations and their registry.

use std::fmt::Display;
use std::sync::Arc;

use gchr_base::control::Control;
use gchr_base::diagnostic::Diagnostic;
use gchr_base::error::RunError;
use gchr_base::rule::{self, GroundTerm};
use gchr_base::source::Span;
use gchr_base::stats::Stats;
use gchr_constraints::exec::Store;
use gchr_constraints::rounds::checkpoint::Checkpoints;
use gchr_kernel::device::DeviceError;
use gchr_runtime::outcome;

use crate::options::{CompileOptions, KernelTier};
use crate::output::{Answer, Left, SchedulerReport};
use crate::processor::CpuTerms;
use crate::program::Program;
use crate::race::Race;

/// One way to run programs.
pub(crate) trait Executor: Sync {
    /// Whether a program compiled with these options is run by it.
    fn runs(&self, program: &Program, options: &CompileOptions) -> bool;

    /// Makes the plan or the kernels, and brings them to the device.
    fn compile(
        &self,
        program: &Program,
        options: &CompileOptions,
    ) -> Result<Box<dyn Compiled>, Vec<Diagnostic>>;
}

/// A program that an executor has compiled. `program` is the same in all calls.
pub(crate) trait Compiled: Send + Sync {
    /// The plan or the kernels, printable.
    fn plan<'a>(&'a self, program: &'a Program) -> Box<dyn Display + 'a>;

    /// What its author probably wants to know about running it this way.
    fn warnings(&self, _program: &Program) -> Vec<Diagnostic> {
        Vec::new()
    }

    /// Which kernels a GPU runs.
    fn kernels(&self) -> Option<KernelTier> {
        None
    }

    /// Runs the program from its start to its result.
    fn run(&self, program: &Program, control: &mut Control<'_>) -> Result<Finished, Unfinished>;

    /// The same, going on from the last of these checkpoints if there is one, and keeping its state in new ones.
    fn run_kept(
        &self,
        _: &Program,
        _: &dyn Checkpoints,
        _: &mut Control<'_>,
    ) -> Result<Finished, Unfinished> {
        Err(Unfinished::Program(vec![without_checkpoints()]))
    }

    /// How the lines of a batch are evaluated; `None` for constraint programs.
    fn lines(&self, _: &Program) -> Result<Option<LineEvaluation<'_>>, Vec<Diagnostic>> {
        Ok(None)
    }
}

/// Runs of other kinds have no state that could be kept.
pub(crate) fn without_checkpoints() -> Diagnostic {
    Diagnostic::error("U0110", "only runs in rounds on the processor, by indexes, have checkpoints")
        .help("leave them out, or run a .chr program with --semantics rounds")
}

/// A run that reached its end.
pub(crate) struct Finished {
    pub answer: Answer,
    pub stats: Stats,
    /// What the scheduler of a device counted beside the statistics.
    pub report: Option<SchedulerReport>,
}

/// Why a run has no result.
pub(crate) enum Unfinished {
    /// There is no term, or there are no goals and no facts.
    NothingToRun,
    /// The program or a limit stopped it.
    Stopped(Box<StoppedRun>),
    /// The device failed.
    Device(DeviceError),
    /// The program cannot be run.
    Program(Vec<Diagnostic>),
    /// Another process has the result, or knows why there is none.
    Elsewhere { done: bool },
}

/// A run that the program or a limit stopped.
pub(crate) struct StoppedRun {
    pub error: RunError,
    pub stats: Stats,
    /// The store of a constraint program at that moment, if there is one to be shown; what was evaluated of several
    /// terms.
    pub left: Option<Left>,
    /// Places of the goals around the one that stopped, innermost first.
    pub places: Vec<Span>,
}

impl Unfinished {
    /// The same as diagnostics.
    pub fn diagnostics(self, rules: &rule::Program) -> Vec<Diagnostic> {
        match self {
            Unfinished::NothingToRun | Unfinished::Elsewhere { .. } => Vec::new(),
            Unfinished::Stopped(stopped) => vec![stopped.error.to_diagnostic(rules)],
            Unfinished::Device(error) => error.into_diagnostics(),
            Unfinished::Program(found) => found,
        }
    }
}

impl From<Box<gchr_terms::exec::Stopped>> for Unfinished {
    fn from(stopped: Box<gchr_terms::exec::Stopped>) -> Self {
        let gchr_terms::exec::Stopped { error, stats, results } = *stopped;
        let left = results.map(Left::Terms);
        Unfinished::Stopped(Box::new(StoppedRun { error, stats, left, places: Vec::new() }))
    }
}

impl From<Box<gchr_constraints::exec::Stopped>> for Unfinished {
    fn from(stopped: Box<gchr_constraints::exec::Stopped>) -> Self {
        let gchr_constraints::exec::Stopped { error, store, stats } = *stopped;
        Unfinished::Stopped(Box::new(StoppedRun {
            error,
            stats,
            left: Some(Left::Store(store)),
            places: Vec::new(),
        }))
    }
}

impl From<outcome::Failure> for Unfinished {
    fn from(failure: outcome::Failure) -> Self {
        match failure {
            outcome::Failure::Stopped(stopped) => {
                let outcome::Stopped { error, stats, .. } = *stopped;
                Unfinished::Stopped(Box::new(StoppedRun { error, stats, left: None, places: Vec::new() }))
            }
            outcome::Failure::Device(error) => Unfinished::Device(error),
        }
    }
}

impl From<outcome::Failure<Option<Store>>> for Unfinished {
    fn from(failure: outcome::Failure<Option<Store>>) -> Self {
        match failure {
            outcome::Failure::Stopped(stopped) => {
                let outcome::Stopped { error, stats, left } = *stopped;
                let left = left.map(Left::Store);
                Unfinished::Stopped(Box::new(StoppedRun { error, stats, left, places: Vec::new() }))
            }
            outcome::Failure::Device(error) => Unfinished::Device(error),
        }
    }
}

/// How the lines of a batch are evaluated.
pub(crate) enum LineEvaluation<'a> {
    /// By the processor, on each worker.
    Processor(&'a CpuTerms),
    /// By a device, one line after the other.
    OneByOne(&'a dyn TermDevice),
    /// By a device, many lines side by side; the processor tells apart the lines of a wave that failed.
    Waves { device: &'a dyn TermDevice, processor: &'a CpuTerms },
    /// By the processor, on each worker, and by a device that is started beside the workers.
    Shared { processor: &'a CpuTerms, device: &'a dyn StartsDevice },
}

/// A device with the kernels of a term program.
pub(crate) trait TermDevice: Send + Sync {
    /// Whether it evaluates many terms side by side.
    fn takes_many(&self) -> bool;

    /// Normalises a term.
    fn normalise(
        &self,
        rules: &rule::Program,
        term: &GroundTerm,
        control: &mut Control<'_>,
    ) -> Result<Finished, Unfinished>;

    /// Normalises many terms side by side, and gives their normal forms as texts. A term that fails fails them all.
    fn normalise_all(
        &self,
        rules: &rule::Program,
        terms: &[GroundTerm],
        control: &mut Control<'_>,
    ) -> Result<NormalFormTexts, Unfinished>;
}

/// Normal forms of many terms.
pub(crate) struct NormalFormTexts {
    /// One for each term, in their order.
    pub texts: Vec<String>,
    pub stats: Stats,
}

/// A device that a batch brings up beside its workers.
pub(crate) trait StartsDevice: Sync {
    /// Starts it, unless the batch is over before.
    fn start_device(&self) -> Arc<Race<Box<dyn TermDevice>>>;
}
