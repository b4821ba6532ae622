//! What a run starts with: the constraints of facts and queries, made on the CPU, and their terms.

use std::cell::RefCell;
use std::io::Write;
use std::rc::Rc;

use gchr_base::control::Control;
use gchr_base::error::{RunError, StopReason};
use gchr_base::facts::Facts;
use gchr_base::ids::IdVec;
use gchr_base::rule::{Program, Query, Start};
use gchr_base::signature::SortKind;
use gchr_base::value::Heap;
use gchr_base::value::heap::{Import, ImportError};
use gchr_constraints::exec::{self, Store};

use super::run::Batch;

/// What a run starts with.
#[derive(Default)]
pub struct Input {
    /// The facts with the goals of the first query, then each further query.
    pub batches: Vec<Batch>,
    /// What the goals of each batch write, before its rounds.
    pub written: Vec<Vec<u8>>,
    /// The heap that the words of all batches are of.
    pub heap: Heap,
    /// Why the query of the last batch failed, if it did: behind the rounds of those before it, the run stops with what it has added.
    pub ended: Option<RunError>,
}

/// The batches of a program, up to a query that fails.
pub fn input(program: &Program, facts: &[Facts], control: &mut Control<'_>) -> Result<Input, Box<RunError>> {
    let mut input = Input::default();
    let Start::Goals(queries) = &program.start else { return Ok(input) };
    for number in 0..queries.len().max(1) {
        let query = queries.get(number).cloned();
        let facts = if number == 0 { facts } else { &[] };
        let start = without_rules(program, query);
        let plan = gchr_constraints::plan::compile(&start).map_err(|_| {
            let what = "a program without rules has no plan".into();
            Box::new(stopped(StopReason::Internal { what }))
        })?;
        let written = Buffer::default();
        let out = control.redirect(Box::new(written.clone()));
        let ran = exec::run(&start, &plan, facts, control);
        control.redirect(out);
        input.written.push(written.0.take());
        let (store, ended) = match ran {
            Ok(outcome) => (outcome.store, None),
            Err(stopped) => (stopped.store, Some(stopped.error)),
        };
        input.batches.push(taken_over(program, &store, &mut input.heap)?);
        if ended.is_some() {
            input.ended = ended;
            break;
        }
    }
    Ok(input)
}

/// Output that is kept.
#[derive(Clone, Default)]
struct Buffer(Rc<RefCell<Vec<u8>>>);

impl Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The constraints of a store, their terms on another heap.
fn taken_over(program: &Program, store: &Store, heap: &mut Heap) -> Result<Batch, Box<RunError>> {
    let mut batch = store.words();
    let mut import = Import::new(store.heap().cells());
    for words in &mut batch {
        let columns = &program.signature.constraints[words.constraint].columns;
        for (word, column) in words.values.iter_mut().zip(columns) {
            if program.signature.kind(column.sort) == SortKind::Any {
                *word = import.word(heap, *word).map_err(|error| Box::new(stopped(unusable(error))))?;
            }
        }
    }
    Ok(batch)
}

/// Why terms cannot be taken over.
pub(super) fn unusable(error: ImportError) -> StopReason {
    match error {
        ImportError::Full => StopReason::Indices { what: "terms".into(), limit: Heap::MAX_WORDS },
        ImportError::Broken => StopReason::Internal { what: "a term points at no cell".into() },
    }
}

/// Without rules, nothing happens to what facts and goals add.
fn without_rules(program: &Program, query: Option<Query>) -> Program {
    Program {
        signature: program.signature.clone(),
        rules: IdVec::new(),
        start: Start::Goals(query.into_iter().collect()),
        semantics: program.semantics,
    }
}

fn stopped(reason: StopReason) -> RunError {
    RunError {
        reason,
        rule: None,
        span: None,
        progress: gchr_base::control::Progress { steps: 0, bytes: 0, live: 0 },
    }
}
