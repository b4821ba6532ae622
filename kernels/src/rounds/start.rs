//! What a run starts with: the constraints of facts and queries, made on the CPU.

use gchr_core::control::Control;
use gchr_core::error::{RunError, StopReason};
use gchr_core::exec::chr;
use gchr_core::facts::Facts;
use gchr_core::ids::IdVec;
use gchr_core::rule::{Program, Query, Start};

use super::run::Batch;

/// The batches of a program: the facts with the goals of the first query, then each further query. Output of queries is written.
pub fn batches(
    program: &Program,
    facts: &[Facts],
    control: &mut Control<'_>,
) -> Result<Vec<Batch>, Box<RunError>> {
    let Start::Goals(queries) = &program.start else { return Ok(Vec::new()) };
    let mut batches = Vec::with_capacity(queries.len().max(1));
    for number in 0..queries.len().max(1) {
        let query = queries.get(number).cloned();
        let facts = if number == 0 { facts } else { &[] };
        batches.push(batch(program, facts, query.into_iter().collect(), control)?);
    }
    Ok(batches)
}

/// Without rules, nothing happens to what facts and goals add.
fn batch(
    program: &Program,
    facts: &[Facts],
    queries: Vec<Query>,
    control: &mut Control<'_>,
) -> Result<Batch, Box<RunError>> {
    let start = Program {
        signature: program.signature.clone(),
        rules: IdVec::new(),
        start: Start::Goals(queries),
        semantics: program.semantics,
    };
    let plan = gchr_core::plan::chr::compile(&start).map_err(|_| Box::new(internal()))?;
    match chr::run(&start, &plan, facts, control) {
        Ok(outcome) => Ok(outcome.store.words()),
        Err(stopped) => Err(Box::new(stopped.error)),
    }
}

fn internal() -> RunError {
    RunError {
        reason: StopReason::Internal { what: "a program without rules has no plan".into() },
        rule: None,
        span: None,
        progress: gchr_core::control::Progress { steps: 0, bytes: 0, live: 0 },
    }
}
