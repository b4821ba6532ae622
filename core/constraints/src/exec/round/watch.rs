//! What stops threads at work within a round.

use std::sync::atomic::{AtomicU64, Ordering};

use gchr_base::memory;

/// What stops threads at work.
pub(crate) struct RoundWatch<'a> {
    pub(crate) of_run: gchr_base::watch::Watch<'a>,
    /// Bytes that may be taken.
    pub(crate) memory: u64,
    pub(crate) taken: AtomicU64,
    /// Memory of the process.
    pub(crate) process: memory::MemoryWatch,
}

impl RoundWatch<'_> {
    pub(crate) fn calls(&self) -> bool {
        self.of_run.look().is_err()
            || self.taken.load(Ordering::Relaxed) > self.memory
            || self.process.shortage().is_some()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use super::*;

    #[test]
    fn threads_at_work_see_both_flags() {
        let [one, other] = [AtomicBool::new(false), AtomicBool::new(false)].map(Arc::new);
        let mut of_run = gchr_base::watch::Watch::new().interrupt(&one);
        of_run.also_stop(Arc::clone(&other));
        let (memory, taken) = (u64::MAX, AtomicU64::new(0));
        let watch = RoundWatch { of_run, memory, taken, process: memory::MemoryWatch::start() };
        for flag in [&one, &other] {
            assert!(!watch.calls());
            flag.store(true, Ordering::Relaxed);
            assert!(watch.calls());
            flag.store(false, Ordering::Relaxed);
        }
    }
}
