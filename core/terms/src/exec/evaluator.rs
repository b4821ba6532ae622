//! Running one plan many times: bytecode is made once, and arenas and stack serve one run after the other.

use std::sync::Arc;
use std::time::Instant;

use crate::exec::bytecode::Code;
use crate::exec::heap::{self, Heap};
use crate::exec::machine::Machine;
use crate::exec::normal_form::{Held, NormalForm};
use crate::exec::outcome::{Evaluation, Results, Stopped};
use crate::exec::run::Run;
use crate::exec::{assemble, start, verify};
use crate::plan::{Layout, TermPlan};
use gchr_base::control::{Control, Progress};
use gchr_base::error::{RunError, StopReason};
use gchr_base::memory::Reservation;
use gchr_base::rule::{GroundTerm, Program};
use gchr_base::signature::SortId;
use gchr_base::stats::Stats;

/// Arenas that grew beyond this in one run are given back to the system, not kept for the next one.
pub const MAX_KEPT: u64 = 256 << 20;

/// A plan as verified bytecode. Any number of [`Evaluator`]s can run it at the same time.
pub struct Prepared<'a> {
    program: &'a Program,
    plan: &'a TermPlan,
    layout: Arc<Layout>,
    code: Code,
}

impl<'a> Prepared<'a> {
    /// Prepares a plan that was compiled from `program`; `records`: for runs that are recorded.
    pub fn new(program: &'a Program, plan: &'a TermPlan, records: bool) -> Result<Self, Box<Stopped>> {
        let code = assemble::assemble(plan, program.signature.booleans, records)
            .map_err(|e| refused(StopReason::Indices { what: e.what, limit: e.limit }))?;
        let violations = verify::verify(&code);
        if let Some(first) = violations.first() {
            // A bug of the assembler. Nothing is executed that is not verified.
            return Err(refused(StopReason::Internal { what: format!("invalid bytecode: {first}") }));
        }
        Ok(Self { program, plan, layout: Arc::new(plan.layout.clone()), code })
    }

    /// An evaluator without memory of its own so far.
    pub fn evaluator(&self) -> Evaluator<'_> {
        Evaluator { prepared: self, memory: 0, heap: None, stack: None, stress: false }
    }
}

/// Runs terms one after the other.
pub struct Evaluator<'a> {
    prepared: &'a Prepared<'a>,
    /// What heap and stack were made for.
    memory: u64,
    heap: Option<Heap>,
    stack: Option<Reservation>,
    stress: bool,
}

impl Evaluator<'_> {
    /// Collects before every cell, for tests of the collector and its roots.
    pub(super) fn stressed(self, stress: bool) -> Self {
        Self { stress, ..self }
    }

    /// Normalises `input`, a verified ground term of the program. See [`run`](super::run).
    pub fn run(&mut self, input: &GroundTerm, control: &mut Control) -> Result<Evaluation, Box<Stopped>> {
        match self.run_up_to(input, control, None)? {
            Some(done) => Ok(done),
            None => Err(refused(StopReason::Internal { what: "a run without an end".into() })),
        }
    }

    /// The same; `None` when it is not over after about so many rule applications.
    pub fn run_for(
        &mut self,
        input: &GroundTerm,
        control: &mut Control,
        applications: u64,
    ) -> Result<Option<Evaluation>, Box<Stopped>> {
        self.run_up_to(input, control, Some(applications))
    }

    fn run_up_to(
        &mut self,
        input: &GroundTerm,
        control: &mut Control,
        trial: Option<u64>,
    ) -> Result<Option<Evaluation>, Box<Stopped>> {
        let start = Instant::now();
        let Prepared { program, plan, ref layout, ref code } = *self.prepared;
        let memory = control.limits().memory.unwrap_or_else(heap::default_memory);
        let no_memory =
            || refused(StopReason::NoMemory { what: "the address space of cells and pending calls".into() });
        if memory != self.memory {
            (self.heap, self.stack, self.memory) = (None, None, memory);
        }
        let heap =
            self.heap.take().or_else(|| Heap::new(layout, memory, self.stress)).ok_or_else(no_memory)?;
        let stack = self.stack.take().or_else(|| Machine::stack(code, memory)).ok_or_else(no_memory)?;
        let mut machine = Machine::new(Run::new(program, plan, heap, control).tried(trial), code, stack);
        let result = start::evaluate(&mut machine, input);
        let result = result.and_then(|value| machine.over_limit().map_or(Ok(value), Err));
        let gave_up = machine.run.gave_up();
        machine.report();
        let (steps, values) = (machine.steps(), machine.run.results());
        let (heap, stack) = machine.into_parts();
        self.stack = Some(stack).filter(|_| heap.stack_bytes <= MAX_KEPT);
        if gave_up {
            self.keep(heap);
            return Ok(None);
        }
        let stats = stats(&heap, steps, start);
        match result {
            Ok(value) => Ok(Some(finish(layout, heap, input.sort, value, stats))),
            Err(error) => {
                let results = Results::of(layout, heap, values).map_err(|heap| self.keep(*heap)).ok();
                Err(Box::new(Stopped { error, stats, results }))
            }
        }
    }

    /// Takes the cells of a normal form of this evaluator back for the next run.
    pub fn recycle(&mut self, normal_form: NormalForm) {
        let heap = normal_form.into_heap(&self.prepared.layout);
        if let Some(heap) = heap.filter(|heap| heap.memory() == self.memory) {
            self.keep(heap);
        }
    }

    /// Gives its memory back to the system.
    pub fn release(&mut self) {
        (self.heap, self.stack) = (None, None);
    }

    fn keep(&mut self, mut heap: Heap) {
        if heap.peak_bytes() <= MAX_KEPT {
            heap.clear();
            self.heap = Some(heap);
        }
    }
}

/// What a run on the processor has cost.
pub fn stats(heap: &Heap, steps: u64, start: Instant) -> Stats {
    Stats {
        rewrites: Some(steps),
        run_ms: Some(start.elapsed().as_secs_f64() * 1e3),
        peak_bytes: Some(heap.peak_bytes()),
        collections: Some(heap.collections),
        device: Some("cpu".into()),
        ..Stats::default()
    }
}

/// The end of a run that has a value.
pub fn finish(layout: &Arc<Layout>, heap: Heap, sort: SortId, value: u64, stats: Stats) -> Evaluation {
    Evaluation {
        normal_form: NormalForm { layout: Arc::clone(layout), held: Held::Heap(Box::new(heap)), sort, value },
        stats,
    }
}

/// A run that cannot begin.
pub fn refused(reason: StopReason) -> Box<Stopped> {
    let progress = Progress { steps: 0, bytes: 0, live: 0 };
    let stats = Stats { rewrites: Some(0), device: Some("cpu".into()), ..Stats::default() };
    let error = RunError { reason, rule: None, span: None, progress };
    Box::new(Stopped { error, stats, results: None })
}
