//! Which GPUs there are, and what they can do.

use cudarc::driver::result;
use cudarc::driver::sys::{self, CUdevice_attribute};

use super::error::{DriverError, call};
use super::library::init;
use super::version::DriverVersion;
use crate::arch::Capability;

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

/// How many GPUs there are. Much faster than `devices`.
pub fn device_count() -> Result<u32, DriverError> {
    init()?;
    let count = call("cuDeviceGetCount", result::device::get_count())?;
    Ok(u32::try_from(count).unwrap_or(0))
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
pub(super) fn device(ordinal: u32) -> Result<sys::CUdevice, DriverError> {
    let count = device_count()?;
    let number = i32::try_from(ordinal).ok().filter(|_| ordinal < count);
    let number = number.ok_or(if count == 0 {
        DriverError::NoDevice
    } else {
        DriverError::NoSuchDevice { ordinal, count }
    })?;
    call("cuDeviceGet", result::device::get(number))
}
