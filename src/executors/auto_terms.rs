//! A term program on the processor and, when that takes longer than a moment, on a GPU beside it: the first result is
//! the result.
//!
//! The processor starts at once. A thread brings the GPU up, compiles the kernels and starts over from the beginning;
//! both go on until one of them is done and calls the other one off. So a run takes little longer than on the faster of
//! the two, whatever the program is, and nothing must be guessed about it. A program without calls that can run side by
//! side stays on the processor. In a batch the GPU takes a share of the lines instead (`batch/gpu_worker.rs`). `gchr
//! run` has a process of its own in the place of the thread, which a library cannot start.

use std::fmt::Display;
use std::sync::Arc;

use gchr_base::control::Control;
use gchr_base::diagnostic::Diagnostic;
use gchr_base::rule;
use gchr_base::source::SourceMap;
use gchr_base::stats::Stats;

use super::device_terms::DeviceTermProgram;
use crate::executor::{Compiled, Executor, Finished, LineEvaluation, StartsDevice, TermDevice, Unfinished};
use crate::options::{CompileOptions, Device, Schedule};
use crate::output::Answer;
use crate::processor::CpuTerms;
use crate::program::{Language, Program};
use crate::race::{BY_GPU, Race, WATCHED, Work, no_result};
use crate::stack::with_large_stack;

/// The processor and a GPU.
pub(crate) struct AutoTerms;

impl Executor for AutoTerms {
    fn runs(&self, program: &Program, options: &CompileOptions) -> bool {
        program.language() == Language::Terms && options.device == Device::Auto
    }

    fn compile(
        &self,
        program: &Program,
        options: &CompileOptions,
    ) -> Result<Box<dyn Compiled>, Vec<Diagnostic>> {
        let cpu = CpuTerms::new(&program.rules, options)?;
        Ok(Box::new(AutoTermProgram::new(program, cpu, options.schedule)))
    }
}

/// A term program for the processor and a GPU.
pub(crate) struct AutoTermProgram {
    cpu: CpuTerms,
    rules: Arc<rule::Program>,
    sources: Arc<SourceMap>,
    schedule: Schedule,
    /// The device beside the processor: the first GPU.
    gpu: Device,
}

impl AutoTermProgram {
    /// `cpu` is the program for the processor.
    pub fn new(program: &Program, cpu: CpuTerms, schedule: Schedule) -> Self {
        let (rules, sources) = (Arc::clone(&program.rules), Arc::clone(&program.sources));
        Self { cpu, rules, sources, schedule, gpu: Device::Gpu(0) }
    }

    /// The same with another device in the place of the GPU.
    #[cfg(test)]
    pub fn with(self, gpu: Device) -> Self {
        Self { gpu, ..self }
    }

    fn options(&self) -> CompileOptions {
        CompileOptions { device: self.gpu, schedule: self.schedule, ..CompileOptions::default() }
    }

    /// Brings the kernels to the GPU, or says why that cannot be.
    fn on_gpu(
        &self,
        options: CompileOptions,
    ) -> impl FnOnce() -> Result<DeviceTermProgram, String> + Send + 'static + use<> {
        let (rules, sources) = (Arc::clone(&self.rules), Arc::clone(&self.sources));
        move || {
            let made = with_large_stack(|| DeviceTermProgram::new(&rules, &sources, &options));
            made.map_err(|found| no_result(&found))
        }
    }

    /// The GPU's side. All that only a GPU needs is done there: a run that is over in a moment must not wait for it.
    fn gpu_side(&self) -> impl FnOnce() -> Result<Work<Finished>, String> + Send + 'static + use<> {
        let on_gpu = self.on_gpu(CompileOptions { only_parallel: true, only_start: true, ..self.options() });
        let rules = Arc::clone(&self.rules);
        move || {
            let device = on_gpu()?;
            Ok(Box::new(move |control: &mut Control<'_>| {
                let rule::Start::Term(Some(term)) = &rules.start else {
                    return Err("there is no term".into());
                };
                let ran = device.normalise(&rules, term, control);
                ran.map_err(|unfinished| no_result(&unfinished.diagnostics(&rules)))
            }))
        }
    }
}

impl Compiled for AutoTermProgram {
    fn plan<'a>(&'a self, _: &'a Program) -> Box<dyn Display + 'a> {
        Box::new(self.cpu.plan())
    }

    fn warnings(&self, _: &Program) -> Vec<Diagnostic> {
        self.cpu.warnings()
    }

    fn run(&self, program: &Program, control: &mut Control<'_>) -> Result<Finished, Unfinished> {
        let term = program.term().ok_or(Unfinished::NothingToRun)?;
        let watched = control.records() || control.traces();
        let race = (!watched).then(|| Race::start(control, self.gpu_side()));
        let ran = self.cpu.run(&self.rules, term, control);
        let choice = match (&ran, &race) {
            (Err(stopped), Some(race)) => {
                if let Some(finished) = race.result(&stopped.error.reason, control) {
                    let stats = Stats { choice: Some(BY_GPU.into()), ..finished.stats };
                    return Ok(Finished { stats, ..finished });
                }
                String::new()
            }
            // Both may be done at the same time: the processor's result is there already.
            (_, Some(race)) => race.call_off(),
            (_, None) => WATCHED.into(),
        };
        let run = ran?;
        let stats = Stats { choice: Some(choice), ..run.stats };
        Ok(Finished { answer: Answer::NormalForm(run.normal_form), stats, report: None })
    }

    fn lines(&self, _: &Program) -> Result<Option<LineEvaluation<'_>>, Vec<Diagnostic>> {
        Ok(Some(LineEvaluation::Shared { processor: &self.cpu, device: self }))
    }
}

impl StartsDevice for AutoTermProgram {
    fn start_device(&self) -> Arc<Race<Box<dyn TermDevice>>> {
        let on_gpu = self.on_gpu(self.options());
        let make = move || -> Result<Work<Box<dyn TermDevice>>, String> {
            let device: Box<dyn TermDevice> = Box::new(on_gpu()?);
            Ok(Box::new(move |_: &mut Control<'_>| Ok(device)))
        };
        Race::start(&mut Control::default(), make)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Input;

    fn auto(name: &str, text: &str, input: &str) -> AutoTermProgram {
        let program = Input::text(Language::Terms, name, text).term(input).parse().expect("a program");
        let cpu = CpuTerms::new(&program.rules, &CompileOptions::default()).expect("a plan");
        AutoTermProgram::new(&program, cpu, Schedule::default()).with(Device::Sim)
    }

    /// With the simulator in the place of the GPU.
    #[test]
    fn a_gpu_is_brought_up_for_programs_that_have_work_for_it() {
        let text = include_str!("../../examples/ackermann.trs");
        let alone = auto("ackermann.trs", text, "Ack(S(Zero()), S(Zero()))").gpu_side()();
        assert!(matches!(alone, Err(why) if why.contains("no calls that can run side by side")));
        let text = include_str!("../../examples/fib_int.trs");
        let work = auto("fib_int.trs", text, "Fib(12)").gpu_side()();
        let finished = work.unwrap_or_else(|why| panic!("{why}"))(&mut Control::default());
        let Ok(Finished { answer: Answer::NormalForm(term), .. }) = finished else { panic!("a normal form") };
        assert_eq!(term.to_text(), "144");
    }
}
