//! Term programs on a device: kernels made ready, terms normalised.

use std::fmt::Display;
use std::sync::{Mutex, OnceLock, PoisonError};

use gchr_base::control::Control;
use gchr_base::diagnostic::Diagnostic;
use gchr_base::rule::{self, GroundTerm};
use gchr_base::source::SourceMap;
use gchr_base::stats::Stats;
use gchr_kernel::device::{Device as KernelDevice, DeviceError};
use gchr_kernels_terms::{COUNTED, tasks, topology};
use gchr_runtime::outcome::Failure;

use crate::device::backend::{Backend, HasStats, Placement, SIM_BLOCKS};
use crate::device::kernels::HasKernels;
use crate::device::lower::{LoweredTerms, lower_terms, plan_side_by_side};
use crate::diagnostics::trace_missing;
use crate::executor::{
    Compiled, Executor, Finished, LineEvaluation, NormalFormTexts, TermDevice, Unfinished,
};
use crate::options::{CompileOptions, KernelTier, Schedule};
use crate::output::{Answer, SchedulerReport};
use crate::processor::CpuTerms;
use crate::program::{Language, Program, program_name};

/// Slots that a GPU starts with, when its memory allows.
const GPU_SLOTS: u64 = 1 << 29;
/// Slots that the simulator starts with.
const SIM_SLOTS: u64 = 1 << 14;
/// Memory that the tasks scheduler starts with on the simulator: a run that needs more starts over.
const SIM_FIRST_MEMORY: u64 = 1 << 22;
/// Cells that a thread takes at a time.
const GPU_CELLS: u32 = 256;
const SIM_CELLS: u32 = 16;
/// Free cells that threads hand to each other at a time.
const GPU_BATCH: u32 = 64;
const SIM_BATCH: u32 = 8;
/// Rule applications after which a thread looks at the limits.
const GPU_REPORT: u32 = 1 << 16;
const SIM_REPORT: u32 = 1 << 12;
/// Steps of a thread between two looks whether another one waits for work.
const STEPS: u32 = 128;
/// Threads a block of the tasks scheduler.
const GPU_BLOCK: u32 = 128;
const SIM_BLOCK: u32 = 32;

/// The schedulers of term programs on a GPU or its simulator.
pub(crate) struct DeviceTerms;

impl Executor for DeviceTerms {
    fn runs(&self, program: &Program, options: &CompileOptions) -> bool {
        program.language() == Language::Terms && options.device.runs_kernels()
    }

    fn compile(
        &self,
        program: &Program,
        options: &CompileOptions,
    ) -> Result<Box<dyn Compiled>, Vec<Diagnostic>> {
        if options.trace {
            return Err(vec![trace_missing()]);
        }
        Ok(Box::new(DeviceTermProgram::new(&program.rules, &program.sources, options)?))
    }
}

/// A term program ready to run on a device.
pub(crate) struct DeviceTermProgram {
    /// The program for the processor, to which a batch leaves lines that fail on the device: made when a batch asks for
    /// it.
    processor: OnceLock<CpuTerms>,
    options: CompileOptions,
    lowered: LoweredTerms,
    schedule: Schedule,
    backend: Backend,
}

impl DeviceTermProgram {
    /// Generates the kernels and brings them to the device.
    pub fn new(
        rules: &rule::Program,
        sources: &SourceMap,
        options: &CompileOptions,
    ) -> Result<Self, Vec<Diagnostic>> {
        let CompileOptions { schedule, only_parallel, .. } = *options;
        // Before the device is brought up.
        let planned = only_parallel.then(|| plan_side_by_side(rules, options)).transpose()?;
        // That plan is one for fast kernels.
        let planned = Mutex::new(planned);
        let take = || planned.lock().unwrap_or_else(PoisonError::into_inner).take();
        let make = |wanted| {
            let planned = if wanted == KernelTier::Fast { take() } else { None };
            lower_terms(rules, sources, options, wanted, planned)
        };
        let (lowered, backend) = Backend::load(program_name(sources), options, make)?;
        Ok(Self { processor: OnceLock::new(), options: *options, lowered, schedule, backend })
    }

    /// Blocks per multiprocessor.
    fn blocks(&self) -> u32 {
        match &self.lowered {
            LoweredTerms::Tasks { kernels, .. } => kernels.blocks,
            LoweredTerms::Topology { .. } => 1,
        }
    }

    /// Runs something on the device.
    fn on_device<T: HasStats>(
        &self,
        control: &mut Control<'_>,
        run: impl FnOnce(Scale, &mut dyn KernelDevice, &mut Control<'_>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        self.backend.run(control, |Placement { device, memory, simulated }, control| {
            let scale = match simulated {
                false => Scale {
                    memory,
                    slots: GPU_SLOTS,
                    tasks: gpu_tasks(memory, device.limits().multiprocessors * self.blocks()),
                },
                true => Scale { memory, slots: SIM_SLOTS, tasks: sim_tasks(memory) },
            };
            run(scale, device, control)
        })
    }

    fn run_on(
        &self,
        rules: &rule::Program,
        input: &GroundTerm,
        scale: Scale,
        device: &mut dyn KernelDevice,
        control: &mut Control<'_>,
    ) -> Result<Finished, Failure> {
        match &self.lowered {
            LoweredTerms::Tasks { plan, kernels } => {
                let inputs = std::slice::from_ref(input);
                let job = tasks::run::Job { program: rules, plan, kernels, inputs };
                let outcome = tasks::run::run(job, scale.tasks, device, control)?;
                let report = Some(SchedulerReport::Tasks(outcome.report));
                let normal_form = outcome.normal_forms.into_iter().next();
                let normal_form = normal_form.ok_or_else(|| DeviceError::Findings(Vec::new()))?;
                Ok(Finished { answer: Answer::NormalForm(normal_form), stats: outcome.stats, report })
            }
            LoweredTerms::Topology { system, plan, kernels } => {
                let job = topology::run::Job { program: rules, system, kernels, plan, input };
                let (strategy, collector) = (self.schedule.strategy, self.schedule.collector_of_topology());
                let Scale { memory, slots, .. } = scale;
                let options = topology::run::Options { strategy, collector, memory, slots, counted: COUNTED };
                let outcome = topology::run::run(job, options, device, control)?;
                let report = Some(SchedulerReport::Topology(outcome.report));
                let answer = Answer::NormalForm(outcome.normal_form);
                Ok(Finished { answer, stats: outcome.stats, report })
            }
        }
    }
}

impl Compiled for DeviceTermProgram {
    fn plan<'a>(&'a self, _: &'a Program) -> Box<dyn Display + 'a> {
        Box::new(self.lowered.module())
    }

    fn kernels(&self) -> Option<KernelTier> {
        self.backend.kernels()
    }

    fn run(&self, program: &Program, control: &mut Control<'_>) -> Result<Finished, Unfinished> {
        let term = program.term().ok_or(Unfinished::NothingToRun)?;
        self.normalise(&program.rules, term, control)
    }

    fn lines(&self, program: &Program) -> Result<Option<LineEvaluation<'_>>, Vec<Diagnostic>> {
        if !self.takes_many() {
            return Ok(Some(LineEvaluation::OneByOne(self)));
        }
        let processor = match self.processor.get() {
            Some(made) => made,
            None => {
                let made = CpuTerms::new(&program.rules, &self.options)?;
                self.processor.get_or_init(|| made)
            }
        };
        Ok(Some(LineEvaluation::Waves { device: self, processor }))
    }
}

impl TermDevice for DeviceTermProgram {
    fn takes_many(&self) -> bool {
        matches!(self.lowered, LoweredTerms::Tasks { .. })
    }

    fn normalise(
        &self,
        rules: &rule::Program,
        term: &GroundTerm,
        control: &mut Control<'_>,
    ) -> Result<Finished, Unfinished> {
        let run = |scale, device: &mut dyn KernelDevice, control: &mut Control<'_>| {
            self.run_on(rules, term, scale, device, control)
        };
        Ok(self.on_device(control, run)?)
    }

    fn normalise_all(
        &self,
        rules: &rule::Program,
        terms: &[GroundTerm],
        control: &mut Control<'_>,
    ) -> Result<NormalFormTexts, Unfinished> {
        let LoweredTerms::Tasks { plan, kernels } = &self.lowered else {
            return Err(Unfinished::Device(DeviceError::Findings(Vec::new())));
        };
        let job = tasks::run::Job { program: rules, plan, kernels, inputs: terms };
        let run = |scale: Scale, device: &mut dyn KernelDevice, control: &mut Control<'_>| {
            let options = tasks::run::Options { results: tasks::run::Results::Texts, ..scale.tasks };
            let outcome = tasks::run::run(job, options, device, control)?;
            Ok(NormalFormTexts { texts: outcome.texts, stats: outcome.stats })
        };
        Ok(self.on_device(control, run)?)
    }
}

impl HasStats for Finished {
    fn stats(&mut self) -> &mut Stats {
        &mut self.stats
    }
}

impl HasStats for NormalFormTexts {
    fn stats(&mut self) -> &mut Stats {
        &mut self.stats
    }
}

/// How much of a device a run uses.
#[derive(Clone, Copy)]
struct Scale {
    memory: u64,
    /// Slots that the topology scheduler starts with.
    slots: u64,
    tasks: tasks::run::Options,
}

fn gpu_tasks(memory: u64, blocks: u32) -> tasks::run::Options {
    tasks::run::Options {
        memory,
        first_memory: memory / 2,
        block: GPU_BLOCK,
        blocks,
        run: GPU_CELLS,
        batch: GPU_BATCH,
        report: GPU_REPORT,
        promote: tasks::run::Promote::WhenAsked,
        steps: STEPS,
        spare: None,
        uncollected: tasks::run::Uncollected::FASTER,
        results: tasks::run::Results::NormalForms,
    }
}

fn sim_tasks(memory: u64) -> tasks::run::Options {
    tasks::run::Options {
        memory,
        first_memory: SIM_FIRST_MEMORY,
        block: SIM_BLOCK,
        blocks: SIM_BLOCKS,
        run: SIM_CELLS,
        batch: SIM_BATCH,
        report: SIM_REPORT,
        promote: tasks::run::Promote::WhenAsked,
        steps: STEPS,
        spare: None,
        uncollected: tasks::run::Uncollected::NONE,
        results: tasks::run::Results::NormalForms,
    }
}
