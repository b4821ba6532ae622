//! Ends the process when what it does hears neither a signal nor the time limit: no loop and no call of a library can
//! be forgotten.
//!
//! Each [`Phase`] says whether its loops look at the limits themselves. They get [`GRACE`] to stop in order: a run then
//! tells how far it got. What takes longer, and phases that look at nothing (reading, compiling), are ended from here:
//! by a message, the removal of files that are written aside, and the signal or the exit code. `docs/limits.md` lists
//! what hears limits, and how.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use gchr::base::error::StopReason;
use gchr::base::watch::Watch;

use super::ending::{end_by, end_in_the_middle};
use super::exit::{Exit, Signal};
use super::{interrupt, progress, report, sink};

/// What the process does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Options, programs, terms, queries and facts are read and checked.
    Read,
    /// Properties of programs are looked for.
    Prove,
    /// Plans and kernels are made.
    Compile,
    /// Files of results are opened: a pipe waits for its reader.
    Open,
    /// The program runs.
    Run,
    /// Programs are run, and their processes.
    Measure,
    /// The result is written.
    Write,
    /// What the run did is reported.
    Report,
}

/// Time for a phase that looks at limits itself to stop in order.
const GRACE: Duration = Duration::from_millis(900);
/// Measurements have programs and folders of others to put away.
const GRACE_OF_MEASUREMENTS: Duration = Duration::from_secs(5);
/// Longest time that a message waits for a reader of standard error.
const PATIENCE: Duration = Duration::from_millis(200);

impl Phase {
    fn grace(self) -> Duration {
        match self {
            Phase::Read | Phase::Compile | Phase::Open | Phase::Report => Duration::ZERO,
            Phase::Prove | Phase::Run | Phase::Write => GRACE,
            Phase::Measure => GRACE_OF_MEASUREMENTS,
        }
    }

    fn text(self) -> &'static str {
        match self {
            Phase::Read => "while the program and its input were read and checked, nothing was run",
            Phase::Prove => "while properties of the program were looked for",
            Phase::Compile => "while the program was compiled, nothing was run",
            Phase::Open => "while the output was opened, nothing was run",
            Phase::Run => "while the program ran",
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
}

static STATE: Mutex<State> = Mutex::new(State { phase: Phase::Read, time: None, signal: None });
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

/// The same limits for work that looks at them itself.
pub fn limits() -> Watch<'static> {
    let watch = Watch::new().interrupt(interrupt::flag());
    match state().time {
        Some((limit, start)) => watch.timeout(Some(limit), start),
        None => watch,
    }
}

/// Why the process is to be ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reason {
    Time(Duration),
    Signal(Signal),
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
}

fn watch() {
    let mut state = state();
    loop {
        state = match state.due() {
            None => CHANGED.wait(state).unwrap_or_else(PoisonError::into_inner),
            Some((at, reason)) => match at.checked_duration_since(Instant::now()) {
                Some(left) if !left.is_zero() => {
                    CHANGED.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0
                }
                _ => end(&state, reason),
            },
        };
    }
}

/// Tells why, and ends the process. The caller has the lock.
fn end(state: &State, reason: Reason) -> ! {
    let stop = match reason {
        Reason::Time(limit) => StopReason::Timeout { limit },
        Reason::Signal(_) => StopReason::Interrupted,
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
        Reason::Time(_) => end_in_the_middle(Exit::Failed),
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
        let mut state = State { phase: Phase::Read, time: None, signal: None };
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
}
