//! Fires the instances of constraints where they are found, and hands on what their bodies add.

use super::frames::{MOST, Vectors, Work};
use super::place::{ArgumentColumns, FiringPlace};
use super::{FiringCounts, Halt};
use crate::exec::added::{Added, Stretch};
use crate::exec::code::{Code, Ins, Level, OccurrenceCode};
use crate::exec::index::NONE;
use crate::exec::round::bodies::load_active;
use crate::exec::round::pipeline::Pipeline;
use crate::exec::round::strategy::{Group, Shape, Strategy};
use crate::exec::round::watch::RoundWatch;
use crate::exec::search::{Search, Searched};
use crate::exec::step::{EvalCtx, Flow};
use crate::ir::ChrPlan;
use crate::rounds::seek::POLL_INTERVAL;
use gchr_base::ids::Id;
use gchr_base::rule::{Program, Role, RuleId};

/// What all threads of a round read.
#[derive(Clone, Copy)]
pub(super) struct Setting<'w, 'a> {
    pub(super) program: &'a Program,
    pub(super) plan: &'a ChrPlan,
    pub(super) code: &'a Code,
    pub(super) strategy: &'w Strategy,
    pub(super) watch: &'w RoundWatch<'w>,
    /// Whether the order of instances cannot be told.
    pub(super) any_order: bool,
    /// Firings that the limit of steps leaves.
    pub(super) steps: u64,
}

/// A thread at work.
pub(super) struct Firing<'w, 'a, P> {
    setting: Setting<'w, 'a>,
    pub(super) place: P,
    regs: &'w mut [u64],
    pub(super) vectors: &'w mut Vectors,
    pub(super) active: Added,
    /// Its place among the constraints at hand.
    pub(super) position: usize,
    /// That of the last constraint with an instance.
    last: usize,
    counts: FiringCounts,
    until_poll: u32,
    /// Rows of partners of one list.
    rows: Vec<u32>,
    args: Vec<u64>,
}

impl<'w, 'a, P: FiringPlace> Firing<'w, 'a, P> {
    /// A thread that counts on from `counts`.
    pub(super) fn new(
        setting: Setting<'w, 'a>,
        place: P,
        (regs, vectors): (&'w mut [u64], &'w mut Vectors),
        counts: FiringCounts,
    ) -> Self {
        let active = Added { table: 0, row: 0, id: 0 };
        let (rows, args) = (Vec::new(), Vec::new());
        let (position, last, until_poll) = (0, 0, POLL_INTERVAL);
        Self { setting, place, regs, vectors, active, position, last, counts, until_poll, rows, args }
    }

    pub(super) fn into_counts(self) -> FiringCounts {
        self.counts
    }

    /// Fires the instances of which one of these constraints is the newest.
    pub(super) fn all(&mut self, fresh: Stretch<'_>) -> Result<(), Halt> {
        let (mut at, mut rest) = (0, fresh);
        while let Some(first) = rest.first() {
            let most = self.most_at_once(first.table as usize);
            let (own, behind) = rest.split_at(rest.of_one_table(most));
            self.active = first;
            self.run(at, own)?;
            (at, rest) = (at + own.len(), behind);
        }
        self.counts.tried += u64::from(POLL_INTERVAL - self.until_poll);
        self.until_poll = POLL_INTERVAL;
        self.place.account();
        Ok(())
    }

    /// How many constraints of a table can look for partners rule by rule: where the order of instances can be told and
    /// several occurrences are tried, they do it one by one.
    fn most_at_once(&self, table: usize) -> usize {
        let groups = &self.setting.strategy.groups[table];
        let is_one = || groups.iter().map(|group| group.occurrences.len()).sum::<usize>() <= 1;
        if self.setting.any_order || is_one() { MOST } else { 1 }
    }

    /// Fires the instances of which one of these constraints of one table is the newest; `position` is that of the
    /// first one, which is at hand.
    fn run(&mut self, position: usize, fresh: Stretch<'_>) -> Result<(), Halt> {
        let (strategy, code) = (self.setting.strategy, self.setting.code);
        let occurrences = &code.activations[self.active.table as usize].occurrences;
        for group in &strategy.groups[self.active.table as usize] {
            for (&k, pipeline) in group.occurrences.iter().zip(&group.pipelines) {
                let occurrence = &occurrences[k];
                let in_order = !self.setting.any_order;
                let oldest_first = in_order && group.shape == Shape::Pairs && self.oldest_first(occurrence);
                match pipeline {
                    Some(pipeline) if !in_order || self.keeps_order(group, pipeline, occurrence) => {
                        let work = Work::new(pipeline, occurrence, oldest_first);
                        self.fire_vectors(work, position, fresh)?;
                    }
                    _ => {
                        for (at, active) in (position..).zip(fresh.iter()) {
                            (self.position, self.active) = (at, active);
                            self.occurrence(group, occurrence)?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Whether the instances of a pipeline come, and are added, in the order that can be told.
    fn keeps_order(&self, group: &Group, pipeline: &Pipeline, occurrence: &OccurrenceCode) -> bool {
        let is_all = |level: &Level| self.place.tables()[level.table].indexes[level.index].is_all();
        group.shape != Shape::Any && pipeline.calls <= 1 && !occurrence.levels.iter().any(is_all)
    }

    /// Whether the rows of the only partner come oldest first.
    fn oldest_first(&self, occurrence: &OccurrenceCode) -> bool {
        let partner = occurrence.level_of_head.iter().position(Option::is_some).unwrap_or(0);
        self.setting.plan.rules[occurrence.rule].heads[partner].role == Role::Kept
    }

    /// Fires the instances of an occurrence of which a constraint is the newest.
    fn occurrence(&mut self, group: &Group, occurrence: &'a OccurrenceCode) -> Result<(), Halt> {
        self.tick(1)?;
        load_active(self.place.tables(), self.regs, (self.active.table as usize, self.active.row));
        let is_plain = occurrence.entry.is_none() && occurrence.entry_prunes.is_empty();
        if !is_plain && !self.search(occurrence).entry()? {
            return Ok(());
        }
        match group.shape {
            Shape::Alone => {
                if self.search(occurrence).commit()? {
                    self.fire(occurrence)?;
                }
                Ok(())
            }
            Shape::Pairs => self.pairs(occurrence),
            Shape::Any => self.nested(occurrence),
        }
    }

    #[inline]
    fn search(&mut self, occurrence: &'a OccurrenceCode) -> Search<'_, '_, P::Cells<'_>> {
        let Setting { program, code, .. } = self.setting;
        let (tables, heap) = self.place.parts();
        Search {
            ctx: EvalCtx { code, signature: &program.signature, tables, heap },
            regs: self.regs,
            occurrence,
            active: self.active.id,
            until_poll: &mut self.until_poll,
        }
    }

    /// The first row to try for the first partner: one that is older than the constraint at hand where they share a
    /// list.
    fn first(&mut self, occurrence: &'a OccurrenceCode) -> Result<u32, Halt> {
        let level = &occurrence.levels[0];
        let row = self.search(occurrence).first(level)?;
        let own = (level.table == self.active.table as usize).then_some(self.active);
        Ok(self.place.tables()[level.table].behind(level.index, row, own))
    }

    fn pairs(&mut self, occurrence: &'a OccurrenceCode) -> Result<(), Halt> {
        let level = &occurrence.levels[0];
        let oldest_first = self.oldest_first(occurrence);
        let mut row = self.first(occurrence)?;
        if self.setting.any_order || !oldest_first {
            while row != NONE {
                self.try_row(occurrence, level, row)?;
                row = self.place.tables()[level.table].indexes[level.index].next(row);
            }
        } else if self.place.tables()[level.table].indexes[level.index].is_all() {
            row = self.place.tables()[level.table].indexes[level.index].last();
            while row != NONE && self.place.tables()[level.table].ids.get(row) < self.active.id {
                self.try_row(occurrence, level, row)?;
                row = self.place.tables()[level.table].indexes[level.index].newer(row);
            }
        } else {
            let mut rows = std::mem::take(&mut self.rows);
            rows.clear();
            while row != NONE {
                rows.push(row);
                row = self.place.tables()[level.table].indexes[level.index].next(row);
            }
            rows.iter().rev().try_for_each(|&row| self.try_row(occurrence, level, row))?;
            self.rows = rows;
        }
        Ok(())
    }

    /// Fires with this row as the only partner, if it is one.
    #[inline]
    fn try_row(&mut self, occurrence: &'a OccurrenceCode, level: &'a Level, row: u32) -> Result<(), Halt> {
        self.tick(1)?;
        let mut search = self.search(occurrence);
        let table = &search.ctx.tables[level.table];
        let fits =
            table.ids.get(row) < search.active && search.fits(level, table, row)? && search.commit()?;
        drop(search);
        if fits { self.fire(occurrence) } else { Ok(()) }
    }

    /// Fires with any number of partners, in the order in which they are found.
    fn nested(&mut self, occurrence: &'a OccurrenceCode) -> Result<(), Halt> {
        let (mut k, mut row) = (0, self.first(occurrence)?);
        let last = occurrence.levels.len() - 1;
        loop {
            let found = self.search(occurrence).find(k, row)?;
            match found {
                Searched::Nothing => return Ok(()),
                Searched::Pause(at, on) => {
                    self.look()?;
                    (k, row) = (at, on);
                }
                Searched::Match => {
                    self.fire(occurrence)?;
                    let level = &occurrence.levels[last];
                    let on = self.regs[level.row as usize] as u32;
                    (k, row) = (last, self.place.tables()[level.table].indexes[level.index].next(on));
                }
            }
        }
    }

    /// Counts firings of a rule, the last one of a constraint at this position. Rules may come in any order, but for
    /// those of one constraint.
    #[inline]
    pub(super) fn count(&mut self, rule: RuleId, firings: u64, position: usize) -> Result<(), Halt> {
        self.counts.firings += firings;
        self.counts.fired[rule.index()] += firings;
        if position >= self.last {
            (self.last, self.counts.last) = (position, Some(rule));
        }
        if self.counts.firings > self.setting.steps { Err(Halt::General) } else { Ok(()) }
    }

    /// Runs the body of an instance, whose values are in the registers.
    #[inline]
    fn fire(&mut self, occurrence: &OccurrenceCode) -> Result<(), Halt> {
        self.count(occurrence.rule, 1, self.position)?;
        let Some(mut pc) = occurrence.body else { return Ok(()) };
        let Setting { program, code, .. } = self.setting;
        loop {
            let (tables, heap) = self.place.parts();
            let flow = EvalCtx { code, signature: &program.signature, tables, heap }.run(self.regs, pc)?;
            let at = match flow {
                Flow::Done => return Ok(()),
                Flow::Failed(_) => return Err(Halt::General),
                Flow::Effect(at) => at,
            };
            let (Ins::Call { call } | Ins::CallLast { call }) = code.ins[at as usize] else {
                return Err(Halt::General);
            };
            let call = &code.calls[call as usize];
            self.args.clear();
            self.args.extend(call.args.iter().map(|&r| self.regs[r as usize]));
            let columns = ArgumentColumns::new(self.args.iter().map(std::slice::from_ref));
            self.place.add(call.constraint.index(), columns.as_slice(), 1)?;
            pc = at + 1;
        }
    }

    /// Counts rows, and looks from time to time whether the run must stop.
    #[inline]
    pub(super) fn tick(&mut self, rows: usize) -> Result<(), Halt> {
        match self.until_poll.checked_sub(rows as u32) {
            Some(left) => self.until_poll = left,
            None => {
                self.counts.tried += rows as u64 - u64::from(self.until_poll);
                self.until_poll = 0;
                self.look()?;
            }
        }
        Ok(())
    }

    /// Looks whether the run must stop.
    #[inline(never)]
    fn look(&mut self) -> Result<(), Halt> {
        self.counts.tried += u64::from(POLL_INTERVAL - self.until_poll);
        self.until_poll = POLL_INTERVAL;
        self.place.account();
        if self.setting.watch.calls() { Err(Halt::Watch) } else { Ok(()) }
    }
}
