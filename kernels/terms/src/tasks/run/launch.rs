//! Device buffers of a run, and one launch.

use std::time::Duration;

use gchr_base::ids::IdVec;
use gchr_base::signature::SortId;

use super::capacity::Capacity;
use super::collect::{Collector, Left};
use super::end::End;
use super::fetch::Pages;
use super::heap::{Cells, Image, Places};
use super::scale::Scale;
use super::start::Root;
use super::{Job, Options, Promote};
use crate::tasks::codegen::{ERROR_VALUES, FEWEST_CELLS, stride};
use crate::tasks::contract::{Params, Run};
use crate::tasks::kernels::SAFEPOINT_KERNEL;
use crate::tasks::shapes::ClassPlace;
use gchr_kernel::device::{BufferId, Device, DeviceExt, KernelId, Launch, Result};

/// A launch that takes longer than this is looked at less often.
const SHORT: Duration = Duration::from_millis(4);
/// Between two looks at a long launch.
const WATCH: Duration = Duration::from_micros(200);

/// Waits before the next look at a launch that has taken this long: what takes a millisecond is not to wait for the
/// host.
pub(super) fn pause(taken: Duration) {
    if taken < SHORT {
        std::thread::yield_now();
    } else {
        std::thread::sleep((taken / 64).min(WATCH));
    }
}

/// While this part of all threads waits, the others share at once.
const EAGER_SPLIT_SHARE: u32 = 8;
/// The same where a warp is fed as a whole: as many threads as half of all warps.
const EAGER_SPLIT_SHARE_OF_WARPS: u32 = 64;

/// Buffers of a run.
pub(super) struct Buffers {
    kernel: KernelId,
    scale: Scale,
    options: Options,
    /// Cells that a thread takes at a time in the next launch.
    run: u32,
    /// Cells of each class that the next launch may take, if not all.
    spare: Option<u32>,
    /// By class: cells in use when it begins.
    in_use: Vec<u64>,
    /// Whether the next launch goes on with what threads have saved.
    resumed: bool,
    /// The kernel with a safepoint in every turn of a loop, so that a stopped thread repeats none, once it is what is
    /// launched.
    safepoints: Option<KernelId>,
    places: Places,
    /// By class: cells that live as long as the run.
    marks: Vec<u64>,
    heap: BufferId,
    shared: BufferId,
    shapes: BufferId,
    pool: BufferId,
    roots: BufferId,
    results: BufferId,
    /// Roots that there is room for, and those of the last launch.
    root_count: usize,
    started: usize,
    queue: BufferId,
    turns: BufferId,
    joins: BufferId,
    chunks: BufferId,
    chunk_count: u32,
    saved: BufferId,
    spare_joins: BufferId,
    control: BufferId,
    control_words: usize,
    counts: BufferId,
    count_words: usize,
    error: BufferId,
    error_words: usize,
    task: usize,
    collector: Option<Collector>,
}

impl Buffers {
    /// Buffers for a job with so much memory.
    pub fn new(
        job: &Job<'_>,
        options: &Options,
        scale: Scale,
        capacity: &Capacity,
        device: &mut dyn Device,
    ) -> Result<Self> {
        let shape = &job.kernels.shape;
        let kernel = device.kernel(job.kernels.host.run.name())?;
        let places = capacity.places(job);
        let arity = job.program.signature.symbols.iter().map(|s| s.args.len()).max().unwrap_or(0);
        let host = &job.kernels.host;
        let control_words =
            host.control.cells + shape.format.cells_stride as usize * places.classes.len().max(1);
        let count_words = host.counts.count_words;
        let error_words = ERROR_VALUES as usize + 2 * arity.max(2);
        let task = shape.task() as usize;
        let queue_words = scale.queue_words(shape);
        let collector = Collector::new(job.kernels, &places, device)?;
        let queue = device.alloc(4 * queue_words)?;
        device.fill(queue, 0, 4 * queue_words, 0)?;
        let joins = device.alloc(4 * scale.join_words)?;
        if collector.is_none() {
            // Joins are read as a whole, words that nobody has written included. A collector asks for more: see `load`.
            device.fill(joins, 0, 4 * scale.join_words, 0)?;
        }
        Ok(Self {
            kernel,
            scale,
            options: *options,
            run: scale.run,
            spare: options.spare,
            in_use: vec![0; places.classes.len()],
            resumed: false,
            safepoints: None,
            collector,
            heap: device.alloc(4 * places.heap_words)?,
            shared: device.alloc(4 * places.shared_words.max(1))?,
            shapes: device.alloc(4 * job.kernels.shapes.as_ref().map_or(1, |s| s.len().max(1)) as u64)?,
            pool: device.alloc(4 * places.pool_words().max(1))?,
            marks: vec![0; places.classes.len()],
            places,
            roots: device.alloc(4)?,
            results: device.alloc(4)?,
            root_count: 0,
            started: 0,
            queue,
            turns: device.alloc(4 << scale.place_bits)?,
            joins,
            saved: device.alloc(4 * scale.saved_words(job).max(1))?,
            chunks: device.alloc(4 * u64::from(capacity.chunks) * u64::from(shape.chunk()))?,
            chunk_count: capacity.chunks,
            spare_joins: device
                .alloc(4 * u64::from(job.kernels.formats.cells.ring_words + scale.spare_places(shape)))?,
            control: device.alloc(4 * control_words as u64)?,
            control_words,
            counts: device.alloc(8 * count_words as u64)?,
            count_words,
            error: device.alloc(4 * error_words as u64)?,
            error_words,
            task,
        })
    }

    /// Puts cells in their places.
    pub fn upload(&self, image: &Image, device: &mut dyn Device) -> Result<()> {
        let mut pairs = image.classes.iter().zip(&self.places.classes);
        pairs.try_for_each(|(cells, place)| {
            device.upload(self.heap, 4 * place.first_word, bytemuck::cast_slice(&cells.words))
        })
    }

    /// Writes what a launch starts with; `in_use`: by class, cells that lie in their places and live as long as the
    /// launch.
    pub fn load(
        &mut self,
        job: &Job<'_>,
        in_use: &[u64],
        roots: &[Root],
        device: &mut dyn Device,
    ) -> Result<()> {
        let mut control = vec![0u32; self.control_words];
        let words = job.kernels.host.control;
        control[words.left] = roots.len() as u32;
        (self.run, self.resumed) = (self.scale.run, false);
        self.safepoints = None;
        if self.options.promote == Promote::Always && self.collector.is_some() {
            self.enter_safepoint_mode(device)?;
        }
        for (k, cells) in in_use.iter().enumerate() {
            control[self.cells_word(job, k)] = cells.next_multiple_of(u64::from(self.run)) as u32;
        }
        self.marks = in_use.iter().map(|cells| cells - 1).collect();
        self.in_use = in_use.to_vec();
        if let Some(shapes) = &job.kernels.shapes {
            device.upload(self.shapes, 0, bytemuck::cast_slice(&shapes.words(&self.class_places())))?;
            device.fill(self.shared, 0, 4 * self.places.shared_words.max(1), 0)?;
            device.fill(self.pool, 0, 4 * self.places.pool_words().max(1), 0)?;
        }
        device.upload(self.control, 0, bytemuck::cast_slice(&control))?;
        device.upload(self.counts, 0, bytemuck::cast_slice(&vec![0u64; self.count_words]))?;
        device.upload(self.error, 0, bytemuck::cast_slice(&vec![0u32; self.error_words]))?;
        device.fill(self.turns, 0, 4 << self.scale.place_bits, 0)?;
        if self.collector.is_some() {
            device.fill(self.joins, 0, 4 * self.scale.join_words, 0)?;
        }
        device.fill(
            self.spare_joins,
            0,
            4 * u64::from(job.kernels.formats.cells.ring_words + self.scale.spare_places(&job.kernels.shape)),
            0,
        )?;
        if self.root_count < roots.len() {
            device.free(self.roots)?;
            device.free(self.results)?;
            self.root_count = roots.len();
            self.roots = device.alloc(4 * (roots.len() * self.task) as u64)?;
            self.results = device.alloc(8 * roots.len() as u64)?;
        }
        device.fill(self.results, 0, 8 * roots.len() as u64, 0)?;
        self.started = roots.len();
        let words = self.root_words(job, roots);
        device.upload(self.roots, 0, bytemuck::cast_slice(&words))
    }

    /// What the functions that give cells back must know of the classes.
    fn class_places(&self) -> Vec<ClassPlace> {
        let ring = self.places.ring;
        let of = |(k, (place, &mark)): (usize, (&super::heap::Place, &u64))| ClassPlace {
            base: place.first_word as u32,
            stride: place.stride,
            mark: mark as u32,
            shared: place.shared,
            ring: self.places.pool_head() + k as u32 * ring,
            ring_mask: ring.max(1) - 1,
            batch: self.scale.batch,
        };
        self.places.classes.iter().zip(&self.marks).enumerate().map(of).collect()
    }

    /// The roots as tasks.
    fn root_words(&self, job: &Job<'_>, roots: &[Root]) -> Vec<u32> {
        let mut words = vec![0u32; roots.len() * self.task];
        let format = job.kernels.shape.format;
        for (number, (root, task)) in roots.iter().zip(words.chunks_exact_mut(self.task)).enumerate() {
            task[0] = job.kernels.entries[root.function];
            task[format.task_return as usize] = format.root | number as u32;
            let function = &job.plan.functions[root.function];
            let head = format.task_head as usize;
            let (mut narrow, mut wide) = (head, head + job.kernels.shape.words as usize);
            for (&param, &value) in function.region.params.iter().zip(&root.args) {
                if job.plan.layout.sorts[function.sort(param)].is_wide() {
                    task[wide] = value as u32;
                    task[wide + 1] = (value >> 32) as u32;
                    wide += 2;
                } else {
                    task[narrow] = value as u32;
                    narrow += 1;
                }
            }
        }
        words
    }

    /// Launches the kernel.
    pub fn launch(&self, job: &Job<'_>, roots: usize, most: u64, device: &mut dyn Device) -> Result<()> {
        let host = &job.kernels.host;
        let mut values = host.params.fill(&self.params(job, roots, most));
        let classes = self.places.classes.iter().zip(&self.marks).zip(&host.classes);
        for (k, ((place, &mark), fields)) in classes.enumerate() {
            values.set(fields.base, place.base);
            values.set(fields.limit, self.limit(k));
            if let Some((at_mark, shared)) = fields.counted {
                values.set(at_mark, mark as u32);
                values.set(shared, place.shared);
            }
        }
        let params = values.finish()?;
        let run = Run { p: &params };
        let args = host.run.args(&run);
        let (grid, block) = (self.scale.blocks, self.scale.block);
        let kernel = self.safepoints.unwrap_or(self.kernel);
        device.launch(&Launch { kernel, grid, block, args: &args, cooperative: true })
    }

    /// Arguments that do not depend on classes.
    fn params(&self, job: &Job<'_>, roots: usize, most: u64) -> Params {
        let always = self.options.promote == Promote::Always;
        let places = 1u32 << self.scale.place_bits;
        let share = if job.kernels.phases { EAGER_SPLIT_SHARE_OF_WARPS } else { EAGER_SPLIT_SHARE };
        Params {
            // The heap is three buffers of the kernel: of words, pairs and quads; joins are two.
            heap: self.heap,
            pairs: self.heap,
            quads: self.heap,
            records: self.joins,
            joins: self.joins,
            shared: self.shared,
            shapes: self.shapes,
            pool: self.pool,
            roots: self.roots,
            results: self.results,
            queue: self.queue,
            turns: self.turns,
            chunks: self.chunks,
            saved: self.saved,
            spare: self.spare_joins,
            control: self.control,
            counts: self.counts,
            error: self.error,
            n_roots: roots as u32,
            places,
            place_bits: self.scale.place_bits,
            joins_end: self.scale.join_words as u32,
            chunks_end: self.chunk_count,
            spare_mask: self.scale.spare_places(&job.kernels.shape) - 1,
            split_threshold: if always { -((places / 2) as i32) } else { 0 },
            eager_split_threshold: (self.scale.threads() / share) as i32,
            steps: if always { 1 } else { self.options.steps },
            max_applied: most,
            report: most.saturating_add(1).min(u64::from(self.options.report)) as u32,
            run: self.run,
            resumed: u32::from(self.resumed),
        }
    }

    /// Tells a running kernel to stop.
    pub fn ask_to_stop(&self, job: &Job<'_>, device: &mut dyn Device) -> Result<()> {
        let host = &job.kernels.host;
        device.post(self.control, 4 * host.control.stop as u64, host.stop.asked)
    }

    /// What the launch ended with.
    pub fn end(&self, job: &Job<'_>, device: &mut dyn Device) -> Result<End> {
        let host = &job.kernels.host;
        let (words, counted) = (host.control, host.counts);
        let control: Vec<u32> = device.download_vec(self.control, self.control_words)?;
        let counts: Vec<u64> = device.download_vec(self.counts, self.count_words)?;
        let error = device.download_vec(self.error, self.error_words)?;
        let next = |k: usize| u64::from(control[self.cells_word(job, k)]);
        let cells =
            self.places.classes.iter().enumerate().map(|(k, place)| next(k).min(u64::from(place.cells)));
        Ok(End {
            stop: control[words.stop],
            wants_memory: [host.stop.must_grow, host.stop.collect].contains(&control[words.stop]),
            applied: counts[counted.applied],
            promotions: counts[counted.promotions],
            tasks: u64::from(control[words.tail]),
            spills: counts[counted.spills],
            in_use: counts[counted.in_use],
            roots: self.started as u32,
            marks: self.marks.clone(),
            full: control[words.full]
                .checked_sub(1)
                .filter(|&k| (k as usize) < self.places.classes.len())
                .map(|k| k as usize),
            cells: cells.collect(),
            chunks: control[words.next_chunk].min(self.chunk_count - 1),
            error,
            control,
        })
    }

    /// Whether a collection waits for no compiler.
    pub fn collector_is_at_hand(&self, job: &Job<'_>, device: &mut dyn Device) -> Result<bool> {
        match &job.kernels.host.collector {
            Some((_, layout)) if self.collector.is_some() => device.is_at_hand(layout.name()),
            _ => Ok(true),
        }
    }

    /// Has the collector's kernel ready, if cells are found by tracing: compiled, where it was not needed before.
    pub fn ready_collector(&mut self, job: &Job<'_>, device: &mut dyn Device) -> Result<()> {
        self.collector.as_mut().map_or(Ok(()), |collector| collector.ready(job.kernels, device).map(drop))
    }

    /// Starts to collect what nothing refers to, if cells are found by tracing.
    pub fn collect(&mut self, job: &Job<'_>, end: &End, device: &mut dyn Device) -> Result<()> {
        let (Some(collector), Some(tracing)) = (&mut self.collector, &job.kernels.tracing) else {
            return Ok(());
        };
        let shape = &job.kernels.shape;
        let words = job.kernels.host.control;
        let in_use = |word: usize, most: u64| u64::from(end.control[word]).min(most) as u32;
        let left = Left {
            saved: self.saved,
            queue: self.queue,
            turns: self.turns,
            join_words: self.joins,
            chunk_words: self.chunks,
            root_words: self.roots,
            results: self.results,
            threads: self.scale.threads(),
            places: 1 << self.scale.place_bits,
            roots: end.roots,
            next_root: in_use(words.next_root, u64::from(end.roots)),
            joins: in_use(words.next_join, self.scale.join_words) / shape.join(),
            chunks: end.chunks,
        };
        collector.launch(
            job.kernels,
            tracing,
            (self.heap, &self.places),
            (&end.cells, &end.marks),
            &left,
            device,
        )
    }

    /// What a collection has found, as the end of a launch: cells in use, those behind the marks first.
    pub fn collected(&mut self, end: &mut End, device: &mut dyn Device) -> Result<()> {
        let Some(collector) = &self.collector else { return Ok(()) };
        let found = collector.found(device)?;
        end.in_use = found.iter().sum();
        for ((cells, found), mark) in end.cells.iter_mut().zip(found).zip(&end.marks) {
            *cells = mark + 1 + found;
        }
        Ok(())
    }

    /// Cells of a class that are not in use, and all that it has.
    pub fn room(&self, end: &End, class: usize) -> (u64, u64) {
        let cells = u64::from(self.places.classes[class].cells);
        (cells - end.cells[class], cells)
    }

    /// Cells of a class that the next launch may take, those in use included.
    fn limit(&self, class: usize) -> u32 {
        let cells = self.places.classes[class].cells;
        let spare = self.spare.filter(|_| self.collector.is_some()).unwrap_or(u32::MAX);
        let in_use = self.in_use[class].next_multiple_of(u64::from(self.run));
        u64::from(cells).min(in_use + u64::from(spare)) as u32
    }

    /// What may help a run that got nowhere between two collections: threads in safepoint mode; else twice as many
    /// cells, where that is a number for tests.
    pub fn try_harder(&mut self, device: &mut dyn Device) -> Result<bool> {
        if self.safepoints.is_none() {
            self.enter_safepoint_mode(device)?;
            return Ok(true);
        }
        self.spare = self.spare.map(|spare| spare.saturating_mul(2));
        Ok(self.spare.is_some_and(|spare| spare < u32::MAX))
    }

    /// From now on threads run the kernel with a safepoint in every turn of a loop, which is brought to the device for
    /// it.
    fn enter_safepoint_mode(&mut self, device: &mut dyn Device) -> Result<()> {
        self.safepoints = Some(device.kernel(SAFEPOINT_KERNEL)?);
        Ok(())
    }

    /// Has the next launch go on where this one stopped, with the cells in use that `end` says.
    pub fn resume(&mut self, job: &Job<'_>, end: &End, device: &mut dyn Device) -> Result<()> {
        let free = (0..end.cells.len()).map(|k| self.room(end, k).0).min().unwrap_or(0);
        // Where little is left, each thread takes little.
        let share = (free / 2 / u64::from(self.scale.threads())).max(1).ilog2().min(31);
        self.run = (1 << share).clamp(FEWEST_CELLS.min(self.scale.run), self.scale.run);
        self.resumed = true;
        self.in_use.clone_from(&end.cells);
        let mut control = end.control.clone();
        let words = job.kernels.host.control;
        (control[words.stop], control[words.full]) = (0, 0);
        for (k, cells) in end.cells.iter().enumerate() {
            control[self.cells_word(job, k)] = cells.next_multiple_of(u64::from(self.run)) as u32;
        }
        device.upload(self.control, 0, bytemuck::cast_slice(&control))
    }

    /// Bytes of the cells up to the last one in use.
    pub fn bytes_in_use(&self, end: &End) -> u64 {
        let words = |(place, &cells): (&super::heap::Place, &u64)| cells * u64::from(place.stride);
        4 * self.places.classes.iter().zip(&end.cells).map(words).sum::<u64>()
    }

    /// The cells that values reach, where they lie in few pages; so few that all cells in use would take four times as
    /// long, if these may be brought. `in_a_hurry`: whether a collection waits for a compiler.
    pub fn fetch(
        &self,
        job: &Job<'_>,
        end: &End,
        values: impl Iterator<Item = (SortId, u64)>,
        in_a_hurry: bool,
        device: &mut dyn Device,
    ) -> Result<Option<Pages>> {
        /// Four times as many bytes as cross the bus while one page is brought and looked into: most results that are
        /// larger reach all there is.
        const TIME_OF_A_PAGE: u64 = 4 << 20;
        /// Pages that are brought while a collection makes results few.
        const COLLECTION: usize = 64;
        let classes = (end.cells.as_slice(), self.places.classes.as_slice());
        let (bytes, uncollected) = (self.bytes_in_use(end), self.options.uncollected);
        let most = match bytes <= uncollected.bytes {
            true => uncollected.pages.min((bytes / TIME_OF_A_PAGE) as usize),
            false => uncollected.pages,
        };
        let most = if in_a_hurry { most } else { most.min(COLLECTION) };
        Pages::fetch(&job.plan.layout, values, classes, (self.heap, device), most)
    }

    /// Whether all cells in use are brought in less time than it takes to collect them.
    pub fn is_soon_brought(&self, end: &End) -> bool {
        /// Bytes that a collection of a heap without garbage takes longer for than a copy.
        const SOON: u64 = 256 << 20;
        self.bytes_in_use(end) <= self.options.uncollected.bytes.min(SOON)
    }

    /// All cells in use.
    pub fn download(&self, job: &Job<'_>, end: &End, device: &mut dyn Device) -> Result<Image> {
        let mut classes = IdVec::new();
        for ((class, place), &cells) in
            job.plan.layout.classes.iter().zip(&self.places.classes).zip(&end.cells)
        {
            let stride = stride(class.words);
            let mut words = vec![0u32; cells as usize * stride as usize];
            device.download(self.heap, 4 * place.first_word, bytemuck::cast_slice_mut(&mut words))?;
            classes.push(Cells { stride, words });
        }
        Ok(Image { classes })
    }

    /// The values of the roots.
    pub fn results(&self, roots: usize, device: &mut dyn Device) -> Result<Vec<u64>> {
        let words: Vec<u32> = device.download_vec(self.results, 2 * roots)?;
        Ok(words.chunks_exact(2).map(|w| u64::from(w[0]) | u64::from(w[1]) << 32).collect())
    }

    /// The word of `control` with the cells of a class.
    fn cells_word(&self, job: &Job<'_>, class: usize) -> usize {
        job.kernels.host.control.cells + job.kernels.shape.format.cells_stride as usize * class
    }

    /// All of them.
    fn buffers(&self) -> [BufferId; 15] {
        [
            self.heap,
            self.shared,
            self.shapes,
            self.pool,
            self.roots,
            self.results,
            self.queue,
            self.turns,
            self.joins,
            self.chunks,
            self.saved,
            self.spare_joins,
            self.control,
            self.counts,
            self.error,
        ]
    }

    /// Gives all device memory back.
    pub fn free(self, device: &mut dyn Device) -> Result<()> {
        self.buffers().into_iter().try_for_each(|buffer| device.free(buffer))?;
        self.collector.map_or(Ok(()), |collector| collector.free(device))
    }
}
