//! Running a term program on a device: its kernels made ready, its term normalised.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use gchr_core::control::Control;
use gchr_core::diagnostic::Diagnostic;
use gchr_core::plan::term::TermPlan;
use gchr_core::rule::GroundTerm;
use gchr_core::stats::Stats;
use gchr_kernels::cuda::{Compiler, Gpu, Options as NvrtcOptions, driver};
use gchr_kernels::device::{Device as _, DeviceError};
use gchr_kernels::sim::{self, SimDevice};
use gchr_kernels::topology::run::{self, Failure, Job, Outcome};

use super::source::{NAME, lower};
use super::{Device, Lowered, Schedule};
use crate::program::Program;
use crate::stack::with_large_stack;

/// Slots that a GPU starts with, when its memory allows.
const GPU_SLOTS: u64 = 1 << 29;
/// Slots that the simulator starts with.
const SIM_SLOTS: u64 = 1 << 14;
/// Bytes that slots may take on the simulator unless a limit is given.
const SIM_MEMORY: u64 = 1 << 30;
/// Bytes beside the slots on the simulator: registers of resident blocks, control words.
const SIM_EXTRA: u64 = 64 << 20;
/// Blocks that the simulator runs side by side. Every iteration ends with barriers that all of them must reach, so more cost time.
const SIM_BLOCKS: u32 = 2;

/// A term program ready to run on a device.
pub(crate) struct DevicePlan {
    /// The plan for the CPU, which lays out the result.
    plan: TermPlan,
    lowered: Lowered,
    schedule: Schedule,
    backend: Backend,
}

enum Backend {
    Gpu(Box<Mutex<Gpu>>),
    Sim(sim::Program),
}

impl DevicePlan {
    /// Generates the kernels and brings them to the device. `plan` is the program's plan for the CPU.
    pub fn new(
        program: &Program,
        plan: TermPlan,
        device: Device,
        schedule: Schedule,
    ) -> Result<Self, Vec<Diagnostic>> {
        program.check_device()?;
        let (lowered, backend) = match device {
            Device::Gpu(ordinal) => load_gpu(program, ordinal, schedule)?,
            Device::Cpu | Device::Sim => {
                let lowered = lower(&program.rules, &program.sources, schedule)?;
                let simulated = with_large_stack(|| sim::Program::new(&lowered.kernels.module));
                let told =
                    |errors: Vec<sim::LowerError>| errors.iter().map(|e| e.diagnostic()).collect::<Vec<_>>();
                (lowered, Backend::Sim(simulated.map_err(told)?))
            }
        };
        Ok(Self { plan, lowered, schedule, backend })
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
        named(result, &name)
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

/// Statistics name the device as the command line does.
fn named(mut result: Result<Outcome, Failure>, name: &str) -> Result<Outcome, Failure> {
    let set = |stats: &mut Stats| stats.device = Some(name.to_string());
    match &mut result {
        Ok(outcome) => set(&mut outcome.stats),
        Err(Failure::Stopped(stopped)) => set(&mut stopped.stats),
        Err(Failure::Device(_)) => {}
    }
    result
}

/// Takes the GPU and, while it comes up, generates and compiles the kernels for it.
fn load_gpu(
    program: &Program,
    ordinal: u32,
    schedule: Schedule,
) -> Result<(Lowered, Backend), Vec<Diagnostic>> {
    let known = driver::describe(ordinal).map_err(|error| vec![error.into()])?;
    let (opened, built) = std::thread::scope(|scope| {
        let opening = scope.spawn(|| Gpu::open(ordinal));
        let built = compile(program, schedule, known.capability);
        (opening.join(), built)
    });
    let opened = opened.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    let mut gpu = opened.map_err(|error| vec![error.into()])?;
    let (lowered, image) = built?;
    gpu.load(&image).map_err(DeviceError::into_diagnostics)?;
    Ok((lowered, Backend::Gpu(Box::new(Mutex::new(gpu)))))
}

fn compile(
    program: &Program,
    schedule: Schedule,
    capability: gchr_kernels::cuda::Capability,
) -> Result<(Lowered, gchr_kernels::cuda::Image), Vec<Diagnostic>> {
    let compiler = Compiler::from_env().map_err(|error| vec![error.into()])?;
    let lowered = lower(&program.rules, &program.sources, schedule)?;
    let text = with_large_stack(|| gchr_kernels::cuda_text(&lowered.kernels.module, program.name()))?;
    let built = compiler.build_for(capability, &text, NAME, &NvrtcOptions::kernels());
    let built = built.map_err(|found| vec![found])?;
    tracing::info!(cached = built.cached, "kernels compiled");
    if !built.compiled.log.is_empty() {
        tracing::warn!(log = built.compiled.log, "the compiler has remarks on the kernels");
    }
    Ok((lowered, built.compiled.image))
}

/// A simulator that stops with the run. When tables grow, the old ones are held beside the new ones.
fn simulator<'a>(kernels: &sim::Program, memory: u64, control: &Control<'a>) -> SimDevice<'a> {
    let memory_limit = memory.saturating_mul(2).saturating_add(SIM_EXTRA);
    let options = sim::Options { memory_limit, resident_blocks: SIM_BLOCKS, ..sim::Options::default() };
    let mut device = SimDevice::new(kernels.clone(), options);
    if let Some(flag) = control.interrupt_flag() {
        device = device.interrupt(flag);
    }
    match control.limits().timeout.and_then(|timeout| Instant::now().checked_add(timeout)) {
        Some(deadline) => device.deadline(deadline),
        None => device,
    }
}
