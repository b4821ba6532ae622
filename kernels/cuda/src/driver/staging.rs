//! Large copies between host and device, through pinned memory by several threads.
//!
//! The driver copies to and from memory that is not pinned by one thread, a piece after the other. Here each thread has
//! a stretch of its own, two pinned slices and a stream: while the copy engine works on one slice, the thread copies
//! the other. Most of the time goes into the first touch of the memory that is copied to, so it is asked for in large
//! pages, and no two threads touch the same one. A thread asks for the pinned memory while the context is made; the
//! driver is left alone until there is something to copy.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::{iter, mem, panic, slice};

use cudarc::driver::sys::{self, CUdeviceptr};

use gchr_base::memory;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::error::{DriverError, call};
use super::handles::{DriverContext, Event, LargePages, PinnedPages, Stream};

/// Bytes from which on a copy takes less time this way.
const LEAST: usize = 8 << 20;

/// Bytes of a slice: smaller ones cost more calls than they hide, larger ones take longer to be pinned.
const SLICE: usize = 512 << 10;

/// Threads that copy at most.
const LANES: usize = 16;

/// What copies go through, made when it is first needed.
pub(super) enum StagingToCome {
    /// A thread asks for its memory.
    Begun(JoinHandle<LargePages>),
    Made(Staging),
    /// There are no threads, or there was an error, which the first copy told. Copies do without.
    Nothing,
}

impl StagingToCome {
    /// Begins with what needs no context.
    pub(super) fn begin() -> Self {
        let thread = thread::Builder::new().name("staging".into());
        let begun = thread.spawn(|| LargePages::new(lanes() * 2 * SLICE));
        begun.map_or(Self::Nothing, Self::Begun)
    }

    /// What a copy of so many bytes had better go through.
    pub(super) fn for_copy(&mut self, bytes: usize) -> Result<Option<&mut Staging>, DriverError> {
        if bytes < LEAST {
            return Ok(None);
        }
        *self = match mem::replace(self, Self::Nothing) {
            Self::Begun(thread) => {
                let pages = thread.join().unwrap_or_else(|p| panic::resume_unwind(p));
                Staging::new(pages)?.map_or(Self::Nothing, Self::Made)
            }
            known => known,
        };
        match self {
            Self::Made(staging) => Ok(Some(staging)),
            Self::Begun(_) | Self::Nothing => Ok(None),
        }
    }
}

/// Threads that copy.
fn lanes() -> usize {
    thread::available_parallelism().map_or(1, |n| n.get()).min(LANES)
}

/// What copies go through.
pub(super) struct Staging {
    lanes: Vec<Lane>,
    /// As many as lanes. To start them for each copy would take as long as to copy 10 MB.
    threads: ThreadPool,
}

impl Staging {
    /// With two slices of the memory for each lane. Nothing where the system gives no more threads.
    fn new(memory: LargePages) -> Result<Option<Self>, DriverError> {
        let lanes = memory.bytes() / (2 * SLICE);
        let threads = ThreadPoolBuilder::new().num_threads(lanes).thread_name(|_| "copies".into()).build();
        let Ok(threads) = threads else { return Ok(None) };
        let memory = Arc::new(PinnedPages::new(memory)?);
        let lanes = (0..lanes).map(|lane| Lane::new(&memory, lane)).collect::<Result<_, _>>()?;
        Ok(Some(Self { lanes, threads }))
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
        let mut rest = into;
        let stretches = stretches(rest.len(), self.lanes.len()).map(|Range { start, end }| {
            let (stretch, behind) = mem::take(&mut rest).split_at_mut(end - start);
            rest = behind;
            (from + start as u64, stretch)
        });
        // SAFETY: each stretch is a part of the memory, as the caller says.
        self.side_by_side(stretches, context, |lane, from, into| unsafe { lane.download(from, into) })
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
        let stretches = stretches(data.len(), self.lanes.len())
            .map(|stretch| (to + stretch.start as u64, &data[stretch]));
        // SAFETY: as above.
        self.side_by_side(stretches, context, |lane, to, data| unsafe { lane.upload(to, data) })
    }

    fn side_by_side<S: Send>(
        &mut self,
        stretches: impl Iterator<Item = (CUdeviceptr, S)>,
        context: &DriverContext,
        work: impl Fn(&mut Lane, CUdeviceptr, S) -> Result<(), DriverError> + Sync,
    ) -> Result<(), DriverError> {
        let ends = Mutex::new(Ok(()));
        self.threads.in_place_scope(|scope| {
            for (lane, (at, stretch)) in self.lanes.iter_mut().zip(stretches) {
                let (work, ends) = (&work, &ends);
                scope.spawn(move |_| {
                    let done = context.bind().and_then(|()| work(lane, at, stretch));
                    // Whatever went wrong, no copy is under way any more when the slices are used again.
                    let end = lane.stream.synchronize().and(done);
                    let mut ends = ends.lock().unwrap_or_else(PoisonError::into_inner);
                    *ends = mem::replace(&mut *ends, Ok(())).and(end);
                });
            }
        });
        ends.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What each lane copies of so many bytes: as even as large pages let it be.
fn stretches(bytes: usize, lanes: usize) -> impl Iterator<Item = Range<usize>> {
    const PAGE: usize = LargePages::LARGE;
    let ends =
        (1..lanes).map(move |k| ((bytes / lanes * k + PAGE / 2) / PAGE * PAGE).min(bytes)).chain([bytes]);
    let starts = iter::once(0).chain(ends.clone());
    starts.zip(ends).map(|(start, end)| start..end).filter(|stretch| !stretch.is_empty())
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
    fn new(memory: &Arc<PinnedPages>, lane: usize) -> Result<Self, DriverError> {
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
    memory: Arc<PinnedPages>,
    /// Where it begins. No other slice reaches into the `SLICE` bytes behind.
    at: usize,
    /// Happens when the copy engine has done with it.
    done: Event,
}

impl Slice {
    /// The slice that begins at byte `at` of memory that is at least `SLICE` bytes longer.
    fn new(memory: &Arc<PinnedPages>, at: usize) -> Result<Self, DriverError> {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Stretches are all bytes, each once, in large pages; a few bytes more than so many pages need no page more.
    #[test]
    fn lanes_have_even_stretches() {
        const PAGE: usize = LargePages::LARGE;
        for lanes in [1, 2, 7, 16] {
            for bytes in [1, PAGE, 3 * PAGE + 1, 32 * PAGE, 32 * PAGE + 8, 33 * PAGE - 8, 1000 * PAGE + 77] {
                let all: Vec<_> = stretches(bytes, lanes).collect();
                assert!(all.len() <= lanes, "{bytes} bytes in {lanes} lanes: {all:?}");
                assert_eq!(all.iter().map(|s| s.end).collect::<Vec<_>>(), {
                    let starts = all.iter().skip(1).map(|s| s.start);
                    starts.chain([bytes]).collect::<Vec<_>>()
                });
                assert!(all.iter().all(|s| s.start % PAGE == 0), "{bytes} bytes in {lanes} lanes: {all:?}");
                let longest = all.iter().map(Range::len).max();
                assert!(longest <= Some(bytes / lanes + PAGE), "{bytes} bytes in {lanes} lanes: {all:?}");
            }
        }
        assert!(stretches(32 * PAGE + 8, 16).all(|s| s.len() <= 2 * PAGE + 8));
    }
}
