//! Where the result of a run goes, and how the process ends then.

use std::io::Write;
use std::time::Instant;

use gchr::{FormatError, Outcome, Program, TableFormat};

use super::args::Args;
use super::choices::{FileFormat, FormatArg};
use super::gpu_child::ChildResult;
use super::tables::Tables;
use super::typed;
use crate::cli::exit::Exit;
use crate::cli::out_file::File;
use crate::cli::report;
use crate::cli::sink::Stdout;
use crate::cli::unwritten::unwritten;
use crate::cli::watchdog::{self, Phase};

/// Where the result and the program's own output go.
pub struct Out {
    pub stdout: Stdout,
    pub file: Option<File>,
    /// The files of `--out-dir`.
    tables: Option<Tables>,
    /// Bytes that the result may take.
    max: Option<u64>,
}

impl Out {
    /// Opens what the options name.
    pub fn open(args: &Args, program: &Program) -> Result<Self, Exit> {
        let file = args.out.as_ref().map(|path| File::create("--out", path)).transpose()?;
        typed::check_file(args, file.as_ref())?;
        let tables = match (&args.out_dir, FileFormat::of(args.format())) {
            (Some(folder), Some(format)) => {
                Some(Tables::open(folder, format, &args.selection(), &program.constraints())?)
            }
            _ => None,
        };
        Ok(Self { stdout: Stdout::new(), file, tables, max: args.limits.max_output() })
    }

    /// Of a process whose result comes to another one.
    pub fn nowhere() -> Self {
        Self { stdout: Stdout::new(), file: None, tables: None, max: None }
    }

    /// Writes what there is to be shown of a run, and what the program wrote before it.
    fn write(&mut self, args: &Args, what: &Shown) -> Result<(), FormatError> {
        watchdog::enter(Phase::Write);
        match (self.tables.take(), self.file.take(), what) {
            (Some(tables), _, Shown::Result(outcome)) => tables.write(outcome, self.max)?,
            (_, Some(file), Shown::Result(outcome)) if args.format().text().is_none() => {
                typed::write(args, outcome, file, self.max)?;
            }
            (_, Some(mut file), _) => {
                what.write(args, &mut watchdog::limited(&mut file, self.max))?;
                file.finish()?;
            }
            (_, None, _) => what.write(args, &mut watchdog::limited(&mut self.stdout, self.max))?,
        }
        self.stdout.flush()?;
        // What comes now does not take the result back.
        watchdog::heard();
        watchdog::enter(Phase::Report);
        Ok(())
    }
}

/// What is written of a run.
enum Shown<'a> {
    /// Its result.
    Result(&'a Outcome<'a>),
    /// The result of the GPU child.
    OfChild(&'a ChildResult),
    /// What was in the store when it stopped.
    Left(&'a gchr::Failure, &'a Program),
}

impl Shown<'_> {
    fn write(&self, args: &Args, out: &mut impl Write) -> Result<(), FormatError> {
        match self {
            Shown::Result(outcome) => outcome_to(args, outcome, out),
            Shown::OfChild(result) => Ok(out.write_all(&result.out)?),
            Shown::Left(failure, program) => {
                Ok(failure.write_left(program, &args.selection(), args.text_format(), out)?)
            }
        }
    }
}

/// Writes of a result what the options ask for.
pub fn outcome_to(args: &Args, outcome: &Outcome, out: &mut impl Write) -> Result<(), FormatError> {
    match args.sizes {
        true => outcome.write_sizes(&args.selection(), args.text_format(), out),
        false => outcome.write_selected(&args.selection(), args.text_format(), out),
    }
}

/// Tells why there is no result. What was in the store is written where the user asks for it, and nowhere else.
pub fn give_up(args: &Args, program: &Program, failure: &gchr::Failure, mut out: Out) -> Exit {
    if let Some(done) = failure.elsewhere {
        return if done { Exit::Done } else { Exit::Failed };
    }
    // From here on only a further Ctrl-C counts: a user who ended the run by one wants to see what it did.
    watchdog::answered();
    watchdog::enter(Phase::Report);
    let written = match args.partial && failure.left.as_ref().is_some_and(gchr::Left::is_told) {
        true => {
            watchdog::limit(args.limits.timeout(), Instant::now());
            out.write(args, &Shown::Left(failure, program))
        }
        false => out.stdout.flush().map_err(FormatError::Io),
    };
    if out.stdout.is_closed() {
        return Exit::Done;
    }
    report::diagnostics(&failure.diagnostics);
    if args.partial && failure.error.is_some() && failure.left.is_none() {
        report::say("gchr: there is no store to show: the run ended in the middle of something\n");
    }
    let flushed = written.is_ok();
    if let (true, Err(error)) = (args.partial, written) {
        unwritten("the store", error);
    }
    if args.stats {
        report::stats(&failure.stats);
    }
    let ran = failure.error.is_some() || !flushed;
    if ran { Exit::Failed } else { Exit::for_want_of(&failure.diagnostics) }
}

/// Writes the result to its place, then the statistics.
pub fn deliver(args: &Args, outcome: &Outcome, mut out: Out) -> Exit {
    let _span = tracing::info_span!("write").entered();
    let written = out.write(args, &Shown::Result(outcome));
    if written.is_ok() {
        tell_losses(args, outcome);
    }
    if args.stats {
        report::stats(outcome.stats());
        if let Some(figures) = outcome.report() {
            report::figures(&figures.figures());
        }
    }
    match (ended(written, &mut out), outcome.halted()) {
        (Exit::Done, Some(code)) => Exit::Halted(code),
        (exit, _) => exit,
    }
}

/// Arguments of which one line tells what is lost.
const TOLD: usize = 3;

/// Says in one line what tables that were written do not keep of the store.
fn tell_losses(args: &Args, outcome: &Outcome) {
    let is_database = matches!(args.format(), FormatArg::Sqlite);
    if !is_database
        && (args.format().table().is_none() || args.format().text().is_some() && args.out_dir.is_none())
    {
        return;
    }
    let losses = outcome.losses(&args.selection(), args.format().table());
    if losses.is_empty() {
        return;
    }
    let mut told = losses[..losses.len().min(TOLD)].join("; ");
    if losses.len() > TOLD {
        told.push_str(&format!("; and {} arguments more", losses.len() - TOLD));
    }
    let way_out = match args.format().table() {
        Some(TableFormat::JsonLines) => "",
        _ => " (--format jsonl keeps the types of values)",
    };
    report::say(&format!("gchr: not all values read back as they are: {told}{way_out}\n"));
}

/// Writes the result of the GPU child to its place, then its statistics.
pub fn deliver_of_child(args: &Args, result: &ChildResult, mut out: Out) -> Exit {
    let written = out.write(args, &Shown::OfChild(result));
    if args.stats {
        report::stats(&result.stats);
        report::figures(&result.figures);
    }
    ended(written, &mut out)
}

/// How the process ends when the result was written, or was not.
fn ended(written: Result<(), FormatError>, out: &mut Out) -> Exit {
    // What is told is how much is on standard output.
    let flushed = out.stdout.flush().map_err(FormatError::Io);
    match written.and(flushed) {
        Ok(()) => Exit::Done,
        Err(FormatError::Io(_)) if out.stdout.is_closed() => Exit::Done,
        Err(error) => {
            unwritten("the result", error);
            Exit::Failed
        }
    }
}
