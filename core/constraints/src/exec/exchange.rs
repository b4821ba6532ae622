//! Stores as words: how backends that run elsewhere take constraints, and give them back.
//!
//! A word is what a column stores: an integer or the bits of a float, the number of a text, a tagged word of the
//! store's heap.

use super::store::Store;
use super::table::{DEAD, Table};
use crate::ir::ChrPlan;
use gchr_base::ids::Id;
use gchr_base::signature::ConstraintId;
use gchr_base::value::Heap;

/// A constraint as words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Words {
    /// Its symbol.
    pub constraint: ConstraintId,
    /// Its id.
    pub id: u64,
    /// One word a column.
    pub values: Vec<u64>,
}

impl Store {
    /// All constraints in the order of their ids.
    pub fn words(&self) -> Vec<Words> {
        let mut all = Vec::with_capacity(self.len());
        for (index, table) in self.tables.iter().enumerate() {
            let constraint = ConstraintId::from_index(index);
            let row = |row: u32| Words {
                constraint,
                id: table.ids.get(row),
                values: table.columns.iter().map(|c| c.get(row)).collect(),
            };
            all.extend(table.rows().map(row));
        }
        all.sort_unstable_by_key(|w| w.id);
        all
    }

    /// The heap that words of sort `Any` are of.
    pub fn heap(&self) -> &Heap {
        &self.heap
    }

    /// A store without constraints for a plan's tables. Words of sort `Any` that come to it must be those of `heap`.
    pub fn new(plan: &ChrPlan, heap: Heap) -> Self {
        Self { tables: plan.tables.iter().map(Table::without_indexes).collect(), heap }
    }

    /// Adds a constraint: its id, and one word a column. Says whether there is such a table, and room in it.
    #[must_use]
    pub fn insert(&mut self, constraint: ConstraintId, id: u64, values: &[u64]) -> bool {
        debug_assert_ne!(id, DEAD);
        let table = self.tables.get_mut(constraint.index());
        table.is_some_and(|table| table.columns.len() == values.len() && table.insert(id, values).is_ok())
    }
}
