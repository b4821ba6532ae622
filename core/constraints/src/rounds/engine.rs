//! A round on any number of threads: lists, claims, bodies, then the store. What threads find is put together in body order, so
//! that their number shows nowhere.

use rayon::prelude::*;

use super::claims::{Claims, Round};
use super::direct;
use super::seek::{Abort, Entry, Found, Kept, Pending, Seeker, Shared, State};
use crate::class::replacement::execute::Replacements;
use crate::exec::code::Pc;
use crate::exec::machine::Stop;
use crate::exec::report::ErrorFormatter;
use crate::exec::round::Failure;
use crate::exec::round::numbers::{Numbers, TooMany};
use crate::exec::round::state::{
    Added, Adds, BodyEnd, RoundsState, is_live, is_of_program, load_instance, run_body,
};
use crate::exec::round::strategy::{DirectRound, Strategy, rank, row_of_head, table_of_head};
use crate::exec::step::{Cells, EvalCtx, Trap, TrapKind};
use crate::exec::table::Table;
use crate::ir::ChrPlan;
use gchr_base::error::StopReason;
use gchr_base::memory;
use gchr_base::rule::RuleId;

/// Pending constraints, and firing candidates, that one thread takes at a time; fewer are handled by one thread alone.
const CHUNK: usize = if cfg!(test) { 4 } else { 256 };

/// Bodies, and entries of lists, that one thread handles between two looks whether the run must stop.
const PART: usize = 1 << 12;

/// The executor.
pub(super) struct Engine<'a, 'c> {
    pub(super) state: RoundsState<'a, 'c>,
    strategy: Strategy,
    /// Constraints that a batch or the last round has added.
    fresh: Vec<Added>,
    /// A list for those of the next round.
    spare: Vec<Added>,
    /// Constraints whose lists the round at hand has to find.
    pending: Vec<Pending>,
    kept: Kept,
    claims: Claims,
    replacements: Replacements<'a>,
    /// Buffers of threads, used again.
    found: Vec<Found>,
    regs: Vec<u64>,
    registers: usize,
    fires: Vec<bool>,
    bodies: Vec<Bodies>,
    fired: Vec<u32>,
    threads: usize,
    /// Terms were built while lists were made, or in bodies: one thread does that.
    alone: [bool; 2],
}

/// What the bodies of some fired candidates add and write.
#[derive(Default)]
struct Bodies {
    adds: Adds,
    /// For each candidate where its adds end.
    ends: Vec<u32>,
    failure: Option<Failure>,
}

/// Why bodies were not run.
enum Halt {
    Trap(TrapKind),
    /// The run must stop.
    Watch,
    /// What bodies add needs more than 32 bits to be counted.
    TooMany,
}

impl From<TooMany> for Halt {
    fn from(_: TooMany) -> Self {
        Self::TooMany
    }
}

impl From<TrapKind> for Halt {
    fn from(kind: TrapKind) -> Self {
        Self::Trap(kind)
    }
}

impl Bodies {
    fn clear(&mut self) {
        self.adds.clear();
        self.ends.clear();
        self.failure = None;
    }
}

impl<'a, 'c> Engine<'a, 'c> {
    pub(super) fn new(state: RoundsState<'a, 'c>) -> Self {
        let strategy = Strategy::new(state.plan, state.code, state.control.traces());
        let registers = state.code.activations.iter().map(|a| a.registers).max().unwrap_or(0);
        let threads = rayon::current_num_threads();
        Self {
            replacements: Replacements::new(state.plan, state.code),
            state,
            alone: [false; 2],
            strategy,
            fresh: Vec::new(),
            spare: Vec::new(),
            pending: Vec::new(),
            kept: Kept::default(),
            claims: Claims::default(),
            found: Vec::new(),
            regs: vec![0; registers],
            registers,
            fires: Vec::new(),
            bodies: Vec::new(),
            fired: Vec::new(),
            threads,
        }
    }

    /// Runs rounds until there is nothing to do.
    pub(super) fn saturate(&mut self, added: &[Added]) -> Result<(), Stop> {
        self.state.release();
        self.queue(added.to_vec());
        loop {
            self.state.look_up()?;
            if self.pending.is_empty() && self.fresh.is_empty() && !self.replacements.is_pending() {
                return Ok(());
            }
            self.state.rounds += 1;
            let performed = self.round();
            if !matches!(performed, Ok(true)) {
                self.state.rounds -= 1;
            }
            performed?;
            self.write()?;
            self.state.collect()?;
            self.state.report_round();
        }
    }

    /// Writes what the bodies of the round have written.
    fn write(&mut self) -> Result<(), Stop> {
        let Self { state, bodies, .. } = self;
        bodies.iter_mut().flat_map(|b| b.adds.written.drain(..)).try_for_each(|written| state.write(written))
    }

    /// Lets the next round start from constraints that a batch or a round has added.
    fn queue(&mut self, mut added: Vec<Added>) {
        added.retain(|added| {
            let lives = self.state.lives(added);
            if lives {
                self.replacements.note(&self.state.tables, *added);
            }
            lives && !self.strategy.groups[added.table as usize].is_empty()
        });
        self.spare = std::mem::replace(&mut self.fresh, added);
    }

    /// One round. Says whether it had candidates.
    fn round(&mut self) -> Result<bool, Stop> {
        let tables = self.link()?;
        if let Some(how) = self.direct(&tables)
            && let Some(active) = self.direct_round(how)?
        {
            return Ok(active);
        }
        let fresh = self.fresh.drain(..);
        self.pending.extend(fresh.map(|added| Pending { added, state: State::Fresh, kept: (0, 0) }));
        self.general_round()
    }

    /// The tables whose constraints the round starts from, after bringing the indexes up to date in which these look for partners.
    fn link(&mut self) -> Result<Vec<usize>, Stop> {
        let mut starts = vec![false; self.state.tables.len()];
        self.fresh.iter().for_each(|added| starts[added.table as usize] = true);
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

    /// A direct round. Says whether it had candidates; nothing when it is one for the general rounds after all.
    fn direct_round(&mut self, how: DirectRound) -> Result<Option<bool>, Stop> {
        let Self { state, strategy, fresh, spare, regs, .. } = self;
        let done = direct::round(state, strategy, regs, fresh, how, std::mem::take(spare))?;
        let Some(done) = done else { return Ok(None) };
        state.count_firings(done.firings, done.last);
        state.candidates += done.firings;
        if state.counts_rules() {
            (0..).zip(&done.fired).for_each(|(rule, &firings)| state.count_rule(RuleId(rule), firings));
            if let Some(recorder) = state.control.recorder() {
                recorder.tried(done.tried);
            }
        }
        state.look_within(done.firings)?;
        state.release();
        self.queue(done.added);
        self.state.other_bytes = self.bytes();
        Ok(Some(done.firings > 0))
    }

    /// One round whose candidates are written down and checked against each other.
    fn general_round(&mut self) -> Result<bool, Stop> {
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
        self.queue(added);
        self.state.other_bytes = self.bytes();
        Ok(active)
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
        let fresh = (self.fresh.capacity() + self.spare.capacity()) * size_of::<Added>();
        found + (kept + pending + fresh) as u64 + bodies + self.claims.bytes() + self.replacements.bytes()
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

    /// Runs the bodies of what fires, in body order.
    fn run_bodies(&mut self, failed: Option<Failure>) -> Result<(), Stop> {
        let count = self.fired.len();
        let parallel = self.threads > 1 && count > CHUNK && !self.alone[1];
        let mut result = if parallel { self.bodies_together() } else { self.bodies_alone() };
        if let Err(Halt::Trap(TrapKind::Shared)) = result {
            self.alone[1] = true;
            result = self.bodies_alone();
        }
        match result {
            Ok(()) => {}
            Err(Halt::Watch) => return Err(self.state.called()),
            Err(Halt::TooMany) => return Err(self.state.too_many()),
            Err(Halt::Trap(TrapKind::HeapFull(full))) => return Err(self.state.stop(full.reason())),
            Err(Halt::Trap(TrapKind::AddsFull(shortage))) => {
                return Err(self.state.stop(shortage.of("the constraints that bodies add")));
            }
            Err(Halt::Trap(_)) => {
                let what = "a body was run where it cannot be".into();
                return Err(self.state.stop(StopReason::Internal { what }));
            }
        }
        let failures = self.bodies.iter_mut().filter_map(|b| b.failure.take());
        match failures.chain(failed).min_by(by_place) {
            Some(failure) => Err(self.state.stop_at(failure.reason, failure.pc)),
            None => Ok(()),
        }
    }

    fn bodies_alone(&mut self) -> Result<(), Halt> {
        let watch = self.state.watch();
        let Self { state, pending, found, fired, bodies, regs, .. } = self;
        bodies.truncate(1);
        if bodies.is_empty() {
            bodies.push(Bodies::default());
        }
        bodies[0].clear();
        if fired.is_empty() {
            return Ok(());
        }
        let RoundsState { program, plan, code, tables, heap, numbers, .. } = state;
        let numbers = *numbers;
        let error_formatter = |heap| ErrorFormatter { signature: &program.signature, plan, code, heap };
        let round = round_of(plan, code, pending, found);
        for (n, &number) in fired.iter().enumerate() {
            if n % PART == PART - 1 && watch.calls() {
                return Err(Halt::Watch);
            }
            let mut ctx = EvalCtx { code, signature: &program.signature, tables, heap: &mut *heap };
            let end = run_one(&mut ctx, regs, &round, number, numbers, &mut bodies[0]);
            if let Some((trap_or_goal, pc)) = end? {
                let reason = match trap_or_goal {
                    Some(trap) => error_formatter(&*heap).reason(regs, trap),
                    None => StopReason::Failed,
                };
                bodies[0].failure = Some(failure(tables, &round, number, reason, pc));
                break;
            }
        }
        Ok(())
    }

    fn bodies_together(&mut self) -> Result<(), Halt> {
        let watch = self.state.watch();
        let size = self.fired.len().div_ceil(self.threads * 8).max(CHUNK / 4);
        self.bodies.resize_with(self.fired.len().div_ceil(size), Bodies::default);
        let Self { state, pending, found, fired, bodies, registers, .. } = self;
        let RoundsState { program, plan, code, tables, heap, numbers, .. } = state;
        let (heap, numbers) = (&*heap, *numbers);
        let round = round_of(plan, code, pending, found);
        bodies.par_iter_mut().zip(fired.par_chunks(size)).try_for_each(|(bodies, fired)| {
            bodies.clear();
            if watch.calls() {
                return Err(Halt::Watch);
            }
            let mut regs = vec![0; *registers];
            for &number in fired {
                let mut ctx = EvalCtx { code, signature: &program.signature, tables, heap };
                let end = run_one(&mut ctx, &mut regs, &round, number, numbers, bodies);
                if let Some((trap, pc)) = end? {
                    let error_formatter = ErrorFormatter { signature: &program.signature, plan, code, heap };
                    let reason = trap.map_or(StopReason::Failed, |trap| error_formatter.reason(&regs, trap));
                    bodies.failure = Some(failure(tables, &round, number, reason, pc));
                    break;
                }
            }
            Ok(())
        })
    }

    /// Removes what fired candidates remove.
    fn remove(&mut self) {
        let Self { state, pending, found, fired, .. } = self;
        if fired.is_empty() {
            return;
        }
        let plan = state.plan;
        let round = round_of(plan, state.code, pending, found);
        if state.control.traces() {
            for &number in &*fired {
                let member = round.get(number);
                let row = |head| row_of_head(member.occurrence, head, member.pending.added.row, member.rows);
                state.trace_instance(member.occurrence.rule, row);
            }
        }
        for &number in &*fired {
            round.get(number).constraints(plan, |table, row, removed| {
                if removed {
                    state.remove(table as u32, row);
                }
            });
        }
    }

    /// Puts what bodies add into the store, in body order.
    fn store(&mut self) -> Result<Vec<Added>, Stop> {
        let mut added = Vec::new();
        let Self { state, found, bodies, fires, .. } = self;
        let (mut number, mut entries) = (0, 0);
        let mut body = BodyCursor::default();
        for found in &*found {
            let mut at = 0;
            for entry in &found.entries {
                entries += 1;
                if entries % PART == 0 {
                    state.go_on()?;
                }
                match *entry {
                    Entry::Fired { adds_end, .. } => {
                        store_range(state, &found.adds, at, adds_end as usize, &mut added)?;
                        at = adds_end as usize;
                    }
                    Entry::Candidate => {
                        if fires[number] {
                            let (adds, from, to) = body.next(bodies);
                            store_range(state, adds, from, to, &mut added)?;
                        }
                        number += 1;
                    }
                }
            }
        }
        Ok(added)
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
                let lives = |(level, &row): (&crate::exec::code::Level, &u32)| {
                    is_live(&state.tables[level.table], row)
                };
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

/// Walks through the adds of fired candidates.
#[derive(Default)]
struct BodyCursor {
    part: usize,
    item: usize,
    from: usize,
}

impl BodyCursor {
    fn next<'b>(&mut self, bodies: &'b [Bodies]) -> (&'b Adds, usize, usize) {
        while self.item == bodies[self.part].ends.len() {
            *self = Self { part: self.part + 1, item: 0, from: 0 };
        }
        let body = &bodies[self.part];
        let (from, to) = (self.from, body.ends[self.item] as usize);
        (self.item, self.from) = (self.item + 1, to);
        (&body.adds, from, to)
    }
}

fn store_range(
    state: &mut RoundsState<'_, '_>,
    adds: &Adds,
    mut at: usize,
    end: usize,
    added: &mut Vec<Added>,
) -> Result<(), Stop> {
    while at < end {
        let (table, args, next) = adds.get(&state.tables, at);
        if added.len() == added.capacity() {
            let answer = memory::reserve(added, 1);
            answer.map_err(|shortage| state.stop(shortage.of("the constraints that a round adds")))?;
        }
        added.extend(state.add(table, args)?);
        at = next;
    }
    Ok(())
}

/// Runs the body of one candidate. Says where it failed, if it did; an error is one of the executor.
fn run_one<H: Cells>(
    ctx: &mut EvalCtx<'_, H>,
    regs: &mut [u64],
    round: &Round<'_>,
    number: u32,
    numbers: Numbers,
    bodies: &mut Bodies,
) -> Result<Option<(Option<Trap>, Pc)>, Halt> {
    let member = round.get(number);
    let mut end = BodyEnd::Done;
    if let Some(pc) = member.occurrence.body {
        let active = (member.pending.added.table as usize, member.pending.added.row);
        load_instance(ctx, regs, member.occurrence, active, member.rows).map_err(|t| t.kind)?;
        end = run_body(ctx, regs, pc, &mut bodies.adds);
    }
    bodies.ends.push(numbers.of(bodies.adds.len())?);
    match end {
        BodyEnd::Done => Ok(None),
        BodyEnd::Failed(pc) => Ok(Some((None, pc))),
        BodyEnd::Trapped(trap) if is_of_program(trap) => Ok(Some((Some(trap), trap.pc))),
        BodyEnd::Trapped(trap) => Err(trap.kind.into()),
    }
}

fn failure(tables: &[Table], round: &Round<'_>, number: u32, reason: StopReason, pc: Pc) -> Failure {
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

fn by_place(a: &Failure, b: &Failure) -> std::cmp::Ordering {
    a.place.cmp(&b.place)
}

fn round_of<'r>(
    plan: &'r ChrPlan,
    code: &'r crate::exec::code::Code,
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
