//! The programs that are measured: the examples, with starts at three sizes. Benchmarks of every kind take them from
//! here.

use crate::input::Input;
use crate::program::Language;

/// A program with its start at any size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Benchmark {
    /// Name of the example.
    pub name: &'static str,
    /// Its language.
    pub language: Language,
    /// Its text.
    pub text: &'static str,
    /// Term or goals, with `{n}` for the size.
    pub start: &'static str,
    /// A size whose result is small enough to be compared as text.
    pub small: u64,
    /// Sizes to measure, ascending.
    pub sizes: [u64; 3],
    /// Whether results depend on the textual order of rules.
    pub ordered: bool,
}

impl Benchmark {
    /// The program with its start at a size.
    pub fn input(&self, size: u64) -> Input {
        let start = self.start.replace("{n}", &size.to_string());
        match self.language {
            Language::Terms => {
                Input::text(self.language, format!("{}.trs", self.name), self.text).term(start)
            }
            Language::Constraints => {
                Input::text(self.language, format!("{}.chr", self.name), self.text).query(start)
            }
        }
    }

    /// `floyd.chr`.
    pub fn file_name(&self) -> String {
        match self.language {
            Language::Terms => format!("{}.trs", self.name),
            Language::Constraints => format!("{}.chr", self.name),
        }
    }
}

macro_rules! terms {
    ($name:literal, $start:literal, $small:expr, $sizes:expr, $ordered:expr) => {
        Benchmark {
            name: $name,
            language: Language::Terms,
            text: include_str!(concat!("../../../examples/", $name, ".trs")),
            start: $start,
            small: $small,
            sizes: $sizes,
            ordered: $ordered,
        }
    };
}

macro_rules! constraints {
    ($name:literal, $start:literal, $small:expr, $sizes:expr) => {
        Benchmark {
            name: $name,
            language: Language::Constraints,
            text: include_str!(concat!("../../../examples/", $name, ".chr")),
            start: $start,
            small: $small,
            sizes: $sizes,
            ordered: true,
        }
    };
}

/// Term programs.
pub const TERMS: &[Benchmark] = &[
    terms!("tree_exploration", "Visit(Multl(S^{n}(Zero()), Leaf(Zero())))", 4, [16, 18, 20], false),
    terms!("transformation_tree", "Expand(S^{n}(Zero()))", 4, [16, 18, 20], false),
    terms!(
        "bst",
        "BST(InputTree(S^{n}(Zero()), S(S(Zero())), S(S(Zero())), S(S(Zero()))), Min(), Max())",
        4,
        [14, 16, 18],
        false
    ),
    terms!("mergesort", "Sort(Random({n}, 42))", 50, [1_000, 10_000, 100_000], true),
    terms!("mergesort_tree", "Build(S^{n}(Zero()), Digits())", 3, [8, 10, 12], false),
    terms!("nrev", "Rev(Upto(S^{n}(Zero())))", 12, [500, 1_000, 2_000], false),
    terms!("sieve", "Sieve(Range(S^{n}(Zero()), S(S(Zero()))))", 30, [500, 1_000, 2_000], false),
    terms!("ackermann", "Ack(S(S(S(Zero()))), S^{n}(Zero()))", 2, [6, 7, 8], false),
    terms!("hanoi", "Hanoi(S^{n}(Zero()), A(), B(), C(), Done())", 4, [14, 16, 18], false),
    terms!("peano", "Fact(S^{n}(Zero()))", 4, [7, 8, 9], false),
    terms!("fib", "Fib(S^{n}(Zero()))", 10, [18, 20, 22], false),
    terms!("fib_int", "Fib({n})", 15, [20, 23, 26], true),
    terms!("build_fold", "Run({n})", 4, [12, 15, 18], true),
    terms!("bitonic", "Run({n})", 4, [8, 10, 12], true),
    terms!("queens", "Queens({n})", 5, [8, 9, 10], true),
    terms!("lexer", "Lex({n}, 100)", 2, [4, 6, 8], true),
    terms!("floyd", "Floyd(Complete({n}, 42))", 6, [16, 32, 64], true),
    terms!("primes", "Primes({n})", 100, [1_000, 3_000, 10_000], true),
    terms!("gcd", "All(Multiples({n}, 42))", 50, [1_000, 10_000, 100_000], true),
    terms!("min", "Least(Random({n}, 42))", 50, [1_000, 10_000, 100_000], true),
];

/// Constraint programs.
pub const CONSTRAINTS: &[Benchmark] = &[
    constraints!("floyd", "complete({n}, 42)", 8, [32, 64, 128]),
    constraints!("primes", "candidate(2, {n})", 100, [2_500, 5_000, 10_000]),
    constraints!("transitive_closure", "random({n}, {n}, 7), random({n}, {n}, 8)", 20, [100, 200, 400]),
    constraints!("fib", "upto({n}), fib(0, 0), fib(1, 1)", 20, [500, 1_000, 2_000]),
    constraints!("min", "random({n}, 42)", 50, [10_000, 100_000, 1_000_000]),
    constraints!("gcd", "multiples({n}, 42)", 50, [10_000, 100_000, 1_000_000]),
    constraints!("mergesort", "random({n}, 42), collect", 50, [1_000, 4_000, 16_000]),
    constraints!("components", "M is 4 * {n}, random({n}, 0, M)", 20, [1_000, 4_000, 16_000]),
    constraints!("paths", "M is 5 * {n}, random({n}, 0, M), distance(0, 0)", 20, [1_000, 4_000, 16_000]),
    constraints!("union_find", "make({n}), random({n}, {n}, 11)", 50, [1_000, 4_000, 16_000]),
    constraints!("dijkstra", "random({n}, {n}, 5), random({n}, {n}, 6), from(0)", 50, [1_000, 4_000, 16_000]),
    constraints!("expressions", "tree({n}, 1, total)", 5, [10, 12, 14]),
];
