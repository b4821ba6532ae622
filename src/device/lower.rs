//! From programs to kernels: a term program by one of two schedulers, a constraint program in rounds.

use gchr_base::diagnostic::Diagnostic;
use gchr_base::rule::{self, GoalKind};
use gchr_base::source::{SourceMap, Span};
use gchr_constraints::plan::{ChrPlan, RoundsOptions, compile_rounds};
use gchr_kernel::Unit;
use gchr_kernel::ir::Module;
use gchr_kernels_constraints::generate::kernels;
use gchr_kernels_constraints::kernels::Kernels;
use gchr_kernels_terms::tasks::codegen::Pieces;
use gchr_kernels_terms::tasks::kernels::Tuning;
use gchr_kernels_terms::topology::kernels::Collector;
use gchr_kernels_terms::{tasks, topology};
use gchr_terms::plan::{TermOptions, TermPlan, compile, start_needs_most};

use super::kernels::HasKernels;
use crate::options::{CompileOptions, KernelTier, Schedule, Scheduler};
use crate::stack::with_large_stack;

/// A term program as a scheduler sees it, and its kernels.
pub(crate) enum LoweredTerms {
    Tasks {
        plan: Box<TermPlan>,
        kernels: Box<tasks::kernels::Kernels>,
    },
    /// The plan lays out the result.
    Topology {
        system: Box<topology::system::System>,
        plan: Box<TermPlan>,
        kernels: Box<topology::kernels::Kernels>,
    },
}

impl HasKernels for LoweredTerms {
    fn module(&self) -> &Module {
        match self {
            LoweredTerms::Tasks { kernels, .. } => &kernels.module,
            LoweredTerms::Topology { kernels, .. } => &kernels.module,
        }
    }
    fn units(&self) -> Vec<Unit> {
        match self {
            LoweredTerms::Tasks { kernels, .. } => kernels.units(),
            LoweredTerms::Topology { kernels, .. } => vec![Unit::whole(&kernels.module)],
        }
    }
}

impl HasKernels for (ChrPlan, Kernels) {
    fn module(&self) -> &Module {
        &self.1.module
    }
    fn units(&self) -> Vec<Unit> {
        self.1.units()
    }
}

impl LoweredTerms {
    pub(crate) fn into_module(self) -> Module {
        match self {
            LoweredTerms::Tasks { kernels, .. } => kernels.module,
            LoweredTerms::Topology { kernels, .. } => kernels.module,
        }
    }
}

/// The plan for rounds and the kernels of a program.
pub(crate) fn lower_rounds(
    rules: &rule::Program,
    sources: &SourceMap,
    options: RoundsOptions,
    wanted: KernelTier,
) -> Result<(ChrPlan, Kernels), Vec<Diagnostic>> {
    with_large_stack(|| {
        let plan = compile_rounds(rules, options)?;
        let mut made = kernels(rules, &plan, sources)?;
        if wanted == KernelTier::Soon {
            made.cut();
        }
        Ok((plan, made))
    })
}

/// The plan of a program for tasks, if it has calls that can run side by side.
pub(crate) fn plan_side_by_side(
    rules: &rule::Program,
    options: &CompileOptions,
) -> Result<TermPlan, Vec<Diagnostic>> {
    let plan = with_large_stack(|| plan_for_tasks(rules, options, KernelTier::Fast))?;
    match plan.functions.iter().any(|function| function.region.body.has_siblings()) {
        true => Ok(plan),
        false => Err(vec![
            Diagnostic::error("U0113", "the program has no calls that can run side by side")
                .help("leave it to the cpu"),
        ]),
    }
}

fn plan_for_tasks(
    rules: &rule::Program,
    options: &CompileOptions,
    wanted: KernelTier,
) -> Result<TermPlan, Vec<Diagnostic>> {
    let passes = TermOptions::tasks(options.schedule.collector_of_tasks() == Collector::Queue);
    let passes = if wanted == KernelTier::Soon { passes.short() } else { passes };
    // Kernels that further terms would find in the cache are worth more than slightly smaller ones.
    let only_start = options.only_start && !start_needs_most(rules);
    compile(rules, &TermOptions { only_start, ..passes })
}

/// Generates the kernels of a term program, as the options say but for what matters of them; `planned` is its plan for
/// tasks, where that is made already.
pub(crate) fn lower_terms(
    rules: &rule::Program,
    sources: &SourceMap,
    options: &CompileOptions,
    wanted: KernelTier,
    planned: Option<TermPlan>,
) -> Result<LoweredTerms, Vec<Diagnostic>> {
    let schedule = options.schedule;
    let collector = schedule.collector_of_tasks();
    with_large_stack(|| match schedule.scheduler {
        Scheduler::Tasks => {
            let plan = planned.map_or_else(|| plan_for_tasks(rules, options, wanted), Ok)?;
            by_tasks(rules, sources, plan, collector, wanted)
        }
        Scheduler::Topology => by_topology(rules, sources, schedule),
    })
}

fn by_tasks(
    rules: &rule::Program,
    sources: &SourceMap,
    plan: TermPlan,
    collector: Collector,
    wanted: KernelTier,
) -> Result<LoweredTerms, Vec<Diagnostic>> {
    let pieces = match wanted {
        KernelTier::Fast => Pieces::FAST,
        KernelTier::Soon => Pieces::SOON,
    };
    let tuning = Tuning { compact: collector == Collector::Compact, pieces, ..Tuning::default() };
    let kernels = tasks::kernels::kernels(&plan, rules, sources, tuning)?;
    Ok(LoweredTerms::Tasks { plan: Box::new(plan), kernels: Box::new(kernels) })
}

fn by_topology(
    rules: &rule::Program,
    sources: &SourceMap,
    schedule: Schedule,
) -> Result<LoweredTerms, Vec<Diagnostic>> {
    if let Some(place) = condition_that_binds(rules) {
        return Err(vec![
            Diagnostic::error("D0108", "the scheduler topology has no conditions that give variables values")
                .label(place, "this condition binds variables")
                .help("use the scheduler tasks, the default, or run the program on the processor"),
        ]);
    }
    let system = topology::system::System::new(rules);
    let (strategy, collector) = (schedule.strategy, schedule.collector_of_topology());
    let kernels = topology::kernels::kernels(&system, rules, sources, strategy, collector)?;
    let plan = compile(rules, &TermOptions::default())?;
    Ok(LoweredTerms::Topology { system: Box::new(system), plan: Box::new(plan), kernels: Box::new(kernels) })
}

/// The first condition of a rule that is more than a test.
fn condition_that_binds(rules: &rule::Program) -> Option<Span> {
    let goals = rules.rules.iter().flat_map(|rule| &rule.guard);
    goals.into_iter().find(|goal| !matches!(goal.kind, GoalKind::Test(_))).map(|goal| goal.span)
}
