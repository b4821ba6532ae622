//! Reads terms to evaluate, in the syntax of their program.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::rule::{self, GroundTerm};
use gchr_base::source::{SourceId, SourceMap};

/// Reads terms of one program.
pub(crate) enum TermReader<'p> {
    Trs(gchr_trs::InputReader<'p>),
    Format(gchr_formats::InputReader<'p>),
    Own(Box<OwnReader>),
}

/// A reader that a program brings along, where its rules do not say enough for that.
#[derive(Clone)]
pub(crate) enum OwnReader {
    Mcrl2(gchr_mcrl2::InputReader),
    Maude(gchr_maude::InputReader),
}

impl OwnReader {
    /// Reads the term in the text `id`.
    pub(crate) fn read(&mut self, sources: &SourceMap, id: SourceId) -> Result<GroundTerm, Vec<Diagnostic>> {
        match self {
            OwnReader::Mcrl2(reader) => reader.read(sources, id),
            OwnReader::Maude(reader) => reader.read(sources, id),
        }
    }
}

impl<'p> TermReader<'p> {
    /// A reader of terms over the symbols of a program in a format of others, or else of a `.trs` program.
    pub(crate) fn new(rules: &'p rule::Program, format: Option<gchr_formats::Format>) -> Self {
        match format {
            Some(_) => TermReader::Format(gchr_formats::InputReader::new(rules)),
            None => TermReader::Trs(gchr_trs::InputReader::new(rules)),
        }
    }

    /// Reads the term in the text `id`.
    pub(crate) fn read(&mut self, sources: &SourceMap, id: SourceId) -> Result<GroundTerm, Vec<Diagnostic>> {
        match self {
            TermReader::Trs(reader) => reader.read(sources, id),
            TermReader::Format(reader) => reader.read(sources, id),
            TermReader::Own(reader) => reader.read(sources, id),
        }
    }
}
