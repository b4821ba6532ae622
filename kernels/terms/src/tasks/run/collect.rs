//! Collection between two launches: the buffers of the kernel of the template `trace.cu`, and what it found.

use super::heap::Places;
use crate::tasks::contract::{Compact, Trace};
use crate::tasks::kernels::Kernels;
use crate::tasks::tracing::{TracedClass, Tracing};
use gchr_kernel::device::{BufferId, Device, KernelId, Launch, Result};

/// Threads a block; the template's.
const BLOCK: u32 = 256;
/// Cells that wait to be looked into: a part of all, so many at least and at most.
const LIST_SHARE: u64 = 32;
const LIST_PLACES: (u64, u64) = (256, 1 << 22);
/// Words of the buffer through which cells move: a part of the heap, so many at least and at most.
const STAGING_SHARE: u64 = 16;
const STAGING_WORDS: (u64, u64) = (1 << 8, 1 << 23);

/// Sizes of the buffers of a collector, in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Sizes {
    /// By class: first word of its marks; then the words of all.
    codes: Vec<u64>,
    list_places: u64,
    staging: u64,
    map: u64,
}

impl Sizes {
    /// Sizes for a heap.
    pub fn new(tracing: &Tracing, places: &Places) -> Self {
        let per = u64::from(tracing.cells_a_word());
        let mut codes = vec![0];
        let (mut next, mut cells, mut widest) = (0, 0, 1);
        for class in &places.classes {
            next += u64::from(class.cells).div_ceil(per);
            codes.push(next);
            cells += u64::from(class.cells);
            widest = widest.max(u64::from(class.stride));
        }
        let staging = (places.heap_words / STAGING_SHARE).clamp(STAGING_WORDS.0, STAGING_WORDS.1);
        Self {
            codes,
            list_places: (cells / LIST_SHARE).clamp(LIST_PLACES.0, LIST_PLACES.1),
            staging: staging.max(per * widest),
            map: tracing.len() as u64,
        }
    }

    fn code_words(&self) -> u64 {
        self.codes.last().copied().unwrap_or(0)
    }

    /// Bytes in all.
    pub fn bytes(&self) -> u64 {
        4 * (3 * self.code_words() + 1 + 4 * self.list_places + self.staging + self.map)
    }
}

/// What a launch of the scheduler has left: the buffers that hold values, and how much of them is in use.
pub(super) struct Left {
    pub saved: BufferId,
    pub queue: BufferId,
    pub turns: BufferId,
    pub join_words: BufferId,
    pub chunk_words: BufferId,
    pub root_words: BufferId,
    pub results: BufferId,
    pub threads: u32,
    pub places: u32,
    pub roots: u32,
    pub next_root: u32,
    pub joins: u32,
    pub chunks: u32,
}

/// The collector of a run.
pub(super) struct Collector {
    /// Looked up when there is something to collect, since few runs get there: by then it must be compiled. With the
    /// blocks that it has.
    kernel: Option<(KernelId, u32)>,
    /// Blocks that there is room for.
    most_blocks: u32,
    sizes: Sizes,
    map: BufferId,
    codes: BufferId,
    counts: BufferId,
    before: BufferId,
    lists: BufferId,
    staging: BufferId,
    work: BufferId,
    work_words: usize,
    block_sums: BufferId,
    arrivals: BufferId,
}

impl Collector {
    /// A collector for kernels that have one.
    pub fn new(kernels: &Kernels, places: &Places, device: &mut dyn Device) -> Result<Option<Self>> {
        let Some(tracing) = &kernels.tracing else { return Ok(None) };
        let sizes = Sizes::new(tracing, places);
        let work_words = kernels.formats.trace.work_words;
        let limits = device.limits();
        let most_blocks = (limits.multiprocessors * (limits.multiprocessor_threads / BLOCK)).max(1);
        let mut words = |count: u64| device.alloc(4 * count.max(1));
        let codes = sizes.code_words();
        Ok(Some(Self {
            kernel: None,
            most_blocks,
            map: words(sizes.map)?,
            codes: words(codes)?,
            counts: words(codes)?,
            before: words(codes + 1)?,
            lists: words(4 * sizes.list_places)?,
            staging: words(sizes.staging)?,
            work: words(work_words as u64)?,
            work_words,
            block_sums: words(u64::from(most_blocks))?,
            arrivals: words(1)?,
            sizes,
        }))
    }

    /// Starts to collect what nothing refers to. By class: the cells in use, and those that live as long as the run.
    pub fn launch(
        &mut self,
        kernels: &Kernels,
        tracing: &Tracing,
        heap: (BufferId, &Places),
        (cells, marks): (&[u64], &[u64]),
        left: &Left,
        device: &mut dyn Device,
    ) -> Result<()> {
        let (heap, places) = heap;
        let classes = places.classes.iter().enumerate().map(|(k, place)| TracedClass {
            base: place.first_word as u32,
            stride: place.stride,
            cells: cells[k] as u32,
            codes: self.sizes.codes[k] as u32,
            mark: marks[k] as u32,
        });
        // `counts` has two words for each splitter.
        let words = tracing.words(classes, self.sizes.code_words() / 2);
        device.upload(self.map, 0, bytemuck::cast_slice(&words))?;
        device.fill(self.work, 0, 4 * self.work_words as u64, 0)?;
        device.fill(self.arrivals, 0, 4, 0)?;
        // Chains are followed from cells that may never have been written.
        device.accept_unwritten(heap)?;
        let Some((record, layout)) = &kernels.host.collector else { return Ok(()) };
        let values = record.fill(&Trace {
            heap,
            map: self.map,
            codes: self.codes,
            counts: self.counts,
            before: self.before,
            lists: self.lists,
            staging: self.staging,
            saved: left.saved,
            queue: left.queue,
            turns: left.turns,
            joins: left.join_words,
            chunks: left.chunk_words,
            roots: left.root_words,
            results: left.results,
            work: self.work,
            block_sums: self.block_sums,
            arrivals: self.arrivals,
            classes: places.classes.len() as u32,
            resumes: tracing.resumes,
            states: tracing.states,
            chains: tracing.chains.0,
            directions: tracing.chains.1,
            code_words: self.sizes.code_words() as u32,
            list_places: self.sizes.list_places as u32,
            staging_words: self.sizes.staging as u32,
            threads: left.threads,
            places: left.places,
            n_roots: left.roots,
            next_root: left.next_root,
            join_count: left.joins,
            chunk_count: left.chunks,
        });
        let params = values.finish()?;
        let compact = Compact { t: &params };
        let args = layout.args(&compact);
        let Some((kernel, grid)) = self.ready(kernels, device)? else { return Ok(()) };
        device.launch(&Launch { kernel, grid, block: BLOCK, args: &args, cooperative: true })
    }

    /// The kernel and its blocks, looked up where it was not before.
    pub fn ready(&mut self, kernels: &Kernels, device: &mut dyn Device) -> Result<Option<(KernelId, u32)>> {
        if let (None, Some((_, layout))) = (self.kernel, &kernels.host.collector) {
            let kernel = device.kernel(layout.name())?;
            let grid = device.resident_blocks(kernel, BLOCK)?.clamp(1, self.most_blocks);
            self.kernel = Some((kernel, grid));
        }
        Ok(self.kernel)
    }

    /// By class: cells behind the mark that were found.
    pub fn found(&self, device: &mut dyn Device) -> Result<Vec<u64>> {
        let mut sums = Vec::new();
        for &at in &self.sizes.codes {
            let mut sum = [0u32];
            device.download(self.before, 4 * at, bytemuck::cast_slice_mut(&mut sum))?;
            sums.push(u64::from(sum[0]));
        }
        Ok(sums.windows(2).map(|pair| pair[1] - pair[0]).collect())
    }

    /// Gives all device memory back.
    pub fn free(self, device: &mut dyn Device) -> Result<()> {
        let tables = [self.map, self.codes, self.counts, self.before, self.lists, self.staging];
        let words = [self.work, self.block_sums, self.arrivals];
        tables.into_iter().chain(words).try_for_each(|buffer| device.free(buffer))
    }
}
