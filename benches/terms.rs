//! Term programs at three sizes each: time of the run alone, without parsing and compiling. Throughput counts rule applications.

mod common;

use common::{Bench, run_all};
use criterion::{Criterion, criterion_group, criterion_main};
use gchr::Input;

macro_rules! example {
    ($name:literal, $sizes:expr, $input:literal) => {
        Bench {
            name: $name,
            sizes: $sizes,
            input: |n| {
                let text = include_str!(concat!("../examples/", $name, ".trs"));
                Input::terms(text).term(format!($input, n = n))
            },
        }
    };
}

const BENCHES: &[Bench] = &[
    example!("tree_exploration", [16, 18, 20], "Visit(Multl(S^{n}(Zero()), Leaf(Zero())))"),
    example!("transformation_tree", [16, 18, 20], "Expand(S^{n}(Zero()))"),
    example!(
        "bst",
        [14, 16, 18],
        "BST(InputTree(S^{n}(Zero()), S^2(Zero()), S^2(Zero()), S^2(Zero())), Min(), Max())"
    ),
    example!("mergesort", [1_000, 10_000, 100_000], "Sort(Random({n}, 42))"),
    example!("mergesort_tree", [8, 10, 12], "Build(S^{n}(Zero()), Digits())"),
    example!("nrev", [500, 1_000, 2_000], "Rev(Upto(S^{n}(Zero())))"),
    example!("sieve", [500, 1_000, 2_000], "Sieve(Range(S^{n}(Zero()), S^2(Zero())))"),
    example!("ackermann", [6, 7, 8], "Ack(S^3(Zero()), S^{n}(Zero()))"),
    example!("hanoi", [14, 16, 18], "Hanoi(S^{n}(Zero()), A(), B(), C(), Done())"),
    example!("peano", [7, 8, 9], "Fact(S^{n}(Zero()))"),
    example!("fib", [18, 20, 22], "Fib(S^{n}(Zero()))"),
    example!("fib_int", [20, 23, 26], "Fib({n})"),
    example!("floyd", [16, 32, 64], "Floyd(Complete({n}, 42))"),
    example!("primes", [1_000, 3_000, 10_000], "Primes({n})"),
    example!("gcd", [1_000, 10_000, 100_000], "All(Multiples({n}, 42))"),
    example!("min", [1_000, 10_000, 100_000], "Least(Random({n}, 42))"),
];

fn terms(criterion: &mut Criterion) {
    run_all(criterion, BENCHES);
}

criterion_group!(benches, terms);
criterion_main!(benches);
