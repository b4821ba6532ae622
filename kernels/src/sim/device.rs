//! The simulated device: buffers, and launches of kernels on them.

use std::sync::Arc;

use gchr_core::error::StopReason;

use super::code::{BLOCK_SIZE, FIRST_UNIFORM, KernelCode, LaneValues, ParamShape, UNIFORM, WARP};
use super::exec::Counters;
use super::layout::Layout;
use super::lower::Program;
use super::memory::Memory;
use super::order::{HOST_TIME, Order};
use super::report::{Report, Reports};
use super::schedule::{Launch, SimControl, Stop};
use super::warp::{Block, Warp};
use crate::ir::Scalar;

/// Largest number of threads a block may have.
const MAX_BLOCK: u32 = 1024;
/// Time after which shadow memory is renewed between launches.
const OLD_TIME: u32 = 1 << 31;

/// How a device behaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Chooses among legal schedules; 0 is the plainest one. Launches on one device differ, runs with one seed do not.
    pub seed: u64,
    /// Bytes that buffers, and the registers and arrays of resident blocks, may take. Their shadows come on top.
    pub memory_limit: u64,
    /// Blocks that run at once in a launch that is not cooperative.
    pub resident_blocks: u32,
    /// Reports that a launch keeps.
    pub max_reports: usize,
    /// Whether races are looked for.
    pub check_races: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { seed: 0, memory_limit: 1 << 30, resident_blocks: 8, max_reports: 32, check_races: true }
    }
}

/// A buffer of a [`Device`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct BufferId(u32);

/// What a new buffer holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Init {
    /// Zeros.
    Zero,
    /// Nothing: reading it before writing is reported.
    Unwritten,
}

/// A scalar that buffers can hold.
pub trait DeviceScalar: Copy {
    /// Its type in kernels.
    const SCALAR: Scalar;
    /// Appends its bytes.
    fn put(self, out: &mut Vec<u8>);
    /// From its bytes, as many as the type has.
    fn take(bytes: &[u8]) -> Self;
}

macro_rules! device_scalar {
    ($($ty:ty: $scalar:ident;)*) => {$(
        impl DeviceScalar for $ty {
            const SCALAR: Scalar = Scalar::$scalar;
            fn put(self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }
            fn take(bytes: &[u8]) -> Self {
                let mut array = [0; size_of::<$ty>()];
                array.copy_from_slice(bytes);
                Self::from_le_bytes(array)
            }
        }
    )*};
}

device_scalar! { u8: U8; u32: U32; i32: I32; u64: U64; i64: I64; f64: F64; }

impl DeviceScalar for bool {
    const SCALAR: Scalar = Scalar::Bool;
    fn put(self, out: &mut Vec<u8>) {
        out.push(u8::from(self));
    }
    fn take(bytes: &[u8]) -> Self {
        bytes.first().is_some_and(|&b| b != 0)
    }
}

/// An argument of a kernel.
#[derive(Clone, PartialEq, Debug)]
pub enum Arg {
    /// `bool`.
    Bool(bool),
    /// `u8`.
    U8(u8),
    /// `i32`.
    I32(i32),
    /// `u32`.
    U32(u32),
    /// `i64`.
    I64(i64),
    /// `u64`.
    U64(u64),
    /// `f64`.
    F64(f64),
    /// A buffer.
    Buffer(BufferId),
    /// A record: its fields.
    Record(Vec<Arg>),
}

impl Arg {
    fn scalar(&self) -> Option<(Scalar, u64)> {
        Some(match *self {
            Arg::Bool(v) => (Scalar::Bool, u64::from(v)),
            Arg::U8(v) => (Scalar::U8, u64::from(v)),
            Arg::I32(v) => (Scalar::I32, u64::from(v.cast_unsigned())),
            Arg::U32(v) => (Scalar::U32, u64::from(v)),
            Arg::I64(v) => (Scalar::I64, v.cast_unsigned()),
            Arg::U64(v) => (Scalar::U64, v),
            Arg::F64(v) => (Scalar::F64, v.to_bits()),
            Arg::Buffer(_) | Arg::Record(_) => return None,
        })
    }
}

/// A wrong use of buffers by the host.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MemoryError {
    /// The memory limit, or the memory of the machine, does not allow it.
    OutOfMemory {
        /// Bytes asked for.
        bytes: u64,
        /// Bytes in use.
        in_use: u64,
        /// The limit.
        limit: u64,
    },
    /// The buffer has been freed, or belongs to another device.
    NoBuffer,
    /// The elements are of another type.
    WrongType,
    /// The range lies outside of the buffer.
    Range {
        /// First element.
        start: u64,
        /// Number of elements.
        count: u64,
        /// Elements of the buffer.
        length: u64,
    },
}

impl std::fmt::Display for MemoryError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::OutOfMemory { bytes, in_use, limit } => {
                write!(f, "{bytes} bytes do not fit: {in_use} of {limit} bytes are in use")
            }
            Self::NoBuffer => write!(f, "no such buffer"),
            Self::WrongType => write!(f, "the buffer holds elements of another type"),
            Self::Range { start, count, length } => {
                write!(f, "elements {start} to {start}+{count} of a buffer of {length}")
            }
        }
    }
}

impl std::error::Error for MemoryError {}

/// What a launch did.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct LaunchReport {
    /// What was counted.
    pub counters: Counters,
    /// Bytes of registers, local and shared arrays of the resident blocks.
    pub resident_bytes: u64,
}

/// Why a launch failed.
#[derive(Clone, PartialEq, Debug)]
pub enum LaunchError {
    /// It could not start: unknown kernel, wrong arguments, wrong shape of the grid.
    Arguments(String),
    /// The resident blocks do not fit the memory.
    Memory(MemoryError),
    /// The kernel did something wrong. Unless a report is fatal it ran to its end.
    Faults(Vec<Report>),
    /// It took too many thread steps.
    Steps {
        /// The limit.
        limit: u64,
        /// What was found until then.
        reports: Vec<Report>,
    },
    /// The run's control stopped it.
    Stopped {
        /// Why.
        reason: StopReason,
        /// What was found until then.
        reports: Vec<Report>,
    },
}

impl std::fmt::Display for LaunchError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let reports = match self {
            Self::Arguments(text) => return write!(f, "{text}"),
            Self::Memory(error) => return write!(f, "{error}"),
            Self::Faults(reports) => reports,
            Self::Steps { limit, reports } => {
                write!(f, "the limit of {limit} thread steps is reached")?;
                reports
            }
            Self::Stopped { reason, reports } => {
                write!(f, "stopped: {reason:?}")?;
                reports
            }
        };
        for report in reports {
            write!(f, "\n{report}")?;
        }
        Ok(())
    }
}

impl std::error::Error for LaunchError {}

/// A device that runs kernels on the CPU and watches them.
#[derive(Debug)]
pub struct Device {
    options: Options,
    buffers: Vec<Option<Memory>>,
    in_use: u64,
    time: u32,
    launches: u64,
}

impl Device {
    /// A device without buffers.
    pub fn new(options: Options) -> Self {
        Self { options, buffers: Vec::new(), in_use: 0, time: HOST_TIME, launches: 0 }
    }
    /// Its options.
    pub fn options(&self) -> Options {
        self.options
    }
    /// Bytes of all buffers.
    pub fn bytes_in_use(&self) -> u64 {
        self.in_use
    }

    // Buffers

    /// A buffer of `length` scalars.
    pub fn alloc<T: DeviceScalar>(&mut self, length: u64, init: Init) -> Result<BufferId, MemoryError> {
        self.alloc_layout(&Arc::new(Layout::scalar(T::SCALAR)), length, init)
    }
    /// A buffer of `length` elements of a layout.
    pub fn alloc_layout(
        &mut self,
        layout: &Arc<Layout>,
        length: u64,
        init: Init,
    ) -> Result<BufferId, MemoryError> {
        let bytes = length.saturating_mul(u64::from(layout.size));
        self.check_limit(bytes)?;
        let out_of_memory = || self.out_of_memory(bytes);
        let memory = Memory::new(layout.clone(), length, init == Init::Zero).ok_or_else(out_of_memory)?;
        let id = u32::try_from(self.buffers.len()).map_err(|_| self.out_of_memory(bytes))?;
        self.in_use += bytes;
        self.buffers.push(Some(memory));
        Ok(BufferId(id))
    }
    /// A buffer with these scalars.
    pub fn alloc_from<T: DeviceScalar>(&mut self, values: &[T]) -> Result<BufferId, MemoryError> {
        let id = self.alloc::<T>(values.len() as u64, Init::Unwritten)?;
        self.upload(id, 0, values)?;
        Ok(id)
    }
    fn check_limit(&self, bytes: u64) -> Result<(), MemoryError> {
        match self.in_use.checked_add(bytes) {
            Some(sum) if sum <= self.options.memory_limit => Ok(()),
            _ => Err(self.out_of_memory(bytes)),
        }
    }
    fn out_of_memory(&self, bytes: u64) -> MemoryError {
        MemoryError::OutOfMemory { bytes, in_use: self.in_use, limit: self.options.memory_limit }
    }
    /// Gives a buffer back.
    pub fn free(&mut self, id: BufferId) -> Result<(), MemoryError> {
        let memory = self.buffers.get_mut(id.0 as usize).and_then(Option::take);
        self.in_use -= memory.ok_or(MemoryError::NoBuffer)?.size();
        Ok(())
    }
    fn buffer(&self, id: BufferId) -> Result<&Memory, MemoryError> {
        self.buffers.get(id.0 as usize).and_then(Option::as_ref).ok_or(MemoryError::NoBuffer)
    }
    fn buffer_mut(&mut self, id: BufferId) -> Result<&mut Memory, MemoryError> {
        self.buffers.get_mut(id.0 as usize).and_then(Option::as_mut).ok_or(MemoryError::NoBuffer)
    }
    /// Number of elements of a buffer.
    pub fn length(&self, id: BufferId) -> Result<u64, MemoryError> {
        Ok(self.buffer(id)?.len)
    }
    /// Makes all elements zero, and written.
    pub fn clear(&mut self, id: BufferId) -> Result<(), MemoryError> {
        let memory = self.buffer_mut(id)?;
        memory.bytes_mut().fill(0);
        memory.set_written();
        Ok(())
    }
    /// Makes all elements unwritten: a read before the next write is reported.
    pub fn forget(&mut self, id: BufferId) -> Result<(), MemoryError> {
        self.buffer_mut(id)?.set_unwritten();
        Ok(())
    }
    /// Writes scalars from element `start` on.
    pub fn upload<T: DeviceScalar>(
        &mut self,
        id: BufferId,
        start: u64,
        values: &[T],
    ) -> Result<(), MemoryError> {
        check_type::<T>(self.buffer(id)?)?;
        let mut bytes = Vec::with_capacity(size_of_val(values));
        values.iter().for_each(|v| v.put(&mut bytes));
        self.upload_bytes(id, start, &bytes)
    }
    /// Reads `count` scalars from element `start` on. What is unwritten reads as some value.
    pub fn download<T: DeviceScalar>(
        &self,
        id: BufferId,
        start: u64,
        count: u64,
    ) -> Result<Vec<T>, MemoryError> {
        check_type::<T>(self.buffer(id)?)?;
        let bytes = self.download_bytes(id, start, count)?;
        Ok(bytes.chunks_exact(size_of::<T>()).map(T::take).collect())
    }
    /// Writes whole elements as bytes, as C lays them out, from element `start` on.
    pub fn upload_bytes(&mut self, id: BufferId, start: u64, bytes: &[u8]) -> Result<(), MemoryError> {
        let memory = self.buffer_mut(id)?;
        let size = u64::from(memory.layout.size);
        let count = bytes.len() as u64 / size;
        if !(bytes.len() as u64).is_multiple_of(size) {
            return Err(MemoryError::WrongType);
        }
        let range = element_range(memory, start, count)?;
        memory.bytes_mut()[range].copy_from_slice(bytes);
        memory.mark_written(start, count);
        Ok(())
    }
    /// The bytes of `count` elements from element `start` on.
    pub fn download_bytes(&self, id: BufferId, start: u64, count: u64) -> Result<&[u8], MemoryError> {
        let memory = self.buffer(id)?;
        Ok(&memory.bytes()[element_range(memory, start, count)?])
    }

    // Launches

    /// Runs a kernel with `grid` blocks of `block` threads. A cooperative launch has all its blocks resident at once.
    #[allow(clippy::too_many_arguments)] // As a launch has in CUDA.
    pub fn launch(
        &mut self,
        program: &Program,
        kernel: &str,
        grid: u32,
        block: u32,
        args: &[Arg],
        cooperative: bool,
        control: &mut SimControl<'_, '_>,
    ) -> Result<LaunchReport, LaunchError> {
        let Some(code) = program.kernel(kernel) else {
            return Err(LaunchError::Arguments(format!("there is no kernel `{kernel}`")));
        };
        check_shape(code, grid, block).map_err(LaunchError::Arguments)?;
        let (uniform, slots) = self.bind(code, grid, block, args).map_err(LaunchError::Arguments)?;
        let warps = block / WARP as u32;
        let count = if cooperative { grid } else { grid.min(self.options.resident_blocks.max(1)) };
        let (resident, resident_bytes) = self.residents(code, count, warps).map_err(LaunchError::Memory)?;
        self.start_launch();
        let order = Order::new(self.time, grid, warps, self.options.check_races);
        let reports = Reports::new(self.options.max_reports);
        let seed = match self.options.seed {
            0 => 0,
            seed => (seed ^ self.launches.wrapping_mul(0x9e37_79b9_7f4a_7c15)).max(1),
        };
        let mut launch =
            Launch::new(code, &uniform, &mut self.buffers, &slots, warps, seed, order, reports);
        let result = launch.run(grid, resident, control);
        let (counters, time, reports) = (launch.counters, launch.order.now(), launch.reports);
        self.time = time;
        match result {
            Err(Stop::Steps(limit)) => Err(LaunchError::Steps { limit, reports: reports.into_vec() }),
            Err(Stop::Control(reason)) => Err(LaunchError::Stopped { reason, reports: reports.into_vec() }),
            Err(Stop::Fatal) => Err(LaunchError::Faults(reports.into_vec())),
            Ok(()) if !reports.is_empty() => Err(LaunchError::Faults(reports.into_vec())),
            Ok(()) => Ok(LaunchReport { counters, resident_bytes }),
        }
    }

    fn residents(&self, code: &KernelCode, count: u32, warps: u32) -> Result<(Vec<Block>, u64), MemoryError> {
        let shared = code.shared.iter().map(|a| u64::from(a.length) * u64::from(a.layout.size)).sum::<u64>();
        let bytes = Warp::bytes(code).saturating_mul(u64::from(warps)).saturating_add(shared);
        let bytes = bytes.saturating_mul(u64::from(count));
        self.check_limit(bytes)?;
        let blocks = (0..count).map(|_| Block::new(code, warps)).collect::<Option<_>>();
        Ok((blocks.ok_or_else(|| self.out_of_memory(bytes))?, bytes))
    }

    fn start_launch(&mut self) {
        self.launches += 1;
        let renew = self.time >= OLD_TIME;
        if renew {
            self.time = HOST_TIME;
        }
        for memory in self.buffers.iter_mut().flatten() {
            memory.forget_launch();
            if renew {
                for cell in &mut memory.shadow {
                    *cell = [[cell[0][0].min(HOST_TIME), 0, 0], [0; 3], [0; 3]];
                }
            }
        }
    }

    /// The uniform registers, and the buffer of each slot.
    fn bind(
        &self,
        code: &KernelCode,
        grid: u32,
        block: u32,
        args: &[Arg],
    ) -> Result<(Vec<LaneValues>, Vec<usize>), String> {
        if args.len() != code.params.len() {
            let (name, wanted) = (&code.name, code.params.len());
            return Err(format!("kernel `{name}` has {wanted} parameters, {} are given", args.len()));
        }
        let mut uniform = vec![[0; WARP]; (FIRST_UNIFORM - UNIFORM) as usize];
        uniform[(BLOCK_SIZE - UNIFORM) as usize] = [u64::from(block); WARP];
        uniform[(BLOCK_SIZE - UNIFORM) as usize + 1] = [u64::from(grid); WARP];
        let mut slots = Vec::new();
        for ((name, shape), arg) in code.params.iter().zip(args) {
            self.bind_arg(name, shape, arg, &mut uniform, &mut slots)?;
        }
        uniform.extend(code.constants.iter().map(|&bits| [bits; WARP]));
        Ok((uniform, slots))
    }

    fn bind_arg(
        &self,
        name: &str,
        shape: &ParamShape,
        arg: &Arg,
        uniform: &mut Vec<LaneValues>,
        slots: &mut Vec<usize>,
    ) -> Result<(), String> {
        match (shape, arg) {
            (ParamShape::Buffer(layout), Arg::Buffer(id)) => {
                let memory = self.buffer(*id).map_err(|e| format!("parameter `{name}`: {e}"))?;
                if memory.layout != *layout {
                    return Err(format!("parameter `{name}`: the buffer holds elements of another type"));
                }
                slots.push(id.0 as usize);
                Ok(())
            }
            (ParamShape::Record(fields), Arg::Record(args)) if fields.len() == args.len() => fields
                .iter()
                .zip(args)
                .try_for_each(|(field, arg)| self.bind_arg(name, field, arg, uniform, slots)),
            (ParamShape::Scalar(scalar), arg) => match arg.scalar() {
                Some((ty, bits)) if ty == *scalar => {
                    uniform.push([bits; WARP]);
                    Ok(())
                }
                _ => Err(format!("parameter `{name}` is of type {}", scalar.name())),
            },
            _ => Err(format!("parameter `{name}` has another shape than its argument")),
        }
    }
}

fn check_type<T: DeviceScalar>(memory: &Memory) -> Result<(), MemoryError> {
    match memory.layout.fields.as_slice() {
        [(_, scalar)] if *scalar == T::SCALAR => Ok(()),
        _ => Err(MemoryError::WrongType),
    }
}

fn element_range(memory: &Memory, start: u64, count: u64) -> Result<std::ops::Range<usize>, MemoryError> {
    match start.checked_add(count) {
        Some(end) if end <= memory.len => {
            let size = memory.layout.size as usize;
            Ok(start as usize * size..end as usize * size)
        }
        _ => Err(MemoryError::Range { start, count, length: memory.len }),
    }
}

fn check_shape(code: &KernelCode, grid: u32, block: u32) -> Result<(), String> {
    let max = code.max_threads.min(MAX_BLOCK);
    if block == 0 || !block.is_multiple_of(WARP as u32) || block > max {
        return Err(format!("kernel `{}`: blocks have 32, 64, .. {max} threads, not {block}", code.name));
    }
    // Shadow memory names threads with 30 bits.
    if grid == 0 || u64::from(grid) * u64::from(block) > 1 << 30 {
        return Err(format!("kernel `{}`: a grid of {grid} blocks cannot be launched", code.name));
    }
    Ok(())
}
