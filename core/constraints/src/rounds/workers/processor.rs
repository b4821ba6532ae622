//! The engine of rounds on the processor under a worker.

use super::{Counts, Engines, Job, PartEngine, Worker, WorkerProgram};
use crate::class;
use crate::exec::Store;
use crate::exec::added::{Added, AddedRuns};
use crate::exec::common;
use crate::exec::common::Stop;
use crate::exec::round::batch::Batch;
use crate::exec::round::dealing::Dealing;
use crate::exec::round::state::RoundsState;
use crate::rounds::checkpoint::{Checkpoints, Moment, Part, Restored, Scope, restore, save};
use crate::rounds::engine::{Engine, Performed};
use crate::rounds::parcel::{Parcels, unpack};
use crate::rounds::worker_program::Outbox;
use gchr_base::control::{Control, Limits};
use gchr_base::error::StopReason;
use gchr_base::facts::Facts;
use gchr_base::ids::Id;
use gchr_base::value::Heap;

/// Workers on the processor, with so many threads each.
#[derive(Clone, Copy)]
pub(super) struct Processor<'j> {
    pub(super) job: Job<'j>,
}

impl Engines for Processor<'_> {
    fn with_engine(
        &self,
        worker: Worker,
        control: &mut Control<'_>,
        work: &mut dyn FnMut(&mut dyn PartEngine),
    ) -> Result<(), Stop> {
        let job = self.job;
        let WorkerProgram { program, plan, deals, .. } = job.shared;
        let mut heap = Heap::new();
        let (code, usable) = common::code(program, plan, &mut heap);
        let mut state = RoundsState::new(program, plan, &code, heap, control, class::insertion_rules(plan));
        state.deal(Dealing { deals, worker });
        let usable = usable.map_err(|reason| state.stop(reason));
        let mut engine = Engine::new(state);
        engine.threads = job.threads;
        work(&mut ProcessorPart {
            engine,
            job,
            worker,
            usable,
            added: AddedRuns::default(),
            new: AddedRuns::default(),
            known: AddedRuns::default(),
            mark: 0,
        });
        Ok(())
    }
}

/// The part of a worker.
struct ProcessorPart<'j, 'a, 'c> {
    engine: Engine<'a, 'c>,
    job: Job<'j>,
    worker: Worker,
    /// Whether the program can be run.
    usable: Result<(), Stop>,
    /// What the last round has added.
    added: AddedRuns,
    /// What of that is not in outboxes, and what was received.
    new: AddedRuns,
    /// What all workers know of what the round has added, and is kept here.
    known: AddedRuns,
    /// The first id of the round.
    mark: u64,
}

impl<'j> ProcessorPart<'j, '_, '_> {
    fn shared(&self) -> &'j WorkerProgram {
        self.job.shared
    }

    fn scope(&self) -> Scope<'j> {
        Scope { plan: self.job.plan, shared: Some((self.job.shared, self.worker)) }
    }

    /// Lets the first round of a batch start from what was added.
    fn begin(&mut self, added: AddedRuns) -> Result<(), Stop> {
        self.engine.state.release();
        self.engine.queue(added)
    }

    /// Keeps what all workers have found, and each takes its part of.
    fn keep_known(&mut self, outbox: &Outbox) -> Result<(), Stop> {
        let shared = self.shared();
        let state = &mut self.engine.state;
        let from = &state.tables[outbox.table.index()];
        let rows: Vec<Vec<u64>> =
            from.rows().map(|row| from.columns.iter().map(|column| column.get(row)).collect()).collect();
        state.clear(outbox.table.index());
        for args in &rows {
            for table in shared.tables_of(self.worker, outbox.of, args) {
                self.known.extend(state.add(table.index(), args)?);
            }
        }
        Ok(())
    }
}

impl PartEngine for ProcessorPart<'_, '_, '_> {
    fn batches(&self) -> usize {
        self.engine.state.code.queries.len().max(1)
    }

    fn start(&mut self, batch: usize) -> Result<(), Stop> {
        std::mem::replace(&mut self.usable, Ok(()))?;
        let mut added = AddedRuns::default();
        let facts: &[Facts] = if batch == 0 { self.job.facts } else { &[] };
        self.engine.state.facts(facts, &mut added)?;
        if batch < self.engine.state.code.queries.len() {
            self.engine.state.query(batch, &mut added)?;
        }
        self.begin(added)
    }

    fn rounds(&mut self, most: u64) -> Result<u64, Stop> {
        let mut done = 0;
        loop {
            self.mark = self.engine.state.next_id;
            self.engine.state.look_up()?;
            if self.engine.is_idle() {
                return Ok(done);
            }
            let Performed { active, added } = self.engine.perform()?;
            self.added = added;
            done += u64::from(active);
            if !active || done == most {
                return Ok(done);
            }
            self.leave()?;
            self.end_round()?;
        }
    }

    fn leave(&mut self) -> Result<Parcels, Stop> {
        let shared = self.shared();
        let mut parcels = Parcels::new(self.worker.ranks);
        let first = shared.deals.len() as u32;
        let is_outbox = |table: u32| {
            table >= first && shared.outboxes.iter().any(|outbox| outbox.table.index() as u32 == table)
        };
        let added = std::mem::take(&mut self.added);
        added.runs().filter(|run| !is_outbox(run.first.table)).for_each(|run| self.new.push_run(run));
        for outbox in &shared.outboxes {
            let from = &self.engine.state.tables[outbox.table.index()];
            if from.live() == 0 {
                continue;
            }
            if outbox.is_known {
                self.keep_known(outbox)?;
                continue;
            }
            shared.pack_for_homes(outbox, from, from.rows(), &mut parcels);
            self.engine.state.clear(outbox.table.index());
        }
        Ok(parcels)
    }

    fn met(&mut self, rounds: u64) {
        self.engine.state.rounds = rounds;
    }

    fn receive(&mut self, parcels: Vec<Vec<u64>>) -> Result<(), Stop> {
        let state = &mut self.engine.state;
        for words in parcels {
            let columns = |table: usize| state.tables.get(table).map(|table| table.columns.len());
            let what = || StopReason::Internal { what: "a worker has sent what is no constraint".into() };
            let batches = unpack(&words, columns).ok_or_else(|| state.stop(what()))?;
            for batch in batches {
                let args: Vec<&[u64]> = batch.columns.iter().map(Vec::as_slice).collect();
                let batch = Batch { table: batch.table, args: &args, count: batch.count };
                state.add_batch(batch, &mut self.new)?;
            }
        }
        Ok(())
    }

    fn forward(&mut self) -> Result<Parcels, Stop> {
        let state = &self.engine.state;
        let mut parcels = Parcels::new(self.worker.ranks);
        let shared = self.shared();
        for id in shared.deals.ids().filter(|&id| shared.has_copies(id)) {
            let is_of = |added: &Added| added.table as usize == id.index() && state.lives(added);
            let rows = || self.new.iter().filter(is_of).map(|added| added.row);
            shared.pack_for_copies(id, &state.tables[id.index()], rows, &mut parcels);
        }
        Ok(parcels)
    }

    fn end_round(&mut self) -> Result<(), Stop> {
        let (mut new, known) = (std::mem::take(&mut self.new), std::mem::take(&mut self.known));
        self.engine.state.release();
        known.runs().for_each(|run| new.push_run(run));
        self.engine.queue(new)
    }

    fn counts(&self) -> Counts {
        let (shared, worker, state) = (self.shared(), self.worker, &self.engine.state);
        Counts {
            rounds: state.rounds,
            firings: shared.firings_of(worker, state),
            candidates: shared.candidates_of(worker, state),
        }
    }

    fn counts_candidates(&self) -> bool {
        true
    }

    fn bytes(&self) -> u64 {
        self.engine.state.bytes()
    }

    fn peak(&self) -> u64 {
        self.engine.state.peak
    }

    fn limits(&self) -> Limits {
        self.engine.state.control.limits()
    }

    fn stop(&self, reason: StopReason) -> Stop {
        self.engine.state.stop(reason)
    }

    fn save(&self, counts: Counts, query: usize) -> Result<Part, StopReason> {
        save(&self.engine, self.scope(), Moment { counts, query, mark: self.mark })
    }

    fn restore(&mut self, checkpoints: &dyn Checkpoints) -> Result<(Counts, usize), Stop> {
        let scope = self.scope();
        let Restored { counts, query, added } = restore(&mut self.engine, scope, checkpoints)?;
        self.engine.state.rounds = counts.rounds;
        self.begin(added)?;
        Ok((counts, query))
    }

    fn sizes(&self) -> Vec<u64> {
        self.engine.state.tables.iter().map(|table| table.live() as u64).collect()
    }

    fn take_store(&mut self) -> Result<Store, Stop> {
        let state = &mut self.engine.state;
        Ok(Store { tables: std::mem::take(&mut state.tables), heap: std::mem::take(&mut state.heap) })
    }
}
