//! Goals of attributed variables: run after a binding, before what would come next.

use super::{Done, Machine};
use crate::cell::Cell;
use crate::code::{Label, at};
use crate::names::atom;
use crate::undo::Woken;

impl Machine<'_, '_> {
    /// Runs the goals of bound variables, then goes on at `resume` with the first `live` registers as they are.
    pub fn wake(&mut self, resume: Label, live: usize) -> Done<Option<Label>> {
        self.suspend(resume, live);
        let bound = std::mem::take(&mut self.heap.woken);
        let wake = self.db.names.intern("wake");
        let mut goals = Vec::new();
        if bound.len() > 1 {
            for woken in &bound {
                if let Woken::Bound(place, _) = woken {
                    self.renew_keys_of(Cell::attributed(*place));
                }
            }
        }
        for woken in bound {
            match woken {
                Woken::Bound(place, value) => {
                    let attributes = self.heap.cells[place + 1];
                    goals.push(self.heap.compound(wake, &[attributes, value]));
                }
                Woken::Alarm => {
                    let (call, due) = (atom::call, self.due_goals());
                    goals.extend(due.into_iter().map(|goal| self.heap.compound(call, &[goal])));
                }
            }
        }
        self.x[0] = self.heap.list(&goals);
        let pred = self.db.named("$wakeup", 1);
        self.step()?;
        self.enter(pred)
    }

    /// What is called next runs in between: then the code goes on at `resume` with the first `live` registers as they
    /// are.
    pub(super) fn suspend(&mut self, resume: Label, live: usize) {
        let mut slots = vec![Cell::int(resume as usize), Cell::int(self.barrier)];
        slots.extend_from_slice(&self.x[..live]);
        self.frame(&slots, at::WOKEN);
    }

    /// What ran in between is done.
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
