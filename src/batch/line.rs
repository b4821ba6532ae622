//! Lines of a batch: before and after the work on them.

use std::fmt;
use std::io::{self, Write};

use gchr_base::error::StopReason;
use gchr_base::limited::Limited;
use gchr_base::stats::Stats;
use gchr_base::watch::Watch;
use gchr_terms::exec::NormalForm;
use serde::{Serialize, Serializer};

use crate::diagnostics::Diagnostics;

/// Lines with their numbers.
pub(super) type Chunk = Vec<(u64, Vec<u8>)>;

/// A line of a batch.
#[derive(Debug)]
pub struct BatchLine {
    /// Its number in the input, from 1.
    pub number: u64,
    /// Its normal form as text, or what is wrong with it.
    pub result: Result<LineText, Diagnostics>,
    /// Rule applications; unknown when a device counted those of many lines together.
    pub rewrites: Option<u64>,
}

/// Bytes of a text that is held until it is its turn. Shared parts of a term are written each time they occur, so that
/// a text can be larger than any memory: beyond this the term is held.
const HELD: u64 = 1 << 20;

/// The normal form of a line.
pub enum LineText {
    /// As text.
    Text(String),
    /// As a term, when its text is long.
    Term(Box<NormalForm>),
}

impl LineText {
    /// The text of a normal form, unless it is long.
    pub(super) fn of(term: &NormalForm, watch: Watch<'_>) -> Result<Option<Self>, StopReason> {
        let mut out = Limited::new(Vec::new(), watch).max_output(Some(HELD));
        match term.write_text(&mut out).map_err(StopReason::from) {
            Ok(()) => Ok(Some(LineText::Text(String::from_utf8_lossy(out.get_ref()).into_owned()))),
            Err(StopReason::OutputSize { .. }) => Ok(None),
            Err(reason) => Err(reason),
        }
    }

    /// Writes the text.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        match self {
            LineText::Text(text) => out.write_all(text.as_bytes()),
            LineText::Term(term) => term.write_text(out),
        }
    }
}

impl fmt::Display for LineText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LineText::Text(text) => f.write_str(text),
            LineText::Term(term) => term.fmt(f),
        }
    }
}

impl fmt::Debug for LineText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LineText::Text(text) => text.fmt(f),
            LineText::Term(term) => term.fmt(f),
        }
    }
}

/// As a string, which is written piece by piece where the format allows it.
impl Serialize for LineText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A line that was worked on, and its part of the statistics.
pub(super) struct WorkedLine {
    pub line: BatchLine,
    pub stats: Stats,
    /// The whole batch ends with it.
    pub last: bool,
}

impl WorkedLine {
    /// Whether it holds a term.
    pub fn is_long(&self) -> bool {
        matches!(self.line.result, Ok(LineText::Term(_)))
    }

    /// A line with its normal form.
    pub fn done(number: u64, text: LineText, stats: Stats) -> Self {
        let rewrites = Some(stats.rewrites.unwrap_or(0));
        Self { line: BatchLine { number, result: Ok(text), rewrites }, stats, last: false }
    }
}
