//! Native code for plans of term programs.
//!
//! [`Terms`] is a plan with its code, [`Evaluator`] runs it on the heap of the interpreter, with the same results,
//! counts and errors.

mod cells;
mod helpers;
mod lower;
mod machine;
#[cfg(test)]
mod tests;
mod workers;

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gchr_base::control::Control;
use gchr_base::error::StopReason;
use gchr_base::ids::Id;
use gchr_base::rule::{GroundTerm, Program};
use gchr_base::signature::{Booleans, SortKind};
use gchr_terms::exec::engine::{
    Engine, Heap, MAX_KEPT, Run, default_memory, evaluate, finish, refused, stats,
};
use gchr_terms::exec::{Evaluation, NormalForm, Results, Stopped};
use gchr_terms::plan::{FunctionId, Layout, TermPlan};

use crate::code::{Code, Refused, Source};
use crate::emit::Emit;
use crate::function::{Func, Kind, Signature};
use crate::stack::Stack;
use helpers::Helpers;
use lower::Lower;
use machine::Machine;
pub use workers::Workers;

/// Native code of a plan. Any number of [`Evaluator`]s can run it at the same time.
pub struct Terms {
    plan: Arc<TermPlan>,
    layout: Arc<Layout>,
    code: Code<'static>,
}

/// Why there is no normal form.
#[derive(Debug)]
pub enum Unfinished {
    /// The program or a limit stopped the run.
    Stopped(Box<Stopped>),
    /// Some function could not be compiled: the run is to be repeated in another way.
    Refused(Refused),
}

/// Functions of a plan: first those that are called, then those that fill the hole of a cell.
struct Functions {
    plan: Arc<TermPlan>,
    booleans: Booleans,
    helpers: &'static Helpers,
}

impl Source for Functions {
    fn emit(&self, function: Func, emit: &mut Emit<'_>) {
        let functions = self.plan.functions.len();
        let index = function.0 as usize;
        let id = FunctionId::from_index(index % functions);
        Lower::new(emit, &self.plan, self.booleans, self.helpers, id).function(index >= functions);
    }
}

fn kind(kind: SortKind) -> Kind {
    if kind == SortKind::Float { Kind::Float } else { Kind::Word }
}

fn signatures(plan: &TermPlan) -> Vec<Signature> {
    let of = |sort| kind(plan.layout.sorts[sort].kind);
    let called = plan.functions.iter().map(|function| Signature {
        params: function.region.params.iter().map(|&p| of(function.sort(p))).collect(),
        result: of(function.result),
    });
    let called: Vec<Signature> = called.collect();
    // A hole, and the root of the cells around it.
    let filling = called.iter().map(|signature| Signature {
        params: signature.params.iter().copied().chain([Kind::Word; 2]).collect(),
        result: Kind::Word,
    });
    called.iter().cloned().chain(filling).collect()
}

impl Terms {
    /// Code for a plan that was compiled from `program`; nothing is compiled yet.
    pub fn new(program: &Program, plan: Arc<TermPlan>) -> Result<Self, Refused> {
        Self::with(program, plan, &machine::HELPERS)
    }

    fn with(program: &Program, plan: Arc<TermPlan>, helpers: &'static Helpers) -> Result<Self, Refused> {
        let booleans = program.signature.booleans;
        let functions = Functions { plan: Arc::clone(&plan), booleans, helpers };
        let code = Code::new(signatures(&plan), functions, cfg!(debug_assertions))?;
        Ok(Self { layout: Arc::new(plan.layout.clone()), plan, code })
    }

    /// An evaluator without memory of its own so far; `program` is the one of the plan.
    pub fn evaluator<'a>(&'a self, program: &'a Program) -> Evaluator<'a> {
        Evaluator { program, terms: self, memory: 0, heap: None, stack: None, stress: false }
    }

    /// Time spent on compiling functions so far.
    pub fn compile_time(&self) -> Duration {
        self.code.compile_time()
    }

    /// The code.
    pub fn code(&self) -> &Code<'static> {
        &self.code
    }
}

/// Native code of a plan that was compiled for many workers ([`TermOptions::split`]): several threads share a run of
/// it.
///
/// [`TermOptions::split`]: gchr_terms::plan::TermOptions::split
pub struct SharedTerms(Terms);

impl SharedTerms {
    /// Code for a plan that was compiled from `program`; nothing is compiled yet.
    pub fn new(program: &Program, plan: Arc<TermPlan>) -> Result<Self, Refused> {
        Terms::with(program, plan, &workers::HELPERS).map(Self)
    }

    /// What runs terms with so many threads; `program` is the one of the plan.
    pub fn workers<'a>(&'a self, program: &'a Program, threads: NonZeroUsize) -> Workers<'a> {
        Workers::new(program, self, threads)
    }

    /// Time spent on compiling functions so far.
    pub fn compile_time(&self) -> Duration {
        self.0.compile_time()
    }
}

/// Runs terms one after the other.
pub struct Evaluator<'a> {
    program: &'a Program,
    terms: &'a Terms,
    /// What heap and stack were made for.
    memory: u64,
    heap: Option<Heap>,
    stack: Option<Box<Stack>>,
    stress: bool,
}

impl Evaluator<'_> {
    /// Collects before every cell, for tests of the collector and its roots.
    #[must_use]
    pub fn stressed(self) -> Self {
        Self { stress: true, ..self }
    }

    /// Normalises `input`, a verified ground term of the program.
    pub fn run(&mut self, input: &GroundTerm, control: &mut Control) -> Result<Evaluation, Unfinished> {
        let start = Instant::now();
        let Terms { plan, layout, code } = self.terms;
        let memory = control.limits().memory.unwrap_or_else(default_memory);
        let no_memory = || {
            let what = "the address space of cells and pending calls".into();
            Unfinished::Stopped(refused(StopReason::NoMemory { what }))
        };
        if memory != self.memory {
            (self.heap, self.stack, self.memory) = (None, None, memory);
        }
        let heap =
            self.heap.take().or_else(|| Heap::new(layout, memory, self.stress)).ok_or_else(no_memory)?;
        let stack = self.stack.take().or_else(|| Stack::new(memory).map(Box::new)).ok_or_else(no_memory)?;
        let mut machine = Machine::new(Run::new(self.program, plan, heap, control), code, stack);
        let result = evaluate(&mut *machine, input);
        let result = result.and_then(|value| machine.over_limit().map_or(Ok(value), Err));
        let (steps, refusal) = (machine.steps(), machine.refused());
        let values = machine.run().results();
        let (heap, stack) = machine.into_parts();
        self.stack = Some(stack).filter(|_| heap.stack_bytes <= MAX_KEPT);
        if let Some(why) = refusal {
            self.keep(heap);
            return Err(Unfinished::Refused(why));
        }
        let stats = stats(&heap, steps, start);
        match result {
            Ok(value) => Ok(finish(layout, heap, input.sort, value, stats)),
            Err(error) => {
                let results = Results::of(layout, heap, values).map_err(|heap| self.keep(*heap)).ok();
                Err(Unfinished::Stopped(Box::new(Stopped { error, stats, results })))
            }
        }
    }

    /// Takes the cells of a normal form of this evaluator back for the next run.
    pub fn recycle(&mut self, normal_form: NormalForm) {
        if let Some(heap) = normal_form.into_heap(&self.terms.layout).filter(|h| h.memory() == self.memory) {
            self.keep(heap);
        }
    }

    fn keep(&mut self, mut heap: Heap) {
        if heap.peak_bytes() <= MAX_KEPT {
            heap.clear();
            self.heap = Some(heap);
        }
    }
}
