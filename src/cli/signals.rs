//! Signals that ask to stop: the first one is a wish that the run hears, a second one ends the process. Signals that
//! this process was started to ignore (`nohup`) stay ignored.

#[cfg(unix)]
use std::time::{Duration, Instant};

#[cfg(unix)]
use super::ending::{end_by, mask, signals};
#[cfg(unix)]
use super::exit::Signal;
#[cfg(unix)]
use super::{interrupt, progress, watchdog};

/// Signals so soon after the first one are the same request: `timeout` sends one to the process and one to its group.
#[cfg(unix)]
const SAME: Duration = Duration::from_millis(200);

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
    let (wanted_before, first) = interrupt::ask(signal);
    if wanted_before && !again {
        progress::erase();
        end_by(first);
    }
    watchdog::interrupted(signal);
}
