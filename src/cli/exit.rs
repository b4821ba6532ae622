//! How the process ends.

use std::io::Write;

use serde::{Deserialize, Serialize};

use gchr::Diagnostics;

use super::out_file;

/// How the process ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Exit {
    /// With all that was asked for.
    Done,
    /// Without a result: the program failed, or a limit was hit.
    Failed,
    /// Because of the command line or a source text.
    Usage,
    /// Because of a mistake in gchr.
    Bug,
    /// By the program, with a code of its own (`halt/1`).
    Halted(u8),
}

impl Exit {
    /// The exit code of the process.
    pub fn code(self) -> u8 {
        match self {
            Exit::Done => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::Bug => 101,
            Exit::Halted(code) => code,
        }
    }
}

impl Exit {
    /// The end when there is no result and these are the reasons.
    pub fn for_want_of(found: &Diagnostics) -> Self {
        if found.blame_the_run() { Self::Failed } else { Self::Usage }
    }
}

/// The number of a signal.
pub type Signal = i32;

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
    super::interrupt::end_by_default(signal);
    // SAFETY: as above.
    unsafe { libc::_exit(128 + signal) }
}
