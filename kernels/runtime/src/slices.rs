//! Runs that go on in slices: launches of so many rounds that each takes about as long as the host may look away from
//! limits and interrupts.

use std::time::Duration;

use gchr_base::control::{Control, Progress};
use gchr_base::profile::Round;
use gchr_base::rule::RuleId;

use crate::meter::{Mark, Meter};
use crate::outcome::Failure;
use gchr_kernel::device::{Device, Launch, Result};

/// Rounds of one launch: at first, and at most.
const FIRST: u32 = 64;
const MOST: u32 = 1 << 16;
/// How long a launch should take, about.
const WANTED: Duration = Duration::from_millis(50);

/// The slices of a run.
pub struct Slices {
    rounds: u32,
    device: Duration,
    meter: Meter,
    cut_off: bool,
}

impl Slices {
    /// Of a run that begins.
    pub fn new(device: &mut dyn Device, control: &mut Control<'_>) -> Result<Self> {
        let meter = Meter::start(device, control.recorder())?;
        Ok(Self { rounds: FIRST, device: Duration::ZERO, meter, cut_off: false })
    }

    /// Whether a launch ended in the middle of what it does, so that memory holds nothing whole.
    pub fn cut_off(&self) -> bool {
        self.cut_off
    }

    /// Rounds that the next launch may take; few when the run is recorded.
    pub fn rounds(&self, control: &mut Control<'_>) -> u32 {
        control.recorder().map_or(self.rounds, |recorder| recorder.rounds_per_point())
    }

    /// Milliseconds that all launches took on the device.
    pub fn device_ms(&self) -> f64 {
        self.device.as_secs_f64() * 1e3
    }

    /// Counts what the device did beside the slices.
    pub fn add(&mut self, took: Duration) {
        self.device += took;
    }

    /// Counts firings that the kernels do not tally.
    pub fn fired(&mut self, rule: RuleId, firings: u64) {
        self.meter.add(rule, firings);
    }

    /// What has been counted so far, to come back to.
    pub fn mark(&self) -> Mark {
        self.meter.mark()
    }

    /// Forgets what rules did since then: it was in vain.
    pub fn roll_back(&mut self, mark: &Mark) {
        self.meter.roll_back(mark);
    }

    /// Reports the counts by rule of a run that is over.
    pub fn report(&self, control: &mut Control<'_>) {
        if let Some(recorder) = control.recorder() {
            self.meter.report(recorder);
        }
    }

    /// Launches a kernel and waits for its end. `progress` is how far the run was before.
    pub fn launch(
        &mut self,
        name: &str,
        launch: &Launch<'_>,
        device: &mut dyn Device,
        control: &mut Control<'_>,
        progress: Progress,
    ) -> std::result::Result<(), Failure> {
        let took = timed(launch, device).map_err(|error| {
            self.cut_off = true;
            Failure::of_launch(error, control, progress)
        })?;
        self.device += took;
        if let Some(recorder) = control.recorder() {
            self.meter.launched(device, recorder, name, took)?;
        }
        if took < WANTED / 2 {
            self.rounds = (self.rounds * 2).min(MOST);
        } else if took > WANTED * 2 {
            self.rounds = (self.rounds / 2).max(1);
        }
        Ok(())
    }
}

/// Launches a kernel, waits for its end, and says how long it took.
fn timed(launch: &Launch<'_>, device: &mut dyn Device) -> Result<Duration> {
    let timer = device.start_timer()?;
    device.launch(launch)?;
    device.stop_timer(timer)
}

/// Adds the rounds of a launch to the course of the run.
pub fn record(control: &mut Control<'_>, collections: u64, round: Round) {
    if let Some(recorder) = control.recorder() {
        recorder.collected(collections);
        recorder.round(round);
    }
}
