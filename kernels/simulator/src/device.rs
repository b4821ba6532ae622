//! The simulated device: buffers, and launches of kernels on them.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytemuck::{AnyBitPattern, NoUninit};
use gchr_base::error::StopReason;
use gchr_base::ids::Id;
use gchr_base::memory;

use super::code::{FIRST_UNIFORM, KernelCode, LaneValues, ParamShape, UNIFORM, WARP};
use super::exec::Counters;
use super::layout::Layout;
use super::lower::Program;
use super::memory::Memory;
use super::order::{HOST_TIME, HappensBefore};
use super::report::{Report, Reports};
use super::schedule::{EarlyEnd, Launch, SimControl};
use super::warp::{Block, Warp};
use gchr_kernel::device::{Arg, BufferId, Value};
use gchr_kernel::ir::Scalar;

/// Largest number of threads a block may have.
pub(super) const MAX_BLOCK: u32 = 1024;
/// Time after which shadow memory is renewed between launches.
const OLD_TIME: u32 = 1 << 31;

/// Options of a simulated device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SimulatorOptions {
    /// Chooses among legal schedules; 0 is the plainest one. The same calls with the same seed do the same.
    pub seed: u64,
    /// Bytes that buffers, with their shadow memory, and the registers and arrays of resident blocks may take.
    pub memory_limit: u64,
    /// Blocks that run at once in a launch that is not cooperative.
    pub resident_blocks: u32,
    /// Reports that a launch keeps.
    pub max_reports: usize,
    /// Whether races are looked for.
    pub check_races: bool,
}

impl Default for SimulatorOptions {
    fn default() -> Self {
        Self { seed: 0, memory_limit: 10 << 30, resident_blocks: 8, max_reports: 32, check_races: true }
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
        /// The limit: the device's, or what the process may have.
        limit: u64,
    },
    /// The buffer has been freed, or belongs to another device.
    NoBuffer(BufferId),
    /// The range lies outside of the buffer.
    Range {
        /// The buffer.
        buffer: BufferId,
        /// First byte.
        offset: u64,
        /// Number of bytes.
        bytes: u64,
        /// Bytes of the buffer.
        size: u64,
    },
}

impl std::fmt::Display for MemoryError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::OutOfMemory { bytes, in_use, limit } => {
                write!(f, "{bytes} bytes do not fit: {in_use} of {limit} bytes are in use")
            }
            Self::NoBuffer(id) => write!(f, "{id} is not in use"),
            Self::Range { buffer, offset, bytes, size } => {
                write!(f, "{bytes} bytes at {offset} of {buffer}, which has {size}")
            }
        }
    }
}

impl std::error::Error for MemoryError {}

/// The result of a launch.
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
    /// The resident blocks do not fit the memory, or a buffer does not exist.
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
            Self::Faults(reports) => {
                write!(f, "the kernel failed")?;
                reports
            }
            Self::Steps { limit, reports } => {
                write!(f, "the limit of {limit} thread steps is reached")?;
                reports
            }
            Self::Stopped { reason, reports } => {
                write!(f, "stopped: {reason:?}")?;
                reports
            }
        };
        reports.iter().try_for_each(|report| write!(f, "\n{report}"))
    }
}

impl std::error::Error for LaunchError {}

impl From<MemoryError> for LaunchError {
    fn from(error: MemoryError) -> Self {
        Self::Memory(error)
    }
}

/// The shape of a launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Number of blocks.
    pub grid: u32,
    /// Threads per block, a multiple of 32.
    pub block: u32,
    /// Whether all blocks are resident at once, so that they may wait for each other.
    pub cooperative: bool,
}

impl Shape {
    /// A launch whose blocks do not wait for each other.
    pub const fn new(grid: u32, block: u32) -> Self {
        Self { grid, block, cooperative: false }
    }
    /// A launch with all blocks resident at once.
    pub fn cooperative(grid: u32, block: u32) -> Self {
        Self { grid, block, cooperative: true }
    }
}

/// A device that runs kernels on the CPU and watches them.
#[derive(Debug)]
pub struct Simulator {
    options: SimulatorOptions,
    buffers: Vec<Option<Memory>>,
    in_use: u64,
    time: u32,
    launches: u64,
    /// What `tally` statements counted, by number.
    tallies: Vec<u64>,
}

impl Simulator {
    /// A device without buffers.
    pub fn new(options: SimulatorOptions) -> Self {
        Self { options, buffers: Vec::new(), in_use: 0, time: HOST_TIME, launches: 0, tallies: Vec::new() }
    }
    /// The same buffers under other options.
    pub(super) fn with_options(self, options: SimulatorOptions) -> Self {
        Self { options, ..self }
    }
    /// What the `tally` statements of all launches counted, by number.
    pub fn tallies(&self) -> &[u64] {
        &self.tallies
    }
    /// Its options.
    pub fn options(&self) -> SimulatorOptions {
        self.options
    }
    /// Bytes of all buffers and their shadow memory.
    pub fn bytes_in_use(&self) -> u64 {
        self.in_use
    }

    // Buffers

    /// A buffer of so many bytes. Until they are written, reading them in a kernel is reported.
    pub fn alloc(&mut self, bytes: u64) -> Result<BufferId, MemoryError> {
        self.check_limit(Memory::cost(bytes)).map_err(|_| self.out_of_memory(bytes))?;
        let memory = Memory::new(bytes).ok_or_else(|| self.out_of_memory(bytes))?;
        if self.buffers.len() >= u32::MAX as usize {
            return Err(self.out_of_memory(bytes));
        }
        self.in_use += Memory::cost(bytes);
        self.buffers.push(Some(memory));
        Ok(BufferId::from_index(self.buffers.len() - 1))
    }
    /// A buffer that holds these values.
    pub fn alloc_from<T: NoUninit>(&mut self, values: &[T]) -> Result<BufferId, MemoryError> {
        let bytes = bytemuck::cast_slice(values);
        let id = self.alloc(bytes.len() as u64)?;
        self.upload(id, 0, bytes)?;
        Ok(id)
    }
    /// A buffer of zeros, for `count` values of a type.
    pub fn alloc_zeroed<T>(&mut self, count: u64) -> Result<BufferId, MemoryError> {
        let bytes = count.saturating_mul(size_of::<T>() as u64);
        let id = self.alloc(bytes)?;
        self.fill(id, 0, bytes, 0)?;
        Ok(id)
    }
    /// Gives a buffer back.
    pub fn free(&mut self, id: BufferId) -> Result<(), MemoryError> {
        let memory = self.buffers.get_mut(id.index()).and_then(Option::take);
        let memory = memory.ok_or(MemoryError::NoBuffer(id))?;
        self.in_use -= Memory::cost(memory.size()) + memory.shadow_bytes();
        Ok(())
    }
    /// Bytes of a buffer.
    pub fn size(&self, id: BufferId) -> Result<u64, MemoryError> {
        Ok(self.buffer(id)?.size())
    }
    /// Writes bytes.
    pub fn upload(&mut self, id: BufferId, offset: u64, data: &[u8]) -> Result<(), MemoryError> {
        let range = self.range(id, offset, data.len() as u64)?;
        self.buffer_mut(id)?.write(range).copy_from_slice(data);
        Ok(())
    }
    /// Sets bytes.
    pub fn fill(&mut self, id: BufferId, offset: u64, bytes: u64, value: u8) -> Result<(), MemoryError> {
        let range = self.range(id, offset, bytes)?;
        self.buffer_mut(id)?.write(range).fill(value);
        Ok(())
    }
    /// Counts all of a buffer as written.
    pub fn accept_unwritten(&mut self, id: BufferId) -> Result<(), MemoryError> {
        self.buffer_mut(id)?.vouch();
        Ok(())
    }
    /// Bytes of a buffer. What is unwritten has some value.
    pub fn bytes(&self, id: BufferId, offset: u64, bytes: u64) -> Result<&[u8], MemoryError> {
        let range = self.range(id, offset, bytes)?;
        Ok(&self.buffer(id)?.bytes()[range])
    }
    /// The first `count` values of a buffer.
    pub fn download<T: AnyBitPattern + NoUninit>(
        &self,
        id: BufferId,
        count: usize,
    ) -> Result<Vec<T>, MemoryError> {
        let bytes = self.bytes(id, 0, (count as u64).saturating_mul(size_of::<T>() as u64))?;
        let mut values = vec![T::zeroed(); count];
        bytemuck::cast_slice_mut(&mut values).copy_from_slice(bytes);
        Ok(values)
    }
    /// Copies the first bytes of a buffer to another one, written or not.
    pub fn copy(&mut self, from: BufferId, to: BufferId, bytes: u64) -> Result<(), MemoryError> {
        let range = self.range(from, 0, bytes)?;
        self.range(to, 0, bytes)?;
        if from == to {
            return Ok(());
        }
        let Some(source) = self.buffers[from.index()].take() else {
            return Err(MemoryError::NoBuffer(from));
        };
        let result = self.buffer_mut(to).map(|target| target.copy_from(&source, range.len()));
        self.buffers[from.index()] = Some(source);
        result
    }
    /// Makes all of a buffer unwritten again.
    pub fn forget(&mut self, id: BufferId) -> Result<(), MemoryError> {
        self.buffer_mut(id)?.forget();
        Ok(())
    }

    fn check_limit(&self, bytes: u64) -> Result<(), MemoryError> {
        match self.in_use.checked_add(bytes) {
            Some(sum) if sum <= self.options.memory_limit && memory::ask(bytes).is_ok() => Ok(()),
            _ => Err(self.out_of_memory(bytes)),
        }
    }
    /// What is in use may be less than the limit: the memory of the process may be used up before.
    fn out_of_memory(&self, bytes: u64) -> MemoryError {
        let most = self.in_use.saturating_add(memory::left());
        MemoryError::OutOfMemory { bytes, in_use: self.in_use, limit: self.options.memory_limit.min(most) }
    }
    fn buffer(&self, id: BufferId) -> Result<&Memory, MemoryError> {
        self.buffers.get(id.index()).and_then(Option::as_ref).ok_or(MemoryError::NoBuffer(id))
    }
    fn buffer_mut(&mut self, id: BufferId) -> Result<&mut Memory, MemoryError> {
        self.buffers.get_mut(id.index()).and_then(Option::as_mut).ok_or(MemoryError::NoBuffer(id))
    }
    fn range(&self, id: BufferId, offset: u64, bytes: u64) -> Result<std::ops::Range<usize>, MemoryError> {
        let size = self.buffer(id)?.size();
        match offset.checked_add(bytes) {
            Some(end) if end <= size => Ok(offset as usize..end as usize),
            _ => Err(MemoryError::Range { buffer: id, offset, bytes, size }),
        }
    }

    // Launches

    /// Runs a kernel.
    pub fn launch(
        &mut self,
        program: &Program,
        kernel: &str,
        shape: Shape,
        args: &[Arg<'_>],
        control: &mut SimControl<'_, '_>,
    ) -> Result<LaunchReport, LaunchError> {
        let Some(code) = program.kernel(kernel) else {
            return Err(LaunchError::Arguments(format!("there is no kernel `{kernel}`")));
        };
        check_shape(code, shape).map_err(LaunchError::Arguments)?;
        let (uniform, slots) = bind(code, shape, args).map_err(LaunchError::Arguments)?;
        self.prepare(code, &slots)?;
        let slots: Vec<usize> = slots.iter().map(|id| id.index()).collect();
        let warps = shape.block / WARP as u32;
        let limit = if shape.cooperative { shape.grid } else { self.options.resident_blocks.max(1) };
        let (resident, resident_bytes) = self.residents(code, shape.grid.min(limit), warps)?;
        self.launches += 1;
        let seed = match self.options.seed {
            0 => 0,
            seed => (seed ^ self.launches.wrapping_mul(0x9e37_79b9_7f4a_7c15)).max(1),
        };
        let order = HappensBefore::new(self.time, shape.grid, warps, self.options.check_races);
        let reports = Reports::new(self.options.max_reports);
        let mut launch = Launch::new(code, &uniform, &mut self.buffers, &slots, seed, order, reports);
        let result = launch.run(shape.grid, resident, control);
        let (counters, time, reports) = (launch.counters, launch.order.now(), launch.reports);
        let tallies = launch.tallies;
        self.time = time;
        self.tallies.resize(self.tallies.len().max(tallies.len()), 0);
        self.tallies.iter_mut().zip(&tallies).for_each(|(sum, more)| *sum += more);
        match result {
            Err(EarlyEnd::Steps(limit)) => Err(LaunchError::Steps { limit, reports: reports.into_vec() }),
            Err(EarlyEnd::Control(reason)) => {
                Err(LaunchError::Stopped { reason, reports: reports.into_vec() })
            }
            Ok(()) if reports.is_empty() => Ok(LaunchReport { counters, resident_bytes }),
            Ok(()) | Err(EarlyEnd::Fatal) => Err(LaunchError::Faults(reports.into_vec())),
        }
    }

    /// Gives each buffer of a launch the layout that the kernel wants.
    fn prepare(&mut self, code: &KernelCode, slots: &[BufferId]) -> Result<(), LaunchError> {
        let renew = self.time >= OLD_TIME;
        if renew {
            self.time = HOST_TIME;
            for memory in self.buffers.iter_mut().flatten() {
                self.in_use -= memory.shadow_bytes();
                memory.shadow = Vec::new();
            }
        }
        let mut layouts: BTreeMap<u32, &Arc<Layout>> = BTreeMap::new();
        for ((name, layout), &id) in code.buffers.iter().zip(slots) {
            if !layouts.entry(id.0).or_insert(layout).overlays(layout) {
                let text = format!("parameter `{name}`: {id} is also passed with elements of another type");
                return Err(LaunchError::Arguments(text));
            }
        }
        for (&id, &layout) in &layouts {
            let id = BufferId(id);
            let (before, after) =
                (self.buffer(id)?.shadow_bytes(), self.buffer(id)?.shadow_bytes_for(layout));
            self.check_limit(after.saturating_sub(before))?;
            let out_of_memory = self.out_of_memory(after);
            self.buffer_mut(id)?.start_launch(layout, renew).ok_or(out_of_memory)?;
            self.in_use = self.in_use - before + self.buffer(id)?.shadow_bytes();
        }
        Ok(())
    }

    fn residents(&self, code: &KernelCode, count: u32, warps: u32) -> Result<(Vec<Block>, u64), MemoryError> {
        let shared = code.shared.iter().map(|a| u64::from(a.length) * u64::from(a.layout.size)).sum::<u64>();
        let bytes = Warp::bytes(code).saturating_mul(u64::from(warps)).saturating_add(shared);
        let bytes = bytes.saturating_mul(u64::from(count));
        self.check_limit(bytes)?;
        let blocks = (0..count).map(|_| Block::new(code, warps)).collect::<Option<_>>();
        Ok((blocks.ok_or_else(|| self.out_of_memory(bytes))?, bytes))
    }
}

/// The uniform registers, and the buffer of each slot.
fn bind(
    code: &KernelCode,
    shape: Shape,
    args: &[Arg<'_>],
) -> Result<(Vec<LaneValues>, Vec<BufferId>), String> {
    if args.len() != code.params.len() {
        let (name, wanted) = (&code.name, code.params.len());
        return Err(format!("kernel `{name}` has {wanted} parameters, {} are given", args.len()));
    }
    let mut uniform = vec![[u64::from(shape.block); WARP], [u64::from(shape.grid); WARP]];
    debug_assert_eq!(uniform.len(), (FIRST_UNIFORM - UNIFORM) as usize);
    let mut slots = Vec::new();
    for ((name, shape), arg) in code.params.iter().zip(args) {
        match (shape, arg) {
            (ParamShape::Record(fields), Arg::Record(values)) if fields.len() == values.len() => {
                for (field, value) in fields.iter().zip(*values) {
                    bind_value(name, field, value, &mut uniform, &mut slots)?;
                }
            }
            (shape, Arg::Value(value)) => bind_value(name, shape, value, &mut uniform, &mut slots)?,
            _ => return Err(format!("parameter `{name}` has another shape than its argument")),
        }
    }
    uniform.extend(code.constants.iter().map(|&bits| [bits; WARP]));
    Ok((uniform, slots))
}

fn bind_value(
    name: &str,
    shape: &ParamShape,
    value: &Value,
    uniform: &mut Vec<LaneValues>,
    slots: &mut Vec<BufferId>,
) -> Result<(), String> {
    match (shape, value) {
        (ParamShape::Buffer(_), Value::Buffer(id)) => slots.push(*id),
        (ParamShape::Scalar(scalar), value) => match scalar_bits(value) {
            Some((ty, bits)) if ty == *scalar => uniform.push([bits; WARP]),
            _ => return Err(format!("parameter `{name}` takes a value of type {}", scalar.name())),
        },
        _ => return Err(format!("parameter `{name}` has another shape than its argument")),
    }
    Ok(())
}

fn scalar_bits(value: &Value) -> Option<(Scalar, u64)> {
    Some(match *value {
        Value::Bool(v) => (Scalar::Bool, u64::from(v)),
        Value::U8(v) => (Scalar::U8, u64::from(v)),
        Value::I32(v) => (Scalar::I32, u64::from(v.cast_unsigned())),
        Value::U32(v) => (Scalar::U32, u64::from(v)),
        Value::I64(v) => (Scalar::I64, v.cast_unsigned()),
        Value::U64(v) => (Scalar::U64, v),
        Value::F64(v) => (Scalar::F64, v.to_bits()),
        Value::Buffer(_) => return None,
    })
}

fn check_shape(code: &KernelCode, Shape { grid, block, .. }: Shape) -> Result<(), String> {
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
