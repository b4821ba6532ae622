//! Constraint programs at three sizes each: time of the run alone, without parsing and compiling. Throughput counts firings.

mod common;

use common::{Bench, run_all};
use criterion::{Criterion, criterion_group, criterion_main};
use gchr::Input;

macro_rules! example {
    ($name:literal, $sizes:expr, $query:literal) => {
        Bench {
            name: $name,
            sizes: $sizes,
            input: |n| {
                let text = include_str!(concat!("../examples/", $name, ".chr"));
                Input::constraints(text).query(format!($query, n = n))
            },
        }
    };
}

const BENCHES: &[Bench] = &[
    example!("floyd", [32, 64, 128], "complete({n}, 42)"),
    example!("primes", [2_500, 5_000, 10_000], "candidate(2, {n})"),
    example!("transitive_closure", [100, 200, 400], "random({n}, {n}, 7), random({n}, {n}, 8)"),
    example!("fib", [1_000, 10_000, 100_000], "upto({n}), fib(0, 0), fib(1, 1)"),
    example!("min", [10_000, 100_000, 1_000_000], "random({n}, 42)"),
    example!("gcd", [10_000, 100_000, 1_000_000], "multiples({n}, 42)"),
    example!("mergesort", [1_000, 10_000, 100_000], "random({n}, 42), collect"),
    example!("union_find", [1_000, 10_000, 100_000], "make({n}), random({n}, {n}, 11)"),
    example!("dijkstra", [1_000, 10_000, 100_000], "random({n}, {n}, 5), random({n}, {n}, 6), from(0)"),
    example!("expressions", [10, 12, 14], "tree({n}, 1, total)"),
];

fn constraints(criterion: &mut Criterion) {
    run_all(criterion, BENCHES);
}

criterion_group!(benches, constraints);
criterion_main!(benches);
