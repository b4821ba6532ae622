//! Batches: many start terms of one program, each on its own line. Lines are evaluated side by side, and handed out in
//! their order (`queue`). A device that takes many terms at a time gets whole chunks, larger ones (`wave`); a GPU may
//! also work beside the workers (`gpu_worker`).

mod gpu_share;
mod gpu_worker;
mod job;
mod line;
mod queue;
mod shard;
mod wave;
mod worker;

use std::io::{self, BufRead};
use std::time::{Duration, Instant};

use gchr_base::diagnostic::Diagnostic;
use gchr_base::stats::Stats;

use crate::diagnostics::Diagnostics;
use crate::executable::Executable;
use crate::executor::{LineEvaluation, StartsDevice, Unfinished};
use crate::output::Failure;
use crate::processor::{CpuTerms, PreparedTerms};
use crate::stack::with_large_stack;
use gpu_share::GpuShare;
use job::{Evaluation, Job, Tally};
use line::Chunk;
use queue::{ChunkSize, LineSource, Ordered};
use wave::WAVE;
use worker::Worker;

pub use job::BatchOptions;
pub use line::{BatchLine, LineText};
pub use shard::Shard;

/// What a worker takes at a time.
const CHUNK: ChunkSize = ChunkSize { lines: 256, bytes: 1 << 16 };
/// Chunks per worker that may wait for an earlier one; chunks in all where a GPU has one.
const WINDOW: u64 = 4;
const WINDOW_WITH_GPU: u64 = 2048;

/// The end of a batch.
#[derive(Debug)]
pub struct BatchSummary {
    /// Lines with a result.
    pub done: u64,
    /// Lines without one.
    pub failed: u64,
    /// Why lines were left out at the end: a limit of the whole batch, or an interrupt.
    pub stopped: Option<Diagnostics>,
    /// Sums over all lines; the largest memory of one.
    pub stats: Stats,
}

/// Why a batch was given up: the input cannot be read, or what takes the results fails.
#[derive(Debug)]
pub enum BatchError {
    /// The input failed after so many lines.
    Read(u64, io::Error),
    /// The taker of results failed.
    Write(io::Error),
    /// Nothing can be run at all.
    Run(Box<Failure>),
}

impl Executable<'_> {
    /// Normalises the terms of `input`, each on its own line, and hands each line to `take`, in order. Lines that are
    /// empty or only a comment (`%`) are passed over. A line that fails is one of the results; the others go on. `name`
    /// is what diagnostics call the input.
    pub fn run_batch<R: BufRead + Send>(
        &self,
        input: R,
        name: &str,
        options: &BatchOptions<'_>,
        take: &mut (dyn FnMut(BatchLine) -> io::Result<()> + Send),
    ) -> Result<BatchSummary, BatchError> {
        let start = options.start.unwrap_or_else(Instant::now);
        let refused = |diagnostics| BatchError::Run(self.fail(diagnostics, Stats::default()));
        let lines = self.compiled.lines(self.program).map_err(refused)?;
        let lines = lines.ok_or_else(|| BatchError::Run(self.no_batch()))?;
        let prepare = |terms| self.prepare(terms, start);
        let prepared = match lines {
            LineEvaluation::Processor(terms) => Some(prepare(terms)?),
            LineEvaluation::Waves { processor, .. } | LineEvaluation::Shared { processor, .. } => {
                Some(prepare(processor)?)
            }
            LineEvaluation::OneByOne(_) => None,
        };
        let (evaluation, gpu) = match (lines, &prepared) {
            (LineEvaluation::Waves { device, .. }, Some(prepared)) => {
                (Evaluation::Waves(device, prepared), None)
            }
            (LineEvaluation::Shared { device, .. }, Some(prepared)) => {
                (Evaluation::Processor(prepared), Some(device))
            }
            (LineEvaluation::OneByOne(device), _) => (Evaluation::OneByOne(device), None),
            (_, Some(prepared)) => (Evaluation::Processor(prepared), None),
            (_, None) => return Err(BatchError::Run(self.no_batch())),
        };
        let workers = match evaluation {
            Evaluation::Processor(_) => options.threads.get(),
            Evaluation::OneByOne(_) => 1,
            // While a device has one chunk, the next one is read.
            Evaluation::Waves(..) => 2,
        };
        let window = if gpu.is_some() { WINDOW_WITH_GPU } else { WINDOW * workers as u64 };
        let job = Job {
            program: self.program,
            evaluation,
            name,
            options,
            workers: workers as u64,
            start,
            source: LineSource::new(input, options.limits.memory.unwrap_or(u64::MAX - 1), options.shard),
            results: Ordered::new(window, Tally::new(take, gpu.is_none())),
            gpu: GpuShare::default(),
        };
        let choice = job.work_on_all_threads(gpu);
        let mut summary = self.summary(job, start.elapsed())?;
        summary.stats.choice = choice;
        Ok(summary)
    }

    fn prepare<'a>(&'a self, terms: &'a CpuTerms, start: Instant) -> Result<PreparedTerms<'a>, BatchError> {
        let prepared = terms.prepare(&self.program.rules, false);
        prepared
            .map_err(|stopped| BatchError::Run(self.unfinished(Unfinished::from(stopped), start.elapsed())))
    }

    fn no_batch(&self) -> Box<Failure> {
        let diagnostic = Diagnostic::error("U0105", "a batch of terms is for term programs (.trs)")
            .help("start a constraint program with goals or facts");
        self.fail(vec![diagnostic], Stats::default())
    }

    fn summary<R>(&self, job: Job<'_, R>, time: Duration) -> Result<BatchSummary, BatchError> {
        let (tally, unread) = (job.results.into_sink(), job.source.into_error());
        match (tally.error, unread) {
            (Some(error), _) => return Err(BatchError::Write(error)),
            (None, Some((lines, error))) => return Err(BatchError::Read(lines, error)),
            (None, None) => {}
        }
        let stats = self.complete(tally.stats, time);
        Ok(BatchSummary { done: tally.done, failed: tally.failed, stopped: tally.stopped, stats })
    }
}

/// A worker that panics never gives its chunk back: the others must not wait for it.
struct StopOnPanic<'w, 'b, R>(&'w Job<'b, R>);

impl<R> Drop for StopOnPanic<'_, '_, R> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.results.stop();
        }
    }
}

impl<R: BufRead + Send> Job<'_, R> {
    /// Works until the input is at its end or nothing is taken any more. Says what the GPU did, if there is one.
    fn work_on_all_threads(&self, gpu: Option<&dyn StartsDevice>) -> Option<String> {
        std::thread::scope(|scope| {
            // Fewer workers where the system gives no more threads.
            let thread = |name: &str| std::thread::Builder::new().name(name.into());
            for _ in 1..self.workers {
                let _ = thread("gchr batch").spawn_scoped(scope, || with_large_stack(|| self.work()));
            }
            let gpu = gpu.map(|device| {
                let work = move || with_large_stack(|| self.work_on_gpu(device));
                thread("gchr batch gpu").spawn_scoped(scope, work)
            });
            with_large_stack(|| self.work());
            gpu.and_then(Result::ok).and_then(|thread| thread.join().ok())
        })
    }

    fn work(&self) {
        let _stop = StopOnPanic(self);
        let mut worker = Worker::new(self);
        let many = self.evaluation.many();
        let size = if many.is_some() { WAVE } else { CHUNK };
        while !self.results.is_stopped() {
            let chunk = if self.gpu.is_alone() { None } else { self.source.next_chunk(size) };
            let Some((number, chunk)) = chunk else {
                if self.help(&mut worker) {
                    continue;
                }
                return;
            };
            match many {
                Some(device) => self.results.put(number, worker.wave(device, &chunk)),
                None => self.lines(&mut worker, number, &chunk),
            }
            self.gpu.count(chunk.len());
        }
    }
}

impl<R> Job<'_, R> {
    /// Works on the lines of a chunk. A worker has at most one normal form that is too large to be held as text: it
    /// waits with it for its turn.
    fn lines(&self, worker: &mut Worker<'_, '_, R>, number: u64, chunk: &Chunk) {
        let mut rest = &chunk[..];
        loop {
            let worked = worker.lines(rest);
            rest = &rest[worked.len()..];
            if rest.is_empty() || self.results.is_stopped() || worked.last().is_none_or(|line| line.last) {
                return self.results.put(number, worked);
            }
            self.results.put_part(number, worked);
        }
    }
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::executors::auto_terms::AutoTermProgram;
    use crate::input::Input;
    use crate::options::{CompileOptions, Device};
    use crate::program::Language;

    /// With the simulator in the place of the GPU, which is slow enough to be overtaken.
    #[test]
    fn lines_are_in_order_on_both_sides() {
        let text = include_str!("../examples/fib_int.trs");
        let program = Input::text(Language::Terms, "fib_int.trs", text).parse().expect("a program");
        let executable = program.compile(&CompileOptions::default()).expect("a plan");
        let cpu = CpuTerms::new(&program.rules, &CompileOptions::default()).expect("a plan");
        let auto = AutoTermProgram::new(&program, cpu, Default::default()).with(Device::Sim);
        let executable = Executable { compiled: Box::new(auto), ..executable };
        let terms: String = (0..6000).map(|n| format!("Fib({})\n", 12 + n % 7)).collect();
        let fib = |n: u64| (0..n).fold((0u64, 1u64), |(a, b), _| (b, a + b)).0;
        let mut next = 0;
        let options = BatchOptions { threads: std::num::NonZeroUsize::MIN, ..BatchOptions::default() };
        let summary = executable.run_batch(terms.as_bytes(), "terms", &options, &mut |line: BatchLine| {
            assert_eq!(line.number, next + 1);
            assert_eq!(line.result.expect("a number").to_string(), fib(12 + next % 7).to_string());
            assert_eq!(line.rewrites, None);
            next += 1;
            Ok(())
        });
        let summary = summary.expect("a batch");
        assert_eq!((summary.done, summary.failed, next), (6000, 0, 6000));
        assert!(summary.stats.choice.is_some_and(|c| c.starts_with("gpu: ") || c.starts_with("cpu: ")));
    }
}
