//! The test of `assume_uniform`: what a thread gives the nth time is what every other thread gives the nth time.

use gchr_base::hash::HashMap;

/// Turns that are remembered of a statement: the distance between threads that agree is at most one barrier.
const WINDOW: u32 = 64;

/// What a thread gave.
#[derive(Clone, Copy)]
pub(crate) struct Given {
    pub thread: u32,
    pub value: u64,
}

/// What the threads of a launch have agreed on so far.
#[derive(Default)]
pub(crate) struct Agreement {
    /// How often a thread has come to a statement.
    turns: HashMap<(u32, u32), u32>,
    /// What the first one gave at a statement, in a block or (`None`) in the grid, in a turn.
    first: HashMap<(u32, Option<u32>, u32), Given>,
}

impl Agreement {
    /// Takes the value of a thread; gives the one that it differs from.
    pub fn check(&mut self, site: u32, block: Option<u32>, thread: u32, value: u64) -> Option<Given> {
        let count = self.turns.entry((site, thread)).or_insert(0);
        let turn = *count;
        *count += 1;
        if let Some(old) = turn.checked_sub(WINDOW) {
            self.first.remove(&(site, block, old));
        }
        let first = *self.first.entry((site, block, turn)).or_insert(Given { thread, value });
        (first.value != value).then_some(first)
    }
}
