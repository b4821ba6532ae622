//! What the bodies of fired candidates come to, before it is put into the tables.

use crate::exec::round::Failure;
use crate::exec::round::bodies::Adds;

/// What the bodies of some fired candidates add and write.
#[derive(Default)]
pub(super) struct Bodies {
    pub(super) adds: Adds,
    /// For each candidate where its adds end.
    pub(super) ends: Vec<u32>,
    pub(super) failure: Option<Failure>,
}

impl Bodies {
    /// Forgets all of it.
    pub(super) fn clear(&mut self) {
        self.adds.clear();
        self.ends.clear();
        self.failure = None;
    }
}
