//! Processes that are interrupted: what they take, and how they end.

use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use gchr_testkit::child::{self, Cost};

use super::BINARY;

/// A process of gchr that goes on.
pub struct Process {
    child: Child,
}

/// A process that has ended.
#[derive(Debug)]
pub struct Ended {
    /// Exit code; `None` when a signal ended it.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// Standard output, when it was kept.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: String,
    /// Processor time of all its threads.
    pub cpu: Duration,
    /// Processor time after the signal that was sent to it.
    pub cpu_after: Duration,
    /// Most memory that it had, in bytes.
    pub peak: u64,
}

/// Where standard output goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Stdout {
    /// Nowhere.
    Dropped,
    /// To [`Ended::stdout`], when it is read at the end.
    Kept,
}

/// Processes that take longer are killed, and the test fails.
const PATIENCE: Duration = Duration::from_secs(60);

impl Process {
    /// Starts gchr with the signals as a shell leaves them.
    pub fn start(folder: &Path, args: &[impl AsRef<OsStr>], stdout: Stdout) -> Self {
        Self::start_with(folder, args, stdout, libc::SIG_DFL)
    }

    /// Starts gchr with SIGINT, SIGTERM and SIGHUP in some disposition.
    pub fn start_with(
        folder: &Path,
        args: &[impl AsRef<OsStr>],
        stdout: Stdout,
        disposition: libc::sighandler_t,
    ) -> Self {
        Self::spawn(command(folder, args, stdout), disposition)
    }

    /// Starts gchr with so many bytes of address space.
    pub fn start_within(folder: &Path, args: &[impl AsRef<OsStr>], bytes: u64) -> Self {
        let mut command = command(folder, args, Stdout::Dropped);
        let limit = libc::rlimit { rlim_cur: bytes, rlim_max: bytes };
        let set = move || {
            // SAFETY: `setrlimit` reads a limit that outlives the call.
            match unsafe { libc::setrlimit(libc::RLIMIT_AS, &limit) } {
                0 => Ok(()),
                _ => Err(std::io::Error::last_os_error()),
            }
        };
        // SAFETY: the closure allocates nothing and takes no locks.
        unsafe { command.pre_exec(set) };
        Self::spawn(command, libc::SIG_DFL)
    }

    /// Starts gchr; what it reads comes from [`Process::feed`].
    pub fn start_with_input(folder: &Path, args: &[impl AsRef<OsStr>], stdout: Stdout) -> Self {
        let mut command = command(folder, args, stdout);
        command.stdin(Stdio::piped());
        Self::spawn(command, libc::SIG_DFL)
    }

    /// Writes to its standard input until it or the text ends; then there is no more.
    pub fn feed(&mut self, text: &mut dyn Read) {
        let mut input = self.child.stdin.take().expect("a pipe");
        // It fails when the process has ended.
        let _ = std::io::copy(text, &mut input);
    }

    fn spawn(mut command: Command, disposition: libc::sighandler_t) -> Self {
        let set = move || {
            for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
                // SAFETY: `signal` may be called between fork and exec.
                unsafe { libc::signal(signal, disposition) };
            }
            Ok(())
        };
        // SAFETY: the closure allocates nothing and takes no locks.
        unsafe { command.pre_exec(set) };
        Self { child: command.spawn().expect("gchr runs") }
    }

    /// Whether it still goes on.
    pub fn goes_on(&mut self) -> bool {
        self.child.try_wait().expect("it is a child").is_none()
    }

    /// Sends a signal.
    pub fn send(&self, signal: i32) {
        // SAFETY: the child is not waited for yet, so its number is its own.
        let sent = unsafe { libc::kill(self.child.id() as i32, signal) };
        assert_eq!(sent, 0);
    }

    /// Sends a signal, if one is given, and waits for the end.
    pub fn end(mut self, signal: Option<i32>) -> Ended {
        let before = signal.map_or(Duration::ZERO, |signal| {
            let before = cpu(self.child.id());
            self.send(signal);
            before
        });
        let pid = self.child.id() as i32;
        let finished = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        let guard = std::sync::Arc::clone(&finished);
        let guard = std::thread::spawn(move || {
            let start = Instant::now();
            while start.elapsed() < PATIENCE && !guard.load(std::sync::atomic::Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(20));
            }
            if !guard.load(std::sync::atomic::Ordering::Relaxed) {
                // SAFETY: as above.
                unsafe { libc::kill(pid, libc::SIGKILL) };
            }
        });
        let stdout = self.child.stdout.take();
        let reader = std::thread::spawn(move || {
            let mut read = Vec::new();
            stdout.map(|mut out| out.read_to_end(&mut read).expect("read"));
            read
        });
        let mut stderr = Vec::new();
        let errors = self.child.stderr.take().expect("a pipe").read_to_end(&mut stderr);
        errors.expect("read");
        let Cost { status, cpu, peak } = child::wait(self.child);
        finished.store(true, std::sync::atomic::Ordering::Relaxed);
        guard.join().expect("it ends");
        Ended {
            code: status.code(),
            signal: status.signal(),
            stdout: reader.join().expect("it ends"),
            stderr: String::from_utf8_lossy(&stderr).into_owned(),
            cpu,
            cpu_after: cpu.saturating_sub(before),
            peak,
        }
    }
}

fn command(folder: &Path, args: &[impl AsRef<OsStr>], stdout: Stdout) -> Command {
    let mut command = Command::new(BINARY);
    command.env("GCHR_CACHE_DIR", folder.join("cache"));
    command.current_dir(folder).args(args).stdin(Stdio::null()).stderr(Stdio::piped());
    command.stdout(if stdout == Stdout::Kept { Stdio::piped() } else { Stdio::null() });
    command
}

/// Processor time of a process so far.
fn cpu(pid: u32) -> Duration {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<u64>().ok()).unwrap_or(0);
    // Fields 14 and 15 of the line, of which two are before the bracket; a tick is a hundredth of a second.
    Duration::from_millis((ticks(11) + ticks(12)) * 10)
}
