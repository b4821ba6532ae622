//! Host side of the `tasks` scheduler: brings start terms to a device, runs the kernel, brings normal forms back.
//!
//! Start terms are evaluated in waves: the applications whose arguments are values are the roots of one launch; what
//! their results are arguments of comes with the next one. When memory runs out, the run starts over with more of it;
//! where cells are found by tracing, launches and collections take turns before that.

mod capacity;
mod collect;
mod end;
mod fetch;
mod fit;
mod heap;
mod launch;
mod result;
mod scale;
mod start;

use std::time::Instant;

use gchr_base::control::{Control, Progress};
use gchr_base::error::StopReason;
use gchr_base::rule::{GroundTerm, Program};
use gchr_base::stats::Stats;
use gchr_terms::exec::NormalForm;
use gchr_terms::plan::TermPlan;

use super::kernels::Kernels;
pub use gchr_runtime::outcome::{Failure, Stopped};

use capacity::{Capacity, Full, InUse, Shortage};
use end::End;
use fetch::Pages;
use fit::fitting;
use gchr_kernel::device::{Device, DeviceError};
use gchr_runtime::meter::Meter;
use gchr_runtime::outcome::poll;
use launch::Buffers;
use result::ReadBack;
use scale::Scale;
use start::Start;

/// How to run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Bytes of device memory that the run may take.
    pub memory: u64,
    /// Bytes of device memory to start with; a run that needs more starts over with more.
    pub first_memory: u64,
    /// Threads a block, a multiple of 32 up to 128.
    pub block: u32,
    /// Blocks; at most as many as the device holds at a time.
    pub blocks: u32,
    /// Cells that a thread takes at a time; a power of two, 8 at least where cells are not given back one by one.
    pub run: u32,
    /// Free cells that threads hand to each other at a time.
    pub batch: u32,
    /// Rule applications after which a thread looks at the limits.
    pub report: u32,
    /// When to split frames.
    pub promote: Promote,
    /// Steps between two looks whether another thread waits for work.
    pub steps: u32,
    /// Where cells are found by tracing: cells of each class that threads may take between two collections, instead of
    /// all that there are. For tests.
    pub spare: Option<u32>,
    /// What is put up with rather than that the run waits for its collector to be compiled.
    pub uncollected: Uncollected,
    /// What is wanted of the results.
    pub results: Results,
}

/// What is brought to the host, or left lying for the launch that follows, without a collection before, where cells are
/// found by tracing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Uncollected {
    /// So many pages that results reach into.
    pub pages: usize,
    /// Else so many bytes of cells as they are, what no result reaches among them.
    pub bytes: u64,
}

impl Uncollected {
    /// A run waits for its collector, unless no result has a cell.
    pub const NONE: Self = Self { pages: 0, bytes: 0 };
    /// What takes less time to cross the bus than a collector to be compiled.
    pub const FASTER: Self = Self { pages: 1 << 10, bytes: 2 << 30 };
}

/// What is wanted of the results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Results {
    /// Normal forms, and the number of cells that they reach if these are not many: it takes longer than the run.
    NormalForms,
    /// Normal forms, and the number of cells that they reach.
    Counted,
    /// Their texts: for many small ones.
    Texts,
    /// Nothing: measurements leave them on the device.
    Nothing,
}

/// When threads split their frames.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Promote {
    /// When other threads wait for work.
    WhenAsked,
    /// Whenever there is one that can be split, and calls that are code of their caller have frames, too, where a
    /// thread may have to stop in them: for tests.
    Always,
}

/// A run that reached normal forms.
#[derive(Debug)]
pub struct TasksOutcome {
    /// One for each start term, in their order, if they are wanted.
    pub normal_forms: Vec<NormalForm>,
    /// Their texts, if those are wanted.
    pub texts: Vec<String>,
    /// What it cost.
    pub stats: Stats,
    /// What else the device counted.
    pub report: Report,
}

/// What the scheduler did.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Report {
    /// Frames that were split.
    pub promotions: u64,
    /// Calls that became tasks of their own.
    pub tasks: u64,
    /// Times that a full stack was cut.
    pub spills: u64,
    /// Times that the run started over with more memory.
    pub restarts: u64,
    /// Cells that were still in use at the end of the last launch and are no part of a result; 0 when cells are given
    /// back. Not known when they are not.
    pub left_over: Option<u64>,
    /// Times that cells were shifted.
    pub collections: u64,
}

/// What is run.
#[derive(Clone, Copy)]
pub struct Job<'a> {
    /// The program.
    pub program: &'a Program,
    /// Its plan, from which the kernels were made.
    pub plan: &'a TermPlan,
    /// Its kernels; the device was opened with them.
    pub kernels: &'a Kernels,
    /// What is normalised.
    pub inputs: &'a [GroundTerm],
}

/// Normalises terms on a device, side by side.
pub fn run(
    job: Job<'_>,
    options: Options,
    device: &mut dyn Device,
    control: &mut Control<'_>,
) -> Result<TasksOutcome, Failure> {
    let meter = Meter::start(device, control.recorder())?;
    let (totals, before) = (Totals::default(), Report::default());
    let mut runner = Runner {
        job,
        options,
        start: Instant::now(),
        totals,
        meter,
        before,
        full_since: None,
        left_lying: false,
        collects_always: false,
    };
    let result = runner.run(device, control);
    if let Some(recorder) = control.recorder() {
        runner.meter.report(recorder);
    }
    result.map_err(|failure| match failure {
        Failure::Stopped(mut stopped) => {
            let full = matches!(stopped.error.reason, StopReason::Memory { .. } | StopReason::Indices { .. });
            let since = runner.full_since.filter(|_| full);
            let full_ms = since.map(|since| since.elapsed().as_secs_f64() * 1e3);
            stopped.stats = Stats { full_ms, ..runner.stats(device) };
            Failure::Stopped(stopped)
        }
        device => device,
    })
}

/// What has been counted over all launches.
#[derive(Clone, Copy, Default, Debug)]
struct Totals {
    applied: u64,
    device_ms: f64,
    collect_ms: f64,
    bytes: u64,
    report: Report,
}

/// When a collection leaves less than this part of a class free, it needs more memory.
const LEAST_ROOM: u64 = 16;

struct Runner<'a> {
    job: Job<'a>,
    options: Options,
    start: Instant,
    totals: Totals,
    meter: Meter,
    /// What was counted before the launches under way.
    before: Report,
    /// When the last launch ended that found something full.
    full_since: Option<Instant>,
    /// Whether this attempt has begun a launch without a collection of what the one before has left.
    left_lying: bool,
    /// Whether that is over, since memory is short.
    collects_always: bool,
}

/// How one attempt ends that did not fail.
enum Attempt {
    Done(ReadBack),
    /// More is needed of something.
    Full(Shortage),
}

/// Whether the run must stop. The number of steps is checked where launches end.
fn polled(control: &mut Control<'_>, progress: Progress) -> Result<(), StopReason> {
    match control.poll(progress) {
        Err(reason) if !matches!(reason, StopReason::Steps { .. }) => Err(reason),
        _ => Ok(()),
    }
}

impl<'a> Runner<'a> {
    /// Reads the start terms.
    fn start(&self, control: &mut Control<'_>) -> Result<Start<'a>, Failure> {
        let progress = self.progress();
        Start::new(&self.job, &mut || polled(control, progress)).map_err(|reason| self.stopped(reason))
    }

    fn run(&mut self, device: &mut dyn Device, control: &mut Control<'_>) -> Result<TasksOutcome, Failure> {
        let beginning = self.meter.mark();
        let mut start = self.start(control)?;
        let kernel = device.kernel(self.job.kernels.host.run.name())?;
        let resident = device.resident_blocks(kernel, self.options.block)?;
        let scale = fitting(&self.job, &self.options, resident, &start);
        let scale = scale.map_err(|needed| self.too_little(needed))?;
        let mut capacity = Capacity::first(&self.job, &self.options, &scale, &start);
        loop {
            match self.attempt(&mut start, scale, &capacity, device, control)? {
                Attempt::Done(ReadBack { normal_forms, texts, cells, .. }) => {
                    let mut stats = self.stats(device);
                    stats.live_cells = cells;
                    return Ok(TasksOutcome { normal_forms, texts, stats, report: self.totals.report });
                }
                Attempt::Full(shortage) => {
                    if let Err(full) = capacity.grow(&self.job, &shortage, self.options.memory) {
                        if !self.left_lying {
                            return Err(self.out_of_memory(shortage.class, &full));
                        }
                        self.collects_always = true;
                    }
                    self.left_lying = false;
                    self.full_since = None;
                    self.totals.applied = 0;
                    self.meter.roll_back(&beginning);
                    let Report { restarts, collections, .. } = self.totals.report;
                    self.totals.report = Report { restarts: restarts + 1, collections, ..Report::default() };
                    start = self.start(control)?;
                }
            }
        }
    }

    fn attempt(
        &mut self,
        start: &mut Start<'_>,
        scale: Scale,
        capacity: &Capacity,
        device: &mut dyn Device,
        control: &mut Control<'_>,
    ) -> Result<Attempt, Failure> {
        self.totals.bytes = self.totals.bytes.max(capacity.bytes(&self.job));
        let mut buffers: Option<Buffers> = None;
        let result = self.waves(start, scale, capacity, &mut buffers, device, control);
        // A device that failed does not give its memory back either; the first failure is the one to tell.
        let freed = buffers.map_or(Ok(()), |buffers| buffers.free(device));
        result.and_then(|attempt| Ok(freed.map(|()| attempt)?))
    }

    fn waves(
        &mut self,
        start: &mut Start<'_>,
        scale: Scale,
        capacity: &Capacity,
        buffers: &mut Option<Buffers>,
        device: &mut dyn Device,
        control: &mut Control<'_>,
    ) -> Result<Attempt, Failure> {
        let mut last = None;
        // Whether all cells in use at the end are known to be needed.
        let mut exact = false;
        // Cells in use by class where they lie on the device already.
        let mut lie_there: Option<Vec<u64>> = None;
        // The cells that results reach, where not all came.
        let mut pages: Option<Pages> = None;
        loop {
            let progress = self.progress();
            let roots =
                start.next_wave(&mut || polled(control, progress)).map_err(|error| self.refused(error))?;
            if roots.is_empty() {
                break;
            }
            let in_use = lie_there.clone().unwrap_or_else(|| start.image.in_use());
            if let Some(class) = capacity.too_small(&in_use) {
                let in_use = InUse { cells: in_use, chunks: 0 };
                return Ok(Attempt::Full(Shortage { class: Some(class), in_use }));
            }
            let buffers = match buffers {
                Some(buffers) => buffers,
                None => buffers.insert(Buffers::new(&self.job, &self.options, scale, capacity, device)?),
            };
            if lie_there.is_none() {
                buffers.upload(&start.image, device)?;
            }
            buffers.load(&self.job, &in_use, &roots, device)?;
            let mut end = self.launches(buffers, roots.len(), capacity, device, control)?;
            if let Some(full) = self.examine(&end, start, device, buffers, control)? {
                return Ok(Attempt::Full(full));
            }
            // What lies there when other terms follow stays for the rest of the run. Cells that no result reaches cost
            // less than a wait for the collector's compiler, as long as there is memory.
            let in_a_hurry = !self.collects_always && !buffers.collector_is_at_hand(&self.job, device)?;
            if start.ends_here() && (in_a_hurry || self.may_skip_collection()) {
                start.results(buffers.results(roots.len(), device)?);
                pages = buffers.fetch(&self.job, &end, start.values(), in_a_hurry, device)?;
                if pages.is_some() {
                    (last, exact) = (Some(end), false);
                    continue;
                }
            }
            let as_it_is = match in_a_hurry {
                true => buffers.bytes_in_use(&end) <= self.options.uncollected.bytes,
                false => self.may_skip_collection() && buffers.is_soon_brought(&end),
            };
            self.left_lying |= as_it_is && !start.is_last_wave();
            let traced = self.job.kernels.tracing.is_some();
            exact = self.job.kernels.shapes.is_some() || traced && !as_it_is;
            if self.options.results != Results::Nothing && !as_it_is {
                self.collect(buffers, &mut end, device, control)?;
            }
            if self.options.results == Results::Nothing && start.is_last_wave() {
                return Ok(Attempt::Done(ReadBack::default()));
            }
            lie_there = match start.needs_cells() {
                true => {
                    start.image = buffers.download(&self.job, &end, device)?;
                    None
                }
                false => Some(end.cells.clone()),
            };
            last = Some(end);
            start.results(buffers.results(roots.len(), device)?);
        }
        let brought = self.read_back(start, pages, last.as_ref(), control)?;
        let counted = last.filter(|_| exact);
        let made = brought.made;
        self.totals.report.left_over = counted.zip(made).map(|(end, made)| end.in_use.wrapping_sub(made));
        Ok(Attempt::Done(brought))
    }

    /// Whether cells stay as they lie at the end of a launch where the collector is there, too, if it would take
    /// longer. Counts of references are checked against what results reach.
    fn may_skip_collection(&self) -> bool {
        let shown = matches!(self.options.results, Results::NormalForms | Results::Texts);
        shown && !self.collects_always && self.job.kernels.shapes.is_none()
    }

    /// The results, as the options want them. `pages`: the cells that they reach, where not all came; `last`: the end
    /// of the last launch.
    fn read_back(
        &self,
        start: &mut Start<'_>,
        pages: Option<Pages>,
        last: Option<&End>,
        control: &Control<'_>,
    ) -> Result<ReadBack, Failure> {
        let brought = match self.options.results {
            Results::NormalForms | Results::Counted => {
                let most = if self.options.results == Results::Counted { u64::MAX } else { crate::COUNTED };
                result::read_back(&self.job, start, pages, (last, most))
            }
            Results::Texts => result::texts(&self.job, start, pages.as_ref(), control.watch())
                .map(|texts| ReadBack { texts, ..ReadBack::default() }),
            Results::Nothing => Ok(ReadBack::default()),
        };
        brought.map_err(|reason| self.stopped(reason))
    }

    /// Launches and, when a class is full and cells are found by tracing, collections in between.
    fn launches(
        &mut self,
        buffers: &mut Buffers,
        roots: usize,
        capacity: &Capacity,
        device: &mut dyn Device,
        control: &mut Control<'_>,
    ) -> Result<End, Failure> {
        self.before = self.totals.report;
        let stop = self.job.kernels.host.stop;
        let mut applied = 0;
        loop {
            let mut end = self.launch(buffers, roots, device, control)?;
            if end.is_short() {
                self.full_since = Some(Instant::now());
            }
            let Some(class) = end.full.filter(|_| end.stop == stop.collect && end.is_short()) else {
                return Ok(end);
            };
            // Looking for garbage takes longer than starting over while memory can still be doubled.
            if self.options.spare.is_none()
                && capacity.can_double(&self.job, &end.shortage(), self.options.memory)
            {
                end.stop = stop.must_grow;
                return Ok(end);
            }
            let progress = end.applied - applied;
            applied = end.applied;
            self.before.collections += 1;
            self.totals.report.collections = self.before.collections;
            self.collect(buffers, &mut end, device, control)?;
            let (room, cells) = buffers.room(&end, class);
            if progress == 0 && buffers.try_harder(device)? {
                buffers.resume(&self.job, &end, device)?;
                continue;
            }
            if room < cells / LEAST_ROOM || progress == 0 {
                end.stop = stop.must_grow;
                return Ok(end);
            }
            buffers.resume(&self.job, &end, device)?;
        }
    }

    /// Shifts cells that nothing refers to out, if they are found by tracing; `end` says then what is left.
    fn collect(
        &mut self,
        buffers: &mut Buffers,
        end: &mut End,
        device: &mut dyn Device,
        control: &mut Control<'_>,
    ) -> Result<(), Failure> {
        if self.job.kernels.tracing.is_none() {
            return Ok(());
        }
        buffers.ready_collector(&self.job, device)?;
        let timer = device.start_timer()?;
        let launched = buffers.collect(&self.job, end, device);
        let took = launched.and_then(|()| device.stop_timer(timer));
        let took = took.map_err(|error| Failure::of_launch(error, control, self.progress()))?;
        self.totals.device_ms += took.as_secs_f64() * 1e3;
        self.totals.collect_ms += took.as_secs_f64() * 1e3;
        Ok(buffers.collected(end, device)?)
    }

    /// One launch, watched.
    fn launch(
        &mut self,
        buffers: &Buffers,
        roots: usize,
        device: &mut dyn Device,
        control: &mut Control<'_>,
    ) -> Result<End, Failure> {
        poll(control, self.progress())?;
        let most = control.limits().max_steps.unwrap_or(u64::MAX).saturating_sub(self.totals.applied);
        let timer = device.start_timer()?;
        let launched = buffers.launch(&self.job, roots, most, device);
        let watched = launched.and_then(|()| self.watch(buffers, device, control));
        let took = watched.and_then(|reason| Ok((reason, device.stop_timer(timer)?)));
        let (reason, took) = match took {
            Ok(took) => took,
            Err(error) => return Err(Failure::of_launch(error, control, self.progress())),
        };
        self.totals.device_ms += took.as_secs_f64() * 1e3;
        let end = buffers.end(&self.job, device)?;
        if let Some(recorder) = control.recorder() {
            self.meter.launched(device, recorder, "tasks", took)?;
            let steps = self.totals.applied + end.applied;
            recorder.point(Progress { steps, ..self.progress() });
        }
        self.totals.report = Report {
            promotions: self.before.promotions + end.promotions,
            tasks: self.before.tasks + end.tasks,
            spills: self.before.spills + end.spills,
            ..self.before
        };
        match reason {
            Some(reason) if end.stop != self.job.kernels.host.stop.done => {
                self.totals.applied += end.applied;
                Err(self.stopped(reason))
            }
            _ => Ok(end),
        }
    }

    /// Waits for the end of a launch, and has it stopped when the run is to stop: then the reason. A run that is
    /// recorded gets its points from the counters of the kernel that runs.
    fn watch(
        &mut self,
        buffers: &Buffers,
        device: &mut dyn Device,
        control: &mut Control<'_>,
    ) -> Result<Option<StopReason>, DeviceError> {
        let mut reason = None;
        let launched = Instant::now();
        while !device.is_idle()? {
            let mut progress = self.progress();
            if let Some(recorder) = control.recorder() {
                self.meter.look(device, recorder)?;
                progress.steps = self.meter.applied().unwrap_or(progress.steps);
            }
            if reason.is_none()
                && let Err(why) = control.poll(progress)
            {
                buffers.ask_to_stop(&self.job, device)?;
                reason = Some(why);
            }
            launch::pause(launched.elapsed());
        }
        Ok(reason)
    }

    /// What the end of a launch means; what was full, if that was it.
    fn examine(
        &mut self,
        end: &End,
        start: &mut Start<'_>,
        device: &mut dyn Device,
        buffers: &Buffers,
        control: &Control<'_>,
    ) -> Result<Option<Shortage>, Failure> {
        self.totals.applied += end.applied;
        let limit = control.limits().max_steps.filter(|&limit| self.totals.applied > limit);
        if let Some(limit) = limit {
            // What threads have computed beyond the limit counts as not done.
            self.totals.applied = limit;
            return Err(self.stopped(StopReason::Steps { limit }));
        }
        if end.failed() {
            return Err(self.failed(end, start, device, buffers)?);
        }
        if end.stop == self.job.kernels.host.stop.done {
            Ok(None)
        } else if end.is_short() {
            Ok(Some(end.shortage()))
        } else {
            let what = format!("the kernel ended with {}", end.stop);
            Err(self.stopped(StopReason::Internal { what }))
        }
    }

    fn failed(
        &self,
        end: &End,
        start: &mut Start<'_>,
        device: &mut dyn Device,
        buffers: &Buffers,
    ) -> Result<Failure, DeviceError> {
        start.image = buffers.download(&self.job, end, device)?;
        Ok(match result::explain(&self.job, end, &start.image) {
            Some((reason, site)) => {
                let mut failure = self.stopped(reason);
                if let (Failure::Stopped(stopped), Some(site)) = (&mut failure, site) {
                    stopped.error.rule = site.rule;
                    stopped.error.span = Some(site.span);
                }
                failure
            }
            None => Failure::Device(gchr_runtime::codegen::unknown_site(end.noted())),
        })
    }

    fn progress(&self) -> Progress {
        Progress { steps: self.totals.applied, bytes: self.totals.bytes, live: 0 }
    }

    fn stopped(&self, reason: StopReason) -> Failure {
        Failure::stopped(reason, self.progress())
    }

    /// An operator of the start term has no result.
    fn refused(&self, error: start::Refused) -> Failure {
        let mut failure = self.stopped(error.reason);
        if let Failure::Stopped(stopped) = &mut failure {
            stopped.error.span = error.span;
        }
        failure
    }

    fn too_little(&self, needed: u64) -> Failure {
        let what = format!("the tasks scheduler, which needs {needed} bytes to begin with this start term");
        self.stopped(StopReason::Memory { limit: self.options.memory, what })
    }

    fn out_of_memory(&self, class: Option<usize>, full: &Full) -> Failure {
        let what = class.map_or_else(
            || "frames of the tasks scheduler".to_string(),
            |class| heap::class_name(self.job.plan, class),
        );
        self.stopped(match *full {
            Full::Memory => StopReason::Memory { limit: self.options.memory, what },
            Full::Indices(limit) => StopReason::Indices { what, limit },
        })
    }

    fn stats(&self, device: &dyn Device) -> Stats {
        Stats {
            rewrites: Some(self.totals.applied),
            run_ms: Some(self.start.elapsed().as_secs_f64() * 1e3),
            device_ms: Some(self.totals.device_ms),
            peak_bytes: Some(self.totals.bytes),
            collections: self.job.kernels.tracing.as_ref().map(|_| self.totals.report.collections),
            collect_ms: self.job.kernels.tracing.as_ref().map(|_| self.totals.collect_ms),
            device: Some(device.limits().name.clone()),
            scheduler: Some("tasks".into()),
            ..Stats::default()
        }
    }
}
