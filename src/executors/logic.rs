//! Constraint programs with logical variables, clauses of Prolog or choices, on the processor.

use std::fmt::{self, Display};

use gchr_base::control::Control;
use gchr_base::diagnostic::Diagnostic;
use gchr_base::error::RunError;
use gchr_base::logic::LogicProgram;
use gchr_base::rule::Semantics;
use gchr_base::stats::Stats;
use gchr_base::stop::StopReason;
use gchr_logic::{Options, Reason};

use crate::executor::{Compiled, Executor, Finished, StoppedRun, Unfinished};
use crate::options::{CompileOptions, Device};
use crate::output::Left;
use crate::output::{Answer, LogicAnswers};
use crate::program::Program;

/// The executor of the logic machine.
pub(crate) struct LogicMachine;

struct LogicExecutable {
    options: CompileOptions,
}

/// The instructions, made when they are shown.
struct Plan<'a>(&'a LogicProgram);

impl Display for Plan<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        gchr_logic::plan(self.0).map_or(Ok(()), |text| f.write_str(&text))
    }
}

impl Executor for LogicMachine {
    fn runs(&self, program: &Program, options: &CompileOptions) -> bool {
        program.is_logic()
            && program.semantics(options) == Semantics::Refined
            && matches!(options.device, Device::Cpu | Device::Auto)
    }

    fn compile(
        &self,
        program: &Program,
        options: &CompileOptions,
    ) -> Result<Box<dyn Compiled>, Vec<Diagnostic>> {
        let Some(logic) = &program.logic else { return Err(Vec::new()) };
        gchr_logic::check(&logic.program)?;
        Ok(Box::new(LogicExecutable { options: *options }))
    }
}

impl Compiled for LogicExecutable {
    fn plan<'a>(&'a self, program: &'a Program) -> Box<dyn Display + 'a> {
        match &program.logic {
            Some(logic) => Box::new(Plan(&logic.program)),
            None => Box::new(""),
        }
    }

    fn run(&self, program: &Program, control: &mut Control<'_>) -> Result<Finished, Unfinished> {
        let Some(logic) = program.logic.as_ref().filter(|_| program.has_goals()) else {
            return Err(Unfinished::NothingToRun);
        };
        let options = Options { answers: self.options.answers, seed: self.options.seed };
        let mut answers = Vec::new();
        // What the program itself writes to `user_error`.
        let errors: Option<Box<dyn std::io::Write>> = Some(Box::new(std::io::stderr()));
        let run = gchr_logic::run(
            &logic.program,
            &gchr_chr::TermReader,
            &options,
            control,
            errors,
            &mut |answer| {
                answers.push(answer);
                Ok(())
            },
        );
        let stats = |firings: u64, live: u64, bytes: u64| Stats {
            firings: Some(firings),
            live_cells: Some(live),
            peak_bytes: Some(bytes),
            device: Some("cpu".into()),
            semantics: Some("refined".into()),
            ..Stats::default()
        };
        match run {
            Ok(run) => {
                let stats = stats(run.firings, run.progress.live, run.progress.bytes);
                let answer = Answer::Logic(LogicAnswers { answers, more: run.more, halted: run.halted });
                Ok(Finished { answer, stats, report: None })
            }
            Err(stopped) => {
                let reason = match stopped.reason {
                    Reason::Stop(reason) => reason,
                    Reason::Thrown { message, .. } => StopReason::Thrown { message },
                    Reason::Program(found) => return Err(Unfinished::Program(found)),
                };
                let stats = stats(stopped.firings, stopped.progress.live, stopped.progress.bytes);
                let span = stopped.places.first().copied();
                let error = RunError { reason, rule: None, span, progress: stopped.progress };
                let places = stopped.places.into_iter().skip(1).collect();
                Err(Unfinished::Stopped(Box::new(StoppedRun {
                    error,
                    stats,
                    left: stopped.left.map(Left::Logic),
                    places,
                })))
            }
        }
    }
}
