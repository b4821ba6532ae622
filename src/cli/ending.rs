//! Ending the process at once: files that it was writing are removed first.

use std::io::Write;

use super::exit::{Exit, Signal};
use super::out_file;

/// Ends the process without the handlers that libraries have registered for its end: the driver of the GPU is at work
/// in another thread.
pub fn end_at_once(exit: Exit) -> ! {
    let _ = std::io::stdout().flush();
    end_in_the_middle(exit)
}

/// Ends the process whatever its other threads do: nothing that they hold is waited for.
pub fn end_in_the_middle(exit: Exit) -> ! {
    out_file::remove_parts();
    // SAFETY: the call has no preconditions; nothing of this process is used after it.
    unsafe { libc::_exit(exit.code().into()) }
}

/// Ends the process by a signal that it has caught, so that a shell sees what it would see of a process that does not
/// catch it.
pub fn end_by(signal: Signal) -> ! {
    out_file::remove_parts();
    #[cfg(unix)]
    end_by_default(signal);
    // SAFETY: as above.
    unsafe { libc::_exit(128 + signal) }
}

/// A set of signals.
#[cfg(unix)]
pub fn signals(all: impl Iterator<Item = Signal>) -> libc::sigset_t {
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
pub fn mask(how: libc::c_int, set: &libc::sigset_t) {
    // SAFETY: the set is initialised, and the old mask is not asked for.
    unsafe { libc::pthread_sigmask(how, set, std::ptr::null_mut()) };
}

/// Has the system do with this process what it does with one that does not catch a signal.
#[cfg(unix)]
fn end_by_default(signal: Signal) {
    // SAFETY: the default action is a valid one.
    unsafe { libc::signal(signal, libc::SIG_DFL) };
    mask(libc::SIG_UNBLOCK, &signals([signal].into_iter()));
    // SAFETY: the call has no preconditions.
    unsafe { libc::raise(signal) };
}
