//! Growth of every example with its size, and the cost of recording.

use gchr_core::profile::Recorder;

use super::{CONSTRAINTS, Entry, Report, Settings, TERMS, short, time};
use crate::compare::{exponent, spread};
use crate::executable::CompileOptions;

/// Times every example at its sizes; notes say how time and steps grow.
pub fn scale(settings: &Settings<'_>) -> Result<Report, String> {
    let mut report = Report::new("scale", settings);
    for bench in TERMS.iter().chain(CONSTRAINTS).filter(|b| settings.wants(b.name)) {
        let mut points = Vec::new();
        for &size in settings.sizes(bench) {
            if !settings.goes_on(&format!("{}, size {size}", bench.file_name())) {
                return Ok(report);
            }
            let mut entry = Entry::new(bench.file_name(), "cpu", Some(size));
            match time(&bench.input(size), &CompileOptions::default(), settings) {
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

/// What a profile costs: each example at its middle size, without and with a recorder (`theirs`; the ratio is how many times longer).
pub fn recording(settings: &Settings<'_>) -> Result<Report, String> {
    let mut report = Report::new("profile", settings);
    for bench in TERMS.iter().chain(CONSTRAINTS).filter(|b| settings.wants(b.name)) {
        let size = if settings.smallest { bench.sizes[0] } else { bench.sizes[1] };
        if !settings.goes_on(&format!("{}, size {size}", bench.file_name())) {
            return Ok(report);
        }
        let mut entry = Entry::new(bench.file_name(), "cpu, recorded", Some(size));
        match time(&bench.input(size), &CompileOptions::default(), settings).and_then(|timed| {
            entry.set_ours(&timed);
            recorded(&bench.input(size), settings)
        }) {
            Ok(ms) => entry.set_theirs(ms),
            Err(why) => entry = entry.failed(why),
        }
        report.entries.push(entry);
    }
    report.notes.push("theirs: with a recorder".into());
    Ok(report)
}

/// Best time with a recorder.
fn recorded(input: &crate::input::Input, settings: &Settings<'_>) -> Result<f64, String> {
    let program = input.parse().map_err(|e| short(&e))?;
    let executable = program.compile(&CompileOptions::default()).map_err(|e| short(&e))?;
    let mut times = Vec::new();
    for _ in 0..settings.repeats.max(1) {
        let mut recorder = Recorder::new();
        let mut control = settings.control().profile(&mut recorder);
        let outcome = executable.run(&mut control).map_err(|e| short(&e.diagnostics))?;
        times.push(outcome.stats().run_ms.unwrap_or(0.0));
    }
    Ok(spread(&times).min)
}
