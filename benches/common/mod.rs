//! What the benchmarks of both languages share: the programs are those of `gchr bench`.

use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput};
use gchr::report::bench::Benchmark;
use gchr::{CompileOptions, Control};

/// Runs programs compiled in some way, under names with a prefix: time of the run alone, without parsing and compiling.
/// Throughput counts rule applications or firings.
pub fn run_all<'b>(
    criterion: &mut Criterion,
    prefix: &str,
    benches: impl IntoIterator<Item = &'b Benchmark>,
    options: &CompileOptions,
) {
    for bench in benches {
        let mut group = criterion.benchmark_group(format!("{prefix}{}", bench.name));
        group
            .sample_size(10)
            .warm_up_time(Duration::from_millis(300))
            .measurement_time(Duration::from_secs(3));
        for size in bench.sizes {
            let program = bench.input(size).parse().unwrap_or_else(|e| panic!("{}: {e}", bench.name));
            let executable = program.compile(options).unwrap_or_else(|e| panic!("{e}"));
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
