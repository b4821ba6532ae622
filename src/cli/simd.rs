//! `gchr simd`: a program of the µ-SIMD machine.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use gchr::simd::{Counters, MAX_THREADS, Options, Program, load_memory};
use gchr::{Control, Diagnostics, Limits};

use super::exit::Exit;
use super::sink::print;
use super::watchdog::{self, Phase};
use super::{interrupt, report};

/// Arguments of `gchr simd`.
#[derive(clap::Args)]
pub struct Args {
    /// Program file; docs/simd.md describes the language. A file .cu is in the kernel language, and one of its kernels
    /// is compiled
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Which kernel of a file .cu, when it has several
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// Write the program in place of running it
    #[arg(long, conflicts_with_all = ["threads", "warp", "memory", "segment", "trace", "max_steps", "stats"])]
    print: bool,
    /// Number of threads [default: the program's .threads, else one warp]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_THREADS)))]
    threads: Option<u32>,
    /// Lanes of a warp [default: the program's .warp, else 32]
    #[arg(long, value_name = "W", value_parser = clap::value_parser!(u32).range(1..=64))]
    warp: Option<u32>,
    /// Memory at the start, in the form of the result [default: the program's .memory]
    #[arg(long, value_name = "FILE")]
    memory: Option<PathBuf>,
    /// Cells that one memory transaction moves [default: the program's .segment, else 32]
    #[arg(long, value_name = "CELLS", value_parser = clap::value_parser!(u32).range(1..))]
    segment: Option<u32>,
    /// Show every step on standard error: rule, instruction number, active lanes, instruction
    #[arg(long)]
    trace: bool,
    /// Stop after N steps
    #[arg(long, value_name = "N")]
    max_steps: Option<u64>,
    /// Show steps and memory transactions on standard error
    #[arg(long)]
    stats: bool,
}

/// Runs the program; memory and variables at its end go to standard output.
pub fn run(args: &Args) -> Exit {
    if args.kernel.is_some() && !is_kernels(args) {
        let help = "leave it out, or give a file .cu with kernels";
        report::problem("U0105", "--kernel has no effect: the file is one program", help);
        return Exit::Usage;
    }
    let (program, options) = match load(args).and_then(|program| Ok((program, options(args)?))) {
        Ok(loaded) => loaded,
        Err(found) => return report::refuse(&found),
    };
    if args.print {
        return print(&program.to_string());
    }
    let mut machine = match program.machine(options) {
        Ok(machine) => machine,
        Err(found) => return report::refuse(&found),
    };
    let limits = Limits { max_steps: args.max_steps, ..Limits::default() };
    let mut control = Control::new(limits).interrupt(interrupt::flag());
    if args.trace {
        let mut log = BufWriter::new(io::stderr());
        control = control.trace(move |line| drop(writeln!(log, "{line}")));
    }
    watchdog::enter(Phase::Run);
    let stopped = machine.run(&mut control);
    watchdog::heard();
    watchdog::enter(Phase::Report);
    drop(control);
    let undefined = program.undefined(&machine);
    report::diagnostics(&undefined);
    let exit = match &stopped {
        Ok(()) => print(&machine.result()),
        Err(stop) => {
            report::diagnostics(&program.stopped(stop));
            Exit::Failed
        }
    };
    if args.stats {
        stats(&machine.counters());
    }
    if undefined.list().is_empty() { exit } else { Exit::Failed }
}

/// Whether the file is in the kernel language.
fn is_kernels(args: &Args) -> bool {
    args.file.extension().is_some_and(|ending| ending == "cu")
}

fn load(args: &Args) -> Result<Program, Diagnostics> {
    match is_kernels(args) {
        true => Program::compile(&args.file, args.kernel.as_deref()),
        false => Program::load(&args.file),
    }
}

fn options(args: &Args) -> Result<Options, Diagnostics> {
    let memory = args.memory.as_deref().map(load_memory).transpose()?;
    Ok(Options { threads: args.threads, warp: args.warp, segment: args.segment, memory })
}

fn stats(counters: &Counters) {
    let Counters { steps, thread_steps, load_transactions, store_transactions, atomics, divergent_branches } =
        counters;
    let lines = [
        ("steps", steps),
        ("thread_steps", thread_steps),
        ("load_transactions", load_transactions),
        ("store_transactions", store_transactions),
        ("atomics", atomics),
        ("divergent_branches", divergent_branches),
    ];
    report::say(&lines.map(|(key, value)| format!("{key:<18} {value}\n")).concat());
}
