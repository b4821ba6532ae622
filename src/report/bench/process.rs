//! Runs other programs, for a bounded time.

use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use wait_timeout::ChildExt;

/// What bounds a process.
#[derive(Clone, Copy)]
pub(super) struct Bounds<'a> {
    /// Time that one may take.
    pub timeout: Duration,
    /// Ends it early.
    pub interrupt: &'a AtomicBool,
}

/// Where a program is installed, by the folders of `PATH`.
pub(super) fn is_installed(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(name).is_file())
}

/// Between two looks at the interrupt.
const LOOK: Duration = Duration::from_millis(50);

/// A command that was run.
pub(super) struct Ran {
    pub out: String,
    pub err: String,
    /// From its start to its end, in milliseconds.
    pub ms: f64,
}

/// Runs a command in a folder; gives its standard output, or says what went wrong.
pub(super) fn run(command: &[&str], folder: &Path, bounds: Bounds<'_>) -> Result<String, String> {
    timed(command, folder, bounds).map(|ran| ran.out)
}

/// Runs a command in a folder, or says what went wrong.
pub(super) fn timed(command: &[&str], folder: &Path, bounds: Bounds<'_>) -> Result<Ran, String> {
    let [name, args @ ..] = command else { return Err("no command".into()) };
    let told = |error: std::io::Error| format!("{name}: {error}");
    let (out, err) = (folder.join("stdout"), folder.join("stderr"));
    let (to, errors) = (File::create(&out).map_err(told)?, File::create(&err).map_err(told)?);
    let start = Instant::now();
    let mut child = Command::new(name)
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(to)
        .stderr(errors)
        .spawn()
        .map_err(told)?;
    let status = loop {
        let left = bounds.timeout.saturating_sub(start.elapsed());
        if let Some(status) = child.wait_timeout(left.min(LOOK)).map_err(told)? {
            break status;
        }
        let late = start.elapsed() >= bounds.timeout;
        if late || bounds.interrupt.load(Ordering::Relaxed) {
            let _ = child.kill();
            let _ = child.wait();
            let limit = bounds.timeout.as_secs();
            return Err(if late {
                format!("{name} took more than {limit} s (--timeout)")
            } else {
                "interrupted".into()
            });
        }
    };
    let ms = start.elapsed().as_secs_f64() * 1e3;
    let text =
        |path: &Path| std::fs::read(path).map(|b| String::from_utf8_lossy(&b).into_owned()).map_err(told);
    let (out, err) = (text(&out)?, text(&err)?);
    if status.success() {
        return Ok(Ran { out, err, ms });
    }
    // Statistics come after the error.
    let said = err.lines().find(|line| line.contains("Error:"));
    let said = said.or_else(|| err.lines().chain(out.lines()).rfind(|line| !line.trim().is_empty()));
    Err(format!("{name} failed ({status}): {}", said.unwrap_or("").trim()))
}
