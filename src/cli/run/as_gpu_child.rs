//! This process as the GPU child of another one (see `gpu_child`): its run, its result and its report.

use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use gchr::base::limited::Limited;
use gchr::base::watch::Watch;
use gchr::{BY_GPU, CompileOptions, Device, Diagnostics};

use super::args::Args;
use super::execute::{How, Ran, execute};
use super::gpu_child::ChildReport;
use super::later_kernels::{self, MOST_FOR_THE_NEXT_RUN, give_way};
use super::output::outcome_to;
use crate::cli::ending::end_at_once;
use crate::cli::exit::Exit;
use crate::cli::sink::Stdout;
use crate::cli::watchdog::{self, Phase};

/// Runs the program on the GPU, writes the result and the report, and ends the process. `before` are the milliseconds
/// that the parent process ran before this one.
pub fn run_as_gpu_child(args: &Args, before: u64) -> ! {
    let start = Instant::now();
    end_with_parent();
    let work = || gchr::with_large_stack(|| run_on_gpu(args, before, start));
    let ran = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
    let report = match ran {
        Ok(Ok(report)) => report,
        Ok(Err(error)) => ChildReport::failed(Exit::Failed, error),
        Err(_) => ChildReport::failed(Exit::Bug, "an internal error".into()),
    };
    // A parent that is gone reads no report.
    let _ = write_report(&report);
    // All is written before the driver gives back what it has.
    // SAFETY: nothing of this process writes any more.
    unsafe { libc::close(libc::STDOUT_FILENO) };
    end_at_once(report.exit);
}

fn run_on_gpu(args: &Args, before: u64, start: Instant) -> Result<ChildReport, String> {
    watchdog::enter(Phase::Run);
    args.start_threads_to_load().map_err(|_| "its threads cannot be started".to_string())?;
    let schedule = args.device.schedule().map_err(|_| "its options are refused".to_string())?;
    let program = args.input().parse().map_err(|found| first_error(&found))?;
    let device = match args.device.device() {
        Device::Auto => Device::Gpu(0),
        device => device,
    };
    let options = CompileOptions { only_parallel: true, ..args.options(device, schedule) };
    let executable =
        finished_without_parent(|| program.compile(&options)).map_err(|found| first_error(&found))?;
    later_kernels::start_for(executable.kernels());
    let mut stdout = Stdout::new();
    // The parent bounds this process: what it does not want any more ends with it.
    let began = start.checked_sub(Duration::from_millis(before)).unwrap_or(start);
    let ran =
        execute(args, &executable, How { device, races: false, checkpoints: None }, began, &mut stdout, None);
    let Ran::Here(mut outcome) = ran.map_err(|failure| first_error(&failure.diagnostics))? else {
        return Err("it has a child of its own".into());
    };
    let stats = outcome.stats_mut();
    stats.wall_ms = Some(before as f64 + start.elapsed().as_secs_f64() * 1e3);
    stats.choice = Some(BY_GPU.into());
    let mut limited = Limited::new(&mut stdout, Watch::new()).max_output(args.limits.max_output());
    let written = outcome_to(args, &outcome, &mut limited);
    written
        .and_then(|()| Ok(stdout.flush()?))
        .map_err(|error| format!("cannot write the result: {error}"))?;
    let figures = outcome.report().map(|report| report.figures()).unwrap_or_default();
    let report = ChildReport {
        exit: Exit::Done,
        stats: outcome.stats().clone(),
        figures: figures.into_iter().map(|(name, count)| (name.to_string(), count)).collect(),
        error: None,
    };
    // The program, its kernels and its result need not be given back: the process ends.
    std::mem::forget((outcome, executable));
    std::mem::forget(program);
    Ok(report)
}

fn first_error(found: &Diagnostics) -> String {
    found.list().iter().find(|d| d.is_error()).map_or("no reason is known".into(), |d| d.message.clone())
}

/// Writes the report as the last line of standard output.
fn write_report(report: &ChildReport) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(b"\n")?;
    serde_json::to_writer(&mut out, report)?;
    out.write_all(b"\n")?;
    out.flush()
}

/// What becomes of this process when its parent ends.
struct Parting {
    /// It makes kernels: they are finished for the cache, so that the next run finds them there.
    makes_kernels: bool,
    /// The parent has ended.
    alone: bool,
}

static PARTING: Mutex<Parting> = Mutex::new(Parting { makes_kernels: false, alone: false });

fn parting() -> MutexGuard<'static, Parting> {
    PARTING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does work that is to be finished when the parent ends meanwhile. Then the process ends after it.
fn finished_without_parent<T>(work: impl FnOnce() -> T) -> T {
    parting().makes_kernels = true;
    let done = work();
    let mut parting = parting();
    parting.makes_kernels = false;
    if parting.alone {
        end_at_once(Exit::Failed);
    }
    done
}

/// Has this process end with its parent, when its standard input ends. Kernels that are being made are finished, at the
/// lowest priority and not for long.
fn end_with_parent() {
    let watch = || {
        let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
        let goes_on = {
            let mut parting = parting();
            parting.alone = true;
            parting.makes_kernels
        };
        if goes_on {
            give_way();
            std::thread::sleep(MOST_FOR_THE_NEXT_RUN);
        }
        end_at_once(Exit::Failed);
    };
    if let Err(error) = std::thread::Builder::new().name("gchr parent".into()).spawn(watch) {
        tracing::warn!("this process does not end with its parent: {error}");
    }
}
