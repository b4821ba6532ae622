//! A compiled program and its run.

use std::fmt::Display;
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use gchr_base::control::Control;
use gchr_base::diagnostic::Diagnostic;
use gchr_base::error::RunError;
use gchr_base::rule::Semantics;
use gchr_base::source::Span;
use gchr_base::stats::Stats;
use gchr_constraints::rounds::checkpoint::Checkpoints;

use crate::diagnostics::Diagnostics;
use crate::executor::{Compiled, Finished, StoppedRun, Unfinished};
use crate::executors::executor_for;
use crate::options::{CompileOptions, KernelTier};
use crate::output::{Failure, Left, Outcome};
use crate::program::{Language, Program};
use crate::stack::with_large_stack;

/// A program with its plan, ready to be run any number of times.
pub struct Executable<'p> {
    pub(crate) program: &'p Program,
    pub(crate) compiled: Box<dyn Compiled>,
    pub(crate) compile_time: Duration,
    /// How many threads may go through a result.
    pub(crate) threads: NonZeroUsize,
}

/// What a compiled program holds, above all a GPU. It is given back when this is dropped, in any thread; a GPU takes up
/// to a tenth of a second for it.
pub struct Held(#[expect(dead_code, reason = "it is there to be dropped")] Box<dyn Compiled>);

impl Program {
    /// Makes a plan that can be run.
    pub fn compile(&self, options: &CompileOptions) -> Result<Executable<'_>, Diagnostics> {
        let _span = tracing::info_span!("compile").entered();
        let start = Instant::now();
        let compiled = with_large_stack(|| match executor_for(self, options) {
            Some(executor) => executor.compile(self, options),
            None => Err(vec![self.runs_nowhere(options)]),
        });
        let compiled = compiled.map_err(|list| self.diagnostics(list))?;
        let (compile_time, threads) = (start.elapsed(), options.threads());
        Ok(Executable { program: self, compiled, compile_time, threads })
    }

    /// No executor takes the program for a device and semantics: why, and at which place of its text.
    fn runs_nowhere(&self, options: &CompileOptions) -> Diagnostic {
        let by_itself = self.rules.semantics == Some(Semantics::Rounds) && options.semantics.is_none();
        let asked = match (options.device.runs_kernels(), options.semantics) {
            (true, Some(Semantics::Rounds)) => "--device and --semantics rounds",
            (true, _) => "--device",
            (false, Some(Semantics::Rounds)) => "--semantics rounds",
            (false, _) if by_itself => "its option `semantics`",
            (false, _) => "--device",
        };
        self.only_on_processor(asked)
            .unwrap_or_else(|| Diagnostic::error("U0110", "nothing runs such a program on this device"))
    }

    /// Why something that needs rules over a ground store, which is called `asked`, does not go with the program, and
    /// at which place of its text; nothing where the program is of such rules.
    fn only_on_processor(&self, asked: &str) -> Option<Diagnostic> {
        let message = format!("{asked} does not go with this program, which the logic machine runs");
        let help =
            format!("leave out {asked}, or what is shown here; `gchr check --explain` shows all of it");
        self.of_logic_machine(message, help)
    }

    /// A finding at what in the program ground stores cannot do, if there is such.
    pub(crate) fn of_logic_machine(&self, message: String, help: String) -> Option<Diagnostic> {
        let logic = self.logic.as_ref()?;
        let help = match logic.left.is_empty() {
            true => "give --semantics rounds as well: what is shown here becomes rules then".into(),
            false => help,
        };
        Some(logic.with_first_reason(Diagnostic::error("U0110", message).help(help)))
    }

    /// Refuses what needs rules over a ground store, such as an option, of a program that is of others.
    pub fn check_ground(&self, asked: &str) -> Result<(), Diagnostics> {
        self.only_on_processor(asked).map_or(Ok(()), |found| Err(self.diagnostics(vec![found])))
    }
}

impl<'p> Executable<'p> {
    /// The plan, printable.
    pub fn plan(&self) -> Box<dyn Display + '_> {
        self.compiled.plan(self.program)
    }
    /// What its author probably wants to know about running it this way.
    pub fn warnings(&self) -> Diagnostics {
        self.program.diagnostics(self.compiled.warnings(self.program))
    }
    /// Which kernels a GPU runs; `None` on other devices. [`KernelTier::Soon`] only where it was asked for, and fast
    /// ones were not in the cache.
    pub fn kernels(&self) -> Option<KernelTier> {
        self.compiled.kernels()
    }
    /// The program it was made from.
    pub fn program(&self) -> &'p Program {
        self.program
    }

    /// What it holds beyond its program.
    pub fn into_held(self) -> Held {
        Held(self.compiled)
    }

    /// Runs the program from its start to its result.
    pub fn run(&self, control: &mut Control) -> Result<Outcome<'p>, Box<Failure>> {
        self.timed(control, |control| self.compiled.run(self.program, control))
    }

    /// Runs a constraint program in rounds, on the processor: goes on from the last of these checkpoints if there is
    /// one, and keeps the state of the run in new ones. The program writes nothing itself, and the run is neither
    /// traced nor recorded.
    pub fn run_kept(
        &self,
        checkpoints: &dyn Checkpoints,
        control: &mut Control,
    ) -> Result<Outcome<'p>, Box<Failure>> {
        self.timed(control, |control| self.compiled.run_kept(self.program, checkpoints, control))
    }

    fn timed<'c>(
        &self,
        control: &mut Control<'c>,
        run: impl FnOnce(&mut Control<'c>) -> Result<Finished, Unfinished>,
    ) -> Result<Outcome<'p>, Box<Failure>> {
        let _span = tracing::info_span!("run").entered();
        let start = Instant::now();
        let ran = run(control);
        let time = start.elapsed();
        match ran {
            Ok(mut run) => {
                if control.counts() {
                    run.stats.live_cells =
                        run.stats.live_cells.or_else(|| run.answer.count_cells(self.threads));
                }
                let stats = self.complete(run.stats, time);
                Ok(Outcome::new(self.program, run.answer, stats, run.report))
            }
            Err(unfinished) => Err(self.unfinished(unfinished, time)),
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

    /// Tells why a run has no result.
    pub(crate) fn unfinished(&self, unfinished: Unfinished, time: Duration) -> Box<Failure> {
        match unfinished {
            Unfinished::NothingToRun => self.nothing_to_run(),
            Unfinished::Stopped(stopped) => {
                let StoppedRun { error, stats, left, places } = *stopped;
                self.stopped(error, self.complete(stats, time), left, &places)
            }
            Unfinished::Program(found) => self.fail(found, self.complete(Stats::default(), time)),
            Unfinished::Elsewhere { done } => {
                let failure = self.fail(Vec::new(), self.complete(Stats::default(), time));
                Box::new(Failure { elsewhere: Some(done), ..*failure })
            }
            Unfinished::Device(error) => {
                self.fail(error.into_diagnostics(), self.complete(Stats::default(), time))
            }
        }
    }

    fn stopped(&self, error: RunError, stats: Stats, left: Option<Left>, places: &[Span]) -> Box<Failure> {
        let mut diagnostic = error.to_diagnostic(&self.program.rules);
        diagnostic.notes.extend(left.as_ref().map(|left| match (left.len(), left.is_told()) {
            (done, _) if let Left::Terms(results) = left => {
                let which = format!("in term {} of {}", done + 1, results.terms());
                if done == 0 { which } else { format!("{which} (--partial writes the results before)") }
            }
            (0, _) => "the store was empty".to_string(),
            (1, true) => "one constraint was in the store (--partial writes it)".to_string(),
            (n, true) => format!("{n} constraints were in the store (--partial writes them)"),
            (n, false) => {
                format!("constraints in the store: {n}, too many or too large to be shown within the limits")
            }
        }));
        for &place in places {
            diagnostic = diagnostic.label(place, "called from here");
        }
        let diagnostics = self.program.diagnostics(vec![diagnostic]);
        Box::new(Failure { error: Some(error), diagnostics, stats, left, elsewhere: None })
    }

    /// A failure that is none of a run.
    pub(crate) fn fail(&self, list: Vec<Diagnostic>, stats: Stats) -> Box<Failure> {
        let diagnostics = self.program.diagnostics(list);
        Box::new(Failure { error: None, diagnostics, stats, left: None, elsewhere: None })
    }

    fn nothing_to_run(&self) -> Box<Failure> {
        let (what, help) = match self.program.language() {
            Language::Terms => {
                ("no term to rewrite", "write `input TERM;` in the program, or give --input TERM")
            }
            Language::Constraints => (
                "no goals to run",
                "write `?- goals.` in the program, or give --query GOALS or --facts C=FILE",
            ),
        };
        self.fail(vec![Diagnostic::error("U0106", what).help(help)], Stats::default())
    }
}
