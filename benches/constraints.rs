//! Constraint programs at three sizes each.

mod common;

use criterion::{Criterion, criterion_group, criterion_main};

fn constraints(criterion: &mut Criterion) {
    common::run_all(criterion, gchr::bench::CONSTRAINTS);
}

criterion_group!(benches, constraints);
criterion_main!(benches);
