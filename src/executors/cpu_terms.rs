//! Term programs on the processor.

use std::fmt::Display;

use gchr_base::control::Control;
use gchr_base::diagnostic::Diagnostic;

use crate::executor::{Compiled, Executor, Finished, LineEvaluation, Unfinished};
use crate::options::{CompileOptions, Device};
use crate::output::Answer;
use crate::processor;
use crate::program::{Language, Program};

/// The interpreter of term plans, and native code.
pub(crate) struct CpuTermExecutor;

struct CpuTermProgram(processor::CpuTerms);

impl Executor for CpuTermExecutor {
    fn runs(&self, program: &Program, options: &CompileOptions) -> bool {
        program.language() == Language::Terms && options.device == Device::Cpu
    }

    fn compile(
        &self,
        program: &Program,
        options: &CompileOptions,
    ) -> Result<Box<dyn Compiled>, Vec<Diagnostic>> {
        Ok(Box::new(CpuTermProgram(processor::CpuTerms::new(&program.rules, options)?)))
    }
}

impl Compiled for CpuTermProgram {
    fn plan<'a>(&'a self, _: &'a Program) -> Box<dyn Display + 'a> {
        Box::new(self.0.plan())
    }

    fn warnings(&self, _: &Program) -> Vec<Diagnostic> {
        self.0.warnings()
    }

    fn run(&self, program: &Program, control: &mut Control<'_>) -> Result<Finished, Unfinished> {
        let term = program.term().ok_or(Unfinished::NothingToRun)?;
        let run = self.0.run(&program.rules, term, control)?;
        Ok(Finished { answer: Answer::NormalForm(run.normal_form), stats: run.stats, report: None })
    }

    fn lines(&self, _: &Program) -> Result<Option<LineEvaluation<'_>>, Vec<Diagnostic>> {
        Ok(Some(LineEvaluation::Processor(&self.0)))
    }
}
