//! Batches: many start terms of one program, one a line. Lines are evaluated side by side, and handed out in their order.
//!
//! Workers take the next lines from the input under one lock and give results back under another one, which waits when
//! a slow line holds up too many others: memory is bounded by the window, not by the input. A device that takes many terms at a time
//! gets whole chunks, larger ones; a GPU may also work beside the workers (`gpu_worker`).

mod gpu_worker;
mod wave;

use std::collections::BTreeMap;
use std::io::{self, BufRead};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use gchr_base::control::{Control, Limits, Progress};
use gchr_base::diagnostic::Diagnostic;
use gchr_base::error::{RunError, StopReason};
use gchr_base::rule::GroundTerm;
use gchr_base::source::{SourceId, SourceMap};
use gchr_base::stats::Stats;
use gchr_kernels_terms::topology::run as topology;
use gchr_terms::exec::{Evaluator, Prepared};
use gchr_trs::InputReader;

use crate::diagnostics::Diagnostics;
use crate::executable::{Executable, Failure, Plan};
use crate::executors::device_terms::DevicePlan;
use crate::stack::with_large_stack;
use gpu_worker::Beside;

/// Lines that a worker takes at a time, and the text after which it takes no more.
const CHUNK_LINES: usize = 256;
const CHUNK_BYTES: usize = 1 << 16;
/// The same for a device that evaluates a chunk side by side.
const WAVE_LINES: usize = 1 << 17;
const WAVE_BYTES: usize = 32 << 20;
/// Chunks a worker that may wait for an earlier one; all of them where a GPU has one.
const WINDOW: u64 = 4;
const WINDOW_BESIDE: u64 = 2048;

/// How to run a batch.
#[derive(Clone, Copy, Debug)]
pub struct BatchOptions<'a> {
    /// Rule applications: of each line. Memory: of the batch, in equal parts for the workers. Time: of the batch.
    pub limits: Limits,
    /// Workers on the CPU; devices have one.
    pub threads: NonZeroUsize,
    /// Becomes true when the batch is to stop.
    pub interrupt: Option<&'a AtomicBool>,
}

impl Default for BatchOptions<'_> {
    fn default() -> Self {
        let threads = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        Self { limits: Limits::default(), threads, interrupt: None }
    }
}

/// A line of a batch.
#[derive(Debug)]
pub struct BatchLine {
    /// Its number in the input, from 1.
    pub number: u64,
    /// Its normal form as text, or what is wrong with it.
    pub result: Result<String, Diagnostics>,
    /// Rule applications; unknown when a device counted those of many lines together.
    pub rewrites: Option<u64>,
}

/// What became of a batch.
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
    /// The input failed behind so many lines.
    Read(u64, io::Error),
    /// The taker of results failed.
    Write(io::Error),
    /// Nothing can be run at all.
    Run(Box<Failure>),
}

impl Executable<'_> {
    /// Normalises the terms of `input`, one a line, and hands each line to `take`, in order. Lines that are empty or only a comment
    /// (`%`) are passed over. A line that fails is one of the results; the others go on. `name` is what diagnostics call the input.
    pub fn run_batch<R: BufRead + Send>(
        &self,
        input: R,
        name: &str,
        options: &BatchOptions<'_>,
        take: &mut (dyn FnMut(BatchLine) -> io::Result<()> + Send),
    ) -> Result<BatchSummary, BatchError> {
        let start = Instant::now();
        let (plan, many, auto) = match &self.plan {
            Plan::Term(plan) => (Some(plan), None, None),
            // Lines of a chunk that failed on the device are told apart by the interpreter.
            Plan::Device(device) if device.takes_many() => (Some(device.cpu_plan()), Some(&**device), None),
            Plan::Auto(plan) => (Some(plan.cpu_plan()), None, Some(&**plan)),
            Plan::Device(_) => (None, None, None),
            Plan::Chr(_) | Plan::Rounds(_) | Plan::AutoRounds(_) => {
                return Err(BatchError::Run(self.no_batch()));
            }
        };
        let prepared = plan.map(|plan| Prepared::new(&self.program.rules, plan, false)).transpose();
        let prepared =
            prepared.map_err(|s| BatchError::Run(self.failure(s.error, s.stats, start.elapsed(), None)))?;
        // While a device has one chunk, the next one is read.
        let workers = match (&prepared, many) {
            (_, Some(_)) => 2,
            (Some(_), None) => options.threads.get(),
            (None, None) => 1,
        };
        let batch = Batch {
            executable: self,
            prepared: prepared.as_ref(),
            many,
            name,
            options,
            workers: workers as u64,
            window: if auto.is_some() { WINDOW_BESIDE } else { WINDOW * workers as u64 },
            counted: auto.is_none(),
            deadline: options.limits.timeout.and_then(|t| start.checked_add(t)),
            source: Mutex::new(Source { input, lines: 0, chunks: 0, error: None, done: false }),
            sink: Mutex::new(Sink { next: 0, waiting: BTreeMap::new(), take, found: Found::default() }),
            turn: Condvar::new(),
            stop: AtomicBool::new(false),
            ended_input: AtomicBool::new(false),
            beside: Beside::default(),
        };
        let mut choice = None;
        std::thread::scope(|scope| {
            // Fewer workers where the system gives no more threads.
            let thread = |name: &str| std::thread::Builder::new().name(name.into());
            for _ in 1..workers {
                let _ = thread("gchr batch").spawn_scoped(scope, || with_large_stack(|| batch.work()));
            }
            let gpu = auto.map(|plan| {
                let beside = || with_large_stack(|| batch.work_beside(plan));
                thread("gchr batch gpu").spawn_scoped(scope, beside)
            });
            with_large_stack(|| batch.work());
            choice = gpu.and_then(Result::ok).and_then(|thread| thread.join().ok());
        });
        let mut summary = batch.finish(start.elapsed())?;
        summary.stats.choice = choice;
        Ok(summary)
    }

    fn no_batch(&self) -> Box<Failure> {
        let diagnostic = Diagnostic::error("U0105", "a batch of terms is for term programs (.trs)")
            .help("start a constraint program with goals or facts");
        self.fail(None, vec![diagnostic], Stats::default())
    }
}

struct Source<R> {
    input: R,
    lines: u64,
    chunks: u64,
    error: Option<io::Error>,
    done: bool,
}

/// Lines with their numbers.
type Chunk = Vec<(u64, Vec<u8>)>;

/// A line that was worked on; the reason when the whole batch ends with it.
struct Worked {
    line: BatchLine,
    stats: Stats,
    last: bool,
}

#[derive(Default)]
struct Found {
    done: u64,
    failed: u64,
    stopped: Option<Diagnostics>,
    error: Option<io::Error>,
    stats: Stats,
}

struct Sink<'a> {
    /// The chunk whose turn it is.
    next: u64,
    waiting: BTreeMap<u64, Vec<Worked>>,
    take: &'a mut (dyn FnMut(BatchLine) -> io::Result<()> + Send),
    found: Found,
}

struct Batch<'a, R> {
    executable: &'a Executable<'a>,
    prepared: Option<&'a Prepared<'a>>,
    /// The device, when it takes many lines at a time.
    many: Option<&'a DevicePlan>,
    name: &'a str,
    options: &'a BatchOptions<'a>,
    workers: u64,
    /// Chunks that may wait for an earlier one.
    window: u64,
    /// Whether rule applications are told of each line. Where it rests on the machine who evaluates a line, they are not.
    counted: bool,
    deadline: Option<Instant>,
    source: Mutex<Source<R>>,
    sink: Mutex<Sink<'a>>,
    turn: Condvar,
    /// Nobody takes results any more.
    stop: AtomicBool,
    /// The input has been read.
    ended_input: AtomicBool,
    beside: Beside,
}

/// What a worker that panicked has left is still in order: both locks are held for short, complete changes.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<R> Batch<'_, R> {
    /// Why no further line is to be started. Small lines end before they look at the clock.
    fn ended(&self) -> Option<StopReason> {
        if self.options.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Some(StopReason::Interrupted);
        }
        let limit = self.options.limits.timeout?;
        self.deadline.is_some_and(|d| Instant::now() >= d).then_some(StopReason::Timeout { limit })
    }
}

/// A worker that panics never hands its chunk over: the others must not wait for it.
struct Bail<'w, 'b, R>(&'w Batch<'b, R>);

impl<R> Drop for Bail<'_, '_, R> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop.store(true, Ordering::Relaxed);
            // Whoever is about to wait has seen the flag, or waits already.
            drop(lock(&self.0.sink));
            self.0.turn.notify_all();
        }
    }
}

impl<R: BufRead + Send> Batch<'_, R> {
    fn work(&self) {
        let _bail = Bail(self);
        let mut worker = Worker::new(self);
        let size = if self.many.is_some() { (WAVE_LINES, WAVE_BYTES) } else { (CHUNK_LINES, CHUNK_BYTES) };
        while !self.stop.load(Ordering::Relaxed) {
            let chunk = if self.beside.is_alone() { None } else { self.next_chunk(size) };
            let Some((number, chunk)) = chunk else {
                if self.help(&mut worker) {
                    continue;
                }
                return;
            };
            let lines = chunk.len();
            let worked = match self.many {
                Some(device) => worker.wave(device, &chunk),
                None => worker.lines(&chunk),
            };
            self.beside.count(lines);
            self.hand_over(number, worked);
        }
    }

    fn next_chunk(&self, (most_lines, most_bytes): (usize, usize)) -> Option<(u64, Chunk)> {
        let mut source = lock(&self.source);
        let (mut chunk, mut bytes) = (Chunk::new(), 0);
        while !source.done && chunk.len() < most_lines && bytes < most_bytes {
            let mut text = Vec::new();
            match source.input.read_until(b'\n', &mut text) {
                Ok(0) => source.done = true,
                Ok(_) => {
                    source.lines += 1;
                    let blank = text.trim_ascii().first().is_none_or(|&b| b == b'%');
                    if !blank {
                        bytes += text.len();
                        chunk.push((source.lines, text));
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => (source.error, source.done) = (Some(error), true),
            }
        }
        if source.done {
            self.ended_input.store(true, Ordering::Release);
        }
        if chunk.is_empty() {
            return None;
        }
        source.chunks += 1;
        Some((source.chunks - 1, chunk))
    }

    /// Puts a chunk in its place, and hands out all whose turn it is.
    fn hand_over(&self, number: u64, worked: Vec<Worked>) {
        let mut sink = lock(&self.sink);
        while number >= sink.next + self.window && !self.stop.load(Ordering::Relaxed) {
            sink = self.turn.wait(sink).unwrap_or_else(PoisonError::into_inner);
        }
        sink.waiting.insert(number, worked);
        let sink = &mut *sink;
        while let Some(chunk) = sink.waiting.remove(&sink.next) {
            sink.next += 1;
            for mut worked in chunk {
                if !self.counted {
                    worked.line.rewrites = None;
                }
                if !self.stop.load(Ordering::Relaxed) && sink.found.add(worked, sink.take) {
                    self.stop.store(true, Ordering::Relaxed);
                }
            }
        }
        self.turn.notify_all();
    }

    fn finish(self, time: Duration) -> Result<BatchSummary, BatchError> {
        let source = self.source.into_inner().unwrap_or_else(PoisonError::into_inner);
        let found = self.sink.into_inner().unwrap_or_else(PoisonError::into_inner).found;
        match (found.error, source.error) {
            (Some(error), _) => return Err(BatchError::Write(error)),
            (None, Some(error)) => return Err(BatchError::Read(source.lines, error)),
            (None, None) => {}
        }
        let stats = self.executable.complete(found.stats, time);
        Ok(BatchSummary { done: found.done, failed: found.failed, stopped: found.stopped, stats })
    }
}

impl Found {
    /// Counts a line and hands it out. Says whether the batch ends with it.
    fn add(&mut self, worked: Worked, take: &mut (dyn FnMut(BatchLine) -> io::Result<()> + Send)) -> bool {
        let Worked { line, stats, last } = worked;
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
        let taken = take(line);
        self.error = taken.err();
        self.error.is_some()
    }
}

/// Reads lines: a reader, and a place for the text of a line among the texts of the program.
struct Reader<'w> {
    name: &'w str,
    reader: InputReader<'w>,
    sources: SourceMap,
    id: SourceId,
}

impl<'w> Reader<'w> {
    fn new<R>(batch: &'w Batch<'_, R>) -> Self {
        let program = batch.executable.program;
        let mut sources = SourceMap::clone(&program.sources);
        let id = sources.add("", "");
        Self { name: batch.name, reader: InputReader::new(&program.rules), sources, id }
    }

    /// The term of a line.
    fn read(&mut self, number: u64, text: &[u8]) -> Result<GroundTerm, Box<Worked>> {
        let name = format!("{}:{number}", self.name);
        let text = match std::str::from_utf8(text) {
            Ok(text) => text.trim(),
            Err(error) => {
                let found = Diagnostic::error("U0102", format!("{name} is not a UTF-8 text"))
                    .note(format!("byte {} of the line", error.valid_up_to()))
                    .help("save the file as UTF-8");
                return Err(Box::new(self.failed(number, vec![found], Stats::default(), false)));
            }
        };
        self.sources.replace(self.id, name, text);
        let read = self.reader.read(&self.sources, self.id);
        read.map_err(|found| Box::new(self.failed(number, found, Stats::default(), false)))
    }

    fn failed(&self, number: u64, found: Vec<Diagnostic>, stats: Stats, last: bool) -> Worked {
        let diagnostics = Diagnostics::new(Arc::new(self.sources.clone()), found);
        let rewrites = Some(stats.rewrites.unwrap_or(0));
        Worked { line: BatchLine { number, result: Err(diagnostics), rewrites }, stats, last }
    }
}

/// What one thread needs: a reader and memory.
struct Worker<'w, 'b, R> {
    batch: &'w Batch<'b, R>,
    reader: Reader<'w>,
    evaluator: Option<Evaluator<'w>>,
    /// Becomes true when nobody wants what it does.
    called_off: Option<Arc<AtomicBool>>,
    /// Its part of the memory of the batch: one of so many.
    share: u64,
}

impl<'w, 'b, R> Worker<'w, 'b, R> {
    fn new(batch: &'w Batch<'b, R>) -> Self {
        let evaluator = batch.prepared.map(Prepared::evaluator);
        let share = if batch.many.is_some() { 1 } else { batch.workers };
        Self { batch, reader: Reader::new(batch), evaluator, called_off: None, share }
    }

    /// Lines one after the other, up to the one that ends the batch.
    fn lines(&mut self, chunk: &[(u64, Vec<u8>)]) -> Vec<Worked> {
        let mut worked = Vec::with_capacity(chunk.len());
        for (number, text) in chunk {
            let done = match self.reader.read(*number, text) {
                Ok(term) => self.run(*number, &term),
                Err(failed) => *failed,
            };
            let last = done.last;
            worked.push(done);
            if last || self.batch.stop.load(Ordering::Relaxed) {
                break;
            }
        }
        worked
    }

    /// Limits and interrupt for what is started now.
    fn control(&self) -> Control<'b> {
        let batch = self.batch;
        let mut limits = batch.options.limits;
        limits.timeout = batch.deadline.map(|d| d.saturating_duration_since(Instant::now()));
        limits.memory = limits.memory.map(|m| m / self.share);
        let mut control = Control::new(limits);
        if let Some(flag) = &self.called_off {
            control.also_stop(Arc::clone(flag));
        }
        match batch.options.interrupt {
            Some(flag) => control.interrupt(flag),
            None => control,
        }
    }

    fn run(&mut self, number: u64, term: &GroundTerm) -> Worked {
        let batch = self.batch;
        if let Some(reason) = batch.ended() {
            let progress = Progress { steps: 0, bytes: 0, live: 0 };
            let error = RunError { reason, rule: None, span: None, progress };
            return self.stopped(number, error, Stats::default());
        }
        let mut control = self.control();
        let (error, stats) = match (&mut self.evaluator, &batch.executable.plan) {
            (Some(evaluator), _) => match evaluator.run(term, &mut control) {
                Ok(outcome) => {
                    let text = outcome.normal_form.to_text();
                    evaluator.recycle(outcome.normal_form);
                    return done(number, text, outcome.stats);
                }
                Err(stopped) => (stopped.error, stopped.stats),
            },
            (None, Plan::Device(plan)) => match plan.run(&batch.executable.program.rules, term, &mut control)
            {
                Ok(outcome) => return done(number, outcome.normal_form.to_text(), outcome.stats),
                Err(topology::Failure::Stopped(stopped)) => (stopped.error, stopped.stats),
                Err(topology::Failure::Device(error)) => {
                    return self.reader.failed(number, error.into_diagnostics(), Stats::default(), true);
                }
            },
            // Refused before.
            (None, _) => return self.reader.failed(number, Vec::new(), Stats::default(), true),
        };
        self.stopped(number, error, stats)
    }

    fn stopped(&self, number: u64, mut error: RunError, stats: Stats) -> Worked {
        let batch = self.batch;
        let last = matches!(error.reason, StopReason::Timeout { .. } | StopReason::Interrupted);
        if let (StopReason::Timeout { limit }, Some(whole)) =
            (&mut error.reason, batch.options.limits.timeout)
        {
            *limit = whole;
        }
        let mut found = error.to_diagnostic(&batch.executable.program.rules);
        found.notes.push(format!("while the term in {}:{number} was rewritten", batch.name));
        self.reader.failed(number, vec![found], stats, last)
    }
}

fn done(number: u64, text: String, stats: Stats) -> Worked {
    let rewrites = Some(stats.rewrites.unwrap_or(0));
    Worked { line: BatchLine { number, result: Ok(text), rewrites }, stats, last: false }
}
