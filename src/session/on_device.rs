//! The store of a session on a GPU or its simulator: tables, kernels and context stay there from run to run.

use gchr_base::control::Control;
use gchr_base::diagnostic::Diagnostic;
use gchr_base::error::StopReason;
use gchr_base::facts::Facts;
use gchr_base::rule::Program;
use gchr_base::signature::ConstraintId;
use gchr_base::source::SourceMap;
use gchr_base::stats::Stats;
use gchr_constraints::exec::Store;
use gchr_constraints::resident::Resident;
use gchr_kernel::device::DeviceError;
use gchr_kernels_constraints::run::{self, Failure};

use crate::device::backend::{HasStats, Placement};
use crate::diagnostics::trace_missing;
use crate::executor::{StoppedRun, Unfinished};
use crate::executors::device_rounds::{DeviceRoundsProgram, room};
use crate::options::CompileOptions;

/// A store on a device.
pub(super) struct DeviceStore {
    texts: SourceMap,
    options: CompileOptions,
    /// The program on the device; nothing once the device has failed.
    loaded: Option<DeviceRoundsProgram>,
    tables: run::Resident,
    /// Whether the tables hold the store.
    is_there: bool,
    /// The store here, where somebody has asked for it since the last run, or the tables do not hold it.
    here: Option<Resident>,
    has_run: bool,
}

/// Why a store on a device is not what was asked for.
pub(super) enum Stopped {
    /// A run stopped; the store is what it was before.
    Run(Box<StoppedRun>),
    /// The device failed, or there is no room.
    Found(Vec<Diagnostic>),
}

impl DeviceStore {
    /// Generates the kernels and brings them to the device.
    pub fn new(
        program: &Program,
        texts: &SourceMap,
        options: &CompileOptions,
    ) -> Result<Self, Vec<Diagnostic>> {
        if options.derivations {
            let message = "derivations are recorded on the processor only";
            let help =
                "leave out --device or --why; `gchr why --device` explains constraints of a run on a device";
            return Err(vec![Diagnostic::error("U0110", message).help(help)]);
        }
        let loaded = DeviceRoundsProgram::checked(program, texts, options)?;
        Ok(Self {
            texts: texts.clone(),
            options: *options,
            loaded: Some(loaded),
            tables: run::Resident::default(),
            is_there: false,
            here: Some(Resident::new(0)),
            has_run: false,
        })
    }

    /// Whether nothing has run, and the store is empty.
    pub fn is_untouched(&self) -> bool {
        !self.has_run && self.here.as_ref().is_some_and(|here| here.store().is_empty())
    }

    /// Makes the store another one.
    pub fn set(&mut self, store: Resident) -> Result<(), Vec<Diagnostic>> {
        self.free_tables()?;
        self.here = Some(store);
        Ok(())
    }

    /// The store, for a place where so many runs can be taken back.
    pub fn take(&mut self, program: &Program, depth: usize) -> Result<Resident, Vec<Diagnostic>> {
        self.fetch(program)?;
        self.free_tables()?;
        Ok(self.here.take().map_or_else(|| Resident::new(depth), |here| here.with_depth(depth)))
    }

    /// Other kernels, since columns hold more than before. The store comes here, and goes back with the next run.
    pub fn widen(&mut self, program: &Program) -> Result<(), Vec<Diagnostic>> {
        self.fetch(program)?;
        self.free_tables()?;
        self.loaded = None;
        Ok(())
    }

    /// Runs facts, then the queries of the program. A device that fails has lost what was not [fetched](Self::fetch).
    pub fn run(
        &mut self,
        program: &Program,
        facts: &[Facts],
        control: &mut Control<'_>,
    ) -> Result<Stats, Stopped> {
        if control.sees_firings() {
            return Err(Stopped::Found(vec![trace_missing()]));
        }
        self.make_ready(program)?;
        let Self { loaded: Some(loaded), tables, .. } = self else { return Ok(Stats::default()) };
        let held = tables.bytes();
        let ran = loaded.backend.run_on(held, control, |placement, control| {
            tables.run(loaded.ground(program), facts, room(&placement), placement.device, control)
        });
        match ran {
            Ok(stats) => {
                (self.here, self.has_run) = (None, true);
                Ok(stats)
            }
            Err(failure) => Err(self.failed(failure)),
        }
    }

    /// Makes the store what it was before the last run; whether that is known.
    pub fn undo(&mut self, program: &Program) -> Result<bool, Vec<Diagnostic>> {
        if !self.is_there || !self.tables.is_undoable() {
            return Ok(false);
        }
        self.on_tables(
            |tables, ground, placement| tables.undo(ground, room(&placement), placement.device),
            program,
        )?;
        self.here = None;
        Ok(true)
    }

    /// How many constraints of a symbol are in the store.
    pub fn count(&self, constraint: ConstraintId) -> usize {
        match &self.here {
            Some(here) => here.store().count(constraint),
            None => self.tables.count(constraint) as usize,
        }
    }

    /// Brings the store here, if it is not.
    pub fn fetch(&mut self, program: &Program) -> Result<&Resident, Vec<Diagnostic>> {
        if self.here.is_none() {
            let (store, next_id) = self.on_tables(
                |tables, ground, placement| tables.store(ground, placement.device).map_err(Failure::Device),
                program,
            )?;
            self.here = Some(Resident::of(store, next_id, 0));
        }
        Ok(self.here.get_or_insert_with(|| Resident::new(0)))
    }

    /// The store, once it was [fetched](Self::fetch).
    pub fn fetched(&self) -> Option<&Store> {
        self.here.as_ref().map(Resident::store)
    }

    /// The program on the device, and the store in its tables.
    fn make_ready(&mut self, program: &Program) -> Result<(), Stopped> {
        if self.loaded.is_none() {
            let loaded = DeviceRoundsProgram::checked(program, &self.texts, &self.options);
            self.loaded = Some(loaded.map_err(Stopped::Found)?);
            self.is_there = false;
        }
        if self.is_there {
            return Ok(());
        }
        if let (Some(here), Some(loaded)) = (&mut self.here, &self.loaded)
            && !here.store().is_empty()
        {
            here.fit(loaded.plan())
                .map_err(|reason: StopReason| Stopped::Found(vec![reason.to_diagnostic()]))?;
            let store = here.store();
            let made = loaded.backend.run_on(0, &mut Control::default(), |placement, _| {
                let (ground, room) = (loaded.ground(program), room(&placement));
                run::Resident::load(ground, store, room, placement.device).map(Given::new)
            });
            match made {
                Ok(Given { value, .. }) => self.tables = value,
                Err(failure) => return Err(self.failed(failure)),
            }
        }
        self.is_there = true;
        Ok(())
    }

    fn free_tables(&mut self) -> Result<(), Vec<Diagnostic>> {
        let tables = std::mem::take(&mut self.tables);
        self.is_there = false;
        let Some(loaded) = &self.loaded else { return Ok(()) };
        let freed = loaded.backend.run_on(0, &mut Control::default(), |placement, _| {
            tables.free(placement.device).map(Given::new).map_err(Failure::Device)
        });
        freed.map(drop).map_err(|failure| self.failed(failure).found())
    }

    /// Does something with the tables.
    fn on_tables<T>(
        &mut self,
        work: impl FnOnce(&mut run::Resident, run::Ground<'_>, Placement<'_>) -> Result<T, Failure>,
        program: &Program,
    ) -> Result<T, Vec<Diagnostic>> {
        let Self { loaded: Some(loaded), tables, .. } = self else { return Err(vec![lost()]) };
        let held = tables.bytes();
        let done = loaded.backend.run_on(held, &mut Control::default(), |placement, _| {
            work(tables, loaded.ground(program), placement).map(Given::new)
        });
        done.map(|given| given.value).map_err(|failure| self.failed(failure).found())
    }

    /// What is left after a failure: all, unless it is one of the device.
    fn failed(&mut self, failure: Failure) -> Stopped {
        match Unfinished::from(failure) {
            Unfinished::Stopped(stopped) => Stopped::Run(stopped),
            Unfinished::Device(error) => Stopped::Found(self.device_failed(error)),
            _ => Stopped::Found(Vec::new()),
        }
    }

    fn device_failed(&mut self, error: DeviceError) -> Vec<Diagnostic> {
        let mut found = error.into_diagnostics();
        let rest = std::mem::take(&mut self.tables).into_rest();
        (self.loaded, self.is_there) = (None, false);
        if let (None, Some(store)) = (&self.here, rest) {
            let next_id = store.next_id();
            self.here = Some(Resident::of(store, next_id, 0));
        }
        match &self.here {
            Some(_) => found.iter_mut().for_each(|d| d.notes.push("the store is what it was before".into())),
            None => {
                found.push(lost());
                self.here = Some(Resident::new(0));
            }
        }
        found
    }
}

impl Stopped {
    fn found(self) -> Vec<Diagnostic> {
        match self {
            Stopped::Found(found) => found,
            Stopped::Run(stopped) => vec![stopped.error.reason.to_diagnostic()],
        }
    }
}

fn lost() -> Diagnostic {
    Diagnostic::error("U0148", "the device has failed, and the store of the session is lost")
        .help("add its facts and goals again; `save` keeps a store in a file")
}

/// What is done on a device beside runs: its statistics are nobody's.
struct Given<T> {
    value: T,
    stats: Stats,
}

impl<T> Given<T> {
    fn new(value: T) -> Self {
        Self { value, stats: Stats::default() }
    }
}

impl<T> HasStats for Given<T> {
    fn stats(&mut self) -> &mut Stats {
        &mut self.stats
    }
}

impl HasStats for Stats {
    fn stats(&mut self) -> &mut Stats {
        self
    }
}
