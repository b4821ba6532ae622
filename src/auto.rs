//! A program on the processor and, when that takes longer than a moment, on a GPU beside it: the first result is the result.
//!
//! The processor starts at once. A thread brings the GPU up, compiles the kernels and starts over from the beginning; both go on until
//! one of them is done and calls the other one off. So a run takes little longer than on the faster of the two, whatever the program is,
//! and nothing must be guessed about it. A term program without calls that can run side by side stays on the processor, and so does a
//! constraint program that does not run in rounds. In a batch the GPU takes a share of the lines instead (`batch/beside.rs`).
//! `gchr run` has a process of its own in the place of the thread, which a library cannot start.

mod race;

use std::sync::Arc;

use gchr_base::control::Control;
use gchr_base::diagnostic::Diagnostic;
use gchr_base::facts::Facts;
use gchr_base::rule::{self, GroundTerm, Start};
use gchr_base::source::SourceMap;
use gchr_base::stats::Stats;
use gchr_constraints::exec::Store;
use gchr_constraints::plan::ChrPlan;
use gchr_runtime::outcome::Failure;
use gchr_terms::exec::{NormalForm, Stopped};
use gchr_terms::plan::TermPlan;

use crate::device::{Device, DevicePlan, Outcome, Report, RoundsPlan, Schedule};
use crate::executable::{CompileOptions, Firing};
use crate::program::Program;
use crate::stack::with_large_stack;

pub(crate) use race::Came;
pub use race::{Race, Work, gpu_pending};

/// What is said of a run that the GPU won, in this process or beside it.
pub const BY_GPU: &str = "gpu: it was done before the cpu";
/// Why a run stays on the processor from the start.
const WATCHED: &str = "cpu: the run is recorded or traced";
/// What both sides wrote would be written twice.
const WRITES: &str = "cpu: the program writes output";

/// A term program for the processor and a GPU.
pub(crate) struct AutoPlan {
    cpu: Arc<TermPlan>,
    rules: Arc<rule::Program>,
    sources: Arc<SourceMap>,
    schedule: Schedule,
    /// What works beside the processor: the first GPU.
    beside: Device,
}

/// A run that reached a normal form.
pub(crate) struct Finished {
    pub normal_form: NormalForm,
    pub stats: Stats,
    /// What the scheduler of the GPU counted, if the result is the GPU's.
    pub report: Option<Report>,
}

impl AutoPlan {
    /// `cpu` is the program's plan for the processor.
    pub fn new(program: &Program, cpu: TermPlan, schedule: Schedule) -> Self {
        let (rules, sources) = (Arc::clone(&program.rules), Arc::clone(&program.sources));
        Self { cpu: Arc::new(cpu), rules, sources, schedule, beside: Device::Gpu(0) }
    }

    /// The same with another device in the place of the GPU.
    #[cfg(test)]
    pub fn with(self, beside: Device) -> Self {
        Self { beside, ..self }
    }

    /// The plan for the processor.
    pub fn cpu_plan(&self) -> &TermPlan {
        &self.cpu
    }

    /// Normalises the program's term.
    pub fn run(&self, input: &GroundTerm, control: &mut Control<'_>) -> Result<Finished, Box<Stopped>> {
        if control.records() || control.traces() {
            return on_cpu(gchr_terms::exec::run(&self.rules, &self.cpu, input, control), WATCHED);
        }
        let race = Race::start(control, self.beside());
        let ran = gchr_terms::exec::run(&self.rules, &self.cpu, input, control);
        match ran {
            Err(stopped) => match race.result(&stopped.error.reason, control) {
                Some(outcome) => Ok(from_gpu(outcome)),
                None => Err(stopped),
            },
            // Both may be done at the same time: the processor's result is there already.
            ran => {
                let why = race.call_off();
                on_cpu(ran, &why)
            }
        }
    }

    fn options(&self) -> CompileOptions {
        CompileOptions { device: self.beside, schedule: self.schedule, ..CompileOptions::default() }
    }

    /// Brings the GPU up for a batch, unless it is over before.
    pub fn for_batch(&self) -> Arc<Race<DevicePlan>> {
        let (rules, sources) = (Arc::clone(&self.rules), Arc::clone(&self.sources));
        let (cpu, options) = (Arc::clone(&self.cpu), self.options());
        let make = move || -> Result<Work<DevicePlan>, String> {
            let plan = on_gpu(&rules, &sources, &cpu, &options)?;
            Ok(Box::new(move |_: &mut Control<'_>| Ok(plan)))
        };
        Race::start(&mut Control::default(), make)
    }

    /// The GPU's side. All that only a GPU needs is done there: a run that is over in a moment must not wait for it.
    fn beside(&self) -> impl FnOnce() -> Result<Work<Outcome>, String> + Send + 'static + use<> {
        let (rules, sources) = (Arc::clone(&self.rules), Arc::clone(&self.sources));
        let (cpu, options) = (Arc::clone(&self.cpu), self.options());
        let options = CompileOptions { only_parallel: true, ..options };
        move || {
            let plan = on_gpu(&rules, &sources, &cpu, &options)?;
            Ok(Box::new(move |control: &mut Control<'_>| {
                let Start::Term(Some(input)) = &rules.start else { return Err("there is no term".into()) };
                plan.run(&rules, input, control).map_err(|failure| match failure {
                    Failure::Stopped(stopped) => first(&[stopped.error.to_diagnostic(&rules)]),
                    Failure::Device(error) => first(&error.into_diagnostics()),
                })
            }))
        }
    }
}

/// Brings a program's kernels to a GPU, or says why that cannot be.
fn on_gpu(
    rules: &rule::Program,
    sources: &SourceMap,
    cpu: &TermPlan,
    options: &CompileOptions,
) -> Result<DevicePlan, String> {
    let plan = with_large_stack(|| DevicePlan::new(rules, sources, cpu.clone(), options));
    plan.map_err(|found| first(&found))
}

fn on_cpu(
    ran: Result<gchr_terms::exec::Evaluation, Box<Stopped>>,
    why: &str,
) -> Result<Finished, Box<Stopped>> {
    ran.map(|run| {
        let stats = Stats { choice: Some(why.to_string()), ..run.stats };
        Finished { normal_form: run.normal_form, stats, report: None }
    })
}

fn from_gpu(outcome: Outcome) -> Finished {
    let stats = Stats { choice: Some(BY_GPU.to_string()), ..outcome.stats };
    Finished { normal_form: outcome.normal_form, stats, report: Some(outcome.report) }
}

impl Program {
    /// Whether its rules write, so that two runs of it side by side would write twice.
    pub fn writes(&self) -> bool {
        self.rules.writes()
    }
}

/// A constraint program in rounds for the processor and a GPU.
pub(crate) struct AutoRounds {
    cpu: ChrPlan,
    rules: Arc<rule::Program>,
    facts: Arc<Vec<Facts>>,
    sources: Arc<SourceMap>,
    firing: Firing,
}

impl AutoRounds {
    /// `cpu` is the program's plan for the processor.
    pub fn new(program: &Program, cpu: ChrPlan, firing: Firing) -> Self {
        let (rules, facts) = (Arc::clone(&program.rules), Arc::clone(&program.facts));
        Self { cpu, rules, facts, sources: Arc::clone(&program.sources), firing }
    }

    /// The plan for the processor.
    pub fn cpu_plan(&self) -> &ChrPlan {
        &self.cpu
    }

    /// Runs the program from its facts and queries to its final store.
    pub fn run(
        &self,
        control: &mut Control<'_>,
    ) -> Result<(Store, Stats), Box<gchr_constraints::exec::Stopped>> {
        let watched = control.records() || control.traces();
        let stays = if watched { Some(WATCHED) } else { self.rules.writes().then_some(WRITES) };
        let race = stays.is_none().then(|| Race::start(control, self.beside()));
        let ran = gchr_constraints::exec::rounds::run(&self.rules, &self.cpu, &self.facts, control);
        let why = match (&ran, &race) {
            (Err(stopped), Some(race)) => {
                let reason = &stopped.error.reason;
                if let Some((store, stats)) = race.result(reason, control) {
                    return Ok((store, Stats { choice: Some(BY_GPU.to_string()), ..stats }));
                }
                String::new()
            }
            (_, Some(race)) => race.call_off(),
            (_, None) => stays.unwrap_or_default().to_string(),
        };
        ran.map(|run| (run.store, Stats { choice: Some(why), ..run.stats }))
    }

    fn beside(&self) -> impl FnOnce() -> Result<Work<(Store, Stats)>, String> + Send + 'static + use<> {
        let (rules, facts) = (Arc::clone(&self.rules), Arc::clone(&self.facts));
        let (sources, firing) = (Arc::clone(&self.sources), self.firing);
        move || {
            let options = CompileOptions { device: Device::Gpu(0), firing, ..CompileOptions::default() };
            let plan = with_large_stack(|| RoundsPlan::new(&rules, &sources, &options));
            let plan = plan.map_err(|found| first(&found))?;
            Ok(Box::new(move |control: &mut Control<'_>| match plan.run(&rules, &facts, control) {
                Ok(outcome) => Ok((outcome.store, outcome.stats)),
                Err(Failure::Stopped(stopped)) => Err(first(&[stopped.error.to_diagnostic(&rules)])),
                Err(Failure::Device(error)) => Err(first(&error.into_diagnostics())),
            }))
        }
    }
}

fn first(found: &[Diagnostic]) -> String {
    let message = found.first().map_or("no reason is known", |d| d.message.as_str());
    format!("the gpu has no result ({message})")
}

#[cfg(test)]
mod tests {
    use gchr_terms::plan::TermOptions;

    use super::*;
    use crate::input::{Input, Language};

    fn auto(name: &str, text: &str, input: &str) -> AutoPlan {
        let program = Input::text(Language::Terms, name, text).term(input).parse().expect("a program");
        let plan = gchr_terms::plan::compile(&program.rules, &TermOptions::default()).expect("a plan");
        AutoPlan::new(&program, plan, Schedule::default()).with(Device::Sim)
    }

    /// With the simulator in the place of the GPU.
    #[test]
    fn a_gpu_is_brought_up_for_programs_that_have_work_for_it() {
        let text = include_str!("../examples/ackermann.trs");
        let alone = auto("ackermann.trs", text, "Ack(S(Zero()), S(Zero()))").beside()();
        assert!(matches!(alone, Err(why) if why.contains("no calls that can run side by side")));
        let text = include_str!("../examples/fib_int.trs");
        let work = auto("fib_int.trs", text, "Fib(12)").beside()();
        let outcome = work.unwrap_or_else(|why| panic!("{why}"))(&mut Control::default());
        assert_eq!(outcome.map(|o| o.normal_form.to_text()), Ok("144".into()));
    }
}
