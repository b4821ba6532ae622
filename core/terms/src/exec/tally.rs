//! Counts of a recorded run: how often each block is entered in which rules are applied, and where the time goes.

use super::bytecode::Code;
use gchr_base::control::Control;
use gchr_base::profile::{Place, RuleCount, Sampler};
use gchr_base::rule::RuleId;

/// Counts by block. Empty when the run is not recorded: then the code has no instruction that counts.
#[derive(Default)]
pub(super) struct Tally {
    counts: Box<[u64]>,
    /// Rules of a block that the run has not gone through to its end.
    rest: Vec<RuleId>,
    sampled: Option<(Sampler, Place)>,
}

impl Tally {
    pub(super) fn new(code: &Code, control: &Control) -> Self {
        if !control.records() {
            return Self::default();
        }
        let sampler = Sampler::start(code.blocks.len());
        let place = sampler.place();
        Self {
            counts: code.blocks.iter().map(|_| 0).collect(),
            rest: Vec::new(),
            sampled: Some((sampler, place)),
        }
    }

    /// The run enters a block.
    #[inline(always)]
    pub(super) fn enter(&mut self, block: u32) {
        if let Some(count) = self.counts.get_mut(block as usize) {
            *count += 1;
        }
        if let Some((_, place)) = &self.sampled {
            place.set(block);
        }
    }

    /// The run stops in a block after these rules have been applied.
    pub(super) fn enter_in_part(&mut self, rules: &[RuleId]) {
        self.rest.extend_from_slice(rules);
    }

    /// Reports counts and times by rule. The time of a block goes to the rule applied in it last.
    pub(super) fn report(&mut self, code: &Code, control: &mut Control) {
        let (Some((sampler, _)), Some(recorder)) = (self.sampled.take(), control.recorder()) else { return };
        let shares = sampler.stop();
        for &rule in &self.rest {
            recorder.rule(rule, RuleCount { applied: 1, ..RuleCount::default() });
        }
        for ((block, &applied), &share) in code.blocks.iter().zip(&self.counts).zip(&shares) {
            let rules = &block.rules;
            for &rule in rules {
                recorder.rule(rule, RuleCount { applied, ..RuleCount::default() });
            }
            if let Some(&last) = rules.last() {
                recorder.rule(last, RuleCount { share, ..RuleCount::default() });
            }
        }
    }
}
