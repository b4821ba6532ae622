//! Links objects that were compiled apart, by the driver's linker.

use std::ffi::{CStr, c_void};
use std::ptr;

use cudarc::driver::sys::{self, CUjit_option, CUjitInputType};

use super::error::{DriverError, call};
use crate::arch::Arch;
use crate::image::Image;

/// Bytes for what the linker says when it fails.
const LOG: usize = 8192;

/// A link that is under way. It needs the context that is current.
struct Linking {
    state: sys::CUlinkState,
    /// The linker writes to it as long as it is there.
    log: Box<[u8; LOG]>,
}

impl Linking {
    fn begin() -> Result<Self, DriverError> {
        let mut log = Box::new([0u8; LOG]);
        let mut options =
            [CUjit_option::CU_JIT_ERROR_LOG_BUFFER, CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
        let mut values = [log.as_mut_ptr().cast::<c_void>(), ptr::without_provenance_mut(LOG)];
        let mut state = ptr::null_mut();
        // SAFETY: the options are two, with a buffer and its size as values; the buffer lives as long as the link. The
        // linker may write to the options until this call returns.
        let created = unsafe {
            sys::cuLinkCreate_v2(options.len() as u32, options.as_mut_ptr(), values.as_mut_ptr(), &mut state)
        };
        call("cuLinkCreate", created.result())?;
        Ok(Self { state, log })
    }

    fn add(&mut self, object: &Image) -> Result<(), DriverError> {
        let bytes = object.loadable();
        // SAFETY: the link is under way, and the linker reads so many bytes of the object before the call returns.
        let added = unsafe {
            sys::cuLinkAddData_v2(
                self.state,
                CUjitInputType::CU_JIT_INPUT_CUBIN,
                bytes.as_ptr().cast_mut().cast(),
                bytes.len(),
                c"kernels".as_ptr(),
                0,
                ptr::null_mut(),
                ptr::null_mut(),
            )
        };
        call("cuLinkAddData", added.result())
    }

    fn complete(&mut self) -> Result<Vec<u8>, DriverError> {
        let (mut code, mut size) = (ptr::null_mut(), 0);
        // SAFETY: the link is under way; the pointers are to a live pointer and a live size.
        call("cuLinkComplete", unsafe { sys::cuLinkComplete(self.state, &mut code, &mut size) }.result())?;
        // SAFETY: the driver gives back so many bytes, which live until the link is destroyed.
        Ok(unsafe { std::slice::from_raw_parts(code.cast::<u8>(), size) }.to_vec())
    }

    /// An error with what the linker says of it.
    fn explain(&self, error: DriverError) -> DriverError {
        match error {
            DriverError::Call { reason, .. } => {
                let log = CStr::from_bytes_until_nul(self.log.as_slice());
                let log = log.map(|text| text.to_string_lossy().trim_end().to_string()).unwrap_or_default();
                DriverError::Image { reason, log }
            }
            other => other,
        }
    }
}

impl Drop for Linking {
    fn drop(&mut self) {
        // SAFETY: created once, destroyed once.
        let _ = unsafe { sys::cuLinkDestroy(self.state) };
    }
}

/// Links objects for the GPU of the current context to one image.
pub(super) fn link(objects: &[Image]) -> Result<Image, DriverError> {
    let arch = objects.first().map_or(Arch::Real(0), Image::arch);
    let mut linking = Linking::begin()?;
    let mut all = || {
        objects.iter().try_for_each(|object| linking.add(object))?;
        linking.complete()
    };
    let code = all();
    let code = code.map_err(|error| linking.explain(error))?;
    Image::cubin(arch, code)
        .map_err(|error| DriverError::Image { reason: error.to_string(), log: String::new() })
}
