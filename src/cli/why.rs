//! `gchr why`: the rule instances that led to a constraint, or to a symbol of a normal form.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Instant;

use clap::ValueEnum;
use gchr::base::escape;
use gchr::base::limited::Limited;
use gchr::{CompileOptions, Control, Device, Explanation, FactFile, Header, Input, Language, WhyOptions};

use super::device;
use super::effects::{self, Case};
use super::exit::Exit;
use super::limits::LimitArgs;
use super::out_file::{self, File};
use super::program::ProgramArgs;
use super::semantics::SemanticsArgs;
use super::sink::Stdout;
use super::streams::{stdin_of, stdin_once};
use super::watchdog::{self, Phase};
use super::{interrupt, memory, progress, report, values};

/// Arguments of `gchr why`.
#[derive(clap::Args)]
#[command(after_help = "Examples: gchr why paths.chr --of \"path(1,4)\"; gchr why tree.trs --of 1.2\n\
    The program runs again on the processor, interpreted, and keeps a record of every constraint and every rule instance (.trs: of every term and every rule application): \
    some 32 bytes and 8 for each argument of a constraint, 16 bytes and 8 for each head of an instance, which --memory \
    counts. What a GPU computes under --semantics rounds is explained by that run (--device). The exit code is 1 when there was never \
    such a constraint, or the result has no such place.")]
pub struct Args {
    #[command(flatten)]
    program: ProgramArgs,
    /// What to explain: a constraint, with variables or _ for any value, or NAME/ARITY (.chr); a place in the result,
    /// 1.2 for the second argument of the first one, or . for the whole (.trs)
    #[arg(long, value_name = "WHAT")]
    of: String,
    /// Rule instances from the constraint down to what is shown last
    #[arg(long, value_name = "N", default_value_t = WhyOptions::default().depth)]
    depth: usize,
    /// Constraints that are explained where several match [default: 5] (.chr)
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    limit: Option<usize>,
    /// How to write the derivations
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: FormatArg,
    /// Term to rewrite, in place of the program's own input (.trs)
    #[arg(long, value_name = "TERM", allow_hyphen_values = true)]
    input: Option<String>,
    /// Goals to run, in place of the program's own queries; may be given several times (.chr)
    #[arg(long, value_name = "GOALS")]
    query: Vec<String>,
    /// Rows of constraint C from a file, added before the queries; may be given several times (.chr)
    #[arg(long, value_name = "C=FILE", value_parser = values::facts)]
    facts: Vec<(String, PathBuf)>,
    /// Whether the first line of fact files names their columns: yes, no, auto, or C=WHEN [default: auto] (.chr)
    #[arg(long, value_name = "WHEN", value_parser = values::header)]
    header: Vec<(Option<String>, Header)>,
    #[command(flatten)]
    semantics: SemanticsArgs,
    /// Run the program on a device first, gpu, gpu:N or sim; the processor explains its store by the same rounds (.chr
    /// with
    /// --semantics rounds)
    #[arg(long, value_name = "DEVICE", value_parser = device::device, default_value = "cpu")]
    device: Device,
    /// Write to a file; it appears when it is complete, or not at all
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,
    #[command(flatten)]
    limits: LimitArgs,
    /// Number of threads for loading facts and for rounds [default: all cores]
    #[arg(long, value_name = "N", value_parser = values::threads)]
    threads: Option<usize>,
}

/// How derivations are written.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FormatArg {
    /// A tree for each constraint
    Text,
    /// One JSON object with each constraint once
    Json,
}

fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(n) if n > 0 => Ok(n),
        _ => Err("expected a number from 1 on".into()),
    }
}

impl Args {
    fn input(&self) -> Input {
        let mut input = self.program.input().memory(self.limits.memory_of_host());
        input = input.for_rounds(self.semantics.rounds());
        if let Some(term) = &self.input {
            input = input.term(term);
        }
        for goals in &self.query {
            input = input.query(goals);
        }
        for (constraint, path) in &self.facts {
            let header = values::header_of(&self.header, constraint);
            let (constraint, path) = (constraint.clone(), path.clone());
            input = input.fact_file(FactFile { constraint, path, header, format: None });
        }
        input
    }
}

/// Runs the program and writes derivations; what goes wrong is on standard error when this returns.
pub fn run(args: &Args, start: Instant) -> Exit {
    watchdog::limit(args.limits.timeout(), start);
    args.limits.bound_process(Device::Cpu);
    match explain(args, start) {
        Ok(exit) | Err(exit) => exit,
    }
}

fn explain(args: &Args, start: Instant) -> Result<Exit, Exit> {
    stdin_once(args.facts.iter().map(|(_, file)| file).chain([&args.program.file]))?;
    memory::start_threads(args.threads)?;
    let program = args.input().parse().map_err(|found| report::refuse(&found))?;
    report::warnings(program.warnings(), &args.program.file);
    report::notices(program.notices());
    let device = args.device;
    if device == Device::Auto || (device != Device::Cpu && program.language() == Language::Terms) {
        let help = "leave it out: derivations are those of a run on the processor";
        let message = match device {
            Device::Auto => "a run that is explained has one device",
            _ => "--device does not apply to a term program here",
        };
        report::problem("U0105", message, help);
        return Err(Exit::Usage);
    }
    let options = args.semantics.complete(CompileOptions { device, ..CompileOptions::default() });
    let case = Case { has_facts: !args.facts.is_empty(), is_watched: true, ..Case::of(&program, &options) };
    effects::check(&[case])?;
    values::check_header(&args.header, &args.facts)?;
    let is_term = program.language() == Language::Terms;
    out_file::reads("the program", stdin_of(&args.program.file));
    out_file::reads_texts(program.sources());
    let facts = args.facts.iter().map(|(_, file)| stdin_of(gchr::split_table(file, None).0));
    facts.for_each(|file| out_file::reads("a file of facts", file));
    watchdog::enter(Phase::Open);
    let file = args.out.as_ref().map(|path| File::create("--out", path)).transpose()?;
    watchdog::enter(Phase::Run);
    let mut line = progress::Line::new(if is_term { "rule applications" } else { "firings" });
    let mut errors = escape::shown(io::stderr());
    let mut control = Control::new(args.limits.limits(Device::Cpu)).since(start).interrupt(interrupt::flag());
    // What the program itself writes is beside the point here.
    let out = Limited::new(&mut errors as &mut dyn Write, control.watch().clone());
    control = control.output(out.max_output(args.limits.max_output()));
    if line.enabled() {
        control = control.progress(move |now| line.update(now));
    }
    let usual = WhyOptions::default();
    let why = WhyOptions { depth: args.depth, limit: args.limit.unwrap_or(usual.limit) };
    let explained = program.why(&args.of, &options, &why, &mut control);
    drop(control);
    match explained {
        Ok(explanation) => Ok(write(args, &explanation, file)),
        Err(failure) => {
            watchdog::enter(Phase::Report);
            let never = failure.diagnostics.list().iter().any(|found| found.code == "U0141");
            report::diagnostics(&failure.diagnostics);
            let ran = failure.error.is_some() || never;
            Err(if ran { Exit::Failed } else { Exit::for_want_of(&failure.diagnostics) })
        }
    }
}

fn write(args: &Args, explanation: &Explanation, file: Option<File>) -> Exit {
    watchdog::enter(Phase::Write);
    let mut stdout = Stdout::new();
    let to = |mut out: &mut dyn Write| {
        let mut out = Limited::new(&mut out, watchdog::limits()).max_output(args.limits.max_output());
        match args.format {
            FormatArg::Text => explanation.write_text(&mut out),
            FormatArg::Json => explanation.write_json(&mut out),
        }
    };
    let written = match file {
        None => to(&mut stdout).and_then(|()| stdout.flush()),
        Some(mut file) => to(&mut file).and_then(|()| file.finish()),
    };
    watchdog::heard();
    match written {
        Err(error) if !stdout.is_closed() => {
            super::unwritten::unwritten("the derivations", error.into());
            Exit::Failed
        }
        _ => Exit::Done,
    }
}
