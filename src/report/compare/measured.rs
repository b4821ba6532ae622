//! What one cell of a comparison took and did.

use gchr_base::profile::Traffic;
use gchr_base::stats::Stats;
use serde::Serialize;

use crate::report::spread::Spread;

/// What one cell took and did.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Measured {
    /// Statistics of the first timed run.
    pub stats: Stats,
    /// Times of the runs.
    pub run_ms: Spread,
    /// Times on the device's clock.
    pub device_ms: Option<Spread>,
    /// Rule applications or firings.
    pub steps: Option<u64>,
    /// Rows tried, where they are counted.
    pub tried: Option<u64>,
    /// Rounds or iterations.
    pub rounds: Option<u64>,
    /// Mean number of steps in a round.
    pub mean_parallelism: Option<f64>,
    /// Most steps in a round.
    pub peak_parallelism: Option<u64>,
    /// Bytes moved by kernels, where the device counts them.
    pub traffic: Option<Traffic>,
    /// Share of the device's time that this traffic takes at the measured ceilings of its memory.
    pub ceiling: Option<f64>,
    /// Rows of the answer.
    pub rows: usize,
    /// Why nothing was counted, if so: kernels that count take several times as long, and may hit a limit that others
    /// keep.
    pub uncounted: Option<String>,
}
