//! The propagation history: instances that fired, for the few rules that need one.

use crate::ir::ChrPlan;
use gchr_base::hash::HashMap;
use gchr_base::memory::{self, Shortage};
use gchr_base::rule::RuleId;

use super::table::Table;

/// A rule and the ids of its constraints, by head.
type Instance = (RuleId, Box<[u64]>);

/// Bytes of a bucket of the table.
const BUCKET: u64 = 48;

/// Instances that fired. Those with a dead constraint are forgotten from time to time.
#[derive(Default)]
pub(super) struct History {
    /// With the rows that the constraints are, or were, in.
    instances: HashMap<Instance, Box<[u32]>>,
    /// Look for dead ones at this size.
    threshold: usize,
    bytes: u64,
}

impl History {
    const FIRST_THRESHOLD: usize = 1 << 12;

    pub(super) fn contains(&self, rule: RuleId, instance: &[(u64, u32)]) -> bool {
        let ids: Box<[u64]> = instance.iter().map(|m| m.0).collect();
        self.instances.contains_key(&(rule, ids))
    }

    pub(super) fn insert(
        &mut self,
        rule: RuleId,
        instance: Vec<(u64, u32)>,
        plan: &ChrPlan,
        tables: &[Table],
    ) -> Result<(), Shortage> {
        if self.instances.len() >= self.threshold.max(Self::FIRST_THRESHOLD) {
            self.instances.retain(|(rule, ids), rows| {
                let heads = plan.rules[*rule].heads.iter();
                heads
                    .zip(ids.iter().zip(rows.iter()))
                    .all(|(head, (&id, &row))| tables[head.constraint.0 as usize].ids.get(row) == id)
            });
            self.threshold = self.instances.len() * 2;
        }
        if self.instances.len() == self.instances.capacity() {
            // The table doubles beside the old one.
            memory::ask(self.instances.capacity() as u64 * 2 * BUCKET)?;
        }
        let heads = instance.len() as u64;
        let (ids, rows): (Vec<u64>, Vec<u32>) = instance.into_iter().unzip();
        self.instances.insert((rule, ids.into()), rows.into());
        // Entry, boxes and their headers.
        self.bytes =
            self.instances.capacity() as u64 * BUCKET + self.instances.len() as u64 * (heads * 12 + 32);
        Ok(())
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }
}
