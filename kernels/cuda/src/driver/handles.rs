//! Objects of the driver, each released when dropped. All of them need the context that they belong to, which must
//! outlive them.

use std::ffi::{CStr, CString, c_void};
use std::{hint, ptr};

use cudarc::driver::result;
use cudarc::driver::sys::{self, CUjit_option};

use gchr_base::memory;

use super::devices::device;
use super::error::{DriverError, call};
use crate::image::Image;

/// A GPU's primary context, which all users of a process share.
pub(super) struct DriverContext {
    device: sys::CUdevice,
    raw: sys::CUcontext,
}

// SAFETY: any thread may make the context current, several at a time.
unsafe impl Sync for DriverContext {}

impl DriverContext {
    pub(super) fn open(ordinal: u32) -> Result<DriverContext, DriverError> {
        let device = device(ordinal)?;
        // SAFETY: the device comes from the driver.
        let raw = call("cuDevicePrimaryCtxRetain", unsafe { result::primary_ctx::retain(device) })?;
        Ok(DriverContext { device, raw })
    }

    /// Makes it the context of this thread's calls.
    pub(super) fn bind(&self) -> Result<(), DriverError> {
        // SAFETY: the context is retained.
        call("cuCtxSetCurrent", unsafe { result::ctx::set_current(self.raw) })
    }

    /// Bytes of device memory that no program uses.
    pub(super) fn free_memory(&self) -> Result<u64, DriverError> {
        self.bind()?;
        let (free, _total) = call("cuMemGetInfo", result::mem_get_info())?;
        Ok(free as u64)
    }
}

impl Drop for DriverContext {
    fn drop(&mut self) {
        // SAFETY: retained once, released once. A thread must not be left with a context that may be gone.
        unsafe {
            if result::ctx::get_current().ok().flatten() == Some(self.raw) {
                let _ = result::ctx::set_current(ptr::null_mut());
            }
            let _ = result::primary_ctx::release(self.device);
        }
    }
}

/// A queue of work; the work of different streams is not ordered.
pub(super) struct Stream(sys::CUstream);

// SAFETY: the driver's objects may be used by any thread that has made their context current.
unsafe impl Send for Stream {}

impl Stream {
    pub(super) fn new() -> Result<Stream, DriverError> {
        Ok(Stream(call("cuStreamCreate", result::stream::create(result::stream::StreamKind::NonBlocking))?))
    }

    pub(super) fn raw(&self) -> sys::CUstream {
        self.0
    }

    pub(super) fn synchronize(&self) -> Result<(), DriverError> {
        // SAFETY: the stream is alive.
        call("cuStreamSynchronize", unsafe { result::stream::synchronize(self.0) })
    }

    pub(super) fn is_idle(&self) -> Result<bool, DriverError> {
        // SAFETY: the stream is alive.
        match unsafe { sys::cuStreamQuery(self.0) } {
            sys::CUresult::CUDA_ERROR_NOT_READY => Ok(false),
            other => call("cuStreamQuery", other.result()).map(|()| true),
        }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // SAFETY: alive, and not used again. Memory that its work uses must not be given back before that work is done.
        unsafe {
            let _ = result::stream::synchronize(self.0);
            let _ = result::stream::destroy(self.0);
        }
    }
}

/// A point in the work of a stream, with its time.
pub(super) struct Event(sys::CUevent);

// SAFETY: as for streams.
unsafe impl Send for Event {}

impl Event {
    pub(super) fn new() -> Result<Event, DriverError> {
        Ok(Event(call("cuEventCreate", result::event::create(sys::CUevent_flags::CU_EVENT_DEFAULT))?))
    }

    pub(super) fn record(&self, stream: &Stream) -> Result<(), DriverError> {
        // SAFETY: event and stream are alive and of the same context.
        call("cuEventRecord", unsafe { result::event::record(self.0, stream.raw()) })
    }

    pub(super) fn synchronize(&self) -> Result<(), DriverError> {
        // SAFETY: the event is alive.
        call("cuEventSynchronize", unsafe { result::event::synchronize(self.0) })
    }

    /// Milliseconds between two events that have happened.
    pub(super) fn since(&self, earlier: &Event) -> Result<f32, DriverError> {
        // SAFETY: both events are alive.
        call("cuEventElapsedTime", unsafe { result::event::elapsed(earlier.0, self.0) })
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: alive, and not used again.
        let _ = unsafe { result::event::destroy(self.0) };
    }
}

/// A plain allocation of device memory.
pub(super) struct DeviceMemory(sys::CUdeviceptr);

impl DeviceMemory {
    pub(super) fn new(bytes: usize) -> Result<DeviceMemory, DriverError> {
        // SAFETY: the memory is not read before it is written, except by kernels, whose findings are their own.
        Ok(DeviceMemory(call("cuMemAlloc", unsafe { result::malloc_sync(bytes) })?))
    }

    pub(super) fn address(&self) -> sys::CUdeviceptr {
        self.0
    }
}

impl Drop for DeviceMemory {
    fn drop(&mut self) {
        // SAFETY: allocated once, freed once; its user waits for the work that needs it.
        let _ = unsafe { result::free_sync(self.0) };
    }
}

/// Host memory that the copy engine reads and writes without the driver's help, aligned to a page.
pub(super) struct PinnedMemory(*mut u8);

// SAFETY: the memory belongs to this object alone, and any thread may use it.
unsafe impl Send for PinnedMemory {}
// SAFETY: shared access tells the address only.
unsafe impl Sync for PinnedMemory {}

impl PinnedMemory {
    pub(super) fn new(bytes: usize) -> Result<PinnedMemory, DriverError> {
        let mut raw: *mut c_void = ptr::null_mut();
        // SAFETY: the pointer is to a live pointer.
        call("cuMemHostAlloc", unsafe { sys::cuMemHostAlloc(&mut raw, bytes, 0) }.result())?;
        Ok(PinnedMemory(raw.cast()))
    }

    pub(super) fn start(&self) -> *mut u8 {
        self.0
    }
}

impl Drop for PinnedMemory {
    fn drop(&mut self) {
        // SAFETY: allocated once, freed once; the driver waits for copies that are under way.
        let _ = unsafe { result::free_host(self.0.cast()) };
    }
}

/// Memory of the process in large pages, all of which are there.
pub(super) struct LargePages {
    start: *mut u8,
    bytes: usize,
    /// Where `start` is. Not accessed: all access is by `start`.
    _memory: Vec<u8>,
}

// SAFETY: the memory belongs to this object alone, and any thread may use it.
unsafe impl Send for LargePages {}
// SAFETY: shared access tells the address only.
unsafe impl Sync for LargePages {}

impl LargePages {
    /// A large page, at a multiple of which the memory begins.
    pub(super) const LARGE: usize = 2 << 20;
    /// No page is smaller.
    const SMALL: usize = 4 << 10;

    /// So many zeros.
    pub(super) fn new(bytes: usize) -> LargePages {
        let mut memory = vec![0; bytes + Self::LARGE];
        let skipped = memory.as_ptr().align_offset(Self::LARGE);
        let used = &mut memory[skipped..][..bytes];
        memory::prefer_large_pages(used);
        used.iter_mut().step_by(Self::SMALL).for_each(|byte| *byte = hint::black_box(0));
        LargePages { start: used.as_mut_ptr(), bytes, _memory: memory }
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }
}

/// The same, pinned by the driver. That takes a tenth of the time of as much [`PinnedMemory`], whose pages the driver
/// asks for while others wait for it.
pub(super) struct PinnedPages(LargePages);

impl PinnedPages {
    pub(super) fn new(pages: LargePages) -> Result<PinnedPages, DriverError> {
        // SAFETY: the memory is there until it is unregistered.
        let registered = unsafe { sys::cuMemHostRegister_v2(pages.start.cast(), pages.bytes, 0) };
        call("cuMemHostRegister", registered.result())?;
        Ok(PinnedPages(pages))
    }

    pub(super) fn start(&self) -> *mut u8 {
        self.0.start
    }
}

impl Drop for PinnedPages {
    fn drop(&mut self) {
        // SAFETY: registered once, unregistered once; its user waits for the copies that need it.
        let _ = unsafe { sys::cuMemHostUnregister(self.0.start.cast()) };
    }
}

/// One word of pinned memory.
pub(super) struct PinnedWord(PinnedMemory);

impl PinnedWord {
    pub(super) fn new() -> Result<PinnedWord, DriverError> {
        PinnedMemory::new(size_of::<u32>()).map(PinnedWord)
    }

    /// Copies `value` to device memory and waits for that.
    pub(super) fn send(
        &mut self,
        value: u32,
        to: sys::CUdeviceptr,
        stream: &Stream,
    ) -> Result<(), DriverError> {
        // SAFETY: the word is alive and no copy from it is under way, since every copy is waited for.
        let copied = unsafe {
            self.0.start().cast::<u32>().write(value);
            sys::cuMemcpyHtoDAsync_v2(to, self.0.start().cast(), size_of::<u32>(), stream.raw())
        };
        call("cuMemcpyHtoDAsync", copied.result())?;
        stream.synchronize()
    }
}

/// Pinned memory for asynchronous small copies to the device: their source stays valid until they are done.
pub(super) struct Outbox {
    memory: PinnedMemory,
    used: usize,
    /// Happens when all copies are done.
    sent: Event,
}

impl Outbox {
    /// Bytes that there are.
    const BYTES: usize = 256 << 10;

    /// The largest copy that goes through here.
    pub(super) const MOST: usize = 16 << 10;

    pub(super) fn new() -> Result<Outbox, DriverError> {
        Ok(Outbox { memory: PinnedMemory::new(Self::BYTES)?, used: 0, sent: Event::new()? })
    }

    /// Copies data to device memory, after the work of the stream; waits for all work when there is no room left.
    pub(super) fn send(
        &mut self,
        data: &[u8],
        to: sys::CUdeviceptr,
        stream: &Stream,
    ) -> Result<(), DriverError> {
        assert!(data.len() <= Self::MOST, "larger copies go another way");
        if self.used + data.len() > Self::BYTES {
            stream.synchronize()?;
            self.used = 0;
        }
        // SAFETY: the bytes from `used` on are inside the allocation, and no copy from them is under way: those that
        // were have been waited for.
        let from = unsafe {
            let from = self.memory.start().add(self.used);
            ptr::copy_nonoverlapping(data.as_ptr(), from, data.len());
            from
        };
        self.used += data.len();
        // SAFETY: the source stays as it is until the stream has been waited for.
        let copied = unsafe { sys::cuMemcpyHtoDAsync_v2(to, from.cast(), data.len(), stream.raw()) };
        call("cuMemcpyHtoDAsync", copied.result())?;
        self.sent.record(stream)
    }

    /// Waits for all copies, but not for later work.
    pub(super) fn wait(&self) -> Result<(), DriverError> {
        self.sent.synchronize()
    }
}

/// A loaded image.
pub(super) struct LoadedModule(sys::CUmodule);

impl LoadedModule {
    pub(super) fn load(image: &Image) -> Result<LoadedModule, DriverError> {
        const LOG: usize = 8192;
        let mut log = vec![0u8; LOG];
        let mut options =
            [CUjit_option::CU_JIT_ERROR_LOG_BUFFER, CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
        let mut values = [log.as_mut_ptr().cast::<c_void>(), ptr::without_provenance_mut(LOG)];
        let mut raw = ptr::null_mut();
        // SAFETY: the image is an ELF file that ends where its tables say, or text that ends with NUL. The options are
        // two, with a buffer and its size as values, which outlive the call.
        let loaded = unsafe {
            sys::cuModuleLoadDataEx(
                &mut raw,
                image.loadable().as_ptr().cast(),
                options.len() as u32,
                options.as_mut_ptr(),
                values.as_mut_ptr(),
            )
        };
        let log = CStr::from_bytes_until_nul(&log).map(|l| l.to_string_lossy().trim_end().to_string());
        match call("cuModuleLoadDataEx", loaded.result()) {
            Ok(()) => Ok(LoadedModule(raw)),
            Err(DriverError::Call { code, reason, .. }) if is_image_error(code) => {
                Err(DriverError::Image { reason, log: log.unwrap_or_default() })
            }
            Err(other) => Err(other),
        }
    }

    /// A kernel by name; `None` when there is none.
    pub(super) fn function(&self, name: &str) -> Result<Option<sys::CUfunction>, DriverError> {
        let Ok(name) = CString::new(name) else { return Ok(None) };
        // SAFETY: the module is loaded.
        match call("cuModuleGetFunction", unsafe { result::module::get_function(self.0, name) }) {
            Ok(function) => Ok(Some(function)),
            Err(e) if e.is(sys::CUresult::CUDA_ERROR_NOT_FOUND) => Ok(None),
            Err(e) => Err(e),
        }
    }

    /// Address and bytes of a variable by name; `None` when there is none.
    pub(super) fn global(&self, name: &str) -> Result<Option<(sys::CUdeviceptr, usize)>, DriverError> {
        let Ok(name) = CString::new(name) else { return Ok(None) };
        let (mut address, mut bytes) = (0, 0);
        // SAFETY: the module is loaded; the pointers are to a live address and a live size, the name ends with NUL.
        let found = unsafe { sys::cuModuleGetGlobal_v2(&mut address, &mut bytes, self.0, name.as_ptr()) };
        match call("cuModuleGetGlobal", found.result()) {
            Ok(()) => Ok(Some((address, bytes))),
            Err(e) if e.is(sys::CUresult::CUDA_ERROR_NOT_FOUND) => Ok(None),
            Err(e) => Err(e),
        }
    }

    /// The names of its kernels, sorted.
    pub(super) fn function_names(&self) -> Result<Vec<String>, DriverError> {
        let mut count = 0;
        // SAFETY: the module is loaded; the pointer is to a live integer.
        let counted = unsafe { sys::cuModuleGetFunctionCount(&mut count, self.0) };
        call("cuModuleGetFunctionCount", counted.result())?;
        let mut functions: Vec<sys::CUfunction> = vec![ptr::null_mut(); count as usize];
        // SAFETY: the driver writes at most `count` handles, and the vector has that many.
        let listed = unsafe { sys::cuModuleEnumerateFunctions(functions.as_mut_ptr(), count, self.0) };
        call("cuModuleEnumerateFunctions", listed.result())?;
        let mut names = Vec::with_capacity(functions.len());
        for function in functions.into_iter().filter(|f| !f.is_null()) {
            let mut name = ptr::null();
            // SAFETY: the handle was just listed; the driver gives back a string that lives as long as the module.
            call("cuFuncGetName", unsafe { sys::cuFuncGetName(&mut name, function) }.result())?;
            // SAFETY: as above.
            names.push(unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned());
        }
        names.sort();
        Ok(names)
    }
}

impl Drop for LoadedModule {
    fn drop(&mut self) {
        // SAFETY: loaded once, unloaded once; its kernels are done, since the stream is waited for.
        let _ = unsafe { result::module::unload(self.0) };
    }
}

fn is_image_error(code: u32) -> bool {
    use sys::CUresult as R;
    [
        R::CUDA_ERROR_INVALID_IMAGE,
        R::CUDA_ERROR_NO_BINARY_FOR_GPU,
        R::CUDA_ERROR_INVALID_PTX,
        R::CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
        R::CUDA_ERROR_JIT_COMPILER_NOT_FOUND,
        R::CUDA_ERROR_JIT_COMPILATION_DISABLED,
        R::CUDA_ERROR_INVALID_SOURCE,
        R::CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND,
    ]
    .iter()
    .any(|r| *r as u32 == code)
}
