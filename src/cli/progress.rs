//! The progress line of a long run or of many measurements, on a terminal only.

use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use console::Term;
use gchr::Progress;
use gchr::base::escape;
use indicatif::{HumanBytes, HumanCount, ProgressBar, ProgressDrawTarget, TermLike};

use super::report;

/// Whether a line may be on the terminal.
static SHOWN: AtomicBool = AtomicBool::new(false);

/// Takes a line off the terminal, for messages of a process that ends with the line on it.
pub fn erase() {
    if SHOWN.swap(false, Ordering::SeqCst) {
        report::say("\r\x1b[2K");
    }
}

/// Runs that take less show no line.
const QUIET: Duration = Duration::from_millis(500);

/// A line on standard error that tells how far the run is.
pub struct Line {
    start: Instant,
    unit: &'static str,
    bar: Option<ProgressBar>,
    enabled: bool,
}

impl Line {
    /// A line that counts `unit`; nothing is shown yet.
    pub fn new(unit: &'static str) -> Self {
        Self { start: Instant::now(), unit, bar: None, enabled: std::io::stderr().is_terminal() }
    }
    /// Whether it will ever show anything.
    pub fn enabled(&self) -> bool {
        self.enabled
    }
    /// Shows how far the run is.
    pub fn update(&mut self, now: Progress) {
        let elapsed = self.start.elapsed();
        if elapsed < QUIET {
            return;
        }
        let bar = self.bar.get_or_insert_with(spinner);
        let rate = now.steps as f64 / elapsed.as_secs_f64() / 1e6;
        bar.set_message(format!(
            "{} {} in {:.0} s ({rate:.1} M/s), {} live, {}",
            HumanCount(now.steps),
            self.unit,
            elapsed.as_secs_f64(),
            HumanCount(now.live),
            HumanBytes(now.bytes),
        ));
        bar.tick();
    }
}

fn spinner() -> ProgressBar {
    SHOWN.store(true, Ordering::SeqCst);
    let terminal = Box::new(Narrow(Term::stderr()));
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::term_like_with_hz(terminal, 10));
    let style = indicatif::ProgressStyle::default_spinner();
    bar.set_style(style.clone().template("{spinner} {wide_msg}").unwrap_or(style));
    bar
}

/// The terminal, and room at the end of a line for the `^C` that the system shows there: a line that it wraps could not
/// be erased.
#[derive(Debug)]
struct Narrow(Term);

impl TermLike for Narrow {
    fn width(&self) -> u16 {
        const ROOM: u16 = 4;
        self.0.size().1.saturating_sub(ROOM).max(1)
    }
    fn move_cursor_up(&self, n: usize) -> io::Result<()> {
        self.0.move_cursor_up(n)
    }
    fn move_cursor_down(&self, n: usize) -> io::Result<()> {
        self.0.move_cursor_down(n)
    }
    fn move_cursor_right(&self, n: usize) -> io::Result<()> {
        self.0.move_cursor_right(n)
    }
    fn move_cursor_left(&self, n: usize) -> io::Result<()> {
        self.0.move_cursor_left(n)
    }
    fn write_line(&self, text: &str) -> io::Result<()> {
        self.0.write_line(text)
    }
    fn write_str(&self, text: &str) -> io::Result<()> {
        self.0.write_str(text)
    }
    fn clear_line(&self) -> io::Result<()> {
        self.0.clear_line()
    }
    fn flush(&self) -> io::Result<()> {
        self.0.flush()
    }
}

/// A line on standard error that tells what is measured.
pub struct Measuring {
    bar: Option<ProgressBar>,
}

impl Measuring {
    /// A line that says nothing yet.
    pub fn new() -> Self {
        let bar = std::io::stderr().is_terminal().then(spinner);
        if let Some(bar) = &bar {
            bar.enable_steady_tick(Duration::from_millis(200));
        }
        Self { bar }
    }
    /// Shows what comes next.
    pub fn next(&self, what: &str) {
        tracing::info!(what, "measuring");
        if let Some(bar) = &self.bar {
            bar.set_message(format!("measuring {}", escape::line(what)));
        }
    }
}

impl Drop for Measuring {
    fn drop(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
            SHOWN.store(false, Ordering::SeqCst);
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
            SHOWN.store(false, Ordering::SeqCst);
        }
    }
}
