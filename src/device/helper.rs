//! Processes that compile kernels for this one: in one process NVRTC compiles one text at a time, whatever the threads.
//!
//! A helper is told by a line of standard input what to compile, puts the code into the cache of kernels, and says so
//! by a line of standard output. What it does not do, this process does itself, and so has the errors to tell.

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::OnceLock;

use gchr_base::memory;
use gchr_cuda::{Arch, Cache, Compiler, NvrtcOptions};
use serde::{Deserialize, Serialize};

use super::kernels::NAME;

/// The command that starts a helper.
static COMMAND: OnceLock<(PathBuf, Vec<OsString>)> = OnceLock::new();

/// Bytes of memory that a helper may take while it compiles.
const MEMORY: u64 = 512 << 20;

/// Names the command, a program with its arguments, that calls [`serve_compiler`] and does nothing else. Without it all
/// kernels are compiled by this process, one after the other. The first command stays.
pub fn set_compile_helper(program: PathBuf, arguments: Vec<OsString>) {
    let _ = COMMAND.set((program, arguments));
}

/// Compiles what the lines of the input say, until it ends or what it says is no job. Code that is not in the cache is
/// of no use to the process that asked for it.
pub fn serve_compiler(input: impl BufRead, mut output: impl Write) -> io::Result<()> {
    let mut compiler = None;
    for line in input.lines() {
        let job: Job = serde_json::from_str(&line?)?;
        if compiler.is_none() {
            compiler = Compiler::from_env().ok();
        }
        let arch = if job.machine_code { Arch::Real(job.arch) } else { Arch::Virtual(job.arch) };
        let options = job.options.iter().fold(NvrtcOptions::none(), |options, option| options.with(option));
        let is_done = compiler.as_ref().is_some_and(|c| c.build(&job.source, NAME, arch, &options).is_ok());
        let is_done = is_done && gchr_cuda::cache::failure().is_none();
        writeln!(output, "{is_done}")?;
        output.flush()?;
    }
    Ok(())
}

/// What a helper is to compile.
#[derive(Serialize, Deserialize)]
struct Job {
    source: String,
    arch: u32,
    /// Or PTX.
    machine_code: bool,
    options: Vec<String>,
}

/// How many helpers may work beside this process.
pub(super) fn most() -> usize {
    let can_start = COMMAND.get().is_some() && Cache::from_env().keeps();
    if can_start { usize::try_from(memory::left() / MEMORY).unwrap_or(usize::MAX) } else { 0 }
}

/// A process that compiles. It ends when this is dropped.
pub(super) struct Helper {
    process: Child,
    jobs: Option<ChildStdin>,
    done: BufReader<ChildStdout>,
}

impl Helper {
    /// Starts one; `None` where that cannot be.
    pub fn start() -> Option<Self> {
        let (program, arguments) = COMMAND.get()?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().ok()?;
        let (jobs, done) = (process.stdin.take(), process.stdout.take()?);
        Some(Self { process, jobs, done: BufReader::new(done) })
    }

    /// Has a text compiled; whether its code is in the cache then. One that has not done it does nothing more.
    pub fn compile(&mut self, source: &str, arch: Arch, options: &NvrtcOptions) -> bool {
        let (number, machine_code) = match arch {
            Arch::Real(number) => (number, true),
            Arch::Virtual(number) => (number, false),
        };
        let options = options.as_slice().to_vec();
        let job = Job { source: source.to_string(), arch: number, machine_code, options };
        let Some(jobs) = &mut self.jobs else { return false };
        let sent = serde_json::to_writer(&mut *jobs, &job).map_err(io::Error::from);
        let sent = sent.and_then(|()| jobs.write_all(b"\n")).and_then(|()| jobs.flush());
        let mut answer = String::new();
        let is_done =
            sent.and_then(|()| self.done.read_line(&mut answer)).is_ok() && answer.trim_end() == "true";
        if !is_done {
            self.jobs = None;
        }
        is_done
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        // It has nothing to do any more, or does it too late; it writes entries of the cache aside.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
