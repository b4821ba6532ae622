//! Constraint programs with logical variables, clauses of Prolog or choices, on the processor.

use std::fmt::{self, Display};

use gchr_base::control::{Control, Progress};
use gchr_base::diagnostic::Diagnostic;
use gchr_base::error::RunError;
use gchr_base::escape;
use gchr_base::logic::LogicProgram;
use gchr_base::rule::Semantics;
use gchr_base::stats::Stats;
use gchr_base::stop::StopReason;
use gchr_logic::{Answers, Options, Reason, Streams};

use crate::executor::{Compiled, Executor, Finished, StoppedRun, Unfinished};
use crate::options::{CompileOptions, Device};
use crate::output::{self, Answer, Left, LogicAnswers, Selection};
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
        // Its database belongs to one run, which makes it.
        if !program.is_logic() {
            return Err(Vec::new());
        }
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
        let options = options(&self.options);
        let loaded = gchr_logic::load(&logic.program).map_err(Unfinished::Program)?;
        let (mut answers, mut written) = (Vec::new(), 0);
        let run = gchr_logic::run(
            &logic.program,
            loaded,
            &gchr_chr::TermReader,
            &options,
            control,
            streams(),
            &mut |answer, out| {
                if self.options.answers_as_found {
                    output::logic::write_text_of(&answer, written, &Selection::all(), out)
                        .and_then(|()| out.flush())?;
                    written += 1;
                } else {
                    answers.push(answer);
                }
                Ok(())
            },
        );
        match run {
            Ok(run) => {
                let stats = stats(run.firings, run.progress);
                let answer = Answer::Logic(LogicAnswers {
                    answers,
                    more: run.more,
                    halted: run.halted,
                    several: options.answers != Answers::First(1),
                });
                Ok(Finished { answer, stats, report: None })
            }
            Err(stopped) => Err(unfinished(*stopped)),
        }
    }
}

/// How the machine runs programs.
pub(crate) fn options(options: &CompileOptions) -> Options {
    Options { answers: options.answers, seed: options.seed, ..Options::default() }
}

/// What a program itself reads, and writes to `user_error`.
pub(crate) fn streams() -> Streams {
    Streams {
        errors: Some(escape::shown(std::io::stderr())),
        input: Some(Box::new(std::io::stdin())),
        files: true,
    }
}

/// What a run cost.
pub(crate) fn stats(firings: u64, progress: Progress) -> Stats {
    Stats {
        firings: Some(firings),
        live_cells: Some(progress.live),
        peak_bytes: Some(progress.bytes),
        device: Some("cpu".into()),
        semantics: Some("refined".into()),
        ..Stats::default()
    }
}

/// Why a run has no answer.
pub(crate) fn unfinished(stopped: gchr_logic::Stopped) -> Unfinished {
    let reason = match stopped.reason {
        Reason::Stop(reason) => reason,
        Reason::Thrown { message, .. } => StopReason::Thrown { message },
    };
    let stats = stats(stopped.firings, stopped.progress);
    let span = stopped.places.first().copied();
    let error = RunError { reason, rule: None, span, progress: stopped.progress };
    let places = stopped.places.into_iter().skip(1).collect();
    let left = stopped.left.map_or_else(Left::Untold, Left::Logic);
    Unfinished::Stopped(Box::new(StoppedRun { error, stats, left: Some(left), places }))
}
