//! Maps whose changes are taken back: what is known inside of a block of code, and not behind it.

use std::hash::Hash;
use std::ops::Deref;

use crate::hash::HashMap;

/// A hash map with a record of its changes. To leave a block takes time in proportion to the changes in it, however
/// much the map has.
pub struct ScopedMap<K, V> {
    map: HashMap<K, V>,
    /// The keys that were changed, with the values that they had before.
    changes: Vec<(K, Option<V>)>,
}

impl<K, V> Default for ScopedMap<K, V> {
    fn default() -> Self {
        Self { map: HashMap::default(), changes: Vec::new() }
    }
}

impl<K, V> Deref for ScopedMap<K, V> {
    type Target = HashMap<K, V>;

    fn deref(&self) -> &HashMap<K, V> {
        &self.map
    }
}

impl<K: Clone + Eq + Hash, V> ScopedMap<K, V> {
    /// Gives a key a value until the block at hand is left.
    pub fn insert(&mut self, key: K, value: V) {
        let before = self.map.insert(key.clone(), value);
        self.changes.push((key, before));
    }

    /// Enters a block: what [`leave`](Self::leave) is given at its end.
    pub fn enter(&self) -> usize {
        self.changes.len()
    }

    /// Takes back all changes since a block was entered.
    pub fn leave(&mut self, entered: usize) {
        for (key, before) in self.changes.drain(entered..).rev() {
            match before {
                Some(value) => self.map.insert(key, value),
                None => self.map.remove(&key),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_of_a_block_are_taken_back() {
        let mut map = ScopedMap::default();
        map.insert(1, "one");
        let outer = map.enter();
        map.insert(1, "another one");
        map.insert(2, "two");
        let inner = map.enter();
        map.insert(2, "again");
        map.insert(2, "and again");
        assert_eq!((map.get(&1), map.get(&2)), (Some(&"another one"), Some(&"and again")));
        map.leave(inner);
        assert_eq!(map.get(&2), Some(&"two"));
        map.leave(outer);
        assert_eq!((map.get(&1), map.get(&2), map.len()), (Some(&"one"), None, 1));
    }
}
