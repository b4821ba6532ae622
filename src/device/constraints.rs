//! Running a constraint program on a device, in rounds.

use gchr_base::control::Control;
use gchr_base::diagnostic::Diagnostic;
use gchr_base::facts::Facts;
use gchr_base::rule::Program;
use gchr_base::source::SourceMap;
use gchr_base::stats::Stats;
use gchr_constraints::plan::{ChrPlan, RoundsOptions, compile_rounds};
use gchr_kernel::ir::Module;
use gchr_kernels_constraints::kernels::{Kernels, kernels};
use gchr_kernels_constraints::run::{self, FEW, Failure, Job, Options, RoundsOutcome};
use gchr_kernels_constraints::start;

use super::backend::{Backend, HasStats, Place};
use crate::executable::CompileOptions;
use crate::program::program_name;
use crate::stack::with_large_stack;

/// Rows that a table has at first on a GPU and on the simulator.
const GPU_ROWS: u32 = 1 << 16;
const SIM_ROWS: u32 = 1 << 8;

/// A constraint program ready to run on a device.
pub(crate) struct RoundsPlan {
    plan: ChrPlan,
    kernels: Kernels,
    backend: Backend,
}

/// The plan for rounds and the kernels of a program.
pub(super) fn lower_rounds(
    rules: &Program,
    sources: &SourceMap,
    options: RoundsOptions,
) -> Result<(ChrPlan, Kernels), Vec<Diagnostic>> {
    with_large_stack(|| {
        let plan = compile_rounds(rules, options)?;
        let made = kernels(rules, &plan, sources)?;
        Ok((plan, made))
    })
}

impl RoundsPlan {
    /// Generates the kernels and brings them to the device.
    pub fn new(
        rules: &Program,
        sources: &SourceMap,
        options: &CompileOptions,
    ) -> Result<Self, Vec<Diagnostic>> {
        let make = || lower_rounds(rules, sources, options.firing.plan_options());
        let (name, form) = (program_name(sources), options.form());
        let loaded = Backend::load(options.device, name, form, make, |(_, made)| &made.module)?;
        let ((plan, kernels), backend) = loaded;
        Ok(Self { plan, kernels, backend })
    }

    /// The plan that the kernels were made from.
    pub fn plan(&self) -> &ChrPlan {
        &self.plan
    }

    /// The kernels in the kernel language.
    pub fn module(&self) -> &Module {
        &self.kernels.module
    }

    /// Runs the program from its facts and queries to its final store.
    pub fn run(
        &self,
        rules: &Program,
        facts: &[Facts],
        control: &mut Control<'_>,
    ) -> Result<RoundsOutcome, Failure> {
        let input = start::input(rules, facts, control);
        let input = input.map_err(|error| Failure::from(*error))?;
        let job = Job { program: rules, plan: &self.plan, kernels: &self.kernels, input: &input };
        self.backend.run(control, |Place { device, memory, simulated }, control| {
            let rows = if simulated { SIM_ROWS } else { GPU_ROWS };
            run::run(job, Options { memory, rows, store: true, courses: true, few: FEW }, device, control)
        })
    }
}

impl HasStats for RoundsOutcome {
    fn stats(&mut self) -> &mut Stats {
        &mut self.stats
    }
}
