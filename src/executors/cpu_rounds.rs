//! Constraint programs in rounds, on the processor.

use std::fmt::Display;

use gchr_base::control::Control;
use gchr_base::diagnostic::Diagnostic;
use gchr_base::rule::Semantics;
use gchr_constraints::plan::{ChrPlan, Joins, compile_rounds, differences};
use gchr_constraints::rounds::checkpoint::{self, Checkpoints};

use crate::executor::{Compiled, Executor, Finished, Unfinished, without_checkpoints};
use crate::options::{CompileOptions, Device, Workers};
use crate::output::Answer;
use crate::program::{Language, Program};

/// The parallel executor of rounds on all cores.
pub(crate) struct CpuRounds;

struct CpuRoundsProgram {
    plan: ChrPlan,
}

impl Executor for CpuRounds {
    fn runs(&self, program: &Program, options: &CompileOptions) -> bool {
        program.language() == Language::Constraints
            && program.semantics(options) == Semantics::Rounds
            && options.device == Device::Cpu
            && options.workers == Workers::Alone
    }

    fn compile(
        &self,
        program: &Program,
        options: &CompileOptions,
    ) -> Result<Box<dyn Compiled>, Vec<Diagnostic>> {
        let plan = compile_rounds(&program.rules, options.firing.plan_options())?;
        Ok(Box::new(CpuRoundsProgram { plan }))
    }
}

impl Compiled for CpuRoundsProgram {
    fn plan<'a>(&'a self, program: &'a Program) -> Box<dyn Display + 'a> {
        Box::new(self.plan.display(&program.rules))
    }

    fn warnings(&self, program: &Program) -> Vec<Diagnostic> {
        differences(&program.rules, &self.plan)
    }

    fn run(&self, program: &Program, control: &mut Control<'_>) -> Result<Finished, Unfinished> {
        if !program.has_goals() {
            return Err(Unfinished::NothingToRun);
        }
        let run = gchr_constraints::rounds::run(&program.rules, &self.plan, &program.facts, control)?;
        Ok(Finished { answer: Answer::Store(run.store), stats: run.stats, report: None })
    }

    fn run_kept(
        &self,
        program: &Program,
        checkpoints: &dyn Checkpoints,
        control: &mut Control<'_>,
    ) -> Result<Finished, Unfinished> {
        if !program.has_goals() {
            return Err(Unfinished::NothingToRun);
        }
        if self.plan.joins != Joins::Indexed || program.writes() || control.sees_firings() {
            return Err(Unfinished::Program(vec![without_checkpoints()]));
        }
        let run = checkpoint::run(&program.rules, &self.plan, &program.facts, checkpoints, control)?;
        Ok(Finished { answer: Answer::Store(run.store), stats: run.stats, report: None })
    }
}
