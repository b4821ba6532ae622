//! Changes of the store, as backtracking takes them back.

use super::bucket::{Bucket, Trimmed};

/// A change of the store.
#[derive(Debug)]
pub(crate) enum Change {
    Added,
    Killed(u32),
    Generation(u32, u32),
    /// A constraint had this key in an index.
    Key(u32, usize, u64),
    /// Dead constraints were taken off the ends of a bucket: table, index and key.
    Trimmed(u32, Option<(usize, u64)>, Trimmed),
    /// A bucket was freed of its dead: table, index and key, and what it was.
    Purged(u32, Option<(usize, u64)>, BeforePurge),
    /// A combination fired.
    Fired(u32, Box<[u32]>),
}

/// A bucket before its dead were taken out.
#[derive(Debug)]
pub(crate) struct BeforePurge(pub Bucket);
