//! Counters of a run.

/// What a run counts.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Counters {
    /// Rules applied: instructions, counted per warp.
    pub steps: u64,
    /// Instructions, counted per active lane.
    pub thread_steps: u64,
    /// Memory segments touched by loads, counted per instruction and warp.
    pub load_transactions: u64,
    /// The same for stores.
    pub store_transactions: u64,
    /// Atomic increments, counted per lane.
    pub atomics: u64,
    /// Branches that split a warp.
    pub divergent_branches: u64,
}
