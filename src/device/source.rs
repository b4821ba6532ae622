//! Kernels of a program before any device has them: kernel language, CUDA C++, PTX, machine code.

use std::fmt::Display;
use std::sync::Arc;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::rule;
use gchr_base::source::SourceMap;
use gchr_cuda::{Arch, Compiler, Image, Options};
use gchr_kernel::ir::Module;
use gchr_kernels_terms::tasks::kernels::Tuning;
use gchr_kernels_terms::{tasks, topology};
use gchr_terms::plan::{TermOptions, TermPlan, compile};

use super::{Collector, Lowered, Schedule, Scheduler};
use crate::diagnostics::Diagnostics;
use crate::executable::CompileOptions;
use crate::executors::device_rounds::lower_rounds;
use crate::input::Language;
use crate::program::{Program, program_name};
use crate::stack::with_large_stack;

/// What messages of the compiler call the text.
pub(crate) const NAME: &str = "kernels.cu";

/// The kernels of a program.
pub struct KernelSource<'p> {
    program: &'p Program,
    module: Module,
}

impl Program {
    /// Generates the kernels that run this program on a device: a term program by a schedule, a constraint program in rounds.
    pub fn kernels(&self, options: &CompileOptions) -> Result<KernelSource<'_>, Diagnostics> {
        let module = match self.language {
            Language::Terms => {
                lower(&self.rules, &self.sources, options.schedule, None).map(Lowered::into_module)
            }
            Language::Constraints => lower_rounds(&self.rules, &self.sources, options.firing.plan_options())
                .map(|(_, made)| made.module),
        };
        match module {
            Ok(module) => Ok(KernelSource { program: self, module }),
            Err(list) => Err(Diagnostics::new(Arc::clone(&self.sources), list)),
        }
    }

    /// The name of the program text, for places in generated code.
    pub(crate) fn name(&self) -> &str {
        program_name(&self.sources)
    }
}

/// Statements that a function of the kernels of the tasks scheduler may have where that was not asked for. The time to compile a function
/// grows faster than its size: 11 s for 3,500, 34 s for 6,900, and minutes for 20,000 (NVRTC 13.0 on a busy machine); the two large ones
/// become one.
const MOST_STATEMENTS: usize = 3_000;

/// The plan of a program for tasks, if it has calls that can run side by side.
pub(crate) fn plan_side_by_side(
    rules: &rule::Program,
    schedule: Schedule,
) -> Result<TermPlan, Vec<Diagnostic>> {
    let plan = with_large_stack(|| plan_for_tasks(rules, schedule.collector_of_tasks()))?;
    match plan.functions.iter().any(|function| function.region.body.has_siblings()) {
        true => Ok(plan),
        false => Err(vec![
            Diagnostic::error("U0113", "the program has no calls that can run side by side")
                .help("leave it to the cpu"),
        ]),
    }
}

fn plan_for_tasks(rules: &rule::Program, collector: Collector) -> Result<TermPlan, Vec<Diagnostic>> {
    compile(rules, &TermOptions::tasks(collector == Collector::Queue))
}

/// Generates the kernels of a term program; `planned` is its plan for tasks, where that is made already.
pub(crate) fn lower(
    rules: &rule::Program,
    sources: &SourceMap,
    schedule: Schedule,
    planned: Option<TermPlan>,
) -> Result<Lowered, Vec<Diagnostic>> {
    let collector = schedule.collector_of_tasks();
    let tasks = || {
        let plan = planned.map_or_else(|| plan_for_tasks(rules, collector), Ok)?;
        by_tasks(rules, sources, plan, collector)
    };
    with_large_stack(|| match schedule.scheduler {
        Scheduler::Tasks => tasks(),
        Scheduler::Topology => by_topology(rules, sources, schedule),
        Scheduler::Either => {
            let lowered = tasks()?;
            match lowered.module().largest_function() {
                0..=MOST_STATEMENTS => Ok(lowered),
                _ => by_topology(rules, sources, schedule),
            }
        }
    })
}

fn by_tasks(
    rules: &rule::Program,
    sources: &SourceMap,
    plan: TermPlan,
    collector: Collector,
) -> Result<Lowered, Vec<Diagnostic>> {
    let tuning = Tuning { compact: collector == Collector::Compact, ..Tuning::default() };
    let kernels = tasks::kernels::kernels(&plan, rules, sources, tuning)?;
    Ok(Lowered::Tasks { plan: Box::new(plan), kernels: Box::new(kernels) })
}

fn by_topology(
    rules: &rule::Program,
    sources: &SourceMap,
    schedule: Schedule,
) -> Result<Lowered, Vec<Diagnostic>> {
    let system = topology::system::System::new(rules);
    let (strategy, collector) = (schedule.strategy, schedule.collector_of_topology());
    let kernels = topology::kernels::kernels(&system, rules, sources, strategy, collector)?;
    Ok(Lowered::Topology { system: Box::new(system), kernels: Box::new(kernels) })
}

impl KernelSource<'_> {
    /// The kernels in the kernel language.
    pub fn module(&self) -> &dyn Display {
        &self.module
    }

    pub(crate) fn ir(&self) -> &Module {
        &self.module
    }

    /// The kernels as CUDA C++.
    pub fn cuda(&self) -> Result<String, Diagnostics> {
        with_large_stack(|| gchr_kernel::cuda_text(&self.module, self.program.name()))
            .map_err(|list| self.found(list))
    }

    /// The kernels compiled: machine code for a real architecture, PTX for a virtual one.
    pub fn compile(&self, arch: Arch) -> Result<Image, Diagnostics> {
        let text = self.cuda()?;
        let compiler = Compiler::from_env().map_err(|error| self.found(vec![error.into()]))?;
        let built = compiler.build(&text, NAME, arch, &Options::kernels());
        built.map(|built| built.compiled.image).map_err(|error| self.found(vec![error.into()]))
    }

    fn found(&self, list: Vec<Diagnostic>) -> Diagnostics {
        Diagnostics::new(Arc::clone(&self.program.sources), list)
    }
}
