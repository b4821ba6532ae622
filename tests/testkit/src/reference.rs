//! Small interpreters of the semantics, written from the documentation of the languages and from the papers, to compare
//! every executor with. They share the syntax trees of the frontends with gchr and nothing else: no plan, no index, no
//! class is decided here, terms are trees, stores are lists, and every combination is tried.
//!
//! - Term programs: many-sorted innermost rewriting (`docs/language-trs.md`).
//! - Constraint programs: the refined operational semantics (Duck, Stuckey, García de la Banda, Holzbaur: The Refined
//!   Operational Semantics of Constraint Handling Rules, 2004), and rounds (`docs/semantics.md`).
//!
//! Where the documentation leaves something open, a run ends as [`End::Unknown`] and is not compared.

pub mod arithmetic;
pub mod constraints;
mod goals;
pub mod refined;
pub mod rounds;
pub mod terms;
pub mod value;

use value::Value;

/// Why the end of a run is not known whose terms, written out, are large. They are small only while their parts are
/// shared, so that other runs of the program may write and compare them for ever.
pub const LARGE: &str = "a large term";

/// How a run ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// With a result.
    Done,
    /// With the run-time error of this code.
    Error(&'static str),
    /// Not known: the documentation leaves it open, or it takes too long to find out.
    Unknown(&'static str),
}

/// Why a run has no result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The run-time error of this code.
    Error(&'static str),
    /// See [`End::Unknown`].
    Unknown(&'static str),
}

impl From<Stop> for End {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Error(code) => End::Error(code),
            Stop::Unknown(why) => End::Unknown(why),
        }
    }
}

/// The end of a constraint program.
#[derive(Clone, Debug)]
pub struct Run {
    /// How it ended.
    pub end: End,
    /// The final store, sorted.
    pub store: Vec<Row>,
    /// What it wrote; `None` where the text of a value is not known here.
    pub output: Option<String>,
    /// Rule firings.
    pub firings: u64,
    /// Rounds with candidates.
    pub rounds: u64,
}

/// A constraint: its name and its arguments.
#[derive(Clone, PartialEq, Debug)]
pub struct Row(pub String, pub Vec<Value>);

impl Row {
    /// The order in which stores are compared.
    pub fn order(&self, other: &Row) -> std::cmp::Ordering {
        let arguments = || self.1.iter().zip(&other.1).map(|(a, b)| a.order(b)).find(|o| o.is_ne());
        let lengths = || self.1.len().cmp(&other.1.len());
        self.0.cmp(&other.0).then_with(lengths).then_with(|| arguments().unwrap_or(std::cmp::Ordering::Equal))
    }
}
