//! One GPU at work: a context, a stream, the kernels of a program, and buffers.

use std::time::{Duration, Instant};

use cudarc::driver::result;
use cudarc::driver::sys::CUresult;
use gchr_base::diagnostic::Diagnostic;

use super::args::Packed;
use super::counters::Counters;
use super::devices::{DeviceInfo, describe};
use super::error::{DriverError, call};
use super::handles::{DeviceMemory, DriverContext, Event, LoadedModule, Outbox, PinnedWord, Stream};
use super::heap::{Block, Heap};
use super::kernel::Kernel;
use super::link;
use super::staging::StagingToCome;
use crate::image::Image;
use crate::resources::KernelResources;
use gchr_kernel::device::{
    BufferId, Counts, Device, DeviceError, DeviceLimits, KernelId, Launch, Result, TimerId,
};

/// A GPU with a context of this process. Everything on it is released when it is dropped.
///
/// All work goes through one stream, in order. Only [`Device::post`] bypasses it.
pub struct Gpu {
    info: DeviceInfo,
    limits: DeviceLimits,
    memory_limit: Option<u64>,
    /// The error after which nothing works any more.
    lost: Option<DeviceError>,
    /// Kernels launched since the stream was last waited for, without repetitions.
    under_way: Vec<KernelId>,
    buffers: Vec<Option<Buffer>>,
    packed: Packed,
    timers: Vec<(TimerId, Event)>,
    next_timer: u32,
    kernels: Vec<Kernel>,
    // Released in this order. The streams wait for the work that uses the rest.
    stream: Stream,
    mail: Option<(Stream, PinnedWord)>,
    outbox: Option<Outbox>,
    staging: StagingToCome,
    /// How long copies between host and device took that were waited for.
    transferred: Duration,
    counters: Option<Counters>,
    spare_events: Vec<Event>,
    heap: Heap<DeviceMemory>,
    modules: Vec<LoadedModule>,
    /// Kernels that are compiled when one of them is looked up.
    late: Vec<Box<dyn LateKernels>>,
    context: DriverContext,
}

/// Kernels that are compiled when they are needed.
pub trait LateKernels: Send {
    /// Their names.
    fn names(&self) -> &[String];
    /// Their image, if they were compiled before.
    fn find(&self) -> Option<Image>;
    /// Compiles them: an image, or objects that are to be linked.
    fn compile(&self) -> std::result::Result<Vec<Image>, Vec<Diagnostic>>;
}

// SAFETY: the driver's objects may be used by any thread that has made the context current, and every call does that
// first.
unsafe impl Send for Gpu {}

struct Buffer {
    block: Block,
    bytes: u64,
}

impl Gpu {
    /// Takes the GPU of this number.
    pub fn open(ordinal: u32) -> std::result::Result<Gpu, DriverError> {
        let info = describe(ordinal)?;
        let staging = StagingToCome::begin();
        let context = DriverContext::open(ordinal)?;
        context.bind()?;
        Ok(Gpu {
            limits: limits(&info),
            info,
            memory_limit: None,
            lost: None,
            under_way: Vec::new(),
            buffers: Vec::new(),
            packed: Packed::default(),
            timers: Vec::new(),
            next_timer: 0,
            kernels: Vec::new(),
            stream: Stream::new()?,
            mail: None,
            outbox: None,
            staging,
            transferred: Duration::ZERO,
            counters: None,
            spare_events: Vec::new(),
            heap: Heap::new(),
            modules: Vec::new(),
            late: Vec::new(),
            context,
        })
    }

    /// What the driver says about it.
    pub fn info(&self) -> &DeviceInfo {
        &self.info
    }

    /// How long copies between host and device have taken so far, without those that nobody waited for.
    pub fn transferred(&self) -> Duration {
        self.transferred
    }

    /// Sets how many bytes of device memory the run may take; `None` for all that there are.
    pub fn set_memory_limit(&mut self, bytes: Option<u64>) {
        self.memory_limit = bytes;
    }

    /// Loads compiled kernels. Kernels of images loaded earlier stay; a name that occurs twice means the earlier one.
    pub fn load(&mut self, image: &Image) -> Result<()> {
        self.enter()?;
        let module = LoadedModule::load(image);
        let module = self.check(module)?;
        let found = Counters::of(&module);
        if let Some(counters) = self.check(found)? {
            self.counters = Some(counters);
        }
        self.modules.push(module);
        Ok(())
    }

    /// Links objects, machine code for this GPU, to one image.
    pub fn link(&mut self, objects: &[Image]) -> Result<Image> {
        self.enter()?;
        let linked = link::link(objects);
        self.check(linked)
    }

    /// Has kernels compiled and loaded when one of them is looked up that no image has.
    pub fn load_when_asked(&mut self, kernels: Box<dyn LateKernels>) {
        self.late.push(kernels);
    }

    /// Where the kernels of this name are among those that come late.
    fn late(&self, name: &str) -> Option<usize> {
        self.late.iter().position(|kernels| kernels.names().iter().any(|k| k == name))
    }

    /// Loads the kernels that come late and have this name; whether there are some.
    fn load_late(&mut self, name: &str) -> Result<bool> {
        let Some(at) = self.late(name) else { return Ok(false) };
        let kernels = self.late.swap_remove(at);
        if let Some(image) = kernels.find() {
            self.load(&image)?;
            return Ok(true);
        }
        let images = kernels.compile().map_err(DeviceError::Findings)?;
        match images.as_slice() {
            [image] => self.load(image)?,
            objects => self.link(objects).and_then(|image| self.load(&image))?,
        }
        Ok(true)
    }

    /// The resources that a kernel needs, as reported by the driver (which does not report spills).
    pub fn kernel_resources(&mut self, kernel: KernelId) -> Result<&KernelResources> {
        self.enter()?;
        Ok(&self.find_kernel(kernel)?.resources)
    }

    /// Whether the device can do no more work, because a kernel failed.
    pub fn is_lost(&self) -> bool {
        self.lost.is_some()
    }

    /// Makes the context current; fails when the device is lost.
    fn enter(&mut self) -> Result<()> {
        if let Some(lost) = &self.lost {
            return Err(lost.clone());
        }
        let bound = self.context.bind();
        self.check(bound)
    }

    /// Turns an error of the driver into one of the device, and remembers it when it is the last.
    fn check<T>(&mut self, result: std::result::Result<T, DriverError>) -> Result<T> {
        result.map_err(|error| {
            let error = error
                .during(|| self.under_way.iter().map(|k| self.kernels[k.0 as usize].name().into()).collect());
            if error.is_fatal() {
                self.lost = Some(error.clone());
            }
            error
        })
    }

    fn find_kernel(&self, kernel: KernelId) -> Result<&Kernel> {
        self.kernels.get(kernel.0 as usize).ok_or_else(|| DeviceError::Stale { id: kernel.to_string() })
    }

    /// Address of a range of a buffer.
    fn range(&self, buffer: BufferId, offset: u64, bytes: u64) -> Result<u64> {
        let stale = || DeviceError::Stale { id: buffer.to_string() };
        let known = self.buffers.get(buffer.0 as usize).and_then(Option::as_ref).ok_or_else(stale)?;
        if offset.checked_add(bytes).is_none_or(|end| end > known.bytes) {
            return Err(DeviceError::Range { buffer, offset, bytes, size: known.bytes });
        }
        let (memory, start) = self.heap.place(known.block).ok_or_else(stale)?;
        Ok(memory.address() + start + offset)
    }

    /// Bytes that can still be allocated from the driver.
    fn available(&mut self) -> Result<u64> {
        let free = self.context.free_memory();
        let free = self.check(free)?;
        let allowed = self.memory_limit.map(|limit| limit.saturating_sub(self.heap.bytes()));
        Ok(allowed.map_or(free, |allowed| allowed.min(free)))
    }

    /// Takes a new allocation that a buffer of so many bytes fits in.
    fn grow(&mut self, bytes: u64) -> Result<()> {
        let Some((wanted, least)) = Heap::<DeviceMemory>::chunk_sizes(bytes) else {
            return Err(self.out_of_memory(bytes));
        };
        if self.try_grow(wanted)? {
            return Ok(());
        }
        // What is free, but in pieces that are too small, may be free in one piece once it is given back.
        self.give_back()?;
        if self.try_grow(wanted)? || (least < wanted && self.try_grow(least)?) {
            return Ok(());
        }
        Err(self.out_of_memory(bytes))
    }

    /// Whether there was enough memory.
    fn try_grow(&mut self, bytes: u64) -> Result<bool> {
        let within = self.memory_limit.is_none_or(|limit| self.heap.bytes().saturating_add(bytes) <= limit);
        let Some(size) = usize::try_from(bytes).ok().filter(|_| within) else { return Ok(false) };
        match DeviceMemory::new(size) {
            Ok(memory) => {
                self.heap.add(memory, bytes);
                Ok(true)
            }
            Err(e) if e.is(CUresult::CUDA_ERROR_OUT_OF_MEMORY) => Ok(false),
            Err(e) => self.check(Err(e)),
        }
    }

    /// Gives empty allocations back to the driver.
    fn give_back(&mut self) -> Result<()> {
        let empty = self.heap.take_empty();
        if empty.is_empty() { Ok(()) } else { self.synchronize() }
    }

    fn out_of_memory(&mut self, requested: u64) -> DeviceError {
        let used = self.heap.bytes() - self.heap.free_bytes();
        let free = self.available().unwrap_or(0) + self.heap.free_bytes();
        let total =
            self.memory_limit.map_or(self.info.memory_total, |limit| limit.min(self.info.memory_total));
        DeviceError::OutOfMemory { requested, used, free, total }
    }

    /// Checks a launch against the limits of device and kernel, which the driver would only name as "invalid value".
    fn check_launch(&self, launch: &Launch<'_>, kernel: &Kernel) -> std::result::Result<(), String> {
        let &Launch { grid, block, .. } = launch;
        if block == 0 || block > kernel.block_threads {
            return Err(format!("{block} threads a block; it takes 1 to {}", kernel.block_threads));
        }
        if grid > i32::MAX.cast_unsigned() {
            return Err(format!("{grid} blocks; at most {} are possible", i32::MAX));
        }
        if launch.cooperative && !self.info.cooperative_launch {
            return Err("the GPU has no cooperative launch".to_string());
        }
        Ok(())
    }

    fn refused(&self, kernel: KernelId, reason: String) -> DeviceError {
        let kernel = self.find_kernel(kernel).map_or_else(|_| kernel.to_string(), |k| k.name().to_string());
        DeviceError::Launch { kernel, reason }
    }

    fn event(&mut self) -> Result<Event> {
        match self.spare_events.pop() {
            Some(event) => Ok(event),
            None => {
                let event = Event::new();
                self.check(event)
            }
        }
    }

    fn record(&mut self) -> Result<Event> {
        let event = self.event()?;
        let recorded = event.record(&self.stream);
        self.check(recorded)?;
        Ok(event)
    }
}

impl Device for Gpu {
    fn limits(&self) -> &DeviceLimits {
        &self.limits
    }

    fn free_bytes(&mut self) -> Result<u64> {
        self.enter()?;
        Ok(self.available()? + self.heap.free_bytes())
    }

    fn kernel(&mut self, name: &str) -> Result<KernelId> {
        self.enter()?;
        if let Some(index) = self.kernels.iter().position(|k| k.name() == name) {
            return Ok(KernelId(index as u32));
        }
        for index in 0..self.modules.len() {
            let found = self.modules[index].function(name);
            let Some(raw) = self.check(found)? else { continue };
            // SAFETY: modules stay loaded until the device is dropped.
            let kernel = unsafe { Kernel::new(raw, name) };
            let kernel = self.check(kernel)?;
            self.kernels.push(kernel);
            return Ok(KernelId(self.kernels.len() as u32 - 1));
        }
        if self.load_late(name)? {
            return self.kernel(name);
        }
        let names: std::result::Result<Vec<_>, _> =
            self.modules.iter().map(LoadedModule::function_names).collect();
        let known = self.check(names)?.concat();
        Err(DeviceError::UnknownKernel { name: name.to_string(), known })
    }

    fn is_at_hand(&mut self, name: &str) -> Result<bool> {
        Ok(self.late(name).is_none_or(|at| self.late[at].find().is_some()))
    }

    fn resident_blocks(&mut self, kernel: KernelId, block: u32) -> Result<u32> {
        self.enter()?;
        let blocks = self.find_kernel(kernel)?.blocks_per_multiprocessor(block);
        Ok(self.check(blocks)?.saturating_mul(self.info.multiprocessors))
    }

    fn alloc(&mut self, bytes: u64) -> Result<BufferId> {
        self.enter()?;
        let block = match self.heap.take(bytes) {
            Some(block) => block,
            None => {
                self.grow(bytes)?;
                self.heap.take(bytes).ok_or_else(|| self.out_of_memory(bytes))?
            }
        };
        self.buffers.push(Some(Buffer { block, bytes }));
        Ok(BufferId(self.buffers.len() as u32 - 1))
    }

    fn free(&mut self, buffer: BufferId) -> Result<()> {
        self.enter()?;
        let known = self.buffers.get_mut(buffer.0 as usize).and_then(Option::take);
        let known = known.ok_or_else(|| DeviceError::Stale { id: buffer.to_string() })?;
        // Later work on a block comes after earlier work on it. An allocation must not go before that work is done.
        match self.heap.release(known.block) {
            Some(_memory) => self.synchronize(),
            None => Ok(()),
        }
    }

    fn upload(&mut self, buffer: BufferId, offset: u64, data: &[u8]) -> Result<()> {
        self.enter()?;
        let to = self.range(buffer, offset, data.len() as u64)?;
        if data.is_empty() {
            return Ok(());
        }
        if data.len() <= Outbox::MOST {
            let sent = self.send(to, data);
            return self.check(sent);
        }
        self.transfer(|gpu| match gpu.staging.for_copy(data.len())? {
            // SAFETY: the range lies inside a buffer.
            Some(staging) => unsafe { staging.upload(to, data, &gpu.context) },
            None => {
                // SAFETY: the range lies inside a buffer, and `data` lives until the copy is done, which is waited for.
                let copied = unsafe { result::memcpy_htod_async(to, data, gpu.stream.raw()) };
                call("cuMemcpyHtoDAsync", copied)?;
                gpu.stream.synchronize()
            }
        })
    }

    fn download(&mut self, buffer: BufferId, offset: u64, into: &mut [u8]) -> Result<()> {
        self.enter()?;
        let from = self.range(buffer, offset, into.len() as u64)?;
        if into.is_empty() {
            return self.synchronize();
        }
        self.transfer(|gpu| match gpu.staging.for_copy(into.len())? {
            // SAFETY: the range lies inside a buffer.
            Some(staging) => unsafe { staging.download(from, into, &gpu.context) },
            None => {
                // SAFETY: the range lies inside a buffer, and `into` lives until the copy is done, which is waited for.
                let copied = unsafe { result::memcpy_dtoh_async(into, from, gpu.stream.raw()) };
                call("cuMemcpyDtoHAsync", copied)?;
                gpu.stream.synchronize()
            }
        })
    }

    fn fill(&mut self, buffer: BufferId, offset: u64, bytes: u64, value: u8) -> Result<()> {
        self.enter()?;
        let to = self.range(buffer, offset, bytes)?;
        if bytes == 0 {
            return Ok(());
        }
        // SAFETY: the range lies inside a buffer.
        let filled = unsafe { result::memset_d8_async(to, value, bytes as usize, self.stream.raw()) };
        self.check(call("cuMemsetD8Async", filled))
    }

    fn copy(&mut self, from: BufferId, to: BufferId, bytes: u64) -> Result<()> {
        self.enter()?;
        let (source, target) = (self.range(from, 0, bytes)?, self.range(to, 0, bytes)?);
        if bytes == 0 || from == to {
            return Ok(());
        }
        // SAFETY: both ranges lie inside buffers, which do not overlap.
        let copied = unsafe { result::memcpy_dtod_async(target, source, bytes as usize, self.stream.raw()) };
        self.check(call("cuMemcpyDtoDAsync", copied))
    }

    fn launch(&mut self, launch: &Launch<'_>) -> Result<()> {
        self.enter()?;
        let mut packed = std::mem::take(&mut self.packed);
        let launched = self.launch_packed(launch, &mut packed);
        self.packed = packed;
        launched
    }

    fn synchronize(&mut self) -> Result<()> {
        self.enter()?;
        let done = self.stream.synchronize();
        self.check(done)?;
        self.under_way.clear();
        Ok(())
    }

    fn is_idle(&mut self) -> Result<bool> {
        self.enter()?;
        let idle = self.stream.is_idle();
        self.check(idle)
    }

    fn post(&mut self, buffer: BufferId, offset: u64, value: u32) -> Result<()> {
        self.enter()?;
        let to = self.range(buffer, offset, size_of::<u32>() as u64)?;
        // The word bypasses the stream: earlier uploads must not overtake it.
        let uploaded = self.outbox.as_ref().map_or(Ok(()), Outbox::wait);
        self.check(uploaded)?;
        if self.mail.is_none() {
            let made = Stream::new().and_then(|stream| Ok((stream, PinnedWord::new()?)));
            self.mail = Some(self.check(made)?);
        }
        let sent = self.mail.as_mut().map_or(Ok(()), |(stream, word)| word.send(value, to, stream));
        self.check(sent)
    }

    fn counts(&mut self) -> Result<Option<Counts>> {
        self.enter()?;
        let Some(counters) = &mut self.counters else { return Ok(None) };
        let counts = counters.read();
        self.check(counts).map(Some)
    }

    fn start_timer(&mut self) -> Result<TimerId> {
        self.enter()?;
        let started = self.record()?;
        let timer = TimerId(self.next_timer);
        self.next_timer = self.next_timer.wrapping_add(1);
        self.timers.push((timer, started));
        Ok(timer)
    }

    fn stop_timer(&mut self, timer: TimerId) -> Result<Duration> {
        self.enter()?;
        let index = self.timers.iter().position(|(id, _)| *id == timer);
        let index = index.ok_or_else(|| DeviceError::Stale { id: timer.to_string() })?;
        let (_, started) = self.timers.swap_remove(index);
        let stopped = self.record()?;
        let milliseconds = stopped.synchronize().and_then(|()| stopped.since(&started));
        let milliseconds = self.check(milliseconds)?;
        self.under_way.clear();
        self.spare_events.extend([started, stopped]);
        Ok(Duration::from_secs_f64(f64::from(milliseconds.max(0.0)) / 1000.0))
    }
}

impl Gpu {
    /// Uploads a few bytes without waiting for it.
    fn send(&mut self, to: u64, data: &[u8]) -> std::result::Result<(), DriverError> {
        let outbox = match &mut self.outbox {
            Some(outbox) => outbox,
            none => none.insert(Outbox::new()?),
        };
        outbox.send(data, to, &self.stream)
    }

    /// Copies between host and device when all earlier work is done, so that the time is that of the copy.
    fn transfer(
        &mut self,
        copy: impl FnOnce(&mut Self) -> std::result::Result<(), DriverError>,
    ) -> Result<()> {
        self.synchronize()?;
        let begun = Instant::now();
        let copied = copy(self);
        self.transferred += begun.elapsed();
        self.check(copied)
    }

    fn launch_packed(&mut self, launch: &Launch<'_>, packed: &mut Packed) -> Result<()> {
        let kernel = self.find_kernel(launch.kernel)?;
        self.check_launch(launch, kernel).map_err(|reason| self.refused(launch.kernel, reason))?;
        packed
            .pack(launch.args, &kernel.params, |buffer| self.range(buffer, 0, 0))?
            .map_err(|reason| self.refused(launch.kernel, reason))?;
        if launch.grid == 0 {
            return Ok(());
        }
        let launched = kernel.launch(launch.grid, launch.block, launch.cooperative, packed, &self.stream);
        let reason = match &launched {
            Err(e) if e.is(CUresult::CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE) => {
                let most = self.resident_blocks(launch.kernel, launch.block)?;
                format!("{} blocks cannot run at the same time; at most {most} can", launch.grid)
            }
            Err(e) if e.is(CUresult::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES) => {
                format!("{} threads a block need more registers or memory than there are", launch.block)
            }
            _ => {
                self.check(launched)?;
                if !self.under_way.contains(&launch.kernel) {
                    self.under_way.push(launch.kernel);
                }
                return Ok(());
            }
        };
        Err(self.refused(launch.kernel, reason))
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        // The fields release themselves; they need the context for it.
        let _ = self.context.bind();
    }
}

fn limits(info: &DeviceInfo) -> DeviceLimits {
    DeviceLimits {
        name: info.name.clone(),
        multiprocessors: info.multiprocessors,
        block_threads: info.block_threads,
        multiprocessor_threads: info.multiprocessor_threads,
        shared_bytes: info.shared_bytes,
        memory_bytes: info.memory_total,
        kernel_time_limit: info.kernel_time_limit,
    }
}
