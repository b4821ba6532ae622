//! What the machine tells its record of derivations: constraints when they get their ids, instances when they fire.

use super::{Frame, Machine};
use crate::exec::code::OccurrenceCode;
use gchr_base::derivation::Cause;
use gchr_base::ids::Id;
use gchr_base::signature::ConstraintId;

/// Why the constraints are added that activations of the machine add.
pub(crate) struct Causes {
    /// For the frame at hand: of what it adds next, or of its active constraint until a rule fires.
    current: Cause,
    /// For each suspended frame: of what it adds next.
    suspended: Vec<Cause>,
}

impl Causes {
    /// Those of a run that has not begun.
    pub(super) fn new() -> Self {
        Self { current: Cause::Goal { query: 0, number: 0 }, suspended: Vec::new() }
    }
    /// The machine begins with a fact or a query.
    pub(super) fn begin(&mut self, cause: Cause) {
        self.current = cause;
        self.suspended.clear();
    }
    /// The frame at hand is suspended for a goal of it.
    pub(super) fn suspend(&mut self) {
        self.suspended.push(self.current.next());
    }
    /// The last suspended frame goes on.
    pub(super) fn resume(&mut self) {
        self.current = self.suspended.pop().unwrap_or(self.current);
    }
    /// A body begins.
    fn enter_body(&mut self, instance: u64) {
        self.current = Cause::Instance(instance);
    }
}

impl Machine<'_, '_> {
    /// Records the constraint that becomes active.
    pub(super) fn record_made(&mut self, frame: &Frame) {
        let Some(causes) = &self.causes else { return };
        let cause = causes.current;
        let table = &self.tables[frame.owner as usize];
        let Some(record) = self.control.derivations() else { return };
        let args = table.kinds.iter().copied().zip(self.stack[frame.base..].iter().copied());
        record.made(frame.id, ConstraintId(frame.owner), cause, args, &self.heap);
    }

    /// Records that a rule fires with the active constraint and the rows of the levels.
    pub(super) fn record_fired(&mut self, frame: &Frame, occurrence: &OccurrenceCode) {
        let heads = self.plan.rules[occurrence.rule].heads.iter().enumerate();
        let id = |(head, plan): (usize, &crate::ir::HeadPlan)| match self.row_of_head(frame, occurrence, head)
        {
            Some(row) => self.tables[plan.constraint.index()].ids.get(row),
            None => frame.id,
        };
        let ids: Vec<u64> = heads.map(id).collect();
        let Some(record) = self.control.derivations() else { return };
        let instance = record.fired(occurrence.rule, 0, ids.into_iter());
        if let Some(causes) = &mut self.causes {
            causes.enter_body(instance);
        }
    }
}
