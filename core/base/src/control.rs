//! Control of a run from outside: limits, interruption, progress, trace and output. The same for every executor.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::memory::{self, Shortage};
use crate::profile::Recorder;
use crate::stop::StopReason;

pub use crate::stop::Progress;

/// Limits of a run; `None` means none.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Rule applications or firings (`--max-steps`).
    pub max_steps: Option<u64>,
    /// Rounds of a constraint program under the semantics of rounds (`--max-rounds`).
    pub max_rounds: Option<u64>,
    /// Bytes of the run's own tables (`--memory`).
    pub memory: Option<u64>,
    /// Time from the start of the run (`--timeout`).
    pub timeout: Option<Duration>,
}

type ProgressSink<'a> = Box<dyn FnMut(Progress) + 'a>;
type TraceSink<'a> = Box<dyn FnMut(&str) + 'a>;

/// What a caller can see and stop of a run while it goes on.
pub struct Control<'a> {
    limits: Limits,
    deadline: Option<Instant>,
    memory: memory::Watch,
    interrupt: Option<&'a AtomicBool>,
    also_stop: Option<Arc<AtomicBool>>,
    progress: Option<ProgressSink<'a>>,
    trace: Option<TraceSink<'a>>,
    recorder: Option<&'a mut Recorder>,
    output: Box<dyn Write + 'a>,
}

impl Default for Control<'_> {
    fn default() -> Self {
        Self::new(Limits::default())
    }
}

impl<'a> Control<'a> {
    /// A control with limits; the clock of the timeout starts now. The program's output is dropped until [`output`](Self::output) is called.
    pub fn new(limits: Limits) -> Self {
        let deadline = limits.timeout.and_then(|t| Instant::now().checked_add(t));
        Self {
            limits,
            deadline,
            memory: memory::Watch::start(),
            interrupt: None,
            also_stop: None,
            progress: None,
            trace: None,
            recorder: None,
            output: Box::new(std::io::sink()),
        }
    }
    /// Stops the run soon after `flag` becomes true.
    #[must_use]
    pub fn interrupt(mut self, flag: &'a AtomicBool) -> Self {
        self.interrupt = Some(flag);
        self
    }
    /// Stops the run soon after this flag becomes true, too.
    pub fn also_stop(&mut self, flag: Arc<AtomicBool>) {
        self.also_stop = Some(flag);
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
    /// Where `write` and its kin go.
    #[must_use]
    pub fn output(mut self, out: impl Write + 'a) -> Self {
        self.output = Box::new(out);
        self
    }
    /// Lets `write` and its kin go elsewhere from now on; gives back where they went before.
    pub fn redirect(&mut self, out: Box<dyn Write + 'a>) -> Box<dyn Write + 'a> {
        std::mem::replace(&mut self.output, out)
    }
    /// The limits.
    pub fn limits(&self) -> Limits {
        self.limits
    }
    /// The flag that stops the run, for devices that work for long between two calls of [`poll`](Self::poll).
    pub fn interrupt_flag(&self) -> Option<&'a AtomicBool> {
        self.interrupt
    }
    /// When the time is over, for threads that work for long between two calls of [`poll`](Self::poll).
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }
    /// Whether memory runs short, for such threads.
    pub fn memory_watch(&self) -> memory::Watch {
        self.memory
    }
    /// To be called before a run whose tables have `own` bytes takes `more`: whether its limit and the [bound](memory::set_bound) of the
    /// process allow it, and the system has as much.
    pub fn ask_memory(&self, own: u64, more: u64) -> Result<(), Shortage> {
        match self.limits.memory {
            Some(limit) if own.saturating_add(more) > limit => Err(Shortage::Limit(limit)),
            _ => memory::ask(more),
        }
    }
    /// Why a run whose tables have `own` bytes must stop for want of memory, if it must.
    pub fn memory_shortage(&self, own: u64) -> Option<Shortage> {
        match self.limits.memory {
            Some(limit) if own > limit => Some(Shortage::Limit(limit)),
            _ => self.memory.shortage(),
        }
    }
    /// The flag of [`also_stop`](Self::also_stop), for such threads.
    pub fn other_flag(&self) -> Option<Arc<AtomicBool>> {
        self.also_stop.clone()
    }
    /// Whether the flag of [`also_stop`](Self::also_stop) is true: nobody wants the result any more, and the run may stop in the middle of
    /// anything.
    pub fn is_unwanted(&self) -> bool {
        self.also_stop.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
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
    /// How many more steps an executor may take before it must call [`poll`](Self::poll) again: at most `chunk`, less near `--max-steps`
    /// and when the run is recorded.
    pub fn fuel(&self, steps: u64, chunk: u64) -> u64 {
        let chunk = self.recorder.as_ref().map_or(chunk, |recorder| recorder.slice().min(chunk));
        self.limits.max_steps.map_or(chunk, |max| max.saturating_sub(steps).min(chunk))
    }
    /// To be called every so many steps (about every 10 ms of work): reports progress and says whether the run must stop.
    pub fn poll(&mut self, now: Progress) -> Result<(), StopReason> {
        self.record(now);
        if let Some(f) = &mut self.progress {
            f(now);
        }
        if self.is_unwanted() || self.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Err(StopReason::Interrupted);
        }
        if let (Some(deadline), Some(limit)) = (self.deadline, self.limits.timeout)
            && Instant::now() >= deadline
        {
            return Err(StopReason::Timeout { limit });
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
