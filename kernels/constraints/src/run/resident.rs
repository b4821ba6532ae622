//! Tables that outlive runs: each run goes on with what the ones before it left on the device, and one that stops
//! leaves the store as it was.
//!
//! Before a run what the tables hold is copied, on the device or, where that would take too much of its memory, to the
//! host. The copy is kept until the next run has ended well, so that the last run can be taken back.

use std::time::Instant;

use gchr_base::control::{Control, Progress};
use gchr_base::error::{RunError, StopReason};
use gchr_base::facts::Facts;
use gchr_base::rule::Program;
use gchr_base::signature::ConstraintId;
use gchr_base::stats::Stats;
use gchr_base::value::Heap;
use gchr_constraints::exec::Store;
use gchr_constraints::plan::ChrPlan;

use super::{Failure, Job, Options, Runner, Tables};
use crate::kernels::Kernels;
use crate::start::{self, Input};
use crate::tables::MOST;
use crate::tables::snapshot::Snapshot;
use gchr_kernel::device::{Device, DeviceError};
use gchr_runtime::outcome;

/// Ids from which on constraints are numbered anew before a run, so that it has enough of them.
const MANY_IDS: u64 = 3 << 30;

/// What all runs have in common. The program's signature may have grown from one to the next.
#[derive(Clone, Copy)]
pub struct Ground<'a> {
    /// The program.
    pub program: &'a Program,
    /// Its plan for rounds.
    pub plan: &'a ChrPlan,
    /// Its kernels; the device was opened with them.
    pub kernels: &'a Kernels,
}

impl<'a> Ground<'a> {
    pub(super) fn job(self, input: &'a Input) -> Job<'a> {
        Job { program: self.program, plan: self.plan, kernels: self.kernels, input }
    }
}

/// A store on a device, between runs. All calls are given the same device.
#[derive(Default)]
pub struct Resident {
    /// None before the first run.
    tables: Option<Tables>,
    /// What the store was before the last run.
    before: Option<Before>,
    /// While a run goes on, what it was before the one that ended last.
    older: Option<Before>,
}

/// A store that can be had again.
enum Before {
    Empty,
    Copied(Snapshot),
    /// Where a copy does not fit the device.
    Fetched(Box<Store>),
}

impl Before {
    /// Bytes of device memory that it takes.
    fn bytes(&self) -> u64 {
        match self {
            Before::Copied(snapshot) => snapshot.bytes(),
            Before::Empty | Before::Fetched(_) => 0,
        }
    }

    fn free(self, device: &mut dyn Device) -> Result<(), DeviceError> {
        match self {
            Before::Copied(snapshot) => snapshot.free(device),
            Before::Empty | Before::Fetched(_) => Ok(()),
        }
    }
}

impl Resident {
    /// Tables that hold a store.
    pub fn load(
        ground: Ground<'_>,
        store: &Store,
        options: Options,
        device: &mut dyn Device,
    ) -> Result<Self, Failure> {
        let input = Input::default();
        let tables = Tables::of_store(&ground.job(&input), &options, store, device)?;
        let tables =
            tables.ok_or_else(|| stopped(StopReason::Indices { what: "constraints".into(), limit: MOST }))?;
        Ok(Self { tables: Some(tables), before: None, older: None })
    }

    /// Bytes of device memory that the tables take.
    pub fn bytes(&self) -> u64 {
        self.tables.as_ref().map_or(0, Tables::bytes)
    }

    /// How many constraints of a symbol are in the store.
    pub fn count(&self, constraint: ConstraintId) -> u64 {
        self.tables.as_ref().map_or(0, |tables| tables.counts()[constraint])
    }

    /// Whether the last run can be taken back.
    pub fn is_undoable(&self) -> bool {
        self.before.is_some()
    }

    /// The store, and the id of the next constraint.
    pub fn store(&self, ground: Ground<'_>, device: &mut dyn Device) -> Result<(Store, u64), DeviceError> {
        match &self.tables {
            None => Ok((Store::new(ground.plan, Heap::new()), 0)),
            Some(tables) => {
                let store = tables.download(&ground.job(&Input::default()), device)?;
                Ok((store, tables.next_id()))
            }
        }
    }

    /// Runs facts, then the queries of the program, on the store. When the run stops, the store is what it was. When
    /// the device fails, no tables are left, and perhaps a [rest](Self::into_rest).
    pub fn run(
        &mut self,
        ground: Ground<'_>,
        facts: &[Facts],
        options: Options,
        device: &mut dyn Device,
        control: &mut Control<'_>,
    ) -> Result<Stats, Failure> {
        let start = Instant::now();
        let mut input = start::input(ground.program, ground.plan, facts, control);
        self.number_anew(ground, &options, device)?;
        self.remember(ground, &options, device)?;
        let ran = self.run_batches(ground, &mut input, options, start, device, control);
        match ran {
            Ok(stats) => {
                self.older.take().map_or(Ok(()), |older| older.free(device))?;
                Ok(stats)
            }
            Err(Failure::Stopped(mut stopped)) => {
                stopped.left = None;
                self.undo(ground, options, device)?;
                self.before = self.older.take();
                Err(Failure::Stopped(stopped))
            }
            Err(failure) => {
                (self.tables, self.older) = (None, None);
                Err(failure)
            }
        }
    }

    /// What is left when a device has failed: the store as it was before the last run, where it was kept on the host.
    pub fn into_rest(self) -> Option<Store> {
        match self.before {
            Some(Before::Fetched(store)) => Some(*store),
            _ => None,
        }
    }

    fn run_batches(
        &mut self,
        ground: Ground<'_>,
        input: &mut Input,
        options: Options,
        start: Instant,
        device: &mut dyn Device,
        control: &mut Control<'_>,
    ) -> Result<Stats, Failure> {
        let copied = self.before.iter().chain(&self.older).map(Before::bytes).sum();
        let memory = options.memory.saturating_sub(copied);
        if let Some(tables) = &mut self.tables {
            tables.begin_run();
            let lack = tables.take_terms(input, &ground.job(&Input::default()), memory, device)?;
            if let Some(reason) = lack {
                return Err(stopped(reason));
            }
        }
        let job = ground.job(input);
        let mut runner = Runner::new(job, Options { memory, ..options }, device, control)?;
        let mut tables = match self.tables.take() {
            Some(tables) => tables,
            None => runner.new_tables(device)?,
        };
        let ended = runner.batches(&mut tables, device, control);
        let ended = ended.map_err(|failure| runner.out_of_memory(failure));
        runner.slices.report(control);
        let stats = runner.stats(start, Some(tables.live()), device);
        self.tables = Some(tables);
        match ended {
            Ok(()) => Ok(stats),
            Err(outcome::Failure::Device(error)) => Err(Failure::Device(error)),
            Err(outcome::Failure::Stopped(stopped)) => {
                let stopped = outcome::Stopped { error: stopped.error, left: None, stats };
                Err(Failure::Stopped(Box::new(stopped)))
            }
        }
    }

    /// Makes the store what it was before the last run; whether that is known.
    pub fn undo(
        &mut self,
        ground: Ground<'_>,
        options: Options,
        device: &mut dyn Device,
    ) -> Result<bool, Failure> {
        let Some(before) = self.before.take() else { return Ok(false) };
        if let Some(tables) = self.tables.take() {
            tables.free(device)?;
        }
        match before {
            Before::Empty => {}
            Before::Copied(snapshot) => {
                let input = Input::default();
                self.tables = Some(snapshot.restore(&ground.job(&input), &options, device)?);
            }
            Before::Fetched(store) => match Self::load(ground, &store, options, device) {
                Ok(loaded) => self.tables = loaded.tables,
                Err(failure) => {
                    self.before = Some(Before::Fetched(store));
                    return Err(failure);
                }
            },
        }
        Ok(true)
    }

    /// Gives all device memory back.
    pub fn free(self, device: &mut dyn Device) -> Result<(), DeviceError> {
        for before in self.before.into_iter().chain(self.older) {
            before.free(device)?;
        }
        self.tables.map_or(Ok(()), |tables| tables.free(device))
    }

    /// Keeps what the store is. What it was before the last run is kept until the next one has ended, if there is room.
    fn remember(
        &mut self,
        ground: Ground<'_>,
        options: &Options,
        device: &mut dyn Device,
    ) -> Result<(), DeviceError> {
        let needed = self.tables.as_ref().map_or(0, |tables| tables.bytes() + Snapshot::bytes_of(tables));
        let room = options.memory / 2;
        self.older = match self.before.take() {
            Some(older) if older.bytes() > 0 && needed + older.bytes() > room => {
                older.free(device)?;
                None
            }
            older => older,
        };
        self.before = Some(match &self.tables {
            None => Before::Empty,
            Some(tables) if needed <= room => Before::Copied(Snapshot::take(tables, device)?),
            Some(_) => Before::Fetched(Box::new(self.store(ground, device)?.0)),
        });
        Ok(())
    }

    /// Gives the constraints smaller ids where few are left.
    fn number_anew(
        &mut self,
        ground: Ground<'_>,
        options: &Options,
        device: &mut dyn Device,
    ) -> Result<(), Failure> {
        if self.tables.as_ref().is_none_or(|tables| tables.next_id() < MANY_IDS) {
            return Ok(());
        }
        let (store, _) = self.store(ground, device)?;
        std::mem::take(self).free(device)?;
        *self = Self::load(ground, &store, *options, device)?;
        Ok(())
    }
}

/// A run that stopped before its first round.
fn stopped(reason: StopReason) -> Failure {
    let progress = Progress { steps: 0, bytes: 0, live: 0 };
    Failure::from(RunError { reason, rule: None, span: None, progress })
}
