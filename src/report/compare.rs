//! Comparisons: several programs for one problem, or one program in several ways, over several sizes.
//!
//! A [`Plan`] says what is compared; [`Plan::run`] measures cell by cell, checks that the answers agree through the
//! declared [`Mapping`], and gives a [`Comparison`], which prints as a table, JSON, or a page. `docs/comparison.md`
//! describes the mapping and what the numbers teach.

mod answer;
mod comparison;
mod growth;
mod html;
mod mapping;
mod measure;
mod measured;
mod plan;
mod table;
#[cfg(test)]
mod tests;

use std::sync::atomic::AtomicBool;

use crate::report::machine::Machine;

pub use answer::Answered;
pub use comparison::Comparison;
pub use growth::Growth;
pub use mapping::{Mapping, Side};
pub use measured::Measured;
pub use plan::{Plan, Row, Subject, Variant};

impl Comparison {
    /// Whether all answers that there are agree.
    pub fn agrees(&self) -> bool {
        self.rows.iter().all(|row| row.agrees != Some(false))
    }

    /// Whether every cell has a result.
    pub fn is_complete(&self) -> bool {
        self.rows.iter().all(|row| row.outcome.is_ok())
    }

    /// The report as one page.
    pub fn html(&self) -> String {
        html::page(self)
    }
}

impl std::fmt::Display for Comparison {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        table::write(self, f)
    }
}

impl Plan {
    /// Measures all cells. `progress` hears of each before it runs, and says whether to go on.
    ///
    /// `interrupt` stops a run in the middle.
    pub fn run(&self, interrupt: &AtomicBool, mut progress: impl FnMut(&str) -> bool) -> Comparison {
        let sizes: Vec<Option<u64>> =
            if self.sizes.is_empty() { vec![None] } else { self.sizes.iter().copied().map(Some).collect() };
        let work = measure::CellRuns { repeats: self.repeats, interrupt };
        let mut rows = Vec::new();
        'all: for size in sizes {
            let mut reference: Option<Answered> = None;
            for subject in &self.subjects {
                let fits = |variant: &&Variant| variant.language.is_none_or(|l| l == subject.language);
                for variant in self.variants.iter().filter(fits) {
                    let row = Row::empty(subject, variant, size);
                    if !progress(&row.name()) {
                        break 'all;
                    }
                    rows.push(measure::cell(&work, subject, variant, row, &mut reference));
                }
            }
        }
        let growth = growth::of(&rows);
        let machine = Machine::here();
        Comparison { title: self.title.clone(), command: None, machine, repeats: self.repeats, rows, growth }
    }
}
