//! How the tables of a run of the refined semantics keep their rows, by what its code shows of them.

use super::code::{Access, Code, OccurrenceCode};
use super::table::Table;
use crate::ir::ChrPlan;
use gchr_base::ids::Id;

/// What is known of the tables of a program before it runs. By table, that is by constraint symbol.
#[derive(Debug)]
pub struct Storing {
    keeps_rows: Vec<bool>,
    /// By table and index.
    unique: Vec<Vec<bool>>,
    /// The same: whether such an index only says whether there is a key.
    sets: Vec<Vec<bool>>,
    /// By table: the tables that bodies of its occurrences add to.
    added: Vec<Vec<usize>>,
}

impl Storing {
    /// What the code of a plan shows.
    pub fn new(plan: &ChrPlan, code: &Code) -> Self {
        let tables = code.activations.len();
        let mut keeps_rows = vec![true; tables];
        for (table, activation) in code.activations.iter().enumerate() {
            let unstored = unstored(&activation.occurrences);
            for (k, occurrence) in activation.occurrences.iter().enumerate() {
                occurrence
                    .removed
                    .iter()
                    .for_each(|&level| keeps_rows[occurrence.levels[level].table] = false);
                keeps_rows[table] &= !occurrence.removes_active || k < unstored;
            }
        }
        let unique = plan.tables.iter_enumerated().map(|(id, table)| {
            let (own, occurrences) = (id.index(), &code.activations[id.index()].occurrences);
            let first = &occurrences[..unstored(occurrences)];
            let indexes = table.indexes.iter().enumerate();
            let is_unique = |(i, index): (usize, &crate::ir::IndexPlan)| {
                keeps_rows[own] && first.iter().any(|o| removes_second(o, own, i, &index.columns))
            };
            indexes.map(is_unique).collect()
        });
        let unique: Vec<Vec<bool>> = unique.collect();
        let mut sets = unique.clone();
        for (own, activation) in code.activations.iter().enumerate() {
            for occurrence in &activation.occurrences {
                for level in &occurrence.levels {
                    let columns = &plan.tables.as_slice()[level.table].indexes[level.index].columns;
                    let asks_only =
                        level.table == own && removes_second(occurrence, own, level.index, columns);
                    sets[level.table][level.index] &= asks_only;
                }
            }
        }
        Self { unique, sets, added: added(plan, tables), keeps_rows }
    }

    /// Whether no constraint of a table is removed once it is stored.
    pub fn keeps_rows(&self, table: usize) -> bool {
        self.keeps_rows[table]
    }

    /// Whether no two constraints of a table have the same key of an index.
    pub fn is_unique(&self, table: usize, index: usize) -> bool {
        self.unique[table][index]
    }

    /// Whether constraints of a table may be added while one of another is active.
    pub fn adds(&self, active: usize, table: usize) -> bool {
        self.reached(active)[table]
    }

    /// The tables that constraints may be added to while one of a table is active.
    fn reached(&self, active: usize) -> Vec<bool> {
        let mut adds = vec![false; self.added.len()];
        let mut reached = self.added[active].clone();
        while let Some(table) = reached.pop() {
            if !std::mem::replace(&mut adds[table], true) {
                reached.extend(&self.added[table]);
            }
        }
        adds
    }

    /// The tables, empty. `whole`: partners are shown, so that all are to be found.
    pub(crate) fn tables(&self, plan: &ChrPlan, whole: bool) -> Vec<Table> {
        let mut tables: Vec<Table> = plan.tables.iter().map(Table::new).collect();
        for (t, table) in tables.iter_mut().enumerate().filter(|(t, _)| self.keeps_rows[*t]) {
            for i in (0..self.unique[t].len()).filter(|&i| self.unique[t][i]) {
                if self.sets[t][i] && !whole { table.make_set(i, None) } else { table.make_unique(i) }
            }
            table.keep_rows(|_| false);
        }
        tables
    }
}

/// Number of occurrences that meet the active constraint before it is stored by one of them.
fn unstored(occurrences: &[OccurrenceCode]) -> usize {
    let stores = occurrences.iter().position(OccurrenceCode::stores_active);
    stores.map_or(occurrences.len(), |first| first + 1)
}

/// Whether an occurrence removes the active constraint whenever there is another one of its table with the same values
/// in some columns.
fn removes_second(occurrence: &OccurrenceCode, table: usize, index: usize, columns: &[usize]) -> bool {
    let [level] = &occurrence.levels[..] else { return false };
    let is_own = match &level.access {
        Access::All => false,
        Access::One(a) => columns == [*a as usize],
        Access::Two(a, b) => columns == [*a as usize, *b as usize],
        Access::Many(key) => columns.iter().map(|&c| c as u32).eq(key.iter().copied()),
    };
    let is_free = occurrence.entry.is_none()
        && occurrence.entry_prunes.is_empty()
        && (level.key, level.check, occurrence.commit) == (None, None, None)
        && level.prunes.is_empty()
        && level.distinct.is_empty();
    occurrence.removes_active && (level.table, level.index) == (table, index) && is_own && is_free
}

/// By table: the tables that bodies of its occurrences add to.
fn added(plan: &ChrPlan, tables: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new(); tables];
    for occurrence in plan.occurrences.iter() {
        all[occurrence.constraint.index()].extend(plan.rules[occurrence.rule].added().map(Id::index));
    }
    for added in &mut all {
        added.sort_unstable();
        added.dedup();
    }
    all
}
