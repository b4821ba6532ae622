//! Constraint programs under the refined semantics, on the processor.

use std::fmt::Display;

use gchr_base::control::Control;
use gchr_base::diagnostic::Diagnostic;
use gchr_base::rule::Semantics;
use gchr_constraints::plan::ChrPlan;

use crate::executor::{Compiled, Executor, Finished, Unfinished};
use crate::options::{CompileOptions, Device};
use crate::output::Answer;
use crate::program::{Language, Program};

/// The executor of one rule after the other. A GPU has nothing to do for it, so it serves [`Device::Auto`] too.
pub(crate) struct Refined;

struct RefinedProgram {
    plan: ChrPlan,
}

impl Executor for Refined {
    fn runs(&self, program: &Program, options: &CompileOptions) -> bool {
        program.language() == Language::Constraints
            && program.semantics(options) == Semantics::Refined
            && matches!(options.device, Device::Cpu | Device::Auto)
    }

    fn compile(&self, program: &Program, _: &CompileOptions) -> Result<Box<dyn Compiled>, Vec<Diagnostic>> {
        let plan = gchr_constraints::plan::compile(&program.rules)?;
        Ok(Box::new(RefinedProgram { plan }))
    }
}

impl Compiled for RefinedProgram {
    fn plan<'a>(&'a self, program: &'a Program) -> Box<dyn Display + 'a> {
        Box::new(self.plan.display(&program.rules))
    }

    fn run(&self, program: &Program, control: &mut Control<'_>) -> Result<Finished, Unfinished> {
        if !program.has_goals() {
            return Err(Unfinished::NothingToRun);
        }
        let run = gchr_constraints::exec::run(&program.rules, &self.plan, &program.facts, control)?;
        Ok(Finished { answer: Answer::Store(run.store), stats: run.stats, report: None })
    }
}
