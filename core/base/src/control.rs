//! Control of a run from outside: limits, interruption, progress, trace and output. The same for every executor.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use crate::derivation::Derivations;
use crate::memory::{self, Shortage};
use crate::profile::Recorder;
use crate::stop::StopReason;

pub use crate::stop::Progress;
pub use crate::watch::Watch;

/// Limits of a run; `None` means none.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Rule applications or firings.
    pub max_steps: Option<u64>,
    /// Rounds of a constraint program under the semantics of rounds.
    pub max_rounds: Option<u64>,
    /// Bytes of the run's own tables.
    pub memory: Option<u64>,
    /// Time from the start of the run, or of the process.
    pub timeout: Option<Duration>,
    /// Bytes of a result, and of what the program itself writes.
    pub max_output: Option<u64>,
}

type ProgressSink<'a> = Box<dyn FnMut(Progress) + 'a>;
type TraceSink<'a> = Box<dyn FnMut(&str) + 'a>;

/// What a caller can see and stop of a run while it goes on.
pub struct Control<'a> {
    limits: Limits,
    start: Instant,
    watch: Watch<'a>,
    memory: memory::MemoryWatch,
    progress: Option<ProgressSink<'a>>,
    trace: Option<TraceSink<'a>>,
    recorder: Option<&'a mut Recorder>,
    derivations: Option<Box<Derivations>>,
    output: Box<dyn Write + 'a>,
    counts: bool,
}

/// The limits, the clock and the flags of a run, for another thread that takes part in it.
#[derive(Clone, Debug)]
pub struct Beside<'a> {
    limits: Limits,
    start: Instant,
    watch: Watch<'a>,
    memory: memory::MemoryWatch,
}

impl<'a> Beside<'a> {
    /// A control with nothing to report to: output is dropped.
    pub fn control(self) -> Control<'a> {
        let Self { limits, start, watch, memory } = self;
        let output = Box::new(std::io::sink());
        let (progress, trace, recorder, derivations) = (None, None, None, None);
        Control { limits, start, watch, memory, progress, trace, recorder, derivations, output, counts: true }
    }
}

impl Default for Control<'_> {
    fn default() -> Self {
        Self::new(Limits::default())
    }
}

impl<'a> Control<'a> {
    /// A control with limits; the clock of the timeout starts now. The program's output is dropped until
    /// [`output`](Self::output) is called.
    pub fn new(limits: Limits) -> Self {
        let start = Instant::now();
        Self {
            limits,
            start,
            watch: Watch::new().timeout(limits.timeout, start),
            memory: memory::MemoryWatch::start(),
            progress: None,
            trace: None,
            recorder: None,
            derivations: None,
            output: Box::new(std::io::sink()),
            counts: true,
        }
    }
    /// Counts the time of the timeout from `start`: what came before the run is a part of it.
    #[must_use]
    pub fn since(mut self, start: Instant) -> Self {
        self.start = start;
        self.watch = self.watch.timeout(self.limits.timeout, start);
        self
    }
    /// Stops the run soon after `flag` becomes true.
    #[must_use]
    pub fn interrupt(mut self, flag: &'a AtomicBool) -> Self {
        self.watch = self.watch.interrupt(flag);
        self
    }
    /// Stops the run when this says so, in the place of its own limit of time and its flags.
    #[must_use]
    pub fn watched(mut self, watch: Watch<'a>) -> Self {
        self.watch = watch;
        self
    }
    /// What another thread that takes part in the run makes a control of.
    pub fn beside(&self) -> Beside<'a> {
        Beside { limits: self.limits, start: self.start, watch: self.watch.clone(), memory: self.memory }
    }
    /// Stops the run soon after this flag becomes true, too.
    pub fn also_stop(&mut self, flag: Arc<AtomicBool>) {
        self.watch.also_stop(flag);
    }
    /// Calls `f` at each [`poll`](Self::poll), some hundred times a second.
    #[must_use]
    pub fn progress(mut self, f: impl FnMut(Progress) + 'a) -> Self {
        self.progress = Some(Box::new(f));
        self
    }
    /// Calls `f` with one line a rule application or firing.
    #[must_use]
    pub fn trace(mut self, f: impl FnMut(&str) + 'a) -> Self {
        self.trace = Some(Box::new(f));
        self
    }
    /// Records the course of the run.
    #[must_use]
    pub fn profile(mut self, recorder: &'a mut Recorder) -> Self {
        self.recorder = Some(recorder);
        self
    }
    /// Leaves out what of the statistics takes time after the run: the number of cells of a normal form.
    #[must_use]
    pub fn without_counts(mut self) -> Self {
        self.counts = false;
        self
    }
    /// Whether all of the statistics are wanted.
    pub fn counts(&self) -> bool {
        self.counts
    }
    /// Records what the constraints of the run are derived from, behind what `record` has already. The memory of the
    /// record counts as the run's own.
    pub fn derive(&mut self, record: Box<Derivations>) {
        self.derivations = Some(record);
    }
    /// The record of derivations, if there is one.
    pub fn derivations(&mut self) -> Option<&mut Derivations> {
        self.derivations.as_deref_mut()
    }
    /// Takes the record of derivations back.
    pub fn take_derivations(&mut self) -> Option<Box<Derivations>> {
        self.derivations.take()
    }
    /// Whether derivations are recorded.
    pub fn derives(&self) -> bool {
        self.derivations.is_some()
    }
    /// Whether somebody wants to know of each firing: then none may be done together with others.
    pub fn sees_firings(&self) -> bool {
        self.traces() || self.derives()
    }
    /// Where `write` and its kin go.
    #[must_use]
    pub fn output(mut self, out: impl Write + 'a) -> Self {
        self.output = Box::new(out);
        self
    }
    /// The limits.
    pub fn limits(&self) -> Limits {
        self.limits
    }
    /// When the clock of the timeout started.
    pub fn start(&self) -> Instant {
        self.start
    }
    /// What says that the run must stop, for threads and devices that work for long between two calls of
    /// [`poll`](Self::poll).
    pub fn watch(&self) -> &Watch<'a> {
        &self.watch
    }
    /// Whether memory runs short, for such threads.
    pub fn memory_watch(&self) -> memory::MemoryWatch {
        self.memory
    }
    /// To be called before a run whose tables have `own` bytes takes `more`: whether its limit and the
    /// [bound](memory::set_bound) of the process allow it, and the system has as much.
    pub fn ask_memory(&self, own: u64, more: u64) -> Result<(), Shortage> {
        match self.limits.memory {
            Some(limit) if self.with_record(own).saturating_add(more) > limit => Err(Shortage::Limit(limit)),
            _ => memory::ask(more),
        }
    }
    /// Why a run whose tables have `own` bytes must stop for want of memory, if it must.
    pub fn memory_shortage(&self, own: u64) -> Option<Shortage> {
        match self.limits.memory {
            Some(limit) if self.with_record(own) > limit => Some(Shortage::Limit(limit)),
            _ => self.memory.shortage(),
        }
    }
    /// These bytes, and those of the record of derivations.
    fn with_record(&self, own: u64) -> u64 {
        self.derivations.as_ref().map_or(own, |record| own.saturating_add(record.bytes()))
    }
    /// Whether nobody wants the result any more, so that the run may stop in the middle of anything.
    pub fn is_unwanted(&self) -> bool {
        self.watch.is_unwanted()
    }
    /// Whether somebody listens to trace lines: else do not make them.
    pub fn traces(&self) -> bool {
        self.trace.is_some()
    }
    /// Hands out one trace line.
    pub fn trace_line(&mut self, line: &str) {
        if let Some(f) = &mut self.trace {
            f(line);
        }
    }
    /// Whether the run is recorded: else do not count for it.
    pub fn records(&self) -> bool {
        self.recorder.is_some()
    }
    /// The recorder, if there is one.
    pub fn recorder(&mut self) -> Option<&mut Recorder> {
        self.recorder.as_deref_mut()
    }
    /// Notes how far the run is: at its start and its end, beside what [`poll`](Self::poll) notes.
    pub fn record(&mut self, now: Progress) {
        if let Some(recorder) = &mut self.recorder {
            recorder.point(now);
        }
    }
    /// The program's output.
    pub fn out(&mut self) -> &mut dyn Write {
        &mut *self.output
    }
    /// How many more steps an executor may take before it must call [`poll`](Self::poll) again: at most `chunk`, less
    /// near the limit of steps and when the run is recorded.
    pub fn fuel(&self, steps: u64, chunk: u64) -> u64 {
        let chunk = self.recorder.as_ref().map_or(chunk, |recorder| recorder.slice().min(chunk));
        self.limits.max_steps.map_or(chunk, |max| max.saturating_sub(steps).min(chunk))
    }
    /// To be called every so many steps (about every 10 ms of work): reports progress and says whether the run must
    /// stop.
    pub fn poll(&mut self, now: Progress) -> Result<(), StopReason> {
        self.record(now);
        if let Some(f) = &mut self.progress {
            f(now);
        }
        self.watch.look()?;
        if let Some(reason) = self.derivations.as_ref().and_then(|record| record.stopped()) {
            return Err(reason.clone());
        }
        if let Some(shortage) = self.memory.shortage() {
            return Err(
                shortage.of(format!("the process, of which the run's tables have {} bytes", now.bytes))
            );
        }
        match self.limits.max_steps {
            Some(limit) if now.steps >= limit => Err(StopReason::Steps { limit }),
            _ => Ok(()),
        }
    }
}
