//! Constraint programs on a device, in rounds.

use std::fmt::Display;

use gchr_base::control::Control;
use gchr_base::diagnostic::Diagnostic;
use gchr_base::facts::Facts;
use gchr_base::rule::{self, Semantics};
use gchr_base::source::SourceMap;
use gchr_base::stats::Stats;
use gchr_constraints::plan::{ChrPlan, differences};
use gchr_kernels_constraints::kernels::Kernels;
use gchr_kernels_constraints::run::{self, FEW, Ground, Job, Options, RoundsOutcome};
use gchr_kernels_constraints::start;

use crate::device::backend::{Backend, HasStats, Placement};
use crate::device::lower::lower_rounds;
use crate::diagnostics::trace_missing;
use crate::executor::{Compiled, Executor, Finished, Unfinished};
use crate::options::{self, CompileOptions, Workers};
use crate::output::Answer;
use crate::program::{Language, Program, program_name};

/// Rows that a table has at first on a GPU and on the simulator.
const GPU_ROWS: u32 = 1 << 16;
const SIM_ROWS: u32 = 1 << 8;

/// How rounds run there.
pub(crate) fn room(placement: &Placement<'_>) -> Options {
    let rows = if placement.simulated { SIM_ROWS } else { GPU_ROWS };
    Options { memory: placement.memory, rows, store: true, fast_paths: true, few: FEW }
}

/// Rounds on a GPU or its simulator.
pub(crate) struct DeviceRounds;

impl Executor for DeviceRounds {
    fn runs(&self, program: &Program, options: &CompileOptions) -> bool {
        program.language() == Language::Constraints
            && options.device.runs_kernels()
            && options.workers == Workers::Alone
    }

    fn compile(
        &self,
        program: &Program,
        options: &CompileOptions,
    ) -> Result<Box<dyn Compiled>, Vec<Diagnostic>> {
        let made = DeviceRoundsProgram::checked(&program.rules, &program.sources, options)?;
        Ok(Box::new(made))
    }
}

/// A constraint program ready to run on a device.
pub(crate) struct DeviceRoundsProgram {
    plan: ChrPlan,
    kernels: Kernels,
    only_sizes: bool,
    pub backend: Backend,
}

impl DeviceRoundsProgram {
    /// The same, where the options are those of runs on a device.
    pub fn checked(
        rules: &rule::Program,
        sources: &SourceMap,
        options: &CompileOptions,
    ) -> Result<Self, Vec<Diagnostic>> {
        if options.trace {
            return Err(vec![trace_missing()]);
        }
        if options.semantics_of(rules) == Semantics::Refined {
            return Err(vec![
                Diagnostic::error("U0110", "a device runs constraint programs in rounds only")
                    .note("the refined semantics applies one rule after the other")
                    .help("give --semantics rounds, or --device cpu"),
            ]);
        }
        Self::new(rules, sources, options)
    }

    /// The plan for rounds.
    pub fn plan(&self) -> &ChrPlan {
        &self.plan
    }

    /// What all runs of a session have in common.
    pub fn ground<'a>(&'a self, program: &'a rule::Program) -> Ground<'a> {
        Ground { program, plan: &self.plan, kernels: &self.kernels }
    }

    /// Generates the kernels and brings them to the device.
    pub fn new(
        rules: &rule::Program,
        sources: &SourceMap,
        options: &CompileOptions,
    ) -> Result<Self, Vec<Diagnostic>> {
        let make = |wanted| lower_rounds(rules, sources, options.firing.plan_options(), wanted);
        let loaded = Backend::load(program_name(sources), options, make)?;
        let ((plan, kernels), backend) = loaded;
        Ok(Self { plan, kernels, only_sizes: options.only_sizes, backend })
    }

    /// Runs the program from its facts and queries to its final store.
    pub fn run_rules(
        &self,
        rules: &rule::Program,
        facts: &[Facts],
        only_sizes: bool,
        control: &mut Control<'_>,
    ) -> Result<Finished, Unfinished> {
        let input = start::input(rules, &self.plan, facts, control);
        let job = Job { program: rules, plan: &self.plan, kernels: &self.kernels, input: &input };
        let run = self.backend.run(control, |placement, control| {
            let options = Options { store: !only_sizes, ..room(&placement) };
            run::run(job, options, placement.device, control)
        })?;
        let answer = if only_sizes { Answer::Sizes(run.sizes) } else { Answer::Store(run.store) };
        Ok(Finished { answer, stats: run.stats, report: None })
    }
}

impl Compiled for DeviceRoundsProgram {
    fn plan<'a>(&'a self, _: &'a Program) -> Box<dyn Display + 'a> {
        Box::new(&self.kernels.module)
    }

    fn kernels(&self) -> Option<options::KernelTier> {
        self.backend.kernels()
    }

    fn warnings(&self, program: &Program) -> Vec<Diagnostic> {
        differences(&program.rules, &self.plan)
    }

    fn run(&self, program: &Program, control: &mut Control<'_>) -> Result<Finished, Unfinished> {
        if !program.has_goals() {
            return Err(Unfinished::NothingToRun);
        }
        self.run_rules(&program.rules, &program.facts, self.only_sizes, control)
    }
}

impl HasStats for RoundsOutcome {
    fn stats(&mut self) -> &mut Stats {
        &mut self.stats
    }
}
