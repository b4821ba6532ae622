//! Command line: one module per subcommand, and what they share. Results go to standard output, everything else to standard error.

mod batch;
mod bench;
mod check;
mod compare;
mod device;
mod devices;
mod emit;
mod exit;
mod interrupt;
mod limits;
mod memory;
mod out_file;
mod profile;
mod program;
mod progress;
mod report;
mod run;
mod semantics;
mod simd;
mod sink;
mod values;
mod verify;
mod words;

use std::io::Write;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use gchr::base::escape;

use exit::{Exit, end_at_once};

/// Runs rule programs: many-sorted term rewriting (.trs) and Constraint Handling Rules (.chr).
#[derive(Parser)]
#[command(name = "gchr", version, max_term_width = 100)]
#[command(
    after_help = "Exit codes: 0 done, 1 the program failed or a limit was hit, 2 usage or source error.\n\
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
    /// Check programs and show all errors and warnings
    Check(check::Args),
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
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    memory::set_up();
    let cli = Cli::try_parse().unwrap_or_else(|error| refuse(&error));
    set_up_logging();
    say_that_panics_are_bugs();
    if let Command::Run(args) = &cli.command
        && let Some(before) = args.gpu_child
    {
        run::run_as_gpu_child(args, before);
    }
    let work = std::panic::AssertUnwindSafe(|| gchr::with_large_stack(|| dispatch(&cli.command)));
    let exit = std::panic::catch_unwind(work).unwrap_or(Exit::Bug);
    out_file::remove_parts();
    if gchr::device::gpu_pending() {
        end_at_once(exit);
    }
    ExitCode::from(exit as u8)
}

/// Ends the process with what clap says of the command line, help among it. It shows arguments as they are: those that
/// a terminal would obey are shown by their numbers, without colours.
fn refuse(error: &clap::Error) -> ! {
    let obeyed = |arg: std::ffi::OsString| arg.to_string_lossy().contains(escape::is_hidden);
    if std::env::args_os().any(obeyed) && error.use_stderr() {
        report::say(&error.render().to_string());
        std::process::exit(Exit::Usage as i32);
    }
    // Help and version are results, and go to standard output.
    match error.print().and_then(|()| std::io::stdout().flush()) {
        Err(cause) if !error.use_stderr() && cause.kind() != std::io::ErrorKind::BrokenPipe => {
            report::problem("U0107", &format!("cannot write: {cause}"), "check where the output goes");
            std::process::exit(Exit::Failed as i32)
        }
        _ => std::process::exit(error.exit_code()),
    }
}

fn dispatch(command: &Command) -> Exit {
    if !matches!(command, Command::Run(_))
        && memory::is_tight()
        && let Err(exit) = memory::start_threads(None)
    {
        return exit;
    }
    match command {
        Command::Run(args) => run::run(args),
        Command::Check(args) => check::run(args),
        Command::Emit(args) => emit::run(args),
        Command::Verify(args) => verify::run(args),
        Command::Compare(args) => compare::run(args),
        Command::Bench(args) => bench::run(args),
        Command::Devices(args) => devices::run(args),
        Command::Simd(args) => simd::run(args),
    }
}

fn set_up_logging() {
    use tracing_subscriber::fmt::format::FmtSpan;
    let Ok(filter) = tracing_subscriber::EnvFilter::try_from_env("GCHR_LOG") else { return };
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
