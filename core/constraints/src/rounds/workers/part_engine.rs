//! What a worker needs of the engine that keeps its part of the store: on the processor, or on a device.

use super::{Counts, Worker};
use crate::exec::Store;
use crate::exec::common::Stop;
use crate::rounds::checkpoint::{Checkpoints, Part};
use crate::rounds::parcel::Parcels;
use gchr_base::control::{Control, Limits};
use gchr_base::error::StopReason;

/// The engine under a worker: it runs the program of a worker over the part of the store that is the worker's.
///
/// A round is [`rounds`](Self::rounds), then [`leave`](Self::leave); when all workers have met, [`met`](Self::met),
/// [`receive`](Self::receive), where constraints go on to copies [`forward`](Self::forward) and `receive` again, and
/// [`end_round`](Self::end_round). After an error nothing but [`counts`](Self::counts), [`bytes`](Self::bytes) and
/// [`met`](Self::met) is called.
pub trait PartEngine {
    /// How many batches the run has: the facts with the goals of the first query are one, each further query is one of
    /// its own.
    fn batches(&self) -> usize;

    /// Adds what is this worker's of a batch.
    fn start(&mut self, batch: usize) -> Result<(), Stop>;

    /// Does up to `most` rounds; says how many had candidates, fewer than `most` only where nothing is left to do. With
    /// more than one to do, nothing is exchanged in the batch: an engine may do them all then.
    fn rounds(&mut self, most: u64) -> Result<u64, Stop>;

    /// Takes what the last round has added, and is kept at other workers, out of the outboxes.
    fn leave(&mut self) -> Result<Parcels, Stop>;

    /// All workers together have done so many rounds since the start of the run.
    fn met(&mut self, rounds: u64);

    /// Puts what other workers have sent into the store.
    fn receive(&mut self, parcels: Vec<Vec<u64>>) -> Result<(), Stop>;

    /// What goes on from homes to copies: what came there in this round and lives.
    fn forward(&mut self) -> Result<Parcels, Stop>;

    /// Lets the next round start from what this one has added and received.
    fn end_round(&mut self) -> Result<(), Stop>;

    /// What this worker counts of the run.
    fn counts(&self) -> Counts;

    /// Whether candidates are counted.
    fn counts_candidates(&self) -> bool;

    /// Bytes that its part takes.
    fn bytes(&self) -> u64;

    /// The most bytes that it took.
    fn peak(&self) -> u64;

    /// The limits of the run.
    fn limits(&self) -> Limits;

    /// A stop of the run outside of any rule.
    fn stop(&self, reason: StopReason) -> Stop;

    /// The part of a checkpoint, between `receive` and `end_round` of a round of this query.
    fn save(&self, counts: Counts, query: usize) -> Result<Part, StopReason>;

    /// Goes on from a checkpoint; what all workers had counted, and the query whose batch goes on.
    fn restore(&mut self, checkpoints: &dyn Checkpoints) -> Result<(Counts, usize), Stop>;

    /// How many constraints the worker has, by table of its program.
    fn sizes(&self) -> Vec<u64>;

    /// The constraints of the worker, when the run is over.
    fn take_store(&mut self) -> Result<Store, Stop>;
}

/// What makes the engines of the workers of a process.
pub trait Engines: Sync {
    /// Makes the engine of a worker, and lets it work. The thread is the worker's own.
    fn with_engine(
        &self,
        worker: Worker,
        control: &mut Control<'_>,
        work: &mut dyn FnMut(&mut dyn PartEngine),
    ) -> Result<(), Stop>;
}
