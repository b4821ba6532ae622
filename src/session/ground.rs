//! Sessions of constraint programs over ground stores, under either semantics, on the processor.

use gchr_base::control::Control;
use gchr_base::diagnostic::Diagnostic;
use gchr_base::ids::Id;
use gchr_base::reading::Account;
use gchr_base::rule::{self, Semantics};
use gchr_base::signature::Signature;
use gchr_base::source::SourceMap;
use gchr_chr::{Added, Addition};
use gchr_constraints::exec::{Resident, Store, Undone};
use gchr_constraints::plan::{ChrPlan, compile, compile_rounds};

use super::{Ended, Reply};
use crate::executor::StoppedRun;
use crate::options::{CompileOptions, Device};

/// Runs that can be taken back.
const UNDO: usize = 100;

/// A program over a ground store.
pub(super) struct GroundSession {
    program: gchr_chr::GroundSession,
    plan: ChrPlan,
    /// Columns hold more than the plan says.
    is_widened: bool,
    resident: Resident,
    options: CompileOptions,
}

impl GroundSession {
    pub fn new(program: gchr_chr::GroundSession, options: &CompileOptions) -> Result<Self, Vec<Diagnostic>> {
        if options.device.runs_kernels() {
            let message = "a session of a constraint program runs on the processor";
            let help = "leave out --device; `gchr run` runs the same program on a GPU, from its start";
            return Err(vec![Diagnostic::error("U0110", message).help(help)]);
        }
        let options = CompileOptions { device: Device::Cpu, ..*options };
        let plan = plan(program.program(), &options)?;
        Ok(Self { program, plan, is_widened: false, resident: Resident::new(UNDO), options })
    }

    pub fn options(&self) -> &CompileOptions {
        &self.options
    }

    /// Whether nothing has run, and nothing waits.
    pub fn is_untouched(&self) -> bool {
        self.resident.undoable() == 0 && self.resident.store().is_empty() && !self.is_pending()
    }

    pub fn add(&mut self, sources: &mut SourceMap, addition: &Addition, account: &Account) -> Added {
        let added = self.program.add(sources, addition, account);
        self.is_widened |= added.widened;
        added
    }

    pub fn is_pending(&self) -> bool {
        self.program.is_pending()
    }

    pub fn drop_pending(&mut self) {
        self.program.clear_pending();
    }

    pub fn run(&mut self, control: &mut Control<'_>) -> Result<Reply, Ended> {
        if self.is_widened {
            self.plan = plan(self.program.program(), &self.options).map_err(Ended::Refused)?;
            self.resident.replan();
            self.is_widened = false;
        }
        let ran = self.resident.run(self.program.program(), &self.plan, self.program.facts(), control);
        let ran = ran.map_err(|undone| {
            let Undone { error, stats } = *undone;
            let found = error.to_diagnostic(self.program.program());
            let stopped = StoppedRun { error, stats, left: None, places: Vec::new() };
            Ended::Stopped(Box::new(stopped), Box::new(found))
        });
        self.program.clear_pending();
        ran.map(|stats| Reply { answer: None, stats })
    }

    pub fn undo(&mut self) -> Result<bool, Diagnostic> {
        let program = self.program.program();
        self.resident.undo(&self.plan).map_err(|error| error.to_diagnostic(program))
    }

    pub fn store(&self) -> &Store {
        self.resident.store()
    }

    pub fn signature(&self) -> &Signature {
        &self.program.program().signature
    }

    pub fn count(&self, name: &str, arity: usize) -> Option<usize> {
        let all = &self.signature().constraints;
        let at = all.iter().position(|c| c.name == name && c.columns.len() == arity)?;
        Some(self.store().count(Id::from_index(at)))
    }
}

fn plan(program: &rule::Program, options: &CompileOptions) -> Result<ChrPlan, Vec<Diagnostic>> {
    match options.semantics.or(program.semantics).unwrap_or(Semantics::Refined) {
        Semantics::Refined => compile(program),
        Semantics::Rounds => compile_rounds(program, options.firing.plan_options()),
    }
}
