//! The wish to stop, and the signal that it came by.

use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

use super::exit::Signal;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// The first signal that came; 0 for none.
static SIGNAL: AtomicI32 = AtomicI32::new(0);

/// Becomes true when the user wants to stop.
pub fn flag() -> &'static AtomicBool {
    &INTERRUPTED
}

/// Whether the user wants to stop.
pub fn requested() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// Whether the user wanted to stop; the wish is taken back.
pub fn take() -> bool {
    INTERRUPTED.swap(false, Ordering::SeqCst)
}

/// The signal that asked to stop, if one did: how a process without a result ends.
pub fn signal() -> Option<Signal> {
    Some(SIGNAL.load(Ordering::Relaxed)).filter(|&signal| signal != 0)
}

/// A signal that asks to stop has come. Whether somebody wanted that before, and by which signal at first.
#[cfg(unix)]
pub fn ask(signal: Signal) -> (bool, Signal) {
    let first = SIGNAL.compare_exchange(0, signal, Ordering::SeqCst, Ordering::SeqCst);
    (INTERRUPTED.swap(true, Ordering::SeqCst), first.err().unwrap_or(signal))
}
