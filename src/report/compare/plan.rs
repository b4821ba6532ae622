//! What is compared: programs and ways to run them; and a row for each of both at a size.

use std::path::PathBuf;
use std::sync::Arc;

use gchr_base::control::Limits;
use gchr_base::reading::{Account, read_text};
use gchr_base::source::SourceMap;
use serde::{Serialize, Serializer};

use super::measured::Measured;
use crate::diagnostics::Diagnostics;
use crate::input::Input;
use crate::options::CompileOptions;
use crate::program::Language;
use crate::text_file::PROGRAM_FILE;

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
        let read = read_text(&self.path, &mut sources, PROGRAM_FILE, &Account::default());
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
    #[serde(flatten, serialize_with = "measured_or_error")]
    pub outcome: Result<Measured, String>,
    /// Whether its answer is that of the first row of this size that has one; `None` when it has none.
    pub agrees: Option<bool>,
    /// Where the answers part, if they do.
    pub difference: Option<String>,
}

/// An outcome as two keys, of which one is null.
fn measured_or_error<S: Serializer>(outcome: &Result<Measured, String>, out: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Keys<'a> {
        measured: Option<&'a Measured>,
        error: Option<&'a str>,
    }
    Keys { measured: outcome.as_ref().ok(), error: outcome.as_ref().err().map(String::as_str) }.serialize(out)
}

impl Row {
    pub(super) fn empty(subject: &Subject, variant: &Variant, size: Option<u64>) -> Self {
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
