//! A worker between two rounds: what was added goes to its homes, what is new there to the copies, and all workers hear
//! whether there is more to do, or whether one must stop.

use super::wire::{Lost, Wire};
use super::{Counts, Job, PartEngine, Worker, is_repeatable};
use crate::exec::common::Stop;
use crate::rounds::checkpoint::{Checkpoints, Seal};
use crate::rounds::parcel::Parcels;
use gchr_base::error::StopReason;

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
    engine: &'w mut dyn PartEngine,
    /// Rounds that all have done together.
    rounds: u64,
    /// What the first worker adds to its own counts: those of the checkpoint that the run went on from.
    before: Counts,
    /// Why the worker must stop, as soon as the others know.
    failure: Option<Stop>,
    /// Words that went to other workers.
    words: u64,
}

/// Words that each worker says to each other one at each meeting: how many words follow for that one; what is the
/// matter; its firings; its bytes; how many rounds with candidates it has done since the last meeting.
const SAID: usize = 5;

/// Words of a parcel that go with these, where no parcel of any worker has more: then there is no second exchange.
const SHORT: usize = 27;
const BLOCK: usize = SAID + SHORT;

/// What can be the matter, as bits.
const LONG: u64 = 1;
const STOPS: u64 = 2;
const REPEAT: u64 = 4;
/// The first worker wants the state of the round to be kept.
const DUE: u64 = 8;

/// Rounds between two meetings of workers that exchange nothing, at most: what one of them has to say is heard so soon.
const APART: u64 = 64;

/// Words that each worker says when it has stored its part of a checkpoint: whether it has, and its seal.
const SEAL: usize = 6;

/// What a meeting has found.
struct Met {
    /// The most rounds with candidates that a worker has done since the last one.
    done: u64,
    /// Bytes of all workers.
    bytes: u64,
    /// The state of the round is to be kept.
    is_due: bool,
    parcels: Vec<Vec<u64>>,
}

impl<'w> Member<'w> {
    pub(super) fn new(wire: &'w mut dyn Wire, job: Job<'w>, engine: &'w mut dyn PartEngine) -> Self {
        let (worker, before) = (wire.worker(), Counts::default());
        Self { worker, wire, job, engine, rounds: 0, before, failure: None, words: 0 }
    }

    /// What this worker counts, from the start of the run on.
    pub(super) fn counts(&self) -> Counts {
        let (Counts { firings, candidates, .. }, before) = (self.engine.counts(), self.before);
        Counts {
            rounds: self.rounds,
            firings: before.firings + firings,
            candidates: before.candidates + candidates,
        }
    }

    /// Bytes that went to other workers.
    pub(super) fn sent(&self) -> u64 {
        self.words * 8
    }

    /// Runs all batches: the facts and the first query are one, each further query is one of its own.
    pub(super) fn run(&mut self) -> Result<(), Ended> {
        let batches = self.engine.batches();
        let mut first = 0;
        if let Some(checkpoints) = self.job.checkpoints.filter(|checkpoints| checkpoints.parts() > 0) {
            self.resume(checkpoints, &mut first);
            self.saturate(first)?;
            first += 1;
        }
        for batch in first..batches {
            self.unless_failed(|engine| engine.start(batch));
            self.saturate(batch)?;
        }
        Ok(())
    }

    /// Goes on from a checkpoint.
    fn resume(&mut self, checkpoints: &dyn Checkpoints, query: &mut usize) {
        let restored = self.unless_failed(|engine| engine.restore(checkpoints).map(Some));
        let Some(Some((counts, of))) = restored else { return };
        self.rounds = counts.rounds;
        if self.worker.rank == 0 {
            self.before = counts;
        }
        *query = of;
    }

    /// Runs rounds until no worker has anything to do.
    fn saturate(&mut self, query: usize) -> Result<(), Ended> {
        let exchanges = self.job.shared.exchanges_anything() || self.job.checkpoints.is_some();
        let (mut most, mut bytes) = (1, 0);
        loop {
            let done = self.unless_failed(|engine| engine.rounds(most)).unwrap_or(0);
            let parcels = self.leave(|engine| engine.leave());
            let met = self.meet(done, parcels)?;
            if met.done == 0 {
                return Ok(());
            }
            self.rounds += met.done;
            self.engine.met(self.rounds);
            self.receive(met.parcels);
            if self.job.shared.forwards {
                let parcels = self.leave(|engine| engine.forward());
                let met = self.meet(0, parcels)?;
                self.receive(met.parcels);
            }
            if met.is_due {
                self.keep(query)?;
            }
            self.unless_failed(|engine| engine.end_round());
            if !exchanges {
                // All hear the same. What grows much is looked at more often.
                let is_calm = met.bytes <= bytes + bytes / 8;
                most = if is_calm { (most * 2).min(APART) } else { (most / 2).max(1) };
                bytes = met.bytes;
            }
        }
    }

    /// Keeps the state of a round: each worker stores its part, the first one makes them the last checkpoint when all
    /// have.
    fn keep(&mut self, query: usize) -> Result<(), Ended> {
        let Some(checkpoints) = self.job.checkpoints else { return Ok(()) };
        let (counts, worker) = (self.counts(), self.worker);
        let stored = self.unless_failed(|engine| {
            let part = engine.save(counts, query).map_err(|reason| engine.stop(reason))?;
            let written = checkpoints.write(worker, counts.rounds, &part);
            written.map(Some).map_err(|what| engine.stop(StopReason::Checkpoint { what }))
        });
        let seal = stored.flatten();
        let Seal { bytes, hash: [a, b, c, d] } = seal.unwrap_or(Seal { bytes: 0, hash: [0; 4] });
        let said = [u64::from(seal.is_some()), bytes, a, b, c, d];
        let mut heard = vec![0; worker.ranks * SEAL];
        let met = self.wire.all_to_all(&said.repeat(worker.ranks), &mut heard);
        met.map_err(|lost| self.lost(lost))?;
        let seals = heard.chunks_exact(SEAL).filter(|said| said[0] == 1);
        let seals: Vec<Seal> =
            seals.map(|said| Seal { bytes: said[1], hash: [said[2], said[3], said[4], said[5]] }).collect();
        if worker.rank == 0 && seals.len() == worker.ranks {
            self.unless_failed(|engine| {
                let completed = checkpoints.complete(counts.rounds, &seals);
                completed.map_err(|what| engine.stop(StopReason::Checkpoint { what }))
            });
        }
        Ok(())
    }

    /// Works on the part, unless the worker must stop; why it must is kept until the others know.
    fn unless_failed<T>(&mut self, work: impl FnOnce(&mut dyn PartEngine) -> Result<T, Stop>) -> Option<T> {
        if self.failure.is_some() {
            return None;
        }
        work(&mut *self.engine).map_err(|stop| self.failure = Some(stop)).ok()
    }

    fn leave(&mut self, what: impl FnOnce(&mut dyn PartEngine) -> Result<Parcels, Stop>) -> Parcels {
        self.unless_failed(what).unwrap_or_else(|| Parcels::new(self.worker.ranks))
    }

    fn receive(&mut self, parcels: Vec<Vec<u64>>) {
        self.unless_failed(|engine| engine.receive(parcels));
    }

    /// Exchanges parcels with all workers, and hears how they are.
    fn meet(&mut self, done: u64, parcels: Parcels) -> Result<Met, Ended> {
        let Worker { rank, ranks } = self.worker;
        let send = parcels.to;
        let said = self.say(done, &send);
        let mut heard = vec![0; ranks * BLOCK];
        self.wire.all_to_all(&said, &mut heard).map_err(|lost| self.lost(lost))?;
        let matter = heard.chunks(BLOCK).fold(0, |all, said| all | said[1]);
        let done = heard.chunks(BLOCK).map(|said| said[4]).max().unwrap_or(0);
        self.go_on(done, matter, &heard)?;
        let others = send.iter().enumerate().filter(|(to, _)| *to != rank);
        self.words += others.map(|(_, words)| words.len() as u64).sum::<u64>();
        let lengths: Vec<usize> = heard.chunks(BLOCK).map(|said| said[0] as usize).collect();
        let received = match matter & LONG {
            0 => {
                let short = heard.chunks(BLOCK).zip(&lengths).filter(|(_, length)| **length > 0);
                short.map(|(said, &length)| said[SAID..].iter().take(length).copied().collect()).collect()
            }
            _ => self.wire.all_to_all_v(send, &lengths).map_err(|lost| self.lost(lost))?,
        };
        let bytes = heard.chunks(BLOCK).map(|said| said[3]).sum();
        Ok(Met { done, bytes, is_due: matter & DUE != 0, parcels: received })
    }

    /// What each worker is told, with what is short of its parcel.
    fn say(&self, done: u64, send: &[Vec<u64>]) -> Vec<u64> {
        let is_long = send.iter().any(|words| words.len() > SHORT);
        let mut matter = if is_long { LONG } else { 0 };
        if let Some(stop) = &self.failure {
            matter |= if is_repeatable(&stop.reason) { REPEAT } else { STOPS };
        }
        if self.worker.rank == 0 && self.job.checkpoints.is_some_and(|c| c.is_due(self.rounds + 1)) {
            matter |= DUE;
        }
        let (firings, bytes) = (self.counts().firings, self.engine.bytes());
        let mut said = Vec::with_capacity(send.len() * BLOCK);
        for (to, words) in send.iter().enumerate() {
            said.extend([words.len() as u64, matter, firings, bytes, done]);
            said.extend(words.iter().take(SHORT));
            said.resize((to + 1) * BLOCK, 0);
        }
        said
    }

    /// Ends the run where some worker must stop, or where the limits of all together are reached: all workers hear the
    /// same.
    fn go_on(&mut self, done: u64, matter: u64, heard: &[u64]) -> Result<(), Ended> {
        // Several may have to stop for the same reason: the first of them says so.
        if let Some(first) = heard.chunks(BLOCK).position(|said| said[1] & STOPS != 0) {
            let own = self.failure.take().filter(|_| first == self.worker.rank);
            return Err(own.map_or(Ended::Elsewhere, Ended::Stopped));
        }
        let sum = |at: usize| heard.chunks(BLOCK).map(|said| said[at]).sum::<u64>();
        let limits = self.engine.limits();
        let is_beyond = limits.max_steps.is_some_and(|limit| sum(2) > limit)
            || limits.max_rounds.is_some_and(|limit| self.rounds + done > limit);
        if matter & REPEAT != 0 || is_beyond {
            return Err(Ended::Again);
        }
        match limits.memory.filter(|&limit| sum(3) > limit) {
            Some(limit) if self.worker.rank == 0 => {
                let reason = StopReason::Memory { limit, what: "the constraints of all workers".into() };
                Err(Ended::Stopped(self.engine.stop(reason)))
            }
            Some(_) => Err(Ended::Elsewhere),
            None => Ok(()),
        }
    }

    fn lost(&mut self, lost: Lost) -> Ended {
        let own = self.failure.take();
        Ended::Stopped(own.unwrap_or_else(|| self.engine.stop(StopReason::Lost { what: lost.what })))
    }
}
