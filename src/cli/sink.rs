//! Where results go: standard output, or a file that is written aside and renamed, so that it is never seen half-written.

use std::fs;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use gchr::base::units;
use tempfile::NamedTempFile;

use super::exit::Exit;
use super::{aside, report};

/// Bytes that went to standard output.
static WRITTEN: AtomicU64 = AtomicU64::new(0);

/// What is on standard output when a result is not complete.
pub fn half_written() -> Option<String> {
    match WRITTEN.load(Ordering::Relaxed) {
        0 => None,
        n => Some(format!("standard output has {} of what was to be written", units::bytes(n))),
    }
}

/// Counts what goes to standard output.
struct Counted<W>(W);

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        let written = self.0.write(text)?;
        WRITTEN.fetch_add(written as u64, Ordering::Relaxed);
        Ok(written)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Standard output for results. Remembers that nobody reads any more, which is no error.
pub struct Stdout {
    inner: Box<dyn Write + Send>,
    closed: bool,
}

impl Stdout {
    /// Shows each line at once on a terminal, larger pieces elsewhere.
    pub fn new() -> Self {
        let stdout = io::stdout();
        let inner: Box<dyn Write + Send> = if stdout.is_terminal() {
            Box::new(Counted(stdout))
        } else {
            Box::new(BufWriter::with_capacity(1 << 16, Counted(unbuffered(stdout))))
        };
        Self { inner, closed: false }
    }
    /// Whether the reader has gone (`| head`).
    pub fn is_closed(&self) -> bool {
        self.closed
    }
    fn watch<T>(&mut self, result: io::Result<T>) -> io::Result<T> {
        if let Err(error) = &result {
            self.closed |= error.kind() == io::ErrorKind::BrokenPipe;
        }
        result
    }
}

impl Write for Stdout {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(text);
        self.watch(written)
    }
    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.inner.flush();
        self.watch(flushed)
    }
}

/// Writes a text to standard output, and says so when that fails.
pub fn print(text: &str) -> Exit {
    let mut out = Stdout::new();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if !out.is_closed() => {
            report::problem("U0107", &format!("cannot write: {error}"), "check where the output goes");
            Exit::Failed
        }
        _ => Exit::Done,
    }
}

/// Standard output is line buffered by default, which costs a system call a line.
#[cfg(unix)]
fn unbuffered(stdout: io::Stdout) -> impl Write + Send {
    use std::os::fd::AsFd;
    match stdout.as_fd().try_clone_to_owned() {
        Ok(fd) => Box::new(fs::File::from(fd)) as Box<dyn Write + Send>,
        Err(_) => Box::new(stdout),
    }
}

#[cfg(not(unix))]
fn unbuffered(stdout: io::Stdout) -> impl Write + Send {
    stdout
}

/// A result file.
pub enum File {
    /// Written aside, renamed at the end.
    Aside {
        /// Where it goes.
        target: PathBuf,
        /// What is written.
        file: BufWriter<NamedTempFile>,
    },
    /// Devices and pipes cannot be renamed over: they are written as they are.
    Direct(BufWriter<fs::File>),
}

impl File {
    /// Opens `path` for a result. What is there stays until [`finish`](Self::finish).
    pub fn create(path: &Path) -> io::Result<Self> {
        if let Ok(known) = fs::metadata(path) {
            if known.is_dir() {
                return Err(io::Error::other("it is a folder"));
            }
            if !known.is_file() {
                let file = fs::OpenOptions::new().write(true).open(path)?;
                return Ok(File::Direct(BufWriter::new(file)));
            }
            // A file that may not be written must not be replaced either, which a rename alone would do.
            fs::OpenOptions::new().write(true).open(path)?;
        }
        // Follow a link to the file it names, so that the link stays one.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        let folder = match target.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let file = aside_in(folder)?;
        aside::add(file.path());
        Ok(File::Aside { target, file: BufWriter::with_capacity(1 << 16, file) })
    }

    /// Makes the result appear under its name.
    pub fn finish(self) -> io::Result<()> {
        match self {
            File::Direct(mut file) => file.flush(),
            File::Aside { target, file } => {
                let file = file.into_inner().map_err(|e| e.into_error())?;
                if let Ok(known) = fs::metadata(&target) {
                    fs::set_permissions(file.path(), known.permissions())?;
                }
                let path = file.path().to_path_buf();
                file.persist(target)?;
                aside::forget(&path);
                Ok(())
            }
        }
    }
}

impl Write for File {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        match self {
            File::Aside { file, .. } => file.write(text),
            File::Direct(file) => file.write(text),
        }
    }
    fn flush(&mut self) -> io::Result<()> {
        match self {
            File::Aside { file, .. } => file.flush(),
            File::Direct(file) => file.flush(),
        }
    }
}

fn aside_in(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".gchr-").suffix(".part");
    #[cfg(unix)]
    {
        // A result is a file like any other, not a secret: what the user's mask leaves of 0666.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder).map_err(without_path)
}

/// What the system says, without the name of the file aside: the user gave another one.
fn without_path(error: io::Error) -> io::Error {
    let inner = error.get_ref().and_then(|e| e.source()).and_then(|e| e.downcast_ref::<io::Error>());
    inner.and_then(io::Error::raw_os_error).map_or(error, io::Error::from_raw_os_error)
}
