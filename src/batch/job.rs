//! What all threads of a batch share: options, the input, and the results in order.

use std::io;
use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use gchr_base::control::Limits;
use gchr_base::error::StopReason;
use gchr_base::stats::Stats;
use gchr_base::watch::Watch;

use super::gpu_share::GpuShare;
use super::line::{BatchLine, WorkedLine};
use super::queue::{LineSource, Ordered, Sink};
use super::shard::Shard;
use crate::diagnostics::Diagnostics;
use crate::executor::TermDevice;
use crate::options::all_cores;
use crate::processor::PreparedTerms;
use crate::program::Program;

/// How to run a batch.
#[derive(Clone, Copy, Debug)]
pub struct BatchOptions<'a> {
    /// Rule applications: of each line. Memory: of the batch, in equal parts for the workers. Time: of the batch.
    pub limits: Limits,
    /// Workers on the CPU; devices have one.
    pub threads: NonZeroUsize,
    /// Becomes true when the batch is to stop.
    pub interrupt: Option<&'a AtomicBool>,
    /// When the clock of the time limit started; `None`: with the batch.
    pub start: Option<Instant>,
    /// Which lines are evaluated.
    pub shard: Shard,
}

impl Default for BatchOptions<'_> {
    fn default() -> Self {
        let limits = Limits::default();
        Self { limits, threads: all_cores(), interrupt: None, start: None, shard: Shard::WHOLE }
    }
}

/// A batch while it runs.
pub(super) struct Job<'a, R> {
    pub program: &'a Program,
    pub evaluation: Evaluation<'a>,
    pub name: &'a str,
    pub options: &'a BatchOptions<'a>,
    pub workers: u64,
    /// When the clock of the time limit started.
    pub start: Instant,
    pub source: LineSource<R>,
    pub results: Ordered<Vec<WorkedLine>, Tally<'a>>,
    pub gpu: GpuShare,
}

/// What evaluates lines.
#[derive(Clone, Copy)]
pub(super) enum Evaluation<'a> {
    /// The processor.
    Processor(&'a PreparedTerms<'a>),
    /// A device, one line after the other.
    OneByOne(&'a dyn TermDevice),
    /// A device, chunk by chunk, and the processor for the lines of a chunk that failed.
    Waves(&'a dyn TermDevice, &'a PreparedTerms<'a>),
}

impl<'a> Evaluation<'a> {
    /// The device that takes chunks.
    pub fn many(self) -> Option<&'a dyn TermDevice> {
        if let Evaluation::Waves(device, _) = self { Some(device) } else { None }
    }
}

impl<R> Job<'_, R> {
    /// What says that the batch is to stop.
    pub fn watch(&self) -> Watch<'_> {
        let watch = Watch::new().timeout(self.options.limits.timeout, self.start);
        match self.options.interrupt {
            Some(flag) => watch.interrupt(flag),
            None => watch,
        }
    }

    /// Why no further line is to be started. Small lines end before they look at the clock.
    pub fn stop_reason(&self) -> Option<StopReason> {
        self.watch().look().err()
    }

    /// Whether nothing is left to be taken from the input.
    pub fn is_over(&self) -> bool {
        self.results.is_stopped() || self.source.has_ended()
    }
}

/// Hands lines to the caller and sums up.
pub(super) struct Tally<'a> {
    pub take: &'a mut (dyn FnMut(BatchLine) -> io::Result<()> + Send),
    /// Whether lines say how many rules were applied. Where it depends on the machine which side evaluates a line, they
    /// do not.
    pub counted: bool,
    pub done: u64,
    pub failed: u64,
    pub stopped: Option<Diagnostics>,
    pub error: Option<io::Error>,
    pub stats: Stats,
}

impl<'a> Tally<'a> {
    pub fn new(take: &'a mut (dyn FnMut(BatchLine) -> io::Result<()> + Send), counted: bool) -> Self {
        let stats = Stats::default();
        Self { take, counted, done: 0, failed: 0, stopped: None, error: None, stats }
    }

    /// Counts a line and hands it out. Says whether the batch ends with it.
    fn add(&mut self, worked: WorkedLine) -> bool {
        let WorkedLine { mut line, stats, last } = worked;
        if !self.counted {
            line.rewrites = None;
        }
        let sum = |a: Option<u64>, b: Option<u64>| Some(a.unwrap_or(0) + b.unwrap_or(0));
        let all = &mut self.stats;
        all.rewrites = sum(all.rewrites, stats.rewrites);
        all.live_cells = sum(all.live_cells, stats.live_cells);
        all.collections = sum(all.collections, stats.collections);
        all.peak_bytes = all.peak_bytes.max(stats.peak_bytes);
        all.device = all.device.take().or(stats.device);
        match line.result {
            Err(why) if last => {
                self.stopped = Some(why);
                return true;
            }
            Ok(_) => self.done += 1,
            Err(_) => self.failed += 1,
        }
        let taken = (self.take)(line);
        self.error = taken.err();
        self.error.is_some()
    }
}

impl Sink<Vec<WorkedLine>> for Tally<'_> {
    fn take(&mut self, lines: Vec<WorkedLine>) -> bool {
        lines.into_iter().any(|worked| self.add(worked))
    }
}
