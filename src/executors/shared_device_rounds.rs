//! Constraint programs in rounds on several devices, each with a worker that keeps a part of the store.

use std::fmt::Display;
use std::num::NonZeroUsize;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;

use gchr_base::control::{Control, Progress};
use gchr_base::diagnostic::Diagnostic;
use gchr_base::error::{RunError, StopReason};
use gchr_base::facts::Facts;
use gchr_base::rule::{self, Semantics};
use gchr_base::source::SourceMap;
use gchr_base::stats::Stats;
use gchr_constraints::exec::Outcome;
use gchr_constraints::plan::{ChrPlan, differences};
use gchr_constraints::rounds::workers::{
    Engines, Job, PartEngine, Ran, Stop, Unshared, Whole, Worker, WorkerProgram, run_local_by, run_over_by,
};
use gchr_kernels_constraints::run::{DevicePart, Failure, Options, dealt};

use crate::device::backend::Placement;
use crate::executor::{Compiled, Executor, Finished, Unfinished};
use crate::executors::device_rounds::{DeviceRoundsProgram, room};
use crate::executors::shared_rounds::{divide, unfinished};
use crate::options::{CompileOptions, Device, KernelTier, Workers};
use crate::output::Answer;
use crate::program::{Language, Program};
use crate::team;

/// Workers on GPUs, or on simulators of one.
pub(crate) struct SharedDeviceRounds;

impl Executor for SharedDeviceRounds {
    fn runs(&self, program: &Program, options: &CompileOptions) -> bool {
        program.language() == Language::Constraints
            && options.device.runs_kernels()
            && options.workers != Workers::Alone
    }

    fn compile(
        &self,
        program: &Program,
        options: &CompileOptions,
    ) -> Result<Box<dyn Compiled>, Vec<Diagnostic>> {
        if program.semantics(options) != Semantics::Rounds {
            let message = "workers on devices share constraint programs in rounds only";
            return Err(vec![Diagnostic::error("U0110", message).help("give --semantics rounds")]);
        }
        let (plan, shared) = divide(program, options, WorkerProgram::with_ticks)?;
        let devices = open_all(&shared.program, &program.sources, options)?;
        Ok(Box::new(SharedDeviceProgram { plan, shared, devices, options: *options, alone: OnceLock::new() }))
    }
}

/// The worker's program on each device of this process. The first one compiles the kernels, the others find them in
/// the cache.
fn open_all(
    worker: &rule::Program,
    sources: &SourceMap,
    options: &CompileOptions,
) -> Result<Vec<DeviceRoundsProgram>, Vec<Diagnostic>> {
    let open = |number: u32| {
        let options = CompileOptions { device: nth(options.device, number), ..*options };
        DeviceRoundsProgram::new(worker, sources, &options)
    };
    let (first, count) = match options.workers {
        Workers::Here(count) => (0, count.get() as u32),
        Workers::Team => (team::place_on_host(), 1),
        Workers::Alone => (0, 1),
    };
    let first_opened = open(first)?;
    let others: Vec<_> = thread::scope(|scope| {
        let opening: Vec<_> =
            (first + 1..first + count).map(|number| scope.spawn(move || open(number))).collect();
        opening
            .into_iter()
            .map(|one| one.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    });
    std::iter::once(Ok(first_opened)).chain(others).collect()
}

/// The GPU so many numbers behind the one that was asked for.
fn nth(device: Device, number: u32) -> Device {
    match device {
        Device::Gpu(first) => Device::Gpu(first + number),
        other => other,
    }
}

struct SharedDeviceProgram {
    plan: ChrPlan,
    shared: WorkerProgram,
    /// One for each worker of this process.
    devices: Vec<DeviceRoundsProgram>,
    options: CompileOptions,
    /// The whole program on the first device, for a run that one worker is to do alone.
    alone: OnceLock<DeviceRoundsProgram>,
}

impl Compiled for SharedDeviceProgram {
    fn plan<'a>(&'a self, program: &'a Program) -> Box<dyn Display + 'a> {
        Box::new(self.plan.display(&program.rules))
    }

    fn kernels(&self) -> Option<KernelTier> {
        self.devices.first().and_then(|device| device.backend.kernels())
    }

    fn warnings(&self, program: &Program) -> Vec<Diagnostic> {
        differences(&program.rules, &self.plan)
    }

    fn run(&self, program: &Program, control: &mut Control<'_>) -> Result<Finished, Unfinished> {
        if !program.has_goals() {
            return Err(Unfinished::NothingToRun);
        }
        let job = Job {
            program: &program.rules,
            plan: &self.plan,
            shared: &self.shared,
            facts: &program.facts,
            threads: 1,
            checkpoints: None,
            only_sizes: self.options.only_sizes,
        };
        let engines = Devices {
            shared: &self.shared,
            facts: &program.facts,
            devices: &self.devices,
            first: None,
            ended: Mutex::default(),
        };
        let ran = match self.options.workers {
            Workers::Alone => Err(Unshared::Alone),
            Workers::Here(workers) => run_local_by(job, &engines, workers, control).map(all),
            Workers::Team => {
                let run = |wire: &mut dyn gchr_constraints::rounds::workers::Wire| {
                    let engines = Devices { first: Some(wire.worker().rank), ..engines };
                    let ran = run_over_by(job, &engines, wire, control);
                    (ran, engines.ended)
                };
                match team::on_wire(run) {
                    None => return Err(Unfinished::Program(vec![team::not_joined()])),
                    Some((ran, ended)) => return self.finished(program, ran, ended, control),
                }
            }
        };
        self.finished(program, ran, engines.ended, control)
    }
}

fn all(whole: Whole) -> Ran {
    Ran::Whole(Box::new(whole))
}

impl SharedDeviceProgram {
    fn finished(
        &self,
        program: &Program,
        ran: Result<Ran, Unshared>,
        ended: Mutex<Ended>,
        control: &mut Control<'_>,
    ) -> Result<Finished, Unfinished> {
        let Ended { stats, failure } = ended.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(failure) = failure {
            return Err(failure);
        }
        match ran {
            Ok(Ran::Whole(whole)) => {
                let Whole { outcome: Outcome { store, stats: counts }, sizes } = *whole;
                let answer = match self.options.only_sizes {
                    true => Answer::Sizes(sizes.into_iter().collect()),
                    false => Answer::Store(store),
                };
                Ok(Finished { answer, stats: on_devices(counts, &stats), report: None })
            }
            Ok(Ran::Part) => Err(Unfinished::Elsewhere { done: true }),
            Ok(Ran::Elsewhere) => Err(Unfinished::Elsewhere { done: false }),
            Err(Unshared::Stopped(stopped)) => Err(unfinished(stopped)),
            Err(Unshared::Alone) => self.alone(program, control),
        }
    }

    /// Runs the whole program on the first device, which says exactly where it stops.
    fn alone(&self, program: &Program, control: &mut Control<'_>) -> Result<Finished, Unfinished> {
        if self.alone.get().is_none() {
            let options = CompileOptions { workers: Workers::Alone, ..self.options };
            let made = DeviceRoundsProgram::new(&program.rules, &program.sources, &options);
            // Nobody else fills it: a program has one run at a time here, and two would make the same.
            let _ = self.alone.set(made.map_err(Unfinished::Program)?);
        }
        let missing = || Unfinished::Program(Vec::new());
        let alone = self.alone.get().ok_or_else(missing)?;
        alone.run_rules(&program.rules, &program.facts, self.options.only_sizes, control)
    }
}

/// The statistics of a run with what its devices took, side by side.
fn on_devices(counts: Stats, devices: &[Stats]) -> Stats {
    let longest = |took: fn(&Stats) -> Option<f64>| devices.iter().filter_map(took).reduce(f64::max);
    let mut names: Vec<&str> = devices.iter().filter_map(|stats| stats.device.as_deref()).collect();
    names.sort_unstable();
    names.dedup();
    Stats {
        device: Some(names.join(", ")),
        device_ms: longest(|stats| stats.device_ms),
        transfer_ms: longest(|stats| stats.transfer_ms),
        verify_ms: longest(|stats| stats.verify_ms),
        kernels: devices.first().and_then(|stats| stats.kernels.clone()),
        ..counts
    }
}

/// How the devices ended.
#[derive(Default)]
struct Ended {
    stats: Vec<Stats>,
    /// The first failure of a device.
    failure: Option<Unfinished>,
}

/// Makes the engines of workers on devices.
struct Devices<'r> {
    shared: &'r WorkerProgram,
    facts: &'r [Facts],
    devices: &'r [DeviceRoundsProgram],
    /// The number of the first worker of this process, if it is not 0.
    first: Option<usize>,
    ended: Mutex<Ended>,
}

impl Engines for Devices<'_> {
    fn with_engine(
        &self,
        worker: Worker,
        control: &mut Control<'_>,
        work: &mut dyn FnMut(&mut dyn PartEngine),
    ) -> Result<(), Stop> {
        let device = &self.devices[worker.rank - self.first.unwrap_or(0)];
        let ground = device.ground(&self.shared.program);
        let input = dealt(ground, self.shared, worker, self.facts, control);
        let run = |placement: Placement<'_>, control: &mut Control<'_>| -> Result<Stats, Failure> {
            let mut room = room(&placement);
            if placement.simulated {
                // All of them are in the memory of this machine.
                let here = NonZeroUsize::new(self.devices.len()).unwrap_or(NonZeroUsize::MIN);
                room = Options { memory: room.memory / here.get() as u64, ..room };
            }
            let with = (self.shared, worker);
            let mut part = DevicePart::new(ground, &input, with, room, placement.device, control)?;
            work(&mut part);
            let stats = part.stats();
            part.end()?;
            Ok(stats)
        };
        let ran = device.backend.run(control, run);
        let mut ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        match ran {
            Ok(stats) => {
                ended.stats.push(stats);
                Ok(())
            }
            Err(failure) => {
                let stop = stop_of(&failure, worker);
                if let Failure::Device(error) = failure {
                    ended.failure.get_or_insert(Unfinished::Device(error));
                }
                Err(stop)
            }
        }
    }
}

fn stop_of(failure: &Failure, worker: Worker) -> Stop {
    match failure {
        Failure::Stopped(stopped) => Box::new(stopped.error.clone()),
        Failure::Device(_) => {
            let reason = StopReason::device_lost(worker.rank);
            let progress = Progress { steps: 0, bytes: 0, live: 0 };
            Box::new(RunError { reason, rule: None, span: None, progress })
        }
    }
}
