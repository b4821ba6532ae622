//! `gchr run`: from a program file to its result.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use clap::ValueEnum;
use gchr::base::rule::Semantics;
use gchr::{
    BY_GPU, BatchOptions, CompileOptions, Control, Device, Executable, Format, FormatError, Language,
    Outcome, Program, Race, Recorder,
};

use super::device::DeviceArgs;
use super::gpu_child::{self, Written};
use super::limits::LimitArgs;
use super::semantics::SemanticsArgs;
use super::sink::{File, Stdout};
use super::{Exit, ProgramArgs, batch, interrupt, profile, progress, report, values};

/// Arguments of `gchr run`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    program: ProgramArgs,
    /// Term to rewrite, in place of the program's own input (.trs)
    #[arg(long, value_name = "TERM", allow_hyphen_values = true)]
    input: Option<String>,
    /// Terms to rewrite, one a line of a file (- for standard input), side by side; results are in their order (.trs)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["input", "trace", "profile"])]
    inputs: Option<PathBuf>,
    /// Goals to run, in place of the program's own queries; may be given several times (.chr)
    #[arg(long, value_name = "GOALS")]
    query: Vec<String>,
    /// Rows of constraint C from a CSV or TSV file, added before the queries; may be given several times (.chr)
    #[arg(long, value_name = "C=FILE", value_parser = values::facts)]
    facts: Vec<(String, PathBuf)>,
    #[command(flatten)]
    device: DeviceArgs,
    #[command(flatten)]
    semantics: SemanticsArgs,
    /// How to write the result
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: FormatArg,
    /// Write the result to a file; it appears when it is complete, or not at all
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,
    /// When a limit or an error stops the run, write the store as it was then where the result would have gone; the exit code stays 1 (.chr)
    #[arg(long)]
    partial: bool,
    /// Show statistics on standard error (JSON results always have them)
    #[arg(long)]
    stats: bool,
    /// Record the run and write plots of it, with counts by rule, to a file that ends in .html, .svg or .json. Times include recording
    /// (`gchr bench profile` measures it). On a GPU programs in rounds and under --scheduler tasks run twice, first with kernels that
    /// count, then timed
    #[arg(long, value_name = "PATH", value_parser = profile::target)]
    profile: Option<profile::Target>,
    /// Show every rule application on standard error
    #[arg(long)]
    trace: bool,
    /// Run on a GPU beside a process that began so many milliseconds before, and for which --device auto was given
    #[arg(long, value_name = "MS", hide = true)]
    beside: Option<u64>,
    #[command(flatten)]
    limits: LimitArgs,
    /// Number of threads for loading facts, for rounds and for --inputs [default: all cores]
    #[arg(long, value_name = "N", value_parser = values::threads)]
    threads: Option<usize>,
}

#[derive(Clone, Copy, ValueEnum)]
enum FormatArg {
    /// A term on one line, or one constraint a line
    Text,
    /// One JSON object with the result and the statistics
    Json,
    /// One constraint a line: its arguments, after its name if the store holds several symbols (.chr)
    Csv,
}

impl From<FormatArg> for Format {
    fn from(format: FormatArg) -> Self {
        match format {
            FormatArg::Text => Format::Text,
            FormatArg::Json => Format::Json,
            FormatArg::Csv => Format::Csv,
        }
    }
}

impl Args {
    /// Whether this process runs beside the one that it was started by.
    pub fn is_beside(&self) -> bool {
        self.beside.is_some()
    }

    /// Whether a GPU runs beside the processor, in a process of its own.
    fn races(&self, program: &Program) -> bool {
        let single = self.inputs.is_none() && !self.trace && self.profile.is_none();
        let options = self.semantics.complete(CompileOptions::default());
        let in_rounds = || program.semantics(&options) == Semantics::Rounds && !program.writes();
        self.device.device == Device::Auto && single && (program.language() == Language::Terms || in_rounds())
    }

    /// What runs the program in this process.
    fn device(&self, program: &Program) -> Device {
        match self.device.device {
            Device::Auto if self.is_beside() => Device::Gpu(0),
            Device::Auto if self.races(program) => Device::Cpu,
            device => device,
        }
    }
}

/// Runs the program; what goes wrong is on standard error when this returns.
pub fn run(args: &Args) -> Exit {
    let start = Instant::now();
    if args.is_beside() {
        gpu_child::end_with_the_other();
    }
    let interrupt = interrupt::listen();
    if let Some(n) = args.threads
        && let Err(error) = rayon::ThreadPoolBuilder::new().num_threads(n).build_global()
    {
        tracing::warn!("--threads has no effect: {error}");
    }
    let schedule = match args.device.schedule() {
        Ok(schedule) => schedule,
        Err(exit) => return exit,
    };
    let program = match load(args) {
        Ok(program) => program,
        Err(exit) => return exit,
    };
    let options = CompileOptions {
        trace: args.trace,
        inline: !args.trace,
        device: args.device(&program),
        schedule,
        only_parallel: args.is_beside(),
        ..CompileOptions::default()
    };
    let options = args.semantics.complete(options);
    if let Some(message) = args.semantics.misplaced(&program, &options) {
        report::problem("U0105", &message, "leave it out, or give --semantics rounds with a .chr program");
        return Exit::Usage;
    }
    if let Err(exit) = applies(args, program.language()) {
        return exit;
    }
    let executable = match program.compile(&options) {
        Ok(executable) => executable,
        Err(found) => {
            report::diagnostics(&found);
            return if found.concern_the_device() { Exit::Failed } else { Exit::Usage };
        }
    };
    if !args.is_beside() {
        report::differences(&executable.warnings(), &args.program.file);
    }
    // The file is opened before the run: a path that cannot be written is known at once, not hours later.
    let mut out = match Out::open(args) {
        Ok(out) => out,
        Err(exit) => return exit,
    };
    if let Some(terms) = &args.inputs {
        let request =
            batch::Request { terms, json: matches!(args.format, FormatArg::Json), stats: args.stats };
        let threads = batch::workers(args.threads);
        let options = BatchOptions {
            limits: args.limits.limits(args.device.device),
            threads,
            interrupt: Some(interrupt),
        };
        return batch::run(&request, &executable, &options, out.stdout, out.file);
    }
    let mut recorded =
        match args.profile.as_ref().map(|p| profile::Output::open(p, args.device.device)).transpose() {
            Ok(recorded) => recorded,
            Err(exit) => return exit,
        };
    let counted = match recorded {
        Some(_) => counted(args, &options, &program, interrupt, &mut out.stdout),
        None => None,
    };
    let recorder = recorded.as_mut().map(profile::Output::begin);
    let race = args.races(&program).then_some(start);
    match execute(args, &executable, interrupt, &mut out.stdout, recorder, race) {
        Ok(Ran::Beside(written)) => deliver_written(args, &written, out),
        Ok(Ran::Here(mut outcome)) => {
            let before = args.beside.map_or(0.0, |ms| ms as f64);
            outcome.stats_mut().wall_ms = Some(before + start.elapsed().as_secs_f64() * 1e3);
            if args.is_beside() {
                outcome.stats_mut().choice = Some(BY_GPU.into());
                // What the executable holds need not be given back first.
                gpu_child::end(deliver(args, &outcome, out));
            }
            let exit = deliver(args, &outcome, out);
            match recorded.map(|r| r.write(&program, outcome.stats(), counted.as_ref(), None)) {
                Some(Err(failed)) if exit == Exit::Done => failed,
                _ => exit,
            }
        }
        Err(mut failure) => {
            failure.stats.wall_ms = Some(start.elapsed().as_secs_f64() * 1e3);
            let exit = give_up(args, &program, &failure, out);
            if let (Some(recorded), Some(error)) = (recorded, failure.diagnostics.list().first()) {
                // The failure of the run is the one to tell.
                let _ = recorded.write(&program, &failure.stats, counted.as_ref(), Some(&error.message));
            }
            exit
        }
    }
}

/// Refuses options that the program's language has no use for.
fn applies(args: &Args, language: Language) -> Result<(), Exit> {
    if let (Language::Constraints, Some(option)) = (language, args.device.given()) {
        let message = format!("{option} does not apply to a constraint program");
        let help = match option {
            "--gc" => {
                "leave it out: the CPU uses rows of removed constraints again at once, a device compacts a table \
                 when half of its rows are dead; --memory says how far tables grow (docs/rounds.md)"
            }
            _ => "leave it out: it says how terms are rewritten; --firing says how rounds find instances",
        };
        report::problem("U0105", &message, help);
        return Err(Exit::Usage);
    }
    if args.partial && language == Language::Terms {
        let help = "leave it out: a term has no form to show until it is a normal form";
        report::problem("U0105", "--partial does not apply to a term program", help);
        return Err(Exit::Usage);
    }
    Ok(())
}

/// What the kernels of a GPU count: they do it in a run of its own before the one that is timed. `None` on other devices, which count while
/// they are timed.
fn counted(
    args: &Args,
    options: &CompileOptions,
    program: &Program,
    interrupt: &AtomicBool,
    stdout: &mut Stdout,
) -> Option<Recorder> {
    if !options.counts_apart() {
        return None;
    }
    let executable = program.compile(&CompileOptions { record: true, ..*options }).ok()?;
    let mut recorder = Recorder::new();
    // What goes wrong here goes wrong in the other run too, and is told there.
    let _ = execute(args, &executable, interrupt, stdout, Some(&mut recorder), None);
    Some(recorder)
}

fn load(args: &Args) -> Result<Program, Exit> {
    let mut input = args.program.input();
    if let Some(term) = &args.input {
        input = input.term(term);
    }
    for goals in &args.query {
        input = input.query(goals);
    }
    for (constraint, file) in &args.facts {
        input = input.facts(constraint, file);
    }
    let program = input.parse().map_err(|found| {
        report::diagnostics(&found);
        Exit::Usage
    })?;
    if !args.is_beside() {
        report::warnings(program.warnings(), &args.program.file);
    }
    if interrupt::requested() {
        report::say("gchr: interrupted while loading, nothing was run\n");
        return Err(Exit::Failed);
    }
    if let (FormatArg::Csv, Language::Terms) = (args.format, program.language()) {
        let help = "use --format text or --format json";
        report::problem("U0109", "a normal form has no rows and columns to write as CSV", help);
        return Err(Exit::Usage);
    }
    Ok(program)
}

/// Runs the plan. What the program itself writes goes to standard output with text results; beside JSON and CSV it goes to standard
/// error, so that the result stays readable for machines.
fn execute<'p>(
    args: &Args,
    executable: &Executable<'p>,
    interrupt: &AtomicBool,
    stdout: &mut Stdout,
    recorder: Option<&mut Recorder>,
    race: Option<Instant>,
) -> Result<Ran<'p>, Box<gchr::Failure>> {
    let limits = args.limits.limits(args.device(executable.program()));
    let unit = match executable.program().language() {
        Language::Terms => "rule applications",
        Language::Constraints => "firings",
    };
    let mut line = progress::Line::new(unit);
    let mut control = Control::new(limits).interrupt(interrupt);
    if line.enabled() && !args.trace {
        control = control.progress(move |now| line.update(now));
    }
    if let Some(recorder) = recorder {
        control = control.profile(recorder);
    }
    if args.trace {
        let mut log = BufWriter::new(io::stderr());
        control = control.trace(move |text| drop(writeln!(log, "{text}")));
    }
    control = match args.format {
        FormatArg::Text => control.output(stdout),
        FormatArg::Json | FormatArg::Csv => control.output(io::stderr()),
    };
    let race = race.map(|start| Race::start(&mut control, move || gpu_child::start(start)));
    match (executable.run(&mut control), race) {
        (Ok(mut outcome), Some(race)) => {
            outcome.stats_mut().choice = Some(race.call_off());
            Ok(Ran::Here(Box::new(outcome)))
        }
        (Err(failure), Some(race)) => {
            let reason = failure.error.as_ref().map(|error| &error.reason);
            let written = reason.and_then(|reason| race.result(reason, &mut control));
            written.map(Ran::Beside).ok_or(failure)
        }
        (ran, None) => ran.map(|outcome| Ran::Here(Box::new(outcome))),
    }
}

/// Where a run was done first.
enum Ran<'p> {
    Here(Box<Outcome<'p>>),
    Beside(Written),
}

/// Where the result and the program's own output go.
struct Out {
    stdout: Stdout,
    file: Option<File>,
}

impl Out {
    fn open(args: &Args) -> Result<Self, Exit> {
        let path = args.out.as_ref().filter(|_| !args.is_beside());
        let file = path.map(|path| {
            File::create(path).map_err(|error| {
                let message = format!("cannot write {}: {error}", path.display());
                report::problem("U0107", &message, "give --out a path in a folder that you may write to");
                Exit::Usage
            })
        });
        Ok(Self { stdout: Stdout::new(), file: file.transpose()? })
    }

    /// Writes what there is to be shown of a run, and what the program wrote before it.
    fn write(&mut self, format: Format, what: &Shown) -> Result<(), FormatError> {
        match self.file.take() {
            Some(mut file) => {
                what.write(format, &mut file)?;
                file.finish()?;
            }
            None => what.write(format, &mut self.stdout)?,
        }
        Ok(self.stdout.flush()?)
    }
}

/// What is written of a run.
enum Shown<'a> {
    /// Its result.
    Result(&'a Outcome<'a>),
    /// The result of the process beside.
    Written(&'a Written),
    /// What was in the store when it stopped.
    Left(&'a gchr::Failure, &'a Program),
}

impl Shown<'_> {
    fn write(&self, format: Format, out: &mut impl Write) -> Result<(), FormatError> {
        match self {
            Shown::Result(outcome) => outcome.write(format, out),
            Shown::Written(written) => Ok(out.write_all(&written.out)?),
            Shown::Left(failure, program) => Ok(failure.write_left(program, format, out)?),
        }
    }
}

/// Tells why there is no result. What was in the store is written where the user asks for it, and nowhere else.
fn give_up(args: &Args, program: &Program, failure: &gchr::Failure, mut out: Out) -> Exit {
    let written = match args.partial && failure.left.is_some() {
        true => {
            // Whoever ended the run by Ctrl-C wants to see this; a further one counts.
            interrupt::answered();
            out.write(args.format.into(), &Shown::Left(failure, program))
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
        unwritten("the store", &error);
    }
    if args.stats {
        report::stats(&failure.stats);
    }
    let no_input = failure.error.is_none() && !failure.diagnostics.concern_the_device();
    if no_input && flushed { Exit::Usage } else { Exit::Failed }
}

/// Writes the result to its place, then the statistics.
fn deliver(args: &Args, outcome: &Outcome, mut out: Out) -> Exit {
    let _span = tracing::info_span!("write").entered();
    let written = out.write(args.format.into(), &Shown::Result(outcome));
    if args.stats {
        report::stats(outcome.stats());
        if let Some(figures) = outcome.report() {
            report::figures(figures);
        }
    }
    ended(written, &out)
}

/// Writes the result of the process beside to its place, then its statistics.
fn deliver_written(args: &Args, written: &Written, mut out: Out) -> Exit {
    let done = out.write(args.format.into(), &Shown::Written(written));
    report::say(&written.err);
    ended(done, &out)
}

/// How the process ends when the result was written, or was not.
fn ended(written: Result<(), FormatError>, out: &Out) -> Exit {
    match written {
        Ok(()) => Exit::Done,
        Err(FormatError::Io(_)) if out.stdout.is_closed() => Exit::Done,
        Err(error) => {
            unwritten("the result", &error);
            Exit::Failed
        }
    }
}

fn unwritten(what: &str, error: &FormatError) {
    if interrupt::requested() {
        return report::say(&format!("gchr: interrupted while {what} was written\n"));
    }
    let help = "check the free space and where the output goes";
    report::problem("U0107", &format!("cannot write {what}: {error}"), help);
}
