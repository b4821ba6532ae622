//! Running a term program on a device: its kernels made ready, its term normalised.

use gchr_base::control::Control;
use gchr_base::diagnostic::Diagnostic;
use gchr_base::rule::{self, GroundTerm};
use gchr_base::source::SourceMap;
use gchr_base::stats::Stats;
use gchr_kernel::device::DeviceError;
use gchr_kernels_terms::{tasks, topology};
use gchr_runtime::outcome::Failure;
use gchr_terms::exec::NormalForm;
use gchr_terms::plan::TermPlan;

use crate::device::backend::{Backend, HasStats, Place, SIM_BLOCKS};
use crate::device::source::{lower, plan_side_by_side};
use crate::device::{Lowered, Report, Schedule};
use crate::executable::CompileOptions;
use crate::program::program_name;

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

/// A term program ready to run on a device.
pub(crate) struct DevicePlan {
    /// The plan for the CPU, which lays out the result.
    plan: TermPlan,
    lowered: Lowered,
    schedule: Schedule,
    backend: Backend,
}

impl DevicePlan {
    /// Generates the kernels and brings them to the device. `plan` is the program's plan for the CPU.
    pub fn new(
        rules: &rule::Program,
        sources: &SourceMap,
        plan: TermPlan,
        options: &CompileOptions,
    ) -> Result<Self, Vec<Diagnostic>> {
        let CompileOptions { device, schedule, only_parallel, .. } = *options;
        // Before the device is brought up.
        let planned = only_parallel.then(|| plan_side_by_side(rules, schedule)).transpose()?;
        let make = || lower(rules, sources, schedule, planned);
        let form = options.form();
        let (lowered, backend) = Backend::load(device, program_name(sources), form, make, Lowered::module)?;
        Ok(Self { plan, lowered, schedule, backend })
    }

    /// The kernels in the kernel language.
    pub fn module(&self) -> &gchr_kernel::ir::Module {
        self.lowered.module()
    }

    /// The program's plan for the CPU.
    pub fn cpu_plan(&self) -> &TermPlan {
        &self.plan
    }

    /// Whether it evaluates many terms side by side.
    pub fn takes_many(&self) -> bool {
        matches!(self.lowered, Lowered::Tasks { .. })
    }

    /// Normalises `input`.
    pub fn run(
        &self,
        rules: &rule::Program,
        input: &GroundTerm,
        control: &mut Control<'_>,
    ) -> Result<Outcome, Failure> {
        self.on_device(control, |scale, device, control| self.run_on(rules, input, scale, device, control))
    }

    /// Normalises many terms side by side, and gives their normal forms as texts. One that fails fails them all.
    pub fn run_all(
        &self,
        rules: &rule::Program,
        inputs: &[GroundTerm],
        control: &mut Control<'_>,
    ) -> Result<Texts, Failure> {
        let Lowered::Tasks { plan, kernels } = &self.lowered else {
            return Err(Failure::Device(DeviceError::Findings(Vec::new())));
        };
        let job = tasks::run::Job { program: rules, plan, kernels, inputs };
        self.on_device(control, |scale, device, control| {
            let options = tasks::run::Options { results: tasks::run::Results::Texts, ..scale.tasks };
            let outcome = tasks::run::run(job, options, device, control)?;
            Ok(Texts { texts: outcome.texts, stats: outcome.stats })
        })
    }

    /// Blocks a multiprocessor.
    fn blocks(&self) -> u32 {
        match &self.lowered {
            Lowered::Tasks { kernels, .. } => kernels.blocks,
            _ => 1,
        }
    }

    /// Runs something on the device.
    fn on_device<T: HasStats>(
        &self,
        control: &mut Control<'_>,
        run: impl FnOnce(Scale, &mut dyn gchr_kernel::device::Device, &mut Control<'_>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        self.backend.run(control, |Place { device, memory, simulated }, control| {
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
        device: &mut dyn gchr_kernel::device::Device,
        control: &mut Control<'_>,
    ) -> Result<Outcome, Failure> {
        match &self.lowered {
            Lowered::Tasks { plan, kernels } => {
                let inputs = std::slice::from_ref(input);
                let job = tasks::run::Job { program: rules, plan, kernels, inputs };
                let outcome = tasks::run::run(job, scale.tasks, device, control)?;
                let report = Report::Tasks(outcome.report);
                let normal_form = outcome.normal_forms.into_iter().next();
                let normal_form = normal_form.ok_or_else(|| DeviceError::Findings(Vec::new()))?;
                Ok(Outcome { normal_form, stats: outcome.stats, report })
            }
            Lowered::Topology { system, kernels } => {
                let job = topology::run::Job { program: rules, system, kernels, plan: &self.plan, input };
                let (strategy, collector) = (self.schedule.strategy, self.schedule.collector_of_topology());
                let Scale { memory, slots, .. } = scale;
                let options = topology::run::Options { strategy, collector, memory, slots };
                let outcome = topology::run::run(job, options, device, control)?;
                let report = Report::Topology(outcome.report);
                Ok(Outcome { normal_form: outcome.normal_form, stats: outcome.stats, report })
            }
        }
    }
}

/// A run that reached a normal form.
pub(crate) struct Outcome {
    pub normal_form: NormalForm,
    pub stats: Stats,
    pub report: Report,
}

impl HasStats for Outcome {
    fn stats(&mut self) -> &mut Stats {
        &mut self.stats
    }
}

/// Normal forms of many terms.
pub(crate) struct Texts {
    /// One for each term, in their order.
    pub texts: Vec<String>,
    pub stats: Stats,
}

impl HasStats for Texts {
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
        results: tasks::run::Results::NormalForms,
    }
}
