//! How the tables of a run in rounds keep their rows, by what the plan knows of them.

use crate::exec::code::Code;
use crate::exec::table::Table;
use crate::ir::{ChrPlan, Joins};
use gchr_base::ids::Id;
use gchr_base::signature::ConstraintId;

/// The tables of a run, and what the search for partners needs of them.
pub(crate) struct RoundsStoring {
    pub(crate) tables: Vec<Table>,
    /// By table: the indexes that constraints of it look for partners in, where these are brought up to date before a
    /// round.
    pub(crate) looks_in: Vec<Vec<(usize, usize)>>,
}

impl RoundsStoring {
    /// `whole` keeps what a trace shows.
    pub(crate) fn new(plan: &ChrPlan, code: &Code, whole: bool) -> Self {
        let mut tables: Vec<Table> = plan.tables.iter().map(Table::new).collect();
        let looks_in = looks_in(plan, code, |_| true);
        for reduction in &plan.classes.reductions {
            let (table, index) = (reduction.constraint.index(), reduction.index);
            let is_joined = looks_in.iter().flatten().any(|&look| look == (table, index));
            if plan.joins == Joins::Exhaustive || whole || is_joined || reduction.best.is_some() {
                tables[table].make_unique(index);
            } else {
                tables[table].make_set(index, plan.carried_column(reduction.constraint));
            }
        }
        if plan.joins == Joins::Exhaustive {
            return Self { looks_in: vec![Vec::new(); tables.len()], tables };
        }
        // Rules that replace values look for partners at other times than general ones.
        let replacing = looks_in_of_replacements(plan, code);
        for (id, table) in plan.tables.ids().zip(&mut tables).filter(|(id, _)| only_grows(plan, *id)) {
            let by_reductions: Vec<usize> =
                plan.classes.reductions.iter().filter(|r| r.constraint == id).map(|r| r.index).collect();
            let is_early =
                |index: usize| by_reductions.contains(&index) || replacing.contains(&(id.index(), index));
            table.keep_rows(|index| !is_early(index));
        }
        Self { tables, looks_in }
    }
}

/// Whether no constraint of a table is ever removed from the store.
fn only_grows(plan: &ChrPlan, table: ConstraintId) -> bool {
    let mut reductions = plan.classes.reductions.iter().filter(|r| r.constraint == table);
    plan.tables[table].removed_by.is_empty() && reductions.all(|r| r.best.is_none())
}

fn looks_in_of_replacements(plan: &ChrPlan, code: &Code) -> Vec<(usize, usize)> {
    looks_in(plan, code, |general| !general).concat()
}

/// By table: the indexes in which the occurrences of its symbol look for partners, of rules that are general or not.
fn looks_in(plan: &ChrPlan, code: &Code, wanted: impl Fn(bool) -> bool) -> Vec<Vec<(usize, usize)>> {
    let of_table = |activation: &crate::exec::code::Activation| {
        let occurrences = activation.occurrences.iter().filter(|o| wanted(plan.is_general(o.rule)));
        let levels = occurrences.flat_map(|o| &o.levels).map(|level| (level.table, level.index));
        let mut looks: Vec<(usize, usize)> = levels.collect();
        looks.sort_unstable();
        looks.dedup();
        looks
    };
    code.activations.iter().map(of_table).collect()
}
