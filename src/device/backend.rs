//! Where kernels are brought to: a GPU, or the simulator of one.

use std::sync::Mutex;
use std::time::Instant;

use gchr_core::control::Control;
use gchr_core::diagnostic::Diagnostic;
use gchr_kernels::cuda::{Capability, Compiler, Gpu, Image, Options as NvrtcOptions, driver};
use gchr_kernels::device::DeviceError;
use gchr_kernels::ir::Module;
use gchr_kernels::sim::{self, SimDevice};

use super::Device;
use super::source::NAME;
use crate::stack::with_large_stack;

/// Bytes that tables may take on the simulator unless a limit is given.
pub(super) const SIM_MEMORY: u64 = 1 << 30;
/// Bytes beside the tables on the simulator: registers of resident blocks, control words.
const SIM_EXTRA: u64 = 64 << 20;
/// Blocks that the simulator runs side by side. Every iteration ends with barriers that all of them must reach, so more cost time.
pub(super) const SIM_BLOCKS: u32 = 2;

/// A device with the kernels of one program.
pub(super) enum Backend {
    Gpu(Box<Mutex<Gpu>>),
    Sim(sim::Program),
}

impl Backend {
    /// Generates kernels and brings them to the device. `name` is that of the program's text, `module` finds the kernels in what is made.
    pub fn load<T>(
        device: Device,
        name: &str,
        make: impl FnOnce() -> Result<T, Vec<Diagnostic>>,
        module: impl Fn(&T) -> &Module,
    ) -> Result<(T, Self), Vec<Diagnostic>> {
        match device {
            Device::Gpu(ordinal) => load_gpu(ordinal, name, make, module),
            Device::Cpu | Device::Sim => {
                let made = make()?;
                let kernels = module(&made);
                let simulated = with_large_stack(|| sim::Program::new(kernels));
                let told =
                    |errors: Vec<sim::LowerError>| errors.iter().map(|e| e.diagnostic()).collect::<Vec<_>>();
                Ok((made, Backend::Sim(simulated.map_err(told)?)))
            }
        }
    }
}

/// Takes the GPU and, while it comes up, generates and compiles the kernels for it.
fn load_gpu<T>(
    ordinal: u32,
    name: &str,
    make: impl FnOnce() -> Result<T, Vec<Diagnostic>>,
    module: impl Fn(&T) -> &Module,
) -> Result<(T, Backend), Vec<Diagnostic>> {
    let known = driver::describe(ordinal).map_err(|error| vec![error.into()])?;
    let (opened, built) = std::thread::scope(|scope| {
        let opening = scope.spawn(|| Gpu::open(ordinal));
        let built = compile(known.capability, name, make, module);
        (opening.join(), built)
    });
    let opened = opened.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    let mut gpu = opened.map_err(|error| vec![error.into()])?;
    let (made, image) = built?;
    gpu.load(&image).map_err(DeviceError::into_diagnostics)?;
    Ok((made, Backend::Gpu(Box::new(Mutex::new(gpu)))))
}

fn compile<T>(
    capability: Capability,
    name: &str,
    make: impl FnOnce() -> Result<T, Vec<Diagnostic>>,
    module: impl Fn(&T) -> &Module,
) -> Result<(T, Image), Vec<Diagnostic>> {
    let compiler = Compiler::from_env().map_err(|error| vec![error.into()])?;
    let made = make()?;
    let kernels = module(&made);
    let text = with_large_stack(|| gchr_kernels::cuda_text(kernels, name))?;
    let built = compiler.build_for(capability, &text, NAME, &NvrtcOptions::kernels());
    let built = built.map_err(|found| vec![found])?;
    tracing::info!(cached = built.cached, "kernels compiled");
    if !built.compiled.log.is_empty() {
        tracing::warn!(log = built.compiled.log, "the compiler has remarks on the kernels");
    }
    Ok((made, built.compiled.image))
}

/// A simulator that stops with the run. When tables grow, the old ones are held beside the new ones.
pub(super) fn simulator<'a>(kernels: &sim::Program, memory: u64, control: &Control<'a>) -> SimDevice<'a> {
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
