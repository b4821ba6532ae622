//! Accesses to shared and global memory, and pairs of them that may touch the same element.

use std::sync::Arc;

use super::model::{Key, Root, Site};
use super::poly::Poly;
use super::state::{LastBarrier, PathCondition};
use super::symbol::{Level, Symbols};

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum AccessKind {
    Read,
    Write,
    AtomicRead,
    AtomicWrite,
    /// The thread says that it owns the element.
    Claim,
}

impl AccessKind {
    pub fn name(self) -> &'static str {
        match self {
            AccessKind::Read => "read",
            AccessKind::Write => "write",
            AccessKind::AtomicRead => "atomic read",
            AccessKind::AtomicWrite => "atomic write",
            AccessKind::Claim => "claim",
        }
    }
    pub fn writes(self) -> bool {
        matches!(self, AccessKind::Write | AccessKind::AtomicWrite)
    }
    pub fn only_reads(self) -> bool {
        matches!(self, AccessKind::Read | AccessKind::AtomicRead)
    }
    pub fn is_atomic(self) -> bool {
        matches!(self, AccessKind::AtomicRead | AccessKind::AtomicWrite)
    }
}

/// An access to shared or global memory.
#[derive(Clone, Debug)]
pub(super) struct Access<'m> {
    pub root: Root,
    pub index: Poly,
    pub field: Option<u32>,
    pub kind: AccessKind,
    /// Whether the thread owns the element, by an assumption that the kernel names.
    pub owned: bool,
    /// An atomic load that is taken for uniform: no thread writes the element at the same time.
    pub uniform: bool,
    pub path: PathCondition,
    pub since: [Arc<[LastBarrier]>; 2],
    pub site: Site<'m>,
    pub key: Key,
}

/// Which two threads an access is compared for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Pair {
    /// Two threads of a block, between barriers of the block.
    Block,
    /// Threads of two blocks, between barriers of the grid.
    Grid,
}

impl Pair {
    /// Which barriers count.
    pub fn scope(self) -> usize {
        usize::from(self != Pair::Block)
    }
    /// Whether two threads share a symbol.
    pub fn shares(self, symbols: &Symbols, var: u32) -> bool {
        let symbol = symbols.get(var);
        let level = if self == Pair::Block { Level::Block } else { Level::Grid };
        symbol.level <= level && !symbol.varies[self.scope()]
    }
}

/// Two accesses that were not proved disjoint.
pub(super) struct Conflict<'a, 'm> {
    pub pair: Pair,
    pub one: &'a Access<'m>,
    pub other: &'a Access<'m>,
}

/// An atomic load of an element that another thread may write at the same time: threads may get different values.
#[derive(Clone)]
pub(super) struct DivergentLoad<'m> {
    pub key: Key,
    pub load: Site<'m>,
    pub store: Site<'m>,
}
