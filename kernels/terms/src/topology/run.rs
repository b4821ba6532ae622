//! Host side of the topology scheduler: puts the start term into slots, iterates on a device, brings the normal form
//! back.

mod result;
mod slots;
mod tables;
mod whole;

use std::time::Instant;

use gchr_base::control::{Control, Progress};
use gchr_base::error::{RunError, StopReason};
use gchr_base::profile::Round;
use gchr_base::rule::{GroundTerm, Program};
use gchr_base::stats::Stats;
use gchr_terms::exec::NormalForm;
use gchr_terms::plan::TermPlan;

use super::codegen::Strategy;
use super::contract::Iterate;
use super::kernels::{Collector, Kernels};
use super::system::System;
pub use gchr_runtime::outcome::{Failure, Stopped};

use gchr_kernel::device::{Device, Launch};
use gchr_runtime::codegen::DeviceTrap;
use gchr_runtime::slices::{self, Slices};
use result::Unread;
use tables::{Counts, Tables};

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
    /// Slots in use up to which those of the result are counted in the run ([`COUNTED`](crate::COUNTED)).
    pub counted: u64,
}

/// A run that reached a normal form.
#[derive(Debug)]
pub struct TopologyOutcome {
    /// The normal form.
    pub normal_form: NormalForm,
    /// What it cost; `rounds` are iterations.
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
    /// Slots that the result reaches, where they were few enough to be counted.
    pub reachable_slots: Option<u64>,
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
) -> Result<TopologyOutcome, Failure> {
    let start = Instant::now();
    let slices = Slices::new(device, control)?;
    let mut runner = Runner { job, options, counts: Counts::default(), slices, bytes: 0 };
    let mut result = Tables::new(&job, &options, device).and_then(|mut tables| {
        let iterated = runner.iterate(&mut tables, device, control);
        let result = iterated.and_then(|()| runner.finish(&tables, start, device));
        // A device that failed does not give its memory back either; the first failure is the one to tell.
        let freed = tables.free(device);
        result.and_then(|outcome| Ok(freed.map(|()| outcome)?))
    });
    runner.slices.report(control);
    if let Err(Failure::Stopped(stopped)) = &mut result {
        stopped.stats = runner.stats(start, device);
    }
    result
}

struct Runner<'a> {
    job: Job<'a>,
    options: Options,
    counts: Counts,
    slices: Slices,
    bytes: u64,
}

impl Runner<'_> {
    fn iterate(
        &mut self,
        tables: &mut Tables,
        device: &mut dyn Device,
        control: &mut Control<'_>,
    ) -> Result<(), Failure> {
        let host = &self.job.kernels.host;
        let (block, stop) = (host.format.block, host.stop);
        let kernel = device.kernel(host.iterate.name())?;
        let resident = device.resident_blocks(kernel, block)?;
        loop {
            self.bytes = self.bytes.max(tables.bytes());
            self.poll(control)?;
            let iterations = self.slices.rounds(control);
            let applied = control.limits().max_steps.map_or(u64::MAX, |limit| limit.saturating_add(1));
            let params = tables.params(host)?;
            let iterate = Iterate { p: &params, max_iterations: iterations, max_applied: applied };
            let args = host.iterate.args(&iterate);
            let launch = Launch { kernel, grid: resident, block, args: &args, cooperative: true };
            self.slices.launch("iterate", &launch, device, control, self.progress())?;
            let end = tables.end_of_launch(host, device)?;
            self.counts = end.counts;
            let limit = control.limits().max_steps.filter(|&limit| self.counts.applied > limit);
            if let Some(limit) = limit {
                // What other threads have done in the same iteration counts as not done.
                self.counts.applied = limit;
                return Err(Failure::stopped(StopReason::Steps { limit }, self.progress()));
            }
            slices::record(control, self.counts.collections, self.round(end.stop == stop.done));
            if end.stop == stop.done {
                return Ok(());
            } else if end.stop == stop.must_grow {
                self.grow(tables, device)?;
            } else if end.stop == stop.failed {
                return Err(self.failed(end.error, tables, device)?);
            }
        }
    }

    /// A run that ends with exactly as many steps as are allowed is within the limit.
    fn poll(&self, control: &mut Control<'_>) -> Result<(), Failure> {
        match control.poll(self.progress()) {
            Err(StopReason::Steps { .. }) | Ok(()) => Ok(()),
            Err(reason) => Err(Failure::stopped(reason, self.progress())),
        }
    }

    /// The error that the device noted.
    fn failed(
        &self,
        noted: Option<DeviceTrap>,
        tables: &Tables,
        device: &mut dyn Device,
    ) -> Result<Failure, Failure> {
        let reports = &self.job.kernels.reports;
        let term = noted.and_then(|noted| noted.term());
        let Some((error, slot)) = term.and_then(|(number, slot)| Some((*reports.terms.get(number)?, slot)))
        else {
            return Ok(Failure::noted(&reports.sites, noted, self.progress()));
        };
        let (reason, site) = result::explain(&self.job, &mut tables.slots(device), error, slot)?;
        let (rule, span) = (site.and_then(|site| site.rule), site.map(|site| site.span));
        Ok(RunError { reason, rule, span, progress: self.progress() }.into())
    }

    /// How far the launches have come. The last iteration, which finds nothing to do, is counted at the end.
    fn round(&self, done: bool) -> Round {
        let rounds = self.counts.iterations - u64::from(!done);
        let live = self.counts.slots - self.counts.free;
        Round { rounds, progress: Progress { live, ..self.progress() } }
    }

    fn progress(&self) -> Progress {
        Progress { steps: self.counts.applied, bytes: self.bytes, live: self.counts.slots }
    }

    fn grow(&self, tables: &mut Tables, device: &mut dyn Device) -> Result<(), Failure> {
        if tables.grow(self.options.memory, device)? {
            return Ok(());
        }
        let what = "term slots of the topology scheduler".to_string();
        let reason = StopReason::Memory { limit: self.options.memory, what };
        Err(Failure::stopped(reason, self.progress()))
    }

    fn stats(&self, start: Instant, device: &dyn Device) -> Stats {
        Stats {
            rewrites: Some(self.counts.applied),
            rounds: Some(self.counts.iterations),
            run_ms: Some(start.elapsed().as_secs_f64() * 1e3),
            device_ms: Some(self.slices.device_ms()),
            peak_bytes: Some(self.bytes),
            collections: Some(self.counts.collections),
            device: Some(device.limits().name.clone()),
            scheduler: Some("topology".into()),
            ..Stats::default()
        }
    }

    fn finish(
        &self,
        tables: &Tables,
        start: Instant,
        device: &mut dyn Device,
    ) -> Result<TopologyOutcome, Failure> {
        let brought = result::read_back(&self.job, &mut tables.slots(device), self.options.counted);
        let brought = brought.map_err(|unread| match unread {
            Unread::Device(error) => Failure::Device(error),
            Unread::Stopped(reason) => Failure::stopped(reason, self.progress()),
        })?;
        let mut stats = self.stats(start, device);
        stats.live_cells = brought.cells;
        let report = Report {
            rewritten: self.counts.applied + self.counts.marked,
            live_slots: self.counts.slots - self.counts.free,
            reachable_slots: brought.reachable,
        };
        Ok(TopologyOutcome { normal_form: brought.normal_form, stats, report })
    }
}
