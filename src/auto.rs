//! A term program on the processor and, when that takes longer than a moment, on a GPU beside it: the first result is the result.
//!
//! The processor starts at once. A thread brings the GPU up, compiles the kernels and starts over from the start term; both go on until
//! one of them is done and calls the other one off. So a run takes little longer than on the faster of the two, whatever the program is,
//! and nothing must be guessed about it. A program without calls that can run side by side stays on the processor.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use gchr_core::control::{Control, Limits, Progress};
use gchr_core::diagnostic::Diagnostic;
use gchr_core::error::StopReason;
use gchr_core::exec;
use gchr_core::exec::term::{NormalForm, Stopped};
use gchr_core::plan::term::{self, Step, TermOptions, TermPlan};
use gchr_core::rule::{self, GroundTerm};
use gchr_core::source::SourceMap;
use gchr_core::stats::Stats;
use gchr_kernels::outcome::Failure;

use crate::device::{Device, DevicePlan, Outcome, Report, Schedule};
use crate::executable::CompileOptions;
use crate::stack::with_large_stack;

/// Runs that are shorter never touch the GPU.
const HEAD_START: Duration = Duration::from_millis(5);
/// Between two looks at the limits while the GPU works alone.
const WATCH: Duration = Duration::from_millis(10);

/// GPUs that are being brought up, or still work, for runs that are over.
static PENDING: AtomicUsize = AtomicUsize::new(0);

/// Whether a GPU is still being brought up for a run that is over. Then a process should end without waiting for it.
pub fn gpu_pending() -> bool {
    PENDING.load(Ordering::Acquire) > 0
}

/// A term program for the processor and a GPU.
pub(crate) struct AutoPlan {
    cpu: TermPlan,
    rules: Arc<rule::Program>,
    sources: Arc<SourceMap>,
    schedule: Schedule,
    /// Whether there are calls that can run side by side.
    splits: bool,
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
    pub fn new(
        rules: &rule::Program,
        sources: &Arc<SourceMap>,
        cpu: TermPlan,
        schedule: Schedule,
    ) -> Result<Self, Vec<Diagnostic>> {
        let splits = has_siblings(&term::compile(rules, &TermOptions::tasks(false))?);
        Ok(Self { cpu, rules: Arc::new(rules.clone()), sources: Arc::clone(sources), schedule, splits })
    }

    /// The plan for the processor.
    pub fn cpu_plan(&self) -> &TermPlan {
        &self.cpu
    }

    /// Normalises a term.
    pub fn run(&self, input: &GroundTerm, control: &mut Control<'_>) -> Result<Finished, Box<Stopped>> {
        if let Some(why) = self.stays(control) {
            return on_cpu(exec::term::run(&self.rules, &self.cpu, input, control), why);
        }
        let race = Arc::new(Race::default());
        control.also_stop(Arc::clone(&race.over));
        Beside::start(self, input, control, Arc::clone(&race));
        let ran = exec::term::run(&self.rules, &self.cpu, input, control);
        match ran {
            Err(stopped) => match race.result(&stopped, control) {
                Some(outcome) => Ok(from_gpu(*outcome)),
                None => Err(stopped),
            },
            // Both may be done at the same time: the processor's result is there already.
            ran => {
                let why = race.call_off();
                on_cpu(ran, &why)
            }
        }
    }

    /// Why the run stays on the processor, if that is known beforehand.
    fn stays(&self, control: &Control<'_>) -> Option<&'static str> {
        if control.records() || control.traces() {
            return Some("cpu: the run is recorded or traced");
        }
        (!self.splits).then_some("cpu: the program has no calls that can run side by side")
    }
}

fn on_cpu(ran: Result<exec::term::Outcome, Box<Stopped>>, why: &str) -> Result<Finished, Box<Stopped>> {
    ran.map(|run| {
        let stats = Stats { choice: Some(why.to_string()), ..run.stats };
        Finished { normal_form: run.normal_form, stats, report: None }
    })
}

fn from_gpu(outcome: Outcome) -> Finished {
    let choice = Some("gpu: it was done before the cpu".to_string());
    let stats = Stats { choice, ..outcome.stats };
    Finished { normal_form: outcome.normal_form, stats, report: Some(outcome.report) }
}

fn has_siblings(plan: &TermPlan) -> bool {
    let mut found = false;
    for function in plan.functions.iter() {
        function.region.body.walk(&mut |block| {
            found |= block.steps.iter().any(|s| matches!(s, Step::Call { siblings, .. } if *siblings > 0));
        });
    }
    found
}

/// How far the GPU is.
#[derive(Default)]
enum Phase {
    /// It waits for the processor's head start, or comes up.
    #[default]
    Coming,
    Working,
    /// It has no result, and why.
    Failed(String),
    Done(Box<Outcome>),
}

/// What the two sides share.
#[derive(Default)]
struct Race {
    /// The GPU has a result.
    over: Arc<AtomicBool>,
    /// The processor has one, or nobody wants one any more.
    called_off: AtomicBool,
    phase: Mutex<Phase>,
    changed: Condvar,
}

impl Race {
    fn phase(&self) -> MutexGuard<'_, Phase> {
        self.phase.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, phase: Phase) {
        let done = matches!(phase, Phase::Done(_));
        *self.phase() = phase;
        self.over.store(done, Ordering::Release);
        self.changed.notify_all();
    }

    /// Stops the GPU; says how far it was.
    fn call_off(&self) -> String {
        self.called_off.store(true, Ordering::Release);
        self.changed.notify_all();
        match &*self.phase() {
            Phase::Coming => "cpu: it was done before the gpu was ready".into(),
            Phase::Working | Phase::Done(_) => "cpu: it was done before the gpu".into(),
            Phase::Failed(why) => format!("cpu: {why}"),
        }
    }

    /// The GPU's result when the processor stopped without one: because of it, or for want of memory, which the GPU may have.
    fn result(&self, stopped: &Stopped, control: &mut Control<'_>) -> Option<Box<Outcome>> {
        let waits = matches!(stopped.error.reason, StopReason::Memory { .. } | StopReason::Indices { .. });
        let mut phase = self.phase();
        while waits && matches!(*phase, Phase::Coming | Phase::Working) {
            phase = self.changed.wait_timeout(phase, WATCH).unwrap_or_else(PoisonError::into_inner).0;
            let now = Progress { steps: 0, bytes: 0, live: 0 };
            if !matches!(*phase, Phase::Done(_)) && control.poll(now).is_err() {
                break;
            }
        }
        let found = std::mem::take(&mut *phase);
        drop(phase);
        self.called_off.store(true, Ordering::Release);
        self.changed.notify_all();
        if let Phase::Done(outcome) = found { Some(outcome) } else { None }
    }
}

/// The GPU's side.
struct Beside {
    rules: Arc<rule::Program>,
    sources: Arc<SourceMap>,
    cpu: TermPlan,
    schedule: Schedule,
    input: GroundTerm,
    limits: Limits,
    deadline: Option<Instant>,
    race: Arc<Race>,
}

impl Beside {
    fn start(plan: &AutoPlan, input: &GroundTerm, control: &Control<'_>, race: Arc<Race>) {
        let beside = Self {
            rules: Arc::clone(&plan.rules),
            sources: Arc::clone(&plan.sources),
            cpu: plan.cpu.clone(),
            schedule: plan.schedule,
            input: input.clone(),
            limits: control.limits(),
            deadline: control.deadline(),
            race: Arc::clone(&race),
        };
        PENDING.fetch_add(1, Ordering::AcqRel);
        let work = move || {
            let worked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| beside.work()));
            let phase = worked.unwrap_or_else(|_| Phase::Failed("the gpu's side failed".into()));
            beside.race.set(phase);
            PENDING.fetch_sub(1, Ordering::AcqRel);
        };
        if std::thread::Builder::new().name("gchr gpu".into()).spawn(work).is_err() {
            PENDING.fetch_sub(1, Ordering::AcqRel);
            race.set(Phase::Failed("the system gives no more threads".into()));
        }
    }

    fn work(&self) -> Phase {
        let race = &self.race;
        let called_off = |_: &mut Phase| !race.called_off.load(Ordering::Acquire);
        drop(race.changed.wait_timeout_while(race.phase(), HEAD_START, called_off));
        if race.called_off.load(Ordering::Acquire) {
            return Phase::Coming;
        }
        let device = Device::Gpu(0);
        let options = CompileOptions { device, schedule: self.schedule, ..CompileOptions::default() };
        let plan = || DevicePlan::new(&self.rules, &self.sources, self.cpu.clone(), &options);
        let plan = match with_large_stack(plan) {
            Ok(plan) => plan,
            Err(found) => return Phase::Failed(first(&found)),
        };
        race.set(Phase::Working);
        let mut limits = self.limits;
        limits.timeout = self.deadline.map(|d| d.saturating_duration_since(Instant::now()));
        let mut control = Control::new(limits).interrupt(&race.called_off);
        match plan.run(&self.rules, &self.input, &mut control) {
            Ok(outcome) => Phase::Done(Box::new(outcome)),
            Err(Failure::Stopped(stopped)) => {
                Phase::Failed(first(&[stopped.error.to_diagnostic(&self.rules)]))
            }
            Err(Failure::Device(error)) => Phase::Failed(first(&error.into_diagnostics())),
        }
    }
}

fn first(found: &[Diagnostic]) -> String {
    let message = found.first().map_or("no reason is known", |d| d.message.as_str());
    format!("the gpu has no result ({message})")
}
