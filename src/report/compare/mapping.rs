//! The file beside a pair of programs that says how each is started at a size, and what its result means.
//!
//! ```toml
//! title = "All shortest paths"
//! sizes = [8, 16, 32]
//!
//! [programs."floyd.chr"]
//! start = "complete({n}, 42)"
//! answer = """
//! :- chr_constraint row(+int, +int, +int).
//! edge(I, J, D) ==> row(I, J, D).
//! """
//! ```

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::memory;
use gchr_base::reading::{self, Account};
use gchr_base::source::{SourceMap, Span};
use serde::Deserialize;

use crate::diagnostics::Diagnostics;

/// How programs for one problem are started, and how their results correspond.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mapping {
    /// What the problem is called.
    pub title: Option<String>,
    /// Sizes to compare at when the caller gives none.
    #[serde(default)]
    pub sizes: Vec<u64>,
    /// By file name.
    #[serde(default)]
    pub programs: BTreeMap<String, Side>,
}

/// One program of a mapping.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Side {
    /// Term or goals, with `{n}` for the size.
    pub start: Option<String>,
    /// Rules from the program's result to constraints `row`.
    pub answer: Option<String>,
}

impl Mapping {
    /// Where the mapping of a program is looked for: `floyd.compare.toml` beside `floyd.trs`.
    pub fn beside(program: &Path) -> PathBuf {
        program.with_extension("compare.toml")
    }

    /// Reads a mapping.
    pub fn read(path: &Path) -> Result<Self, Diagnostics> {
        let shown = path.display().to_string();
        let text = reading::read_string(path, &Account::new(Some(memory::left()))).map_err(|error| {
            let help = "give --mapping the path of a file as described in docs/comparison.md";
            let found = reading::unread(error, "U0121", path, help);
            Diagnostics::new(Arc::new(SourceMap::new()), vec![found])
        })?;
        Self::parse(&shown, &text)
    }

    /// Reads the text of a mapping; `name` is what it is called in diagnostics.
    pub fn parse(name: &str, text: &str) -> Result<Self, Diagnostics> {
        let mut sources = SourceMap::new();
        let id = sources.add(name, text);
        let found = match toml::from_str::<Self>(text) {
            Ok(mapping) => match mapping.sizes.iter().find(|&&n| n == 0) {
                None => return Ok(mapping),
                Some(_) => Diagnostic::error("U0121", "sizes are positive numbers"),
            },
            Err(error) => {
                let range = error.span().unwrap_or(0..0);
                Diagnostic::error("U0121", format!("{name} is no description of a comparison"))
                    .label(Span::new(id, range.start, range.end), error.message().to_string())
            }
        };
        let help = "see docs/comparison.md for what it may say";
        Err(Diagnostics::new(Arc::new(sources), vec![found.help(help)]))
    }

    /// What it says of a program.
    pub fn side(&self, program: &Path) -> Option<&Side> {
        self.programs.get(program.file_name()?.to_str()?)
    }
}
