//! Constraint programs at three sizes each; those with one result in rounds too, as `rounds/NAME`.
//! `RAYON_NUM_THREADS=1` measures rounds on one thread.

mod common;

use criterion::{Criterion, criterion_group, criterion_main};
use gchr::CompileOptions;
use gchr::base::rule::Semantics;
use gchr::report::bench::CONSTRAINTS;

/// Programs for which rounds have parallelism.
const ROUNDS: [&str; 7] = ["components", "floyd", "gcd", "mergesort", "min", "paths", "transitive_closure"];

fn constraints(criterion: &mut Criterion) {
    common::run_all(criterion, "", CONSTRAINTS, &CompileOptions::default());
    let rounds = CompileOptions { semantics: Some(Semantics::Rounds), ..CompileOptions::default() };
    let programs = CONSTRAINTS.iter().filter(|bench| ROUNDS.contains(&bench.name));
    common::run_all(criterion, "rounds/", programs, &rounds);
}

criterion_group!(benches, constraints);
criterion_main!(benches);
