//! Command line: one module per subcommand, and what they share. Results go to standard output, everything else to
//! standard error.

mod batch;
mod bench;
mod check;
mod checkpoints;
mod compare;
mod device;
mod devices;
mod driver;
mod effects;
mod emit;
mod ending;
mod exit;
mod fmt;
mod interrupt;
mod limits;
mod lsp;
mod memory;
mod out_file;
mod profile;
mod program;
mod progress;
mod repl;
mod report;
mod run;
mod semantics;
mod shell;
mod signals;
mod simd;
mod sink;
mod streams;
mod test;
mod unwritten;
mod values;
mod verify;
mod watchdog;
mod why;
mod wording;
mod words;

use std::io::Write;
use std::process::ExitCode;
use std::time::Instant;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use gchr::base::escape;

use ending::{end_at_once, end_by};
use exit::Exit;

/// Runs rule programs: many-sorted term rewriting (.trs) and Constraint Handling Rules (.chr).
#[derive(Parser)]
#[command(name = "gchr", version, max_term_width = 100)]
#[command(
    after_help = "Exit codes: 0 done, 1 the program failed or a limit was hit, 2 usage or source error. Ctrl-C and other signals \
    end a process without a result by the signal (130 for Ctrl-C in a shell).\n\
    Environment: GCHR_LOG sets what is logged to standard error, e.g. GCHR_LOG=info; NO_COLOR turns colours off."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run a program and write its normal form or its final store
    Run(Box<run::Args>),
    /// Type goals or terms, one after the other, on one store
    Repl(Box<repl::Args>),
    /// Show why a constraint is in the store, or a symbol in a normal form: the rule instances that led to it
    Why(Box<why::Args>),
    /// Check programs and show all errors and warnings
    Check(check::Args),
    /// Bring programs into their usual layout
    Fmt(fmt::Args),
    /// Serve an editor: findings as you type, places of symbols, other names, hover, over standard input and output
    Lsp(lsp::Args),
    /// Test programs against what their comments expect
    Test(test::Args),
    /// Show a program as one of the stages it goes through
    Emit(emit::Args),
    /// Check the kernels of a program, or given ones: barriers, permissions between them, masks
    Verify(verify::Args),
    /// Run programs for the same problem, check that they agree, and show side by side what they took
    Compare(Box<compare::Args>),
    /// Measure: the papers' tables, other systems on the same programs, growth
    Bench(bench::Args),
    /// List what can run programs on this machine
    Devices(devices::Args),
    /// Run a program of the µ-SIMD machine: warps in lockstep with everywhere blocks
    Simd(simd::Args),
    /// Write the completions of a shell
    Completions(shell::CompletionsArgs),
    /// Write the manual pages
    Man(shell::ManArgs),
}

/// The only argument of a process that compiles kernels for another one.
const COMPILE_HELPER: &str = "--compile-helper";

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let start = Instant::now();
    memory::set_up();
    driver::set_up();
    if std::env::args_os().nth(1).is_some_and(|argument| argument == COMPILE_HELPER) {
        let served = gchr::device::serve_compiler(std::io::stdin().lock(), std::io::stdout());
        return ExitCode::from(if served.is_ok() { Exit::Done } else { Exit::Failed }.code());
    }
    set_up_logging();
    signals::listen();
    watchdog::start();
    let cli = match parsed() {
        Ok(cli) => cli,
        Err(error) => return told(&error),
    };
    say_that_panics_are_bugs();
    if let Command::Run(args) = &cli.command
        && let Some(before) = args.gpu_child
    {
        run::run_as_gpu_child(args, before);
    }
    if let Command::Run(args) = &cli.command
        && args.later_kernels
    {
        run::compile_later_kernels(args);
    }
    // Those processes give way to others; this one has somebody who waits.
    if let Ok(gchr) = std::env::current_exe() {
        gchr::device::set_compile_helper(gchr, vec![COMPILE_HELPER.into()]);
    }
    let work = std::panic::AssertUnwindSafe(|| gchr::with_large_stack(|| dispatch(&cli.command, start)));
    let exit = std::panic::catch_unwind(work).unwrap_or(Exit::Bug);
    out_file::remove_parts();
    report::cache_failure();
    if let (Exit::Failed, Some(signal)) = (exit, interrupt::signal()) {
        end_by(signal);
    }
    if gchr::device::gpu_pending() {
        end_at_once(exit);
    }
    ExitCode::from(exit.code())
}

/// The command line of this process, whose options are noted.
fn parsed() -> Result<Cli, clap::Error> {
    let mut command = Cli::command();
    let matches = command.try_get_matches_from_mut(std::env::args_os())?;
    if let Some((name, options)) = matches.subcommand() {
        effects::note(name, options);
        command.find_subcommand(name).into_iter().for_each(wording::note);
    }
    Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut Cli::command()))
}

/// Shows what the parser of the command line has to say: help, the version, or what is wrong with the options. It shows
/// arguments as they are: those that a terminal would obey are shown by their numbers, without colours.
fn told(error: &clap::Error) -> ExitCode {
    let obeyed = |arg: std::ffi::OsString| arg.to_string_lossy().contains(escape::is_hidden);
    if std::env::args_os().any(obeyed) && error.use_stderr() {
        report::say(&error.render().to_string());
        return ExitCode::from(Exit::Usage.code());
    }
    // Help and version are results, and go to standard output.
    if !error.use_stderr()
        && let Err(exit) = streams::check_output()
    {
        return ExitCode::from(exit.code());
    }
    match error.print().and_then(|()| std::io::stdout().flush()) {
        Err(cause) if !error.use_stderr() && cause.kind() != std::io::ErrorKind::BrokenPipe => {
            report::problem("U0107", &format!("cannot write: {cause}"), "check where the output goes");
            ExitCode::from(Exit::Failed.code())
        }
        _ => ExitCode::from(error.exit_code() as u8),
    }
}

fn dispatch(command: &Command, start: Instant) -> Exit {
    use Command::{Check, Emit, Fmt, Run, Verify, Why};
    if !matches!(command, Run(_))
        && memory::is_tight()
        && let Err(exit) = memory::start_threads(None)
    {
        return exit;
    }
    if matches!(command, Run(_) | Why(_) | Check(_) | Fmt(_) | Emit(_) | Verify(_)) {
        watchdog::bound_memory();
    }
    match command {
        Command::Run(args) => run::run(args, start),
        Command::Repl(args) => repl::run(args),
        Command::Why(args) => why::run(args, start),
        Command::Check(args) => check::run(args, start),
        Command::Fmt(args) => fmt::run(args),
        Command::Lsp(args) => lsp::run(args),
        Command::Test(args) => test::run(args),
        Command::Emit(args) => emit::run(args),
        Command::Verify(args) => verify::run(args),
        Command::Compare(args) => compare::run(args),
        Command::Bench(args) => bench::run(args),
        Command::Devices(args) => devices::run(args),
        Command::Simd(args) => simd::run(args),
        Command::Completions(args) => shell::completions(args, Cli::command()),
        Command::Man(args) => shell::man(args, Cli::command()),
    }
}

/// The variable that says what is logged.
const LOG: &str = "GCHR_LOG";

/// What is logged, or why that is not known. A word alone that is no level would be the name of a crate.
fn logged(wanted: &std::ffi::OsStr) -> Result<tracing_subscriber::EnvFilter, String> {
    let text = wanted.to_str().ok_or("no text")?;
    let is_known = |word: &str| {
        word.starts_with("gchr") || word.parse::<tracing_subscriber::filter::LevelFilter>().is_ok()
    };
    let unknown = text.split(',').map(str::trim).find(|word| !word.contains(['=', '[']) && !is_known(word));
    match unknown {
        Some(word) => Err(format!("`{word}`, which is no level and no crate of gchr")),
        None => text.parse().map_err(|error| format!("not understood ({error})")),
    }
}

fn set_up_logging() {
    use tracing_subscriber::fmt::format::FmtSpan;
    let Some(wanted) = std::env::var_os(LOG).filter(|wanted| !wanted.is_empty()) else { return };
    let filter = match logged(&wanted) {
        Ok(filter) => filter,
        Err(why) => {
            report::say(&format!(
                "gchr: nothing is logged: {LOG} is {why}; write error, warn, info, debug or trace, or gchr_cuda=debug\n"
            ));
            return;
        }
    };
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(report::colored())
        .with_span_events(FmtSpan::CLOSE)
        .init();
}

/// A user never sees a raw panic message: no input should cause one, so it is our mistake and is called so.
fn say_that_panics_are_bugs() {
    std::panic::set_hook(Box::new(|info| {
        let cause = info.payload_as_str().unwrap_or("unknown cause");
        let place = info.location().map(|l| format!(" ({}:{})", l.file(), l.line())).unwrap_or_default();
        let _ = writeln!(
            std::io::stderr(),
            "gchr: internal error: {}{place}\n\
             This is a bug in gchr. Please report it together with the program and the command line.",
            escape::lines(cause)
        );
    }));
}
