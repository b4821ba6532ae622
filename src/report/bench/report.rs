//! What a benchmark found: entries with our time, another time, and counts; as text and as JSON.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::settings::{Settings, Timed};
use crate::report::format::{ms, write_aligned};
use crate::report::machine::Machine;
use crate::report::spread::Spread;

/// One measurement.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Entry {
    /// The program.
    pub name: String,
    /// How it ran, or with what it is compared.
    pub way: String,
    /// Its size.
    pub size: Option<u64>,
    /// Our times in milliseconds.
    pub ours: Option<Spread>,
    /// Rule applications, or firings.
    pub steps: Option<u64>,
    /// Rounds or iterations.
    pub rounds: Option<u64>,
    /// Terms rewritten in the papers' sense: ours, and the paper's.
    pub rewritten: Option<(u64, u64)>,
    /// Iterations that the paper gives.
    pub their_rounds: Option<u64>,
    /// Milliseconds of the paper, or the best of the peer.
    pub theirs: Option<f64>,
    /// Times faster than that.
    pub ratio: Option<f64>,
    /// Whether results are equal.
    pub agrees: Option<bool>,
    /// What else is to be said, or why there is no time.
    pub note: Option<String>,
}

/// All measurements of a benchmark.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Report {
    /// Which benchmark.
    pub kind: String,
    /// Where.
    pub machine: Machine,
    /// Timed runs of each entry.
    pub repeats: usize,
    /// The measurements.
    pub entries: Vec<Entry>,
    /// What is to be said of all.
    pub notes: Vec<String>,
}

impl Entry {
    pub(super) fn new(name: impl Into<String>, way: impl Into<String>, size: Option<u64>) -> Self {
        Self {
            name: name.into(),
            way: way.into(),
            size,
            ours: None,
            steps: None,
            rounds: None,
            rewritten: None,
            their_rounds: None,
            theirs: None,
            ratio: None,
            agrees: None,
            note: None,
        }
    }
    pub(super) fn set_ours(&mut self, timed: &Timed) {
        self.ours = Some(timed.ms);
        self.steps = timed.stats.rewrites.or(timed.stats.firings);
        self.rounds = timed.stats.rounds.filter(|&n| n > 0);
    }
    /// Sets the other time, and the ratio of the best ones.
    pub(super) fn set_theirs(&mut self, ms: f64) {
        self.theirs = Some(ms);
        self.ratio = self.ours.filter(|ours| ours.min > 0.0).map(|ours| ms / ours.min);
    }
    pub(super) fn failed(mut self, why: String) -> Self {
        self.note = Some(why);
        self
    }
    /// What it is called: the same in every report.
    pub fn key(&self) -> String {
        let size = self.size.map_or(String::new(), |n| format!(" {n}"));
        format!("{}{size} ({})", self.name, self.way)
    }
}

impl Report {
    pub(super) fn new(kind: &str, settings: &Settings<'_>) -> Self {
        Self {
            kind: kind.into(),
            machine: Machine::here(),
            repeats: settings.repeats,
            entries: Vec::new(),
            notes: Vec::new(),
        }
    }
    /// Entries whose results differ from those of a peer.
    pub fn differing(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|e| e.agrees == Some(false))
    }
    /// Entries without a time.
    pub fn failing(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|e| e.ours.is_none())
    }
}

type Column = (&'static str, fn(&Entry) -> Option<String>);

const COLUMNS: [Column; 13] = [
    ("with", |e| Some(e.way.clone())),
    ("size", |e| e.size.map(|n| n.to_string())),
    ("best ms", |e| e.ours.map(|t| ms(t.min))),
    ("median", |e| e.ours.map(|t| ms(t.median))),
    ("slowest", |e| e.ours.map(|t| ms(t.max))),
    ("theirs ms", |e| e.theirs.map(ms)),
    ("ratio", |e| e.ratio.map(|r| format!("{r:.2}"))),
    ("steps", |e| e.steps.map(|n| n.to_string())),
    ("iterations", |e| e.rounds.map(|n| n.to_string())),
    ("theirs", |e| e.their_rounds.map(|n| n.to_string())),
    ("rewritten", |e| e.rewritten.map(|(ours, _)| ours.to_string())),
    ("theirs", |e| e.rewritten.map(|(_, theirs)| theirs.to_string())),
    ("", |e| {
        let differs = (e.agrees == Some(false)).then(|| "RESULTS DIFFER".to_string());
        differs.or_else(|| e.note.clone()).or_else(|| Some(String::new()))
    }),
];

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{}: {} timed runs each after one that warms up; {}",
            self.kind, self.repeats, self.machine
        )?;
        let used: Vec<Column> =
            COLUMNS.into_iter().filter(|c| self.entries.iter().any(|e| (c.1)(e).is_some())).collect();
        let heads = ["program".to_string()].into_iter().chain(used.iter().map(|c| c.0.to_string())).collect();
        let mut lines: Vec<Vec<String>> = vec![heads];
        for entry in &self.entries {
            let cells = used.iter().map(|c| (c.1)(entry).unwrap_or_else(|| "-".into()));
            lines.push([entry.name.clone()].into_iter().chain(cells).collect());
        }
        writeln!(f)?;
        write_aligned(f, &lines)?;
        self.notes.iter().try_for_each(|note| writeln!(f, "\n{note}"))
    }
}
