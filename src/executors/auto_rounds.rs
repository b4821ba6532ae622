//! A constraint program in rounds on the processor and, when that takes longer than a moment, on a GPU beside it: the
//! first result is the result. A program that writes output stays on the processor.

use std::fmt::Display;
use std::sync::Arc;

use gchr_base::control::Control;
use gchr_base::diagnostic::Diagnostic;
use gchr_base::facts::Facts;
use gchr_base::rule::{self, Semantics};
use gchr_base::source::SourceMap;
use gchr_base::stats::Stats;
use gchr_constraints::plan::{ChrPlan, compile_rounds, differences};

use super::device_rounds::DeviceRoundsProgram;
use crate::executor::{Compiled, Executor, Finished, Unfinished};
use crate::options::{CompileOptions, Device, Firing};
use crate::output::Answer;
use crate::program::{Language, Program};
use crate::race::{BY_GPU, Race, WATCHED, Work, no_result};
use crate::stack::with_large_stack;

/// Both sides would write the output of a program.
const WRITES: &str = "cpu: the program writes output";

/// The executor of rounds on the processor, and a GPU.
pub(crate) struct AutoRounds;

impl Executor for AutoRounds {
    fn runs(&self, program: &Program, options: &CompileOptions) -> bool {
        program.language() == Language::Constraints
            && program.semantics(options) == Semantics::Rounds
            && options.device == Device::Auto
    }

    fn compile(
        &self,
        program: &Program,
        options: &CompileOptions,
    ) -> Result<Box<dyn Compiled>, Vec<Diagnostic>> {
        let cpu = compile_rounds(&program.rules, options.firing.plan_options())?;
        let (rules, facts) = (Arc::clone(&program.rules), Arc::clone(&program.facts));
        let (sources, firing) = (Arc::clone(&program.sources), options.firing);
        Ok(Box::new(AutoRoundsProgram { cpu, rules, facts, sources, firing }))
    }
}

/// A constraint program in rounds for the processor and a GPU.
struct AutoRoundsProgram {
    cpu: ChrPlan,
    rules: Arc<rule::Program>,
    facts: Arc<Vec<Facts>>,
    sources: Arc<SourceMap>,
    firing: Firing,
}

impl AutoRoundsProgram {
    /// The GPU's side.
    fn gpu_side(&self) -> impl FnOnce() -> Result<Work<Finished>, String> + Send + 'static + use<> {
        let (rules, facts) = (Arc::clone(&self.rules), Arc::clone(&self.facts));
        let (sources, firing) = (Arc::clone(&self.sources), self.firing);
        move || {
            let options = CompileOptions { device: Device::Gpu(0), firing, ..CompileOptions::default() };
            let device = with_large_stack(|| DeviceRoundsProgram::new(&rules, &sources, &options));
            let device = device.map_err(|found| no_result(&found))?;
            Ok(Box::new(move |control: &mut Control<'_>| {
                let ran = device.run_rules(&rules, &facts, false, control);
                ran.map_err(|unfinished| no_result(&unfinished.diagnostics(&rules)))
            }))
        }
    }
}

impl Compiled for AutoRoundsProgram {
    fn plan<'a>(&'a self, program: &'a Program) -> Box<dyn Display + 'a> {
        Box::new(self.cpu.display(&program.rules))
    }

    fn warnings(&self, program: &Program) -> Vec<Diagnostic> {
        differences(&program.rules, &self.cpu)
    }

    fn run(&self, program: &Program, control: &mut Control<'_>) -> Result<Finished, Unfinished> {
        if !program.has_goals() {
            return Err(Unfinished::NothingToRun);
        }
        let watched = control.records() || control.traces();
        let stays = if watched { Some(WATCHED) } else { self.rules.writes().then_some(WRITES) };
        let race = stays.is_none().then(|| Race::start(control, self.gpu_side()));
        let ran = gchr_constraints::rounds::run(&self.rules, &self.cpu, &self.facts, control);
        let choice = match (&ran, &race) {
            (Err(stopped), Some(race)) => {
                if let Some(finished) = race.result(&stopped.error.reason, control) {
                    let stats = Stats { choice: Some(BY_GPU.into()), ..finished.stats };
                    return Ok(Finished { stats, ..finished });
                }
                String::new()
            }
            (_, Some(race)) => race.call_off(),
            (_, None) => stays.unwrap_or_default().to_string(),
        };
        let run = ran?;
        let stats = Stats { choice: Some(choice), ..run.stats };
        Ok(Finished { answer: Answer::Store(run.store), stats, report: None })
    }
}
