//! Rounds all of whose instances fire where they are found, and whose new constraints can be stored at once: nothing that instances look
//! at changes by that. On one thread there is nothing to write down then: neither candidates nor what bodies add.
//!
//! What goes otherwise than expected (an instance that fails, a limit of steps) is left to the general round, from the same store.

use super::seek::PATIENCE;
use crate::exec::code::{Call, Ins, Level, OccurrenceCode};
use crate::exec::index::NONE;
use crate::exec::machine::Stop;
use crate::exec::round::state::{Added, RoundsState, load_active};
use crate::exec::round::strategy::{Copies, DirectRound, Group, Shape, Source, Strategy};
use crate::exec::round::watch::Watch;
use crate::exec::search::{Found, Search};
use crate::exec::step::{EvalCtx, Flow, Trap};
use gchr_base::ids::Id;
use gchr_base::memory;
use gchr_base::rule::{Role, RuleId};

/// What a round did.
pub(super) struct Done {
    /// The constraints that it has put into the store, in the order of their ids; some may have been removed since.
    pub(super) added: Vec<Added>,
    pub(super) firings: u64,
    pub(super) last: Option<RuleId>,
    /// Firings by rule.
    pub(super) fired: Vec<u64>,
    /// Rows looked at.
    pub(super) tried: u64,
}

/// Why a round was not done.
enum Halt {
    /// It is one for the general rounds.
    General,
    /// The run must stop.
    Watch,
    /// The store cannot take a constraint.
    Full(Stop),
}

impl From<Trap> for Halt {
    fn from(_: Trap) -> Self {
        Halt::General
    }
}

/// A round at work.
struct Direct<'w, 'a, 'c> {
    state: &'w mut RoundsState<'a, 'c>,
    strategy: &'w Strategy,
    regs: &'w mut [u64],
    watch: Watch<'c>,
    /// Whether the order of instances cannot be told.
    any_order: bool,
    active: Added,
    done: Done,
    /// Firings that the limit of steps leaves.
    steps: u64,
    patience: u32,
    /// Rows of partners of one list.
    rows: Vec<u32>,
    args: Vec<u64>,
    slice: Slice,
}

/// Constraints of one table that bodies have added and that are not in the store yet, one behind the other. They are looked up
/// together, so that the memory's answers overlap.
#[derive(Default)]
struct Slice {
    table: usize,
    args: Vec<u64>,
}

/// Words of a slice: no more than stay in the nearest cache.
const SLICE: usize = 1 << 10;

/// Does a round that starts from `fresh`. `None`, with the store as it was, when it is one for the general rounds.
pub(super) fn round(
    state: &mut RoundsState<'_, '_>,
    strategy: &Strategy,
    regs: &mut [u64],
    fresh: &[Added],
    DirectRound { any_order }: DirectRound,
    mut added: Vec<Added>,
) -> Result<Option<Done>, Stop> {
    added.clear();
    let mark = state.mark();
    let steps =
        state.control.limits().max_steps.map_or(u64::MAX, |limit| limit.saturating_sub(state.firings));
    let done = Done { added, firings: 0, last: None, fired: vec![0; state.plan.rules.len()], tried: 0 };
    let watch = state.watch();
    let active = Added { table: 0, row: 0, id: 0 };
    let (rows, args, slice) = (Vec::new(), Vec::new(), Slice::default());
    let mut direct = Direct {
        state,
        strategy,
        regs,
        watch,
        any_order,
        active,
        done,
        steps,
        patience: PATIENCE,
        rows,
        args,
        slice,
    };
    let result = fresh.iter().try_for_each(|&active| direct.list(active)).and_then(|()| direct.empty_slice());
    let Direct { mut done, state, patience, .. } = direct;
    done.tried += u64::from(PATIENCE - patience);
    match result {
        Ok(()) => Ok(Some(done)),
        Err(halt) => {
            state.return_to(mark, &done.added)?;
            match halt {
                Halt::General => Ok(None),
                Halt::Watch => Err(state.called()),
                Halt::Full(stop) => Err(state.stop(stop.reason)),
            }
        }
    }
}

impl<'a> Direct<'_, 'a, '_> {
    /// Fires the instances of which a constraint is the newest.
    fn list(&mut self, active: Added) -> Result<(), Halt> {
        self.active = active;
        self.tick()?;
        let strategy = self.strategy;
        for group in &strategy.groups[active.table as usize] {
            load_active(&self.state.tables, self.regs, (active.table as usize, active.row));
            for (&k, copies) in group.occurrences.iter().zip(&group.copies) {
                let occurrence = &self.state.code.activations[active.table as usize].occurrences[k];
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
    fn search(&mut self, occurrence: &'a OccurrenceCode) -> Search<'_, '_, &mut gchr_base::value::Heap> {
        let RoundsState { code, program, tables, heap, .. } = &mut *self.state;
        Search {
            ctx: EvalCtx { code, signature: &program.signature, tables, heap },
            regs: self.regs,
            occurrence,
            active: self.active.id,
            patience: &mut self.patience,
        }
    }

    /// The first row to try for the first partner: one that is older than the constraint at hand where they share a list.
    fn first(&mut self, occurrence: &'a OccurrenceCode) -> Result<u32, Halt> {
        let level = &occurrence.levels[0];
        let row = self.search(occurrence).first(level)?;
        let own = (level.table == self.active.table as usize).then_some(self.active);
        Ok(self.state.tables[level.table].behind(level.index, row, own))
    }

    fn pairs(
        &mut self,
        group: &Group,
        occurrence: &'a OccurrenceCode,
        copies: Option<&Copies>,
    ) -> Result<(), Halt> {
        let level = &occurrence.levels[0];
        let partner = occurrence.level_of_head.iter().position(Option::is_some).unwrap_or(0);
        let oldest_first = self.state.plan.rules[group.rule].heads[partner].role == Role::Kept;
        let mut row = self.first(occurrence)?;
        if let Some(copies) = copies {
            return self.copy(occurrence, copies, row, oldest_first && !self.any_order);
        }
        if self.any_order || !oldest_first {
            while row != NONE {
                self.try_row(occurrence, level, row)?;
                row = self.state.tables[level.table].indexes[level.index].next(row);
            }
        } else if self.state.tables[level.table].indexes[level.index].is_all() {
            row = self.state.tables[level.table].indexes[level.index].last();
            while row != NONE && self.state.tables[level.table].ids.get(row) < self.active.id {
                self.try_row(occurrence, level, row)?;
                row = self.state.tables[level.table].indexes[level.index].newer(row);
            }
        } else {
            let mut rows = std::mem::take(&mut self.rows);
            rows.clear();
            while row != NONE {
                rows.push(row);
                row = self.state.tables[level.table].indexes[level.index].next(row);
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
        if table.ids.get(row) < search.active && search.fits(level, table, row)? && search.commit()? {
            self.fire(occurrence)?;
        }
        Ok(())
    }

    /// Fires with any number of partners, in the order in which they are found.
    fn nested(&mut self, occurrence: &'a OccurrenceCode, copies: Option<&Copies>) -> Result<(), Halt> {
        load_active(&self.state.tables, self.regs, (self.active.table as usize, self.active.row));
        let (mut k, mut row) = (0, self.first(occurrence)?);
        let depth = occurrence.levels.len() - usize::from(copies.is_some());
        let last = depth - 1;
        loop {
            match self.search(occurrence).find_to(depth, k, row)? {
                Found::Nothing => return Ok(()),
                Found::Pause(at, on) => {
                    self.look()?;
                    (k, row) = (at, on);
                }
                Found::Match => {
                    match copies {
                        Some(copies) => {
                            let row = self.search(occurrence).first(&occurrence.levels[depth])?;
                            self.copy(occurrence, copies, row, false)?;
                        }
                        None => self.fire(occurrence)?,
                    }
                    let level = &occurrence.levels[last];
                    let on = self.regs[level.row as usize] as u32;
                    (k, row) = (last, self.state.tables[level.table].indexes[level.index].next(on));
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
        memory::reserve(&mut self.slice.args, more).map_err(|shortage| self.full(shortage))?;
        self.slice.args.resize(start + more, 0);
        for (at, source) in copies.args.iter().enumerate().filter(|_| !self.rows.is_empty()) {
            let into = &mut self.slice.args[start + at..];
            match *source {
                Source::Register(reg) => {
                    let word = self.regs[reg as usize];
                    into.iter_mut().step_by(step).for_each(|to| *to = word);
                }
                Source::Column(column) => {
                    self.state.tables[level.table].columns[column].gather(&self.rows, into, step);
                }
            }
        }
        Ok(())
    }

    /// Collects the rows of a list, from `row` on, that may be the last partner.
    fn collect(&mut self, occurrence: &'a OccurrenceCode, mut row: u32) -> Result<(), Halt> {
        let level = &occurrence.levels[occurrence.levels.len() - 1];
        let table = &self.state.tables[level.table];
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
            None => self.look()?,
        }
        Ok(())
    }

    /// Counts firings of a rule.
    #[inline]
    fn count(&mut self, rule: RuleId, firings: u64) -> Result<(), Halt> {
        if firings > 0 {
            self.done.firings += firings;
            self.done.last = Some(rule);
            self.done.fired[rule.index()] += firings;
        }
        if self.done.firings > self.steps { Err(Halt::General) } else { Ok(()) }
    }

    /// Puts the constraints of the slice into the store.
    fn empty_slice(&mut self) -> Result<(), Halt> {
        if self.slice.args.is_empty() {
            return Ok(());
        }
        let Slice { table, args } = &mut self.slice;
        let added = self.state.add_slice(*table, args, &mut self.done.added);
        args.clear();
        added.map_err(Halt::Full)
    }

    fn full(&self, shortage: memory::Shortage) -> Halt {
        Halt::Full(self.state.stop(shortage.of("the constraints that a round adds")))
    }

    /// Runs the body of an instance, whose values are in the registers.
    #[inline]
    fn fire(&mut self, occurrence: &OccurrenceCode) -> Result<(), Halt> {
        self.count(occurrence.rule, 1)?;
        self.empty_slice()?;
        let Some(mut pc) = occurrence.body else { return Ok(()) };
        loop {
            let RoundsState { code, program, tables, heap, .. } = &mut *self.state;
            let mut ctx = EvalCtx { code, signature: &program.signature, tables, heap };
            let at = match ctx.run(self.regs, pc)? {
                Flow::Done => return Ok(()),
                Flow::Failed(_) => return Err(Halt::General),
                Flow::Effect(at) => at,
            };
            let (Ins::Call { call } | Ins::CallLast { call }) = self.state.code.ins[at as usize] else {
                return Err(Halt::General);
            };
            let code = self.state.code;
            self.add(&code.calls[call as usize])?;
            pc = at + 1;
        }
    }

    #[inline]
    fn add(&mut self, call: &Call) -> Result<(), Halt> {
        self.args.clear();
        self.args.extend(call.args.iter().map(|&r| self.regs[r as usize]));
        let added = self.state.add(call.constraint.index(), &self.args).map_err(Halt::Full)?;
        if let Some(added) = added {
            memory::reserve(&mut self.done.added, 1).map_err(|shortage| self.full(shortage))?;
            self.done.added.push(added);
        }
        Ok(())
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
        self.done.tried += u64::from(PATIENCE - self.patience);
        self.patience = PATIENCE;
        if self.watch.calls() { Err(Halt::Watch) } else { Ok(()) }
    }
}
