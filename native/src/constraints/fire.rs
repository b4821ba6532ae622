//! Firing: what is removed, the body, and how the search goes on.

use gchr_constraints::exec::code::Pc;

use super::lower::Lower;
use super::machine::{NONE, UNTIL_POLL, hold, kill, release, remember, remove, unlink};
use super::operate::Mode;
use super::search::Search;
use crate::emit::{Compare, MemoryAccess, Val, Width};
use crate::vm::Helper;

impl<'p> Lower<'_, '_, 'p> {
    /// The rule fires with the active constraint and the rows of the loops.
    pub(super) fn fire(&mut self, search: &Search<'p>) {
        let occurrence = search.occurrence;
        self.count(occurrence.rule);
        if occurrence.removes_active {
            return self.fire_and_leave(search);
        }
        if occurrence.stores_active() {
            self.store();
        }
        if occurrence.history {
            self.remember(search);
        }
        match occurrence.body {
            Some(pc) if occurrence.calls => {
                self.suspend(search);
                self.lives = false;
                self.save_patience();
                self.body(pc);
                let until_poll = self.e.load_machine(Width::Word, MemoryAccess::Plain, UNTIL_POLL);
                self.e.set(self.until_poll, until_poll);
                self.resume(search);
            }
            body => {
                let on = self.remove_and_step(search);
                if let Some(pc) = body {
                    self.body(pc);
                }
                match on {
                    Some((k, row)) => self.go_on(search.turns[k], row),
                    None => self.e.jump(search.next, &[]),
                }
            }
        }
    }

    /// The same of a rule that removes the active constraint.
    fn fire_and_leave(&mut self, search: &Search<'p>) {
        let occurrence = search.occurrence;
        for &k in &occurrence.removed {
            self.on_row(remove, occurrence.levels[k].table, search.turns[k].row);
        }
        if let Some(row) = self.row.filter(|_| self.has_called) {
            let (stored, on) = (self.e.label(&[]), self.e.label(&[]));
            let row = self.e.get(row);
            let is_stored = self.e.compare_to(Compare::NotEqual, row, NONE);
            self.e.branch(is_stored, (stored, &[]), (on, &[]));
            self.e.bind(stored);
            self.on_row(remove, self.owner, row);
            self.e.jump(on, &[]);
            self.e.bind(on);
        }
        self.lives = false;
        self.save_patience();
        if let Some(pc) = occurrence.body {
            self.body(pc);
        }
        // Others may have been active meanwhile, and have left less until the next poll.
        let nothing = self.e.int(0);
        self.e.give(nothing);
    }

    fn on_row(&mut self, helper: Helper, table: usize, row: Val) {
        let table = self.e.int(table as i64);
        self.e.helper(helper, &[table, row], &[]);
    }

    fn remember(&mut self, search: &Search<'p>) {
        self.spill_rows(search);
        let row = match self.row {
            Some(row) => self.e.get(row),
            None => self.e.int(NONE),
        };
        let words = [self.e.int(self.owner as i64), self.e.int(search.number as i64), self.id, row];
        let status = self.e.helper(remember, &words, &[]);
        self.stops_unless_zero(status);
    }

    /// Keeps the rows of all loops in their lists, so that the search can go on from them, and removes.
    fn suspend(&mut self, search: &Search<'p>) {
        let levels = search.occurrence.levels.iter().zip(&search.turns).enumerate();
        for (k, (level, turn)) in levels.filter(|(_, (level, _))| !self.p.storing.keeps_rows(level.table)) {
            let dies = self.e.int(i64::from(search.occurrence.removed.contains(&k)));
            let table = self.e.int(level.table as i64);
            self.e.helper(hold, &[table, turn.row, dies], &[]);
        }
    }

    /// Goes on after a body that has added constraints: in the first loop whose row is gone, else in the last.
    fn resume(&mut self, search: &Search<'p>) {
        let levels = &search.occurrence.levels;
        let Some(last) = levels.len().checked_sub(1) else {
            self.leave_if_removed();
            self.e.jump(search.next, &[]);
            return;
        };
        for k in 0..last {
            if self.p.storing.keeps_rows(levels[k].table) {
                continue;
            }
            if search.occurrence.removed.contains(&k) {
                return self.resume_at(search, k);
            }
            let (dead, alive) = (self.e.label(&[]), self.e.label(&[]));
            let is_dead = self.is_dead(levels[k].table, search.turns[k].row);
            self.e.branch(is_dead, (dead, &[]), (alive, &[]));
            self.e.bind(dead);
            self.resume_at(search, k);
            self.e.bind(alive);
        }
        self.resume_at(search, last);
    }

    /// Gives up the rows that were kept, and goes on with the next row of a loop.
    fn resume_at(&mut self, search: &Search<'p>, k: usize) {
        let levels = &search.occurrence.levels;
        let is_held = |lower: &Self, level: usize| !lower.p.storing.keeps_rows(levels[level].table);
        for other in (0..levels.len()).filter(|&other| other != k) {
            if is_held(self, other) {
                self.on_row(release, levels[other].table, search.turns[other].row);
            }
        }
        let turn = search.turns[k];
        let next = self.next_row(&levels[k], turn.row);
        if is_held(self, k) {
            self.on_row(release, levels[k].table, turn.row);
        }
        self.leave_if_removed();
        self.go_on(turn, next);
    }

    /// The activation is over if its constraint, which is stored, was removed meanwhile.
    fn leave_if_removed(&mut self) {
        let Some(row) = self.row.filter(|_| !self.p.storing.keeps_rows(self.owner)) else { return };
        let (gone, on) = (self.e.label(&[]), self.e.label(&[]));
        let row = self.e.get(row);
        let id = self.id_of(self.owner, row);
        let alive = self.e.compare(Compare::Equal, id, self.id);
        self.e.branch(alive, (on, &[]), (gone, &[]));
        self.e.bind(gone);
        self.leave();
        self.e.bind(on);
    }

    /// Removes, and says where the search goes on: in the first loop whose row is gone, else in the last.
    fn remove_and_step(&mut self, search: &Search<'p>) -> Option<(usize, Val)> {
        let occurrence = search.occurrence;
        let last = occurrence.levels.len().checked_sub(1)?;
        let k = occurrence.removed.iter().copied().min().unwrap_or(last);
        for &other in &occurrence.removed {
            let helper: Helper = if other == k { kill } else { remove };
            self.on_row(helper, occurrence.levels[other].table, search.turns[other].row);
        }
        let row = search.turns[k].row;
        // The step comes when the other rows are out of the lists, and before this one is.
        let next = self.next_row(&occurrence.levels[k], row);
        if !occurrence.removed.is_empty() {
            self.on_row(unlink, occurrence.levels[k].table, row);
        }
        Some((k, next))
    }

    /// Goals of a body.
    fn body(&mut self, pc: Pc) {
        self.sequence(pc, Mode::Body);
    }
}
