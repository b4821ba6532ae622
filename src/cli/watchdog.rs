//! Ends the process when what it does hears neither a signal nor the time limit, or takes more memory than it may while
//! nothing looks at that: no loop and no call of a library can be forgotten.
//!
//! Each [`Phase`] says whether its loops look at the limits themselves. They get [`GRACE`] to stop in order: a run then
//! tells how far it got. What takes longer, and phases that look at nothing (reading, compiling), are ended from here:
//! by a message, the removal of files that are written aside, and the signal or the exit code. `docs/limits.md` lists
//! what hears limits, and how.

use std::io::Write;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use gchr::base::error::StopReason;
use gchr::base::limited::Limited;
use gchr::base::memory;
use gchr::base::watch::Watch;

use super::ending::{end_by, end_in_the_middle};
use super::exit::{Exit, Signal};
use super::{interrupt, progress, report, sink};

/// What the process does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Options, programs, terms, queries and facts are read and checked.
    Read,
    /// A line of a session, and the files that it names, are read.
    Line,
    /// Nothing: a session has no line to work at.
    Wait,
    /// Properties of programs are looked for.
    Prove,
    /// Plans and kernels are made.
    Compile,
    /// Files of results are opened: a pipe waits for its reader.
    Open,
    /// The program runs.
    Run,
    /// A goal of a session runs, or what it did is taken back.
    Goal,
    /// Programs are run, and their processes.
    Measure,
    /// The result is written.
    Write,
    /// What the run did is reported.
    Report,
}

/// Time for a phase that looks at limits itself to stop in order.
const GRACE: Duration = Duration::from_millis(900);
/// A goal that is stopped is taken back in time in proportion to the store, and with the process the store would be
/// lost. A second signal ends it at once.
const GRACE_OF_GOALS: Duration = Duration::from_secs(60);
/// Measurements have programs and folders of others to put away.
const GRACE_OF_MEASUREMENTS: Duration = Duration::from_secs(5);
/// How often it is looked at the memory of phases that do not look at it everywhere.
const TICK: Duration = Duration::from_millis(10);
/// The part of a bound of memory that such a phase may take beyond it, and the bytes that it may take in any case: what
/// looks itself tells more about it, and does so before.
const BEYOND: u64 = 16;
const BEYOND_AT_LEAST: u64 = 16 << 20;
/// Longest time that a message waits for a reader of standard error.
const PATIENCE: Duration = Duration::from_millis(200);

impl Phase {
    fn grace(self) -> Duration {
        match self {
            Phase::Read | Phase::Wait | Phase::Compile | Phase::Open | Phase::Report => Duration::ZERO,
            Phase::Line | Phase::Prove | Phase::Run | Phase::Write => GRACE,
            Phase::Goal => GRACE_OF_GOALS,
            Phase::Measure => GRACE_OF_MEASUREMENTS,
        }
    }

    /// Whether memory is looked at from here, and what takes it.
    fn takes_memory(self) -> Option<&'static str> {
        match self {
            Phase::Read => Some("the program and its input"),
            Phase::Compile => Some("the plan of the program"),
            _ => None,
        }
    }

    fn text(self) -> &'static str {
        match self {
            Phase::Read => "while the program and its input were read and checked, nothing was run",
            Phase::Line => "while a line and the files that it names were read, nothing of it was run",
            Phase::Wait => "while a line was waited for",
            Phase::Prove => "while properties of the program were looked for",
            Phase::Compile => "while the program was compiled, nothing was run",
            Phase::Open => "while the output was opened, nothing was run",
            Phase::Run => "while the program ran",
            Phase::Goal => "while a goal ran, or was taken back",
            Phase::Measure => "while programs were measured",
            Phase::Write => "while the result was written",
            Phase::Report => "while the run was reported",
        }
    }
}

struct State {
    phase: Phase,
    /// The time limit, and when its clock started.
    time: Option<(Duration, Instant)>,
    /// The signal that has come, and when.
    signal: Option<(Signal, Instant)>,
    /// Whether too much memory ends the process: what comes after what is read has no use without it.
    bounds_memory: bool,
}

static STATE: Mutex<State> =
    Mutex::new(State { phase: Phase::Read, time: None, signal: None, bounds_memory: false });
static CHANGED: Condvar = Condvar::new();

/// The thread that ends the process keeps the lock: all others wait here for the end.
fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn change(change: impl FnOnce(&mut State)) {
    change(&mut state());
    CHANGED.notify_all();
}

/// Starts to watch.
pub fn start() {
    if let Err(error) = std::thread::Builder::new().name("gchr limits".into()).spawn(watch) {
        tracing::warn!("only loops that look at limits hear them: {error}");
    }
}

/// Ends the process when so much time has passed since `start`, from here on in all phases.
pub fn limit(timeout: Option<Duration>, start: Instant) {
    change(|state| state.time = timeout.map(|limit| (limit, start)));
}

/// Ends the process when more memory is in use than may be while its only program is read and compiled.
pub fn bound_memory() {
    change(|state| state.bounds_memory = true);
}

/// The program is there: from here on what takes memory looks at it itself.
pub fn release_memory() {
    change(|state| state.bounds_memory = false);
}

/// Says what the process does from here on.
pub fn enter(phase: Phase) {
    change(|state| state.phase = phase);
}

/// A signal has come.
pub fn interrupted(signal: Signal) {
    change(|state| state.signal = Some((signal, Instant::now())));
}

/// The limit or the signal was heard, and what stopped is told now: nothing is ended for it any more. Does not return
/// when the process is being ended already.
pub fn heard() {
    change(|state| (state.time, state.signal) = (None, None));
}

/// Whether the user wanted to stop; from here on only a further Ctrl-C counts. For reports of what was done until then.
pub fn answered() -> bool {
    heard();
    interrupt::take()
}

/// The same limits for work that looks at them itself.
pub fn limits() -> Watch<'static> {
    let watch = Watch::new().interrupt(interrupt::flag());
    match state().time {
        Some((limit, start)) => watch.timeout(Some(limit), start),
        None => watch,
    }
}

/// A writer under these limits.
pub fn limited<W: Write>(out: W, max: Option<u64>) -> Limited<'static, W> {
    Limited::new(out, limits()).max_output(max)
}

/// Why the process is to be ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reason {
    Time(Duration),
    Signal(Signal),
    /// This takes more memory than may be in use.
    Memory(u64, &'static str),
}

impl State {
    /// When the process is to be ended, and why.
    fn due(&self) -> Option<(Instant, Reason)> {
        let time =
            self.time.and_then(|(limit, start)| Some((start.checked_add(limit)?, Reason::Time(limit))));
        let signal = self.signal.map(|(signal, at)| (at, Reason::Signal(signal)));
        let (at, reason) = [time, signal].into_iter().flatten().min_by_key(|&(at, _)| at)?;
        Some((at.checked_add(self.phase.grace())?, reason))
    }

    /// What takes memory, if it is looked at from here.
    fn takes_memory(&self) -> Option<&'static str> {
        self.phase.takes_memory().filter(|_| self.bounds_memory)
    }
}

/// Why the process is to be ended when so many bytes are in use.
fn excess(in_use: u64, bound: u64, what: &'static str) -> Option<Reason> {
    let most = bound.saturating_add((bound / BEYOND).max(BEYOND_AT_LEAST));
    (in_use > most).then_some(Reason::Memory(bound, what))
}

fn watch() {
    let mut state = state();
    loop {
        let due = state.due().map(|(at, reason)| (at.saturating_duration_since(Instant::now()), reason));
        if let Some((left, reason)) = due
            && left.is_zero()
        {
            end(&state, reason);
        }
        let memory = state.takes_memory();
        if let Some(reason) = memory.and_then(|what| excess(memory::in_use(), memory::bound(), what)) {
            end(&state, reason);
        }
        let wait = due.map(|(left, _)| left).into_iter().chain(memory.map(|_| TICK)).min();
        state = match wait {
            None => CHANGED.wait(state).unwrap_or_else(PoisonError::into_inner),
            Some(wait) => CHANGED.wait_timeout(state, wait).unwrap_or_else(PoisonError::into_inner).0,
        };
    }
}

/// Tells why, and ends the process. The caller has the lock.
fn end(state: &State, reason: Reason) -> ! {
    let stop = match reason {
        Reason::Time(limit) => StopReason::Timeout { limit },
        Reason::Signal(_) => StopReason::Interrupted,
        Reason::Memory(limit, what) => StopReason::Memory { limit, what: what.into() },
    };
    let mut found = stop.to_diagnostic().note(state.phase.text());
    found.notes.extend(sink::half_written());
    // Somebody may hold standard error, or not read it.
    let told = std::thread::Builder::new().spawn(move || {
        progress::erase();
        report::finding(&found);
    });
    let start = Instant::now();
    while told.as_ref().is_ok_and(|thread| !thread.is_finished()) && start.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(1));
    }
    match reason {
        Reason::Time(_) | Reason::Memory(..) => end_in_the_middle(Exit::Failed),
        Reason::Signal(signal) => end_by(signal),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_both_ends_the_process_after_the_grace_of_its_phase() {
        let start = Instant::now();
        let (second, minute) = (Duration::from_secs(1), Duration::from_secs(60));
        let mut state = State { phase: Phase::Read, time: None, signal: None, bounds_memory: false };
        assert_eq!(state.due(), None);
        state.time = Some((minute, start));
        assert_eq!(state.due(), Some((start + minute, Reason::Time(minute))));
        state.signal = Some((15, start + second));
        assert_eq!(state.due(), Some((start + second, Reason::Signal(15))));
        state.phase = Phase::Run;
        assert_eq!(state.due(), Some((start + second + GRACE, Reason::Signal(15))));
        state.time = Some((Duration::MAX, start));
        assert_eq!(state.due().map(|(_, reason)| reason), Some(Reason::Signal(15)));
    }

    #[test]
    fn memory_is_looked_at_where_nothing_else_does() {
        let mut state = State { phase: Phase::Read, time: None, signal: None, bounds_memory: false };
        assert_eq!(state.takes_memory(), None);
        state.bounds_memory = true;
        for (phase, is_looked_at) in [(Phase::Read, true), (Phase::Compile, true), (Phase::Run, false)] {
            state.phase = phase;
            assert_eq!(state.takes_memory().is_some(), is_looked_at, "{phase:?}");
        }
        assert_eq!(excess(1 << 20, 1 << 20, "a text"), None);
        assert_eq!(excess(17 << 20, 1 << 20, "a text"), None);
        assert_eq!(excess(18 << 20, 1 << 20, "a text"), Some(Reason::Memory(1 << 20, "a text")));
        assert_eq!(excess(1090 << 20, 1 << 30, "a text"), Some(Reason::Memory(1 << 30, "a text")));
        assert_eq!(excess(u64::MAX, u64::MAX, "a text"), None);
    }
}
