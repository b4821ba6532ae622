//! Term programs on the processor.

use std::fmt::Display;

use gchr_base::control::Control;
use gchr_base::diagnostic::Diagnostic;
use gchr_terms::plan::TermPlan;

use crate::executor::{Compiled, Executor, Finished, LineEvaluation, Unfinished};
use crate::options::{CompileOptions, Device};
use crate::output::Answer;
use crate::program::{Language, Program};

/// The interpreter of term plans.
pub(crate) struct CpuTerms;

struct CpuTermProgram {
    plan: TermPlan,
}

impl Executor for CpuTerms {
    fn runs(&self, program: &Program, options: &CompileOptions) -> bool {
        program.language() == Language::Terms && options.device == Device::Cpu
    }

    fn compile(
        &self,
        program: &Program,
        options: &CompileOptions,
    ) -> Result<Box<dyn Compiled>, Vec<Diagnostic>> {
        let plan = gchr_terms::plan::compile(&program.rules, &options.to_term_options())?;
        Ok(Box::new(CpuTermProgram { plan }))
    }
}

impl Compiled for CpuTermProgram {
    fn plan<'a>(&'a self, _: &'a Program) -> Box<dyn Display + 'a> {
        Box::new(&self.plan)
    }

    fn run(&self, program: &Program, control: &mut Control<'_>) -> Result<Finished, Unfinished> {
        let term = program.term().ok_or(Unfinished::NothingToRun)?;
        let run = gchr_terms::exec::run(&program.rules, &self.plan, term, control)?;
        Ok(Finished { answer: Answer::NormalForm(run.normal_form), stats: run.stats, report: None })
    }

    fn lines(&self, _: &Program) -> Result<Option<LineEvaluation<'_>>, Vec<Diagnostic>> {
        Ok(Some(LineEvaluation::Interpreter(&self.plan)))
    }
}
