//! The one place where hash tables and their hasher are chosen.

pub use rustc_hash::{FxBuildHasher as Hasher, FxHasher};

/// Hash map with the project's hasher.
pub type HashMap<K, V> = hashbrown::HashMap<K, V, Hasher>;
/// Hash set with the project's hasher.
pub type HashSet<K> = hashbrown::HashSet<K, Hasher>;
/// Hash table whose entries are hashed and compared by the caller.
pub type HashTable<T> = hashbrown::HashTable<T>;
