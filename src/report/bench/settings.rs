//! What all benchmarks share: how often and where programs run, and how a run is timed.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use gchr_base::control::{Control, Limits};
use gchr_base::rule::Semantics;
use gchr_base::stats::Stats;

use crate::input::Input;
use crate::options::CompileOptions;
use crate::options::{Device, Schedule, Scheduler};
use crate::output::SchedulerReport;
use crate::report::spread::{PATIENCE_MS, Spread, spread};

use super::programs::Benchmark;

/// What all benchmarks share.
pub struct Settings<'a> {
    /// Timed runs of each program and size, after one that warms up.
    pub repeats: usize,
    /// Names of programs to run; empty for all.
    pub only: Vec<String>,
    /// The smallest size of each only.
    pub smallest: bool,
    /// What runs the programs of `scale` and `profile`.
    pub device: Device,
    /// Time that one run may take.
    pub timeout: Duration,
    /// Ends everything early.
    pub interrupt: &'a AtomicBool,
    /// Hears of each measurement before it begins.
    pub progress: &'a dyn Fn(&str),
}

impl Settings<'_> {
    pub(super) fn wants(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|n| n == name)
    }

    pub(super) fn sizes<'b>(&self, bench: &'b Benchmark) -> &'b [u64] {
        if self.smallest { &bench.sizes[..1] } else { &bench.sizes }
    }

    /// How a program is run on [`device`](Self::device): on one with kernels, terms by the tasks scheduler and
    /// constraints in rounds.
    pub(super) fn options(&self) -> CompileOptions {
        match self.device {
            Device::Cpu => CompileOptions::default(),
            Device::Auto => CompileOptions { device: Device::Auto, ..CompileOptions::default() },
            device => on_device(device),
        }
    }

    /// Tells what comes next, and says whether to go on.
    pub(super) fn goes_on(&self, next: &str) -> bool {
        (self.progress)(next);
        !self.interrupt.load(Ordering::Relaxed)
    }

    pub(super) fn control(&self) -> Control<'_> {
        Control::new(Limits { timeout: Some(self.timeout), ..Limits::default() }).interrupt(self.interrupt)
    }
}

/// A program that was timed.
pub(super) struct Timed {
    /// Times of the run alone: on the device's clock where there is one.
    pub ms: Spread,
    /// Statistics of the run that warmed up.
    pub stats: Stats,
    /// What a device's scheduler counted.
    pub report: Option<SchedulerReport>,
}

impl Timed {
    /// The papers' unit: rule applications and marks; of runs under the topology scheduler.
    pub(super) fn rewritten(&self) -> Option<u64> {
        match self.report {
            Some(SchedulerReport::Topology(report)) => Some(report.rewritten),
            _ => None,
        }
    }
}

/// Terms by the tasks scheduler, constraints in rounds.
pub(super) fn on_device(device: Device) -> CompileOptions {
    let schedule = Schedule::of(Scheduler::Tasks);
    CompileOptions { device, schedule, semantics: Some(Semantics::Rounds), ..CompileOptions::default() }
}

/// What runs a program, for tables.
pub(super) fn device_name(device: Device) -> String {
    match device {
        Device::Cpu => "cpu".into(),
        Device::Auto => "auto".into(),
        Device::Gpu(number) => format!("gpu:{number}"),
        Device::Sim => "sim".into(),
    }
}

/// Times a program: one run that warms up, then the repeats.
pub(super) fn time(
    input: &Input,
    options: &CompileOptions,
    settings: &Settings<'_>,
) -> Result<Timed, String> {
    let program = input.parse().map_err(|e| short(&e))?;
    let executable = program.compile(options).map_err(|e| short(&e))?;
    let run = || executable.run(&mut settings.control()).map_err(|e| short(&e.diagnostics));
    let first = run()?;
    let (stats, report) = (first.stats().clone(), first.report().copied());
    drop(first);
    let mut times: Vec<f64> = Vec::new();
    while times.len() < settings.repeats.max(1) && times.last().is_none_or(|&ms| ms < PATIENCE_MS) {
        let outcome = run()?;
        let stats = outcome.stats();
        times.push(stats.device_ms.or(stats.run_ms).unwrap_or(0.0));
    }
    Ok(Timed { ms: spread(&times), stats, report })
}

pub(super) fn short(found: &crate::diagnostics::Diagnostics) -> String {
    let error = found.list().iter().find(|d| d.is_error());
    error.map_or_else(|| "unknown".into(), |d| format!("{} [{}]", d.message, d.code))
}
