//! Comparisons: several programs for one problem, or one program in several ways, over several sizes.
//!
//! A [`Plan`] says what is compared; [`Plan::run`] measures cell by cell, checks that the answers agree through the declared [`Mapping`],
//! and gives a [`Comparison`], which prints as a table, JSON, or a page. `docs/comparison.md` describes the mapping and what the numbers teach.

mod answer;
mod growth;
mod html;
mod mapping;
mod measure;
mod table;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde::Serialize;

use gchr_base::control::Limits;
use gchr_base::source::SourceMap;

use crate::diagnostics::Diagnostics;
use crate::executable::CompileOptions;
use crate::input::{Input, Language, PROGRAM_FILE, read_text};

pub use answer::Answered;
pub use growth::{Growth, exponent};
pub use mapping::{Mapping, Side};
pub use measure::{Measured, Spread, spread};
pub(crate) use table::write_aligned;

/// A program that takes part.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Name in the report.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
    /// Its language.
    pub language: Language,
    /// Term or goals to start it on, with `{n}` for the size; `None` for the start in the file.
    pub start: Option<String>,
    /// Rules that turn its result into the common answer.
    pub answer: Option<String>,
}

impl Subject {
    /// Whether its file is there and is a text.
    pub fn check_file(&self) -> Result<(), Diagnostics> {
        let mut sources = SourceMap::new();
        let read = read_text(&self.path, &mut sources, PROGRAM_FILE);
        read.map(|_| ()).map_err(|found| Diagnostics::new(Arc::new(sources), vec![*found]))
    }

    /// The program with its start at a size.
    pub fn input(&self, size: Option<u64>) -> Input {
        let input = Input::file(&self.path).language(self.language);
        let Some(start) = &self.start else { return input };
        let start = match size {
            Some(n) => start.replace("{n}", &n.to_string()),
            None => start.clone(),
        };
        match self.language {
            Language::Terms => input.term(start),
            Language::Constraints => input.query(start),
        }
    }
}

/// One way to run programs.
#[derive(Clone, Debug)]
pub struct Variant {
    /// How it was asked for; empty for the defaults.
    pub label: String,
    /// The language whose programs it is for; `None` for both.
    pub language: Option<Language>,
    /// How to compile.
    pub options: CompileOptions,
    /// Limits of each run.
    pub limits: Limits,
}

/// What is to be compared.
#[derive(Clone, Debug)]
pub struct Plan {
    /// What the problem is called.
    pub title: String,
    /// Programs.
    pub subjects: Vec<Subject>,
    /// Ways to run each of them.
    pub variants: Vec<Variant>,
    /// Sizes; empty for the starts in the files.
    pub sizes: Vec<u64>,
    /// Timed runs of each cell.
    pub repeats: usize,
}

/// One program in one way at one size.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Name of the program.
    pub program: String,
    /// The options it ran with.
    pub options: String,
    /// Its size; `None` for the start in the file.
    pub size: Option<u64>,
    /// What was measured, or why there is nothing.
    pub outcome: Result<Measured, String>,
    /// Whether its answer is that of the first row of this size that has one; `None` when it has none.
    pub agrees: Option<bool>,
    /// Where the answers part, if they do.
    pub difference: Option<String>,
}

/// What was found.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// What the problem is called.
    pub title: String,
    /// The machine.
    pub machine: crate::report::Machine,
    /// Timed runs of each cell.
    pub repeats: usize,
    /// By size, then by program, then by variant.
    pub rows: Vec<Row>,
    /// By program and variant, when there are several sizes.
    pub growth: Vec<Growth>,
}

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
        let work = measure::Work { repeats: self.repeats, interrupt };
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
        let machine = crate::report::Machine::here();
        Comparison { title: self.title.clone(), machine, repeats: self.repeats, rows, growth }
    }
}

impl Row {
    fn empty(subject: &Subject, variant: &Variant, size: Option<u64>) -> Self {
        Self {
            program: subject.name.clone(),
            options: variant.label.clone(),
            size,
            outcome: Err("not run".into()),
            agrees: None,
            difference: None,
        }
    }

    /// `floyd.chr --device sim, size 16`.
    pub fn name(&self) -> String {
        let mut name = self.way();
        if let Some(size) = self.size {
            name += &format!(", size {size}");
        }
        name
    }

    /// `floyd.chr --device sim`.
    pub fn way(&self) -> String {
        if self.options.is_empty() {
            self.program.clone()
        } else {
            format!("{} {}", self.program, self.options)
        }
    }
}
