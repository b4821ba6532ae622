//! What a recorded run reads from the counters of its kernels, for all executors on devices.
//!
//! Counters run on over all launches of a device; a [`Meter`] is made when a run begins and reports differences.
//!
//! - **Invariant:** the tally of a rule's applications is that of its [`applied`] number; that of the candidates tried
//!   for it is that of
//!   its [`tried`] number. Generators put them into kernels, nothing else reads them.

use std::time::Duration;

use gchr_base::ids::Id;
use gchr_base::profile::{Recorder, RuleCount, Traffic};
use gchr_base::rule::RuleId;

use gchr_kernel::device::{Counts, Device, Result};

/// Number of the tally of a rule's applications or firings.
pub fn applied(rule: RuleId) -> u32 {
    2 * rule.index() as u32
}

/// Number of the tally of the candidates tried for a rule.
pub fn tried(rule: RuleId) -> u32 {
    2 * rule.index() as u32 + 1
}

/// What a run had applied at one moment, by number of the tally.
pub struct Mark(Vec<u64>);

/// The counters of a run.
#[derive(Default)]
pub struct Meter {
    /// Traffic when the run began.
    first: Traffic,
    /// Tallies when the run began, and those of what was in vain.
    start: Vec<u64>,
    /// What the host counts for kernels that do not.
    host: Vec<u64>,
    last: Counts,
    is_counted: bool,
}

impl Meter {
    /// Begins a run that is recorded, if there is a recorder.
    pub fn start(device: &mut dyn Device, recorder: Option<&mut Recorder>) -> Result<Self> {
        let counts = match recorder {
            Some(_) => device.counts()?,
            None => None,
        };
        let is_counted = counts.is_some();
        let last = counts.unwrap_or_default();
        Ok(Self { first: last.traffic, start: last.tallies.clone(), host: Vec::new(), last, is_counted })
    }

    /// Counts applications that kernels do not tally.
    pub fn add(&mut self, rule: RuleId, more: u64) {
        let number = applied(rule) as usize;
        self.host.resize(self.host.len().max(number + 1), 0);
        self.host[number] += more;
    }

    /// What has been counted so far.
    pub fn mark(&self) -> Mark {
        if !self.is_counted {
            return Mark(Vec::new());
        }
        Mark((0..self.numbers()).map(|number| self.since(number)).collect())
    }

    /// Forgets what rules did since a mark, for it was in vain. Candidates stay: they were tried.
    pub fn roll_back(&mut self, mark: &Mark) {
        if !self.is_counted {
            return;
        }
        self.start.resize(self.start.len().max(self.numbers()), 0);
        for number in (0..self.numbers()).step_by(2) {
            self.start[number] = self.total(number) - mark.0.get(number).copied().unwrap_or(0);
        }
    }

    /// Looks at the counters, after a launch or during one.
    pub fn look(&mut self, device: &mut dyn Device, recorder: &mut Recorder) -> Result<()> {
        if !self.is_counted {
            return Ok(());
        }
        let counts = device.counts()?.unwrap_or_default();
        recorder.traffic(counts.traffic.since(&self.first));
        let tried = |counts: &Counts| counts.tallies.iter().skip(1).step_by(2).sum::<u64>();
        recorder.tried(tried(&counts) - tried(&self.last));
        self.last = counts;
        Ok(())
    }

    /// Reports a launch that is over.
    pub fn launched(
        &mut self,
        device: &mut dyn Device,
        recorder: &mut Recorder,
        kernel: &str,
        took: Duration,
    ) -> Result<()> {
        let before = self.last.traffic;
        self.look(device, recorder)?;
        let traffic = self.is_counted.then(|| self.last.traffic.since(&before));
        recorder.kernel(kernel, took, traffic);
        Ok(())
    }

    /// Rule applications or firings so far; `None` when kernels do not count.
    pub fn applied(&self) -> Option<u64> {
        let sum = || (0..self.numbers()).step_by(2).map(|number| self.since(number)).sum();
        self.is_counted.then(sum)
    }

    /// Reports the counts by rule of a run that is over.
    pub fn report(&self, recorder: &mut Recorder) {
        if !self.is_counted {
            return;
        }
        for rule in (0..self.numbers().div_ceil(2)).map(RuleId::from_index) {
            let (applied, tried) = (self.since(applied(rule) as usize), self.since(tried(rule) as usize));
            recorder.rule(rule, RuleCount { applied, tried, share: 0.0 });
        }
    }

    fn numbers(&self) -> usize {
        self.last.tallies.len().max(self.host.len())
    }

    /// What device and host have counted under a number, before this run too.
    fn total(&self, number: usize) -> u64 {
        let of = |counts: &[u64]| counts.get(number).copied().unwrap_or(0);
        of(&self.last.tallies) + of(&self.host)
    }

    /// What this run has counted under a number.
    fn since(&self, number: usize) -> u64 {
        self.total(number) - self.start.get(number).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meter(tallies: &[u64]) -> Meter {
        let last = Counts { tallies: tallies.to_vec(), ..Counts::default() };
        Meter { start: vec![10, 0], last, is_counted: true, ..Meter::default() }
    }

    fn counts(meter: &Meter) -> Vec<(u64, u64)> {
        let mut recorder = Recorder::new();
        meter.report(&mut recorder);
        recorder.rules().iter().map(|rule| (rule.applied, rule.tried)).collect()
    }

    #[test]
    fn a_run_sees_what_was_counted_since_it_began() {
        let mut meter = meter(&[15, 2, 7]);
        assert_eq!(counts(&meter), [(5, 2), (7, 0)]);
        meter.add(RuleId(2), 3);
        assert_eq!((counts(&meter), meter.applied()), (vec![(5, 2), (7, 0), (3, 0)], Some(15)));
    }

    #[test]
    fn what_was_in_vain_is_forgotten_however_often() {
        let mut meter = meter(&[12, 1]);
        let mark = meter.mark();
        for tallies in [vec![20, 5, 3], vec![40, 9, 3]] {
            meter.last.tallies = tallies;
            meter.roll_back(&mark);
            assert_eq!(meter.applied(), Some(2));
        }
        meter.last.tallies[0] += 4;
        assert_eq!(counts(&meter), [(6, 9), (0, 0)]);
    }
}
