//! Sessions of constraint programs over ground stores, under either semantics on the processor, in rounds on a
//! device.

use gchr_base::control::{Control, Progress};
use gchr_base::derivation::{Cause, Derivations, Mark};
use gchr_base::diagnostic::Diagnostic;
use gchr_base::error::{RunError, StopReason};
use gchr_base::ids::Id;
use gchr_base::reading::Account;
use gchr_base::rule::{self, Semantics};
use gchr_base::signature::Signature;
use gchr_base::source::SourceMap;
use gchr_base::stats::Stats;
use gchr_base::watch::Watch;
use gchr_chr::{Added, Addition};
use gchr_constraints::exec::{Store, Unrestored};
use gchr_constraints::plan::{ChrPlan, compile, compile_rounds};
use gchr_constraints::resident::{Image, Resident, Undone};

use super::on_device::{DeviceStore, Stopped};
use super::{Ended, Reply};
use crate::executor::StoppedRun;
use crate::options::{CompileOptions, Device};
use crate::why::{
    Asked, Explanation, Given, Pattern, Unexplained, WhyOptions, a_fact, a_goal, derivable_plan, missing,
};

/// Runs that can be taken back.
const UNDO: usize = 100;

/// A program over a ground store.
pub(super) struct GroundRuns {
    program: gchr_chr::GroundSession,
    plan: ChrPlan,
    /// Columns hold more than the plan says.
    is_widened: bool,
    place: Place,
    derived: Option<Derived>,
    options: CompileOptions,
}

/// Where the store is.
enum Place {
    Here(Resident),
    Device(Box<DeviceStore>),
}

impl GroundRuns {
    /// `texts` are those of the program.
    pub fn new(
        program: gchr_chr::GroundSession,
        texts: &SourceMap,
        options: &CompileOptions,
    ) -> Result<Self, Vec<Diagnostic>> {
        let on_device = options.device.runs_kernels();
        let device = if on_device { options.device } else { Device::Cpu };
        let options = CompileOptions { device, ..*options };
        let place = match on_device {
            true => Place::Device(Box::new(DeviceStore::new(program.program(), texts, &options)?)),
            false => Place::Here(Resident::new(UNDO)),
        };
        let (plan, notes) = plan(program.program(), &options)?;
        let derived = options.derivations.then(|| Derived::new(notes));
        Ok(Self { program, plan, is_widened: false, place, derived, options })
    }

    /// Brings the store to another device. It stays where it is when that fails.
    pub fn set_device(&mut self, device: Device, texts: &SourceMap) -> Result<(), Vec<Diagnostic>> {
        if device == self.options.device {
            return Ok(());
        }
        let options = CompileOptions { device, ..self.options };
        let program = self.program.program();
        let mut there = match device.runs_kernels() {
            true => Some(DeviceStore::new(program, texts, &options)?),
            false => None,
        };
        let resident = match &mut self.place {
            Place::Here(resident) => std::mem::replace(resident, Resident::new(UNDO)),
            Place::Device(store) => store.take(program, UNDO)?,
        };
        self.place = match there.take() {
            Some(mut store) => {
                store.set(resident)?;
                Place::Device(Box::new(store))
            }
            None => Place::Here(resident),
        };
        self.options = options;
        Ok(())
    }

    pub fn options(&self) -> &CompileOptions {
        &self.options
    }

    /// Whether nothing has run, and nothing waits.
    pub fn is_untouched(&self) -> bool {
        let untouched = match &self.place {
            Place::Here(resident) => resident.undoable() == 0 && resident.store().is_empty(),
            Place::Device(store) => store.is_untouched(),
        };
        untouched && !self.is_pending()
    }

    pub fn add(&mut self, sources: &mut SourceMap, addition: &Addition, account: &Account) -> Added {
        let added = self.program.add(sources, addition, account);
        self.is_widened |= added.widened;
        added
    }

    /// Whether rules fire in rounds.
    pub fn is_in_rounds(&self) -> bool {
        self.options.semantics_of(self.program.program()) == Semantics::Rounds
    }

    pub fn is_pending(&self) -> bool {
        self.program.is_pending()
    }

    pub fn drop_pending(&mut self) {
        self.program.clear_pending();
    }

    pub fn run(&mut self, control: &mut Control<'_>) -> Result<Reply, Ended> {
        if self.is_widened {
            self.widen().map_err(Ended::Refused)?;
        }
        let program = self.program.program();
        let resident = match &mut self.place {
            Place::Here(resident) => resident,
            Place::Device(store) => {
                let ran = store.run(program, self.program.facts(), control);
                let ran = ran.map_err(|stopped| match stopped {
                    Stopped::Found(found) => Ended::Refused(found),
                    Stopped::Run(stopped) => {
                        let found = stopped.error.to_diagnostic(program);
                        Ended::Stopped(stopped, Box::new(found))
                    }
                });
                self.program.clear_pending();
                return ran.map(|stats| Reply { answer: None, stats });
            }
        };
        if let Some(derived) = &mut self.derived {
            derived.lend(control);
        }
        let ran = resident.run(program, &self.plan, self.program.facts(), control);
        let ran = match &mut self.derived {
            Some(derived) => derived.end(ran, resident, &self.plan, control),
            None => ran,
        };
        let ran = ran.map_err(|undone| {
            let Undone { error, stats } = *undone;
            let found = error.to_diagnostic(program);
            let stopped = StoppedRun { error, stats, left: None, places: Vec::new() };
            Ended::Stopped(Box::new(stopped), Box::new(found))
        });
        self.program.clear_pending();
        ran.map(|stats| Reply { answer: None, stats })
    }

    /// A plan for columns that hold more than before.
    fn widen(&mut self) -> Result<(), Vec<Diagnostic>> {
        let program = self.program.program();
        (self.plan, _) = plan(program, &self.options)?;
        match &mut self.place {
            Place::Here(resident) => resident.replan(),
            Place::Device(store) => store.widen(program)?,
        }
        self.is_widened = false;
        Ok(())
    }

    /// Brings the store here, if it is on a device and was not asked for since the last run.
    pub fn fetch(&mut self) -> Result<(), Vec<Diagnostic>> {
        match &mut self.place {
            Place::Here(_) => Ok(()),
            Place::Device(store) => store.fetch(self.program.program()).map(drop),
        }
    }

    /// The store as plain data.
    pub fn image(&mut self, watch: &Watch<'_>) -> Result<Image, Vec<Diagnostic>> {
        let program = self.program.program();
        let resident = match &mut self.place {
            Place::Here(resident) => resident,
            Place::Device(store) => store.fetch(program)?,
        };
        resident.image(&program.signature, watch).map_err(|reason| vec![reason.to_diagnostic()])
    }

    /// Makes the store that of an image. What is wrong with that; `told` says it of an image that is none.
    pub fn take_image(
        &mut self,
        image: Image,
        watch: &Watch<'_>,
        told: impl FnOnce(Unrestored) -> Diagnostic,
    ) -> Result<(), Vec<Diagnostic>> {
        if self.derived.is_some() {
            let message = "a session that records derivations has those of all that is in its store";
            let help = "open the file in a session without --why; derivations are not saved";
            return Err(vec![Diagnostic::error("U0144", message).help(help)]);
        }
        let (kinds, any) = (image.kinds(), self.program.any());
        let resident = Resident::restore(image, self.program.signature_mut(), any, UNDO, watch);
        let resident = resident.map_err(|unrestored| vec![told(unrestored)])?;
        self.program.clear_pending();
        self.is_widened |= self.program.take_store(&kinds)?;
        match &mut self.place {
            Place::Here(own) => *own = resident,
            Place::Device(store) => store.set(resident)?,
        }
        Ok(())
    }

    pub fn undo(&mut self) -> Result<bool, Vec<Diagnostic>> {
        let program = self.program.program();
        let resident = match &mut self.place {
            Place::Here(resident) => resident,
            Place::Device(store) => return store.undo(program),
        };
        let undone = resident.undo(&self.plan).map_err(|error| vec![error.to_diagnostic(program)]);
        if let Some(derived) = &mut self.derived {
            if matches!(undone, Ok(true)) {
                derived.undo();
            }
            derived.follow(resident.next_id());
        }
        undone
    }

    /// Explains the constraints that match a text, which becomes one of `sources`; rules are in `texts`.
    pub fn why(
        &mut self,
        of: &str,
        texts: &SourceMap,
        sources: &mut SourceMap,
        options: WhyOptions,
        control: &Control<'_>,
    ) -> Result<Explanation, Vec<Diagnostic>> {
        let program = self.program.program();
        let pattern = Pattern::read(of, "why", sources, &program.signature)?;
        let Some(derived) = &mut self.derived else {
            let message = "derivations are not recorded in this session";
            let help = "`gchr repl --why` does from the start, `:set why on` from an empty store on; in a program, \
                        CompileOptions::derivations";
            return Err(vec![Diagnostic::error("U0143", message).help(help)]);
        };
        let asked =
            Asked { program, sources: texts, given: &given_to, options, notes: derived.notes.clone() };
        let explained = asked.explain(&pattern, &mut derived.record, control);
        explained.map_err(|unexplained| match unexplained {
            Unexplained::Never(found) => vec![*found],
            Unexplained::Stopped(reason) => {
                let progress = Progress { steps: 0, bytes: 0, live: 0 };
                let error = RunError { reason, rule: None, span: None, progress };
                vec![error.to_diagnostic(program)]
            }
        })
    }

    /// The store; one on a device must have been [fetched](Self::fetch).
    pub fn store(&self) -> Option<&Store> {
        match &self.place {
            Place::Here(resident) => Some(resident.store()),
            Place::Device(store) => store.fetched(),
        }
    }

    pub fn rules(&self) -> &rule::Program {
        self.program.program()
    }

    pub fn signature(&self) -> &Signature {
        &self.program.program().signature
    }

    pub fn count(&self, name: &str, arity: usize) -> Option<usize> {
        let all = &self.signature().constraints;
        let at = all.iter().position(|c| c.name == name && c.columns.len() == arity)?;
        Some(match &self.place {
            Place::Here(resident) => resident.store().count(Id::from_index(at)),
            Place::Device(store) => store.count(Id::from_index(at)),
        })
    }
}

/// What constraints are derived from, in a session that records it.
struct Derived {
    record: Box<Derivations>,
    /// What the record had before each run that can be taken back, oldest first.
    marks: Vec<Mark>,
    /// What is to be said of the plan.
    notes: Vec<String>,
}

impl Derived {
    fn new(notes: Vec<String>) -> Self {
        Self { record: Box::new(Derivations::new()), marks: Vec::new(), notes }
    }

    /// Lends the record to a run.
    fn lend(&mut self, control: &mut Control<'_>) {
        if self.marks.len() > UNDO {
            self.marks.remove(0);
        }
        self.marks.push(self.record.mark());
        self.record.begin_run();
        control.derive(std::mem::take(&mut self.record));
    }

    /// Takes it back. What it has of a run that stopped is forgotten; a run that it has not all of is taken back.
    fn end(
        &mut self,
        ran: Result<Stats, Box<Undone>>,
        resident: &mut Resident,
        plan: &ChrPlan,
        control: &mut Control<'_>,
    ) -> Result<Stats, Box<Undone>> {
        let missing = self.take_back(control);
        let ended = match (ran, missing) {
            (Ok(stats), None) => return Ok(stats),
            (Err(undone), _) => undone,
            (Ok(stats), Some(reason)) => {
                let progress = Progress { steps: stats.firings.unwrap_or(0), bytes: 0, live: 0 };
                let error = match resident.undo(plan) {
                    Ok(_) => RunError { reason, rule: None, span: None, progress },
                    Err(lost) => *lost,
                };
                Box::new(Undone { error, stats })
            }
        };
        self.undo();
        self.follow(resident.next_id());
        Err(ended)
    }

    /// Takes it back: why it has not all of the run, if so.
    fn take_back(&mut self, control: &mut Control<'_>) -> Option<StopReason> {
        let record = control.take_derivations();
        let missing = missing(record.as_deref());
        self.record = record.unwrap_or_default();
        missing
    }

    /// Forgets the last run.
    fn undo(&mut self) {
        if let Some(mark) = self.marks.pop() {
            self.record.return_to(mark);
        }
    }

    /// Begins anew where the store has.
    fn follow(&mut self, next_id: u64) {
        if next_id != self.record.constraints() {
            *self = Self::new(std::mem::take(&mut self.notes));
        }
    }
}

/// The goal or the fact of a run that a constraint comes from.
fn given_to(cause: Cause, run: usize) -> Given {
    match cause {
        Cause::Fact { row, .. } => a_fact(format!("row {} of the facts of run {}", row + 1, run + 1)),
        Cause::Goal { .. } | Cause::Instance(_) => a_goal(format!("a goal of run {}", run + 1), None),
    }
}

/// The plan, and what is to be said of it.
fn plan(
    program: &rule::Program,
    options: &CompileOptions,
) -> Result<(ChrPlan, Vec<String>), Vec<Diagnostic>> {
    if options.derivations {
        return derivable_plan(program, options);
    }
    let plan = match options.semantics_of(program) {
        Semantics::Refined => compile(program),
        Semantics::Rounds => compile_rounds(program, options.firing.plan_options()),
    };
    Ok((plan?, Vec::new()))
}
