//! What says that work must stop, whatever it is: a time limit, a user who interrupts it, a result that nobody wants
//! any more.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::stop::StopReason;

/// Flags and a clock, to be looked at by whatever may take long. Threads look at clones of one watch.
#[derive(Clone, Default, Debug)]
pub struct Watch<'a> {
    /// The limit, and when it is reached.
    time: Option<(Duration, Instant)>,
    interrupt: Option<&'a AtomicBool>,
    also_stop: Option<Arc<AtomicBool>>,
}

impl<'a> Watch<'a> {
    /// A watch on nothing.
    pub fn new() -> Self {
        Self::default()
    }
    /// Stops work when so much time has passed since `start`.
    #[must_use]
    pub fn timeout(mut self, limit: Option<Duration>, start: Instant) -> Self {
        self.time = limit.and_then(|limit| Some((limit, start.checked_add(limit)?)));
        self
    }
    /// Stops work soon after `flag` becomes true.
    #[must_use]
    pub fn interrupt(mut self, flag: &'a AtomicBool) -> Self {
        self.interrupt = Some(flag);
        self
    }
    /// Stops work soon after this flag becomes true, too.
    pub fn also_stop(&mut self, flag: Arc<AtomicBool>) {
        self.also_stop = Some(flag);
    }
    /// When the time is over.
    pub fn deadline(&self) -> Option<Instant> {
        self.time.map(|(_, deadline)| deadline)
    }
    /// The flag of [`interrupt`](Self::interrupt).
    pub fn interrupt_flag(&self) -> Option<&'a AtomicBool> {
        self.interrupt
    }
    /// Whether the flag of [`also_stop`](Self::also_stop) is true: nobody wants the result any more, and work may stop
    /// in the middle of anything.
    pub fn is_unwanted(&self) -> bool {
        self.also_stop.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }
    /// Says whether work must stop. Takes some 30 ns where there is a time limit.
    pub fn look(&self) -> Result<(), StopReason> {
        if self.is_unwanted() || self.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Err(StopReason::Interrupted);
        }
        match self.time {
            Some((limit, deadline)) if Instant::now() >= deadline => Err(StopReason::Timeout { limit }),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_of_the_three_stops_work() {
        let (now, limit) = (Instant::now(), Duration::from_millis(1));
        assert_eq!(Watch::new().timeout(None, now).look(), Ok(()));
        assert_eq!(Watch::new().timeout(Some(Duration::from_secs(3600)), now).look(), Ok(()));
        std::thread::sleep(limit);
        assert_eq!(Watch::new().timeout(Some(limit), now).look(), Err(StopReason::Timeout { limit }));
        let flag = AtomicBool::new(false);
        let watch = Watch::new().interrupt(&flag);
        assert_eq!(watch.look(), Ok(()));
        flag.store(true, Ordering::Relaxed);
        assert_eq!(watch.look(), Err(StopReason::Interrupted));
        let mut watch = Watch::new();
        let other = Arc::new(AtomicBool::new(false));
        watch.also_stop(Arc::clone(&other));
        assert_eq!((watch.look(), watch.is_unwanted()), (Ok(()), false));
        other.store(true, Ordering::Relaxed);
        assert_eq!((watch.look(), watch.is_unwanted()), (Err(StopReason::Interrupted), true));
    }
}
