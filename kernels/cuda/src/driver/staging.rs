//! Large copies between host and device, through pinned memory by several threads.
//!
//! The driver copies to and from memory that is not pinned by one thread, a piece after the other. Here each thread has
//! a stretch of its own, two pinned slices and a stream: while the copy engine works on one slice, the thread copies
//! the other. Most of the time goes into the first touch of the memory that is copied to, so it is asked for in large
//! pages, and no two threads touch the same one.

use std::ops::Range;
use std::sync::Arc;
use std::{slice, thread};

use cudarc::driver::sys::{self, CUdeviceptr};

use gchr_base::memory;

use super::error::{DriverError, call};
use super::handles::{DriverContext, Event, PinnedMemory, Stream};

/// Bytes from which on a copy takes less time this way.
const LEAST: usize = 8 << 20;

/// Bytes of a slice: smaller ones cost more calls than they hide, larger ones take longer to be pinned.
const SLICE: usize = 512 << 10;

/// Threads that copy at most.
const LANES: usize = 16;

/// Stretches of threads are multiples of this: a large page.
const PAGE: usize = 2 << 20;

/// What copies go through.
pub(super) struct Staging {
    lanes: Vec<Lane>,
}

impl Staging {
    /// What a copy of so many bytes had better go through, made when it is first needed.
    pub(super) fn for_copy(kept: &mut Option<Self>, bytes: usize) -> Result<Option<&mut Self>, DriverError> {
        if bytes >= LEAST && kept.is_none() {
            *kept = Some(Self::new()?);
        }
        Ok(kept.as_mut().filter(|_| bytes >= LEAST))
    }

    fn new() -> Result<Self, DriverError> {
        let lanes = thread::available_parallelism().map_or(1, |n| n.get()).min(LANES);
        let memory = Arc::new(PinnedMemory::new(lanes * 2 * SLICE)?);
        Ok(Self { lanes: (0..lanes).map(|lane| Lane::new(&memory, lane)).collect::<Result<_, _>>()? })
    }

    /// Copies device memory that no work is under way on, and waits for that.
    ///
    /// # Safety
    /// The device memory is alive, and as long as `into`.
    pub(super) unsafe fn download(
        &mut self,
        from: CUdeviceptr,
        into: &mut [u8],
        context: &DriverContext,
    ) -> Result<(), DriverError> {
        memory::prefer_large_pages(into);
        let share = self.share(into.len());
        // SAFETY: each stretch is a part of the memory, as the caller says.
        self.side_by_side(starts(from, into.chunks_mut(share), share), context, |lane, from, into| unsafe {
            lane.download(from, into)
        })
    }

    /// Copies to device memory that no work is under way on, and waits for that.
    ///
    /// # Safety
    /// The device memory is alive, and as long as `data`.
    pub(super) unsafe fn upload(
        &mut self,
        to: CUdeviceptr,
        data: &[u8],
        context: &DriverContext,
    ) -> Result<(), DriverError> {
        let share = self.share(data.len());
        // SAFETY: as above.
        self.side_by_side(starts(to, data.chunks(share), share), context, |lane, to, data| unsafe {
            lane.upload(to, data)
        })
    }

    /// Bytes that each lane copies, but for the last one.
    fn share(&self, bytes: usize) -> usize {
        bytes.div_ceil(self.lanes.len()).next_multiple_of(PAGE)
    }

    fn side_by_side<S: Send>(
        &mut self,
        stretches: impl Iterator<Item = (CUdeviceptr, S)>,
        context: &DriverContext,
        work: impl Fn(&mut Lane, CUdeviceptr, S) -> Result<(), DriverError> + Sync,
    ) -> Result<(), DriverError> {
        let work = &work;
        thread::scope(|scope| {
            let one = |lane: &'_ mut Lane, (at, stretch): (CUdeviceptr, S)| {
                let done = work(lane, at, stretch);
                // Whatever went wrong, no copy is under way any more when the slices are used again.
                let waited = lane.stream.synchronize();
                done.and(waited)
            };
            let started: Vec<_> = self
                .lanes
                .iter_mut()
                .zip(stretches)
                .map(|(lane, stretch)| scope.spawn(move || context.bind().and_then(|()| one(lane, stretch))))
                .collect();
            let ends = started.into_iter().map(|lane| lane.join());
            let ends: Vec<_> = ends.map(|end| end.unwrap_or_else(|p| std::panic::resume_unwind(p))).collect();
            ends.into_iter().collect()
        })
    }
}

/// The parts of some bytes, each `share` bytes long, with their places on the device.
fn starts<S>(
    start: CUdeviceptr,
    stretches: impl Iterator<Item = S>,
    share: usize,
) -> impl Iterator<Item = (CUdeviceptr, S)> {
    stretches.enumerate().map(move |(k, stretch)| (start + (k * share) as u64, stretch))
}

/// What one thread works with.
struct Lane {
    stream: Stream,
    slices: [Slice; 2],
}

impl Lane {
    fn new(memory: &Arc<PinnedMemory>, lane: usize) -> Result<Self, DriverError> {
        let slice = |k| Slice::new(memory, (2 * lane + k) * SLICE);
        Ok(Self { stream: Stream::new()?, slices: [slice(0)?, slice(1)?] })
    }

    /// # Safety
    /// The device memory is alive, and as long as `into`.
    unsafe fn download(&mut self, from: CUdeviceptr, into: &mut [u8]) -> Result<(), DriverError> {
        let mut last: Option<(usize, &mut [u8])> = None;
        for (k, (from, chunk)) in starts(from, into.chunks_mut(SLICE), SLICE).enumerate() {
            // What this slice held was copied in the round before: only the copy into the other one is under way.
            let slice = &mut self.slices[k % 2];
            // SAFETY: a chunk fits into a slice; the range on the device is what the caller says.
            let copied = unsafe {
                sys::cuMemcpyDtoHAsync_v2(slice.start().cast(), from, chunk.len(), self.stream.raw())
            };
            call("cuMemcpyDtoHAsync", copied.result())?;
            slice.done.record(&self.stream)?;
            if let Some((before, chunk)) = last.replace((k % 2, chunk)) {
                self.slices[before].take(chunk)?;
            }
        }
        last.map_or(Ok(()), |(at, chunk)| self.slices[at].take(chunk))
    }

    /// # Safety
    /// The device memory is alive, and as long as `data`.
    unsafe fn upload(&mut self, to: CUdeviceptr, data: &[u8]) -> Result<(), DriverError> {
        for (k, (to, chunk)) in starts(to, data.chunks(SLICE), SLICE).enumerate() {
            let slice = &mut self.slices[k % 2];
            if k >= 2 {
                slice.done.synchronize()?;
            }
            slice.bytes(0..chunk.len()).copy_from_slice(chunk);
            // SAFETY: the range on the device is what the caller says; the slice stays as it is until the copy is done.
            let copied = unsafe {
                sys::cuMemcpyHtoDAsync_v2(to, slice.start().cast(), chunk.len(), self.stream.raw())
            };
            call("cuMemcpyHtoDAsync", copied.result())?;
            slice.done.record(&self.stream)?;
        }
        Ok(())
    }
}

/// A part of the pinned memory that is one chunk long.
struct Slice {
    memory: Arc<PinnedMemory>,
    /// Where it begins. No other slice reaches into the `SLICE` bytes behind.
    at: usize,
    /// Happens when the copy engine has done with it.
    done: Event,
}

impl Slice {
    /// The slice that begins at byte `at` of memory that is at least `SLICE` bytes longer.
    fn new(memory: &Arc<PinnedMemory>, at: usize) -> Result<Self, DriverError> {
        Ok(Self { memory: memory.clone(), at, done: Event::new()? })
    }

    fn start(&self) -> *mut u8 {
        // SAFETY: `at` is inside the memory.
        unsafe { self.memory.start().add(self.at) }
    }

    /// Part of the memory, which the copy engine does not use.
    fn bytes(&mut self, range: Range<usize>) -> &mut [u8] {
        // SAFETY: alive, SLICE bytes long, nobody else's, and all of it written by the copy engine or as the driver
        // gave it.
        let all = unsafe { slice::from_raw_parts_mut(self.start(), SLICE) };
        &mut all[range]
    }

    /// Waits for the copy engine, and copies what it has brought.
    fn take(&mut self, chunk: &mut [u8]) -> Result<(), DriverError> {
        self.done.synchronize()?;
        chunk.copy_from_slice(self.bytes(0..chunk.len()));
        Ok(())
    }
}
