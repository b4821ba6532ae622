//! CUDA: kernels compiled by NVRTC, cached on disk, and run through the driver.
//!
//! Both libraries are loaded at run time. Without them everything here still works in the sense that it says what is
//! missing: no call panics, and every error becomes a [`Diagnostic`](gchr_base::diagnostic::Diagnostic). Used in this
//! order:
//!
//! 1. [`devices`] lists what there is, [`Gpu::open`] takes one.
//! 2. [`Compiler`] turns CUDA C++ into an [`Image`] for the GPU's [`Capability`], from the [`Cache`] when it was
//!    compiled before.
//! 3. [`Gpu::load`] loads the image; from there on the GPU is a [`Device`](gchr_kernel::device::Device).

mod arch;
pub mod cache;
mod compiler;
pub mod driver;
mod image;
pub mod nvrtc;
mod resources;

pub use arch::{Arch, Capability};
pub use cache::Cache;
pub use compiler::{Built, Compiler};
pub use driver::{DeviceInfo, DriverError, Gpu, LateKernels, devices};
pub use image::{Image, ImageError};
pub use nvrtc::{CompileError, Compiled, Nvrtc, NvrtcError, NvrtcOptions, Version};
pub use resources::{KernelResources, parse_resources, resource_table};
