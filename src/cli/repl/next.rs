//! What follows a line of a session.

use crate::cli::exit::Exit;

/// What follows a line.
pub enum Next {
    /// The next line.
    Go,
    /// The same; this one failed.
    Failed,
    /// The same; names may have changed.
    Names,
    /// The end.
    End(Exit),
}
