//! Goals of attributed variables: run after a binding, before what would come next.

use super::{Done, Machine};
use crate::cell::Cell;
use crate::code::{Label, at};

impl Machine<'_, '_> {
    /// Runs the goals of bound variables, then goes on at `resume` with the first `live` registers as they are.
    pub(super) fn wake(&mut self, resume: Label, live: usize) -> Done<Option<Label>> {
        let mut slots = vec![Cell::int(resume as usize), Cell::int(self.barrier)];
        slots.extend_from_slice(&self.x[..live]);
        self.frame(&slots, at::WOKEN);
        let bound = std::mem::take(&mut self.heap.woken);
        let wake = self.db.names.intern("wake");
        let mut goals = Vec::new();
        for (place, value) in bound {
            let attributes = self.heap.cells[place + 1];
            goals.push(self.heap.compound(wake, &[attributes, value]));
        }
        self.x[0] = self.heap.list(&goals);
        let pred = self.db.named("$wakeup", 1);
        self.step()?;
        self.enter(pred)
    }

    /// The goals of bound variables are done.
    pub(super) fn woken(&mut self) -> Label {
        let (resume, barrier) = (self.slot(0).as_int(), self.slot(1).as_int());
        let live = self.stack[self.env + 2].0 as usize - 2;
        for i in 0..live {
            self.x[i] = self.slot(2 + i as u16);
        }
        self.barrier = barrier as usize;
        self.deallocate();
        resume as Label
    }
}
