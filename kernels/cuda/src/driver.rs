//! The CUDA driver: which GPUs there are, and work on one of them.
//!
//! cudarc loads the driver at run time and panics when the library or a function is missing. [`init`] therefore checks
//! for all of that before any other call; everything in this folder calls it first.

mod args;
mod counters;
mod devices;
mod error;
mod gpu;
mod handles;
mod heap;
mod kernel;
mod library;
mod link;
mod staging;
mod version;

pub use devices::{DeviceInfo, describe, device_count};
pub use error::DriverError;
pub use gpu::{Gpu, LateKernels};
pub use library::init;
pub use version::DriverVersion;

use handles::DriverContext;

/// The GPUs of this machine. Takes a context on each of them for a moment to see how much memory is free.
pub fn devices() -> Result<Vec<DeviceInfo>, DriverError> {
    let count = device_count()?;
    if count == 0 {
        return Err(DriverError::NoDevice);
    }
    (0..count)
        .map(|ordinal| {
            let mut info = describe(ordinal)?;
            info.memory_free = DriverContext::open(ordinal).and_then(|context| context.free_memory()).ok();
            Ok(info)
        })
        .collect()
}
