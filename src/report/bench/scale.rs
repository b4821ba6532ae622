//! Growth of every example with its size, and the cost of recording.

use gchr_base::profile::Recorder;

use super::programs::{CONSTRAINTS, TERMS};
use super::report::{Entry, Report};
use super::settings::{Settings, device_name, short, time};
use crate::device::Device;
use crate::input::Input;
use crate::options::CompileOptions;
use crate::report::spread::{exponent, spread};

/// Times every example at its sizes; notes say how time and steps grow.
pub fn scale(settings: &Settings<'_>) -> Result<Report, String> {
    let mut report = Report::new("scale", settings);
    for bench in TERMS.iter().chain(CONSTRAINTS).filter(|b| settings.wants(b.name)) {
        let mut points = Vec::new();
        for &size in settings.sizes(bench) {
            if !settings.goes_on(&format!("{}, size {size}", bench.file_name())) {
                return Ok(report);
            }
            let mut entry = Entry::new(bench.file_name(), device_name(settings.device), Some(size));
            match time(&bench.input(size), &settings.options(), settings) {
                Ok(timed) => {
                    entry.set_ours(&timed);
                    points.push((size as f64, timed.ms.min, entry.steps.unwrap_or(0) as f64));
                }
                Err(why) => entry = entry.failed(why),
            }
            report.entries.push(entry);
        }
        let fit = |of: fn(&(f64, f64, f64)) -> f64| {
            exponent(&points.iter().map(|p| (p.0, of(p))).collect::<Vec<_>>())
        };
        if let (Some(time), Some(steps)) = (fit(|p| p.1), fit(|p| p.2)) {
            let name = bench.file_name();
            report.notes.push(format!("{name}: time grows as size^{time:.2}, steps as size^{steps:.2}"));
        }
    }
    Ok(report)
}

/// What a profile costs: each example at its middle size, without and with a recorder (`theirs`; the ratio is how many
/// times longer). On a GPU also with kernels that count.
pub fn recording(settings: &Settings<'_>) -> Result<Report, String> {
    let mut report = Report::new("profile", settings);
    let name = device_name(settings.device);
    let mut ways = vec![(format!("{name}, recorded"), false)];
    if let Device::Gpu(_) = settings.device {
        ways.push((format!("{name}, counting"), true));
    }
    for bench in TERMS.iter().chain(CONSTRAINTS).filter(|b| settings.wants(b.name)) {
        let size = if settings.smallest { bench.sizes[0] } else { bench.sizes[1] };
        if !settings.goes_on(&format!("{}, size {size}", bench.file_name())) {
            return Ok(report);
        }
        let plain = time(&bench.input(size), &settings.options(), settings);
        for (way, record) in &ways {
            let mut entry = Entry::new(bench.file_name(), way.clone(), Some(size));
            let measured = plain.as_ref().map_err(Clone::clone).and_then(|timed| {
                entry.set_ours(timed);
                recorded(&bench.input(size), *record, settings)
            });
            match measured {
                Ok(ms) => entry.set_theirs(ms),
                Err(why) => entry = entry.failed(why),
            }
            report.entries.push(entry);
        }
    }
    report.notes.push("theirs: with a recorder; counting: with kernels that count, too".into());
    Ok(report)
}

/// Best time with a recorder.
fn recorded(input: &Input, record: bool, settings: &Settings<'_>) -> Result<f64, String> {
    let program = input.parse().map_err(|e| short(&e))?;
    let options = CompileOptions { record, ..settings.options() };
    let executable = program.compile(&options).map_err(|e| short(&e))?;
    let mut times = Vec::new();
    // The first one warms up.
    for _ in 0..=settings.repeats.max(1) {
        let mut recorder = Recorder::new();
        let mut control = settings.control().profile(&mut recorder);
        let outcome = executable.run(&mut control).map_err(|e| short(&e.diagnostics))?;
        times.push(outcome.stats().device_ms.or(outcome.stats().run_ms).unwrap_or(0.0));
    }
    Ok(spread(&times[1..]).min)
}
