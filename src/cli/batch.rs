//! `gchr run --inputs`: a file of terms, one per line, as one batch.

use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::num::NonZeroUsize;
use std::path::Path;

use gchr::base::error::StopReason;
use gchr::base::escape;
use gchr::base::limited::Limited;
use gchr::base::reading::is_stdin;
use gchr::base::watch::Watch;
use gchr::{
    BatchError, BatchLine, BatchOptions, BatchSummary, Diagnostic, Executable, FormatError, LineText,
};
use serde::Serialize;

use super::exit::Exit;
use super::out_file::File;
use super::report;
use super::sink::Stdout;
use super::unwritten::unwritten;
use super::watchdog::{self, Phase};
use super::{memory, wording};

/// What a batch writes: results to `out`, what is wrong with lines to standard error.
pub struct Request<'a> {
    /// Where the terms are; `-` is standard input.
    pub terms: &'a Path,
    /// One JSON object a line, with errors in their places.
    pub json: bool,
    /// Show statistics.
    pub stats: bool,
}

/// Runs the batch.
pub fn run(
    request: &Request<'_>,
    executable: &Executable<'_>,
    options: &BatchOptions<'_>,
    mut stdout: Stdout,
    file: Option<File>,
) -> Exit {
    // Still opening: a pipe waits for its writer.
    let input = match open(request.terms) {
        Ok(input) => input,
        Err(error) => {
            let message = format!("cannot read {}: {error}", request.terms.display());
            report::problem("U0101", &message, "give --inputs the path of a file with one term a line, or -");
            return Exit::Usage;
        }
    };
    let name = request.terms.display().to_string();
    watchdog::enter(Phase::Run);
    let (ran, written) = match file {
        Some(mut file) => {
            let mut out = Limited::new(&mut file, Watch::new()).max_output(options.limits.max_output);
            let ran = executable.run_batch(input, &name, options, &mut |line| put(request, &line, &mut out));
            drop(out);
            let written = if ran.is_ok() { file.finish() } else { Ok(()) };
            (ran, written)
        }
        None => {
            let mut out = Limited::new(&mut stdout, Watch::new()).max_output(options.limits.max_output);
            let ran = executable.run_batch(input, &name, options, &mut |line| put(request, &line, &mut out));
            drop(out);
            (ran, stdout.flush())
        }
    };
    match (ran, written) {
        (Err(BatchError::Write(_)) | Ok(_), _) if stdout.is_closed() => Exit::Done,
        (Ok(summary), Ok(())) => finish(request, &summary),
        (Err(BatchError::Read(lines, error)), _) => {
            let complete = "the results of the lines before are complete";
            match StopReason::from(error) {
                StopReason::Output { message } => {
                    let message = format!("cannot read {name} after line {lines}: {message}");
                    report::problem("U0101", &message, complete);
                }
                reason => report::finding(&reason.to_diagnostic().note(format!("in {name}; {complete}"))),
            }
            Exit::Failed
        }
        (Err(BatchError::Run(failure)), _) => {
            report::diagnostics(&failure.diagnostics);
            if failure.error.is_some() { Exit::Failed } else { Exit::for_want_of(&failure.diagnostics) }
        }
        (Err(BatchError::Write(error)), _) | (Ok(_), Err(error)) => {
            unwritten("the result of a line", FormatError::Io(error));
            Exit::Failed
        }
    }
}

fn open(path: &Path) -> io::Result<Box<dyn BufRead + Send>> {
    if is_stdin(path) {
        return Ok(Box::new(BufReader::with_capacity(1 << 16, io::stdin())));
    }
    if path.is_dir() {
        return Err(io::Error::other("it is a folder"));
    }
    Ok(Box::new(BufReader::with_capacity(1 << 16, fs::File::open(path)?)))
}

/// What one line of JSON says.
#[derive(Serialize)]
struct Record<'a> {
    line: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    normal_form: Option<&'a LineText>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<Finding<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rewrites: Option<u64>,
}

#[derive(Serialize)]
struct Finding<'a> {
    code: &'a str,
    message: &'a str,
    notes: &'a [String],
    help: Option<&'a str>,
}

impl<'a> Finding<'a> {
    fn of(found: &'a Diagnostic) -> Self {
        let Diagnostic { code, message, notes, help, .. } = found;
        Self { code, message, notes, help: help.as_deref() }
    }
}

/// Writes the result of a line. As text a line that failed is empty, so that results and terms stay side by side. What
/// was evaluated within the limits is written, too, but for a text that may be without end.
fn put(request: &Request<'_>, line: &BatchLine, out: &mut impl Write) -> io::Result<()> {
    match &line.result {
        Ok(LineText::Term(_)) => put_line(request, line, &mut Limited::new(out, watchdog::limits())),
        _ => put_line(request, line, out),
    }
}

fn put_line(request: &Request<'_>, line: &BatchLine, out: &mut impl Write) -> io::Result<()> {
    let BatchLine { number, result, rewrites } = line;
    let result = result.as_ref().map_err(|found| found.in_words(wording::wording()));
    if let Err(found) = &result {
        // A closed standard error is no reason to stop.
        let _ = io::stderr().lock().write_all(found.render(report::colored()).as_bytes());
    }
    if request.json {
        let errors = result.as_ref().err().map_or(&[][..], |found| found.list());
        let record = Record {
            line: *number,
            normal_form: result.as_ref().ok().copied(),
            errors: errors.iter().map(Finding::of).collect(),
            rewrites: *rewrites,
        };
        serde_json::to_writer(escape::json(&mut *out), &record)?;
    } else if let Ok(term) = result {
        term.write(out)?;
    }
    out.write_all(b"\n")
}

fn finish(request: &Request<'_>, summary: &BatchSummary) -> Exit {
    let BatchSummary { done, failed, stopped, stats } = summary;
    watchdog::heard();
    watchdog::enter(Phase::Report);
    if request.stats {
        report::stats(stats);
        report::say(&format!("{:<12} {done}\n{:<12} {failed}\n", "lines_done", "lines_failed"));
    }
    if let Some(why) = stopped {
        report::diagnostics(why);
        report::say(&format!(
            "gchr: the batch ended after {} lines; their results are complete\n",
            done + failed
        ));
        return Exit::Failed;
    }
    if *failed == 0 {
        return Exit::Done;
    }
    report::say(&format!("gchr: {failed} of {} lines have no result\n", done + failed));
    Exit::Failed
}

/// The number of workers: what `--threads` says, or all cores, as far as there is room for their stacks.
pub fn workers(threads: Option<usize>) -> NonZeroUsize {
    let all = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let wanted = threads.and_then(NonZeroUsize::new).unwrap_or(all);
    NonZeroUsize::new(memory::threads(wanted.get())).unwrap_or(NonZeroUsize::MIN)
}
