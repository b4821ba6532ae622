//! Why a run on a device has no result: the same for all schedulers.

use gchr_base::control::{Control, Progress};
use gchr_base::error::{RunError, StopReason};
use gchr_base::stats::Stats;

use crate::codegen::{DeviceTrap, Site, Sites, unknown_site};
use gchr_kernel::device::DeviceError;

/// A run that the program or a limit stopped.
#[derive(Debug)]
pub struct Stopped<L = ()> {
    /// Why, and where.
    pub error: RunError,
    /// What is left of the run: of constraints the store after the last whole round, if the device still has it.
    pub left: L,
    /// What it cost so far.
    pub stats: Stats,
}

/// Why there is no normal form, or no final store.
#[derive(Debug)]
pub enum Failure<L = ()> {
    /// The program or a limit stopped the run.
    Stopped(Box<Stopped<L>>),
    /// The device failed.
    Device(DeviceError),
}

impl<L> From<DeviceError> for Failure<L> {
    fn from(error: DeviceError) -> Self {
        Failure::Device(error)
    }
}

impl<L: Default> From<RunError> for Failure<L> {
    fn from(error: RunError) -> Self {
        Failure::Stopped(Box::new(Stopped { error, left: L::default(), stats: Stats::default() }))
    }
}

impl Failure {
    /// A run that stops at no place of the program.
    pub fn stopped(reason: StopReason, progress: Progress) -> Self {
        RunError { reason, rule: None, span: None, progress }.into()
    }

    /// The arithmetic error that the device noted.
    pub fn noted(sites: &Sites, noted: Option<DeviceTrap>, progress: Progress) -> Self {
        Self::at_site(noted, noted.and_then(|noted| sites.explain(&noted)), progress)
    }

    /// The error at a place of the program, if the place that the device noted is one.
    pub fn at_site(noted: Option<DeviceTrap>, place: Option<(StopReason, Site)>, progress: Progress) -> Self {
        match place {
            Some((reason, site)) => {
                RunError { reason, rule: site.rule, span: Some(site.span), progress }.into()
            }
            None => Failure::Device(unknown_site(noted)),
        }
    }

    /// A launch that failed. The simulator ends a launch early when the run is to stop: then that is the reason.
    pub fn of_launch(error: DeviceError, control: &mut Control<'_>, progress: Progress) -> Self {
        poll(control, progress).err().unwrap_or(Failure::Device(error))
    }
}

/// Reports progress and says whether the run must stop.
pub fn poll(control: &mut Control<'_>, progress: Progress) -> Result<(), Failure> {
    control.poll(progress).map_err(|reason| Failure::stopped(reason, progress))
}
