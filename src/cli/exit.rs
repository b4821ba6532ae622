//! How the process ends: its exit code.

use serde::{Deserialize, Serialize};

use gchr::Diagnostics;

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
