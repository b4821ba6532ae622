//! Sessions of term programs: the plan, and the kernels of a device, are made once.

use gchr_base::control::Control;
use gchr_base::diagnostic::Diagnostic;
use gchr_base::error::RunError;
use gchr_base::rule::{self, GroundTerm};
use gchr_base::source::{SourceId, SourceMap};
use gchr_terms::exec::Evaluation;

use super::{Ended, Reply};
use crate::executor::{Compiled, Finished, LineEvaluation, Unfinished};
use crate::executors::executor_for;
use crate::options::{CompileOptions, Device};
use crate::output::Answer;
use crate::program::Program;
use crate::term_reader::OwnReader;
use crate::why::{Explanation, Path, TermUnexplained, WhyOptions};

/// A term program that evaluates one term after the other.
pub(super) struct TermSession {
    program: Program,
    compiled: Box<dyn Compiled>,
    /// Reads terms, where the program brings a reader along.
    reader: Option<OwnReader>,
    /// The term that was evaluated last, if it was not the program's own.
    last: Option<GroundTerm>,
    options: CompileOptions,
}

impl TermSession {
    pub fn new(program: Program, options: &CompileOptions) -> Result<Self, Vec<Diagnostic>> {
        let compiled = compile(&program, options)?;
        Ok(Self { compiled, reader: program.reader.clone(), program, last: None, options: *options })
    }

    /// Evaluates on another device from now on.
    pub fn set_device(&mut self, device: Device) -> Result<(), Vec<Diagnostic>> {
        if device != self.options.device {
            let options = CompileOptions { device, ..self.options };
            (self.compiled, self.options) = (compile(&self.program, &options)?, options);
        }
        Ok(())
    }

    pub fn rules(&self) -> &rule::Program {
        &self.program.rules
    }

    pub fn names(&self) -> Vec<String> {
        self.program.rules.signature.symbols.iter().map(|symbol| symbol.name.clone()).collect()
    }

    pub fn evaluate(
        &mut self,
        sources: &SourceMap,
        id: SourceId,
        control: &mut Control<'_>,
    ) -> Result<Reply, Ended> {
        let read = match &mut self.reader {
            Some(reader) => reader.read(sources, id),
            None => self.program.term_reader().read(sources, id),
        };
        let term = read.map_err(Ended::Refused)?;
        let ran = self.run(&term, control);
        self.last = Some(term);
        ran
    }

    /// Explains the symbol at a path of the last normal form, by evaluating its term again.
    pub fn why(
        &self,
        path: &Path,
        options: WhyOptions,
        control: &mut Control<'_>,
    ) -> Result<Explanation, TermUnexplained> {
        let Some(term) = self.last.as_ref().or(self.program.term()) else {
            let found = Diagnostic::error("U0106", "no term was evaluated yet");
            return Err(TermUnexplained::Refused(Box::new(found.help("evaluate a term first"))));
        };
        Explanation::of_term(&self.program.rules, self.program.sources(), term, path, options, control)
    }

    /// What stopped an evaluation.
    pub fn stopped(&self, error: &RunError) -> Diagnostic {
        error.to_diagnostic(&self.program.rules)
    }

    /// Evaluates the input of the program.
    pub fn evaluate_own(&mut self, control: &mut Control<'_>) -> Result<Reply, Ended> {
        self.last = None;
        match self.program.term() {
            Some(term) => self.run(term, control),
            None => {
                let found = Diagnostic::error("U0106", "no term to rewrite");
                Err(Ended::Refused(vec![found.help("write `input TERM;` in the program")]))
            }
        }
    }

    fn run(&self, term: &GroundTerm, control: &mut Control<'_>) -> Result<Reply, Ended> {
        let rules = &self.program.rules;
        let lines = self.compiled.lines(&self.program).map_err(Ended::Refused)?;
        let ran = match lines {
            Some(LineEvaluation::Processor(processor) | LineEvaluation::Shared { processor, .. }) => {
                let ran = processor.run(rules, term, control).map_err(Unfinished::from);
                ran.map(Evaluation::counted).map(|run| Finished {
                    answer: Answer::NormalForm(run.normal_form),
                    stats: run.stats,
                    report: None,
                })
            }
            Some(LineEvaluation::OneByOne(device) | LineEvaluation::Waves { device, .. }) => {
                device.normalise(rules, term, control)
            }
            None => Err(Unfinished::NothingToRun),
        };
        match ran {
            Ok(Finished { answer, stats, .. }) => Ok(Reply { answer: Some(answer), stats }),
            Err(Unfinished::Stopped(stopped)) => {
                let found = stopped.error.to_diagnostic(rules);
                Err(Ended::Stopped(stopped, Box::new(found)))
            }
            Err(other) => Err(Ended::Refused(other.diagnostics(rules))),
        }
    }
}

fn compile(program: &Program, options: &CompileOptions) -> Result<Box<dyn Compiled>, Vec<Diagnostic>> {
    match executor_for(program, options) {
        Some(executor) => executor.compile(program, options),
        None => Err(vec![Diagnostic::error("U0110", "nothing runs such a program on this device")]),
    }
}
