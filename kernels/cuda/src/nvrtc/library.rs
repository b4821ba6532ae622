//! The C interface of NVRTC, loaded at run time.

use std::ffi::{CStr, c_char, c_int};
use std::mem::ManuallyDrop;
use std::ptr;

use libloading::Library;

use super::error::{CompileError, LoadError};
use super::search::Place;
use super::status::Status;
use super::version::Version;

/// `nvrtcProgram`.
type RawProgram = *mut std::ffi::c_void;

/// The functions used. The library is never unloaded, so the pointers stay valid.
#[derive(Clone, Copy, Debug)]
pub(super) struct Api {
    version: unsafe extern "C" fn(*mut c_int, *mut c_int) -> Status,
    architecture_count: unsafe extern "C" fn(*mut c_int) -> Status,
    architectures: unsafe extern "C" fn(*mut c_int) -> Status,
    create: unsafe extern "C" fn(
        *mut RawProgram,
        *const c_char,
        *const c_char,
        c_int,
        *const *const c_char,
        *const *const c_char,
    ) -> Status,
    destroy: unsafe extern "C" fn(*mut RawProgram) -> Status,
    compile: unsafe extern "C" fn(RawProgram, c_int, *const *const c_char) -> Status,
    log_size: unsafe extern "C" fn(RawProgram, *mut usize) -> Status,
    log: unsafe extern "C" fn(RawProgram, *mut c_char) -> Status,
    ptx_size: unsafe extern "C" fn(RawProgram, *mut usize) -> Status,
    ptx: unsafe extern "C" fn(RawProgram, *mut c_char) -> Status,
    cubin_size: unsafe extern "C" fn(RawProgram, *mut usize) -> Status,
    cubin: unsafe extern "C" fn(RawProgram, *mut c_char) -> Status,
}

impl Api {
    pub(super) fn load(place: &Place) -> Result<Api, LoadError> {
        // NVRTC opens its builtins by bare name. Where they do not lie in the loader's path that only works once they
        // are loaded.
        for builtins in place.builtins() {
            if let Ok(library) = open(&builtins) {
                // Never unloaded: NVRTC refers to it until the process ends.
                let _ = ManuallyDrop::new(library);
            }
        }
        let mut refused = None;
        for name in place.libraries() {
            match open(&name) {
                Ok(library) => return Api::bind(ManuallyDrop::new(library)),
                Err(e) if place.has(&name) => refused = Some(LoadError::Refused(e)),
                Err(_) => {}
            }
        }
        Err(refused.unwrap_or(LoadError::Absent))
    }

    /// Takes a library that is never unloaded, so that the functions stay valid for the life of the process.
    fn bind(library: ManuallyDrop<Library>) -> Result<Api, LoadError> {
        macro_rules! function {
            ($name:literal) => {
                // SAFETY: the field's type is the one that NVIDIA's header nvrtc.h of release 13 gives the function of
                // this name; it has not changed since the function was introduced. The library stays loaded.
                *unsafe { library.get(concat!($name, "\0").as_bytes()) }.map_err(|_| LoadError::Symbol($name))?
            };
        }
        Ok(Api {
            version: function!("nvrtcVersion"),
            architecture_count: function!("nvrtcGetNumSupportedArchs"),
            architectures: function!("nvrtcGetSupportedArchs"),
            create: function!("nvrtcCreateProgram"),
            destroy: function!("nvrtcDestroyProgram"),
            compile: function!("nvrtcCompileProgram"),
            log_size: function!("nvrtcGetProgramLogSize"),
            log: function!("nvrtcGetProgramLog"),
            ptx_size: function!("nvrtcGetPTXSize"),
            ptx: function!("nvrtcGetPTX"),
            cubin_size: function!("nvrtcGetCUBINSize"),
            cubin: function!("nvrtcGetCUBIN"),
        })
    }

    pub(super) fn version(&self) -> Result<Version, Status> {
        let (mut major, mut minor) = (0, 0);
        // SAFETY: both pointers are to live integers.
        unsafe { (self.version)(&mut major, &mut minor) }.check()?;
        Ok(Version { major: major.try_into().unwrap_or(0), minor: minor.try_into().unwrap_or(0) })
    }

    pub(super) fn architectures(&self) -> Result<Vec<u32>, Status> {
        let mut count = 0;
        // SAFETY: the pointer is to a live integer.
        unsafe { (self.architecture_count)(&mut count) }.check()?;
        let mut numbers: Vec<c_int> = vec![0; count.try_into().unwrap_or(0)];
        // SAFETY: NVRTC writes as many integers as it has just said, and the vector has that many.
        unsafe { (self.architectures)(numbers.as_mut_ptr()) }.check()?;
        Ok(numbers.into_iter().filter_map(|n| u32::try_from(n).ok()).collect())
    }
}

fn open(name: &std::ffi::OsStr) -> Result<Library, String> {
    // SAFETY: loading runs the library's initialisers. The names are those of NVIDIA's NVRTC, from places that the user
    // or the system administrator controls.
    unsafe { Library::new(name) }.map_err(|e| e.to_string())
}

/// An `nvrtcProgram`, destroyed when dropped.
pub(super) struct NvrtcProgram<'a> {
    api: &'a Api,
    raw: RawProgram,
}

impl<'a> NvrtcProgram<'a> {
    pub(super) fn create(api: &'a Api, source: &CStr, name: &CStr) -> Result<Self, CompileError> {
        let mut raw = ptr::null_mut();
        // SAFETY: source and name are NUL-terminated and copied by NVRTC; there are no headers, so their arrays may be
        // null.
        unsafe { (api.create)(&mut raw, source.as_ptr(), name.as_ptr(), 0, ptr::null(), ptr::null()) }
            .check()
            .map_err(|code| CompileError::from_code(code, String::new(), &[]))?;
        Ok(NvrtcProgram { api, raw })
    }

    /// # Safety
    /// `options` points to `count` NUL-terminated strings.
    pub(super) unsafe fn compile(&self, count: c_int, options: *const *const c_char) -> Result<(), Status> {
        // SAFETY: the program is alive; the options are as the caller promises.
        unsafe { (self.api.compile)(self.raw, count, options) }.check()
    }

    /// What the compiler said, without the trailing NUL; empty when even that cannot be read.
    pub(super) fn log(&self) -> String {
        let bytes = self.bytes(self.api.log_size, self.api.log).unwrap_or_default();
        String::from_utf8_lossy(until_nul(&bytes)).trim_end().to_string()
    }

    pub(super) fn cubin(&self) -> Result<Vec<u8>, CompileError> {
        self.bytes(self.api.cubin_size, self.api.cubin).map_err(|code| self.failure(code))
    }

    pub(super) fn ptx(&self) -> Result<String, CompileError> {
        let bytes = self.bytes(self.api.ptx_size, self.api.ptx).map_err(|code| self.failure(code))?;
        Ok(String::from_utf8_lossy(until_nul(&bytes)).into_owned())
    }

    fn failure(&self, code: Status) -> CompileError {
        CompileError::from_code(code, self.log(), &[])
    }

    fn bytes(
        &self,
        size: unsafe extern "C" fn(RawProgram, *mut usize) -> Status,
        read: unsafe extern "C" fn(RawProgram, *mut c_char) -> Status,
    ) -> Result<Vec<u8>, Status> {
        let mut length = 0;
        // SAFETY: the program is alive, the pointer is to a live integer.
        unsafe { size(self.raw, &mut length) }.check()?;
        let mut bytes = vec![0u8; length];
        // SAFETY: NVRTC writes as many bytes as it has just said, and the vector has that many.
        unsafe { read(self.raw, bytes.as_mut_ptr().cast()) }.check()?;
        Ok(bytes)
    }
}

impl Drop for NvrtcProgram<'_> {
    fn drop(&mut self) {
        // SAFETY: the program is alive and not used again.
        let _ = unsafe { (self.api.destroy)(&mut self.raw) };
    }
}

fn until_nul(bytes: &[u8]) -> &[u8] {
    bytes.split(|&b| b == 0).next().unwrap_or_default()
}
