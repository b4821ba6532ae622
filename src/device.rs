//! Devices that run generated kernels: a GPU, or the simulator of one. Term programs run there by one of two schedulers, constraint
//! programs in rounds.

mod backend;
mod ceilings;
mod constraints;
mod run;
mod source;
mod verify;

use std::sync::Arc;

use gchr_base::source::SourceMap;
use gchr_cuda::{DeviceInfo, Nvrtc};
use gchr_kernel::ir::Module;
use gchr_kernels_terms::{tasks, topology};
use gchr_terms::plan::TermPlan;

use crate::diagnostics::Diagnostics;

pub use crate::auto::gpu_pending;
pub use ceilings::{ceilings, measure_ceilings};
pub(crate) use constraints::RoundsPlan;
pub use gchr_base::profile::Ceilings;
pub use gchr_cuda::{Arch, Image};
pub use gchr_kernels_terms::topology::codegen::Strategy;
pub use gchr_kernels_terms::topology::kernels::Collector;
pub(crate) use run::{DevicePlan, Outcome};
pub use source::KernelSource;
pub use verify::{Assumed, Assumption, CheckStats, Location, Reason, Rule, Verdict, verify_file};

/// What runs a program.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Device {
    /// The processor.
    #[default]
    Cpu,
    /// The processor and, for runs that take longer, the first GPU beside it: whichever is done first.
    Auto,
    /// The GPU of this number.
    Gpu(u32),
    /// The simulator: the kernels of a GPU on the processor, watched for races and other mistakes. For small inputs.
    Sim,
}

/// How a device finds work in a term program.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Scheduler {
    /// Tasks; topology for programs of so many functions that the kernel of tasks, which holds them all, would take minutes to compile.
    #[default]
    Either,
    /// Calls, evaluated depth-first by each thread and given away when other threads wait for work.
    Tasks,
    /// One thread a term, in iterations over all of them.
    Topology,
}

/// How a device runs a term program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Schedule {
    /// How it finds work.
    pub scheduler: Scheduler,
    /// When a term may be rewritten; a choice of the topology scheduler only.
    pub strategy: Strategy,
    /// What happens to terms that nothing refers to any more; where nothing is said, what is fastest under the scheduler.
    pub collector: Option<Collector>,
}

impl Schedule {
    /// What a scheduler does unless it is told otherwise.
    pub fn of(scheduler: Scheduler) -> Self {
        Self { scheduler, strategy: Strategy::Innermost, collector: None }
    }

    /// What happens to cells under the tasks scheduler. A run that never fills its memory pays next to nothing for compaction.
    fn collector_of_tasks(self) -> Collector {
        self.collector.unwrap_or(Collector::Compact)
    }

    /// What happens to terms under the topology scheduler.
    fn collector_of_topology(self) -> Collector {
        self.collector.unwrap_or(Collector::Queue)
    }
}

impl Default for Schedule {
    fn default() -> Self {
        Self::of(Scheduler::default())
    }
}

/// What a scheduler counted beside the common statistics.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Report {
    /// The tasks scheduler.
    Tasks(tasks::run::Report),
    /// The topology scheduler.
    Topology(topology::run::Report),
}

/// The GPUs of this machine, or why there is none that can be used.
pub fn gpus() -> Result<Vec<DeviceInfo>, Diagnostics> {
    gchr_cuda::devices().map_err(|error| without_sources(error.into()))
}

/// Version and place of the compiler for GPU kernels, or why there is none.
pub fn compiler() -> Result<String, Diagnostics> {
    let nvrtc = Nvrtc::find().map_err(|error| without_sources(error.into()))?;
    Ok(format!("NVRTC {} in {}", nvrtc.version(), nvrtc.place()))
}

/// What the first GPU runs; without a GPU, machine code for compute capability 9.0.
pub fn default_architecture() -> u32 {
    gchr_cuda::driver::describe(0).map_or(90, |gpu| gpu.capability.number())
}

fn without_sources(diagnostic: gchr_base::diagnostic::Diagnostic) -> Diagnostics {
    Diagnostics::new(Arc::new(SourceMap::new()), vec![diagnostic])
}

/// A program as a scheduler sees it, and its kernels.
enum Lowered {
    Tasks { plan: Box<TermPlan>, kernels: Box<tasks::kernels::Kernels> },
    Topology { system: Box<topology::system::System>, kernels: Box<topology::kernels::Kernels> },
}

impl Lowered {
    fn module(&self) -> &Module {
        match self {
            Lowered::Tasks { kernels, .. } => &kernels.module,
            Lowered::Topology { kernels, .. } => &kernels.module,
        }
    }
    fn into_module(self) -> Module {
        match self {
            Lowered::Tasks { kernels, .. } => kernels.module,
            Lowered::Topology { kernels, .. } => kernels.module,
        }
    }
}
