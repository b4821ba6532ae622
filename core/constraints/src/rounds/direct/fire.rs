//! Fires the instances of constraints where they are found, and hands on what their bodies add.

use super::place::Place;
use super::{Counts, Halt};
use crate::exec::code::{Code, Ins, Level, OccurrenceCode};
use crate::exec::index::NONE;
use crate::exec::round::bodies::load_active;
use crate::exec::round::state::Added;
use crate::exec::round::strategy::{Copies, Group, Shape, Source, Strategy};
use crate::exec::round::watch::RoundWatch;
use crate::exec::search::{Search, Searched};
use crate::exec::step::{EvalCtx, Flow};
use crate::ir::ChrPlan;
use crate::rounds::seek::PATIENCE;
use gchr_base::ids::Id;
use gchr_base::memory;
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
    place: P,
    regs: &'w mut [u64],
    active: Added,
    counts: Counts,
    patience: u32,
    /// Rows of partners of one list.
    rows: Vec<u32>,
    args: Vec<u64>,
    slice: Slice,
}

/// Constraints of one table that bodies have added and that were not handed over yet, one behind the other. They are
/// looked up together, so that the memory's answers overlap.
#[derive(Default)]
struct Slice {
    table: usize,
    args: Vec<u64>,
    count: usize,
}

/// Words of a slice: no more than stay in the nearest cache.
const SLICE: usize = 1 << 10;

impl<'w, 'a, P: Place> Firing<'w, 'a, P> {
    /// A thread that counts on from `counts`.
    pub(super) fn new(setting: Setting<'w, 'a>, place: P, regs: &'w mut [u64], counts: Counts) -> Self {
        let active = Added { table: 0, row: 0, id: 0 };
        let (rows, args, slice) = (Vec::new(), Vec::new(), Slice::default());
        Self { setting, place, regs, active, counts, patience: PATIENCE, rows, args, slice }
    }

    pub(super) fn into_counts(self) -> Counts {
        self.counts
    }

    /// Fires the instances of which one of these constraints is the newest.
    pub(super) fn all(&mut self, fresh: &[Added]) -> Result<(), Halt> {
        fresh.iter().try_for_each(|&active| self.list(active))?;
        self.counts.tried += u64::from(PATIENCE - self.patience);
        self.patience = PATIENCE;
        self.empty_slice()?;
        self.place.account();
        Ok(())
    }

    /// Fires the instances of which a constraint is the newest.
    fn list(&mut self, active: Added) -> Result<(), Halt> {
        self.active = active;
        self.tick()?;
        let strategy = self.setting.strategy;
        for group in &strategy.groups[active.table as usize] {
            load_active(self.place.tables(), self.regs, (active.table as usize, active.row));
            for (&k, copies) in group.occurrences.iter().zip(&group.copies) {
                let occurrence = &self.setting.code.activations[active.table as usize].occurrences[k];
                let is_plain = occurrence.entry.is_none() && occurrence.entry_prunes.is_empty();
                if !is_plain && !self.search(occurrence).entry()? {
                    continue;
                }
                match group.shape {
                    Shape::Alone => {
                        if self.search(occurrence).commit()? {
                            self.fire(occurrence)?;
                        }
                    }
                    Shape::Pairs => self.pairs(group, occurrence, copies.as_ref())?,
                    Shape::Any => self.nested(occurrence, copies.as_ref())?,
                }
            }
        }
        Ok(())
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
            patience: &mut self.patience,
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

    fn pairs(
        &mut self,
        group: &Group,
        occurrence: &'a OccurrenceCode,
        copies: Option<&Copies>,
    ) -> Result<(), Halt> {
        let level = &occurrence.levels[0];
        let partner = occurrence.level_of_head.iter().position(Option::is_some).unwrap_or(0);
        let oldest_first = self.setting.plan.rules[group.rule].heads[partner].role == Role::Kept;
        let mut row = self.first(occurrence)?;
        if let Some(copies) = copies {
            return self.copy(occurrence, copies, row, oldest_first && !self.setting.any_order);
        }
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
        self.tick()?;
        let mut search = self.search(occurrence);
        let table = &search.ctx.tables[level.table];
        let fits =
            table.ids.get(row) < search.active && search.fits(level, table, row)? && search.commit()?;
        drop(search);
        if fits { self.fire(occurrence) } else { Ok(()) }
    }

    /// Fires with any number of partners, in the order in which they are found.
    fn nested(&mut self, occurrence: &'a OccurrenceCode, copies: Option<&Copies>) -> Result<(), Halt> {
        load_active(self.place.tables(), self.regs, (self.active.table as usize, self.active.row));
        let (mut k, mut row) = (0, self.first(occurrence)?);
        let depth = occurrence.levels.len() - usize::from(copies.is_some());
        let last = depth - 1;
        loop {
            let found = self.search(occurrence).find_to(depth, k, row)?;
            match found {
                Searched::Nothing => return Ok(()),
                Searched::Pause(at, on) => {
                    self.look()?;
                    (k, row) = (at, on);
                }
                Searched::Match => {
                    match copies {
                        Some(copies) => {
                            let row = self.search(occurrence).first(&occurrence.levels[depth])?;
                            self.copy(occurrence, copies, row, false)?;
                        }
                        None => self.fire(occurrence)?,
                    }
                    let level = &occurrence.levels[last];
                    let on = self.regs[level.row as usize] as u32;
                    (k, row) = (last, self.place.tables()[level.table].indexes[level.index].next(on));
                }
            }
        }
    }

    /// Fires with the rows of a list, from `row` on, as the last partner; the oldest first if it is said so.
    fn copy(
        &mut self,
        occurrence: &'a OccurrenceCode,
        copies: &Copies,
        row: u32,
        oldest_first: bool,
    ) -> Result<(), Halt> {
        if row == NONE {
            return Ok(());
        }
        self.collect(occurrence, row)?;
        if oldest_first {
            self.rows.reverse();
        }
        self.count(occurrence.rule, self.rows.len() as u64)?;
        if self.slice.table != copies.table || self.slice.args.len() > SLICE {
            self.empty_slice()?;
            self.slice.table = copies.table;
        }
        let level = &occurrence.levels[occurrence.levels.len() - 1];
        let (step, start) = (copies.args.len(), self.slice.args.len());
        let more = self.rows.len() * step;
        memory::reserve(&mut self.slice.args, more).map_err(|shortage| self.place.full(shortage))?;
        self.slice.args.resize(start + more, 0);
        self.slice.count += self.rows.len();
        for (at, source) in copies.args.iter().enumerate().filter(|_| !self.rows.is_empty()) {
            let into = &mut self.slice.args[start + at..];
            let tables = self.place.tables();
            let word = match *source {
                Source::Register(reg) => self.regs[reg as usize],
                Source::Outer { row, table, column } => {
                    tables[table].columns[column].get(self.regs[row as usize] as u32)
                }
                Source::Column(column) => {
                    tables[level.table].columns[column].gather(&self.rows, into, step);
                    continue;
                }
            };
            into.iter_mut().step_by(step).for_each(|to| *to = word);
        }
        Ok(())
    }

    /// Collects the rows of a list, from `row` on, that may be the last partner.
    fn collect(&mut self, occurrence: &'a OccurrenceCode, mut row: u32) -> Result<(), Halt> {
        let level = &occurrence.levels[occurrence.levels.len() - 1];
        let table = &self.place.tables()[level.table];
        let index = &table.indexes[level.index];
        self.rows.clear();
        if level.distinct.is_empty() && table.all_older(level.index, self.active.id) {
            while row != NONE {
                self.rows.push(row);
                row = index.next(row);
            }
        } else {
            while row != NONE {
                let is_same = |&r: &u32| self.regs[r as usize] == u64::from(row);
                if table.ids.get(row) < self.active.id && !level.distinct.iter().any(is_same) {
                    self.rows.push(row);
                }
                row = index.next(row);
            }
        }
        match self.patience.checked_sub(self.rows.len() as u32) {
            Some(left) => self.patience = left,
            None => {
                self.counts.tried += self.rows.len() as u64 - u64::from(self.patience);
                self.patience = 0;
                self.look()?;
            }
        }
        Ok(())
    }

    /// Counts firings of a rule.
    #[inline]
    fn count(&mut self, rule: RuleId, firings: u64) -> Result<(), Halt> {
        if firings > 0 {
            self.counts.firings += firings;
            self.counts.last = Some(rule);
            self.counts.fired[rule.index()] += firings;
        }
        if self.counts.firings > self.setting.steps { Err(Halt::General) } else { Ok(()) }
    }

    /// Hands over the constraints of the slice.
    fn empty_slice(&mut self) -> Result<(), Halt> {
        let Slice { table, args, count } = &mut self.slice;
        if *count == 0 {
            return Ok(());
        }
        let added = self.place.add(*table, args, *count);
        args.clear();
        *count = 0;
        added
    }

    /// Runs the body of an instance, whose values are in the registers.
    #[inline]
    fn fire(&mut self, occurrence: &OccurrenceCode) -> Result<(), Halt> {
        self.count(occurrence.rule, 1)?;
        self.empty_slice()?;
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
            self.place.add(call.constraint.index(), &self.args, 1)?;
            pc = at + 1;
        }
    }

    #[inline]
    fn tick(&mut self) -> Result<(), Halt> {
        if self.patience == 0 {
            return self.look();
        }
        self.patience -= 1;
        Ok(())
    }

    /// Looks whether the run must stop.
    #[inline(never)]
    fn look(&mut self) -> Result<(), Halt> {
        self.counts.tried += u64::from(PATIENCE - self.patience);
        self.patience = PATIENCE;
        self.place.account();
        if self.setting.watch.calls() { Err(Halt::Watch) } else { Ok(()) }
    }
}
