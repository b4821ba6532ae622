//! A round on any number of threads: lists, claims, bodies, then the store. What threads find is put together in body
//! order, so that their number shows nowhere.

use rayon::prelude::*;

use super::CHUNK;
use super::bodies::Bodies;
use super::claims::{Claims, Round};
use super::direct::{self, frames::Vectors, place::ThreadPart};
use super::found::{Abort, Entry, Found, KeptCandidates, Pending, State};
use super::seek::{Seeker, Shared};
use crate::class::replacement::execute::Replacements;
use crate::exec::added::AddedRuns;
use crate::exec::code::{Code, Level, Pc};
use crate::exec::common::Stop;
use crate::exec::round::Failure;
use crate::exec::round::state::{RoundsState, is_live};
use crate::exec::round::strategy::{DirectRound, Strategy, rank, row_of_head, table_of_head};
use crate::exec::table::Table;
use crate::ir::ChrPlan;
use gchr_base::error::StopReason;
use gchr_base::memory;
use gchr_base::rule::RuleId;

/// The executor.
pub(super) struct Engine<'a, 'c> {
    pub(super) state: RoundsState<'a, 'c>,
    strategy: Strategy,
    /// Constraints that a batch or the last round has added.
    fresh: AddedRuns,
    /// A list for those of the next round.
    spare: AddedRuns,
    /// Constraints whose lists the round at hand has to find.
    pub(super) pending: Vec<Pending>,
    pub(super) kept: KeptCandidates,
    claims: Claims,
    pub(super) replacements: Replacements<'a>,
    /// Buffers of threads, used again.
    parts: Vec<ThreadPart>,
    vectors: Vectors,
    pub(super) found: Vec<Found>,
    pub(super) regs: Vec<u64>,
    pub(super) registers: usize,
    pub(super) fires: Vec<bool>,
    pub(super) bodies: Vec<Bodies>,
    pub(super) fired: Vec<u32>,
    pub(super) threads: usize,
    /// Terms were built while lists were made, or in bodies: one thread does that.
    pub(super) alone: [bool; 2],
}

/// A round that was done.
pub(super) struct Performed {
    /// Whether it had candidates.
    pub(super) active: bool,
    /// The constraints that it has put into the store; some may have been removed since.
    pub(super) added: AddedRuns,
}

impl<'a, 'c> Engine<'a, 'c> {
    pub(super) fn new(state: RoundsState<'a, 'c>) -> Self {
        let strategy =
            Strategy::new(&state.program.signature, state.plan, state.code, state.control.sees_firings());
        let registers = state.code.activations.iter().map(|a| a.registers).max().unwrap_or(0);
        let threads = rayon::current_num_threads();
        Self {
            replacements: Replacements::new(state.plan, state.code),
            state,
            alone: [false; 2],
            strategy,
            fresh: AddedRuns::default(),
            spare: AddedRuns::default(),
            pending: Vec::new(),
            kept: KeptCandidates::default(),
            claims: Claims::default(),
            parts: Vec::new(),
            vectors: Vectors::default(),
            found: Vec::new(),
            regs: vec![0; registers],
            registers,
            fires: Vec::new(),
            bodies: Vec::new(),
            fired: Vec::new(),
            threads,
        }
    }

    /// Goes on with a store that earlier runs left, in which nothing is to be done.
    pub(super) fn go_on(&mut self) {
        self.replacements.go_on(&self.state.tables);
    }

    /// Runs rounds until there is nothing to do.
    pub(super) fn saturate(&mut self, added: AddedRuns) -> Result<(), Stop> {
        self.state.release();
        self.queue(added)?;
        loop {
            self.state.look_up()?;
            if self.is_idle() {
                return Ok(());
            }
            let Performed { added, .. } = self.perform()?;
            self.queue(added)?;
        }
    }

    /// Whether there is nothing to do.
    pub(super) fn is_idle(&self) -> bool {
        self.pending.is_empty() && self.fresh.is_empty() && !self.replacements.is_pending()
    }

    /// One round, which counts if it has candidates. What it adds is to be [queued](Self::queue).
    pub(super) fn perform(&mut self) -> Result<Performed, Stop> {
        self.state.rounds += 1;
        let performed = self.round();
        if !matches!(performed, Ok(Performed { active: true, .. })) {
            self.state.rounds -= 1;
        }
        let performed = performed?;
        self.write()?;
        self.state.collect()?;
        self.state.report_round();
        Ok(performed)
    }

    /// Writes what the bodies of the round have written.
    fn write(&mut self) -> Result<(), Stop> {
        let Self { state, bodies, .. } = self;
        bodies.iter_mut().flat_map(|b| b.adds.written.drain(..)).try_for_each(|written| state.write(written))
    }

    /// Lets the next round start from constraints that a batch or a round has added.
    pub(super) fn queue(&mut self, added: AddedRuns) -> Result<(), Stop> {
        let Self { state, replacements, strategy, fresh, .. } = &mut *self;
        fresh.clear();
        for run in added.runs() {
            let table = run.first.table as usize;
            let starts = !strategy.groups[table].is_empty();
            let one_by_one = replacements.notes(table) || starts && !state.tables[table].keeps_rows();
            let room = fresh.reserve(if one_by_one { run.count as usize } else { 1 });
            room.map_err(|shortage| state.stop(shortage.of("the constraints that a round starts from")))?;
            if !one_by_one {
                if starts {
                    fresh.push_run(run);
                }
                continue;
            }
            for added in run.iter().filter(|added| state.lives(added)) {
                replacements.note(&state.tables, added);
                if starts {
                    fresh.push(added);
                }
            }
        }
        self.spare = added;
        self.state.other_bytes = self.bytes();
        Ok(())
    }

    fn round(&mut self) -> Result<Performed, Stop> {
        let tables = self.link()?;
        if let Some(how) = self.direct(&tables)
            && let Some(performed) = self.direct_round(how)?
        {
            return Ok(performed);
        }
        let fresh = self.fresh.iter().map(|added| Pending { added, state: State::Fresh, kept: (0, 0) });
        self.pending.extend(fresh);
        self.fresh.clear();
        self.general_round()
    }

    /// The tables whose constraints the round starts from, after bringing the indexes up to date in which these look
    /// for partners.
    fn link(&mut self) -> Result<Vec<usize>, Stop> {
        let mut starts = vec![false; self.state.tables.len()];
        self.fresh.runs().for_each(|run| starts[run.first.table as usize] = true);
        self.pending.iter().for_each(|pending| starts[pending.added.table as usize] = true);
        let tables: Vec<usize> = (0..starts.len()).filter(|&table| starts[table]).collect();
        tables.iter().try_for_each(|&table| self.state.link(table))?;
        Ok(tables)
    }

    /// How the round that starts from constraints of these tables is a direct one, if it is.
    fn direct(&self, tables: &[usize]) -> Option<DirectRound> {
        let is_last = self.state.control.limits().max_rounds.is_some_and(|limit| self.state.rounds > limit);
        if is_last || !self.pending.is_empty() || self.replacements.is_pending() {
            return None;
        }
        self.strategy.direct(tables.iter().copied())
    }

    /// A direct round; nothing when it is one for the general rounds after all.
    fn direct_round(&mut self, how: DirectRound) -> Result<Option<Performed>, Stop> {
        let Self { state, strategy, fresh, spare, regs, vectors, threads, parts, .. } = self;
        let alone = &mut self.alone[0];
        let task = direct::Task {
            strategy,
            fresh: fresh.all(),
            how,
            regs,
            vectors,
            threads: *threads,
            alone,
            parts,
        };
        let done = direct::round(state, task, std::mem::take(spare))?;
        let Some(direct::Done { added, counts }) = done else { return Ok(None) };
        state.count_firings(counts.firings, counts.last);
        state.candidates += counts.firings;
        if state.counts_rules() {
            (0..).zip(&counts.fired).for_each(|(rule, &firings)| state.count_rule(RuleId(rule), firings));
            if let Some(recorder) = state.control.recorder() {
                recorder.tried(counts.tried);
            }
        }
        state.look_within(counts.firings)?;
        state.release();
        Ok(Some(Performed { active: counts.firings > 0, added }))
    }

    /// One round whose candidates are written down and checked against each other.
    fn general_round(&mut self) -> Result<Performed, Stop> {
        self.lists()?;
        let (values, failure) = self.replacements.improve(&mut self.state, &mut self.regs)?;
        let candidates: usize = self.found.iter().map(|f| f.candidates.len()).sum();
        let firings: u64 = self.immediate_firings();
        let failures = self.found.iter_mut().filter_map(|f| f.failure.take());
        let failure = failures.chain(failure).min_by(by_place);
        if let Some(failure) = &failure
            && !failure.place.0
        {
            return Err(self.state.stop_at(failure.reason.clone(), failure.pc));
        }
        let active = candidates > 0 || firings > 0 || values > 0;
        if active {
            self.state.check_rounds()?;
        }
        let work = candidates as u64 + firings;
        self.state.look_within(work)?;
        self.decide()?;
        self.state.look_within(work)?;
        let fired = self.fires.iter().filter(|f| **f).count() as u64;
        self.state.check_steps(fired + firings + values)?;
        self.run_bodies(failure)?;
        self.state.look_within(work)?;
        let last = self.last_rule();
        self.state.count_firings(fired + firings + values, last);
        self.state.candidates += candidates as u64 + firings;
        if self.state.counts_rules() {
            self.count_rules();
        }
        self.remove();
        self.replacements.apply(&mut self.state);
        let added = self.store()?;
        self.state.go_on()?;
        self.keep()?;
        self.state.release();
        self.state.go_on()?;
        Ok(Performed { active, added })
    }

    /// Counts what the round fires by rule, and the rows that it looked at.
    fn count_rules(&mut self) {
        let Self { state, pending, found, fired, .. } = self;
        let round = round_of(state.plan, state.code, pending, found);
        let rules: Vec<RuleId> = fired.iter().map(|&number| round.get(number).occurrence.rule).collect();
        rules.into_iter().for_each(|rule| state.count_rule(rule, 1));
        let immediate = found.iter().flat_map(|f| &f.entries);
        for entry in immediate {
            if let Entry::Fired { rule, firings, .. } = entry {
                state.count_rule(*rule, u64::from(*firings));
            }
        }
        let tried = found.iter().map(|f| f.tried).sum();
        if let Some(recorder) = state.control.recorder() {
            recorder.tried(tried);
        }
        self.replacements.count(state);
    }

    fn immediate_firings(&self) -> u64 {
        let firings = |entry: &Entry| match entry {
            Entry::Fired { firings, .. } => u64::from(*firings),
            Entry::Candidate => 0,
        };
        self.found.iter().flat_map(|f| &f.entries).map(firings).sum()
    }

    fn bytes(&self) -> u64 {
        let found: u64 = self.found.iter().map(Found::bytes).sum();
        let kept = self.kept.instances.capacity() * 8 + self.kept.rows.capacity() * 4;
        let pending = self.pending.capacity() * size_of::<Pending>();
        let bodies: u64 = self.bodies.iter().map(|b| b.adds.bytes() + b.ends.capacity() as u64 * 4).sum();
        let parts: u64 = self.parts.iter().map(ThreadPart::bytes).sum();
        let fresh = self.fresh.bytes() + self.spare.bytes();
        found
            + (kept + pending) as u64
            + fresh
            + bodies
            + parts
            + self.claims.bytes()
            + self.replacements.bytes()
    }

    /// Finds the lists of all pending constraints.
    fn lists(&mut self) -> Result<(), Stop> {
        self.state.numbered(self.pending.len())?;
        let parallel = self.threads > 1 && self.pending.len() > CHUNK && !self.alone[0];
        let result = if parallel { self.lists_together() } else { self.lists_alone() };
        match result {
            Err(Abort::Alone) => {
                self.alone[0] = true;
                match self.lists_alone() {
                    Err(abort) => Err(self.aborted(abort)),
                    Ok(()) => Ok(()),
                }
            }
            Err(abort) => Err(self.aborted(abort)),
            Ok(()) => Ok(()),
        }
    }

    fn lists_alone(&mut self) -> Result<(), Abort> {
        self.found.truncate(1);
        if self.found.is_empty() {
            self.found.push(Found::default());
        }
        let Self { state, strategy, pending, kept, found, regs, .. } = self;
        let watch = state.watch();
        let RoundsState { program, plan, code, tables, heap, numbers, .. } = state;
        let shared =
            Shared { program, plan, code, tables, strategy, pending, kept, watch: &watch, numbers: *numbers };
        found[0].clear();
        let mut seeker = Seeker::new(shared, heap, std::mem::take(regs), &mut found[0]);
        let result = (0..pending.len()).try_for_each(|n| seeker.list(n));
        seeker.finish();
        *regs = seeker.into_registers();
        result
    }

    fn lists_together(&mut self) -> Result<(), Abort> {
        let size = self.pending.len().div_ceil(self.threads * 8).max(CHUNK / 4);
        let chunks = self.pending.len().div_ceil(size);
        self.found.resize_with(chunks, Found::default);
        let Self { state, strategy, pending, kept, found, registers, .. } = self;
        let watch = state.watch();
        let RoundsState { program, plan, code, tables, heap, numbers, .. } = state;
        let shared =
            Shared { program, plan, code, tables, strategy, pending, kept, watch: &watch, numbers: *numbers };
        let heap = &*heap;
        found.par_iter_mut().enumerate().try_for_each(|(chunk, found)| {
            found.clear();
            if watch.calls() {
                return Err(Abort::Watch);
            }
            let mut seeker = Seeker::new(shared, heap, vec![0; *registers], found);
            let end = pending.len().min((chunk + 1) * size);
            let result = (chunk * size..end).try_for_each(|n| seeker.list(n));
            seeker.finish();
            result
        })
    }

    fn aborted(&mut self, abort: Abort) -> Stop {
        match abort {
            Abort::Stop(reason, pc) => self.state.stop_at(reason, pc),
            Abort::NoMemory(shortage) => self.state.stop(shortage.of("the candidates of a round")),
            Abort::Alone => self.state.stop(StopReason::Internal { what: "a heap stayed shared".into() }),
            Abort::Watch => self.state.called(),
            Abort::TooMany => self.state.too_many(),
        }
    }

    /// The rule of the last instance to fire, in body order.
    fn last_rule(&self) -> Option<RuleId> {
        let Self { state, pending, found, fires, .. } = self;
        let round = round_of(state.plan, state.code, pending, found);
        let mut number = round.len();
        for entry in found.iter().rev().flat_map(|f| f.entries.iter().rev()) {
            match entry {
                Entry::Fired { rule, .. } => return Some(*rule),
                Entry::Candidate => {
                    number -= 1;
                    if fires[number] {
                        return Some(round.get(number as u32).occurrence.rule);
                    }
                }
            }
        }
        None
    }

    fn decide(&mut self) -> Result<(), Stop> {
        let Self { state, pending, found, claims, fires, fired, .. } = self;
        let candidates: usize = found.iter().map(|f| f.candidates.len()).sum();
        if state.numbers.of(candidates).is_err() {
            return Err(state.too_many());
        }
        fired.clear();
        fires.clear();
        if candidates == 0 {
            return Ok(());
        }
        // Whether each fires, and those that do.
        let room = memory::ask(candidates as u64 * 5);
        let room = room.and_then(|()| claims.reserve(state.tables.iter().map(|t| t.used())));
        room.map_err(|shortage| state.stop(shortage.of("the candidates of a round")))?;
        let watch = state.watch();
        let round = round_of(state.plan, state.code, pending, found);
        if claims.decide(&round, self.threads > 1, &watch, fires).is_err() {
            return Err(state.called());
        }
        fired.extend(fires.iter().enumerate().filter(|(_, f)| **f).map(|(i, _)| i as u32));
        Ok(())
    }

    /// Keeps what may fire in the next round.
    fn keep(&mut self) -> Result<(), Stop> {
        let Self { state, found, pending, kept, fires, .. } = self;
        for fresh in pending.iter_mut().filter(|p| p.state == State::Fresh) {
            fresh.state = State::Done;
        }
        for found in &mut *found {
            for (n, state) in found.states.drain(..) {
                pending[n as usize].state = state;
            }
        }
        // The next round has a list of its own, at most as long as the one at hand.
        let candidates: usize = found.iter().map(|f| f.candidates.len() * 8 + f.rows.len() * 4).sum();
        let room = memory::ask((candidates + pending.len() * size_of::<Pending>()) as u64);
        room.map_err(|shortage| state.stop(shortage.of("the candidates of a round")))?;
        let mut still = Vec::new();
        kept.instances.clear();
        let mut rows = Vec::new();
        let mut candidates = found
            .iter()
            .flat_map(|f| f.candidates.iter().map(move |c| (c, &f.rows)))
            .zip(fires.iter())
            .peekable();
        for (n, waiting) in pending.drain(..).enumerate() {
            let first = state.numbered(kept.instances.len())?;
            while let Some(((candidate, own), fires)) = candidates.next_if(|((c, _), _)| c.n as usize == n) {
                let table = waiting.added.table as usize;
                let occurrence = &state.code.activations[table].occurrences[candidate.k as usize];
                let own = &own[candidate.rows as usize..candidate.rows as usize + occurrence.levels.len()];
                let lives = |(level, &row): (&Level, &u32)| is_live(&state.tables[level.table], row);
                if !fires && state.lives(&waiting.added) && occurrence.levels.iter().zip(own).all(lives) {
                    kept.instances.push((candidate.k, state.numbered(rows.len())?));
                    rows.extend_from_slice(own);
                }
            }
            let range = (first, state.numbered(kept.instances.len())?);
            if state.lives(&waiting.added) && (range.0 < range.1 || matches!(waiting.state, State::Cut(..))) {
                still.push(Pending { kept: range, ..waiting });
            }
        }
        drop(candidates);
        kept.rows = rows;
        *pending = still;
        Ok(())
    }
}

pub(super) fn failure(
    tables: &[Table],
    round: &Round<'_>,
    number: u32,
    reason: StopReason,
    pc: Pc,
) -> Failure {
    let member = round.get(number);
    let rule = member.occurrence.rule;
    let id = |head| {
        let row = row_of_head(member.occurrence, head, member.pending.added.row, member.rows);
        tables[table_of_head(round.plan, rule, head)].ids.get(row)
    };
    let mut key = Vec::new();
    rank(round.plan, rule, id, &mut key);
    Failure { place: (true, member.pending.added.id, rule, key.into()), reason, pc }
}

pub(super) fn by_place(a: &Failure, b: &Failure) -> std::cmp::Ordering {
    a.place.cmp(&b.place)
}

pub(super) fn round_of<'r>(
    plan: &'r ChrPlan,
    code: &'r Code,
    pending: &'r [Pending],
    found: &'r [Found],
) -> Round<'r> {
    let mut offset = 0;
    let offsets = found.iter().map(|f| {
        offset += f.candidates.len() as u32;
        offset - f.candidates.len() as u32
    });
    let offsets = offsets.collect();
    let parts = found.iter().map(|f| (&f.candidates[..], &f.rows[..])).collect();
    Round { plan, code, pending, parts, offsets }
}
