//! Why a run on a device has no result: the same for all schedulers of term programs.

use gchr_core::error::RunError;
use gchr_core::stats::Stats;

use crate::device::DeviceError;

/// A run that the program or a limit stopped.
#[derive(Debug)]
pub struct Stopped {
    /// Why, and where.
    pub error: RunError,
    /// What it cost so far.
    pub stats: Stats,
}

/// Why there is no normal form.
#[derive(Debug)]
pub enum Failure {
    /// The program or a limit stopped the run.
    Stopped(Box<Stopped>),
    /// The device failed.
    Device(DeviceError),
}

impl From<DeviceError> for Failure {
    fn from(error: DeviceError) -> Self {
        Failure::Device(error)
    }
}
