//! Running the binary, in a folder of its own where that matters.

pub mod browser;
pub mod files;
#[cfg(target_os = "linux")]
pub mod process;
#[cfg(target_os = "linux")]
pub mod terminal;

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// The program under test.
pub const BINARY: &str = env!("CARGO_BIN_EXE_gchr");

/// The folder of the project.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// What a process left behind.
pub struct Run {
    /// Exit code; -1 when a signal ended it.
    pub code: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Run {
    fn of(output: std::process::Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

fn run_in(folder: &Path, args: &[impl AsRef<OsStr>]) -> Run {
    Run::of(Command::new(BINARY).current_dir(folder).args(args).output().expect("gchr runs"))
}

/// Runs gchr in the folder of the project.
pub fn gchr(args: &[&str]) -> Run {
    run_in(root(), args)
}

/// Waits for a condition, for at most ten seconds.
pub fn wait_until(condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(10), "waited in vain");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Presses Ctrl-C.
#[cfg(unix)]
pub fn interrupt(child: &std::process::Child) {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("there is kill");
    assert!(sent.success());
}

/// A folder that goes away with the test.
pub struct Scratch(tempfile::TempDir);

impl Scratch {
    /// An empty folder.
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("temporary folder"))
    }
    /// The folder.
    pub fn folder(&self) -> &Path {
        self.0.path()
    }
    /// A path in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
    /// Writes a text file.
    pub fn file(&self, name: &str, text: &str) {
        self.bytes(name, text.as_bytes());
    }
    /// Writes any file.
    pub fn bytes(&self, name: &str, content: &[u8]) {
        fs::write(self.path(name), content).expect("scratch file written");
    }
    /// The text of a file.
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("scratch file read")
    }
    /// Names of everything in it, in order.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder()).expect("scratch folder read");
        let mut names: Vec<_> =
            entries.map(|e| e.expect("entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
    /// Runs gchr in it.
    pub fn gchr(&self, args: &[&str]) -> Run {
        run_in(self.folder(), args)
    }
    /// Runs gchr in it, with a standard input.
    pub fn gchr_with_input(&self, args: &[&str], input: impl AsRef<[u8]>) -> Run {
        let pipe = std::process::Stdio::piped;
        let mut gchr = Command::new(BINARY);
        gchr.current_dir(self.folder()).args(args).stdin(pipe()).stdout(pipe()).stderr(pipe());
        let mut child = gchr.spawn().expect("gchr runs");
        // It may end before it reads.
        let _ = child.stdin.take().expect("a pipe").write_all(input.as_ref());
        Run::of(child.wait_with_output().expect("gchr ends"))
    }
}
