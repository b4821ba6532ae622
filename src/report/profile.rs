//! Profiles: what a recorded run did over time, by rule and by kernel, as a page, a drawing or data.
//!
//! A [`Recorder`] is lent to the run ([`Control::profile`](crate::Control::profile)); [`Profile::new`] puts its counts
//! beside the program's rules and lines; `html`, `svg` and `json` write it. `docs/profile.md` says how to read one.

mod charts;
mod data;
mod html;
mod source;

use std::io::{self, Write};

use gchr_base::escape;
use gchr_base::hash::HashSet;
use gchr_base::ids::Id;
use gchr_base::profile::{Point, Recorder};
use gchr_base::rule::{self, HeadAtom, RuleId};
use gchr_base::source::SourceMap;
use gchr_base::stats::Stats;

use crate::program::{Language, Program, program_name};
use crate::report::plot::{self, Plot};

pub use data::{Line, Profile, RuleProfile, Why};

/// What was run.
#[derive(Clone, Copy)]
pub(crate) struct RunSubject<'a> {
    pub language: Language,
    pub rules: &'a rule::Program,
    pub sources: &'a SourceMap,
}

impl Profile {
    /// The profile of a run of `program`.
    pub fn new(program: &Program, recorder: &Recorder, stats: &Stats) -> Self {
        let subject =
            RunSubject { language: program.language(), rules: &program.rules, sources: &program.sources };
        Self::of(subject, recorder, stats)
    }

    pub(crate) fn of(subject: RunSubject<'_>, recorder: &Recorder, stats: &Stats) -> Self {
        let mut rules = rules(subject, recorder);
        let lines = source::lines(subject, &rules);
        rules.sort_by(|a, b| b.applied.cmp(&a.applied).then(a.line.cmp(&b.line)));
        Self {
            program: program_name(subject.sources).to_string(),
            language: subject.language,
            unit: match subject.language {
                Language::Terms => "rule applications",
                Language::Constraints => "firings",
            },
            stats: stats.clone(),
            stopped: None,
            peak_parallelism: recorder.peak_parallelism(),
            points: course(recorder),
            rules,
            roofline: None,
            kernels: recorder.kernels().to_vec(),
            lines,
            command: None,
            machine: None,
            why: None,
        }
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
        serde_json::to_writer(escape::json(&mut *out), self).map_err(io::Error::from)?;
        out.write_all(b"\n")
    }
}

/// The points, by a clock that starts with the first one: what happened before it is not the run.
fn course(recorder: &Recorder) -> Vec<Point> {
    let start = recorder.points().first().map_or(0.0, |p| p.seconds);
    recorder.points().iter().map(|p| Point { seconds: p.seconds - start, ..*p }).collect()
}

/// Names of symbols that several have: they are instances of one with parameters.
fn shared_names(rules: &rule::Program) -> HashSet<&str> {
    let mut seen = HashSet::default();
    let names = rules.signature.symbols.iter().map(|symbol| symbol.name.as_str());
    names.filter(|name| !seen.insert(*name)).collect()
}

/// `floydw`; a rule without a name is called by its function and line: `Sum, line 12`, `Size(Tree(Int)), line 3 of
/// trees.trs`.
fn rule_title(
    rules: &rule::Program,
    id: RuleId,
    line: usize,
    file: Option<&str>,
    shared: &HashSet<&str>,
) -> String {
    let rule = &rules.rules[id];
    let place = match file {
        Some(file) => format!("line {line} of {file}"),
        None => format!("line {line}"),
    };
    match (&rule.name, rule.heads.first().map(|head| &head.atom)) {
        (None, Some(HeadAtom::Term { symbol, .. })) => {
            let symbol = &rules.signature.symbols[*symbol];
            let sorts = symbol.args.iter().map(|&sort| rules.signature.sorts[sort].name.as_str());
            let sorts: Vec<&str> = sorts.filter(|_| shared.contains(symbol.name.as_str())).collect();
            let sorts = if sorts.is_empty() { String::new() } else { format!("({})", sorts.join(", ")) };
            format!("{}{sorts}, {place}", symbol.name)
        }
        (None, _) => place,
        (Some(name), _) => name.clone(),
    }
}

fn rules(subject: RunSubject<'_>, recorder: &Recorder) -> Vec<RuleProfile> {
    if !recorder.counts_rules() {
        return Vec::new();
    }
    let (counts, shared) = (recorder.rules(), shared_names(subject.rules));
    let tries = counts.iter().any(|count| count.tried > 0);
    let main = subject.sources.iter().next().map(|(id, _)| id);
    let rule = |id: RuleId| {
        let count = counts.get(id.index()).copied().unwrap_or_default();
        let span = subject.rules.rules[id].span;
        let line = subject.sources.line_column(span).0;
        let file = (Some(span.source) != main).then(|| subject.sources.get(span.source).name.as_str());
        RuleProfile {
            name: rule_title(subject.rules, id, line, file, &shared),
            line,
            file: file.map(str::to_string),
            applied: count.applied,
            tried: tries.then_some(count.tried),
            share: count.share,
        }
    };
    subject.rules.rules.ids().map(rule).collect()
}
