//! The program on the command line.

use std::path::PathBuf;

use clap::ValueEnum;
use gchr::{Input, Language};

use gchr::base::memory;

/// A program on the command line.
#[derive(clap::Args)]
pub struct ProgramArgs {
    /// Program file: .trs (term rewriting) or .chr, .pl (Constraint Handling Rules)
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Language of FILE, when its ending does not tell
    #[arg(long, value_name = "LANGUAGE")]
    pub language: Option<LanguageArg>,
}

/// Which of the two languages.
#[derive(Clone, Copy, ValueEnum)]
pub enum LanguageArg {
    /// Many-sorted term rewriting
    Trs,
    /// Constraint Handling Rules
    Chr,
}

impl ProgramArgs {
    /// The program without a start.
    pub fn input(&self) -> Input {
        let input = Input::file(&self.file).memory(Some(memory::bound()));
        match self.language {
            None => input,
            Some(LanguageArg::Trs) => input.language(Language::Terms),
            Some(LanguageArg::Chr) => input.language(Language::Constraints),
        }
    }
}
