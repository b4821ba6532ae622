//! `--device auto` against the better of `--device cpu` and `--device gpu`: whole processes, from their start to their
//! end, so that what it takes to bring a GPU up counts. Each program runs on the GPU once before, so that its kernels
//! lie in the cache.

use std::path::Path;

use tempfile::TempDir;

use super::process::{self, Bounds, Ran};
use super::programs::{Benchmark, CONSTRAINTS, TERMS};
use super::report::{Entry, Report};
use super::settings::Settings;
use crate::device;
use crate::program::Language;
use crate::report::spread::spread;

/// What reports of it are called.
const KIND: &str = "auto";
/// How many times longer than the better device `auto` may take.
const BOUND: f64 = 1.3;
/// What two runs of a process differ by anyway, in milliseconds.
const NOISE_MS: f64 = 2.0;

/// Times every example at its sizes on each device, with the command line program at `gchr`.
pub fn auto(settings: &Settings<'_>, gchr: &Path) -> Result<Report, String> {
    let folder = tempfile::tempdir().map_err(|e| format!("no folder for programs: {e}"))?;
    let mut report = Report::new(KIND, settings);
    let has_gpu = device::gpus().is_ok_and(|list| !list.is_empty());
    if !has_gpu {
        report.notes.push("There is no GPU here: auto is compared with the CPU alone.".into());
    }
    for bench in TERMS.iter().chain(CONSTRAINTS).filter(|b| settings.wants(b.name)) {
        let file = folder.path().join(bench.file_name());
        std::fs::write(&file, bench.text).map_err(|e| format!("{}: {e}", file.display()))?;
        let runner = Runner { gchr, folder: &folder, bench, settings };
        for &size in settings.sizes(bench) {
            if !settings.goes_on(&format!("{}, size {size}", bench.file_name())) {
                return Ok(report);
            }
            let entry = Entry::new(bench.file_name(), "auto", Some(size));
            let measured = runner.measure(size, has_gpu);
            report
                .entries
                .push(measured.and_then(|m| m.fill(entry.clone())).unwrap_or_else(|e| entry.failed(e)));
        }
    }
    let slow = report.entries.iter().filter(|e| is_slow(e)).count();
    report.notes.push(format!(
        "ours: auto; theirs: the better of the two devices, processes as a whole, after a first run on the GPU. {slow} of {} took more than \
         {BOUND} times as long, and more than {NOISE_MS} ms longer.",
        report.entries.len()
    ));
    Ok(report)
}

impl Report {
    /// Entries of `auto` that took too long.
    pub fn slow(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|e| self.kind == KIND && is_slow(e))
    }
}

/// Whether `auto` took too long.
fn is_slow(entry: &Entry) -> bool {
    let times = entry.ours.zip(entry.theirs);
    times.is_some_and(|(ours, best)| ours.min > BOUND * best && ours.min > best + NOISE_MS)
}

/// A program and what runs it.
struct Runner<'a> {
    gchr: &'a Path,
    folder: &'a TempDir,
    bench: &'a Benchmark,
    settings: &'a Settings<'a>,
}

/// Times by device, in milliseconds, and why `auto` chose what it chose.
#[derive(Default)]
struct Measured {
    cpu: Vec<f64>,
    gpu: Vec<f64>,
    auto: Vec<f64>,
    /// Why the GPU has no time.
    no_gpu: Option<String>,
    choice: String,
    agrees: bool,
}

impl Runner<'_> {
    /// Devices take turns, so that what else the machine does meets all of them.
    fn measure(&self, size: u64, has_gpu: bool) -> Result<Measured, String> {
        let mut all = Measured { agrees: true, ..Measured::default() };
        // A GPU may have no room, or no way to run a program: then it is not the better device.
        let mut gpu = if has_gpu { self.on_gpu(size, &mut all.no_gpu) } else { None };
        for _ in 0..self.settings.repeats.max(1) {
            let cpu = self.run(size, "cpu")?;
            if let Some(last) = gpu.take() {
                all.agrees &= last.out == cpu.out;
                gpu = self.on_gpu(size, &mut all.no_gpu);
                all.gpu.extend(gpu.as_ref().map(|ran| ran.ms));
            }
            let auto = self.run(size, "auto")?;
            all.agrees &= auto.out == cpu.out;
            all.cpu.push(cpu.ms);
            all.auto.push(auto.ms);
            let choice = auto.err.lines().find_map(|line| line.trim().strip_prefix("choice"));
            all.choice = choice.unwrap_or("").trim().to_string();
        }
        Ok(all)
    }

    /// A run on the GPU; else why there is none.
    fn on_gpu(&self, size: u64, why: &mut Option<String>) -> Option<Ran> {
        self.run(size, "gpu").map_err(|failed| *why = Some(failed)).ok()
    }

    fn run(&self, size: u64, device: &str) -> Result<Ran, String> {
        let bench = self.bench;
        let (gchr, file) = (self.gchr.to_string_lossy(), bench.file_name());
        let start = bench.start.replace("{n}", &size.to_string());
        let mut command = vec![&*gchr, "run", &file, "--stats", "--device", device];
        match bench.language {
            Language::Terms => command.extend(["--input", &start]),
            // The only meaning that a GPU has.
            Language::Constraints => command.extend(["--semantics", "rounds", "--query", &start]),
        }
        let bounds = Bounds { timeout: self.settings.timeout, interrupt: self.settings.interrupt };
        process::timed(&command, self.folder.path(), bounds)
    }
}

impl Measured {
    fn fill(self, mut entry: Entry) -> Result<Entry, String> {
        let best = |times: &[f64]| times.iter().copied().fold(f64::INFINITY, f64::min);
        let [cpu, gpu] = [&self.cpu, &self.gpu].map(|times| best(times));
        entry.ours = Some(spread(&self.auto));
        entry.set_theirs(cpu.min(gpu));
        entry.agrees = (!self.agrees).then_some(false);
        let gpu = match self.no_gpu {
            _ if gpu.is_finite() => format!("{gpu:.1}"),
            Some(why) => format!("- ({why})"),
            None => "-".into(),
        };
        let slow = if is_slow(&entry) { "SLOW; " } else { "" };
        entry.note = Some(format!("{slow}cpu {cpu:.1}, gpu {gpu}; {}", self.choice));
        Ok(entry)
    }
}
