//! A kernel of a loaded module: what the driver knows about it, and how it is launched.

use std::ffi::c_void;

use cudarc::driver::result;
use cudarc::driver::sys::{self, CUfunction_attribute};

use super::args::{Packed, Param};
use super::error::{DriverError, call};
use super::handles::Stream;
use crate::resources::KernelResources;

/// A kernel. The module that it belongs to must stay loaded.
pub(super) struct Kernel {
    raw: sys::CUfunction,
    pub(super) params: Vec<Param>,
    /// Threads a block may have at most, for this kernel.
    pub(super) block_threads: u32,
    pub(super) resources: KernelResources,
}

impl Kernel {
    /// # Safety
    /// `raw` belongs to a module that stays loaded as long as the kernel is used.
    pub(super) unsafe fn new(raw: sys::CUfunction, name: &str) -> Result<Kernel, DriverError> {
        use CUfunction_attribute as A;
        let attribute = |attribute: A| -> Result<u32, DriverError> {
            // SAFETY: the kernel is alive.
            let value = unsafe { result::function::get_function_attribute(raw, attribute) };
            Ok(u32::try_from(call("cuFuncGetAttribute", value)?).unwrap_or(0))
        };
        Ok(Kernel {
            raw,
            params: params(raw)?,
            block_threads: attribute(A::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
            resources: KernelResources {
                name: name.to_string(),
                registers: attribute(A::CU_FUNC_ATTRIBUTE_NUM_REGS)?,
                stack: attribute(A::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?,
                shared: attribute(A::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?,
                ..Default::default()
            },
        })
    }

    pub(super) fn name(&self) -> &str {
        &self.resources.name
    }

    /// Blocks of so many threads that a multiprocessor holds at a time.
    pub(super) fn blocks_per_multiprocessor(&self, block: u32) -> Result<u32, DriverError> {
        let threads = i32::try_from(block).unwrap_or(i32::MAX);
        // SAFETY: the kernel is alive.
        let blocks = unsafe { result::occupancy::max_active_block_per_multiprocessor(self.raw, threads, 0) };
        Ok(u32::try_from(call("cuOccupancyMaxActiveBlocksPerMultiprocessor", blocks)?).unwrap_or(0))
    }

    /// Queues a launch; `args` are packed for this kernel's parameters.
    pub(super) fn launch(
        &self,
        grid: u32,
        block: u32,
        cooperative: bool,
        args: &Packed,
        stream: &Stream,
    ) -> Result<(), DriverError> {
        let mut pointers: Vec<*mut c_void> = args.pointers().map(|p| p.cast_mut().cast()).collect();
        let (grid, block) = ((grid, 1, 1), (block, 1, 1));
        // SAFETY: kernel and stream are alive and of the same context. There are as many pointers as parameters, each
        // to as many bytes as the parameter has, and the driver copies them before it returns. Kernels see device
        // memory only.
        unsafe {
            if cooperative {
                let launched =
                    result::launch_cooperative_kernel(self.raw, grid, block, 0, stream.raw(), &mut pointers);
                call("cuLaunchCooperativeKernel", launched)
            } else {
                let launched = result::launch_kernel(self.raw, grid, block, 0, stream.raw(), &mut pointers);
                call("cuLaunchKernel", launched)
            }
        }
    }
}

/// The parameters in order.
fn params(raw: sys::CUfunction) -> Result<Vec<Param>, DriverError> {
    let mut params = Vec::new();
    loop {
        let (mut offset, mut size) = (0, 0);
        // SAFETY: the kernel is alive; both pointers are to live integers.
        match unsafe { sys::cuFuncGetParamInfo(raw, params.len(), &mut offset, &mut size) } {
            // There is no parameter of this number.
            sys::CUresult::CUDA_ERROR_INVALID_VALUE => return Ok(params),
            other => call("cuFuncGetParamInfo", other.result())?,
        }
        params.push(Param { size });
    }
}
