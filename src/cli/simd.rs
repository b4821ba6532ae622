//! `gchr simd`: a program of the µ-SIMD machine.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use gchr::simd::{Counters, MAX_THREADS, Machine, Options, Program, load_memory};
use gchr::{Control, Diagnostics, Limits};

use super::sink::Stdout;
use super::{Exit, interrupt, report};

/// Arguments of `gchr simd`.
#[derive(clap::Args)]
pub struct Args {
    /// Program file; docs/simd.md describes the language
    #[arg(value_name = "FILE")]
    file: PathBuf,
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
    let interrupt = interrupt::listen();
    let loaded = Program::load(&args.file).and_then(|program| Ok((program, options(args)?)));
    let (program, options) = match loaded {
        Ok(loaded) => loaded,
        Err(found) => return refuse(&found),
    };
    let mut machine = match program.machine(options) {
        Ok(machine) => machine,
        Err(found) => return refuse(&found),
    };
    let limits = Limits { max_steps: args.max_steps, ..Limits::default() };
    let mut control = Control::new(limits).interrupt(interrupt);
    if args.trace {
        let mut log = BufWriter::new(io::stderr());
        control = control.trace(move |line| drop(writeln!(log, "{line}")));
    }
    let stopped = machine.run(&mut control);
    drop(control);
    let undefined = program.undefined(&machine);
    report::diagnostics(&undefined);
    let exit = match &stopped {
        Ok(()) => write(&machine),
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

fn options(args: &Args) -> Result<Options, Diagnostics> {
    let memory = args.memory.as_deref().map(load_memory).transpose()?;
    Ok(Options { threads: args.threads, warp: args.warp, segment: args.segment, memory })
}

fn refuse(found: &Diagnostics) -> Exit {
    report::diagnostics(found);
    Exit::Usage
}

fn write(machine: &Machine<'_>) -> Exit {
    let mut out = Stdout::new();
    match out.write_all(machine.result().as_bytes()).and_then(|()| out.flush()) {
        Err(error) if !out.is_closed() => {
            report::problem("U0107", &format!("cannot write: {error}"), "check where the output goes");
            Exit::Failed
        }
        _ => Exit::Done,
    }
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
