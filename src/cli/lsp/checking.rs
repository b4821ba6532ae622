//! Checks texts on a thread of its own, one at a time: of a text that changes meanwhile, only the last version is next.

use std::collections::VecDeque;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::mpsc;
use std::thread;

use gchr::{CompileOptions, Diagnostic, Diagnostics, Input, Language, Severity, Syntax};

use crate::cli::check;

/// A text that is to be checked.
pub struct Job {
    pub key: String,
    pub version: i32,
    pub text: String,
    pub path: PathBuf,
    pub syntax: Syntax,
}

/// What was found in it.
pub struct Checked {
    pub key: String,
    pub version: i32,
    pub findings: Vec<Finding>,
    pub explained: Vec<(u32, String)>,
}

/// A finding in bytes of the text.
pub struct Finding {
    pub code: &'static str,
    pub severity: Severity,
    pub message: String,
    /// Where it is; nothing where it is not in this text.
    pub range: Option<Range<usize>>,
    /// Further places in the text.
    pub related: Vec<(Range<usize>, String)>,
}

/// The thread that checks, and its pending requests.
pub struct Checker {
    jobs: mpsc::Sender<Job>,
    waiting: VecDeque<Job>,
    busy: bool,
}

impl Checker {
    /// Starts the thread, which hands its results to `tell`.
    pub fn start(tell: impl Fn(Checked) + Send + 'static) -> Self {
        let (jobs, queue) = mpsc::channel();
        thread::spawn(move || queue.into_iter().for_each(|job| tell(examine(&job))));
        Self { jobs, waiting: VecDeque::new(), busy: false }
    }

    /// Checks a text when its turn comes.
    pub fn check(&mut self, job: Job) {
        self.waiting.retain(|other| other.key != job.key);
        self.waiting.push_back(job);
        self.next();
    }

    /// The thread has said what it found.
    pub fn done(&mut self) {
        self.busy = false;
        self.next();
    }

    fn next(&mut self) {
        if !self.busy
            && let Some(job) = self.waiting.pop_front()
        {
            self.busy = self.jobs.send(job).is_ok();
        }
    }
}

fn examine(job: &Job) -> Checked {
    let name = job.path.display().to_string();
    let input = Input::unsaved(&job.path, &job.text).syntax(job.syntax);
    let work = || gchr::with_large_stack(|| findings(&input, &name));
    let (findings, explained) = std::panic::catch_unwind(work).unwrap_or_else(|_| {
        let message = "gchr has made a mistake in checking this text; please report it with the text";
        let finding = Finding {
            code: "I0001",
            severity: Severity::Error,
            message: message.into(),
            range: None,
            related: Vec::new(),
        };
        (vec![finding], Vec::new())
    });
    Checked { key: job.key.clone(), version: job.version, findings, explained }
}

/// The findings that `gchr check` has, and what it explains of rules.
fn findings(input: &Input, name: &str) -> (Vec<Finding>, Vec<(u32, String)>) {
    let (found, program) = check::examine(input, &CompileOptions::default());
    let all = found.iter().flat_map(|found| found.list().iter().map(|d| finding(d, found, name))).collect();
    let explained = program.filter(|program| program.language() == Language::Constraints);
    let explained = explained.and_then(|program| program.explain_rules().ok().zip(Some(program)));
    let explained = explained.map_or(Vec::new(), |(rules, program)| {
        let here = rules.into_iter().filter(|(span, _)| program.sources().get(span.source).name == name);
        let line = |span| program.sources().line_column(span).0.saturating_sub(1) as u32;
        here.map(|(span, said)| (line(span), said)).collect()
    });
    (all, explained)
}

fn finding(found: &Diagnostic, of: &Diagnostics, name: &str) -> Finding {
    let here = |label: &&gchr::base::diagnostic::Label| of.sources().get(label.span.source).name == name;
    let mut labels = found.labels.iter().filter(here);
    let first = labels.next();
    let mut message = found.message.clone();
    let elsewhere = found.labels.first().filter(|_| first.is_none());
    if let Some(label) = elsewhere {
        let (line, column) = of.sources().line_column(label.span);
        message += &format!(" ({}:{line}:{column})", of.sources().get(label.span.source).name);
    }
    let said = first.map(|label| label.text.as_str()).filter(|text| !text.is_empty());
    message.extend(said.map(|text| format!("\n{text}")));
    message.extend(found.notes.iter().map(|note| format!("\nNote: {note}")));
    message.extend(found.help.iter().map(|help| format!("\nHelp: {help}")));
    Finding {
        code: found.code,
        severity: found.severity,
        message,
        range: first.map(|label| label.span.range()),
        related: labels.map(|label| (label.span.range(), label.text.clone())).collect(),
    }
}
