//! Standard input in the place of files, and standard streams that were closed when the process began.
//!
//! Rust's runtime opens `/dev/null` in their place before `main`, so that a result for a closed standard output would
//! be lost without an error. What runs before the runtime notes which of them are closed.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use gchr::base::reading::is_stdin;

use super::exit::Exit;
use super::report;

/// Whether standard input, and whether standard output, was closed.
static CLOSED: [AtomicBool; 2] = [const { AtomicBool::new(false) }; 2];

/// What is said of a closed standard output.
pub const OUTPUT_IS_CLOSED: &str = "standard output is closed";

/// Notes which streams are closed.
#[cfg(any(target_os = "linux", target_os = "macos"))]
extern "C" fn note() {
    for (stream, closed) in (0..).zip(&CLOSED) {
        // SAFETY: asks for the flags of a number that need not be a file's.
        let is_closed = unsafe { libc::fcntl(stream, libc::F_GETFD) } == -1;
        closed.store(is_closed, Ordering::Relaxed);
    }
}

/// Has the loader call [`note`] before the runtime starts.
#[cfg(any(target_os = "linux", target_os = "macos"))]
#[used]
// SAFETY: the section holds pointers to functions of this type, and this one needs nothing of the runtime.
#[cfg_attr(target_os = "linux", unsafe(link_section = ".init_array"))]
#[cfg_attr(target_os = "macos", unsafe(link_section = "__DATA,__mod_init_func"))]
static BEFORE_MAIN: extern "C" fn() = note;

/// Whether there is no standard output.
pub fn output_is_closed() -> bool {
    CLOSED[1].load(Ordering::Relaxed)
}

/// A file, where `-` is standard input.
pub fn stdin_of(file: &Path) -> &Path {
    if is_stdin(file) { Path::new("/dev/stdin") } else { file }
}

/// Refuses files of which more than one is standard input, and that one if it is closed.
pub fn stdin_once<'f>(files: impl IntoIterator<Item = &'f PathBuf>) -> Result<(), Exit> {
    match files.into_iter().filter(|file| is_stdin(file)).count() {
        0 => Ok(()),
        1 => check_input(),
        _ => {
            let help = "give - once, and files for the others";
            report::problem("U0105", "standard input can be read once only", help);
            Err(Exit::Usage)
        }
    }
}

/// Refuses standard input as a program where `command` reads it again, or something else from there.
pub fn no_stdin<'f>(command: &str, files: impl IntoIterator<Item = &'f PathBuf>) -> Result<(), Exit> {
    if files.into_iter().any(|file| is_stdin(file)) {
        let message = format!("`{command}` takes no program from standard input");
        report::problem("U0105", &message, "give the name of a file");
        return Err(Exit::Usage);
    }
    Ok(())
}

/// Refuses to read standard input that is closed.
pub fn check_input() -> Result<(), Exit> {
    match CLOSED[0].load(Ordering::Relaxed) {
        false => Ok(()),
        true => {
            report::problem("U0101", "cannot read -: standard input is closed", "give it a file or a pipe");
            Err(Exit::Usage)
        }
    }
}

/// Refuses to write to standard output that is closed.
pub fn check_output() -> Result<(), Exit> {
    match output_is_closed() {
        false => Ok(()),
        true => {
            let message = format!("cannot write: {OUTPUT_IS_CLOSED}");
            report::problem("U0107", &message, "check where the output goes");
            Err(Exit::Failed)
        }
    }
}
