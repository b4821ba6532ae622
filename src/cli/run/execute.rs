//! A run under its limits, with a progress line, a trace and a recorder, and with a GPU in a process of its own where
//! that may be faster.

use std::io::{self, BufWriter, Write};
use std::time::Instant;

use gchr::base::escape;
use gchr::base::limited::Limited;
use gchr::{Control, Device, Executable, Language, Outcome, Race, Recorder};

use super::args::Args;
use super::choices::FormatArg;
use super::gpu_child::{self, ChildResult};
use crate::cli::checkpoints::Files;
use crate::cli::sink::Stdout;
use crate::cli::{interrupt, progress};

/// How a plan is run.
#[derive(Clone, Copy)]
pub struct How<'h> {
    pub device: Device,
    /// Whether a GPU runs it in a process of its own, too.
    pub races: bool,
    pub checkpoints: Option<&'h Files>,
}

/// Runs the plan. What the program itself writes goes to standard output with text results; beside JSON and CSV it goes
/// to standard error, so that the result stays readable for machines.
pub fn execute<'p>(
    args: &Args,
    executable: &Executable<'p>,
    how: How<'_>,
    start: Instant,
    stdout: &mut Stdout,
    recorder: Option<&mut Recorder>,
) -> Result<Ran<'p>, Box<gchr::Failure>> {
    let limits = args.limits.limits(how.device);
    let unit = match executable.program().language() {
        Language::Terms => "rule applications",
        Language::Constraints => "firings",
    };
    let mut errors = escape::shown(io::stderr());
    let mut line = progress::Line::new(unit);
    let mut control = Control::new(limits).since(start).interrupt(interrupt::flag());
    let limited = |out| Limited::new(out, control.watch().clone()).max_output(limits.max_output);
    let out: Box<dyn Write + '_> = match args.format() {
        _ if args.out_dir.is_some() => Box::new(limited(&mut *stdout as &mut dyn Write)),
        FormatArg::Text => Box::new(limited(&mut *stdout as &mut dyn Write)),
        _ => Box::new(limited(&mut errors as &mut dyn Write)),
    };
    control = control.output(out);
    if line.enabled() && !args.trace {
        control = control.progress(move |now| line.update(now));
    }
    if let Some(recorder) = recorder {
        control = control.profile(recorder);
    } else if !args.shows_stats() {
        control = control.without_counts();
    }
    if args.trace {
        let mut log = BufWriter::new(io::stderr());
        control = control.trace(move |text| drop(writeln!(log, "{}", escape::lines(text))));
    }
    let race = how.races.then(|| Race::start(&mut control, move || gpu_child::start(start)));
    let ran = match how.checkpoints {
        Some(checkpoints) => executable.run_kept(checkpoints, &mut control),
        None => executable.run(&mut control),
    };
    match (ran, race) {
        (Ok(mut outcome), Some(race)) => {
            outcome.stats_mut().choice = Some(race.call_off());
            Ok(Ran::Here(Box::new(outcome)))
        }
        (Err(failure), Some(race)) => {
            let reason = failure.error.as_ref().map(|error| &error.reason);
            let written = reason.and_then(|reason| race.result(reason, &mut control));
            written.map(|result| Ran::OfChild(Box::new(result))).ok_or(failure)
        }
        (ran, None) => ran.map(|outcome| Ran::Here(Box::new(outcome))),
    }
}

/// A run that was done, by the first side that had a result.
pub enum Ran<'p> {
    /// In this process.
    Here(Box<Outcome<'p>>),
    /// By the GPU child.
    OfChild(Box<ChildResult>),
}
