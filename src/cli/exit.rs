//! How the process ends.

use std::io::Write;

use serde::{Deserialize, Serialize};

/// How the process ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Exit {
    /// With all that was asked for.
    Done = 0,
    /// Without a result: the program failed, or a limit was hit.
    Failed = 1,
    /// Because of the command line or a source text.
    Usage = 2,
    /// Because of a mistake in gchr.
    Bug = 101,
}

/// Ends the process without the handlers that libraries have registered for its end: the driver of the GPU is at work in another thread.
pub fn end_at_once(exit: Exit) -> ! {
    let _ = std::io::stdout().flush();
    // SAFETY: the call has no preconditions; nothing of this process is used after it.
    unsafe { libc::_exit(exit as i32) }
}
