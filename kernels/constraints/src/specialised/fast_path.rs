//! Batches whose rounds have a fast path: kernels of their own follow it to the end, with the same stores after each
//! round, the same firings and the same rounds as the general ones.

use gchr_base::control::{Control, Progress};
use gchr_base::rule::RuleId;
use gchr_kernel::device::{Device, DeviceError};
use gchr_runtime::outcome::Failure;
use gchr_runtime::slices::Slices;

use crate::tables::{Grown, Tables};

/// How a launch ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FastPathEnd {
    /// There are no candidates any more.
    Done,
    /// It has done the rounds that it may do.
    Paused,
    /// A table has no room for what the next round adds.
    NoRoom,
    /// The store does not fit the fast path any more: nothing of it has changed, the general rounds start from where it
    /// was.
    Unfit,
}

/// What a launch did.
pub(crate) struct FastPathStep {
    pub ended: FastPathEnd,
    pub rounds: u64,
    pub fired: u64,
}

/// What a launch is made with.
pub(crate) struct Launcher<'a, 'c> {
    pub slices: &'a mut Slices,
    pub device: &'a mut dyn Device,
    pub control: &'a mut Control<'c>,
    pub progress: Progress,
}

/// Rounds of a fast path.
pub(crate) trait FastPath {
    /// Device memory that it takes beside the tables.
    fn bytes(&self) -> u64;
    /// The rule that all firings are of, if its kernels do not tally them.
    fn rule(&self) -> Option<RuleId>;
    /// Whether a launch that is paused after its last round always has more to do.
    fn knows_its_end(&self) -> bool;
    /// Does up to `slice` rounds.
    fn launch(
        &mut self,
        tables: &mut Tables,
        slice: u32,
        with: Launcher<'_, '_>,
    ) -> Result<FastPathStep, Failure>;
    /// Makes room for the next round.
    fn grow(
        &mut self,
        tables: &mut Tables,
        memory: u64,
        device: &mut dyn Device,
    ) -> Result<Grown, DeviceError>;
    /// Brings what it has computed into the tables, if it is wanted, and gives its memory back.
    fn end(
        self: Box<Self>,
        tables: &mut Tables,
        wanted: bool,
        device: &mut dyn Device,
    ) -> Result<(), DeviceError>;
}
