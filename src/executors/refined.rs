//! Constraint programs under the refined semantics, on the processor.

use std::fmt::Display;

use gchr_base::control::Control;
use gchr_base::diagnostic::Diagnostic;
use gchr_base::rule::Semantics;
use gchr_constraints::plan::ChrPlan;

use crate::executor::{Compiled, Executor, Finished, Unfinished};
use crate::options::{CompileOptions, Device, Native};
use crate::output::Answer;
use crate::processor;
use crate::program::{Language, Program};

/// The executor of one rule after the other. A GPU has nothing to do for it, so it serves [`Device::Auto`] too.
pub(crate) struct Refined;

struct RefinedProgram {
    plan: ChrPlan,
    native: Native,
}

impl Executor for Refined {
    fn runs(&self, program: &Program, options: &CompileOptions) -> bool {
        program.language() == Language::Constraints
            && program.semantics(options) == Semantics::Refined
            && matches!(options.device, Device::Cpu | Device::Auto)
    }

    fn compile(
        &self,
        program: &Program,
        options: &CompileOptions,
    ) -> Result<Box<dyn Compiled>, Vec<Diagnostic>> {
        let plan = gchr_constraints::plan::compile(&program.rules)?;
        let native = if options.trace { Native::Off } else { options.native };
        Ok(Box::new(RefinedProgram { plan, native }))
    }
}

impl Compiled for RefinedProgram {
    fn plan<'a>(&'a self, program: &'a Program) -> Box<dyn Display + 'a> {
        Box::new(self.plan.display(&program.rules))
    }

    fn warnings(&self, _: &Program) -> Vec<Diagnostic> {
        processor::native_warnings(self.native)
    }

    fn run(&self, program: &Program, control: &mut Control<'_>) -> Result<Finished, Unfinished> {
        if !program.has_goals() {
            return Err(Unfinished::NothingToRun);
        }
        let run = processor::run_refined(&program.rules, &self.plan, &program.facts, self.native, control)?;
        Ok(Finished { answer: Answer::Store(run.store), stats: run.stats, report: None })
    }
}
