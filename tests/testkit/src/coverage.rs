//! Which constructs of a language a program uses, by name; and which there are. A generator that covers a language uses
//! all of them.
//!
//! What there is follows from the types of the syntax trees and of the rules, whose matches are exhaustive here, and
//! from the table of operators: a construct that is added to a language has no name here until its generator is asked
//! for it.

pub mod constraints;
mod rules;
pub mod terms;

use std::collections::BTreeMap;

/// How many programs use each construct.
#[derive(Clone, Default, Debug)]
pub struct Coverage {
    counts: BTreeMap<String, u64>,
}

impl Coverage {
    /// Nothing used yet, of these constructs.
    pub fn new(constructs: impl IntoIterator<Item = String>) -> Self {
        Self { counts: constructs.into_iter().map(|name| (name, 0)).collect() }
    }

    /// Counts the constructs of a program, each once.
    pub fn count(&mut self, constructs: impl IntoIterator<Item = String>) {
        let used: std::collections::BTreeSet<String> = constructs.into_iter().collect();
        for name in used {
            *self.counts.entry(name).or_default() += 1;
        }
    }

    /// Adds what another one has counted.
    pub fn add(&mut self, other: &Coverage) {
        for (name, count) in &other.counts {
            *self.counts.entry(name.clone()).or_default() += count;
        }
    }

    /// The constructs that no program used.
    pub fn missing(&self) -> Vec<&str> {
        self.counts.iter().filter(|(_, count)| **count == 0).map(|(name, _)| name.as_str()).collect()
    }

    /// Number of constructs.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// The constructs and how many programs use each.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        self.counts.iter().map(|(name, count)| (name.as_str(), *count))
    }
}
