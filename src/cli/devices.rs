//! `gchr devices`: what can run programs here.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Instant;

use gchr::CompileOptions;
use gchr::base::escape;
use gchr::device::{self, Device, RooflinePeaks};
use indicatif::BinaryBytes;

use super::exit::Exit;
use super::program::ProgramArgs;
use super::report;
use super::sink::print;
use super::streams::no_stdin;
use super::watchdog::{self, Phase};

/// Arguments of `gchr devices`.
#[derive(clap::Args)]
pub struct Args {
    /// Measure what the memory of each GPU gives at most, and keep it for `gchr run --profile` and `gchr compare`: they
    /// say then what share of it a run used
    #[arg(long)]
    measure: bool,
    /// Compile the kernels of these programs for the first GPU, so that a run there starts at once; .chr as with
    /// --semantics rounds
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with = "measure")]
    warm: Vec<PathBuf>,
}

/// Lists the devices on standard output; what is missing for GPUs goes to standard error.
pub fn run(args: &Args) -> Exit {
    if !args.warm.is_empty() {
        return warm(&args.warm);
    }
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut text = format!("cpu    the processor, with {threads} threads\n");
    text += "sim    simulator of a GPU, for small inputs\n";
    let mut is_measured = true;
    match device::gpus() {
        Err(missing) => {
            is_measured = false;
            report::diagnostics(&missing);
        }
        Ok(gpus) => {
            for gpu in gpus {
                let _ = write!(
                    text,
                    "gpu:{}  {}, compute capability {}, {} multiprocessors, {} of memory",
                    gpu.ordinal,
                    gpu.name,
                    gpu.capability,
                    gpu.multiprocessors,
                    BinaryBytes(gpu.memory_total),
                );
                if let Some(free) = gpu.memory_free {
                    let _ = write!(text, " ({} free)", BinaryBytes(free));
                }
                let _ = writeln!(text, ", driver for CUDA {}", gpu.driver);
                match roofline(gpu.ordinal, args.measure) {
                    Some(known) => text += &known,
                    None => is_measured = false,
                }
            }
            match device::compiler() {
                Ok(found) => text += &format!("kernels for GPUs are compiled by {found}\n"),
                Err(missing) => report::diagnostics(&missing),
            }
        }
    }
    report::cache();
    match print(&text) {
        Exit::Done if args.measure && !is_measured => Exit::Failed,
        exit => exit,
    }
}

/// Compiles kernels ahead, and says how long each program took. A program that fails does not keep others from it.
fn warm(files: &[PathBuf]) -> Exit {
    if let Err(exit) = no_stdin("gchr devices --warm", files) {
        return exit;
    }
    watchdog::enter(Phase::Compile);
    report::cache();
    let mut exit = Exit::Done;
    let mut text = String::new();
    let options = CompileOptions { only_start: true, ..CompileOptions::default() };
    for file in files {
        let started = Instant::now();
        let program = ProgramArgs { file: file.clone(), language: None }.input().for_rounds(true).parse();
        let warmed = program.and_then(|program| program.kernels(&options)?.warm(0));
        match warmed {
            Ok(()) => {
                let name = escape::lines(&file.display().to_string()).into_owned();
                let _ = writeln!(text, "{name}: kernels ready in {:.2} s", started.elapsed().as_secs_f64());
            }
            Err(failed) => exit = report::refuse(&failed),
        }
    }
    match print(&text) {
        Exit::Done => exit,
        failed => failed,
    }
}

/// What is known of the memory of a GPU, measured now or earlier; nothing where measuring it fails.
fn roofline(gpu: u32, measure: bool) -> Option<String> {
    let known = if measure {
        match device::measure_roofline(gpu) {
            Ok((peaks, kept)) => {
                if let Err(error) = kept {
                    let help = "set GCHR_CACHE_DIR to a folder that you may write to";
                    report::problem("U0107", &format!("cannot keep the measurement: {error}"), help);
                }
                Some(peaks)
            }
            Err(failed) => {
                report::diagnostics(&failed);
                None
            }
        }
    } else {
        device::roofline(Device::Gpu(gpu))
    };
    match known {
        Some(RooflinePeaks { coalesced, random, atomics }) => Some(format!(
            "       measured: {:.2} TB/s copied in order, {:.1} G random reads/s ({:.2} TB/s of sectors), {:.1} G random atomics/s\n",
            coalesced / 1e12,
            random / 32e9,
            random / 1e12,
            atomics / 1e9
        )),
        None if measure => None,
        None => Some("       its memory is not measured yet: gchr devices --measure\n".into()),
    }
}
