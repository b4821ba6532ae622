//! What a run in rounds tells its record of derivations: constraints when they are stored, instances when they fire.

use super::state::RoundsState;
use crate::exec::common::Stop;
use gchr_base::derivation::Cause;
use gchr_base::error::StopReason;
use gchr_base::ids::Id;
use gchr_base::rule::RuleId;
use gchr_base::signature::ConstraintId;

impl RoundsState<'_, '_> {
    /// Stops a run whose derivations are to be recorded by a plan with values that rules replace in place.
    pub(crate) fn check_derivable(&self) -> Result<(), Stop> {
        if self.control.derives() && self.plan.classes.changes_values() {
            let what = "a plan whose rules replace values records no derivations".into();
            return Err(self.stop(StopReason::Internal { what }));
        }
        Ok(())
    }

    /// Records a constraint that is about to be stored.
    pub(crate) fn record_made(&mut self, table: usize, args: &[u64], id: u64) {
        let Some(record) = self.control.derivations() else { return };
        let args = self.tables[table].kinds.iter().copied().zip(args.iter().copied());
        record.made(id, ConstraintId::from_index(table), self.cause, args, &self.heap);
    }

    /// Records that a rule fires with constraints of these ids.
    pub(crate) fn record_fired(&mut self, rule: RuleId, ids: &[u64]) {
        if let Some(record) = self.control.derivations() {
            record.fired(rule, self.rounds, ids.iter().copied());
        }
    }

    /// What is stored next is of the bodies of the instances that fire from now on.
    pub(crate) fn begin_bodies(&mut self) {
        self.next_instance = self.control.derivations().map_or(0, |record| record.instances());
    }

    /// What is stored next is of the body of the next of these instances.
    pub(crate) fn next_body(&mut self) {
        self.cause = Cause::Instance(self.next_instance);
        self.next_instance += 1;
    }
}
