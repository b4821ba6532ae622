//! Where kernels are brought to, once they are checked: a GPU, or the simulator of one.

use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use gchr_base::control::{Control, Progress};
use gchr_base::diagnostic::Diagnostic;
use gchr_base::error::{RunError, StopReason};
use gchr_base::memory;
use gchr_base::stats::Stats;
use gchr_cuda::{Gpu, driver};
use gchr_kernel::Form;
use gchr_kernel::device::{Device as _, DeviceError};
use gchr_runtime::outcome::{Failure, Stopped};
use gchr_simulator::{SimDevice, Simulator};

use super::compile::{Target, Texts, compile_and_check};
use super::kernels::HasKernels;
use super::verify::before_launch;
use crate::options::{CompileOptions, Device, KernelTier};
use crate::stack::with_large_stack;

/// Bytes of this machine that a byte of tables takes on the simulator: itself, and the shadow in which the simulator
/// keeps who touched it last, 36 bytes for each word; and all of it twice, as old tables are held beside new ones while
/// they grow.
const SIM_COST: u64 = 20;
/// Bytes that tables may take on the simulator, at most.
const SIM_MEMORY: u64 = 1 << 30;
/// Blocks that the simulator runs side by side. Every iteration ends with barriers that all of them must reach, so more
/// cost time.
pub(crate) const SIM_BLOCKS: u32 = 2;

/// A device with the kernels of one program.
pub(crate) struct Backend {
    machine: LoadedDevice,
    /// Which kernels, on a GPU.
    kernels: Option<KernelTier>,
    /// Milliseconds that the check of the kernels was waited for.
    verify_ms: f64,
}

enum LoadedDevice {
    Gpu(Box<Mutex<Gpu>>),
    Sim {
        kernels: gchr_simulator::Program,
        /// Buffers that outlive runs, of a session.
        kept: Mutex<Option<Simulator>>,
    },
}

impl Backend {
    /// Generates kernels, checks them and brings them to the device. `name` is that of the program's text. A GPU gets
    /// them in the form that the options say; the simulator always counts.
    pub fn load<T: HasKernels + Send>(
        name: &str,
        options: &CompileOptions,
        make: impl Fn(KernelTier) -> Result<T, Vec<Diagnostic>> + Sync,
    ) -> Result<(T, Self), Vec<Diagnostic>> {
        match options.device {
            Device::Gpu(ordinal) => load_gpu(ordinal, name, options, make),
            Device::Cpu | Device::Auto | Device::Sim => {
                let made = make(KernelTier::Fast)?;
                let kernels = made.module();
                let verify_ms = before_launch(kernels)?;
                let simulated = with_large_stack(|| gchr_simulator::Program::new(kernels));
                let told = |errors: Vec<gchr_simulator::LowerError>| {
                    errors.iter().map(|e| e.diagnostic()).collect::<Vec<_>>()
                };
                let kernels = simulated.map_err(told)?;
                let machine = LoadedDevice::Sim { kernels, kept: Mutex::new(None) };
                Ok((made, Self { machine, kernels: None, verify_ms }))
            }
        }
    }

    /// Which kernels a GPU runs.
    pub fn kernels(&self) -> Option<KernelTier> {
        self.kernels
    }

    /// Runs something on the device. Statistics name the device as the command line does.
    pub fn run<O: HasStats, L: Default>(
        &self,
        control: &mut Control<'_>,
        work: impl FnOnce(Placement<'_>, &mut Control<'_>) -> Result<O, Failure<L>>,
    ) -> Result<O, Failure<L>> {
        self.run_among(0, false, control, work)
    }

    /// The same for what goes on with buffers of earlier runs, of so many bytes, and leaves buffers for further ones.
    pub fn run_on<O: HasStats, L: Default>(
        &self,
        held: u64,
        control: &mut Control<'_>,
        work: impl FnOnce(Placement<'_>, &mut Control<'_>) -> Result<O, Failure<L>>,
    ) -> Result<O, Failure<L>> {
        self.run_among(held, true, control, work)
    }

    fn run_among<O: HasStats, L: Default>(
        &self,
        held: u64,
        keeps: bool,
        control: &mut Control<'_>,
        work: impl FnOnce(Placement<'_>, &mut Control<'_>) -> Result<O, Failure<L>>,
    ) -> Result<O, Failure<L>> {
        let limit = control.limits().memory;
        let (mut result, name) = match &self.machine {
            LoadedDevice::Gpu(gpu) => {
                // A run that panicked leaves a GPU that at worst says that it is lost.
                let mut gpu = gpu.lock().unwrap_or_else(PoisonError::into_inner);
                let fits = (gpu.free_bytes()? + held) / 10 * 9;
                let memory = limit.map_or(fits, |limit| limit.min(fits));
                let name = format!("gpu:{} {}", gpu.info().ordinal, gpu.info().name);
                let before = gpu.transferred();
                let mut result = work(Placement { device: &mut *gpu, memory, simulated: false }, control);
                let transferred = gpu.transferred() - before;
                change_stats(&mut result, |stats| stats.transfer_ms = Some(transferred.as_secs_f64() * 1e3));
                (result, name)
            }
            LoadedDevice::Sim { kernels, kept } => {
                let limit = limit.unwrap_or_else(memory::bound);
                if let Some(shortage) = control.memory_shortage(0) {
                    let what = "the process before its run";
                    return Err(not_begun(shortage.of(what)));
                }
                let memory = (limit / SIM_COST).min(SIM_MEMORY);
                let mut device = simulator(kernels, limit, control);
                // A run that panicked leaves what it had done by then, which its session does not go on with.
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(buffers) = kept.take() {
                    device = device.with_buffers_of(buffers);
                }
                let mut result = work(Placement { device: &mut device, memory, simulated: true }, control);
                *kept = keeps.then(|| device.into_simulator());
                name_limit(&mut result, limit);
                (result, "sim".to_string())
            }
        };
        change_stats(&mut result, |stats| {
            stats.device = Some(name);
            stats.verify_ms = Some(self.verify_ms);
            stats.kernels = self.kernels.map(|kernels| match kernels {
                KernelTier::Fast => "fast".into(),
                KernelTier::Soon => "soon".into(),
            });
        });
        result
    }
}

/// Where a run takes place.
pub(crate) struct Placement<'d> {
    pub device: &'d mut dyn gchr_kernel::device::Device,
    /// Bytes of device memory that the run may take.
    pub memory: u64,
    /// Whether it is the simulator: what is cheap on a GPU is dear there.
    pub simulated: bool,
}

/// What a run gives.
pub(crate) trait HasStats {
    /// What it cost.
    fn stats(&mut self) -> &mut Stats;
}

/// Adds to the statistics of a run, which may have been stopped.
pub(crate) fn change_stats<O: HasStats, L>(
    result: &mut Result<O, Failure<L>>,
    change: impl FnOnce(&mut Stats),
) {
    match result {
        Ok(outcome) => change(outcome.stats()),
        Err(Failure::Stopped(stopped)) => change(&mut stopped.stats),
        Err(Failure::Device(_)) => {}
    }
}

/// A run that was stopped before its first step.
fn not_begun<L: Default>(reason: StopReason) -> Failure<L> {
    let progress = Progress { steps: 0, bytes: 0, live: 0 };
    let error = RunError { reason, rule: None, span: None, progress };
    let stats = Stats { device: Some("sim".into()), ..Stats::default() };
    Failure::Stopped(Box::new(Stopped { error, left: L::default(), stats }))
}

/// Has a run on the simulator that is out of memory name the limit that was given, not its part for tables.
fn name_limit<O, L>(result: &mut Result<O, Failure<L>>, given: u64) {
    if let Err(Failure::Stopped(stopped)) = result
        && let StopReason::Memory { limit, what } = &mut stopped.error.reason
        && *limit == (given / SIM_COST).min(SIM_MEMORY)
    {
        what.push_str(&format!(
            ", for which the simulator takes {SIM_COST} times as much as a device, where tables may have {limit} bytes"
        ));
        *limit = given;
    }
}

/// Takes the GPU and, while it comes up, generates, checks and compiles the kernels for it.
fn load_gpu<T: HasKernels + Send>(
    ordinal: u32,
    name: &str,
    options: &CompileOptions,
    make: impl Fn(KernelTier) -> Result<T, Vec<Diagnostic>> + Sync,
) -> Result<(T, Backend), Vec<Diagnostic>> {
    let known = driver::describe(ordinal).map_err(|error| vec![error.into()])?;
    let (opened, built) = thread::scope(|scope| {
        let opening = scope.spawn(|| Gpu::open(ordinal));
        let built = Target::new(&known, name, options.form()).and_then(|target| {
            let soon = options.kernels == KernelTier::Soon && target.form == Form::Plain;
            let (made, texts, target) = made_for(target, soon, make)?;
            Ok((compile_and_check(&target, &made, texts)?, made, target))
        });
        (opening.join(), built)
    });
    let opened = opened.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    let mut gpu = opened.map_err(|error| vec![error.into()])?;
    let (built, made, target) = built?;
    for code in built.usual {
        target.load(code, &mut gpu).map_err(DeviceError::into_diagnostics)?;
    }
    built.rare.into_iter().for_each(|late| gpu.load_when_asked(Box::new(late)));
    let machine = LoadedDevice::Gpu(Box::new(Mutex::new(gpu)));
    Ok((made, Backend { machine, kernels: Some(target.kernels), verify_ms: built.verify_ms }))
}

/// Fast kernels; where they are to be there soon, and are not in the cache, others. What the cache has is known when
/// the text of the fast kernels is there: a second processor generates the others meanwhile.
fn made_for<T: HasKernels + Send>(
    target: Target,
    soon: bool,
    make: impl Fn(KernelTier) -> Result<T, Vec<Diagnostic>> + Sync,
) -> Result<(T, Texts, Target), Vec<Diagnostic>> {
    let made = |target: Target| {
        let made = make(target.kernels)?;
        let texts = Texts::of(&made, &target)?;
        Ok((made, texts, target))
    };
    if !soon {
        return made(target);
    }
    let other = target.clone().soon();
    let several = thread::available_parallelism().is_ok_and(|processors| processors.get() > 1);
    thread::scope(|scope| {
        let ahead = several.then(|| scope.spawn(|| made(other.clone())));
        let fast = made(target)?;
        if fast.1.are_compiled(&fast.2) {
            return Ok(fast);
        }
        match ahead {
            Some(ahead) => ahead.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            None => made(other.clone()),
        }
    })
}

/// Compiles all units of kernels side by side and checks the kernels meanwhile, for the cache.
pub(crate) fn compile_ahead(gpu: u32, name: &str, made: &impl HasKernels) -> Result<(), Vec<Diagnostic>> {
    let known = driver::describe(gpu).map_err(|error| vec![error.into()])?;
    let target = Target::new(&known, name, Form::Plain)?;
    let units = made.units().into_iter().map(|unit| target.text(unit, made.module()));
    let texts = Texts { usual: units.collect::<Result<_, _>>()?, rare: Vec::new() };
    compile_and_check(&target, made, texts).map(drop)
}

/// A launch that the simulator ends in the middle of a round leaves no store to show; most rounds take less.
const SIM_PATIENCE: Duration = Duration::from_millis(500);

/// A simulator that stops with the run.
fn simulator<'a>(
    kernels: &gchr_simulator::Program,
    memory_limit: u64,
    control: &Control<'a>,
) -> SimDevice<'a> {
    let options = gchr_simulator::SimulatorOptions {
        memory_limit,
        resident_blocks: SIM_BLOCKS,
        ..gchr_simulator::SimulatorOptions::default()
    };
    let mut device = SimDevice::new(kernels.clone(), options).patience(SIM_PATIENCE);
    if let Some(flag) = control.watch().interrupt_flag() {
        device = device.interrupt(flag);
    }
    match control.watch().deadline() {
        Some(deadline) => device.deadline(deadline),
        None => device,
    }
}
