//! A GPU beside the workers of a batch (`--device auto`): once it is up it takes a share of the lines, as large as pays.
//!
//! It takes waves that grow while they stay short. Then the lines that both sides evaluate meanwhile are compared: a GPU that is as fast
//! as all workers together goes on without them, as they would take the processor from its host side; one that is much slower takes no
//! more. When the input is at its end and a wave is still with the GPU, the workers evaluate its lines too, and whoever is done first
//! calls the other one off. So a batch takes little longer than on the faster of the two, whatever its lines are.

use std::io::BufRead;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::{Batch, Chunk, WAVE_BYTES, WAVE_LINES, Worked, Worker, lock};
use crate::executors::auto_terms::AutoPlan;
use crate::executors::device_terms::DevicePlan;
use crate::race::Came;

/// Lines of the first wave.
const FIRST_WAVE: usize = 4096;
/// Waves that take longer are not made larger; those that take twice as long are made smaller.
const WAVE_TIME: Duration = Duration::from_millis(100);
/// Lines of a wave that a helping worker evaluates at a time.
const HELP: usize = 64;
/// A GPU that is so many times slower than the workers takes no more.
const SLOWER: u64 = 4;
/// Longest time between two looks of a worker that waits.
const LOOK: Duration = Duration::from_millis(5);

/// What the GPU's side and the workers share.
#[derive(Default)]
pub(super) struct Beside {
    /// Lines that the workers have evaluated.
    lines: AtomicU64,
    /// The GPU goes on without the workers.
    alone: AtomicBool,
    /// What the GPU has.
    has: Mutex<Has>,
    /// Changes of `has` and `alone`.
    changed: Condvar,
}

#[derive(Clone, Default)]
enum Has {
    #[default]
    Nothing,
    /// It is about to take lines.
    Takes,
    Wave(Arc<Wave>),
}

impl Beside {
    /// Counts lines of a worker.
    pub fn count(&self, lines: usize) {
        self.lines.fetch_add(lines as u64, Ordering::Relaxed);
    }

    /// Whether workers are to leave the input to the GPU.
    pub fn is_alone(&self) -> bool {
        self.alone.load(Ordering::Relaxed)
    }

    fn go_on(&self, alone: bool) {
        self.alone.store(alone, Ordering::Relaxed);
        self.changed.notify_all();
    }

    fn set(&self, has: Has) {
        *lock(&self.has) = has;
        self.changed.notify_all();
    }
}

/// Lines that the GPU has, and what helping workers have made of them.
struct Wave {
    number: u64,
    lines: Chunk,
    /// The first line that no worker has taken.
    next: AtomicUsize,
    made: Mutex<Made>,
    /// Somebody has all results.
    done: Arc<AtomicBool>,
}

/// Pieces of a wave by their first lines, and how many lines have been worked on.
#[derive(Default)]
struct Made {
    pieces: Vec<(usize, Vec<Worked>)>,
    lines: usize,
}

impl Wave {
    fn new(number: u64, lines: Chunk) -> Self {
        Self { number, lines, next: AtomicUsize::new(0), made: Mutex::default(), done: Arc::default() }
    }

    /// Lines that nobody helps with yet.
    fn take(&self) -> Option<Range<usize>> {
        if self.done.load(Ordering::Acquire) {
            return None;
        }
        let start = self.next.fetch_add(HELP, Ordering::Relaxed);
        (start < self.lines.len()).then(|| start..self.lines.len().min(start + HELP))
    }

    /// Adds what became of lines; gives all results when none is missing.
    fn add(&self, lines: Range<usize>, worked: Vec<Worked>) -> Option<Vec<Worked>> {
        let mut made = lock(&self.made);
        made.lines += lines.len();
        made.pieces.push((lines.start, worked));
        if made.lines < self.lines.len() {
            return None;
        }
        let mut pieces = std::mem::take(&mut made.pieces);
        pieces.sort_unstable_by_key(|(start, _)| *start);
        Some(pieces.into_iter().flat_map(|(_, worked)| worked).collect())
    }

    /// Whether the caller, who has all results, is the first one.
    fn finish(&self) -> bool {
        !self.done.swap(true, Ordering::AcqRel)
    }
}

/// What the GPU has done.
#[derive(Default)]
struct Share {
    lines: u64,
    why: &'static str,
}

impl<R: BufRead + Send> Batch<'_, R> {
    /// The GPU's side. Says who evaluated how many lines, and why.
    pub(super) fn work_beside(&self, plan: &AutoPlan) -> String {
        let race = plan.for_batch();
        let device = match race.wait(|| self.is_over()) {
            Came::Here(device) => device,
            Came::Never(why) => return format!("cpu: {why}"),
            Came::Late => return race.call_off(),
        };
        if !device.takes_many() {
            return "cpu: the scheduler of the gpu takes one line after the other".into();
        }
        let share = self.waves(&device);
        self.beside.set(Has::Nothing);
        self.beside.go_on(false);
        format!("gpu: {} lines beside the cpu{}", share.lines, share.why)
    }

    /// Takes waves as long as that pays.
    fn waves(&self, device: &DevicePlan) -> Share {
        let (mut size, mut share) = (FIRST_WAVE, Share::default());
        while !self.stop.load(Ordering::Relaxed) {
            self.beside.set(Has::Takes);
            let Some((number, lines)) = self.next_chunk((size, WAVE_BYTES)) else { break };
            let wave = Arc::new(Wave::new(number, lines));
            self.beside.set(Has::Wave(Arc::clone(&wave)));
            let (start, before) = (Instant::now(), self.beside.lines.load(Ordering::Relaxed));
            let called_off = Some(Arc::clone(&wave.done));
            let worked = Worker { called_off, share: 1, ..Worker::new(self) }.wave(device, &wave.lines);
            if !wave.finish() {
                share.why = ", which was faster with the last ones";
                break;
            }
            let (took, lines) = (start.elapsed(), wave.lines.len() as u64);
            self.hand_over(number, worked);
            share.lines += lines;
            if took < WAVE_TIME && size < WAVE_LINES {
                size *= 2;
                continue;
            }
            let workers = self.beside.lines.load(Ordering::Relaxed) - before;
            let alone = self.beside.is_alone();
            if !alone && lines * SLOWER < workers {
                share.why = ", which is faster";
                break;
            }
            self.beside.go_on(alone || lines >= workers);
            if took > 2 * WAVE_TIME {
                size = (size / 2).max(FIRST_WAVE);
            }
        }
        share
    }

    /// Whether nothing is left to be taken from the input.
    fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.ended_input.load(Ordering::Acquire)
    }

    /// Has a worker help with the wave that the GPU has when nothing else is left, or wait while the GPU goes on alone. Says whether there
    /// may be more to do.
    pub(super) fn help(&self, worker: &mut Worker<'_, '_, R>) -> bool {
        let mut has = lock(&self.beside.has);
        while !self.stop.load(Ordering::Relaxed) {
            match &*has {
                Has::Wave(wave) if self.is_over() => {
                    let wave = Arc::clone(wave);
                    drop(has);
                    self.help_with(&wave, worker);
                    return false;
                }
                Has::Nothing if self.is_over() => return false,
                _ if !self.is_over() && !self.beside.is_alone() => return true,
                _ => {}
            }
            has = self.beside.changed.wait_timeout(has, LOOK).unwrap_or_else(PoisonError::into_inner).0;
        }
        false
    }

    fn help_with(&self, wave: &Wave, worker: &mut Worker<'_, '_, R>) {
        worker.called_off = Some(Arc::clone(&wave.done));
        while let Some(lines) = wave.take() {
            let worked = worker.lines(&wave.lines[lines.clone()]);
            let Some(all) = wave.add(lines, worked) else { continue };
            if wave.finish() {
                self.beside.count(all.len());
                self.hand_over(wave.number, all);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::{BatchLine, BatchOptions};
    use crate::device::Device;
    use crate::executable::{CompileOptions, Executable, Plan};
    use crate::input::{Input, Language};
    use gchr_base::stats::Stats;

    fn worked(numbers: Range<usize>) -> Vec<Worked> {
        let line = |n: usize| BatchLine { number: n as u64, result: Ok(n.to_string()), rewrites: None };
        numbers.map(|n| Worked { line: line(n), stats: Stats::default(), last: false }).collect()
    }

    #[test]
    fn pieces_of_a_wave_come_in_any_order_and_one_side_is_first() {
        let lines: Chunk = (0..150).map(|n| (n, Vec::new())).collect();
        let wave = Wave::new(7, lines);
        let pieces: Vec<_> = std::iter::from_fn(|| wave.take()).collect();
        assert_eq!(pieces, [0..64, 64..128, 128..150]);
        assert!(wave.add(pieces[2].clone(), worked(128..150)).is_none());
        assert!(wave.add(pieces[0].clone(), worked(0..64)).is_none());
        let all = wave.add(pieces[1].clone(), worked(64..128)).expect("nothing is missing");
        assert!(all.iter().map(|w| w.line.number).eq(0..150));
        assert!(wave.finish() && !wave.finish());
        assert!(wave.take().is_none());
    }

    /// With the simulator in the place of the GPU, which is slow enough to be overtaken.
    #[test]
    fn lines_are_in_order_whoever_evaluates_them() {
        let text = include_str!("../../examples/fib_int.trs");
        let program = Input::text(Language::Terms, "fib_int.trs", text).parse().expect("a program");
        let executable = program.compile(&CompileOptions::default()).expect("a plan");
        let Plan::Term(cpu) = &executable.plan else { panic!("a plan for the processor") };
        let auto = AutoPlan::new(&program, cpu.clone(), Default::default()).with(Device::Sim);
        let plan = Plan::Auto(Box::new(auto));
        let executable = Executable { program: &program, plan, compile_time: executable.compile_time };
        let terms: String = (0..6000).map(|n| format!("Fib({})\n", 12 + n % 7)).collect();
        let fib = |n: u64| (0..n).fold((0u64, 1u64), |(a, b), _| (b, a + b)).0;
        let mut next = 0;
        let options = BatchOptions { threads: std::num::NonZeroUsize::MIN, ..BatchOptions::default() };
        let summary = executable.run_batch(terms.as_bytes(), "terms", &options, &mut |line: BatchLine| {
            assert_eq!(line.number, next + 1);
            assert_eq!(line.result.expect("a number"), fib(12 + next % 7).to_string());
            assert_eq!(line.rewrites, None);
            next += 1;
            Ok(())
        });
        let summary = summary.expect("a batch");
        assert_eq!((summary.done, summary.failed, next), (6000, 0, 6000));
        assert!(summary.stats.choice.is_some_and(|c| c.starts_with("gpu: ") || c.starts_with("cpu: ")));
    }
}
