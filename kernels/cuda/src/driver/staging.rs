//! Large copies between host and device, through pinned memory by several threads.
//!
//! The driver copies to and from memory that is not pinned by one thread, a piece after the other. Here each thread has
//! two pinned slices and a stream: while the copy engine works on one slice, the thread copies the other.

use std::ops::Range;
use std::{slice, thread};

use cudarc::driver::sys::{self, CUdeviceptr};

use super::error::{DriverError, call};
use super::handles::{DriverContext, Event, PinnedMemory, Stream};

/// Bytes from which on a copy takes less time this way.
const LEAST: usize = 8 << 20;

/// Bytes of a slice.
const SLICE: usize = 1 << 20;

/// Threads that copy at most: so many fill the bus.
const LANES: usize = 8;

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
        Ok(Self { lanes: (0..lanes).map(|_| Lane::new()).collect::<Result<_, _>>()? })
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
        let shares = self.shares(from, into.chunks_mut(SLICE));
        // SAFETY: each chunk is a part of the memory, as the caller says.
        self.side_by_side(shares, context, |lane, share| unsafe { lane.download(share) })
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
        let shares = self.shares(to, data.chunks(SLICE));
        // SAFETY: as above.
        self.side_by_side(shares, context, |lane, share| unsafe { lane.upload(share) })
    }

    /// Deals chunks out to the lanes, each with its place on the device.
    fn shares<C>(&self, start: CUdeviceptr, chunks: impl Iterator<Item = C>) -> Vec<Vec<(CUdeviceptr, C)>> {
        let lanes = self.lanes.len();
        let mut shares: Vec<_> = self.lanes.iter().map(|_| Vec::new()).collect();
        for (k, chunk) in chunks.enumerate() {
            shares[k % lanes].push((start + (k * SLICE) as u64, chunk));
        }
        shares
    }

    fn side_by_side<S: Send>(
        &mut self,
        shares: Vec<S>,
        context: &DriverContext,
        work: impl Fn(&mut Lane, S) -> Result<(), DriverError> + Sync,
    ) -> Result<(), DriverError> {
        let work = &work;
        thread::scope(|scope| {
            let one = |(lane, share): (&'_ mut Lane, S)| {
                let done = work(lane, share);
                // Whatever went wrong, no copy is under way any more when the slices are used again.
                let waited = lane.stream.synchronize();
                done.and(waited)
            };
            let started: Vec<_> = self
                .lanes
                .iter_mut()
                .zip(shares)
                .map(|pair| scope.spawn(move || context.bind().and_then(|()| one(pair))))
                .collect();
            let ends = started.into_iter().map(|lane| lane.join());
            let ends: Vec<_> = ends.map(|end| end.unwrap_or_else(|p| std::panic::resume_unwind(p))).collect();
            ends.into_iter().collect()
        })
    }
}

/// What one thread works with.
struct Lane {
    stream: Stream,
    slices: [Slice; 2],
}

impl Lane {
    fn new() -> Result<Self, DriverError> {
        Ok(Self { stream: Stream::new()?, slices: [Slice::new()?, Slice::new()?] })
    }

    /// # Safety
    /// The device memory of each chunk is alive, and as long as the chunk.
    unsafe fn download(&mut self, share: Vec<(CUdeviceptr, &mut [u8])>) -> Result<(), DriverError> {
        let mut last: Option<(usize, &mut [u8])> = None;
        for (k, (from, chunk)) in share.into_iter().enumerate() {
            // What this slice held was copied in the round before: only the copy into the other one is under way.
            let slice = &mut self.slices[k % 2];
            // SAFETY: a chunk fits into a slice; the range on the device is what the caller says.
            let copied = unsafe {
                sys::cuMemcpyDtoHAsync_v2(slice.memory.start().cast(), from, chunk.len(), self.stream.raw())
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
    /// The device memory of each chunk is alive, and as long as the chunk.
    unsafe fn upload(&mut self, share: Vec<(CUdeviceptr, &[u8])>) -> Result<(), DriverError> {
        for (k, (to, chunk)) in share.into_iter().enumerate() {
            let slice = &mut self.slices[k % 2];
            if k >= 2 {
                slice.done.synchronize()?;
            }
            slice.bytes(0..chunk.len()).copy_from_slice(chunk);
            // SAFETY: the range on the device is what the caller says; the slice stays as it is until the copy is done.
            let copied = unsafe {
                sys::cuMemcpyHtoDAsync_v2(to, slice.memory.start().cast(), chunk.len(), self.stream.raw())
            };
            call("cuMemcpyHtoDAsync", copied.result())?;
            slice.done.record(&self.stream)?;
        }
        Ok(())
    }
}

/// Pinned memory of one chunk.
struct Slice {
    memory: PinnedMemory,
    /// Happens when the copy engine has done with it.
    done: Event,
}

impl Slice {
    fn new() -> Result<Self, DriverError> {
        Ok(Self { memory: PinnedMemory::new(SLICE)?, done: Event::new()? })
    }

    /// Part of the memory, which the copy engine does not use.
    fn bytes(&mut self, range: Range<usize>) -> &mut [u8] {
        // SAFETY: alive, SLICE bytes long, and all of it written by the copy engine or as the driver gave it.
        let all = unsafe { slice::from_raw_parts_mut(self.memory.start(), SLICE) };
        &mut all[range]
    }

    /// Waits for the copy engine, and copies what it has brought.
    fn take(&mut self, chunk: &mut [u8]) -> Result<(), DriverError> {
        self.done.synchronize()?;
        chunk.copy_from_slice(self.bytes(0..chunk.len()));
        Ok(())
    }
}
