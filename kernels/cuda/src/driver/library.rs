//! Loads the driver and checks that it can be used.

use std::sync::OnceLock;

use cudarc::driver::result;
use cudarc::driver::sys;

use super::error::{DriverError, call};
use super::version::DriverVersion;

/// The oldest driver that runs what NVRTC 13 compiles, as `cuDriverGetVersion` counts: 1000 a release, 10 an update.
const OLDEST: i32 = 13000;

/// The driver's functions that are used here. All of them are there in a driver of the right version; the check keeps a
/// damaged or foreign library from ending the process.
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
    "cuLinkAddData_v2",
    "cuLinkComplete",
    "cuLinkCreate_v2",
    "cuLinkDestroy",
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

/// Loads and starts the driver, once per process.
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
