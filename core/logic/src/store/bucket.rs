//! Constraints of a table, or of a key of it, by age.

use gchr_base::hash::HashMap;

/// Constraints by age, oldest first; some may be dead.
#[derive(Clone, Default, Debug)]
pub(crate) struct Bucket {
    pub ids: Vec<u32>,
    pub dead: usize,
}

/// Constraints of one symbol.
#[derive(Clone, Default, Debug)]
pub(crate) struct Table {
    pub all: Bucket,
    pub indexes: Vec<HashMap<u64, Bucket>>,
}

impl Bucket {
    pub fn insert(&mut self, id: u32) {
        match self.ids.last() {
            Some(&last) if last > id => {
                let at = self.ids.partition_point(|&other| other < id);
                self.ids.insert(at, id);
            }
            _ => self.ids.push(id),
        }
    }
    pub fn remove(&mut self, id: u32) {
        if let Ok(at) = self.ids.binary_search(&id) {
            self.ids.remove(at);
        }
    }
    /// The youngest constraint that is older than one, or than all for `u32::MAX`; dead ones too.
    pub fn before(&self, id: u32) -> Option<u32> {
        match self.ids.last() {
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
                Some(found) if found < met => self.ids.first().copied(),
                found => found,
            }
        } else {
            let at = self.ids.partition_point(|&other| other <= id);
            self.ids.get(at).copied().filter(|&found| found < met)
        }
    }
}
