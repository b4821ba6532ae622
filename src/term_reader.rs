//! Reads terms to evaluate, in the syntax of their program.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::rule::{self, GroundTerm};
use gchr_base::source::{SourceId, SourceMap};

/// Reads terms of one program.
pub(crate) enum TermReader<'p> {
    Format(gchr_formats::InputReader<'p>),
    Own(Box<OwnReader>),
}

/// A reader that a program brings along, where its rules do not say enough for that.
#[derive(Clone)]
pub(crate) enum OwnReader {
    Trs(gchr_trs::InputReader),
    Mcrl2(Box<gchr_mcrl2::InputReader>),
    Maude(Box<gchr_maude::InputReader>),
    Made(Box<gchr_formats::MadeReader>),
}

impl OwnReader {
    /// Reads the term in the text `id`.
    pub(crate) fn read(&mut self, sources: &SourceMap, id: SourceId) -> Result<GroundTerm, Vec<Diagnostic>> {
        match self {
            OwnReader::Trs(reader) => reader.read(sources, id),
            OwnReader::Mcrl2(reader) => reader.read(sources, id),
            OwnReader::Maude(reader) => reader.read(sources, id),
            OwnReader::Made(reader) => reader.read(sources, id),
        }
    }
}

impl<'p> TermReader<'p> {
    /// A reader of terms over the symbols of a program in a format whose rules say enough.
    pub(crate) fn of_rules(rules: &'p rule::Program) -> Self {
        TermReader::Format(gchr_formats::InputReader::new(rules))
    }

    /// Reads the term in the text `id`.
    pub(crate) fn read(&mut self, sources: &SourceMap, id: SourceId) -> Result<GroundTerm, Vec<Diagnostic>> {
        match self {
            TermReader::Format(reader) => reader.read(sources, id),
            TermReader::Own(reader) => reader.read(sources, id),
        }
    }
}
