//! Stores as words: how backends that run elsewhere take constraints, and give them back.
//!
//! A word is what a column stores: an integer or the bits of a float, the number of a text, a tagged word of the store's heap.

use super::store::Store;
use super::table::{DEAD, Table, TableFull};
use crate::ids::Id;
use crate::plan::chr::ChrPlan;
use crate::signature::ConstraintId;
use crate::value::Heap;

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

    /// A store of the constraints of a plan's tables; `None` when a table has more rows than it can number. Words of sort `Any` must be
    /// those of `heap`.
    pub fn from_words(plan: &ChrPlan, heap: Heap, words: impl IntoIterator<Item = Words>) -> Option<Self> {
        let mut tables: Vec<Table> = plan.tables.iter().map(Table::without_indexes).collect();
        for word in words {
            debug_assert_ne!(word.id, DEAD);
            let table = tables.get_mut(word.constraint.index())?;
            table.insert(word.id, &word.values).map_err(|TableFull| ()).ok()?;
        }
        Some(Self { tables, heap })
    }
}
