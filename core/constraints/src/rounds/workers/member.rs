//! A worker between two rounds: what was added goes to its homes, what is new there to the copies, and all workers hear
//! whether there is more to do, or whether one must stop.

use super::parcel::{Parcels, unpack};
use super::wire::{Lost, Wire};
use super::{Job, Worker, WorkerProgram, is_repeatable};
use crate::exec::machine::Stop;
use crate::exec::round::added::{Added, AddedRuns};
use crate::exec::round::adding::Batch;
use crate::exec::round::dealing::owner;
use crate::exec::round::state::RoundsState;
use crate::rounds::checkpoint::{Checkpoints, Counts, Moment, Restored, Scope, Seal, restore, save};
use crate::rounds::engine::{Engine, Performed};
use crate::rounds::worker_program::Outbox;
use gchr_base::error::StopReason;
use gchr_base::facts::Facts;
use gchr_base::ids::Id;

/// Why a worker does not go on.
pub(super) enum Ended {
    /// It has to stop.
    Stopped(Stop),
    /// Another one has.
    Elsewhere,
    /// One worker is to run the job alone, which says exactly where it stops, and why.
    Again,
}

/// The end of a wire, and what a worker says over it.
pub(super) struct Member<'w> {
    wire: &'w mut dyn Wire,
    worker: Worker,
    job: Job<'w>,
    shared: &'w WorkerProgram,
    /// What the first worker adds to its own counts: those of the checkpoint that the run went on from.
    before: Counts,
    /// Why the worker must stop, as soon as the others know.
    failure: Option<Stop>,
    /// Words that went to other workers.
    words: u64,
}

/// Words that each worker says to each other one at each meeting: how many words follow for that one; what is the
/// matter; its firings; its bytes.
const SAID: usize = 4;

/// Words of a parcel that go with these, where no parcel of any worker has more: then there is no second exchange.
const SHORT: usize = 28;
const BLOCK: usize = SAID + SHORT;

/// What can be the matter, as bits.
const ACTIVE: u64 = 1;
const LONG: u64 = 2;
const STOPS: u64 = 4;
const REPEAT: u64 = 8;
/// The first worker wants the state of the round to be kept.
const DUE: u64 = 16;

/// Words that each worker says when it has stored its part of a checkpoint: whether it has, and its seal.
const SEAL: usize = 6;

/// What a meeting has found.
struct Met {
    /// Some worker had candidates in the round.
    active: bool,
    /// The state of the round is to be kept.
    is_due: bool,
    parcels: Vec<Vec<u64>>,
}

impl<'w> Member<'w> {
    pub(super) fn new(wire: &'w mut dyn Wire, job: Job<'w>) -> Self {
        let (worker, shared, before) = (wire.worker(), job.shared, Counts::default());
        Self { worker, wire, job, shared, before, failure: None, words: 0 }
    }

    /// What this worker counts, from the start of the run on.
    pub(super) fn counts(&self, state: &RoundsState<'_, '_>) -> Counts {
        let Self { worker, shared, before, .. } = *self;
        Counts {
            rounds: state.rounds,
            firings: before.firings + shared.firings_of(worker, state),
            candidates: before.candidates + shared.candidates_of(worker, state),
        }
    }

    /// Bytes that went to other workers.
    pub(super) fn sent(&self) -> u64 {
        self.words * 8
    }

    /// Runs all batches: the facts and the first query are one, each further query is one of its own.
    pub(super) fn run(
        &mut self,
        engine: &mut Engine<'_, '_>,
        facts: &[Facts],
        usable: Result<(), Stop>,
    ) -> Result<(), Ended> {
        self.failure = usable.err();
        let queries = engine.state.code.queries.len();
        let mut first = 0;
        if let Some(checkpoints) = self.job.checkpoints.filter(|checkpoints| checkpoints.parts() > 0) {
            let added = self.resume(engine, checkpoints, &mut first);
            self.saturate(engine, first, added)?;
            first += 1;
        }
        for number in first..queries.max(1) {
            let mut added = AddedRuns::default();
            let facts = if number == 0 { facts } else { &[] };
            let started = self.unless_failed(|| {
                facts.iter().try_for_each(|facts| engine.state.facts(facts, &mut added))?;
                if number < queries { engine.state.query(number, &mut added) } else { Ok(()) }
            });
            self.note(started);
            self.saturate(engine, number, added)?;
        }
        Ok(())
    }

    /// Goes on from a checkpoint: what the next round starts from.
    fn resume(
        &mut self,
        engine: &mut Engine<'_, '_>,
        checkpoints: &dyn Checkpoints,
        query: &mut usize,
    ) -> AddedRuns {
        let scope = self.scope();
        let restored = self.unless_failed(|| restore(engine, scope, checkpoints).map(Some));
        let Some(Some(Restored { counts, query: of, added })) = self.note(restored) else {
            return AddedRuns::default();
        };
        engine.state.rounds = counts.rounds;
        if self.worker.rank == 0 {
            self.before = counts;
        }
        *query = of;
        added
    }

    fn scope(&self) -> Scope<'w> {
        Scope { plan: self.job.plan, shared: Some((self.shared, self.worker)) }
    }

    /// Runs rounds until no worker has anything to do.
    fn saturate(&mut self, engine: &mut Engine<'_, '_>, query: usize, added: AddedRuns) -> Result<(), Ended> {
        engine.state.release();
        let queued = self.unless_failed(|| engine.queue(added));
        self.note(queued);
        loop {
            let (rounds, mark) = (engine.state.rounds, engine.state.next_id);
            let nothing = Performed { active: false, added: AddedRuns::default() };
            let performed = self.unless_failed(|| {
                engine.state.look_up()?;
                if engine.is_idle() { Ok(None) } else { engine.perform().map(Some) }
            });
            let Performed { active, added } = self.note(performed).flatten().unwrap_or(nothing);
            let (parcels, mut new, known) = self.leave(&mut engine.state, added);
            let met = self.meet(&engine.state, rounds, active, parcels)?;
            if !met.active {
                return Ok(());
            }
            engine.state.rounds = rounds + 1;
            self.receive(&mut engine.state, met.parcels, &mut new);
            if self.shared.forwards {
                let parcels = self.forward(&engine.state, &new);
                let met = self.meet(&engine.state, rounds, true, parcels)?;
                self.receive(&mut engine.state, met.parcels, &mut new);
            }
            engine.state.release();
            if met.is_due {
                self.keep(engine, query, mark)?;
            }
            known.runs().for_each(|run| new.push_run(run));
            let queued = self.unless_failed(|| engine.queue(new));
            self.note(queued);
        }
    }

    /// Keeps the state of a round: each worker stores its part, the first one makes them the last checkpoint when all
    /// have.
    fn keep(&mut self, engine: &Engine<'_, '_>, query: usize, mark: u64) -> Result<(), Ended> {
        let Some(checkpoints) = self.job.checkpoints else { return Ok(()) };
        let (counts, scope, worker) = (self.counts(&engine.state), self.scope(), self.worker);
        let failed = |what| engine.state.stop(StopReason::Checkpoint { what });
        let stored = self.unless_failed(|| {
            let part = save(engine, scope, Moment { counts, query, mark });
            let part = part.map_err(|reason| engine.state.stop(reason))?;
            checkpoints.write(worker, counts.rounds, &part).map(Some).map_err(failed)
        });
        let seal = self.note(stored).flatten();
        let Seal { bytes, hash: [a, b, c, d] } = seal.unwrap_or(Seal { bytes: 0, hash: [0; 4] });
        let said = [u64::from(seal.is_some()), bytes, a, b, c, d];
        let mut heard = vec![0; worker.ranks * SEAL];
        let met = self.wire.all_to_all(&said.repeat(worker.ranks), &mut heard);
        met.map_err(|lost| self.lost(&engine.state, lost))?;
        let seals = heard.chunks_exact(SEAL).filter(|said| said[0] == 1);
        let seals: Vec<Seal> =
            seals.map(|said| Seal { bytes: said[1], hash: [said[2], said[3], said[4], said[5]] }).collect();
        if worker.rank == 0 && seals.len() == worker.ranks {
            self.note(checkpoints.complete(counts.rounds, &seals).map_err(failed));
        }
        Ok(())
    }

    fn unless_failed<T: Default>(&self, work: impl FnOnce() -> Result<T, Stop>) -> Result<T, Stop> {
        if self.failure.is_some() { Ok(T::default()) } else { work() }
    }

    /// Keeps why the worker must stop.
    fn note<T>(&mut self, result: Result<T, Stop>) -> Option<T> {
        result.map_err(|stop| self.failure.get_or_insert(stop)).ok()
    }

    /// Takes what a round has added out of the outboxes. Gives what is sent, what else the round has added, and what of
    /// that which all workers know is kept here, in homes and copies.
    fn leave(
        &mut self,
        state: &mut RoundsState<'_, '_>,
        added: AddedRuns,
    ) -> (Parcels, AddedRuns, AddedRuns) {
        let (mut left, mut known) = (AddedRuns::default(), AddedRuns::default());
        let mut parcels = Parcels::new(self.worker.ranks);
        let first = self.shared.deals.len() as u32;
        let is_outbox = |table: u32| {
            table >= first && self.shared.outboxes.iter().any(|outbox| outbox.table.index() as u32 == table)
        };
        added.runs().filter(|run| !is_outbox(run.first.table)).for_each(|run| left.push_run(run));
        for &Outbox { table, of, is_known } in &self.shared.outboxes {
            let deal = &self.shared.deals[of];
            let from = &state.tables[table.index()];
            if from.live() == 0 {
                continue;
            }
            let (place, home) = &deal.places[0];
            let value = |row| move |column: usize| from.columns[column].get(row);
            if !is_known {
                parcels.pack(from, *home, from.rows(), |row| owner(self.worker.ranks, place, value(row)));
                state.tables[table.index()].clear();
                continue;
            }
            let rows: Vec<Vec<u64>> =
                from.rows().map(|row| from.columns.iter().map(|column| column.get(row)).collect()).collect();
            state.tables[table.index()].clear();
            let kept = self.unless_failed(|| {
                for args in &rows {
                    for table in deal.tables(self.worker, |column| args[column]) {
                        known.extend(state.add(table, args)?);
                    }
                }
                Ok(())
            });
            self.note(kept);
        }
        (parcels, left, known)
    }

    /// What goes on from homes to copies: what came there in this round and lives.
    fn forward(&self, state: &RoundsState<'_, '_>, new: &AddedRuns) -> Parcels {
        let mut parcels = Parcels::new(self.worker.ranks);
        for (id, deal) in self.shared.deals.iter_enumerated() {
            let is_of = |added: &Added| added.table as usize == id.index() && state.lives(added);
            for (place, copy) in deal.copies() {
                let from = &state.tables[id.index()];
                let rows = new.iter().filter(is_of).map(|added| added.row);
                let value = |row| move |column: usize| from.columns[column].get(row);
                parcels.pack(from, *copy, rows, |row| owner(self.worker.ranks, place, value(row)));
            }
        }
        parcels
    }

    /// Puts what has come into the store; what lives is appended.
    fn receive(&mut self, state: &mut RoundsState<'_, '_>, parcels: Vec<Vec<u64>>, new: &mut AddedRuns) {
        for words in parcels {
            let stored = self.unless_failed(|| {
                let columns = |table: usize| state.tables.get(table).map(|table| table.columns.len());
                let what = || StopReason::Internal { what: "a worker has sent what is no constraint".into() };
                let batches = unpack(&words, columns).ok_or_else(|| state.stop(what()))?;
                for batch in batches {
                    let args: Vec<&[u64]> = batch.columns.iter().map(Vec::as_slice).collect();
                    let batch = Batch { table: batch.table, args: &args, count: batch.count };
                    state.add_batch(batch, new)?;
                }
                Ok(())
            });
            self.note(stored);
        }
    }

    /// Exchanges parcels with all workers, and hears how they are.
    fn meet(
        &mut self,
        state: &RoundsState<'_, '_>,
        rounds: u64,
        active: bool,
        parcels: Parcels,
    ) -> Result<Met, Ended> {
        let Worker { rank, ranks } = self.worker;
        let mut send = parcels.to;
        if self.failure.is_some() {
            send.iter_mut().for_each(Vec::clear);
        }
        let said = self.say(state, rounds, active, &send);
        let mut heard = vec![0; ranks * BLOCK];
        self.wire.all_to_all(&said, &mut heard).map_err(|lost| self.lost(state, lost))?;
        let matter = heard.chunks(BLOCK).fold(0, |all, said| all | said[1]);
        self.go_on(state, rounds, matter, &heard)?;
        let others = send.iter().enumerate().filter(|(to, _)| *to != rank);
        self.words += others.map(|(_, words)| words.len() as u64).sum::<u64>();
        let lengths: Vec<usize> = heard.chunks(BLOCK).map(|said| said[0] as usize).collect();
        let received = match matter & LONG {
            0 => {
                let short = heard.chunks(BLOCK).zip(&lengths).filter(|(_, length)| **length > 0);
                short.map(|(said, &length)| said[SAID..].iter().take(length).copied().collect()).collect()
            }
            _ => self.wire.all_to_all_v(send, &lengths).map_err(|lost| self.lost(state, lost))?,
        };
        Ok(Met { active: matter & ACTIVE != 0, is_due: matter & DUE != 0, parcels: received })
    }

    /// What each worker is told, with what is short of its parcel.
    fn say(&self, state: &RoundsState<'_, '_>, rounds: u64, active: bool, send: &[Vec<u64>]) -> Vec<u64> {
        let is_long = send.iter().any(|words| words.len() > SHORT);
        let mut matter = if active { ACTIVE } else { 0 } | if is_long { LONG } else { 0 };
        if let Some(stop) = &self.failure {
            matter |= if is_repeatable(&stop.reason) { REPEAT } else { STOPS };
        }
        if self.worker.rank == 0 && self.job.checkpoints.is_some_and(|c| c.is_due(rounds + 1)) {
            matter |= DUE;
        }
        let firings = self.counts(state).firings;
        let mut said = Vec::with_capacity(send.len() * BLOCK);
        for (to, words) in send.iter().enumerate() {
            said.extend([words.len() as u64, matter, firings, state.bytes()]);
            said.extend(words.iter().take(SHORT));
            said.resize((to + 1) * BLOCK, 0);
        }
        said
    }

    /// Ends the run where some worker must stop, or where the limits of all together are reached: all workers hear the
    /// same.
    fn go_on(
        &mut self,
        state: &RoundsState<'_, '_>,
        rounds: u64,
        matter: u64,
        heard: &[u64],
    ) -> Result<(), Ended> {
        // Several may have to stop for the same reason: the first of them says so.
        if let Some(first) = heard.chunks(BLOCK).position(|said| said[1] & STOPS != 0) {
            let own = self.failure.take().filter(|_| first == self.worker.rank);
            return Err(own.map_or(Ended::Elsewhere, Ended::Stopped));
        }
        let sum = |at: usize| heard.chunks(BLOCK).map(|said| said[at]).sum::<u64>();
        let limits = state.control.limits();
        let is_beyond = limits.max_steps.is_some_and(|limit| sum(2) > limit)
            || limits.max_rounds.is_some_and(|limit| matter & ACTIVE != 0 && rounds >= limit);
        if matter & REPEAT != 0 || is_beyond {
            return Err(Ended::Again);
        }
        match limits.memory.filter(|&limit| sum(3) > limit) {
            Some(limit) if self.worker.rank == 0 => {
                let reason = StopReason::Memory { limit, what: "the constraints of all workers".into() };
                Err(Ended::Stopped(state.stop(reason)))
            }
            Some(_) => Err(Ended::Elsewhere),
            None => Ok(()),
        }
    }

    fn lost(&mut self, state: &RoundsState<'_, '_>, lost: Lost) -> Ended {
        let own = self.failure.take();
        Ended::Stopped(own.unwrap_or_else(|| state.stop(StopReason::Lost { what: lost.what })))
    }
}
