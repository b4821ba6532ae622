//! Fast kernels for later runs: a process in the background compiles them for the cache when this one runs kernels that
//! were compiled soon ([`KernelTier::Soon`]).
//!
//! It is a process of its own, so that no run waits for it, and it goes on when this one has ended: at the lowest
//! priority, not for long, and one at a time. A run that comes meanwhile finds the kernels that were compiled soon.

use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::Duration;

use gchr::{CompileOptions, Device, KernelTier};

use super::args::Args;
use crate::cli::ending::end_at_once;
use crate::cli::exit::Exit;
use crate::cli::report;

/// How long kernels may take that nobody waits for.
pub const MOST_FOR_THE_NEXT_RUN: Duration = Duration::from_secs(120);

/// What this process is called with where it compiles for later runs.
const FLAG: &str = "--later-kernels";

/// Starts the process where a run needs it, and says so.
pub fn start_for(running: Option<KernelTier>) {
    if running != Some(KernelTier::Soon) {
        return;
    }
    let then = match start() {
        Ok(()) => "faster ones for later runs are compiled in the background".to_string(),
        Err(why) => format!("no process compiles faster ones: {why}"),
    };
    report::say(&format!(
        "gchr: the kernels were compiled in a hurry and run slower; {then} (--kernels fast waits for them)\n"
    ));
}

/// Starts it, or says why not: what it compiles must be kept somewhere.
fn start() -> Result<(), String> {
    if gchr::device::cache_folder().is_none() || gchr::device::cache_refusal().is_some() {
        return Err("there is no folder to keep them in".into());
    }
    if let Some(failure) = gchr::device::cache_failure() {
        return Err(failure.into());
    }
    let mut command = Command::new(std::env::current_exe().map_err(|error| error.to_string())?);
    let mut arguments = own_arguments().into_iter();
    command.args(arguments.next()).arg(FLAG).args(arguments);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // Not of the group that Ctrl-C of a terminal ends.
    command.process_group(0).spawn().map(drop).map_err(|error| error.to_string())
}

/// The arguments of this process, without what makes it a GPU child.
fn own_arguments() -> Vec<std::ffi::OsString> {
    let mut arguments: Vec<_> = std::env::args_os().skip(1).collect();
    if let Some(at) = arguments.iter().position(|argument| argument == super::gpu_child::FLAG) {
        arguments.drain(at..(at + 2).min(arguments.len()));
    }
    arguments
}

/// This process as the one in the background: compiles and checks the kernels of the program for the cache, unless
/// another one is about that.
pub fn compile(args: &Args) -> ! {
    give_way();
    let limit = || {
        std::thread::sleep(MOST_FOR_THE_NEXT_RUN);
        end_at_once(Exit::Failed)
    };
    let limited = std::thread::Builder::new().name("gchr limit".into()).spawn(limit);
    let work = || gchr::with_large_stack(|| limited.is_ok() && compile_alone(args).is_some());
    let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
    end_at_once(match done {
        Ok(true) => Exit::Done,
        Ok(false) => Exit::Failed,
        Err(_) => Exit::Bug,
    })
}

fn compile_alone(args: &Args) -> Option<()> {
    let lock = gchr::device::cache_folder()?.join("compiling");
    let lock = std::fs::File::options().create(true).truncate(false).write(true).open(lock).ok()?;
    lock.try_lock().ok()?;
    let program = args.input().parse().ok()?;
    let gpu = match args.device.device() {
        Device::Gpu(gpu) => gpu,
        _ => 0,
    };
    let options = args.options(Device::Gpu(gpu), args.device.schedule().ok()?);
    program.kernels(&CompileOptions { kernels: KernelTier::Fast, ..options }).ok()?.warm(gpu).ok()
}

/// Gives all threads of the process the lowest priority; those that they start have it, too.
pub fn give_way() {
    const LOWEST: i32 = 19;
    let Ok(threads) = std::fs::read_dir("/proc/self/task") else { return };
    let names = threads.filter_map(|thread| thread.ok()?.file_name().to_str()?.parse::<u32>().ok());
    for thread in names {
        // SAFETY: the call takes numbers only. A thread that has ended meanwhile is an error, which changes nothing.
        unsafe { libc::setpriority(libc::PRIO_PROCESS, thread, LOWEST) };
    }
}
