//! Running a constraint program on a device, in rounds.

use gchr_core::control::Control;
use gchr_core::diagnostic::Diagnostic;
use gchr_core::plan::chr::{ChrPlan, RoundsOptions, compile_rounds};
use gchr_core::rule::Semantics;
use gchr_core::stats::Stats;
use gchr_kernels::ir::Module;
use gchr_kernels::rounds::kernels::{Kernels, kernels};
use gchr_kernels::rounds::run::{self, Failure, Job, Options, Outcome};
use gchr_kernels::rounds::start;

use super::backend::{Backend, HasStats, Place};
use crate::executable::CompileOptions;
use crate::program::Program;
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
    program: &Program,
    options: RoundsOptions,
) -> Result<(ChrPlan, Kernels), Vec<Diagnostic>> {
    with_large_stack(|| {
        let plan = compile_rounds(&program.rules, options)?;
        let made = kernels(&program.rules, &plan, &program.sources)?;
        Ok((plan, made))
    })
}

impl RoundsPlan {
    /// Generates the kernels and brings them to the device.
    pub fn new(program: &Program, options: &CompileOptions) -> Result<Self, Vec<Diagnostic>> {
        if program.semantics(options) == Semantics::Refined {
            return Err(vec![
                Diagnostic::error("U0110", "a device runs constraint programs in rounds only")
                    .note("the refined semantics applies one rule after the other")
                    .help("give --semantics rounds, or --device cpu"),
            ]);
        }
        let make = || lower_rounds(program, options.firing.plan_options());
        let loaded =
            Backend::load(options.device, program.name(), options.form(), make, |(_, made)| &made.module)?;
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
    pub fn run(&self, program: &Program, control: &mut Control<'_>) -> Result<Outcome, Failure> {
        let input = start::input(&program.rules, &program.facts, control);
        let input = input.map_err(|error| Failure::from(*error))?;
        let rules = &program.rules;
        let job = Job { program: rules, plan: &self.plan, kernels: &self.kernels, input: &input };
        self.backend.run(control, |Place { device, memory, simulated }, control| {
            let rows = if simulated { SIM_ROWS } else { GPU_ROWS };
            run::run(job, Options { memory, rows, store: true, courses: true }, device, control)
        })
    }
}

impl HasStats for Outcome {
    fn stats(&mut self) -> &mut Stats {
        &mut self.stats
    }
}
