//! Sessions of programs that the logic machine runs.

use gchr_base::control::Control;
use gchr_base::diagnostic::Diagnostic;
use gchr_base::logic::LogicProgram;
use gchr_base::reading::Account;
use gchr_base::rule::Semantics;
use gchr_base::source::SourceMap;
use gchr_base::stop::StopReason;
use gchr_base::watch::Watch;
use gchr_chr::{Added, Addition};
use gchr_logic::{Answers, Options, Resident};

use super::{Ended, Reply};
use crate::executor::Unfinished;
use crate::executors::logic::{self, streams};
use crate::options::CompileOptions;
use crate::output::{Answer, LogicAnswers};

/// A program with a store of the logic machine.
pub(super) struct LogicRuns {
    program: gchr_chr::LogicSession,
    resident: Resident,
    options: Options,
    /// Pending input of the next run: the goals of initialization at first, then facts, then goals.
    pending: [Vec<LogicProgram>; 3],
}

impl LogicRuns {
    pub fn new(program: gchr_chr::LogicSession, options: &CompileOptions) -> Result<Self, Vec<Diagnostic>> {
        if options.device.runs_kernels() || options.semantics == Some(Semantics::Rounds) {
            return Err(vec![Self::on_no_device()]);
        }
        let options = logic::options(options);
        let resident = Resident::new(program.program(), &options)?;
        let mut first = program.program().clone();
        first.queries.clear();
        Ok(Self { program, resident, options, pending: [vec![first], Vec::new(), Vec::new()] })
    }

    /// Why neither a device nor rounds run it.
    pub fn on_no_device() -> Diagnostic {
        let message = "this program runs on the processor under the refined semantics only";
        let help = "leave out --device and --semantics; `gchr check --explain` shows all reasons";
        Diagnostic::error("U0110", message).help(help)
    }

    pub fn add(&mut self, sources: &mut SourceMap, addition: &Addition, account: &Account) -> Added {
        let (goals, added) = self.program.goals(sources, addition, account);
        if added.is_done() {
            let is_fact = matches!(addition, Addition::Facts(_));
            self.pending[if is_fact { 1 } else { 2 }].push(goals);
        }
        added
    }

    pub fn is_pending(&self) -> bool {
        self.pending[1..].iter().any(|goals| !goals.is_empty())
    }

    pub fn drop_pending(&mut self) {
        self.pending[1..].iter_mut().for_each(Vec::clear);
    }

    pub fn set_answers(&mut self, answers: Answers) {
        self.options.answers = answers;
    }

    /// Runs pending goals. A run that stops is taken back as a whole.
    pub fn run(&mut self, control: &mut Control<'_>) -> Result<Reply, Ended> {
        let Self { resident, options, .. } = self;
        let goals = std::mem::take(&mut self.pending);
        let mut answers = Vec::new();
        let goals: Vec<&LogicProgram> = goals.iter().flatten().collect();
        let run =
            resident.run(&goals, &gchr_chr::TermReader, options, control, streams(), &mut |answer, _| {
                answers.push(answer);
                Ok(())
            });
        match run {
            Ok(run) => {
                let stats = logic::stats(run.firings, run.progress);
                let answer = Answer::Logic(LogicAnswers {
                    answers,
                    more: run.more,
                    halted: run.halted,
                    several: options.answers != Answers::First(1),
                });
                Ok(Reply { answer: Some(answer), stats })
            }
            Err(stopped) => match logic::unfinished(*stopped) {
                Unfinished::Stopped(mut stopped) => {
                    stopped.left = None;
                    let found = stopped.error.to_diagnostic(&crate::input::no_rules());
                    Err(Ended::Stopped(stopped, Box::new(found)))
                }
                other => Err(Ended::Refused(other.diagnostics(&crate::input::no_rules()))),
            },
        }
    }

    /// Takes back the last run; whether there was one.
    pub fn undo(&mut self) -> bool {
        self.resident.undo(&gchr_chr::TermReader)
    }

    /// The constraints in the store, unless a watch says stop.
    pub fn store(&mut self, watch: &Watch<'static>) -> Result<gchr_logic::Answer, StopReason> {
        self.resident.store(&gchr_chr::TermReader, &mut Control::default().watched(watch.clone()))
    }

    pub fn constraints(&self) -> Vec<(String, usize)> {
        self.program.program().constraints.iter().map(|c| (c.name.to_string(), c.columns.len())).collect()
    }

    pub fn count(&mut self, name: &str, arity: usize) -> Option<usize> {
        let declared = self.constraints().iter().any(|(n, a)| n == name && *a == arity);
        declared.then(|| self.resident.count(&gchr_chr::TermReader, name, arity))
    }
}
