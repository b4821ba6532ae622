//! A sampling clock: a thread that looks every quarter of a millisecond at where the run is.
//!
//! The run notes a place by one relaxed store; reading a clock at each rule application would cost more than the rule.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

const PERIOD: Duration = Duration::from_micros(250);
/// Fewer samples say nothing of shares.
const FEWEST: u64 = 20;

/// What the run and the sampling thread share.
#[derive(Debug)]
struct Shared {
    place: AtomicU32,
    done: AtomicBool,
}

/// Where the run notes its place.
#[derive(Clone, Debug)]
pub struct Place(Arc<Shared>);

impl Place {
    /// The run is here from now on.
    #[inline(always)]
    pub fn set(&self, place: u32) {
        self.0.place.store(place, Ordering::Relaxed);
    }
}

/// A running sampler of places below a number; ends when it is stopped or dropped.
#[derive(Debug)]
pub struct Sampler {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<Vec<u64>>>,
}

impl Sampler {
    /// Starts to sample. Without a thread to spare, nothing is sampled.
    pub fn start(places: usize) -> Self {
        let shared = Arc::new(Shared { place: AtomicU32::new(u32::MAX), done: AtomicBool::new(false) });
        let watched = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("gchr-sampler".into()).spawn(move || {
            let mut hits = vec![0; places];
            loop {
                std::thread::park_timeout(PERIOD);
                if watched.done.load(Ordering::Relaxed) {
                    break;
                }
                if let Some(hit) = hits.get_mut(watched.place.load(Ordering::Relaxed) as usize) {
                    *hit += 1;
                }
            }
            hits
        });
        Self { shared, thread: thread.ok() }
    }

    /// Where the run notes its place.
    pub fn place(&self) -> Place {
        Place(Arc::clone(&self.shared))
    }

    /// Ends it: the share of the samples in each place. All zero when there are too few samples for shares.
    pub fn stop(mut self) -> Vec<f64> {
        let hits = self.end().unwrap_or_default();
        let total: u64 = hits.iter().sum();
        hits.iter().map(|&h| if total < FEWEST { 0.0 } else { h as f64 / total as f64 }).collect()
    }

    fn end(&mut self) -> Option<Vec<u64>> {
        self.shared.done.store(true, Ordering::Relaxed);
        let thread = self.thread.take()?;
        thread.thread().unpark();
        thread.join().ok()
    }
}

impl Drop for Sampler {
    fn drop(&mut self) {
        self.end();
    }
}
