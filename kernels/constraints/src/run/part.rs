//! The engine of rounds on a device under a worker of a shared run: its part of the store is in the tables of the
//! device. What goes to other workers passes through the host.

use std::ops::Range;

use gchr_base::control::{Control, Limits};
use gchr_base::error::{RunError, StopReason};
use gchr_base::facts::Facts;
use gchr_base::ids::{Id, IdVec};
use gchr_base::signature::ConstraintId;
use gchr_base::stats::Stats;
use gchr_constraints::exec::Store;
use gchr_constraints::rounds::checkpoint::{self, Checkpoints};
use gchr_constraints::rounds::workers::{
    Counts, Outbox, Parcels, PartEngine, Stop, Worker, WorkerProgram, unpack,
};

use super::{Failure, Ground, Options, Runner};
use crate::contract::NO_ID;
use crate::start::{self, Batch, Input};
use crate::tables::Tables;
use crate::tables::batch::NewRows;
use gchr_kernel::device::{Device, DeviceError};
use gchr_runtime::outcome;

use std::time::Instant;

/// What a worker starts with: of the facts and goals of the shared program, what is kept there.
pub fn dealt(
    ground: Ground<'_>,
    shared: &WorkerProgram,
    worker: Worker,
    facts: &[Facts],
    control: &mut Control<'_>,
) -> Input {
    let mut input = start::input(ground.program, ground.plan, facts, control);
    for batch in &mut input.batches {
        let (mut own, mut values) = (Batch::default(), Vec::new());
        for (constraint, rows) in batch.runs() {
            for row in rows {
                values.clear();
                values.extend(batch.columns(constraint).iter().map(|column| column[row]));
                shared.tables_of(worker, constraint, &values).for_each(|table| own.push(table, &values));
            }
        }
        *batch = own;
    }
    input
}

/// So many times the constraints that one block does alone are many for the host.
const LONG: u64 = 256;

/// The part of a worker on a device.
pub struct DevicePart<'a, 'c> {
    shared: &'a WorkerProgram,
    worker: Worker,
    runner: Runner<'a>,
    tables: Tables,
    device: &'a mut dyn Device,
    control: &'a mut Control<'c>,
    start: Instant,
    /// Blocks that enter what was put into the tables.
    resident: u32,
    /// How many constraints came into each table from outside of the rules.
    put: IdVec<ConstraintId, u64>,
    /// Those in the list of what is new that all workers have found: each has taken its part of them.
    known: Range<usize>,
    /// Rounds were done elsewhere that the device does not know of.
    is_behind: bool,
    failure: Option<DeviceError>,
}

impl<'a, 'c> DevicePart<'a, 'c> {
    /// Tables without constraints on a device that has the kernels of a worker's program. `input` was
    /// [dealt](dealt) for the worker.
    pub fn new(
        ground: Ground<'a>,
        input: &'a Input,
        (shared, worker): (&'a WorkerProgram, Worker),
        options: Options,
        device: &'a mut dyn Device,
        control: &'a mut Control<'c>,
    ) -> Result<Self, Failure> {
        let start = Instant::now();
        // A course that is followed to its end has no place at which something could be exchanged.
        let options = Options { fast_paths: options.fast_paths && is_apart(shared), ..options };
        let runner = Runner::new(ground.job(input), options, device, control)?;
        let tables = runner.new_tables(device)?;
        let resident = runner.resident(device, ground.kernels.host.enter.name())?;
        let put = tables.tables.iter().map(|_| 0).collect();
        Ok(Self {
            shared,
            worker,
            runner,
            tables,
            device,
            control,
            start,
            resident,
            put,
            known: 0..0,
            is_behind: false,
            failure: None,
        })
    }

    /// What the part of the run took on the device.
    pub fn stats(&self) -> Stats {
        self.runner.stats(self.start, Some(self.tables.live()), self.device)
    }

    /// Gives the memory of the device back; why the device has failed, if it has.
    pub fn end(self) -> Result<(), DeviceError> {
        let freed = self.tables.free(self.device);
        match self.failure {
            Some(failure) => Err(failure),
            None => freed,
        }
    }

    /// A stop; a device that fails is lost to the others.
    fn stopped(&mut self, failure: outcome::Failure) -> Stop {
        match self.runner.out_of_memory(failure) {
            outcome::Failure::Stopped(stopped) => Box::new(stopped.error),
            outcome::Failure::Device(error) => {
                self.failure = Some(error);
                self.stop(StopReason::device_lost(self.worker.rank))
            }
        }
    }

    /// Does something that may fail.
    fn on_device<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, outcome::Failure>,
    ) -> Result<T, Stop> {
        work(self).map_err(|failure| self.stopped(failure))
    }

    /// Whether the tables have anything that a round could start from.
    fn is_idle(&self) -> bool {
        let words = self.tables.words;
        [words.new, words.carried, words.changed].iter().all(|&word| self.tables.state[word] == 0)
    }

    /// Puts constraints into tables, beside what is new already; says how many of them are new.
    fn put(&mut self, new: IdVec<ConstraintId, NewRows>) -> Result<usize, outcome::Failure> {
        let counts: Vec<u64> = new.iter().map(|rows| rows.count as u64).collect();
        if counts.iter().all(|&count| count == 0) {
            return Ok(0);
        }
        let Self { tables, device, runner, put, .. } = self;
        let grown = tables.make_room_for(&counts, runner.options.memory, *device)?;
        runner.must_have(grown)?;
        put.iter_mut().zip(&counts).for_each(|(all, count)| *all += count);
        let others = tables.new_entries(*device)?;
        let entered = tables.put_beside(new, &others, self.resident, *device)?;
        runner.slices.add(entered);
        (runner.fired, runner.live) = (tables.fired(), tables.live());
        Ok(tables.state[tables.words.new] as usize - others.len())
    }

    /// Empties the outboxes: packs what goes to other workers, and keeps of what all have found the worker's part.
    fn empty_outboxes(&mut self) -> Result<Parcels, outcome::Failure> {
        let shared = self.shared;
        let mut parcels = Parcels::new(self.worker.ranks);
        let is_filled = |outbox: &&Outbox| self.tables.tables[outbox.table].used > 0;
        let filled: Vec<Outbox> = shared.outboxes.iter().filter(is_filled).copied().collect();
        if filled.is_empty() {
            return Ok(parcels);
        }
        let emptied: Vec<ConstraintId> = filled.iter().map(|outbox| outbox.table).collect();
        // The host goes through few entries in less time than kernels are launched in.
        let long = u64::from(self.runner.options.few) * LONG;
        self.tables.thin_out(&emptied, (long, self.resident), self.device)?;
        let mut kept = self.tables.no_rows();
        for outbox in &filled {
            let (columns, rows) = self.tables.take_rows(outbox.table, long, self.device)?;
            match outbox.is_known {
                false => shared.pack_for_homes(outbox, &columns, rows.into_iter(), &mut parcels),
                true => self.keep_known(outbox, &columns, rows, &mut kept),
            }
        }
        let count = self.put(kept)?;
        self.known = 0..count;
        Ok(parcels)
    }

    fn keep_known(
        &self,
        outbox: &Outbox,
        columns: &[Vec<u64>],
        rows: Vec<u32>,
        kept: &mut IdVec<ConstraintId, NewRows>,
    ) {
        for row in rows {
            let values: Vec<u64> = columns.iter().map(|column| column[row as usize]).collect();
            for table in self.shared.tables_of(self.worker, outbox.of, &values) {
                kept[table].push(&values);
            }
        }
    }

    /// Packs what is new in tables that have copies.
    fn pack_new(&mut self) -> Result<Parcels, outcome::Failure> {
        let mut parcels = Parcels::new(self.worker.ranks);
        let entries = self.tables.new_entries(self.device)?;
        let is_known = |place: usize| self.known.contains(&place);
        let of_tables = 0..self.shared.tables();
        for of in of_tables.map(ConstraintId::from_index).filter(|&of| self.shared.has_copies(of)) {
            let is_of = |entry: &&u64| **entry >> 32 == of.index() as u64;
            let own =
                entries.iter().enumerate().filter(|(place, _)| !is_known(*place)).map(|(_, entry)| entry);
            let rows: Vec<u32> = own.filter(is_of).map(|&entry| entry as u32).collect();
            let (Some(&first), Some(&last)) = (rows.iter().min(), rows.iter().max()) else { continue };
            let (columns, ids) = self.tables.rows_of_range(of, first..last + 1, self.device)?;
            let live = rows.iter().map(|row| row - first).filter(|&row| ids[row as usize] != NO_ID);
            self.shared.pack_for_copies(of, &columns, || live.clone(), &mut parcels);
        }
        Ok(parcels)
    }

    /// What other workers have sent, by table.
    fn unpacked(&self, parcels: Vec<Vec<u64>>) -> Result<IdVec<ConstraintId, NewRows>, Stop> {
        let mut new = self.tables.no_rows();
        let all = self.tables.tables.len();
        for words in parcels {
            let columns =
                |table: usize| (table < all).then(|| new[ConstraintId::from_index(table)].columns.len());
            let batches = unpack(&words, columns).ok_or_else(|| {
                self.stop(StopReason::Internal { what: "a worker has sent what is no constraint".into() })
            })?;
            for batch in batches {
                let rows = &mut new[ConstraintId::from_index(batch.table)];
                rows.count += batch.count;
                rows.columns.iter_mut().zip(batch.columns).for_each(|(all, more)| all.extend(more));
            }
        }
        Ok(new)
    }
}

/// Whether a worker has to look at nothing between two rounds.
fn is_apart(shared: &WorkerProgram) -> bool {
    shared.outboxes.is_empty() && !shared.forwards
}

impl PartEngine for DevicePart<'_, '_> {
    fn batches(&self) -> usize {
        self.runner.job.input.batches.len()
    }

    fn start(&mut self, batch: usize) -> Result<(), Stop> {
        let constraints: &Batch = &self.runner.job.input.batches[batch];
        for table in self.put.ids() {
            self.put[table] += constraints.count(table) as u64;
        }
        self.on_device(|part| part.runner.begin_batch(batch, &mut part.tables, part.device, part.control))
    }

    fn rounds(&mut self, most: u64) -> Result<u64, Stop> {
        let first = self.runner.rounds;
        loop {
            let before = self.runner.rounds;
            if self.is_idle() {
                return Ok(before - first);
            }
            self.runner.pause_at = (!is_apart(self.shared)).then_some(before + 1);
            self.on_device(|part| part.runner.go_on(&mut part.tables, part.device, part.control))?;
            let done = self.runner.rounds - first;
            if is_apart(self.shared) || done == most || self.runner.rounds == before {
                return Ok(done);
            }
            self.leave()?;
            self.end_round()?;
        }
    }

    fn leave(&mut self) -> Result<Parcels, Stop> {
        self.on_device(Self::empty_outboxes)
    }

    fn met(&mut self, rounds: u64) {
        if rounds != self.runner.rounds {
            self.runner.rounds = rounds;
            self.tables.set_progress(rounds, self.tables.fired());
            self.is_behind = true;
        }
    }

    fn receive(&mut self, parcels: Vec<Vec<u64>>) -> Result<(), Stop> {
        let new = self.unpacked(parcels)?;
        let count = self.on_device(|part| part.put(new))?;
        self.known = self.known.start + count..self.known.end + count;
        Ok(())
    }

    fn forward(&mut self) -> Result<Parcels, Stop> {
        self.on_device(Self::pack_new)
    }

    fn end_round(&mut self) -> Result<(), Stop> {
        self.known = 0..0;
        if std::mem::take(&mut self.is_behind) {
            self.on_device(|part| Ok(part.tables.upload_counts(part.device)?))?;
        }
        Ok(())
    }

    fn counts(&self) -> Counts {
        let live = self.tables.counts();
        let uncounted = self.shared.uncounted(self.worker, |table| self.put[table], |table| live[table]);
        let firings = self.tables.fired().saturating_sub(uncounted);
        Counts { rounds: self.runner.rounds, firings, candidates: 0 }
    }

    fn counts_candidates(&self) -> bool {
        false
    }

    fn bytes(&self) -> u64 {
        self.tables.bytes()
    }

    fn peak(&self) -> u64 {
        self.runner.peak.max(self.tables.bytes())
    }

    fn limits(&self) -> Limits {
        // That of memory holds for each device.
        Limits { memory: None, ..self.control.limits() }
    }

    fn stop(&self, reason: StopReason) -> Stop {
        Box::new(RunError { reason, rule: None, span: None, progress: self.runner.progress() })
    }

    fn save(&self, _: Counts, _: usize) -> Result<checkpoint::Part, StopReason> {
        Err(StopReason::Checkpoint { what: "devices keep none".into() })
    }

    fn restore(&mut self, _: &dyn Checkpoints) -> Result<(Counts, usize), Stop> {
        Err(self.stop(StopReason::Checkpoint { what: "devices do not go on from one".into() }))
    }

    fn sizes(&self) -> Vec<u64> {
        self.tables.counts().into_iter_enumerated().map(|(_, count)| count).collect()
    }

    fn take_store(&mut self) -> Result<Store, Stop> {
        self.on_device(|part| Ok(part.tables.download(&part.runner.job, part.device)?))
    }
}
