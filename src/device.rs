//! Devices that run generated kernels: a GPU, or the simulator of one.

pub(crate) mod backend;
mod compile;
mod helper;
pub(crate) mod kernels;
pub(crate) mod lower;
mod roofline;
mod source;
mod verify;

use std::sync::Arc;

use gchr_base::source::SourceMap;
use gchr_cuda::{Cache, DeviceInfo, Nvrtc};

use crate::diagnostics::Diagnostics;

pub use crate::options::Device;
pub use crate::race::gpu_pending;
pub use gchr_base::profile::RooflinePeaks;
pub use gchr_cuda::{Arch, Image};
pub use gchr_kernels_terms::topology::codegen::Strategy;
pub use gchr_kernels_terms::topology::kernels::Collector;
pub use helper::{serve_compiler, set_compile_helper};
pub use roofline::{measure_roofline, roofline};
pub use source::KernelSource;
pub use verify::{Assumed, Assumption, CheckStats, Location, Reason, Rule, Verdict, verify_file};

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

/// Why the folder of compiled kernels is not used, if that is so: kernels are then compiled and checked every time.
pub fn cache_refusal() -> Option<String> {
    let cache = Cache::from_env();
    let refusal = cache.refusal()?;
    Some(format!("the kernel cache {} is not used: {refusal}", cache.folder()?.display()))
}

/// Why compiled kernels were not kept, or not found, so far: no room on the disk, say.
pub fn cache_failure() -> Option<&'static str> {
    gchr_cuda::cache::failure()
}

/// The folder of all that is kept from run to run; `None` where there is no place for it.
pub fn cache_folder() -> Option<std::path::PathBuf> {
    gchr_cuda::cache::root_folder()
}

fn without_sources(diagnostic: gchr_base::diagnostic::Diagnostic) -> Diagnostics {
    Diagnostics::new(Arc::new(SourceMap::new()), vec![diagnostic])
}
