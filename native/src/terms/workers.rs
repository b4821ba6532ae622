//! Term programs on several threads: each runs the native code of the program on a stack of its own, in the heap that
//! all of them share.
//!
//! One thread begins. At a regular beat (`worker`) each looks whether others have nothing to do, and hands its oldest
//! offers over to them, as tasks (`shared`). A collection is everybody's: each marks what its own frames reach.
//!
//! What stops a run for the program's sake is not put into words here. Rule applications have no order among threads,
//! so the run is repeated by one thread, which finds the first error, and counts up to it, as always.

mod offers;
mod shared;
mod worker;

use std::num::NonZeroUsize;
use std::time::Instant;

use gchr_base::control::Control;
use gchr_base::error::{RunError, StopReason};
use gchr_base::rule::{GroundTerm, Program};
use gchr_base::stats::Stats;
use gchr_terms::exec::engine::{Engine, Heap, Run, default_memory, evaluate, finish, stats};
use gchr_terms::exec::{Evaluation, Results, Stopped};
use gchr_terms::plan::FunctionId;

use self::offers::Offers;
use self::shared::Shared;
pub(super) use self::worker::HELPERS;
use self::worker::Worker;
use super::{SharedTerms, Terms, Unfinished};
use crate::code::Refused;

/// Rule applications between two looks of a thread at the others: some 20 to 50 microseconds.
const BEAT: u32 = 1 << 14;

/// Why several threads came to no result.
pub(super) enum Halt {
    /// The program, or a limit that one thread may not reach: the run is to be repeated by one.
    Repeat,
    /// Time is over, or somebody interrupts the run.
    Stopped(StopReason),
    /// A function could not be compiled.
    Refused(Refused),
}

/// How threads work together.
#[derive(Clone, Copy)]
pub(super) struct Team {
    pub threads: NonZeroUsize,
    /// Rule applications between two looks at the others.
    pub beat: u32,
    /// Whether offers are handed over even if no thread is idle, for tests.
    pub eager: bool,
}

/// Runs terms, each by several threads.
pub struct Workers<'a> {
    program: &'a Program,
    terms: &'a SharedTerms,
    team: Team,
    stress: bool,
}

impl<'a> Workers<'a> {
    pub(super) fn new(program: &'a Program, terms: &'a SharedTerms, threads: NonZeroUsize) -> Self {
        Self { program, terms, team: Team { threads, beat: BEAT, eager: false }, stress: false }
    }

    /// For tests: looks at the others, and hands offers over even if no thread is idle, after so many rule
    /// applications; `stress`: collects before every cell.
    #[must_use]
    pub fn stressed(mut self, stress: bool, beat: u32) -> Self {
        self.stress = stress;
        self.team = Team { beat, eager: true, ..self.team };
        self
    }

    /// Normalises `input`, a verified ground term of the program. `None`: the run is to be repeated by one thread.
    pub fn run(
        &mut self,
        input: &GroundTerm,
        control: &mut Control,
    ) -> Result<Option<Evaluation>, Unfinished> {
        let start = Instant::now();
        let Terms { plan, layout, code } = &self.terms.0;
        let memory = control.limits().memory.unwrap_or_else(default_memory);
        // Without address space for several, one thread may still find enough.
        let Some(mut heap) = Heap::new(layout, memory, self.stress) else { return Ok(None) };
        heap.share(self.team.threads.get());
        let beside = control.beside();
        let run = Run::new(self.program, plan, heap, control);
        let shared = Shared::new(&run, code, self.team);
        let Some(first) = Worker::new(&shared, memory) else { return Ok(None) };
        let (result, mut run) = std::thread::scope(|scope| {
            for _ in 1..self.team.threads.get() {
                let (shared, beside) = (&shared, beside.clone());
                let serve = move || {
                    if let Some(mut worker) = Worker::new(shared, memory) {
                        worker.serve(&mut beside.control());
                    }
                };
                // Where the system gives no more threads, there are fewer.
                if std::thread::Builder::new().spawn_scoped(scope, serve).is_err() {
                    break;
                }
            }
            let _end = End(&shared);
            let mut first = First { run, worker: first, shared: &shared };
            let result = evaluate(&mut first, input);
            (result, first.run)
        });
        let (handed, threads) = (shared.handed(), self.team.threads.get() as u64);
        let (fuel, halt) = (run.granted(), shared.into_halt());
        let exceeds = run.over_limit(fuel).is_some();
        let (steps, values) = (run.steps(fuel), run.results());
        let heap = run.heap;
        let stats = Stats { threads: Some(threads), handed_over: Some(handed), ..stats(&heap, steps, start) };
        match (result, halt) {
            (_, Some(Halt::Refused(why))) => Err(Unfinished::Refused(why)),
            (_, Some(Halt::Repeat)) => Ok(None),
            (Ok(_), _) if exceeds => Ok(None),
            (Ok(value), _) => Ok(Some(finish(layout, heap, input.sort, value, stats))),
            // What was found while the start term was built, or between two of its applications.
            (Err(error), _) => {
                let results = Results::of(layout, heap, values).ok();
                Err(Unfinished::Stopped(Box::new(Stopped { error, stats, results })))
            }
        }
    }
}

/// Lets all threads end, also where the one that began panics.
struct End<'s>(&'s Shared<'s>);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.finish();
    }
}

/// The thread that begins: it evaluates the start term, and is a worker during the applications in it.
struct First<'s, 'a, 'c> {
    run: Run<'a, 'c>,
    worker: Box<Worker<'s>>,
    shared: &'s Shared<'s>,
}

impl<'a, 'c: 'a> Engine<'a, 'c> for First<'_, 'a, 'c> {
    fn run(&mut self) -> &mut Run<'a, 'c> {
        &mut self.run
    }

    fn fuel(&self) -> i64 {
        self.run.granted()
    }

    fn apply(&mut self, function: FunctionId, args: &[u64]) -> Result<u64, RunError> {
        let fuel = self.run.granted();
        let before = self.run.computed(fuel);
        self.shared.begin(std::mem::replace(&mut self.run.heap, Heap::none()), before);
        let Run { values, control, .. } = &mut self.run;
        let value = self.worker.first(function, args, values, &mut |now| control.poll(now));
        let (heap, steps) = self.shared.end();
        self.run.heap = heap;
        self.run.count(steps - before);
        value.map_err(|reason| self.run.error(fuel, reason.into()))
    }

    fn cell(&mut self, class: usize, tag: u32, words: &[u32]) -> Result<u64, RunError> {
        let stored = self.run.heap.store_collecting(class, tag, words, &self.run.values);
        let fuel = self.run.granted();
        stored.map_err(|full| self.run.error(fuel, self.run.full(full, class).into()))
    }
}
