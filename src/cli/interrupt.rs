//! Ctrl-C: the first one asks the run to stop, the second one ends the process.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::out_file;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Exit code of a process that its user killed, by shell convention 128 + SIGINT.
const KILLED: i32 = 130;

/// Signals so soon after the first one are the same request: `timeout` sends one to the process and one to its group.
const SAME: Duration = Duration::from_millis(200);

/// Starts to listen. The flag becomes true at the first Ctrl-C (or request to terminate).
pub fn listen() -> &'static AtomicBool {
    let mut last: Option<Instant> = None;
    let installed = ctrlc::set_handler(move || {
        let again = last.is_some_and(|then| then.elapsed() < SAME);
        last = Some(Instant::now());
        if INTERRUPTED.swap(true, Ordering::SeqCst) && !again {
            out_file::remove_parts();
            std::process::exit(KILLED);
        }
    });
    if let Err(error) = installed {
        tracing::warn!("Ctrl-C will end the process at once: {error}");
    }
    &INTERRUPTED
}

/// Whether the user wants to stop.
pub fn requested() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// Whether the user wanted to stop; from here on only a further Ctrl-C counts. For reports of what was done until then.
pub fn answered() -> bool {
    INTERRUPTED.swap(false, Ordering::SeqCst)
}
