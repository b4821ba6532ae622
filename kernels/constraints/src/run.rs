//! Host side of rounds: puts batches of constraints into tables, launches rounds, grows and collects tables, brings the
//! store back.

mod fast_paths;
mod output;
mod part;
mod resident;

use std::cell::Cell;
use std::sync::Arc;
use std::time::Instant;

use gchr_base::control::{Control, Progress};
use gchr_base::error::{RunError, StopReason};
use gchr_base::ids::IdVec;
use gchr_base::op::ArithmeticError;
use gchr_base::profile::Round;
use gchr_base::rule::Semantics;
use gchr_base::signature::{ConstraintId, SortKind};
use gchr_base::stats::Stats;
use gchr_base::value::heap::Import;
use gchr_base::value::{Heap, Terms};
use gchr_constraints::exec::{Store, is_evaluated};

pub use super::job::{FEW, Job, Options};
pub use part::{DevicePart, dealt};
pub use resident::{Ground, Resident};

use super::contract::{BLOCK, ExplainFailure, Rounds};

use super::tables::{End, Grown, MOST_WORDS, Tables};
use gchr_kernel::device::{Device, DeviceError, Launch};
use gchr_runtime::outcome::{self, poll};
use gchr_runtime::slices::{self, Slices};

/// A run that reached its end.
#[derive(Debug)]
pub struct RoundsOutcome {
    /// The final store.
    pub store: Store,
    /// How many constraints it has, by table, also where it was not brought back.
    pub sizes: IdVec<ConstraintId, u64>,
    /// What it cost.
    pub stats: Stats,
    /// Milliseconds of all rounds with the host's work between launches; the start and the way back of the store are
    /// not part of them.
    pub rounds_ms: f64,
}

/// Why there is no final store; a run that stopped has the store after the last whole round, if the device still has
/// it.
pub type Failure = outcome::Failure<Option<Store>>;

/// How many blocks rounds are launched with: one as long as rounds are small. A change costs a launch, some two small
/// rounds.
struct Grid {
    /// Blocks that run at once.
    most: u32,
    few: u32,
    alone: bool,
    /// After so many small rounds one block goes on; twice as many whenever it was too little.
    hysteresis: u32,
}

impl Grid {
    const HYSTERESIS: u32 = 16;

    /// For a batch of so many new constraints.
    fn new(most: u32, few: u32, batch: u64) -> Self {
        Self { most, few, alone: most > 1 && batch <= u64::from(few), hysteresis: Self::HYSTERESIS }
    }

    fn blocks(&self) -> u32 {
        if self.alone { 1 } else { self.most }
    }

    /// What the kernel is to be told: 0 for a launch that ends when rounds become large.
    fn hysteresis(&self) -> u32 {
        match self.alone {
            true => 0,
            // Nothing is gained where there is one block only, or none may be alone.
            false if self.most == 1 || self.few == 0 => u32::MAX,
            false => self.hysteresis,
        }
    }

    fn change(&mut self) {
        if self.alone {
            self.hysteresis = self.hysteresis.saturating_mul(2);
        }
        self.alone = !self.alone;
    }
}

/// Runs a program on a device.
pub fn run(
    job: Job<'_>,
    options: Options,
    device: &mut dyn Device,
    control: &mut Control<'_>,
) -> Result<RoundsOutcome, Failure> {
    let start = Instant::now();
    let mut runner = Runner::new(job, options, device, control)?;
    let mut tables = runner.new_tables(device)?;
    let ended = runner.batches(&mut tables, device, control);
    let ended = ended.map_err(|failure| runner.out_of_memory(failure));
    runner.slices.report(control);
    let result = runner.finish(ended, &tables, start, device);
    // A device that failed does not give its memory back either; the first failure is the one to tell.
    let freed = tables.free(device);
    result.and_then(|outcome| Ok(freed.map(|()| outcome)?))
}

/// What a launch of rounds was told.
#[derive(Clone, Copy)]
struct LaunchLimits {
    /// The last round must not fire.
    at_limit: bool,
    max_firings: u64,
}

struct Runner<'a> {
    job: Job<'a>,
    options: Options,
    slices: Slices,
    rounds_ms: f64,
    peak: u64,
    rounds: u64,
    fired: u64,
    live: u64,
    collections: u64,
    /// After how many rounds a batch is left as it is, to go on with it later.
    pause_at: Option<u64>,
}

impl<'a> Runner<'a> {
    fn new(
        job: Job<'a>,
        options: Options,
        device: &mut dyn Device,
        control: &mut Control<'_>,
    ) -> Result<Self, Failure> {
        let slices = Slices::new(device, control)?;
        Ok(Self {
            job,
            options,
            slices,
            rounds_ms: 0.0,
            peak: 0,
            rounds: 0,
            fired: 0,
            live: 0,
            collections: 0,
            pause_at: None,
        })
    }

    /// Tables without constraints, with the terms that the run starts with.
    fn new_tables(&self, device: &mut dyn Device) -> Result<Tables, Failure> {
        let words = self.job.input.heap.cells().len() as u64;
        if words > MOST_WORDS {
            let reason = StopReason::Indices { what: "terms".into(), limit: MOST_WORDS };
            return Err(RunError { reason, rule: None, span: None, progress: self.progress() }.into());
        }
        let tables = Tables::new(&self.job, &self.options, device);
        tables.map_err(|error| match self.out_of_memory(error.into()) {
            outcome::Failure::Stopped(stopped) => Failure::from(stopped.error),
            outcome::Failure::Device(error) => Failure::Device(error),
        })
    }

    fn batches(
        &mut self,
        tables: &mut Tables,
        device: &mut dyn Device,
        control: &mut Control<'_>,
    ) -> Result<(), outcome::Failure> {
        for number in 0..self.job.input.batches.len() {
            self.begin_batch(number, tables, device, control)?;
            self.go_on(tables, device, control)?;
        }
        Ok(())
    }

    /// Adds the constraints of a batch, for rounds to start from them.
    fn begin_batch(
        &mut self,
        number: usize,
        tables: &mut Tables,
        device: &mut dyn Device,
        control: &mut Control<'_>,
    ) -> Result<(), outcome::Failure> {
        let batch = &self.job.input.batches[number];
        self.write_of_query(number, control)?;
        let grown = tables.make_room(batch, self.options.memory, device)?;
        self.must_have(grown)?;
        let resident = self.resident(device, self.job.kernels.host.enter.name())?;
        tables.probe_fast_paths(self.takes_fast_paths(control), self.job.kernels, batch);
        let entered = tables.put(batch, resident, device)?;
        self.fired = tables.fired();
        self.slices.add(entered);
        self.count_reduced(tables);
        self.rounds_ms += entered.as_secs_f64() * 1e3;
        self.live = tables.live();
        match &self.job.input.ended {
            Some(error) if number + 1 == self.job.input.batches.len() => {
                Err(RunError { progress: self.progress(), ..error.clone() }.into())
            }
            _ => Ok(()),
        }
    }

    /// Does the rounds of a batch, to its end or to where it is to pause.
    fn go_on(
        &mut self,
        tables: &mut Tables,
        device: &mut dyn Device,
        control: &mut Control<'_>,
    ) -> Result<(), outcome::Failure> {
        let start = Instant::now();
        let ended = match self.take_fast_path(tables, device, control) {
            Ok(false) => self.iterate(tables, device, control),
            ended => ended.map(|_| ()),
        };
        let waited = device.synchronize();
        self.rounds_ms += start.elapsed().as_secs_f64() * 1e3;
        ended?;
        waited?;
        Ok(())
    }

    /// Counts the constraints of the batch just put that were reduced to one without a kernel that tallies them.
    fn count_reduced(&mut self, tables: &Tables) {
        let Job { plan, kernels, .. } = self.job;
        for reduction in plan.classes.reductions.iter() {
            let rows = tables.fresh_rows(reduction.constraint);
            if kernels.layout.tables[reduction.constraint].reduced_to_one && rows > 1 {
                self.slices.fired(reduction.rule, rows - 1);
            }
        }
    }

    fn resident(&self, device: &mut dyn Device, kernel: &str) -> Result<u32, DeviceError> {
        let kernel = device.kernel(kernel)?;
        device.resident_blocks(kernel, BLOCK)
    }

    fn iterate(
        &mut self,
        tables: &mut Tables,
        device: &mut dyn Device,
        control: &mut Control<'_>,
    ) -> Result<(), outcome::Failure> {
        let host = Arc::clone(&self.job.kernels.host);
        let stop = host.stop;
        let kernel = device.kernel(host.rounds.name())?;
        let resident = device.resident_blocks(kernel, BLOCK)?;
        let mut grid = Grid::new(resident, self.options.few, tables.batch_size());
        let mut offers = self.batch_offers(tables, control);
        let room = tables.make_room_for_items(self.options.memory, device)?;
        self.must_have(room)?;
        loop {
            self.peak = self.peak.max(tables.bytes());
            if self.pause_at.is_some_and(|pause| self.rounds >= pause) {
                return Ok(());
            }
            poll(control, self.progress())?;
            let until_pause = self.pause_at.map_or(u64::MAX, |pause| pause - self.rounds);
            let longest = u64::from(self.slices.rounds(control)).min(until_pause) as u32;
            let max_rounds = control.limits().max_rounds;
            let left = max_rounds.map_or(u64::from(longest), |most| most.saturating_sub(self.rounds));
            // After the last round, a round that may not fire says whether anything is left to do.
            let at_limit = left == 0;
            let mut slice = u32::try_from(left).unwrap_or(longest).min(longest).max(1);
            let before = self.rounds;
            let mut offered = false;
            if offers && tables.has_room_for_items() {
                offered = self.offer_values(tables, device, control)?;
                offers = offered;
                slice = if offered { 1 } else { slice };
            }
            let params = tables.params()?;
            let most = match at_limit {
                true => self.fired,
                false => control.limits().max_steps.unwrap_or(u64::MAX),
            };
            let (few, hysteresis) = (grid.few, grid.hysteresis());
            let rounds = Rounds { p: &params, slice, max_firings: most, few, hysteresis, offered };
            let args = host.rounds.args(&rounds);
            let launch = Launch { kernel, grid: grid.blocks(), block: BLOCK, args: &args, cooperative: true };
            self.slices.launch("rounds", &launch, device, control, self.progress())?;
            let end = tables.end_of_launch(device)?;
            (self.rounds, self.fired, self.live) = (end.rounds, end.fired, tables.live());
            // What is offered to a round that was given up is found again.
            offers &= self.rounds == before;
            let round = Round { rounds: self.rounds, progress: self.progress() };
            slices::record(control, self.collections, round);
            self.write(tables, device, control)?;
            offers |= end.stop == stop.may_offer;
            let limits = LaunchLimits { at_limit, max_firings: most };
            if self.is_over(&end, limits, &mut grid, tables, device, control)? {
                return Ok(());
            }
        }
    }

    /// Does what a launch has ended for; whether all rounds of the batch are done.
    fn is_over(
        &mut self,
        end: &End,
        limits: LaunchLimits,
        grid: &mut Grid,
        tables: &mut Tables,
        device: &mut dyn Device,
        control: &mut Control<'_>,
    ) -> Result<bool, outcome::Failure> {
        let stop = self.job.kernels.host.stop;
        match end.stop {
            s if s == stop.done => return Ok(true),
            s if limits.at_limit && (s == stop.paused || s == stop.no_steps) => {
                return Err(self.halt(StopReason::Rounds { limit: self.rounds }));
            }
            s if s == stop.paused => {}
            s if s == stop.must_grow => {
                let grown = tables.grow(end, self.options.memory, device)?;
                self.must_have(grown)?;
            }
            s if s == stop.must_collect => {
                self.collections += tables.collect(device)?;
            }
            s if s == stop.no_cells => {
                let grown = tables.make_room_for_terms(self.options.memory, device)?;
                self.collections += 1;
                self.must_have(grown)?;
            }
            s if s == stop.other_grid => grid.change(),
            s if s == stop.may_take_fast_path => {
                tables.start_from_round(end);
                if !limits.at_limit && self.take_fast_path(tables, device, control)? {
                    return Ok(true);
                }
            }
            s if s == stop.may_offer => {}
            s if s == stop.must_clear => tables.clear_claims(device)?,
            s if s == stop.no_steps => {
                return Err(self.halt(StopReason::Steps { limit: limits.max_firings }));
            }
            s if s == stop.no_ids => {
                let limit = u64::from(u32::MAX);
                return Err(self.halt(StopReason::Indices { what: "ids of constraints".into(), limit }));
            }
            s if s == stop.value_failed => return Err(self.noted(tables, device)?),
            s if s == stop.guard_failed => return Err(self.explain(tables, false, device)?),
            s if s == stop.body_failed => return Err(self.explain(tables, true, device)?),
            other => {
                let what = format!("a launch of rounds ended for the unknown reason {other}");
                return Err(self.halt(StopReason::Internal { what }));
            }
        }
        Ok(false)
    }

    fn must_have(&self, grown: Grown) -> Result<(), outcome::Failure> {
        match grown.lack(self.options.memory) {
            None => Ok(()),
            Some(reason) => Err(self.halt(reason)),
        }
    }

    /// A device that could not give what the limit allows: other programs hold memory of it, or buffers old and new did
    /// not fit at once. What the tables hold is whole.
    fn out_of_memory(&self, failure: outcome::Failure) -> outcome::Failure {
        let outcome::Failure::Device(DeviceError::OutOfMemory { used, free, .. }) = failure else {
            return failure;
        };
        let what = "the tables and lists of rounds on the device".into();
        self.halt(StopReason::Memory { limit: self.options.memory.min(used + free), what })
    }

    fn progress(&self) -> Progress {
        Progress { steps: self.fired, bytes: self.peak, live: self.live }
    }

    fn halt(&self, reason: StopReason) -> outcome::Failure {
        outcome::Failure::stopped(reason, self.progress())
    }

    /// The error at the place where the last launch failed.
    fn explain(
        &self,
        tables: &Tables,
        body: bool,
        device: &mut dyn Device,
    ) -> Result<outcome::Failure, DeviceError> {
        let layout = &self.job.kernels.host.explain_failure;
        let kernel = device.kernel(layout.name())?;
        let params = tables.params()?;
        let explain = ExplainFailure { p: &params, body: u32::from(body) };
        let args = layout.args(&explain);
        device.launch(&Launch { kernel, grid: 1, block: BLOCK, args: &args, cooperative: false })?;
        self.noted(tables, device)
    }

    /// The error that the device has noted.
    fn noted(&self, tables: &Tables, device: &mut dyn Device) -> Result<outcome::Failure, DeviceError> {
        let noted = tables.noted(device)?;
        let cells = tables.terms(device)?;
        let has_value = Cell::new(false);
        let show = |kind, word| {
            let mut heap = Heap::new();
            let word = match kind {
                SortKind::Any => Import::new(&cells).word(&mut heap, word).ok(),
                _ => Some(word),
            };
            let terms = Terms { signature: &self.job.program.signature, heap: &heap };
            has_value.set(
                has_value.get() || kind == SortKind::Any && word.is_some_and(|w| is_evaluated(terms, w)),
            );
            word.map_or("a term without a cell".into(), |word| terms.value(kind, word).shown())
        };
        let mut place = noted.and_then(|noted| self.job.kernels.sites.explain_with(&noted, show));
        // Only numbers are computed with on a device; elsewhere a term would be evaluated.
        if let Some((StopReason::Arithmetic { error: error @ ArithmeticError::Type, .. }, _)) = &mut place
            && has_value.get()
        {
            *error = ArithmeticError::Unevaluated;
        }
        Ok(outcome::Failure::at_site(noted, place, self.progress()))
    }

    fn stats(&self, start: Instant, live: Option<u64>, device: &dyn Device) -> Stats {
        Stats {
            firings: Some(self.fired),
            rounds: Some(self.rounds),
            run_ms: Some(start.elapsed().as_secs_f64() * 1e3),
            device_ms: Some(self.slices.device_ms()),
            live_cells: live,
            peak_bytes: Some(self.peak),
            collections: Some(self.collections),
            device: Some(device.limits().name.clone()),
            semantics: Some(Semantics::Rounds.name().into()),
            ..Stats::default()
        }
    }

    fn finish(
        &self,
        ended: Result<(), outcome::Failure>,
        tables: &Tables,
        start: Instant,
        device: &mut dyn Device,
    ) -> Result<RoundsOutcome, Failure> {
        match ended {
            Ok(()) => {
                let store = match self.options.store {
                    true => tables.download(&self.job, device)?,
                    false => Store::new(self.job.plan, Heap::new()),
                };
                let stats = self.stats(start, Some(tables.live()), device);
                Ok(RoundsOutcome { store, sizes: tables.counts(), stats, rounds_ms: self.rounds_ms })
            }
            Err(outcome::Failure::Device(error)) => Err(Failure::Device(error)),
            Err(outcome::Failure::Stopped(stopped)) => {
                let is_whole = !self.slices.cut_off();
                let is_wanted = is_whole && self.options.store;
                let left = if is_wanted { tables.download(&self.job, device).ok() } else { None };
                let stats = self.stats(start, is_whole.then(|| tables.live()), device);
                Err(Failure::Stopped(Box::new(outcome::Stopped { error: stopped.error, left, stats })))
            }
        }
    }
}
