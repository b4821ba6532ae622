//! Term programs at three sizes each.

mod common;

use criterion::{Criterion, criterion_group, criterion_main};

fn terms(criterion: &mut Criterion) {
    common::run_all(criterion, gchr::bench::TERMS);
}

criterion_group!(benches, terms);
criterion_main!(benches);
