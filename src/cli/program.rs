//! The program on the command line.

use std::path::PathBuf;

use clap::ValueEnum;
use gchr::{Input, Syntax, TermFormat};

use gchr::base::memory;

/// A program on the command line.
#[derive(clap::Args)]
pub struct ProgramArgs {
    /// Program file: .trs, .rec, .ari, .xml, .mcrl2, .maude (term rewriting) or .chr, .pl (Constraint Handling Rules);
    /// - for standard input, with --language
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Language of FILE, when its ending does not tell
    #[arg(long, value_name = "LANGUAGE")]
    pub language: Option<LanguageArg>,
}

/// How a program is written.
#[derive(Clone, Copy, ValueEnum)]
pub enum LanguageArg {
    /// Many-sorted term rewriting, in gchr's own language
    Trs,
    /// Format of the Rewriting Engines Competition
    Rec,
    /// ARI format of termination and confluence problems
    Ari,
    /// Older format of these problems: `(VAR x) (RULES ...)`
    Tpdb,
    /// XML format of these problems
    Xtc,
    /// Data part of mCRL2 specifications
    Mcrl2,
    /// Functional modules of Maude
    Maude,
    /// Constraint Handling Rules
    Chr,
}

impl ProgramArgs {
    /// The program without a start.
    pub fn input(&self) -> Input {
        let input = Input::file(&self.file).memory(Some(memory::bound()));
        match self.language {
            None => input,
            Some(language) => input.syntax(language.into()),
        }
    }
}

impl From<LanguageArg> for Syntax {
    fn from(language: LanguageArg) -> Self {
        match language {
            LanguageArg::Trs => Syntax::Trs,
            LanguageArg::Rec => Syntax::Format(TermFormat::Rec),
            LanguageArg::Ari => Syntax::Format(TermFormat::Ari),
            LanguageArg::Tpdb => Syntax::Format(TermFormat::Tpdb),
            LanguageArg::Xtc => Syntax::Format(TermFormat::Xtc),
            LanguageArg::Mcrl2 => Syntax::Mcrl2,
            LanguageArg::Maude => Syntax::Maude,
            LanguageArg::Chr => Syntax::Chr,
        }
    }
}
