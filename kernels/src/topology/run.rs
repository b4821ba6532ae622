//! Host side of the topology scheduler: puts the start term into slots, iterates on a device, brings the normal form back.

mod result;
mod tables;

use std::time::{Duration, Instant};

use gchr_core::control::{Control, Progress};
use gchr_core::error::{RunError, StopReason};
use gchr_core::exec::term::NormalForm;
use gchr_core::plan::term::TermPlan;
use gchr_core::profile::{Recorder, Round};
use gchr_core::rule::{GroundTerm, Program};
use gchr_core::stats::Stats;

use super::codegen::Strategy;
use super::kernels::{Collector, Kernels};
use super::system::System;
pub use crate::outcome::{Failure, Stopped};

use crate::codegen::{self, Noted};
use crate::device::{Arg, Device, Launch, Value, traffic_since};
use tables::{Counts, Tables};

/// Threads a block; the template's `BLOCK`.
const BLOCK: u32 = 256;
/// Iterations of one launch: between them the host looks at limits and interrupts.
const FIRST_ITERATIONS: u32 = 64;
const MOST_ITERATIONS: u32 = 1 << 16;
/// Milliseconds that a launch should take, about.
const SLICE_MS: f64 = 50.0;

/// How to run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// When a slot may be rewritten.
    pub strategy: Strategy,
    /// What happens to garbage.
    pub collector: Collector,
    /// Bytes of device memory that the slots may take.
    pub memory: u64,
    /// Slots to start with; the tables grow when they are used up.
    pub slots: u64,
}

/// A run that reached a normal form.
#[derive(Debug)]
pub struct Outcome {
    /// The normal form.
    pub normal_form: NormalForm,
    /// What it cost; `steps` are iterations.
    pub stats: Stats,
    /// What else the device counted.
    pub report: Report,
}

/// Figures of the paper beside the common statistics.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Report {
    /// Rule applications and marks "in normal form": the papers' unit.
    pub rewritten: u64,
    /// Slots that hold something at the end.
    pub live_slots: u64,
    /// Slots that the result reaches.
    pub reachable_slots: u64,
}

/// What is run.
#[derive(Clone, Copy)]
pub struct Job<'a> {
    /// The program.
    pub program: &'a Program,
    /// Its heads and equations.
    pub system: &'a System,
    /// Its kernels; the device was opened with them.
    pub kernels: &'a Kernels,
    /// Its plan for the CPU: the layout of the normal form.
    pub plan: &'a TermPlan,
    /// What is normalised.
    pub input: &'a GroundTerm,
}

/// Normalises a term on a device.
pub fn run(
    job: Job<'_>,
    options: Options,
    device: &mut dyn Device,
    control: &mut Control<'_>,
) -> Result<Outcome, Failure> {
    let start = Instant::now();
    let mut runner = Runner { job, options, counts: Counts::default(), device_ms: 0.0, bytes: 0 };
    let mut result = Tables::new(&job, &options, device).and_then(|mut tables| {
        let iterated = runner.iterate(&mut tables, device, control);
        let result = iterated.and_then(|()| runner.finish(&tables, start, device));
        // A device that failed does not give its memory back either; the first failure is the one to tell.
        let freed = tables.free(device);
        result.and_then(|outcome| Ok(freed.map(|()| outcome)?))
    });
    if let Err(Failure::Stopped(stopped)) = &mut result {
        stopped.stats = runner.stats(start, device);
    }
    result
}

/// What a launch says of its end; the template's words for it.
mod stop {
    pub const DONE: u32 = 1;
    pub const MUST_GROW: u32 = 2;
    pub const FAILED: u32 = 3;
}

fn stopped(reason: StopReason, progress: Progress) -> Failure {
    let error = RunError { reason, rule: None, span: None, progress };
    Failure::Stopped(Box::new(Stopped { error, stats: Stats::default() }))
}

struct Runner<'a> {
    job: Job<'a>,
    options: Options,
    counts: Counts,
    device_ms: f64,
    bytes: u64,
}

impl Runner<'_> {
    fn iterate(
        &mut self,
        tables: &mut Tables,
        device: &mut dyn Device,
        control: &mut Control<'_>,
    ) -> Result<(), Failure> {
        let kernel = device.kernel("iterate")?;
        let resident = device.resident_blocks(kernel, BLOCK)?;
        let mut iterations = FIRST_ITERATIONS;
        loop {
            self.bytes = self.bytes.max(tables.bytes());
            self.poll(control)?;
            if let Some(recorder) = control.recorder() {
                iterations = recorder.rounds_per_point();
            }
            let applied = control.limits().max_steps.unwrap_or(u64::MAX);
            let params = tables.params();
            let args =
                [Arg::Record(&params), Arg::Value(Value::U32(iterations)), Arg::Value(Value::U64(applied))];
            let before = device.traffic();
            let timer = device.start_timer()?;
            let launch = Launch { kernel, grid: resident, block: BLOCK, args: &args, cooperative: true };
            let launched = device.launch(&launch).and_then(|()| device.stop_timer(timer));
            let took = match launched {
                Ok(took) => took.as_secs_f64() * 1e3,
                Err(error) => {
                    // The simulator ends a launch early when the run is to stop: then that is the reason.
                    self.poll(control)?;
                    return Err(error.into());
                }
            };
            self.device_ms += took;
            let end = tables.end_of_launch(device)?;
            self.counts = end.counts;
            if let Some(recorder) = control.recorder() {
                recorder.kernel(
                    "iterate",
                    Duration::from_secs_f64(took / 1e3),
                    traffic_since(before, device),
                );
                self.record(recorder, end.stop == stop::DONE, device);
            }
            match end.stop {
                stop::DONE => return Ok(()),
                stop::MUST_GROW => self.grow(tables, device)?,
                stop::FAILED => return Err(self.failed(end.error)),
                _ => {}
            }
            if took < SLICE_MS / 2.0 {
                iterations = (iterations * 2).min(MOST_ITERATIONS);
            } else if took > SLICE_MS * 2.0 {
                iterations = (iterations / 2).max(1);
            }
        }
    }

    /// Adds what the launch did to the course of the run. The last iteration, which finds nothing to do, is counted at the end.
    fn record(&self, recorder: &mut Recorder, done: bool, device: &dyn Device) {
        recorder.collected(self.counts.collections);
        recorder.traffic(device.traffic().unwrap_or_default());
        let rounds = self.counts.iterations - u64::from(!done);
        let live = self.counts.slots - self.counts.free;
        recorder.round(Round { rounds, progress: Progress { live, ..self.progress() } });
    }

    fn progress(&self) -> Progress {
        Progress { steps: self.counts.applied, bytes: self.bytes, live: self.counts.slots }
    }

    fn poll(&self, control: &mut Control<'_>) -> Result<(), Failure> {
        control.poll(self.progress()).map_err(|reason| self.stopped(reason))
    }

    fn stopped(&self, reason: StopReason) -> Failure {
        stopped(reason, self.progress())
    }

    fn grow(&self, tables: &mut Tables, device: &mut dyn Device) -> Result<(), Failure> {
        if tables.grow(self.options.memory, device)? {
            return Ok(());
        }
        let what = "term slots of the topology scheduler".to_string();
        Err(self.stopped(StopReason::Memory { limit: self.options.memory, what }))
    }

    /// The arithmetic error that the device noted.
    fn failed(&self, noted: Option<Noted>) -> Failure {
        let Some((reason, site)) = noted.and_then(|noted| self.job.kernels.sites.explain(&noted)) else {
            return Failure::Device(codegen::unknown_site(noted));
        };
        let error = RunError { reason, rule: site.rule, span: Some(site.span), progress: self.progress() };
        Failure::Stopped(Box::new(Stopped { error, stats: Stats::default() }))
    }

    fn stats(&self, start: Instant, device: &dyn Device) -> Stats {
        Stats {
            rewrites: Some(self.counts.applied),
            steps: Some(self.counts.iterations),
            run_ms: Some(start.elapsed().as_secs_f64() * 1e3),
            device_ms: Some(self.device_ms),
            peak_bytes: Some(self.bytes),
            collections: Some(self.counts.collections),
            device: Some(device.limits().name.clone()),
            scheduler: Some("topology".into()),
            ..Stats::default()
        }
    }

    fn finish(&self, tables: &Tables, start: Instant, device: &mut dyn Device) -> Result<Outcome, Failure> {
        let slots = tables.download(device)?;
        let brought = result::bring_back(&self.job, &slots).map_err(|reason| self.stopped(reason))?;
        let mut stats = self.stats(start, device);
        stats.live_cells = Some(brought.cells);
        let report = Report {
            rewritten: self.counts.applied + self.counts.marked,
            live_slots: self.counts.slots - self.counts.free,
            reachable_slots: brought.reachable,
        };
        Ok(Outcome { normal_form: brought.normal_form, stats, report })
    }
}
