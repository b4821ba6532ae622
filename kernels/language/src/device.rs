//! What host code of a scheduler needs of a device, the same for the simulator and for CUDA.
//!
//! A backend is opened with the kernels of one program. Then: look up each [`kernel`](Device::kernel) once,
//! [`alloc`](Device::alloc) and [`upload`](Device::upload) its buffers, [`launch`](Device::launch), and
//! [`download`](Device::download) the result. All work of a device happens in the order of the calls. `launch` and
//! `fill` may return before the work is done; what goes wrong in it is reported by a later call, at the latest by
//! [`synchronize`](Device::synchronize), `download` or [`stop_timer`](Device::stop_timer).

mod error;
mod ids;

pub use error::DeviceError;
pub use ids::{BufferId, KernelId, TimerId};

use std::time::Duration;

use gchr_base::profile::Traffic;

/// Result of a device call.
pub type Result<T> = std::result::Result<T, DeviceError>;

/// A scalar or buffer handed to a kernel.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Value {
    /// `bool`, one byte.
    Bool(bool),
    /// `u8`
    U8(u8),
    /// `i32`
    I32(i32),
    /// `u32`
    U32(u32),
    /// `i64`
    I64(i64),
    /// `u64`
    U64(u64),
    /// `f64`
    F64(f64),
    /// Start of a buffer in device memory.
    Buffer(BufferId),
}

/// A kernel argument.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Arg<'a> {
    /// A scalar or a buffer.
    Value(Value),
    /// A record, its fields in order.
    Record(&'a [Value]),
}

impl From<BufferId> for Arg<'_> {
    fn from(buffer: BufferId) -> Self {
        Arg::Value(Value::Buffer(buffer))
    }
}

impl From<u32> for Arg<'_> {
    fn from(value: u32) -> Self {
        Arg::Value(Value::U32(value))
    }
}

impl From<u64> for Arg<'_> {
    fn from(value: u64) -> Self {
        Arg::Value(Value::U64(value))
    }
}

/// One kernel launch. Grids and blocks have one dimension.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Launch<'a> {
    /// The kernel.
    pub kernel: KernelId,
    /// Number of blocks; with 0 nothing happens.
    pub grid: u32,
    /// Threads a block.
    pub block: u32,
    /// One argument a parameter.
    pub args: &'a [Arg<'a>],
    /// All blocks run at the same time, so that they may wait for each other (grid barriers). The grid must not be
    /// larger than
    /// [`Device::resident_blocks`].
    pub cooperative: bool,
}

/// What kernels count when they are made for it, over all launches on a device.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Counts {
    /// Memory traffic.
    pub traffic: Traffic,
    /// By number: how often threads came to a `tally` statement. Ends with the last number that was counted.
    pub tallies: Vec<u64>,
}

/// What a device can do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeviceLimits {
    /// Name shown to the user.
    pub name: String,
    /// Multiprocessors.
    pub multiprocessors: u32,
    /// Threads a block may have.
    pub block_threads: u32,
    /// Threads that a multiprocessor holds at a time.
    pub multiprocessor_threads: u32,
    /// Bytes of statically declared shared memory a block may have.
    pub shared_bytes: u32,
    /// Bytes of device memory.
    pub memory_bytes: u64,
    /// Whether the system ends kernels that run for seconds (a GPU that also drives a display).
    pub kernel_time_limit: bool,
}

/// A device with the kernels of one program.
pub trait Device {
    /// What the device can do.
    fn limits(&self) -> &DeviceLimits;

    /// Bytes that [`alloc`](Self::alloc) can still hand out.
    fn free_bytes(&mut self) -> Result<u64>;

    /// Looks up a kernel by name.
    fn kernel(&mut self, name: &str) -> Result<KernelId>;

    /// Whether a kernel can be looked up without a wait for its compiler.
    fn is_at_hand(&mut self, name: &str) -> Result<bool> {
        let _ = name;
        Ok(true)
    }

    /// How many blocks of so many threads the whole device holds at a time: the largest cooperative grid.
    fn resident_blocks(&mut self, kernel: KernelId, block: u32) -> Result<u32>;

    /// Takes a buffer of so many bytes, aligned to 256. What it holds is not defined.
    fn alloc(&mut self, bytes: u64) -> Result<BufferId>;

    /// Gives a buffer back. Launches before this call may still use it.
    fn free(&mut self, buffer: BufferId) -> Result<()>;

    /// Writes `data` at a byte offset.
    fn upload(&mut self, buffer: BufferId, offset: u64, data: &[u8]) -> Result<()>;

    /// Reads at a byte offset, after all work before this call.
    fn download(&mut self, buffer: BufferId, offset: u64, into: &mut [u8]) -> Result<()>;

    /// Sets bytes.
    fn fill(&mut self, buffer: BufferId, offset: u64, bytes: u64, value: u8) -> Result<()>;

    /// From now on kernels may read unwritten elements of a buffer; they have some value. A device that does not look
    /// for such reads has nothing to do.
    fn accept_unwritten(&mut self, _buffer: BufferId) -> Result<()> {
        Ok(())
    }

    /// Copies bytes from one buffer to another, e.g. when a table grows.
    fn copy(&mut self, from: BufferId, to: BufferId, bytes: u64) -> Result<()>;

    /// Launches a kernel.
    fn launch(&mut self, launch: &Launch<'_>) -> Result<()>;

    /// Waits for all work.
    fn synchronize(&mut self) -> Result<()>;

    /// Whether all work is done, without waiting for it. For a device that works while it is called, it always is.
    fn is_idle(&mut self) -> Result<bool> {
        self.synchronize()?;
        Ok(true)
    }

    /// Writes one word at once, concurrently with running kernels: so the host asks a running kernel to stop. The
    /// kernel reads it atomically.
    fn post(&mut self, buffer: BufferId, offset: u64, value: u32) -> Result<()> {
        self.upload(buffer, offset, &value.to_le_bytes())
    }

    /// What kernels have counted so far, running ones included; `None` when they do not count.
    fn counts(&mut self) -> Result<Option<Counts>> {
        Ok(None)
    }

    /// Starts a timer on the device.
    fn start_timer(&mut self) -> Result<TimerId>;

    /// Waits for all work and says how long the device took since [`start_timer`](Self::start_timer).
    fn stop_timer(&mut self, timer: TimerId) -> Result<Duration>;
}

/// Typed forms of the calls that move bytes.
pub trait DeviceExt: Device {
    /// A new buffer that holds `data`.
    fn upload_new<T: bytemuck::NoUninit>(&mut self, data: &[T]) -> Result<BufferId> {
        let buffer = self.alloc(size_of_val(data) as u64)?;
        self.upload(buffer, 0, bytemuck::cast_slice(data))?;
        Ok(buffer)
    }

    /// The first `count` elements of a buffer.
    fn download_vec<T: bytemuck::AnyBitPattern + bytemuck::NoUninit>(
        &mut self,
        buffer: BufferId,
        count: usize,
    ) -> Result<Vec<T>> {
        let mut data = vec![T::zeroed(); count];
        self.download(buffer, 0, bytemuck::cast_slice_mut(&mut data))?;
        Ok(data)
    }
}

impl<D: Device + ?Sized> DeviceExt for D {}
