//! Rounds that kernels of their own do: those of a fast path to their end, and the better values of a round in which
//! other things are new.

use gchr_base::control::Control;
use gchr_base::error::StopReason;
use gchr_base::profile::Round;

use super::Runner;
use crate::layout::MinPlusTable;
use crate::specialised::fast_path::{FastPath, FastPathEnd, Launcher};
use crate::specialised::monotone::MonotoneRun;
use crate::specialised::product::Product;
use crate::tables::Tables;
use gchr_kernel::device::Device;
use gchr_runtime::outcome::{self, poll};
use gchr_runtime::slices;

impl Runner<'_> {
    /// Whether rounds of a fast path are left to kernels of their own. A limit of steps may end a run in the middle of
    /// a launch.
    pub(super) fn takes_fast_paths(&self, control: &Control<'_>) -> bool {
        self.options.fast_paths && control.limits().max_steps.is_none()
    }

    /// Does the rounds that are left of a batch on a fast path, if they have one; says whether they had.
    pub(super) fn take_fast_path(
        &mut self,
        tables: &mut Tables,
        device: &mut dyn Device,
        control: &mut Control<'_>,
    ) -> Result<bool, outcome::Failure> {
        if !self.takes_fast_paths(control) {
            return Ok(false);
        }
        let memory = self.options.memory;
        let changed = tables.has_changed_values();
        let mut products = self.job.kernels.products.iter().copied().filter(|p| p.alone || !changed);
        if let Some(square) = products.find(|p| tables.is_only_new(p.table))
            && let Some(product) = Product::start(tables, square, memory, device)?
        {
            return self.follow(product, tables, device, control);
        }
        if changed {
            return Ok(false);
        }
        match MonotoneRun::start(tables, &self.job, memory, device)? {
            Some(run) => self.follow(run, tables, device, control),
            None => Ok(false),
        }
    }

    fn follow(
        &mut self,
        mut fast_path: Box<dyn FastPath>,
        tables: &mut Tables,
        device: &mut dyn Device,
        control: &mut Control<'_>,
    ) -> Result<bool, outcome::Failure> {
        let before = (self.rounds, self.fired);
        let mark = self.slices.mark();
        let ended = self.run_fast_path(&mut *fast_path, tables, device, control);
        let done = match ended {
            Ok(true) => Ok(true),
            Ok(false) => {
                (self.rounds, self.fired) = before;
                self.slices.roll_back(&mark);
                Ok(false)
            }
            Err(failure) => Err(failure),
        };
        if let Err(outcome::Failure::Device(_)) = done {
            return done;
        }
        let wanted = !matches!(done, Ok(false));
        fast_path.end(tables, wanted, device)?;
        if wanted {
            tables.set_progress(self.rounds, self.fired);
        }
        done
    }

    fn run_fast_path(
        &mut self,
        fast_path: &mut dyn FastPath,
        tables: &mut Tables,
        device: &mut dyn Device,
        control: &mut Control<'_>,
    ) -> Result<bool, outcome::Failure> {
        loop {
            self.peak = self.peak.max(tables.bytes() + fast_path.bytes());
            poll(control, self.progress())?;
            let longest = self.slices.rounds(control);
            let max_rounds = control.limits().max_rounds;
            let left = max_rounds.map_or(u64::from(longest), |most| most.saturating_sub(self.rounds));
            let mut slice = u32::try_from(left).unwrap_or(longest).min(longest);
            if control.recorder().is_some() {
                // A round that is given up has a launch of its own: what was counted in it is forgotten.
                slice = slice.min(1);
            }
            let mark = self.slices.mark();
            let progress = self.progress();
            let with =
                Launcher { slices: &mut self.slices, device: &mut *device, control: &mut *control, progress };
            let step = fast_path.launch(tables, slice, with)?;
            self.rounds += step.rounds;
            self.fired += step.fired;
            self.live = tables.live();
            let round = Round { rounds: self.rounds, progress: self.progress() };
            slices::record(control, self.collections, round);
            if let Some(rule) = fast_path.rule() {
                self.slices.fired(rule, step.fired);
            }
            match step.ended {
                FastPathEnd::Done => return Ok(true),
                FastPathEnd::Unfit => return Ok(false),
                FastPathEnd::Paused if max_rounds.is_some_and(|most| self.rounds >= most) => {
                    // Whether anything is left to do, general rounds know.
                    if !fast_path.knows_its_end() {
                        return Ok(false);
                    }
                    return Err(self.halt(StopReason::Rounds { limit: self.rounds }));
                }
                FastPathEnd::Paused => {}
                FastPathEnd::NoRoom => {
                    self.slices.roll_back(&mark);
                    let grown = fast_path.grow(tables, self.options.memory, device)?;
                    self.must_have(grown)?;
                }
            }
        }
    }

    /// Whether the first round of a batch is one whose better values a product of matrices finds: many are new, and
    /// other constraints are, too.
    pub(super) fn batch_offers(&self, tables: &Tables, control: &Control<'_>) -> bool {
        self.takes_fast_paths(control)
            && self.product_alone().is_some_and(|product| {
                !tables.is_only_new(product.table)
                    && tables.starts_from_values(product.table, self.options.few)
            })
    }

    /// The product of a program without other rules that replace values.
    fn product_alone(&self) -> Option<MinPlusTable> {
        self.job.kernels.products.iter().copied().find(|product| product.alone)
    }

    /// Lets a product of matrices find what the values offer to the next round; says whether it could.
    pub(super) fn offer_values(
        &mut self,
        tables: &mut Tables,
        device: &mut dyn Device,
        control: &mut Control<'_>,
    ) -> Result<bool, outcome::Failure> {
        let Some(square) = self.product_alone() else { return Ok(false) };
        let Some(product) = Product::start(tables, square, self.options.memory, device)? else {
            return Ok(false);
        };
        self.peak = self.peak.max(tables.bytes() + product.bytes());
        let progress = self.progress();
        let with = Launcher { slices: &mut self.slices, device: &mut *device, control, progress };
        let offered = product.offer(tables, with)?;
        if offered {
            tables.keep_offering(device)?;
        }
        Ok(offered)
    }
}
