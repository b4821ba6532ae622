//! Ending the process at once: files that it was writing are removed first.

use std::io::Write;

use super::exit::{Exit, Signal};
use super::{interrupt, out_file};

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
    interrupt::end_by_default(signal);
    // SAFETY: as above.
    unsafe { libc::_exit(128 + signal) }
}
