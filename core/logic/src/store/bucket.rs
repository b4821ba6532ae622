//! Constraints of a table, or of a key of it, by age.

use std::collections::VecDeque;

use gchr_base::hash::HashMap;

/// Constraints by age, oldest first; some may be dead, but neither the oldest nor the youngest one.
#[derive(Clone, Default, Debug)]
pub(crate) struct Bucket {
    pub ids: VecDeque<u32>,
    pub dead: usize,
}

/// Dead constraints that were taken off both ends of a bucket, oldest first.
#[derive(Default, Debug)]
pub(crate) struct Trimmed {
    pub oldest: Vec<u32>,
    pub youngest: Vec<u32>,
}

/// Constraints of one symbol.
#[derive(Clone, Default, Debug)]
pub(crate) struct Table {
    pub all: Bucket,
    pub indexes: Vec<HashMap<u64, Bucket>>,
    /// Of each index, whether it may miss constraints that a head is unified with: some had variables in columns that
    /// are declared `+`.
    pub incomplete: Vec<bool>,
}

impl Bucket {
    pub fn insert(&mut self, id: u32) {
        match self.ids.back() {
            Some(&last) if last > id => {
                let at = self.ids.partition_point(|&other| other < id);
                self.ids.insert(at, id);
            }
            _ => self.ids.push_back(id),
        }
    }
    pub fn remove(&mut self, id: u32) {
        if let Ok(at) = self.ids.binary_search(&id) {
            self.ids.remove(at);
        }
    }
    /// Takes the dead off both ends, so that a search that begins there finds a live one at once, however many were
    /// there before.
    pub fn trim(&mut self, is_alive: impl Fn(u32) -> bool) -> Trimmed {
        let mut trimmed = Trimmed::default();
        while self.dead > 0
            && let Some(&id) = self.ids.back()
            && !is_alive(id)
        {
            self.ids.pop_back();
            trimmed.youngest.push(id);
            self.dead -= 1;
        }
        while self.dead > 0
            && let Some(&id) = self.ids.front()
            && !is_alive(id)
        {
            self.ids.pop_front();
            trimmed.oldest.push(id);
            self.dead -= 1;
        }
        trimmed.youngest.reverse();
        trimmed
    }
    /// Takes [`trim`](Self::trim) back.
    pub fn untrim(&mut self, trimmed: Trimmed) {
        self.dead += trimmed.oldest.len() + trimmed.youngest.len();
        trimmed.oldest.into_iter().rev().for_each(|id| self.ids.push_front(id));
        self.ids.extend(trimmed.youngest);
    }
    /// The youngest constraint that is older than one, or than all for `u32::MAX`; dead ones too.
    pub fn before(&self, id: u32) -> Option<u32> {
        match self.ids.back() {
            Some(&last) if last < id => Some(last),
            _ => {
                let at = self.ids.partition_point(|&other| other < id);
                at.checked_sub(1).map(|at| self.ids[at])
            }
        }
    }
    /// The next constraint behind one, or the first one for `u32::MAX`; dead ones too: those from `met` on come from
    /// the youngest to the oldest, then the others from the oldest to the youngest.
    pub fn behind(&self, id: u32, met: u32) -> Option<u32> {
        if id >= met {
            match self.before(id) {
                Some(found) if found < met => self.ids.front().copied(),
                found => found,
            }
        } else {
            let at = self.ids.partition_point(|&other| other <= id);
            self.ids.get(at).copied().filter(|&found| found < met)
        }
    }
}

impl Trimmed {
    /// Whether nothing was taken off.
    pub fn is_empty(&self) -> bool {
        self.oldest.is_empty() && self.youngest.is_empty()
    }
}
