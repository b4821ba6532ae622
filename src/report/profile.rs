//! Profiles: what a recorded run did over time, by rule and by kernel, as a page, a drawing or data.
//!
//! A [`Recorder`] is lent to the run ([`Control::profile`](crate::Control::profile)); [`Profile::new`] puts its counts beside the program's
//! rules and lines; `html`, `svg` and `json` write it. `docs/profile.md` says how to read one.

mod charts;
mod html;
mod plot;
mod source;

use std::io::{self, Write};

use gchr_base::ids::Id;
use gchr_base::profile::{Ceilings, KernelCount, Point, Recorder, Traffic};
use gchr_base::rule::{HeadAtom, RuleId};
use gchr_base::stats::Stats;
use serde::Serialize;

use crate::input::Language;
use crate::program::Program;

pub(crate) use html::{TABLE, document, escape};
pub(crate) use plot::short;
pub use plot::{Axis, Chart, Plot, Series, Unit};
pub use source::Line;

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
    pub ceilings: Option<Ceilings>,
    /// By kernel.
    pub kernels: Vec<KernelCount>,
    /// The program's text with counts by line.
    #[serde(skip)]
    pub lines: Vec<Line>,
}

/// What one source rule did.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RuleProfile {
    /// Name of the rule.
    pub name: String,
    /// Line of the program's text where it begins, from 1.
    pub line: usize,
    /// Times it was applied, or fired.
    pub applied: u64,
    /// Candidates tried for it.
    pub tried: u64,
    /// Share of the run's time, from 0 to 1, by sampling; see [`RuleCount::share`](gchr_base::profile::RuleCount::share).
    pub share: f64,
}

impl Profile {
    /// The profile of a run of `program`.
    pub fn new(program: &Program, recorder: &Recorder, stats: &Stats) -> Self {
        let mut rules = rules(program, recorder);
        let lines = source::lines(program, &rules);
        rules.sort_by(|a, b| b.applied.cmp(&a.applied).then(a.line.cmp(&b.line)));
        Self {
            program: program.name().to_string(),
            language: program.language(),
            unit: match program.language() {
                Language::Terms => "rule applications",
                Language::Constraints => "firings",
            },
            stats: stats.clone(),
            stopped: None,
            peak_parallelism: recorder.peak_parallelism(),
            points: course(recorder),
            rules,
            ceilings: None,
            kernels: recorder.kernels().to_vec(),
            lines,
        }
    }

    /// Says that the run ended without a result.
    #[must_use]
    pub fn stopped(self, why: impl Into<String>) -> Self {
        Self { stopped: Some(why.into()), ..self }
    }

    /// Adds what the device's memory gives at most.
    #[must_use]
    pub fn with_ceilings(self, ceilings: Option<Ceilings>) -> Self {
        Self { ceilings, ..self }
    }

    /// Share of the device's time that the memory traffic would take at the ceilings.
    pub fn share_of_ceilings(&self) -> Option<f64> {
        let traffic = self.points.last()?.traffic;
        self.ceilings?.share(&traffic, self.stats.device_ms? / 1e3).filter(|_| traffic != Traffic::default())
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

    /// The plots that apply to this run.
    pub fn plots(&self) -> Vec<Plot> {
        charts::of(self)
    }

    /// Writes one page that needs nothing else: no network, no scripts.
    pub fn write_html(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(html::page(self).as_bytes())
    }

    /// Writes the plots below each other as one drawing.
    pub fn write_svg(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(plot::sheet(&self.plots()).as_bytes())
    }

    /// Writes everything as one JSON object.
    pub fn write_json(&self, out: &mut impl Write) -> io::Result<()> {
        serde_json::to_writer(&mut *out, self).map_err(io::Error::from)?;
        out.write_all(b"\n")
    }
}

/// The points, by a clock that starts with the first one: what happened before it is not the run.
fn course(recorder: &Recorder) -> Vec<Point> {
    let start = recorder.points().first().map_or(0.0, |p| p.seconds);
    recorder.points().iter().map(|p| Point { seconds: p.seconds - start, ..*p }).collect()
}

/// `floydw`; a rule without a name is called by its function and line: `Sum, line 12`.
fn rule_title(program: &Program, id: RuleId, line: usize) -> String {
    let rule = &program.rules.rules[id];
    match (&rule.name, rule.heads.first().map(|head| &head.atom)) {
        (None, Some(HeadAtom::Term { symbol, .. })) => {
            format!("{}, line {line}", program.rules.signature.symbols[*symbol].name)
        }
        (None, _) => format!("line {line}"),
        (Some(name), _) => name.clone(),
    }
}

fn rules(program: &Program, recorder: &Recorder) -> Vec<RuleProfile> {
    if !recorder.counts_rules() {
        return Vec::new();
    }
    let counts = recorder.rules();
    let rule = |id: RuleId| {
        let count = counts.get(id.index()).copied().unwrap_or_default();
        let line = program.sources.line_column(program.rules.rules[id].span).0;
        RuleProfile {
            name: rule_title(program, id, line),
            line,
            applied: count.applied,
            tried: count.tried,
            share: count.share,
        }
    };
    program.rules.rules.ids().map(rule).collect()
}
