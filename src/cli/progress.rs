//! The progress line of a long run or of many measurements, on a terminal only.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use gchr::Progress;
use gchr::base::escape;
use indicatif::{HumanBytes, HumanCount, ProgressBar, ProgressDrawTarget};

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
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
    bar.set_style(indicatif::ProgressStyle::default_spinner());
    bar
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
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}
