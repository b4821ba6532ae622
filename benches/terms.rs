//! Term programs at three sizes each.

mod common;

use std::num::NonZeroUsize;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use gchr::{BatchOptions, CompileOptions, Input};

fn terms(criterion: &mut Criterion) {
    common::run_all(criterion, "", gchr::report::bench::TERMS, &gchr::CompileOptions::default());
}

/// Many lists of 50 numbers, sorted as one batch, reading and writing of terms included: on one thread and on all.
fn batch(criterion: &mut Criterion) {
    let program = Input::terms(include_str!("../examples/mergesort.trs")).parse();
    let program = program.unwrap_or_else(|e| panic!("{e}"));
    let executable = program.compile(&CompileOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    let mut group = criterion.benchmark_group("batch");
    group.sample_size(10);
    for lines in [1_000u64, 10_000, 100_000] {
        let terms: String = (1..=lines).map(|i| format!("Sort(Random(50, {i}))\n")).collect();
        group.throughput(Throughput::Elements(lines));
        let all = BatchOptions::default();
        let one = BatchOptions { threads: NonZeroUsize::MIN, ..all };
        for (name, options) in [("one thread", one), ("all threads", all)] {
            group.bench_with_input(BenchmarkId::new(name, lines), &terms, |b, terms| {
                b.iter(|| executable.run_batch(terms.as_bytes(), "terms", &options, &mut |_| Ok(())));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, terms, batch);
criterion_main!(benches);
