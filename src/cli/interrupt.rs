//! Signals that ask to stop: the first one is a wish that the run hears, a second one ends the process. Signals that
//! this process was started to ignore (`nohup`) stay ignored.

use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::time::{Duration, Instant};

use super::ending::end_by;
use super::exit::Signal;
use super::{progress, watchdog};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// The first signal that came; 0 for none.
static SIGNAL: AtomicI32 = AtomicI32::new(0);

/// Signals so soon after the first one are the same request: `timeout` sends one to the process and one to its group.
const SAME: Duration = Duration::from_millis(200);

/// Becomes true when the user wants to stop.
pub fn flag() -> &'static AtomicBool {
    &INTERRUPTED
}

/// Whether the user wants to stop.
pub fn requested() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// Whether the user wanted to stop; from here on only a further Ctrl-C counts. For reports of what was done until then.
pub fn answered() -> bool {
    watchdog::heard();
    INTERRUPTED.swap(false, Ordering::SeqCst)
}

/// The signal that asked to stop, if one did: how a process without a result ends.
pub fn signal() -> Option<Signal> {
    Some(SIGNAL.load(Ordering::Relaxed)).filter(|&signal| signal != 0)
}

/// Starts to listen; to be called before there are other threads. The signals are blocked in all threads, and one waits
/// for them: so they come here also while a library has handlers of its own, as the compiler for GPU kernels has.
#[cfg(unix)]
pub fn listen() {
    // A file that grows beyond the limit of the process (ulimit -f) is an error of the write, and no death without a
    // word, which leaves parts of files behind.
    // SAFETY: ignoring is a valid action.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
    let heard = signals([libc::SIGINT, libc::SIGTERM, libc::SIGHUP].into_iter().filter(|&s| !is_ignored(s)));
    mask(libc::SIG_BLOCK, &heard);
    let listen = move || {
        let mut last = None;
        loop {
            let mut signal = 0;
            // SAFETY: the set is initialised, and the number is written to a place of its own.
            if unsafe { libc::sigwait(&heard, &mut signal) } == 0 {
                came(signal, &mut last);
            }
        }
    };
    if let Err(error) = std::thread::Builder::new().name("gchr signals".into()).spawn(listen) {
        mask(libc::SIG_UNBLOCK, &heard);
        tracing::warn!("Ctrl-C will end the process at once: {error}");
    }
}

/// A set of signals.
#[cfg(unix)]
fn signals(all: impl Iterator<Item = Signal>) -> libc::sigset_t {
    let mut set = std::mem::MaybeUninit::uninit();
    // SAFETY: the set is initialised before it is used.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        for signal in all {
            libc::sigaddset(set.as_mut_ptr(), signal);
        }
        set.assume_init()
    }
}

/// Changes which signals this thread, and threads that it starts, leave to others.
#[cfg(unix)]
fn mask(how: libc::c_int, set: &libc::sigset_t) {
    // SAFETY: the set is initialised, and the old mask is not asked for.
    unsafe { libc::pthread_sigmask(how, set, std::ptr::null_mut()) };
}

/// Has the system do with this process what it does with one that does not catch a signal.
#[cfg(unix)]
pub fn end_by_default(signal: Signal) {
    // SAFETY: the default action is a valid one.
    unsafe { libc::signal(signal, libc::SIG_DFL) };
    mask(libc::SIG_UNBLOCK, &signals([signal].into_iter()));
    // SAFETY: the call has no preconditions.
    unsafe { libc::raise(signal) };
}

/// Elsewhere Ctrl-C ends the process.
#[cfg(not(unix))]
pub fn listen() {}

/// Whether the parent of this process has it ignore a signal.
#[cfg(unix)]
fn is_ignored(signal: Signal) -> bool {
    let mut action = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: no action is set; the current one is written to a place that is large enough, and all zeros are a valid
    // action.
    let action = unsafe {
        libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr());
        action.assume_init()
    };
    action.sa_sigaction == libc::SIG_IGN
}

/// A signal has come; `last` is when the one before it came.
#[cfg(unix)]
fn came(signal: Signal, last: &mut Option<Instant>) {
    let again = last.is_some_and(|then| then.elapsed() < SAME);
    *last = Some(Instant::now());
    let first = SIGNAL.compare_exchange(0, signal, Ordering::SeqCst, Ordering::SeqCst);
    if INTERRUPTED.swap(true, Ordering::SeqCst) && !again {
        progress::erase();
        end_by(first.err().unwrap_or(signal));
    }
    watchdog::interrupted(signal);
}
