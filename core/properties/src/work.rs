//! Bounds of an analysis: steps that it may take, and the watch that it looks at.

use gchr_base::stop::StopReason;
use gchr_base::watch::Watch;

/// Steps between two looks at the watch.
const LOOK: u64 = 1 << 14;

/// Why an analysis ends before it is done.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Stop {
    /// The steps are used up: the question stays open.
    Exhausted,
    /// The caller wants no more.
    Stopped(StopReason),
}

/// Steps that an analysis may still take.
pub(crate) struct Work<'w> {
    watch: &'w Watch<'w>,
    left: u64,
    unseen: u64,
}

impl<'w> Work<'w> {
    /// So many steps under a watch.
    pub fn new(watch: &'w Watch<'w>, steps: u64) -> Self {
        // The first step looks.
        Self { watch, left: steps, unseen: LOOK }
    }

    /// Takes steps. A step is about one node of a term.
    pub fn spend(&mut self, steps: usize) -> Result<(), Stop> {
        let steps = steps as u64;
        self.unseen += steps;
        if self.unseen >= LOOK {
            self.unseen = 0;
            self.watch.look().map_err(Stop::Stopped)?;
        }
        match self.left.checked_sub(steps) {
            Some(left) => self.left = left,
            None => {
                self.left = 0;
                return Err(Stop::Exhausted);
            }
        }
        Ok(())
    }

    /// Runs a part with at most so many of the steps. `None` when they did not suffice for it.
    pub fn part<T>(
        &mut self,
        steps: u64,
        f: impl FnOnce(&mut Self) -> Result<T, Stop>,
    ) -> Result<Option<T>, StopReason> {
        let given = self.left.min(steps);
        let kept = self.left - given;
        self.left = given;
        let result = f(self);
        self.left += kept;
        match result {
            Ok(value) => Ok(Some(value)),
            Err(Stop::Exhausted) => Ok(None),
            Err(Stop::Stopped(reason)) => Err(reason),
        }
    }
}
