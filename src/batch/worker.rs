//! One thread of a batch: reads lines and evaluates them.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use gchr_base::control::{Control, Progress};
use gchr_base::diagnostic::Diagnostic;
use gchr_base::error::{RunError, StopReason};
use gchr_base::rule::GroundTerm;
use gchr_base::source::{SourceId, SourceMap, Start};
use gchr_base::stats::Stats;
use gchr_terms::exec::Evaluation;

use super::job::{self, Job};
use super::line::{BatchLine, LineText, WorkedLine};
use crate::diagnostics::Diagnostics;
use crate::executor::{Finished, TermDevice, Unfinished};
use crate::output::Answer;
use crate::processor::TermEvaluator;
use crate::term_reader::TermReader;

/// Reads lines: a reader, and a place for the text of a line among the texts of the program.
pub(super) struct Reader<'w> {
    name: &'w str,
    reader: TermReader<'w>,
    sources: SourceMap,
    id: SourceId,
}

impl<'w> Reader<'w> {
    pub fn new<R>(job: &'w Job<'_, R>) -> Self {
        let program = job.program;
        let mut sources = SourceMap::clone(&program.sources);
        let id = sources.add(job.name, "");
        Self { name: job.name, reader: program.term_reader(), sources, id }
    }

    /// The term of a line.
    pub fn read(&mut self, number: u64, text: &[u8]) -> Result<GroundTerm, Box<WorkedLine>> {
        let text = match std::str::from_utf8(text) {
            Ok(text) => text,
            Err(error) => {
                let found = Diagnostic::error("U0102", format!("{}:{number} is not a UTF-8 text", self.name))
                    .note(format!("byte {} of the line", error.valid_up_to()))
                    .help("save the file as UTF-8");
                return Err(Box::new(self.failed(number, vec![found], Stats::default(), false)));
            }
        };
        let lines = usize::try_from(number).unwrap_or(usize::MAX).saturating_sub(1);
        let columns = text.chars().take_while(|c| c.is_whitespace()).count();
        self.sources.replace(self.id, self.name, Start { lines, columns }, text.trim());
        let read = self.reader.read(&self.sources, self.id);
        read.map_err(|found| Box::new(self.failed(number, found, Stats::default(), false)))
    }

    pub fn failed(&self, number: u64, found: Vec<Diagnostic>, stats: Stats, last: bool) -> WorkedLine {
        let diagnostics = Diagnostics::new(Arc::new(self.sources.clone()), found);
        let rewrites = Some(stats.rewrites.unwrap_or(0));
        WorkedLine { line: BatchLine { number, result: Err(diagnostics), rewrites }, stats, last }
    }
}

/// What evaluates a single line.
enum LineEvaluator<'w> {
    Processor(Box<TermEvaluator<'w>>),
    Device(&'w dyn TermDevice),
}

/// What one thread needs: a reader and memory.
pub(super) struct Worker<'w, 'b, R> {
    pub job: &'w Job<'b, R>,
    pub reader: Reader<'w>,
    evaluator: LineEvaluator<'w>,
    /// Becomes true when its results are of no use any more.
    pub called_off: Option<Arc<AtomicBool>>,
    /// Its part of the memory of the batch: one of so many.
    share: u64,
}

impl<'w, 'b, R> Worker<'w, 'b, R> {
    pub fn new(job: &'w Job<'b, R>) -> Self {
        let (evaluator, share) = match job.evaluation {
            job::Evaluation::Processor(prepared) => {
                (LineEvaluator::Processor(Box::new(prepared.evaluator())), job.workers)
            }
            job::Evaluation::OneByOne(device) => (LineEvaluator::Device(device), job.workers),
            job::Evaluation::Waves(_, prepared) => {
                (LineEvaluator::Processor(Box::new(prepared.evaluator())), 1)
            }
        };
        Self { job, reader: Reader::new(job), evaluator, called_off: None, share }
    }

    /// The GPU's side beside the workers of a batch; `called_off` becomes true when its results are of no use any more.
    pub fn of_gpu(job: &'w Job<'b, R>, called_off: Arc<AtomicBool>) -> Self {
        Self { called_off: Some(called_off), share: 1, ..Self::new(job) }
    }

    /// Lines one after the other, up to the one that ends the batch; long ones, too.
    pub fn all_lines(&mut self, chunk: &[(u64, Vec<u8>)]) -> Vec<WorkedLine> {
        let mut worked = Vec::with_capacity(chunk.len());
        loop {
            let more = self.lines(&chunk[worked.len()..]);
            let goes_on = more.last().is_some_and(WorkedLine::is_long);
            worked.extend(more);
            if !goes_on || worked.len() == chunk.len() {
                return worked;
            }
        }
    }

    /// Lines one after the other, up to the one that ends the batch, or the first one that holds a term.
    pub fn lines(&mut self, chunk: &[(u64, Vec<u8>)]) -> Vec<WorkedLine> {
        let mut worked = Vec::with_capacity(chunk.len());
        for (number, text) in chunk {
            let done = match self.reader.read(*number, text) {
                Ok(term) => self.run(*number, &term),
                Err(failed) => *failed,
            };
            let last = done.last || done.is_long();
            worked.push(done);
            if last || self.job.results.is_stopped() {
                break;
            }
        }
        worked
    }

    /// Limits and interrupt for what is started now.
    pub fn control(&self) -> Control<'b> {
        let job = self.job;
        let mut limits = job.options.limits;
        limits.memory = limits.memory.map(|m| m / self.share);
        let mut control = Control::new(limits).since(job.start);
        if let Some(flag) = &self.called_off {
            control.also_stop(Arc::clone(flag));
        }
        match job.options.interrupt {
            Some(flag) => control.interrupt(flag),
            None => control,
        }
    }

    /// Evaluates the term of a line.
    pub fn run(&mut self, number: u64, term: &GroundTerm) -> WorkedLine {
        if let Some(reason) = self.job.stop_reason() {
            return self.ended(number, reason, Stats::default());
        }
        let mut control = self.control();
        match &mut self.evaluator {
            LineEvaluator::Processor(evaluator) => match evaluator
                .run(term, &mut control)
                .map(Evaluation::counted)
            {
                Ok(Evaluation { normal_form, stats }) => {
                    match LineText::of(&normal_form, control.watch().clone()) {
                        Ok(Some(text)) => {
                            evaluator.recycle(normal_form);
                            WorkedLine::done(number, text, stats)
                        }
                        Ok(None) => WorkedLine::done(number, LineText::Term(Box::new(normal_form)), stats),
                        Err(reason) => self.ended(number, reason, stats),
                    }
                }
                Err(stopped) => self.stopped(number, stopped.error, stopped.stats),
            },
            LineEvaluator::Device(device) => {
                let device = *device;
                match device.normalise(&self.job.program.rules, term, &mut control) {
                    Ok(Finished { answer: Answer::NormalForm(term), stats, .. }) => {
                        match LineText::of(&term, control.watch().clone()) {
                            Ok(Some(text)) => WorkedLine::done(number, text, stats),
                            Ok(None) => WorkedLine::done(number, LineText::Term(Box::new(term)), stats),
                            Err(reason) => self.ended(number, reason, stats),
                        }
                    }
                    Err(Unfinished::Stopped(stopped)) => self.stopped(number, stopped.error, stopped.stats),
                    // A device that failed, or gave no normal form, evaluates no further line either.
                    Ok(_) => self.reader.failed(number, Vec::new(), Stats::default(), true),
                    Err(unfinished) => {
                        let found = unfinished.diagnostics(&self.job.program.rules);
                        self.reader.failed(number, found, Stats::default(), true)
                    }
                }
            }
        }
    }

    /// A line before which the batch ended.
    pub fn ended(&self, number: u64, reason: StopReason, stats: Stats) -> WorkedLine {
        let progress = Progress { steps: stats.rewrites.unwrap_or(0), bytes: 0, live: 0 };
        self.stopped(number, RunError { reason, rule: None, span: None, progress }, stats)
    }

    fn stopped(&self, number: u64, error: RunError, stats: Stats) -> WorkedLine {
        let job = self.job;
        let last = matches!(error.reason, StopReason::Timeout { .. } | StopReason::Interrupted);
        let mut found = error.to_diagnostic(&job.program.rules);
        found.notes.push(format!("while the term in {}:{number} was rewritten", job.name));
        self.reader.failed(number, vec![found], stats, last)
    }
}
