//! The parts of all workers put together: one store, and sums of what was counted.

use super::member::Ended;
use super::wire::{Lost, Wire};
use super::{Job, WorkerEnd};
use crate::exec::Store;
use crate::exec::common;
use crate::exec::table::{Table, TableFull};
use crate::ir::ChrPlan;
use crate::ir::places::Place;
use crate::rounds::parcel::{Parcels, unpack};
use gchr_base::control::Progress;
use gchr_base::error::StopReason;
use gchr_base::ids::Id;
use gchr_base::signature::ConstraintId;

/// What all workers have counted.
#[derive(Default)]
pub(super) struct Totals {
    pub(super) workers: u64,
    pub(super) rounds: u64,
    pub(super) firings: u64,
    /// None where some worker does not count them.
    pub(super) candidates: Option<u64>,
    pub(super) peak: u64,
    pub(super) sent: u64,
    /// How many constraints there are, by table.
    pub(super) sizes: Vec<u64>,
}

impl Totals {
    /// Adds what a worker has counted, the next one by rank.
    fn add(&mut self, plan: &ChrPlan, part: &[u64]) {
        let [rounds, firings, candidates, peak, sent, sizes @ ..] = part else { return };
        self.sizes.resize(sizes.len(), 0);
        for ((size, all), places) in sizes.iter().zip(&mut self.sizes).zip(&plan.places.tables) {
            // What all have counts once.
            *all = if places.home == Place::Everywhere { *size } else { *all + size };
        }
        let own = candidates.checked_sub(1);
        self.candidates = match self.workers {
            0 => own,
            _ => self.candidates.zip(own).map(|(all, own)| all + own),
        };
        self.workers += 1;
        self.rounds = self.rounds.max(*rounds);
        self.firings += firings;
        self.peak += peak;
        self.sent += sent;
    }
}

/// What a worker has counted, as words. That of candidates is one more than their number; 0: they are not counted.
fn counts(part: &WorkerEnd) -> Vec<u64> {
    let candidates = part.candidates.map_or(0, |own| own + 1);
    let mut words = vec![part.rounds, part.firings, candidates, part.peak, part.sent];
    words.extend(&part.sizes);
    words
}

/// Puts the parts of workers in one process together; that of the first worker comes first.
pub(super) fn here(job: Job<'_>, mut parts: Vec<WorkerEnd>) -> Result<(Store, Totals), Ended> {
    let plan = job.plan;
    let mut totals = Totals::default();
    parts.iter().for_each(|part| totals.add(plan, &counts(part)));
    if job.only_sizes {
        return Ok((Store::default(), totals));
    }
    let mut tables = Vec::with_capacity(plan.tables.len());
    for id in plan.tables.ids() {
        let pieces: Vec<Table> = parts.iter_mut().map(|part| part.take(plan, id)).collect();
        if plan.places.tables[id].home == Place::Everywhere {
            tables.extend(pieces.into_iter().next());
            continue;
        }
        let mut all = Table::without_indexes(&plan.tables[id]);
        let room = all.reserve(pieces.iter().map(Table::live).sum());
        let moved = room.and_then(|()| pieces.into_iter().try_for_each(|piece| all.absorb(&piece)));
        moved.map_err(|full| ended(plan, id, full))?;
        tables.push(all);
    }
    let heap = parts.swap_remove(0).heap;
    Ok((Store { tables, heap }, totals))
}

/// Puts the parts of workers together that are behind a wire: at the first one, which gets the store. It stays to the
/// end of the exchanges whatever happens to it, as the others would wait for it.
pub(super) fn over(
    job: Job<'_>,
    mut part: WorkerEnd,
    wire: &mut dyn Wire,
) -> Result<Option<(Store, Totals)>, Ended> {
    let plan = job.plan;
    let worker = wire.worker();
    let lost = |lost: Lost| stop(plan, StopReason::Lost { what: lost.what });
    let own = counts(&part);
    let mut heard = vec![0; worker.ranks * own.len()];
    wire.all_to_all(&own.repeat(worker.ranks), &mut heard).map_err(lost)?;
    let mut totals = Totals::default();
    heard.chunks(own.len()).for_each(|part| totals.add(plan, part));
    if job.only_sizes {
        return Ok((worker.rank == 0).then(|| (Store::default(), totals)));
    }
    let mut tables = Ok(Vec::with_capacity(plan.tables.len()));
    for id in plan.tables.ids() {
        let own = part.take(plan, id);
        if plan.places.tables[id].home == Place::Everywhere {
            tables = tables.map(|tables| with(tables, own));
            continue;
        }
        let mut parcels = Parcels::new(worker.ranks);
        if worker.rank > 0 {
            parcels.pack(&own, id, own.rows(), |_| Some(0));
        }
        let said: Vec<u64> = parcels.to.iter().map(|words| words.len() as u64).collect();
        let mut lengths = vec![0; worker.ranks];
        wire.all_to_all(&said, &mut lengths).map_err(lost)?;
        let lengths: Vec<usize> = lengths.into_iter().map(|length| length as usize).collect();
        let received = wire.all_to_all_v(parcels.to, &lengths).map_err(lost)?;
        if worker.rank == 0 {
            tables = tables.and_then(|tables| Ok(with(tables, put_together(plan, id, own, received)?)));
        }
    }
    let store = Store { tables: tables?, heap: part.heap };
    Ok((worker.rank == 0).then_some((store, totals)))
}

fn with(mut tables: Vec<Table>, table: Table) -> Vec<Table> {
    tables.push(table);
    tables
}

/// The constraints of a table that the first worker has, with those that it has received.
fn put_together(
    plan: &ChrPlan,
    id: ConstraintId,
    own: Table,
    received: Vec<Vec<u64>>,
) -> Result<Table, Ended> {
    let mut all = Table::without_indexes(&plan.tables[id]);
    all.absorb(&own).map_err(|full| ended(plan, id, full))?;
    drop(own);
    for words in received {
        let no_constraints =
            || StopReason::Internal { what: "a worker has sent what is no constraint".into() };
        let batches =
            unpack(&words, |_| Some(all.columns.len())).ok_or_else(|| stop(plan, no_constraints()))?;
        for batch in batches {
            let args: Vec<&[u64]> = batch.columns.iter().map(Vec::as_slice).collect();
            append_rows(&mut all, &args, batch.count).map_err(|full| ended(plan, id, full))?;
        }
    }
    Ok(all)
}

fn append_rows(all: &mut Table, args: &[&[u64]], count: usize) -> Result<(), TableFull> {
    let which: Vec<u32> = (0..count as u32).collect();
    let id = all.used() as u64;
    all.append(id, args, &which).map(|_| ())
}

fn ended(plan: &ChrPlan, id: ConstraintId, full: TableFull) -> Ended {
    stop(plan, full.reason(format!("constraints {}", plan.tables[id].name)))
}

fn stop(plan: &ChrPlan, reason: StopReason) -> Ended {
    Ended::Stopped(common::stop(plan, None, reason, Progress { steps: 0, bytes: 0, live: 0 }))
}

impl WorkerEnd {
    /// The constraints of a table of the shared program.
    fn take(&mut self, plan: &ChrPlan, id: ConstraintId) -> Table {
        let none = Table::without_indexes(&plan.tables[id]);
        match self.tables.get_mut(id.index()) {
            Some(table) => std::mem::replace(table, none),
            None => none,
        }
    }
}
