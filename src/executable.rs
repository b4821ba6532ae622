//! A compiled program and its run.

use std::fmt::Display;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gchr_base::control::Control;
use gchr_base::diagnostic::Diagnostic;
use gchr_base::error::RunError;
use gchr_base::rule::{Semantics, Start};
use gchr_base::stats::Stats;
use gchr_constraints::exec::Store;
use gchr_constraints::plan::{ChrPlan, Joins, RoundsOptions, differences};
use gchr_terms::plan::{TermOptions, TermPlan};

use gchr_kernel::Form;
use gchr_kernels_constraints::run as rounds;
use gchr_runtime::outcome;

use crate::device::{Device, Schedule};
use crate::diagnostics::Diagnostics;
use crate::executors::auto_terms::{AutoPlan, AutoRounds};
use crate::executors::device_rounds::RoundsPlan;
use crate::executors::device_terms::DevicePlan;
use crate::output::{Answer, Outcome};
use crate::program::Program;

/// How to compile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CompileOptions {
    /// Inline small functions that do not call themselves. The result and all counts are the same without.
    pub inline: bool,
    /// Evaluate redexes one by one, so that each can be traced: leaves out every optimisation, inlining too.
    pub trace: bool,
    /// What is to run it.
    pub device: Device,
    /// How devices other than the CPU are to run it.
    pub schedule: Schedule,
    /// What a constraint program means; `None`: as its own options say, else the refined semantics.
    pub semantics: Option<Semantics>,
    /// How rounds find what can fire.
    pub firing: Firing,
    /// Whether a term program without calls that can run side by side is refused by a device: one thread would do it all.
    pub only_parallel: bool,
    /// Whether runs will be recorded: then kernels for a GPU count their memory traffic and the applications of each rule, which costs
    /// time. The CPU and the simulator record without it.
    pub record: bool,
}

/// How rounds find what can fire.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Firing {
    /// By indexes from what is new, and by classes of rules.
    #[default]
    Indexed,
    /// By indexes from what is new, rule by rule: no classes.
    General,
    /// By trying every combination of constraints in every round (Zaki, Frühwirth, Geller: Parallel Execution of Constraint Handling
    /// Rules on a Graphical Processing Unit). No classes.
    Exhaustive,
}

impl Firing {
    pub(crate) fn plan_options(self) -> RoundsOptions {
        match self {
            Firing::Indexed => RoundsOptions { classes: true, joins: Joins::Indexed },
            Firing::General => RoundsOptions { classes: false, joins: Joins::Indexed },
            Firing::Exhaustive => RoundsOptions { classes: false, joins: Joins::Exhaustive },
        }
    }
}

impl Default for CompileOptions {
    fn default() -> Self {
        Self {
            inline: true,
            trace: false,
            device: Device::Cpu,
            schedule: Schedule::default(),
            semantics: None,
            firing: Firing::default(),
            only_parallel: false,
            record: false,
        }
    }
}

impl CompileOptions {
    /// Whether recorded runs need kernels that count in the place of the plain ones: on a GPU.
    pub fn counts_apart(&self) -> bool {
        matches!(self.device, Device::Gpu(_))
    }

    pub(crate) fn form(&self) -> Form {
        if self.record && self.counts_apart() { Form::Counting } else { Form::Plain }
    }

    pub(crate) fn to_term_options(self) -> TermOptions {
        match self.trace {
            true => TermOptions::traced(),
            false => TermOptions { inline: self.inline, ..TermOptions::default() },
        }
    }
}

pub(crate) enum Plan {
    Term(TermPlan),
    Chr(ChrPlan),
    Device(Box<DevicePlan>),
    Auto(Box<AutoPlan>),
    AutoRounds(Box<AutoRounds>),
    Rounds(Box<RoundsPlan>),
}

/// A program with its plan, ready to be run any number of times.
pub struct Executable<'p> {
    pub(crate) program: &'p Program,
    pub(crate) plan: Plan,
    pub(crate) compile_time: Duration,
}

/// A run that ended without a result.
#[derive(Debug)]
pub struct Failure {
    /// Why, where and how far it got; `None` when there was nothing to run, or when the device failed.
    pub error: Option<RunError>,
    /// The same as diagnostics.
    pub diagnostics: Diagnostics,
    /// What the run did until then.
    pub stats: Stats,
    /// What was in the store of a constraint program then, in rounds behind the last whole round. It is no result.
    pub left: Option<Store>,
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.diagnostics.fmt(f)
    }
}

impl std::error::Error for Failure {}

impl<'p> Executable<'p> {
    /// The plan, printable.
    pub fn plan(&self) -> Box<dyn Display + '_> {
        match &self.plan {
            Plan::Term(plan) => Box::new(plan),
            Plan::Chr(plan) => Box::new(plan.display(&self.program.rules)),
            Plan::Device(plan) => Box::new(plan.module()),
            Plan::Auto(plan) => Box::new(plan.cpu_plan()),
            Plan::AutoRounds(plan) => Box::new(plan.cpu_plan().display(&self.program.rules)),
            Plan::Rounds(plan) => Box::new(plan.module()),
        }
    }
    /// What its author probably wants to know about running it this way.
    pub fn warnings(&self) -> Diagnostics {
        let found = match &self.plan {
            Plan::Chr(plan) if plan.semantics == Semantics::Rounds => differences(&self.program.rules, plan),
            Plan::Rounds(plan) => differences(&self.program.rules, plan.plan()),
            Plan::AutoRounds(plan) => differences(&self.program.rules, plan.cpu_plan()),
            _ => Vec::new(),
        };
        Diagnostics::new(Arc::clone(&self.program.sources), found)
    }
    /// The program it was made from.
    pub fn program(&self) -> &'p Program {
        self.program
    }

    /// Runs the program from its start to its result.
    pub fn run(&self, control: &mut Control) -> Result<Outcome<'p>, Box<Failure>> {
        let _span = tracing::info_span!("run").entered();
        let start = Instant::now();
        let rules = &self.program.rules;
        match (&self.plan, &rules.start) {
            (Plan::Term(plan), Start::Term(Some(term))) => {
                let finished = gchr_terms::exec::run(rules, plan, term, control);
                let time = start.elapsed();
                match finished {
                    Ok(run) => {
                        let stats = self.complete(run.stats, time);
                        Ok(Outcome::new(self.program, Answer::NormalForm(run.normal_form), stats))
                    }
                    Err(stopped) => Err(self.failure(stopped.error, stopped.stats, time, None)),
                }
            }
            (Plan::Device(plan), Start::Term(Some(term))) => {
                let finished = plan.run(rules, term, control);
                let time = start.elapsed();
                match finished {
                    Ok(run) => {
                        let stats = self.complete(run.stats, time);
                        let answer = Answer::NormalForm(run.normal_form);
                        Ok(Outcome::new(self.program, answer, stats).with_report(run.report))
                    }
                    Err(outcome::Failure::Stopped(stopped)) => {
                        Err(self.failure(stopped.error, stopped.stats, time, None))
                    }
                    Err(outcome::Failure::Device(error)) => {
                        let stats = self.complete(Stats::default(), time);
                        Err(self.fail(None, error.into_diagnostics(), stats))
                    }
                }
            }
            (Plan::Auto(plan), Start::Term(Some(term))) => {
                let finished = plan.run(term, control);
                let time = start.elapsed();
                match finished {
                    Ok(run) => {
                        let stats = self.complete(run.stats, time);
                        let outcome = Outcome::new(self.program, Answer::NormalForm(run.normal_form), stats);
                        Ok(match run.report {
                            Some(report) => outcome.with_report(report),
                            None => outcome,
                        })
                    }
                    Err(stopped) => Err(self.failure(stopped.error, stopped.stats, time, None)),
                }
            }
            (Plan::Chr(plan), Start::Goals(queries))
                if !(queries.is_empty() && self.program.facts.is_empty()) =>
            {
                let run = match plan.semantics {
                    Semantics::Refined => gchr_constraints::exec::run,
                    Semantics::Rounds => gchr_constraints::exec::rounds::run,
                };
                let finished = run(rules, plan, &self.program.facts, control);
                let time = start.elapsed();
                match finished {
                    Ok(run) => {
                        let stats = self.complete(run.stats, time);
                        Ok(Outcome::new(self.program, Answer::Store(run.store), stats))
                    }
                    Err(stopped) => {
                        Err(self.failure(stopped.error, stopped.stats, time, Some(stopped.store)))
                    }
                }
            }
            (Plan::AutoRounds(plan), Start::Goals(queries))
                if !(queries.is_empty() && self.program.facts.is_empty()) =>
            {
                let finished = plan.run(control);
                let time = start.elapsed();
                match finished {
                    Ok((store, stats)) => {
                        Ok(Outcome::new(self.program, Answer::Store(store), self.complete(stats, time)))
                    }
                    Err(stopped) => {
                        Err(self.failure(stopped.error, stopped.stats, time, Some(stopped.store)))
                    }
                }
            }
            (Plan::Rounds(plan), Start::Goals(queries))
                if !(queries.is_empty() && self.program.facts.is_empty()) =>
            {
                let finished = plan.run(rules, &self.program.facts, control);
                let time = start.elapsed();
                match finished {
                    Ok(run) => {
                        let stats = self.complete(run.stats, time);
                        Ok(Outcome::new(self.program, Answer::Store(run.store), stats))
                    }
                    Err(rounds::Failure::Stopped(stopped)) => {
                        Err(self.failure(stopped.error, stopped.stats, time, stopped.left))
                    }
                    Err(rounds::Failure::Device(error)) => {
                        let stats = self.complete(Stats::default(), time);
                        Err(self.fail(None, error.into_diagnostics(), stats))
                    }
                }
            }
            _ => Err(self.nothing_to_run()),
        }
    }

    /// Fills in what the executor does not know.
    pub(crate) fn complete(&self, mut stats: Stats, run: Duration) -> Stats {
        let ms = |d: Duration| d.as_secs_f64() * 1e3;
        let (parse, compile, run) = (ms(self.program.parse_time), ms(self.compile_time), ms(run));
        stats.parse_ms = Some(parse);
        stats.compile_ms = Some(compile);
        stats.run_ms = Some(run);
        stats.wall_ms = Some(parse + compile + run);
        stats
    }

    pub(crate) fn failure(
        &self,
        error: RunError,
        stats: Stats,
        time: Duration,
        left: Option<Store>,
    ) -> Box<Failure> {
        let mut diagnostic = error.to_diagnostic(&self.program.rules);
        diagnostic.notes.extend(left.as_ref().map(|store| match store.len() {
            0 => "the store was empty".to_string(),
            1 => "one constraint was in the store (--partial writes it)".to_string(),
            n => format!("{n} constraints were in the store (--partial writes them)"),
        }));
        let failure = self.fail(Some(error), vec![diagnostic], self.complete(stats, time));
        Box::new(Failure { left, ..*failure })
    }

    pub(crate) fn fail(&self, error: Option<RunError>, list: Vec<Diagnostic>, stats: Stats) -> Box<Failure> {
        let diagnostics = Diagnostics::new(Arc::clone(&self.program.sources), list);
        Box::new(Failure { error, diagnostics, stats, left: None })
    }

    fn nothing_to_run(&self) -> Box<Failure> {
        let (what, help) = match self.plan {
            Plan::Term(_) | Plan::Device(_) | Plan::Auto(_) => {
                ("no term to rewrite", "write `input TERM;` in the program, or give --input TERM")
            }
            Plan::Chr(_) | Plan::Rounds(_) | Plan::AutoRounds(_) => (
                "no goals to run",
                "write `?- goals.` in the program, or give --query GOALS or --facts C=FILE",
            ),
        };
        self.fail(None, vec![Diagnostic::error("U0106", what).help(help)], Stats::default())
    }
}
