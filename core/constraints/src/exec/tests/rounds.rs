//! Rounds: the executor agrees with the definition on any number of threads, and both with the operational semantics of
//! CHR.

mod classes;
mod derivations;
mod direct;
mod stops;
mod traps;

use proptest::prelude::*;

use super::builder::{Builder, G, Ran, Rounds};
use super::random::{Columns, SYMBOLS, Seed, goals, program, seed};
use gchr_base::control::Limits;
use gchr_base::error::StopReason;

const STEPS: u64 = 200;
const ROUNDS: u64 = 8;

fn limits() -> Limits {
    Limits { max_steps: Some(STEPS), ..Limits::default() }
}

/// What must be the same on all executors.
fn summary(ran: &Ran) -> ([String; 2], Option<StopReason>, Option<u64>, [Option<u64>; 4]) {
    let error = ran.error.as_ref();
    let stats = &ran.stats;
    let counts = [stats.firings, stats.rounds, stats.candidates, stats.live_cells];
    (
        [ran.text.clone(), ran.output.clone()],
        error.map(|e| e.reason.clone()),
        error.and_then(|e| e.rule).map(|r| u64::from(r.0)),
        counts,
    )
}

fn agree(builder: &Builder, classes: bool, max_rounds: u64) -> Result<(), TestCaseError> {
    let oracle = Rounds::oracle(classes).until(ROUNDS);
    let whole = builder.run_rounds(&oracle.clone().traced(), limits());
    let wrong = |how: &str| {
        let plan = builder.rounds_plan(Rounds::on(1, classes).plan);
        let trace = whole.trace.join("\n");
        format!("{how}\n{}\n{}\n{trace}", builder.program, plan.display(&builder.program))
    };
    let traced = builder.run_rounds(&Rounds::on(1, classes).until(ROUNDS).traced(), limits());
    prop_assert_eq!(&traced.trace, &whole.trace, "{}", wrong("traced"));
    prop_assert_eq!(summary(&traced), summary(&whole), "{}", wrong("traced"));
    for threads in [1, 3] {
        let ran = builder.run_rounds(&Rounds::on(threads, classes).until(ROUNDS), limits());
        prop_assert_eq!(summary(&ran), summary(&whole), "{}", wrong("not traced"));
    }
    let part = builder.run_rounds(&oracle.until(max_rounds), limits());
    let ran = builder.run_rounds(&Rounds::on(2, classes).until(max_rounds), limits());
    prop_assert_eq!(summary(&ran), summary(&part), "{}", wrong("some rounds"));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn executor_agrees_with_the_definition(
        seeds in prop::collection::vec(seed(true), 1..5),
        query in prop::collection::vec((0usize..SYMBOLS.len(), [0i64..3, 0i64..3, 0i64..3]), 1..8),
        columns in prop::sample::select(vec![Columns::Int, Columns::Dense, Columns::Any, Columns::Mixed]),
        classes in any::<bool>(),
        max_rounds in 0u64..4,
        writes in any::<bool>(),
    ) {
        let seeds: Vec<Seed> = seeds;
        let goals: Vec<G> = goals(&query);
        agree(&program(&seeds, &goals, columns, writes), classes, max_rounds)?;
    }
}
