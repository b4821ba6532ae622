//! What a profile holds.

use gchr_base::profile::{KernelCount, Point, RooflinePeaks, Traffic};
use gchr_base::stats::Stats;
use serde::Serialize;

use crate::program::Language;
use crate::report::machine::Machine;

/// A recorded run, ready to be written.
#[derive(Clone, Debug, Serialize)]
pub struct Profile {
    /// Name of the program.
    pub program: String,
    /// Its language.
    #[serde(skip)]
    pub language: Language,
    /// What a step is: `rule applications` or `firings`.
    pub unit: &'static str,
    /// Statistics of the run.
    pub stats: Stats,
    /// Why the run ended without a result, if it did.
    pub stopped: Option<String>,
    /// Most steps in one round, for executors that work in rounds.
    pub peak_parallelism: Option<u64>,
    /// The course of the run; totals since the first point, where also the clock starts.
    pub points: Vec<Point>,
    /// By source rule, the most applied first. Empty when the executor does not count rules.
    pub rules: Vec<RuleProfile>,
    /// What the device's memory gives at most, if it has been measured.
    #[serde(rename = "ceilings")]
    pub roofline: Option<RooflinePeaks>,
    /// By kernel.
    pub kernels: Vec<KernelCount>,
    /// The program's text with counts by line.
    #[serde(skip)]
    pub lines: Vec<Line>,
    /// The command line of the run.
    pub command: Option<String>,
    /// The machine that ran it, and the version of gchr.
    pub machine: Option<Machine>,
    /// What led to something that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<Why>,
}

/// What led to a constraint, or to a symbol of the normal form.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Why {
    /// What was asked for.
    pub of: String,
    /// Its derivation, as text.
    pub derivation: String,
}

/// What one source rule did.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RuleProfile {
    /// Name of the rule.
    pub name: String,
    /// Line of its text where it begins, from 1.
    pub line: usize,
    /// The name of its text, where that is not the one of the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Times it was applied, or fired.
    pub applied: u64,
    /// Rows tried for it; none where this is not counted by rule.
    pub tried: Option<u64>,
    /// Share of the run's time, from 0 to 1, by sampling; see
    /// [`RuleCount::share`](gchr_base::profile::RuleCount::share).
    pub share: f64,
}

impl Profile {
    /// Says that the run ended without a result.
    #[must_use]
    pub fn stopped(self, why: impl Into<String>) -> Self {
        Self { stopped: Some(why.into()), ..self }
    }

    /// Adds a derivation.
    #[must_use]
    pub fn explained(self, why: Option<Why>) -> Self {
        Self { why, ..self }
    }

    /// Says where it comes from: the command line, and the machine.
    #[must_use]
    pub fn made_by(self, command: impl Into<String>, machine: Machine) -> Self {
        Self { command: Some(command.into()), machine: Some(machine), ..self }
    }

    /// Adds what the device's memory gives at most.
    #[must_use]
    pub fn with_roofline(self, roofline: Option<RooflinePeaks>) -> Self {
        Self { roofline, ..self }
    }

    /// Share of the device's time that the memory traffic would take at these rates.
    pub fn share_of_roofline(&self) -> Option<f64> {
        let traffic = self.points.last()?.traffic;
        self.roofline?.share(&traffic, self.stats.device_ms? / 1e3).filter(|_| traffic != Traffic::default())
    }

    /// Whether the run went in rounds or iterations.
    pub fn has_rounds(&self) -> bool {
        self.points.last().is_some_and(|p| p.rounds > 0)
    }

    /// Rounds of the whole run.
    pub fn rounds(&self) -> u64 {
        self.points.last().map_or(0, |p| p.rounds)
    }

    /// Steps of the whole run.
    pub fn steps(&self) -> u64 {
        self.points.last().map_or(0, |p| p.steps)
    }

    /// Mean number of steps in a round.
    pub fn mean_parallelism(&self) -> Option<f64> {
        let last = self.points.last().filter(|p| p.rounds > 0)?;
        Some(last.steps as f64 / last.rounds as f64)
    }
}

/// A line of the program's text.
#[derive(Clone, PartialEq, Debug)]
pub struct Line {
    /// The text, without its end.
    pub text: String,
    /// Applications or firings of the rules that begin here; `None` when none does.
    pub applied: Option<u64>,
    /// Share of the run's time of these rules.
    pub share: f64,
    /// Applications or firings of all rules that the line is part of.
    pub of_rules: u64,
}
