//! Standard output for results.

use std::fs;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::sync::atomic::{AtomicU64, Ordering};

use gchr::base::{escape, units};

use super::exit::Exit;
use super::{report, streams};

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

/// Standard output that is closed.
struct Closed;

impl Write for Closed {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::Error::other(streams::OUTPUT_IS_CLOSED))
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
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
        let inner: Box<dyn Write + Send> = if streams::output_is_closed() {
            Box::new(Closed)
        } else if stdout.is_terminal() {
            Box::new(Counted(escape::terminal(stdout)))
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
