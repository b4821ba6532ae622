//! Devices that run generated kernels: a GPU, or the simulator of one. Term programs run there by the topology scheduler, constraint
//! programs in rounds.

mod backend;
mod constraints;
mod run;
mod source;
mod verify;

use std::sync::Arc;

use gchr_core::source::SourceMap;
use gchr_kernels::cuda::{DeviceInfo, Nvrtc};
use gchr_kernels::topology;

use crate::diagnostics::Diagnostics;

pub(crate) use constraints::RoundsPlan;
pub use gchr_kernels::cuda::{Arch, Image};
pub use gchr_kernels::topology::codegen::Strategy;
pub use gchr_kernels::topology::kernels::Collector;
pub use gchr_kernels::topology::run::Report;
pub(crate) use run::DevicePlan;
pub use source::KernelSource;
pub use verify::{Assumed, Assumption, Effort, Place, Reason, Rule, Verdict, verify_file};

/// What runs a program.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Device {
    /// The processor.
    #[default]
    Cpu,
    /// The GPU of this number.
    Gpu(u32),
    /// The simulator: the kernels of a GPU on the processor, watched for races and other mistakes. For small inputs.
    Sim,
}

/// How the topology scheduler runs a term program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Schedule {
    /// When a slot may be rewritten.
    pub strategy: Strategy,
    /// What happens to slots that nothing refers to any more.
    pub collector: Collector,
}

impl Default for Schedule {
    fn default() -> Self {
        Self { strategy: Strategy::Innermost, collector: Collector::Queue }
    }
}

/// The GPUs of this machine, or why there is none that can be used.
pub fn gpus() -> Result<Vec<DeviceInfo>, Diagnostics> {
    gchr_kernels::cuda::devices().map_err(|error| without_sources(error.into()))
}

/// Version and place of the compiler for GPU kernels, or why there is none.
pub fn compiler() -> Result<String, Diagnostics> {
    let nvrtc = Nvrtc::find().map_err(|error| without_sources(error.into()))?;
    Ok(format!("NVRTC {} in {}", nvrtc.version(), nvrtc.place()))
}

/// What the first GPU runs; without a GPU, machine code for compute capability 9.0.
pub fn default_architecture() -> u32 {
    gchr_kernels::cuda::driver::describe(0).map_or(90, |gpu| gpu.capability.number())
}

fn without_sources(diagnostic: gchr_core::diagnostic::Diagnostic) -> Diagnostics {
    Diagnostics::new(Arc::new(SourceMap::new()), vec![diagnostic])
}

/// A program as the topology scheduler sees it, and its kernels.
struct Lowered {
    system: topology::system::System,
    kernels: topology::kernels::Kernels,
}
