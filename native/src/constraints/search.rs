//! The search for partners: a loop over the rows of each join, one inside the other.

use gchr_constraints::exec::code::{Level, OccurrenceCode, Pc};
use gchr_constraints::exec::engine::Chain;

use super::lower::Lower;
use super::machine::{NONE, is_new};
use super::operate::Mode;
use crate::emit::{Compare, Label, Val};
use crate::function::Kind;

/// A loop that a search is in.
#[derive(Clone, Copy)]
pub(super) struct Turn {
    /// Goes on with a row, where a list may have more than one.
    pub(super) head: Option<Label>,
    /// Goes on with the next row.
    pub(super) advance: Label,
    /// Where the loop is over.
    pub(super) exhausted: Label,
    pub(super) row: Val,
}

/// An occurrence whose search is being lowered.
pub(super) struct Search<'p> {
    pub(super) occurrence: &'p OccurrenceCode,
    /// Its position among those of the symbol.
    pub(super) number: usize,
    pub(super) turns: Vec<Turn>,
    /// The next occurrence.
    pub(super) next: Label,
}

impl<'p> Lower<'_, '_, 'p> {
    /// Tries an occurrence; ends at `next`.
    pub(super) fn occurrence(&mut self, number: usize, occurrence: &'p OccurrenceCode, next: Label) {
        if let Some(pc) = occurrence.entry {
            self.sequence(pc, Mode::Test(next));
        }
        self.prunes(&occurrence.entry_prunes, next);
        let mut search = Search { occurrence, number, turns: Vec::new(), next };
        self.level(&mut search);
    }

    /// The joins that are left, and what is done when there are none.
    fn level(&mut self, search: &mut Search<'p>) {
        let k = search.turns.len();
        let inner = search.turns.last().map_or(search.next, |turn| turn.advance);
        let Some(level) = search.occurrence.levels.get(k) else {
            if let Some(pc) = search.occurrence.commit {
                self.sequence(pc, Mode::Test(inner));
            }
            if search.occurrence.history {
                self.skip_known(search, inner);
            }
            return self.fire(search);
        };
        if let Some(pc) = level.key {
            self.sequence(pc, Mode::Test(inner));
        }
        let first = self.first_row(level);
        let is_single = self.p.tables[level.table].indexes[level.index].chain == Chain::Single;
        let turn = if is_single {
            Turn { head: None, advance: inner, exhausted: inner, row: first }
        } else {
            let (head, advance) = (self.e.label(&[Kind::Word]), self.e.label(&[]));
            self.e.jump(head, &[first]);
            let row = self.e.bind(head)[0];
            Turn { head: Some(head), advance, exhausted: inner, row }
        };
        let none = self.e.compare_to(Compare::Equal, turn.row, NONE);
        self.e.jump_if(none, turn.exhausted);
        if !is_single {
            self.try_row();
        }
        self.set(level.row, turn.row, false);
        search.turns.push(turn);
        self.row_fits(search, level, turn);
        self.level(search);
        if turn.head.is_some() {
            self.e.bind(turn.advance);
            let next = self.next_row(level, turn.row);
            self.go_on(turn, next);
        }
    }

    /// Goes on with a row of a loop.
    pub(super) fn go_on(&mut self, turn: Turn, row: Val) {
        match turn.head {
            Some(head) => self.e.jump(head, &[row]),
            None => self.e.jump(turn.exhausted, &[]),
        }
    }

    /// Goes on with the next row unless this one fits.
    fn row_fits(&mut self, search: &Search<'p>, level: &'p Level, turn: Turn) {
        self.age_fits(search.occurrence, level, turn);
        for &other in &level.distinct {
            let other = self.get(other);
            let same = self.e.compare(Compare::Equal, other, turn.row);
            self.e.jump_if(same, turn.advance);
        }
        for &(dst, column) in &level.loads {
            let value = self.column(level.table, column as usize, turn.row);
            let is_term = self.is_term_column(level.table, column as usize);
            self.set(dst, value, is_term);
        }
        if let Some(pc) = level.check {
            self.sequence(pc, Mode::Test(turn.advance));
        }
        self.prunes(&level.prunes, turn.advance);
    }

    /// The constraint of a row is alive, and another one, older where that is asked for.
    fn age_fits(&mut self, occurrence: &OccurrenceCode, level: &Level, turn: Turn) {
        let storing = &self.p.storing;
        let keeps = storing.keeps_rows(level.table);
        // All rows are older: no constraint of the table has been active since, nor is this one stored.
        let is_unstored = !self.has_called && occurrence.removes_active;
        let is_other = level.table != self.owner && !storing.adds(self.owner, level.table);
        if keeps && (is_unstored || is_other) {
            return;
        }
        let id = self.id_of(level.table, turn.row);
        if occurrence.older_partners {
            let younger = self.e.compare(Compare::AboveOrEqual, id, self.id);
            return self.e.jump_if(younger, turn.advance);
        }
        let own = self.e.compare(Compare::Equal, id, self.id);
        self.e.jump_if(own, turn.advance);
        if !keeps {
            let dead = self.is_dead(level.table, turn.row);
            self.e.jump_if(dead, turn.advance);
        }
    }

    /// Goes on where one of some conditions is false already.
    fn prunes(&mut self, prunes: &[Pc], fail: Label) {
        for &pc in prunes {
            let (registers, ok) = (self.registers.clone(), self.e.label(&[]));
            self.sequence(pc, Mode::Prune { fail, ok });
            self.e.jump(ok, &[]);
            self.e.bind(ok);
            self.registers = registers;
        }
    }

    /// Goes on where an instance has fired.
    fn skip_known(&mut self, search: &Search<'p>, inner: Label) {
        self.spill_rows(search);
        let words = [self.e.int(self.owner as i64), self.e.int(search.number as i64), self.id];
        let new = self.e.helper(is_new, &words, &[]);
        let known = self.e.compare_to(Compare::Equal, new, 0);
        self.e.jump_if(known, inner);
    }

    pub(super) fn spill_rows(&mut self, search: &Search<'p>) {
        self.spill(search.occurrence.levels.iter().map(|level| level.row));
    }
}
