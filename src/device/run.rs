//! Running a term program on a device: its kernels made ready, its term normalised.

use std::sync::PoisonError;

use gchr_core::control::Control;
use gchr_core::diagnostic::Diagnostic;
use gchr_core::plan::term::TermPlan;
use gchr_core::rule::GroundTerm;
use gchr_core::stats::Stats;
use gchr_kernels::device::Device as _;
use gchr_kernels::topology::run::{self, Failure, Job, Outcome};

use super::backend::{Backend, SIM_MEMORY, simulator};
use super::source::lower;
use super::verify::before_launch;
use super::{Device, Lowered, Schedule};
use crate::program::Program;

/// Slots that a GPU starts with, when its memory allows.
const GPU_SLOTS: u64 = 1 << 29;
/// Slots that the simulator starts with.
const SIM_SLOTS: u64 = 1 << 14;

/// A term program ready to run on a device.
pub(crate) struct DevicePlan {
    /// The plan for the CPU, which lays out the result.
    plan: TermPlan,
    lowered: Lowered,
    schedule: Schedule,
    backend: Backend,
    /// Milliseconds that the check of the kernels took.
    verify_ms: f64,
}

impl DevicePlan {
    /// Generates the kernels and brings them to the device. `plan` is the program's plan for the CPU.
    pub fn new(
        program: &Program,
        plan: TermPlan,
        device: Device,
        schedule: Schedule,
    ) -> Result<Self, Vec<Diagnostic>> {
        let make = || {
            let lowered = lower(&program.rules, &program.sources, schedule)?;
            let verify_ms = before_launch(&lowered.kernels.module)?;
            Ok((lowered, verify_ms))
        };
        let made = Backend::load(device, program.name(), make, |(l, _)| &l.kernels.module)?;
        let ((lowered, verify_ms), backend) = made;
        Ok(Self { plan, lowered, schedule, backend, verify_ms })
    }

    /// The kernels in the kernel language.
    pub fn module(&self) -> &gchr_kernels::ir::Module {
        &self.lowered.kernels.module
    }

    /// Normalises `input`.
    pub fn run(
        &self,
        program: &Program,
        input: &GroundTerm,
        control: &mut Control<'_>,
    ) -> Result<Outcome, Failure> {
        let limit = control.limits().memory;
        let (result, name) = match &self.backend {
            Backend::Gpu(gpu) => {
                // A run that panicked leaves a GPU that at worst says that it is lost.
                let mut gpu = gpu.lock().unwrap_or_else(PoisonError::into_inner);
                let fits = gpu.free_bytes()? / 10 * 9;
                let memory = limit.map_or(fits, |limit| limit.min(fits));
                let name = format!("gpu:{} {}", gpu.info().ordinal, gpu.info().name);
                let options = self.options(memory, GPU_SLOTS);
                (run::run(self.job(program, input), options, &mut *gpu, control), name)
            }
            Backend::Sim(kernels) => {
                let memory = limit.unwrap_or(SIM_MEMORY);
                let mut device = simulator(kernels, memory, control);
                let options = self.options(memory, SIM_SLOTS);
                (run::run(self.job(program, input), options, &mut device, control), "sim".to_string())
            }
        };
        named(result, &name, self.verify_ms)
    }

    fn options(&self, memory: u64, slots: u64) -> run::Options {
        let Schedule { strategy, collector } = self.schedule;
        run::Options { strategy, collector, memory, slots }
    }

    fn job<'a>(&'a self, program: &'a Program, input: &'a GroundTerm) -> Job<'a> {
        let Lowered { system, kernels } = &self.lowered;
        Job { program: &program.rules, system, kernels, plan: &self.plan, input }
    }
}

/// Statistics name the device as the command line does, and say what the check of the kernels took.
fn named(mut result: Result<Outcome, Failure>, name: &str, verify_ms: f64) -> Result<Outcome, Failure> {
    let set = |stats: &mut Stats| {
        stats.device = Some(name.to_string());
        stats.verify_ms = Some(verify_ms);
    };
    match &mut result {
        Ok(outcome) => set(&mut outcome.stats),
        Err(Failure::Stopped(stopped)) => set(&mut stopped.stats),
        Err(Failure::Device(_)) => {}
    }
    result
}
