//! What stops threads at work within a round.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use gchr_base::memory;

/// What stops threads at work.
pub(crate) struct Watch<'a> {
    pub(crate) interrupt: Option<&'a AtomicBool>,
    pub(crate) other: Option<Arc<AtomicBool>>,
    pub(crate) deadline: Option<Instant>,
    /// Bytes that may be taken.
    pub(crate) memory: u64,
    pub(crate) taken: AtomicU64,
    /// Memory of the process.
    pub(crate) process: memory::Watch,
}

impl Watch<'_> {
    pub(crate) fn calls(&self) -> bool {
        let other = self.other.as_deref();
        [self.interrupt, other].into_iter().flatten().any(|flag| flag.load(Ordering::Relaxed))
            || self.deadline.is_some_and(|at| Instant::now() >= at)
            || self.taken.load(Ordering::Relaxed) > self.memory
            || self.process.shortage().is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_at_work_see_both_flags() {
        let [one, other] = [AtomicBool::new(false), AtomicBool::new(false)].map(Arc::new);
        let watch = Watch {
            interrupt: Some(&one),
            other: Some(Arc::clone(&other)),
            deadline: None,
            memory: u64::MAX,
            taken: AtomicU64::new(0),
            process: memory::Watch::start(),
        };
        for flag in [&one, &other] {
            assert!(!watch.calls());
            flag.store(true, Ordering::Relaxed);
            assert!(watch.calls());
            flag.store(false, Ordering::Relaxed);
        }
    }
}
