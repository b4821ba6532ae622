//! Measures one cell: a recorded run for the counters, then timed runs without a recorder.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use gchr_base::control::{Control, Limits};
use gchr_base::profile::{Recorder, Traffic};
use gchr_base::rule::Semantics;
use gchr_base::stats::Stats;

use super::answer::Answered;
use super::measured::Measured;
use super::plan::{Row, Subject, Variant};
use crate::device::{self, Device};
use crate::executable::Executable;
use crate::options::CompileOptions;
use crate::output::Outcome;
use crate::program::Language;
use crate::report::spread::{PATIENCE_MS, Spread, spread};

/// What all cells share.
pub(super) struct CellRuns<'a> {
    pub repeats: usize,
    pub interrupt: &'a AtomicBool,
}

impl<'a> CellRuns<'a> {
    fn control(&self, limits: Limits) -> Control<'a> {
        Control::new(limits).interrupt(self.interrupt)
    }
}

/// Fills in a row; its answer is compared with the first one of this size.
pub(super) fn cell(
    work: &CellRuns,
    subject: &Subject,
    variant: &Variant,
    mut row: Row,
    reference: &mut Option<Answered>,
) -> Row {
    match measure(work, subject, variant, row.size) {
        Ok((measured, answer)) => {
            row.outcome = Ok(measured);
            let difference = reference.as_ref().and_then(|r| answer.difference(r));
            row.agrees = Some(difference.is_none());
            row.difference = difference;
            reference.get_or_insert(answer);
        }
        Err(why) => row.outcome = Err(why),
    }
    row
}

fn measure(
    work: &CellRuns,
    subject: &Subject,
    variant: &Variant,
    size: Option<u64>,
) -> Result<(Measured, Answered), String> {
    let in_rounds = variant.options.semantics == Some(Semantics::Rounds);
    let program = subject.input(size).for_rounds(in_rounds).parse().map_err(|found| first_line(&found))?;
    let mut recorder = Recorder::new();
    let executable = program.compile(&variant.options).map_err(|found| first_line(&found))?;
    let (answer, uncounted) = {
        let options = CompileOptions { record: true, ..variant.options };
        let counting = program.compile(&options).map_err(|found| first_line(&found))?;
        let counted = run(&counting, work.control(variant.limits).profile(&mut recorder));
        let may_try = counts_by_kernels(variant.options.device) && !work.interrupt.load(Ordering::Relaxed);
        let (outcome, uncounted) =
            or_uncounted(counted, may_try, || run(&executable, work.control(variant.limits)))?;
        // The rules of an answer take steps of their own.
        let mut control = work.control(Limits { max_steps: None, max_rounds: None, ..variant.limits });
        (Answered::of(&outcome, subject.answer.as_deref(), &mut control)?, uncounted)
    };
    if uncounted.is_some() {
        recorder = Recorder::new();
    }
    let (mut runs, mut device, mut stats) = (Vec::new(), Vec::new(), None);
    while runs.len() < work.repeats.max(1) && runs.last().is_none_or(|&ms| ms < PATIENCE_MS) {
        let start = Instant::now();
        let outcome = run(&executable, work.control(variant.limits))?;
        let ms = start.elapsed().as_secs_f64() * 1e3;
        runs.push(outcome.stats().run_ms.unwrap_or(ms));
        device.extend(outcome.stats().device_ms);
        stats.get_or_insert_with(|| outcome.stats().clone());
    }
    let stats = stats.unwrap_or_default();
    let measured = Measured {
        run_ms: spread(&runs),
        device_ms: (!device.is_empty()).then(|| spread(&device)),
        steps: stats.rewrites.or(stats.firings),
        rows: answer.rows.len(),
        uncounted,
        ..counted(subject.language, &recorder, &stats)
    };
    let best = measured.device_ms.map_or(0.0, |ms| ms.min / 1e3);
    let roofline = device::roofline(variant.options.device);
    let ceiling = roofline.zip(measured.traffic).and_then(|(c, traffic)| c.share(&traffic, best));
    Ok((Measured { stats, ceiling, ..measured }, answer))
}

/// Whether counting takes another form of the kernels.
fn counts_by_kernels(device: Device) -> bool {
    matches!(device, Device::Gpu(_) | Device::Auto)
}

/// The run that counted, or one that does not and why it is needed.
fn or_uncounted<T>(
    counted: Result<T, String>,
    may_try: bool,
    plain: impl FnOnce() -> Result<T, String>,
) -> Result<(T, Option<String>), String> {
    match counted {
        Ok(outcome) => Ok((outcome, None)),
        Err(why) if may_try => plain().map(|outcome| (outcome, Some(why))),
        Err(why) => Err(why),
    }
}

/// What the recorder knows.
fn counted(language: Language, recorder: &Recorder, stats: &Stats) -> Measured {
    let last = recorder.points().last().copied().unwrap_or_default();
    let rounds = stats.rounds.filter(|&n| n > 0);
    let steps = stats.rewrites.or(stats.firings).unwrap_or(0);
    Measured {
        stats: Stats::default(),
        run_ms: Spread::default(),
        device_ms: None,
        steps: None,
        tried: (language == Language::Constraints && last.tried > 0).then_some(last.tried),
        rounds,
        mean_parallelism: rounds.map(|n| steps as f64 / n as f64),
        peak_parallelism: recorder.peak_parallelism(),
        traffic: (last.traffic != Traffic::default()).then_some(last.traffic),
        ceiling: None,
        rows: 0,
        uncounted: None,
    }
}

fn run<'p>(executable: &Executable<'p>, mut control: Control) -> Result<Outcome<'p>, String> {
    executable.run(&mut control).map_err(|stopped| first_line(&stopped.diagnostics))
}

/// What a finding says, on one line.
fn first_line(found: &crate::diagnostics::Diagnostics) -> String {
    let error = found.list().iter().find(|d| d.is_error());
    error.map_or_else(|| "unknown".into(), |d| format!("{} [{}]", d.message, d.code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_of_the_counting_run_alone_costs_the_counters() {
        let slow = || Err("time limit".to_string());
        assert_eq!(or_uncounted(Ok(1), true, || Ok(2)), Ok((1, None)));
        assert_eq!(or_uncounted(slow(), true, || Ok(2)), Ok((2, Some("time limit".into()))));
        assert_eq!(or_uncounted::<u8>(slow(), true, || Err("both".into())), Err("both".into()));
        assert_eq!(or_uncounted(slow(), false, || Ok(2)), Err("time limit".into()));
    }
}
