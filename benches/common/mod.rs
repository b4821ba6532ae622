//! What the benchmarks of both languages share.

use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput};
use gchr::{CompileOptions, Control, Input};

/// A program at three sizes.
pub struct Bench {
    /// Name of the example.
    pub name: &'static str,
    /// Sizes, ascending.
    pub sizes: [u64; 3],
    /// The program with its start at a size.
    pub input: fn(u64) -> Input,
}

/// Runs all of them.
pub fn run_all(criterion: &mut Criterion, benches: &[Bench]) {
    for bench in benches {
        let mut group = criterion.benchmark_group(bench.name);
        group
            .sample_size(10)
            .warm_up_time(Duration::from_millis(300))
            .measurement_time(Duration::from_secs(3));
        for size in bench.sizes {
            let program = (bench.input)(size).parse().unwrap_or_else(|e| panic!("{}: {e}", bench.name));
            let executable = program.compile(&CompileOptions::default()).unwrap_or_else(|e| panic!("{e}"));
            let run = || executable.run(&mut Control::default()).unwrap_or_else(|e| panic!("{e}"));
            let outcome = run();
            let stats = outcome.stats();
            group.throughput(Throughput::Elements(stats.rewrites.or(stats.firings).unwrap_or(0)));
            drop(outcome);
            group.bench_with_input(BenchmarkId::from_parameter(size), &size, |b, _| b.iter(run));
        }
        group.finish();
    }
}
