//! The lists of constraints: for each the instances of which it is the newest, in order, up to the first that removes
//! it.
//!
//! Every constraint is looked at by one thread, and what it finds depends on the store at the start of the round alone.

use std::sync::atomic::Ordering;

use super::found::{Abort, Candidate, Entry, Found, KeptCandidates, Pending, State};
use crate::exec::added::Added;
use crate::exec::code::{Code, OccurrenceCode, Pc};
use crate::exec::errors::ErrorFormatter;
use crate::exec::index::NONE;
use crate::exec::round::Failure;
use crate::exec::round::bodies::{BodyEnd, is_hidden, is_of_program, load_active, run_body};
use crate::exec::round::numbers::Numbers;
use crate::exec::round::strategy::{Group, Shape, Strategy, rank, row_of_head, table_of_head};
use crate::exec::round::watch::RoundWatch;
use crate::exec::search::{Search, Searched};
use crate::exec::step::{Cells, EvalCtx, Trap, TrapKind};
use crate::exec::table::Table;
use crate::ir::ChrPlan;
use gchr_base::error::StopReason;
use gchr_base::memory;
use gchr_base::rule::{Program, Role, RuleId};

/// Rows tried between two looks at the watch.
pub(super) const POLL_INTERVAL: u32 = 1 << 16;

/// What all threads read.
#[derive(Clone, Copy)]
pub(crate) struct Shared<'w> {
    pub(crate) program: &'w Program,
    pub(crate) plan: &'w ChrPlan,
    pub(crate) code: &'w Code,
    pub(crate) tables: &'w [Table],
    pub(crate) strategy: &'w Strategy,
    pub(crate) pending: &'w [Pending],
    pub(crate) kept: &'w KeptCandidates,
    pub(crate) watch: &'w RoundWatch<'w>,
    pub(crate) numbers: Numbers,
}

/// A thread at work.
pub(crate) struct Seeker<'w, 'o, H> {
    shared: Shared<'w>,
    heap: H,
    regs: Vec<u64>,
    out: &'o mut Found,
    until_poll: u32,
    bytes: u64,
    /// The pending constraint at hand.
    n: u32,
    active: Added,
    /// Rank of the instance at hand.
    key: Vec<u64>,
    instances: Vec<SortedInstance>,
    /// Where the adds of instances that fired begin.
    starts: Vec<u32>,
}

/// An instance on its way into a list that must be sorted.
struct SortedInstance {
    key: Box<[u64]>,
    k: usize,
    rows: Box<[u32]>,
    /// Why it fails, if it does.
    failure: Option<(StopReason, Pc)>,
    /// Which of the parts between [`Seeker::starts`] is what it adds.
    part: usize,
}

/// What is known of an instance whose constraints fit.
enum Guard {
    Holds,
    Not,
    Fails(Trap),
}

impl<'w, 'o, H: Cells> Seeker<'w, 'o, H> {
    pub(crate) fn new(shared: Shared<'w>, heap: H, regs: Vec<u64>, out: &'o mut Found) -> Self {
        let active = Added { table: 0, row: 0, id: 0 };
        let (key, instances, starts) = (Vec::new(), Vec::new(), Vec::new());
        Self {
            shared,
            heap,
            regs,
            out,
            until_poll: POLL_INTERVAL,
            bytes: 0,
            n: 0,
            active,
            key,
            instances,
            starts,
        }
    }

    /// The registers, to be used again.
    pub(crate) fn into_registers(self) -> Vec<u64> {
        self.regs
    }

    /// Finds the list of a pending constraint.
    pub(crate) fn list(&mut self, n: usize) -> Result<(), Abort> {
        let pending = &self.shared.pending[n];
        (self.n, self.active) = (self.shared.numbers.of(n)?, pending.added);
        self.tick(1)?;
        let code = self.shared.code;
        let occurrences = &code.activations[pending.added.table as usize].occurrences;
        for at in pending.kept.0..pending.kept.1 {
            let (k, rows) = self.shared.kept.instances[at as usize];
            let occurrence = &occurrences[k as usize];
            let rows = &self.shared.kept.rows[rows as usize..rows as usize + occurrence.levels.len()];
            self.tick(1)?;
            self.push(k as usize, rows)?;
            if occurrence.removes_active {
                return Ok(());
            }
        }
        let ended = match &pending.state {
            State::Done => return Ok(()),
            State::Fresh => self.explore(None)?,
            State::Cut(rule, key) => self.explore(Some((*rule, key)))?,
        };
        match ended {
            Some(rule) => self.out.states.push((self.n, State::Cut(rule, self.key.as_slice().into()))),
            None if pending.state != State::Fresh => self.out.states.push((self.n, State::Done)),
            None => {}
        }
        Ok(())
    }

    /// Finds instances behind a place. Says at which rule the list ended; the rank is in `key`.
    fn explore(&mut self, behind: Option<(RuleId, &[u64])>) -> Result<Option<RuleId>, Abort> {
        let shared = self.shared;
        for group in &shared.strategy.groups[self.active.table as usize] {
            let behind = match behind {
                Some((rule, _)) if group.rule < rule => continue,
                Some((rule, key)) if group.rule == rule => Some(key),
                _ => None,
            };
            load_active(shared.tables, &mut self.regs, (self.active.table as usize, self.active.row));
            let ended = match group.shape {
                Shape::Alone => self.alone(group, behind)?,
                Shape::Pairs => self.pairs(group, behind)?,
                Shape::Any => self.sorted(group, behind)?,
            };
            if !self.starts.is_empty() {
                let number = |position| self.shared.numbers.of(position);
                let (adds_end, firings) = (number(self.out.adds.len())?, number(self.starts.len())?);
                self.out.entries.push(Entry::Fired { rule: group.rule, adds_end, firings });
                self.starts.clear();
            }
            if ended {
                return Ok(Some(group.rule));
            }
        }
        Ok(None)
    }

    fn occurrence(&self, k: usize) -> &'w OccurrenceCode {
        &self.shared.code.activations[self.active.table as usize].occurrences[k]
    }

    fn search<'s>(&'s mut self, occurrence: &'w OccurrenceCode) -> Search<'s, 's, &'s mut H>
    where
        'w: 's,
    {
        Search {
            ctx: EvalCtx {
                code: self.shared.code,
                signature: &self.shared.program.signature,
                tables: self.shared.tables,
                heap: &mut self.heap,
            },
            regs: &mut self.regs,
            occurrence,
            active: self.active.id,
            until_poll: &mut self.until_poll,
        }
    }

    /// The first row to try for the first partner.
    fn first(&mut self, occurrence: &'w OccurrenceCode) -> Result<u32, Abort> {
        let level = &occurrence.levels[0];
        let row = self.search(occurrence).first(level).map_err(|t| self.abort(t))?;
        let own = (level.table == self.active.table as usize).then_some(self.active);
        Ok(self.shared.tables[level.table].behind(level.index, row, own))
    }

    fn alone(&mut self, group: &Group, behind: Option<&[u64]>) -> Result<bool, Abort> {
        debug_assert!(behind.is_none(), "there is but one instance");
        let k = group.occurrences[0];
        let occurrence = self.occurrence(k);
        self.tick(1)?;
        if !self.enters(occurrence)? {
            return Ok(false);
        }
        match self.guard(occurrence)? {
            Guard::Not => Ok(false),
            Guard::Holds => self.accept(group, k, &[]),
            Guard::Fails(trap) => self.failing(group.rule, occurrence, &[], trap),
        }
    }

    /// One partner: rows come in the order of rank, or in reverse.
    fn pairs(&mut self, group: &Group, behind: Option<&[u64]>) -> Result<bool, Abort> {
        for &k in &group.occurrences {
            let occurrence = self.occurrence(k);
            if !self.enters(occurrence)? {
                continue;
            }
            let level = &occurrence.levels[0];
            let mut row = self.first(occurrence)?;
            let table = &self.shared.tables[level.table];
            let index = &table.indexes[level.index];
            let partner = occurrence.level_of_head.iter().position(Option::is_some).unwrap_or(0);
            let oldest_first = self.shared.plan.rules[group.rule].heads[partner].role == Role::Kept;
            let backwards = oldest_first && index.is_all();
            if backwards {
                row = index.last();
            }
            let in_order = backwards || !oldest_first;
            let (candidates, starts) = (self.out.candidates.len(), self.starts.len());
            let mut last = None;
            while row != NONE {
                self.tick(1)?;
                if table.ids.get(row) < self.active.id {
                    let fits = self.search(occurrence).fits(level, table, row);
                    if fits.map_err(|t| self.abort(t))? {
                        let guard = self.guard(occurrence)?;
                        if !matches!(guard, Guard::Not)
                            && self.is_behind(group.rule, occurrence, &[row], behind)
                        {
                            match guard {
                                Guard::Fails(trap) if in_order => {
                                    return self.failing(group.rule, occurrence, &[row], trap);
                                }
                                Guard::Holds if in_order || !occurrence.removes_active => {
                                    if self.accept(group, k, &[row])? {
                                        return Ok(true);
                                    }
                                }
                                guard => last = Some((row, guard)),
                            }
                        }
                    }
                } else if backwards {
                    break;
                }
                row = if backwards { index.newer(row) } else { index.next(row) };
            }
            match last {
                Some((row, Guard::Fails(trap))) => return self.failing_again(group.rule, k, row, trap),
                Some((row, _)) => return self.accept(group, k, &[row]),
                None if !in_order => self.reverse(candidates, starts),
                None => {}
            }
        }
        Ok(false)
    }

    /// Puts what was found since in reverse order.
    fn reverse(&mut self, candidates: usize, starts: usize) {
        self.out.candidates[candidates..].reverse();
        let parts = &self.starts[starts..];
        if parts.len() > 1 {
            self.out.adds.reorder(parts, (0..parts.len()).rev());
        }
    }

    /// Any number of partners: all instances are found, then sorted.
    fn sorted(&mut self, group: &Group, behind: Option<&[u64]>) -> Result<bool, Abort> {
        let mut instances = std::mem::take(&mut self.instances);
        // Of the instances that end the list, the first; what comes behind it is not kept.
        let mut end: Option<Box<[u64]>> = None;
        for &k in &group.occurrences {
            let occurrence = self.occurrence(k);
            load_active(self.shared.tables, &mut self.regs, (self.active.table as usize, self.active.row));
            if !self.enters(occurrence)? {
                continue;
            }
            let (mut level, mut row) = (0, self.first(occurrence)?);
            loop {
                let failure = match self.search(occurrence).find(level, row) {
                    Ok(Searched::Nothing) => break,
                    Ok(Searched::Pause(at, on)) => {
                        self.look()?;
                        (level, row) = (at, on);
                        continue;
                    }
                    Ok(Searched::Match) => None,
                    Err(trap) if is_of_program(trap) => Some(trap),
                    Err(trap) => return Err(self.abort(trap)),
                };
                level = occurrence.levels.len() - 1;
                let rows: Box<[u32]> =
                    occurrence.levels.iter().map(|l| self.regs[l.row as usize] as u32).collect();
                let last = &occurrence.levels[level];
                row = self.shared.tables[last.table].indexes[last.index].next(rows[level]);
                if !self.is_behind(group.rule, occurrence, &rows, behind)
                    || end.as_deref().is_some_and(|end| self.key.as_slice() > end)
                    || failure.is_some() && self.hidden(occurrence)
                {
                    continue;
                }
                self.bytes += 64 + 16 * rows.len() as u64;
                let key: Box<[u64]> = self.key.as_slice().into();
                if failure.is_some() || occurrence.removes_active {
                    end = Some(key.clone());
                }
                let failure = failure.map(|trap| (self.error_formatter().reason(&self.regs, trap), trap.pc));
                let part = self.starts.len();
                if group.immediate && failure.is_none() {
                    self.fire(group.rule, occurrence, &rows)?;
                }
                instances.push(SortedInstance { key, k, rows, failure, part });
            }
        }
        instances.sort_unstable_by(|a, b| a.key.cmp(&b.key));
        let ended = self.take_sorted(group, &mut instances)?;
        instances.clear();
        self.instances = instances;
        Ok(ended)
    }

    fn take_sorted(&mut self, group: &Group, instances: &mut Vec<SortedInstance>) -> Result<bool, Abort> {
        if group.immediate {
            let order = instances.iter().filter(|i| i.failure.is_none()).map(|i| i.part);
            let order: Vec<usize> = order.collect();
            self.out.adds.reorder(&self.starts, order.into_iter());
        }
        for instance in instances {
            self.key.clear();
            self.key.extend_from_slice(&instance.key);
            if let Some((reason, pc)) = instance.failure.take() {
                let place = (false, self.active.id, group.rule, instance.key.clone());
                self.out.fail(Failure { place, reason, pc });
                return Ok(true);
            }
            if !group.immediate {
                self.push(instance.k, &instance.rows)?;
            }
            if self.occurrence(instance.k).removes_active {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether the newest constraint alone fits.
    fn enters(&mut self, occurrence: &'w OccurrenceCode) -> Result<bool, Abort> {
        if occurrence.entry.is_none() && occurrence.entry_prunes.is_empty() {
            return Ok(true);
        }
        let enters = self.search(occurrence).entry();
        enters.map_err(|t| self.abort(t))
    }

    /// The conditions that decide last.
    #[inline]
    fn guard(&mut self, occurrence: &'w OccurrenceCode) -> Result<Guard, Abort> {
        if occurrence.commit.is_none() {
            return Ok(Guard::Holds);
        }
        match self.search(occurrence).commit() {
            Ok(true) => Ok(Guard::Holds),
            Ok(false) => Ok(Guard::Not),
            Err(trap) if is_of_program(trap) => {
                Ok(if self.hidden(occurrence) { Guard::Not } else { Guard::Fails(trap) })
            }
            Err(trap) => Err(self.abort(trap)),
        }
    }

    fn hidden(&mut self, occurrence: &'w OccurrenceCode) -> bool {
        let Search { mut ctx, regs, .. } = self.search(occurrence);
        is_hidden(&mut ctx, regs, occurrence)
    }

    /// A member of the list. Says whether the list ends with it.
    fn accept(&mut self, group: &Group, k: usize, rows: &[u32]) -> Result<bool, Abort> {
        let occurrence = self.occurrence(k);
        if group.immediate {
            self.fire(group.rule, occurrence, rows)?;
            return Ok(false);
        }
        self.push(k, rows)?;
        if occurrence.removes_active {
            self.rank(group.rule, occurrence, rows);
        }
        Ok(occurrence.removes_active)
    }

    fn push(&mut self, k: usize, rows: &[u32]) -> Result<(), Abort> {
        self.bytes += 24 + 4 * rows.len() as u64;
        let Found { rows: all, candidates, entries, .. } = &mut *self.out;
        let room = memory::reserve(all, rows.len())
            .and_then(|()| memory::reserve(candidates, 1))
            .and_then(|()| memory::reserve(entries, 1));
        room.map_err(Abort::NoMemory)?;
        let at = self.shared.numbers.of(self.out.rows.len())?;
        self.out.rows.extend_from_slice(rows);
        self.out.candidates.push(Candidate { n: self.n, k: k as u32, rows: at });
        self.out.entries.push(Entry::Candidate);
        Ok(())
    }

    /// Runs the body of an instance that nothing can block, with its values in the registers.
    #[inline]
    fn fire(&mut self, rule: RuleId, occurrence: &'w OccurrenceCode, rows: &[u32]) -> Result<(), Abort> {
        self.starts.push(self.shared.numbers.of(self.out.adds.len())?);
        let Some(pc) = occurrence.body else { return Ok(()) };
        let before = self.out.adds.len();
        let mut ctx = EvalCtx {
            code: self.shared.code,
            signature: &self.shared.program.signature,
            tables: self.shared.tables,
            heap: &mut self.heap,
        };
        let end = run_body(&mut ctx, &mut self.regs, pc, &mut self.out.adds);
        self.bytes += (self.out.adds.len() - before) as u64 * 8;
        let (reason, pc) = match end {
            BodyEnd::Done => return Ok(()),
            BodyEnd::Failed(pc) => (StopReason::Failed, pc),
            BodyEnd::Trapped(trap) if is_of_program(trap) => {
                (self.error_formatter().reason(&self.regs, trap), trap.pc)
            }
            BodyEnd::Trapped(trap) => return Err(self.abort(trap)),
        };
        self.rank(rule, occurrence, rows);
        let place = (true, self.active.id, rule, self.key.as_slice().into());
        self.out.fail(Failure { place, reason, pc });
        Ok(())
    }

    /// A failing instance ends the list.
    fn failing(
        &mut self,
        rule: RuleId,
        occurrence: &OccurrenceCode,
        rows: &[u32],
        trap: Trap,
    ) -> Result<bool, Abort> {
        let reason = self.error_formatter().reason(&self.regs, trap);
        self.rank(rule, occurrence, rows);
        let place = (false, self.active.id, rule, self.key.as_slice().into());
        self.out.fail(Failure { place, reason, pc: trap.pc });
        Ok(true)
    }

    /// The same when other rows were tried since.
    fn failing_again(&mut self, rule: RuleId, k: usize, row: u32, trap: Trap) -> Result<bool, Abort> {
        let occurrence = self.occurrence(k);
        let level = &occurrence.levels[0];
        let table = &self.shared.tables[level.table];
        let fits = self.search(occurrence).fits(level, table, row);
        fits.map_err(|t| self.abort(t))?;
        let again = self.search(occurrence).commit();
        let trap = again.err().unwrap_or(trap);
        self.failing(rule, occurrence, &[row], trap)
    }

    /// Computes the rank of an instance; whether it is behind a place.
    fn is_behind(
        &mut self,
        rule: RuleId,
        occurrence: &OccurrenceCode,
        rows: &[u32],
        behind: Option<&[u64]>,
    ) -> bool {
        if occurrence.levels.len() > 1 || behind.is_some() {
            self.rank(rule, occurrence, rows);
        }
        behind.is_none_or(|place| self.key.as_slice() > place)
    }

    fn rank(&mut self, rule: RuleId, occurrence: &OccurrenceCode, rows: &[u32]) {
        let Shared { plan, tables, .. } = self.shared;
        let id = |head: usize| {
            let row = row_of_head(occurrence, head, self.active.row, rows);
            tables[table_of_head(plan, rule, head)].ids.get(row)
        };
        rank(plan, rule, id, &mut self.key);
    }

    #[inline]
    fn tick(&mut self, rows: u32) -> Result<(), Abort> {
        if self.until_poll < rows {
            return self.look();
        }
        self.until_poll -= rows;
        Ok(())
    }

    /// Looks whether the run must stop.
    #[inline(never)]
    fn look(&mut self) -> Result<(), Abort> {
        self.out.tried += u64::from(POLL_INTERVAL - self.until_poll);
        self.until_poll = POLL_INTERVAL;
        self.shared.watch.taken.fetch_add(std::mem::take(&mut self.bytes), Ordering::Relaxed);
        if self.shared.watch.calls() { Err(Abort::Watch) } else { Ok(()) }
    }

    /// To be called when all is found.
    pub(crate) fn finish(&mut self) {
        self.out.tried += u64::from(POLL_INTERVAL - self.until_poll);
        self.until_poll = POLL_INTERVAL;
    }

    fn abort(&self, trap: Trap) -> Abort {
        match trap.kind {
            TrapKind::Shared => Abort::Alone,
            _ => Abort::Stop(self.error_formatter().reason(&self.regs, trap), trap.pc),
        }
    }

    fn error_formatter(&self) -> ErrorFormatter<'_> {
        let Shared { program, plan, code, .. } = self.shared;
        ErrorFormatter { signature: &program.signature, plan, code, heap: self.heap.heap() }
    }
}
