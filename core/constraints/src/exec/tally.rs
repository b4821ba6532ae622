//! Counts of a recorded run: firings and candidates by rule, and where the time goes.

use super::code::OccurrenceCode;
use gchr_base::ids::Id;
use gchr_base::profile::{Place, Recorder, RuleCount, Sampler};
use gchr_base::rule::RuleId;

pub(super) struct Tally {
    rules: Vec<RuleCount>,
    /// Candidates since they were last asked for.
    tried: u64,
    sampler: Sampler,
    place: Place,
}

impl Tally {
    pub(super) fn new(rules: usize) -> Self {
        let sampler = Sampler::start(rules);
        let place = sampler.place();
        Self { rules: vec![RuleCount::default(); rules], tried: 0, sampler, place }
    }

    /// The active constraint is tried as this occurrence. With no partner to look for, it is the candidate.
    pub(super) fn enter(&mut self, occurrence: &OccurrenceCode) {
        self.place.set(occurrence.rule.0);
        if occurrence.levels.is_empty() {
            self.tried(occurrence.rule, 1);
        }
    }

    /// So many rows were looked at as partners.
    pub(super) fn tried(&mut self, rule: RuleId, rows: u32) {
        self.tried += u64::from(rows);
        self.rules[rule.index()].tried += u64::from(rows);
    }

    /// The rule fires.
    pub(super) fn fired(&mut self, rule: RuleId) {
        self.place.set(rule.0);
        self.rules[rule.index()].applied += 1;
    }

    /// Candidates since the last call.
    pub(super) fn take_tried(&mut self) -> u64 {
        std::mem::take(&mut self.tried)
    }

    /// Hands the counts to the recorder.
    pub(super) fn report(self, recorder: &mut Recorder) {
        let shares = self.sampler.stop();
        for (rule, count) in self.rules.into_iter().enumerate() {
            let share = shares.get(rule).copied().unwrap_or(0.0);
            recorder.rule(RuleId::from_index(rule), RuleCount { share, ..count });
        }
    }
}
