//! Goals that run while a program is read: clauses that change its terms, and conditions.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use gchr_base::control::{Control, Limits};
use gchr_base::diagnostic::Diagnostic;
use gchr_base::logic::{Evaluator, LogicProgram, ReadTerm, Reader, Unsolved, Variable};
use gchr_base::stop::StopReason;

use crate::run::{Answer, Options, Reason, Resident, Stopped, Streams};

/// Most steps of one goal: texts are read by editors, too, which wait for that.
const MAX_STEPS: u64 = 100_000_000;

/// Most bytes of what goals write.
const MAX_WRITTEN: usize = 1 << 20;

/// The logic machine with the clauses of a text that is being read.
pub struct MachineEvaluator<'r> {
    resident: Option<Resident>,
    reader: &'r dyn Reader,
    limits: Limits,
    written: Written,
}

/// What goals wrote, shared by their output and their errors.
#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl Written {
    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut written = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let room = MAX_WRITTEN.saturating_sub(written.len());
        written.extend_from_slice(&bytes[..bytes.len().min(room)]);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'r> MachineEvaluator<'r> {
    /// One whose goals take at most so many bytes (`--memory`).
    pub fn new(reader: &'r dyn Reader, memory: Option<u64>) -> Self {
        let limits = Limits { max_steps: Some(MAX_STEPS), memory, ..Limits::default() };
        Self { resident: None, reader, limits, written: Written::default() }
    }

    fn resident(&mut self) -> Result<&mut Resident, Unsolved> {
        let made = match self.resident.take() {
            Some(resident) => resident,
            None => Resident::new(&LogicProgram::default(), &Options::default()).map_err(|found| {
                let message = found.first().map_or_else(String::new, |first| first.message.clone());
                Unsolved { message, place: None, stopped: true }
            })?,
        };
        Ok(self.resident.insert(made))
    }

    /// Runs the goals of a program; the last answer.
    fn run(&mut self, goals: &LogicProgram) -> Result<Option<Answer>, Unsolved> {
        let mut control = Control::new(self.limits).output(self.written.clone());
        let errors = Some(Box::new(self.written.clone()) as Box<dyn Write>);
        let streams = Streams { errors, input: None, files: true };
        let (mut last, reader) = (None, self.reader);
        let run = self.resident()?.run(
            &[goals],
            reader,
            &Options::default(),
            &mut control,
            streams,
            &mut |answer, _| {
                last = Some(answer);
                Ok(())
            },
        );
        match run {
            Ok(run) if run.halted.is_some() => {
                Err(Unsolved { message: "halt was called".into(), place: None, stopped: true })
            }
            Ok(_) => Ok(last),
            Err(stopped) => unsolved(*stopped).map_or(Ok(None), Err),
        }
    }
}

impl std::fmt::Debug for MachineEvaluator<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MachineEvaluator").finish_non_exhaustive()
    }
}

/// Why a goal has no answer; `None` where it fails.
/// What is said of clauses that are refused: the first of them.
fn refused(found: &[Diagnostic]) -> Unsolved {
    let message = found.first().map(|found| found.message.clone()).unwrap_or_default();
    let place = found.first().and_then(|found| found.labels.first()).map(|label| label.span);
    Unsolved { message, place, stopped: false }
}

fn unsolved(stopped: Stopped) -> Option<Unsolved> {
    let place = stopped.places.first().copied();
    match stopped.reason {
        Reason::Stop(StopReason::Failed) => None,
        Reason::Stop(reason) => {
            Some(Unsolved { message: reason.to_diagnostic().message, place: None, stopped: true })
        }
        Reason::Thrown { message, .. } => Some(Unsolved { message, place, stopped: false }),
    }
}

impl Evaluator for MachineEvaluator<'_> {
    fn begin(&mut self) {
        self.resident = None;
        self.written.take();
    }

    fn consult(&mut self, part: &LogicProgram) -> Result<(), Unsolved> {
        self.resident()?.consult(part).map_err(|found| refused(&found))?;
        if part.initialization.is_empty() { Ok(()) } else { self.run(part).map(drop) }
    }

    fn solve(&mut self, query: &LogicProgram, variable: &str) -> Result<Option<ReadTerm>, Unsolved> {
        let Some(answer) = self.run(query)? else { return Ok(None) };
        let is_one = |names: &[Arc<str>]| names.iter().any(|name| **name == *variable);
        let term = answer.bindings.iter().find(|(names, _)| is_one(names)).map(|(_, term)| *term);
        let variables = answer
            .names
            .iter()
            .map(|name| Variable { name: Some(Arc::clone(name)), occurrences: 1 })
            .collect();
        Ok(Some(ReadTerm { terms: answer.terms, term, variables, end: 0 }))
    }

    fn written(&mut self) -> String {
        String::from_utf8_lossy(&self.written.take()).into_owned()
    }
}
