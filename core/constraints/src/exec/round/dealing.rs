//! Which worker has a constraint.

use crate::ir::places::Place;
use gchr_base::ids::{Id, IdVec};
use gchr_base::signature::ConstraintId;

/// One of the workers of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Worker {
    /// Its number, from 0.
    pub rank: usize,
    /// How many there are.
    pub ranks: usize,
}

impl Worker {
    /// Whether it has what is at a place; `value` gives the columns of a constraint.
    pub(crate) fn has(self, place: &Place, value: impl Fn(usize) -> u64) -> bool {
        owner(self.ranks, place, value).is_none_or(|owner| owner == self.rank)
    }
}

/// The worker of a constraint at a place; `None`: all of them.
pub(crate) fn owner(ranks: usize, place: &Place, value: impl Fn(usize) -> u64) -> Option<usize> {
    match place {
        Place::Everywhere => None,
        Place::By(columns) => Some(columns.first().map_or(0, |&column| worker_of(ranks, value(column)))),
    }
}

/// The worker of a value: neighbours go to different ones, and each gets about as many (Knuth: The Art of Computer
/// Programming, volume 3, section 6.4, multiplicative hashing).
pub(crate) fn worker_of(ranks: usize, word: u64) -> usize {
    let mixed = (word ^ (word >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((u128::from(mixed) * ranks as u128) >> 64) as usize
}

/// Where the constraints of a table are kept that all workers are given.
#[derive(Clone, Debug)]
pub(crate) struct Deal {
    /// The table at its home, then its copies: each with its place.
    pub(crate) places: Vec<(Place, ConstraintId)>,
}

impl Deal {
    /// The tables of a worker that have a constraint.
    pub(crate) fn tables(&self, worker: Worker, value: impl Fn(usize) -> u64) -> impl Iterator<Item = usize> {
        let own = self.places.iter().filter(move |(place, _)| worker.has(place, &value));
        own.map(|(_, table)| table.index())
    }

    /// The copies of a table, without its home.
    pub(crate) fn copies(&self) -> &[(Place, ConstraintId)] {
        self.places.get(1..).unwrap_or_default()
    }
}

/// How a worker keeps its part of the constraints that all workers are given.
#[derive(Clone, Copy)]
pub(crate) struct Dealing<'a> {
    pub(crate) deals: &'a IdVec<ConstraintId, Deal>,
    pub(crate) worker: Worker,
}
