//! The CUDA driver: which GPUs there are, and work on one of them.
//!
//! cudarc loads the driver at run time and panics when the library or a function is missing. [`init`] therefore checks for all of that
//! before any other call; everything in this folder calls it first.

mod args;
mod counters;
mod error;
mod gpu;
mod handles;
mod heap;
mod kernel;

pub use error::DriverError;
pub use gpu::Gpu;

use std::fmt;
use std::sync::OnceLock;

use cudarc::driver::result;
use cudarc::driver::sys::{self, CUdevice_attribute};

use super::arch::Capability;
use error::call;
use handles::Context;

/// The oldest driver that runs what NVRTC 13 compiles, as `cuDriverGetVersion` counts: 1000 a release, 10 an update.
const OLDEST: i32 = 13000;

/// The driver's functions that are used here. All of them are there in a driver of the right version; the check keeps a damaged or
/// foreign library from ending the process.
const FUNCTIONS: &[&str] = &[
    "cuCtxGetCurrent",
    "cuCtxSetCurrent",
    "cuDeviceGet",
    "cuDeviceGetAttribute",
    "cuDeviceGetCount",
    "cuDeviceGetName",
    "cuDevicePrimaryCtxRelease_v2",
    "cuDevicePrimaryCtxRetain",
    "cuDeviceTotalMem_v2",
    "cuEventCreate",
    "cuEventDestroy_v2",
    "cuEventElapsedTime_v2",
    "cuEventRecord",
    "cuEventSynchronize",
    "cuFuncGetAttribute",
    "cuFuncGetName",
    "cuFuncGetParamInfo",
    "cuGetErrorName",
    "cuGetErrorString",
    "cuInit",
    "cuLaunchCooperativeKernel",
    "cuLaunchKernel",
    "cuMemAlloc_v2",
    "cuMemFreeHost",
    "cuMemFree_v2",
    "cuMemGetInfo_v2",
    "cuMemHostAlloc",
    "cuMemcpyDtoDAsync_v2",
    "cuMemcpyDtoHAsync_v2",
    "cuMemcpyHtoDAsync_v2",
    "cuMemsetD8Async",
    "cuModuleEnumerateFunctions",
    "cuModuleGetFunction",
    "cuModuleGetFunctionCount",
    "cuModuleGetGlobal_v2",
    "cuModuleLoadDataEx",
    "cuModuleUnload",
    "cuOccupancyMaxActiveBlocksPerMultiprocessor",
    "cuStreamCreate",
    "cuStreamDestroy_v2",
    "cuStreamQuery",
    "cuStreamSynchronize",
];

/// Version of a driver: the release of CUDA that it is made for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct DriverVersion(i32);

impl fmt::Display for DriverVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.0 / 1000, self.0 % 1000 / 10)
    }
}

/// A GPU as `gchr devices` shows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeviceInfo {
    /// Its number, as in `--device gpu:N`.
    pub ordinal: u32,
    /// Its name.
    pub name: String,
    /// Its compute capability.
    pub capability: Capability,
    /// Bytes of memory.
    pub memory_total: u64,
    /// Bytes of it that no program uses; unknown when the GPU takes no more programs.
    pub memory_free: Option<u64>,
    /// Multiprocessors.
    pub multiprocessors: u32,
    /// Bytes of second-level cache.
    pub l2_bytes: u64,
    /// Highest clock in kHz.
    pub clock_khz: u32,
    /// Threads a block may have.
    pub block_threads: u32,
    /// Threads that a multiprocessor holds at a time.
    pub multiprocessor_threads: u32,
    /// Bytes of statically declared shared memory a block may have.
    pub shared_bytes: u32,
    /// Whether the system ends kernels that run for seconds.
    pub kernel_time_limit: bool,
    /// Whether all blocks of a grid can be made to run at the same time.
    pub cooperative_launch: bool,
    /// The driver.
    pub driver: DriverVersion,
}

/// Loads and starts the driver, once a process.
pub fn init() -> Result<DriverVersion, DriverError> {
    static STARTED: OnceLock<Result<DriverVersion, DriverError>> = OnceLock::new();
    STARTED.get_or_init(start).clone()
}

fn start() -> Result<DriverVersion, DriverError> {
    // SAFETY: loads the library of NVIDIA's driver by its well-known name, which runs its initialisers.
    if !unsafe { sys::is_culib_present() } {
        return Err(DriverError::NotInstalled);
    }
    // SAFETY: as above; the library is there, so this does not panic.
    let library = unsafe { sys::culib() };
    let has = |name: &str| {
        // SAFETY: only the presence of the function is looked at.
        unsafe { library.get::<unsafe extern "C" fn()>(name.as_bytes()) }.is_ok()
    };
    let missing = |name: &str| DriverError::Unusable { reason: format!("it has no function {name}") };
    if !has("cuDriverGetVersion") {
        return Err(missing("cuDriverGetVersion"));
    }
    let mut version = 0;
    // SAFETY: the function is there; the pointer is to a live integer.
    call("cuDriverGetVersion", unsafe { sys::cuDriverGetVersion(&mut version) }.result())?;
    if version < OLDEST {
        return Err(DriverError::TooOld { found: DriverVersion(version), oldest: DriverVersion(OLDEST) });
    }
    if let Some(name) = FUNCTIONS.iter().find(|name| !has(name)) {
        return Err(missing(name));
    }
    result::init().map_err(DriverError::from_init)?;
    Ok(DriverVersion(version))
}

/// How many GPUs there are. Much faster than [`devices`].
pub fn device_count() -> Result<u32, DriverError> {
    init()?;
    let count = call("cuDeviceGetCount", result::device::get_count())?;
    Ok(u32::try_from(count).unwrap_or(0))
}

/// The GPUs of this machine. Takes a context on each of them for a moment to see how much memory is free.
pub fn devices() -> Result<Vec<DeviceInfo>, DriverError> {
    let count = device_count()?;
    if count == 0 {
        return Err(DriverError::NoDevice);
    }
    (0..count)
        .map(|ordinal| {
            let mut info = describe(ordinal)?;
            info.memory_free = Context::open(ordinal).and_then(|context| context.free_memory()).ok();
            Ok(info)
        })
        .collect()
}

/// One GPU, without a context on it: `memory_free` is not known.
pub fn describe(ordinal: u32) -> Result<DeviceInfo, DriverError> {
    let driver = init()?;
    let device = device(ordinal)?;
    let attribute = |attribute: CUdevice_attribute| -> Result<u32, DriverError> {
        // SAFETY: the device comes from the driver.
        let value =
            call("cuDeviceGetAttribute", unsafe { result::device::get_attribute(device, attribute) })?;
        Ok(u32::try_from(value).unwrap_or(0))
    };
    use CUdevice_attribute as A;
    Ok(DeviceInfo {
        ordinal,
        name: call("cuDeviceGetName", result::device::get_name(device))?,
        capability: Capability {
            major: attribute(A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
            minor: attribute(A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
        },
        // SAFETY: the device comes from the driver.
        memory_total: call("cuDeviceTotalMem", unsafe { result::device::total_mem(device) })? as u64,
        memory_free: None,
        multiprocessors: attribute(A::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
        l2_bytes: attribute(A::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)?.into(),
        clock_khz: attribute(A::CU_DEVICE_ATTRIBUTE_CLOCK_RATE)?,
        block_threads: attribute(A::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
        multiprocessor_threads: attribute(A::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)?,
        shared_bytes: attribute(A::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK)?,
        kernel_time_limit: attribute(A::CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT)? != 0,
        cooperative_launch: attribute(A::CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH)? != 0,
        driver,
    })
}

/// The driver's handle of a GPU.
fn device(ordinal: u32) -> Result<sys::CUdevice, DriverError> {
    let count = device_count()?;
    let number = i32::try_from(ordinal).ok().filter(|_| ordinal < count);
    let number = number.ok_or(if count == 0 {
        DriverError::NoDevice
    } else {
        DriverError::NoSuchDevice { ordinal, count }
    })?;
    call("cuDeviceGet", result::device::get(number))
}
