//! The topology scheduler against the interpreter: every term example on the simulator, and in every configuration on a
//! GPU when there is one. Same normal form, same rule applications; with a collector no slot is lost. The other
//! configurations on the simulator are run with the benchmarks.

use std::num::NonZeroUsize;

use gchr_base::control::{Control, Limits};
use gchr_base::diagnostic::render_all;
use gchr_base::error::StopReason;
use gchr_base::rule::{GroundTerm, Program};
use gchr_base::source::SourceMap;
use gchr_kernel::device::Device;
use gchr_kernels_terms::topology::codegen::Strategy;
use gchr_kernels_terms::topology::kernels::{Collector, Kernels, kernels};
use gchr_kernels_terms::topology::run::{Failure, Job, Options, Report, run};
use gchr_kernels_terms::topology::system::System;
use gchr_simulator::SimDevice;
use gchr_terms::plan::{self, TermOptions, TermPlan};
use gchr_testkit::{compiler, programs, systems};

const STRATEGIES: [Strategy; 2] = [Strategy::Innermost, Strategy::Relaxed];
const COLLECTORS: [Collector; 3] = [Collector::None, Collector::Queue, Collector::Compact];

/// Configurations to run.
#[derive(Clone, Copy, PartialEq)]
enum Which {
    /// The one that other schedulers fall back on.
    Main,
    /// All.
    Every,
}

impl Which {
    fn strategies(self) -> &'static [Strategy] {
        if self == Which::Main { &[Strategy::Innermost] } else { &STRATEGIES }
    }
    fn collectors(self) -> &'static [Collector] {
        if self == Which::Main { &[Collector::Queue] } else { &COLLECTORS }
    }
}

struct Case {
    sources: SourceMap,
    program: Program,
    plan: TermPlan,
    system: System,
    input: GroundTerm,
}

impl Case {
    fn new(name: &str, text: &str) -> Self {
        let (sources, program) = programs::terms(name, text);
        let plan = plan::compile(&program, &TermOptions::default()).expect("the plan compiles");
        let system = System::new(&program);
        let input = programs::input(&program);
        Self { sources, program, plan, system, input }
    }

    fn kernels(&self, strategy: Strategy, collector: Collector) -> Kernels {
        let made = kernels(&self.system, &self.program, &self.sources, strategy, collector);
        programs::made(made, &self.sources)
    }

    /// Normal form and rule applications of the interpreter.
    fn expected(&self) -> (String, u64) {
        self.interpreted(Limits::default()).expect("the interpreter reaches a normal form")
    }

    /// The same, or why it stopped.
    fn interpreted(&self, limits: Limits) -> Result<(String, u64), StopReason> {
        let mut control = Control::new(limits);
        let outcome = gchr_terms::exec::run(&self.program, &self.plan, &self.input, &mut control);
        let outcome = outcome.map_err(|stopped| stopped.error.reason)?;
        Ok((outcome.normal_form.to_text(), outcome.stats.rewrites.expect("a term program")))
    }

    /// Normal form and rule applications on the simulator, or why it stopped; no slot is lost.
    fn simulated(
        &self,
        strategy: Strategy,
        collector: Collector,
        slots: u64,
        label: &str,
    ) -> Result<(String, u64), StopReason> {
        let kernels = self.kernels(strategy, collector);
        let options = Options { strategy, collector, memory: 1 << 29, slots, counted: u64::MAX };
        match self.on(&mut simulator(&kernels), &kernels, options) {
            Ok((text, rewrites, _, report)) => {
                if collector != Collector::None {
                    assert_eq!(Some(report.live_slots), report.reachable_slots, "{label}");
                }
                Ok((text, rewrites))
            }
            Err(Failure::Stopped(stopped)) => Err(stopped.error.reason),
            Err(Failure::Device(error)) => {
                panic!("{label}: {}", render_all(&error.into_diagnostics(), &self.sources, false))
            }
        }
    }

    fn on(
        &self,
        device: &mut dyn Device,
        kernels: &Kernels,
        options: Options,
    ) -> Result<(String, u64, u64, Report), Failure> {
        let job = Job {
            program: &self.program,
            system: &self.system,
            kernels,
            plan: &self.plan,
            input: &self.input,
        };
        let outcome = run(job, options, device, &mut Control::new(Limits::default()))?;
        let stats = outcome.stats;
        let counts = (stats.rewrites.expect("counted"), stats.rounds.expect("counted"));
        Ok((outcome.normal_form.to_text(), counts.0, counts.1, outcome.report))
    }
}

fn simulator<'a>(kernels: &Kernels) -> SimDevice<'a> {
    let program = gchr_simulator::Program::new(&kernels.module).unwrap_or_else(|errors| panic!("{errors:?}"));
    let options = gchr_simulator::SimulatorOptions {
        resident_blocks: 2,
        ..gchr_simulator::SimulatorOptions::default()
    };
    SimDevice::new(program, options).max_thread_steps(400_000_000)
}

fn check(case: &Case, name: &str, slots: u64, which: Which) {
    let expected = case.expected();
    for &strategy in which.strategies() {
        for &collector in which.collectors() {
            let label = format!("{name}, {}, {}", strategy.name(), collector.name());
            assert_eq!(case.simulated(strategy, collector, slots, &label), Ok(expected.clone()), "{label}");
        }
    }
}

fn examples(which: Which) {
    for (name, text) in programs::examples("trs") {
        check(&Case::new(&name, &text), &name, 1 << 14, which);
    }
}

#[test]
fn examples_on_the_simulator() {
    examples(Which::Main);
}

#[test]
#[ignore = "run with the benchmarks"]
fn every_configuration_on_the_simulator() {
    examples(Which::Every);
    figures_of_examples(Which::Every);
    check(&Case::new("features.trs", FEATURES), "features", 1 << 12, Which::Every);
    tables_that_grow(Which::Every);
}

const TREE_EXPLORATION: &str = include_str!("../../../../examples/tree_exploration.trs");
const TRANSFORMATION_TREE: &str = include_str!("../../../../examples/transformation_tree.trs");

/// Iterations and the papers' unit "rewritten" are those of Table 3.
#[test]
fn figures_of_the_paper() {
    figures_of_examples(Which::Main);
}

fn figures_of_examples(which: Which) {
    for n in [1u64, 4, 6] {
        let input = format!("input Visit(Multl(S^{n}(Zero()), Leaf(Zero())));");
        figures(TREE_EXPLORATION, &input, 5 * n + 3, 3 * (1 << n) + 3 * n, which);
        let input = format!("input Expand(S^{n}(Zero()));");
        figures(TRANSFORMATION_TREE, &input, 3 * n + 28, 29 * (1 << n) + n - 2, which);
    }
}

fn figures(text: &str, input: &str, iterations: u64, rewritten: u64, which: Which) {
    let rules = text.split("\ninput").next().expect("a program");
    let case = Case::new("paper.trs", &format!("{rules}\n{input}"));
    for &collector in which.collectors() {
        let kernels = case.kernels(Strategy::Innermost, collector);
        let options = Options {
            strategy: Strategy::Innermost,
            collector,
            memory: 1 << 29,
            slots: 1 << 16,
            counted: u64::MAX,
        };
        let (_, _, steps, report) =
            case.on(&mut simulator(&kernels), &kernels, options).expect("a normal form is reached");
        assert_eq!((steps, report.rewritten), (iterations, rewritten), "{input} {}", collector.name());
    }
}

/// Conditions, repeated variables, lazy operators, stuck applications, numbers.
const FEATURES: &str = "
    sort Nat = struct Zero() | S(Nat);
         List = struct Nil() | Cons(Int, List);
         Out = struct Out(Int, Bool, Bool, Nat, Int, Float, Bool);
    map Max : Int # Int -> Int;
        Sum : List -> Int;
        Same : Nat # Nat -> Bool;
        Odd : Nat -> Bool;
        Pred : Nat -> Nat;
        Gcd : Int # Int -> Int;
        Half : Float -> Float;
        Within : Int # List -> Bool;
    var X, Y : Int; L : List; N, M : Nat; F : Float;
    eqn X > Y -> Max(X, Y) = X;
        Max(X, Y) = Y;
        Sum(Nil()) = 0;
        Sum(Cons(X, L)) = X + Sum(L);
        Same(N, N) = true;
        Same(N, M) = false;
        Odd(Zero()) = false;
        Odd(S(N)) = !Odd(N);
        Pred(S(N)) = N;
        Gcd(X, 0) = X;
        Gcd(X, Y) = Gcd(Y, X mod Y);
        Half(F) = F / 2.0;
        Within(X, Nil()) = false;
        Within(X, Cons(Y, L)) = X == Y || Sum(L) > 100 && Within(X, L) || Within(X, L);
    input Out(Max(3 * 4, Gcd(84, 36) - 1), Same(S^5(Zero()), Pred(S^6(Zero()))), Odd(S^7(Zero())), Pred(Zero()),
        Sum(Cons(1, Cons(2, Cons(40, Nil())))), Half(5.0), Within(7, Cons(1, Cons(99, Cons(7, Nil())))));";

/// What is hard about conditions: declarations, then rules and inputs. All have the interpreter's result, or its error.
const TRAPS: &[(&str, &[&str])] = &[
    // The rules behind a condition that must be rewritten, whether or not its rule matches.
    (
        "sort T = struct a | b | c(T); map f : T # T -> T; g : T -> T; var x, y : T;
         eqn f(x, c(x)) = a; f(x, y) = b; g(f(x, y)) = a; g(x) = b;",
        &["g(f(a, a))", "g(f(a, c(a)))", "g(f(c(b), c(c(b))))"],
    ),
    (
        "sort T = struct A | B | C | P(T, T); map f : T # T -> T; g : T -> Bool; var x, y, z : T;
         eqn g(A) = true; g(B) = false;
         f(P(x, x), y) = P(y, y); g(x) -> f(x, A) = B; f(x, x) = A; g(x) && g(y) -> f(P(x, y), z) = C;
         f(P(x, y), P(y, x)) = P(x, y); g(y) || g(x) -> f(x, y) = f(B, B); f(x, C) = x;",
        &[
            "f(P(A, A), B)", "f(A, A)", "f(B, A)", "f(B, B)", "f(P(A, B), C)", "f(P(B, A), P(A, B))",
            "f(P(P(A, B), A), P(A, P(A, B)))", "f(B, C)", "f(C, A)", "f(C, C)", "f(P(C, A), C)", "f(A, B)",
        ],
    ),
    // Truth values that are stuck: a condition that does not hold, an operand that is none.
    (
        "sort T = struct A | B | E(Bool); map s : T -> Bool; n, d, k, o : T -> T; j : Bool # Bool -> T; var x : T; p, q : Bool;
         eqn s(A) = true; s(x) -> n(x) = A; n(x) = B; s(x) || true -> o(x) = A; o(x) = B;
         d(x) = E(s(A) && s(x)); k(x) = E(!s(x)); p && q -> j(p, q) = A; j(p, p) = B;",
        &[
            "n(A)", "n(B)", "o(A)", "o(B)", "d(A)", "d(B)", "k(A)", "k(B)", "j(s(B), true)", "j(true, s(B))",
            "j(s(A), true)", "j(s(B), s(A))", "E(s(B))", "E(s(A) && s(B))", "E(s(B) || true)",
            "E(s(A) || s(B))", "E(false && s(B))", "E(!s(B))",
        ],
    ),
    // Stuck numbers: below a function, at the root, in an argument that is dropped, behind a condition.
    (
        "sort T = struct A | B; map g : T -> Int; h : T -> Float; f : Int -> T; d : Int # T -> T; v : T; p : T -> Bool;
         c : T # T -> Int; var x, y : T; n : Int;
         eqn g(A) = 1; h(A) = 1.5; f(n) = A; d(n, x) = x; p(A) = true; p(x) -> c(x, y) = 1; c(x, x) = 2;",
        &["f(g(A))", "f(g(B))", "g(B)", "h(B)", "d(g(B), A)", "g(A) + g(B)", "g(A) + 2", "c(B, A)", "c(B, B)", "c(A, B)"],
    ),
    // Equality by bits inside terms, by value between numbers.
    (
        "sort T = struct p(Float) | q(Int, T); map n : T # T -> Int; m : Float # Float -> Int; k : Float -> Int;
         e : Float # Float -> Bool; var x, y : T; u, w : Float;
         eqn n(x, x) = 1; n(x, y) = 2; m(u, u) = 1; m(u, w) = 2; k(0.0) = 1; k(-0.0) = 2; k(u) = 3; e(u, w) = u == w;",
        &[
            "n(p(0.0), p(-0.0))", "n(p(0.0), p(0.0))", "p(0.0) == p(-0.0)", "p(0.0) != p(-0.0)", "m(0.0, -0.0)",
            "m(-0.0, -0.0)", "k(-0.0)", "k(0.0)", "k(1.0)", "e(0.0, -0.0)", "0.0 == -0.0",
            "n(q(-9223372036854775808, p(1.0)), q(-9223372036854775808, p(1.0)))",
            "n(q(4294967296, p(1.0)), q(0, p(1.0)))", "k(1.7976931348623157e308)",
        ],
    ),
    // What is evaluated once: in a condition, in a right-hand side, in and behind the second operand of a lazy
    // operator.
    (
        "sort T = struct A | B | P(T, T) | E(Bool, T); map w, s, t : T -> T; i : T -> Bool; f, g, h : T -> T; var x : T;
         eqn w(x) = s(x); s(x) = t(x); t(A) = B; t(B) = A; i(A) = true; i(B) = false;
         i(w(x)) && w(x) == A -> f(x) = w(x); f(x) = P(w(x), w(x));
         g(x) = E(i(w(x)) || i(s(w(x))) && i(w(x)), P(w(x), s(w(x))));
         h(x) = E((i(x) || i(w(x))) == (i(x) || i(w(x))), w(x));",
        &["f(A)", "f(B)", "g(A)", "g(B)", "h(A)", "h(B)"],
    ),
    // Symbols repeated more often than a step has room for.
    (
        "sort N = struct Z | S(N); map d, e : N -> N; var x : N;
         eqn d(x) = e^100(S^70(x)); e(S(x)) = x; e(Z) = S^1000(Z);",
        &["d(Z)", "d(d(Z))", "e^65(S^3(Z))"],
    ),
];

#[test]
fn conditions_of_every_shape() {
    for (declarations, inputs) in TRAPS {
        for (n, input) in inputs.iter().enumerate() {
            let text = format!("{declarations} input {input};");
            let case = Case::new("traps.trs", &text);
            let expected = case.interpreted(Limits::default());
            // The first input of each system in every configuration, the others in turn.
            let collectors = if n == 0 { &COLLECTORS[..] } else { &COLLECTORS[n % 3..][..1] };
            for &strategy in &STRATEGIES {
                for &collector in collectors {
                    let label = format!("{text}\n{}, {}", strategy.name(), collector.name());
                    assert_eq!(case.simulated(strategy, collector, 1 << 6, &label), expected, "{label}");
                }
            }
        }
    }
}

/// Random systems: the generator of the interpreter's own tests. Which of several errors comes first is not fixed.
fn random(seeds: impl Iterator<Item = u64>) {
    let (mut answered, mut failed) = (0, 0);
    for (n, seed) in seeds.enumerate() {
        let seed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let text = systems::Generator::program(seed);
        let case = Case::new("random.trs", &text);
        let limits = Limits { max_steps: Some(3_000), ..Limits::default() };
        let expected = case.interpreted(limits);
        if matches!(expected, Err(StopReason::Steps { .. })) {
            continue;
        }
        let (strategy, collector) = (STRATEGIES[n % 2], COLLECTORS[n % 3]);
        let label = format!("seed {seed}, {}, {}\n{text}", strategy.name(), collector.name());
        let found = case.simulated(strategy, collector, 1 << 8, &label);
        let error =
            |reason: &StopReason| matches!(reason, StopReason::NoRule { .. } | StopReason::Arithmetic { .. });
        match (&found, &expected) {
            (Err(found), Err(expected)) if error(found) && error(expected) => failed += 1,
            _ => assert_eq!(found, expected, "{label}"),
        }
        answered += usize::from(expected.is_ok());
    }
    assert!(answered >= failed, "{answered} have an answer, {failed} an error");
}

#[test]
fn random_systems_on_the_simulator() {
    random(1..90);
}

/// `SEED=... COUNT=... cargo test -p gchr-kernels-terms --test it topology::many_seeds -- --ignored`.
#[test]
#[ignore = "a longer search"]
fn many_seeds() {
    let number = |name: &str| std::env::var(name).ok().and_then(|s| s.parse().ok());
    let (seed, count): (u64, u64) = (number("SEED").unwrap_or(1), number("COUNT").unwrap_or(1));
    random(seed..seed + count);
}

/// A condition for each of many rules: what is lowered grows with the program, and the last rule still applies.
#[test]
fn many_conditional_rules() {
    let system = |rules: u32| {
        let list: String = (0..rules).map(|n| format!("f(x, P(x, C({n}))) = C({n});")).collect();
        let text = format!(
            "sort T = struct C(Int) | P(T, T); map f : T # T -> T; var x, y : T; eqn {list} f(x, y) = y;
             input f(C(7), P(C(7), C({})));",
            rules - 1
        );
        Case::new("many.trs", &text)
    };
    let size = |case: &Case| -> usize { case.system.heads.iter().map(|h| 1 + h.equations.len()).sum() };
    let (small, large) = (system(50), system(400));
    assert!(size(&large) < 9 * size(&small), "{} and {}", size(&small), size(&large));
    check(&system(6), "many", 1 << 6, Which::Every);
}

#[test]
fn features() {
    check(&Case::new("features.trs", FEATURES), "features", 1 << 12, Which::Main);
}

/// Tables that are too small at first grow, with the same result.
#[test]
fn tables_grow() {
    tables_that_grow(Which::Main);
}

fn tables_that_grow(which: Which) {
    let case = Case::new("features.trs", FEATURES);
    check(&case, "features", 1, which);
    check(&Case::new("tree.trs", TREE_EXPLORATION), "tree", 1, which);
}

#[test]
fn memory_that_does_not_suffice_is_told() {
    let case = Case::new("tree.trs", TREE_EXPLORATION);
    let kernels = case.kernels(Strategy::Innermost, Collector::None);
    let options = Options {
        strategy: Strategy::Innermost,
        collector: Collector::None,
        memory: 600,
        slots: 1,
        counted: u64::MAX,
    };
    match case.on(&mut simulator(&kernels), &kernels, options) {
        Err(Failure::Stopped(stopped)) => assert!(
            matches!(stopped.error.reason, gchr_base::error::StopReason::Memory { limit: 600, .. }),
            "{:?}",
            stopped.error
        ),
        other => panic!("{other:?}"),
    }
}

/// An arithmetic error names operator, operands, rule and place.
#[test]
fn arithmetic_errors_are_told() {
    use gchr_base::error::StopReason;
    use gchr_base::op::{ArithmeticError, Op};
    for (call, op, error, operands) in [
        ("9223372036854775807 + 1", Op::Add, ArithmeticError::Overflow, ["9223372036854775807", "1"]),
        ("F(7, 0)", Op::FloorDiv, ArithmeticError::DivisionByZero, ["7", "0"]),
    ] {
        let text = format!("map F : Int # Int -> Int; var X, Y : Int; eqn F(X, Y) = X div Y; input {call};");
        let case = Case::new("error.trs", &text);
        for strategy in STRATEGIES {
            let kernels = case.kernels(strategy, Collector::Queue);
            let options = Options {
                strategy,
                collector: Collector::Queue,
                memory: 1 << 24,
                slots: 64,
                counted: u64::MAX,
            };
            let Err(Failure::Stopped(stopped)) = case.on(&mut simulator(&kernels), &kernels, options) else {
                panic!("{call} has a result")
            };
            let operands = operands.map(String::from).to_vec();
            assert_eq!(stopped.error.reason, StopReason::Arithmetic { op, error, operands });
            assert!(stopped.error.span.is_some());
        }
    }
}

/// The same on a GPU, at sizes that give it work.
mod gpu {
    use super::*;
    use gchr_cuda::Gpu;
    use gchr_kernel::Form;

    #[test]
    fn examples_on_a_gpu() {
        if compiler::open_gpu("examples_on_a_gpu").is_none() {
            return;
        }
        let compiler = compiler::compiler();
        let mut cases = vec![
            ("plus.trs".to_string(), Case::new("plus.trs", PLUS)),
            ("features.trs".to_string(), Case::new("features.trs", FEATURES)),
        ];
        for (name, text) in EXAMPLES {
            cases.push((name.to_string(), Case::new(name, text)));
        }
        for (name, case) in cases {
            let expected = case.expected();
            for strategy in STRATEGIES {
                for collector in COLLECTORS {
                    let label = format!("{name}, {}, {}", strategy.name(), collector.name());
                    let kernels = case.kernels(strategy, collector);
                    let mut gpu = Gpu::open(0).expect("a GPU was there before");
                    compiler::load(&mut gpu, &compiler, &kernels.module, &name);
                    let options =
                        Options { strategy, collector, memory: 1 << 30, slots: 1 << 10, counted: u64::MAX };
                    let (text, rewrites, _, report) = case.on(&mut gpu, &kernels, options).expect(&label);
                    assert_eq!((&text, rewrites), (&expected.0, expected.1), "{label}");
                    if collector != Collector::None {
                        assert_eq!(Some(report.live_slots), report.reachable_slots, "{label}");
                    }
                }
            }
        }
    }

    /// Kernels that count come to their end too, with many lanes that take slots in different branches.
    #[test]
    fn counting_kernels_on_a_gpu() {
        if compiler::open_gpu("counting_kernels_on_a_gpu").is_none() {
            return;
        }
        let compiler = compiler::compiler();
        let name = "bst.trs";
        let text = include_str!("../../../../examples/bst.trs")
            .replace("(InputTree(S(Zero())", "(InputTree(S^16(Zero())");
        let case = Case::new(name, &text);
        for strategy in STRATEGIES {
            for collector in COLLECTORS {
                let kernels = case.kernels(strategy, collector);
                let mut gpu = Gpu::open(0).expect("a GPU was there before");
                compiler::load_as(Form::Counting, &mut gpu, &compiler, &kernels.module, name);
                let options =
                    Options { strategy, collector, memory: 1 << 32, slots: 1 << 10, counted: u64::MAX };
                let (text, rewrites, _, _) = case.on(&mut gpu, &kernels, options).expect(name);
                assert_eq!((text.as_str(), rewrites), ("True", 40 * (1 << 16) - 3 * 16 - 18));
                assert!(gpu.counts().expect("is there").is_some_and(|counts| counts.traffic.read > 0));
            }
        }
    }

    /// Inside the binary, which is carried to machines that have a GPU and nothing else.
    const EXAMPLES: [(&str, &str); 16] = [
        ("ackermann.trs", include_str!("../../../../examples/ackermann.trs")),
        ("bst.trs", include_str!("../../../../examples/bst.trs")),
        ("fib.trs", include_str!("../../../../examples/fib.trs")),
        ("fib_int.trs", include_str!("../../../../examples/fib_int.trs")),
        ("floyd.trs", include_str!("../../../../examples/floyd.trs")),
        ("gcd.trs", include_str!("../../../../examples/gcd.trs")),
        ("hanoi.trs", include_str!("../../../../examples/hanoi.trs")),
        ("mergesort.trs", include_str!("../../../../examples/mergesort.trs")),
        ("mergesort_tree.trs", include_str!("../../../../examples/mergesort_tree.trs")),
        ("min.trs", include_str!("../../../../examples/min.trs")),
        ("nrev.trs", include_str!("../../../../examples/nrev.trs")),
        ("peano.trs", include_str!("../../../../examples/peano.trs")),
        ("primes.trs", include_str!("../../../../examples/primes.trs")),
        ("sieve.trs", include_str!("../../../../examples/sieve.trs")),
        ("transformation_tree.trs", include_str!("../../../../examples/transformation_tree.trs")),
        ("tree_exploration.trs", include_str!("../../../../examples/tree_exploration.trs")),
    ];
}

const PLUS: &str = "sort Nat = struct Zero() | S(Nat) | Plus(Nat, Nat);
    var X, Y : Nat;
    eqn Plus(Zero(), Y) = Y; Plus(S(X), Y) = S(Plus(X, Y));
    input Plus(S(S(Zero())), Plus(S(Zero()), S(Zero())));";

/// A small program in every configuration.
#[test]
fn plus() {
    check(&Case::new("plus.trs", PLUS), "plus", 64, Which::Every);
}

/// A few slots among many that are no part of the result are read by pages, a result that is most of them as a whole.
#[test]
fn results_are_few_slots_among_many_or_most_of_them() {
    const TEXT: &str = "sort T = struct L(Int) | N(T, T, Float);
         map C: Int -> Int; D: Int # Int -> T; R: Int -> T;
         var I, J: Int;
         eqn I > 1 -> C(I) = C(I - 1) + C(I - 2); C(I) = 1;
             I > 0 -> D(I, J) = N(D(I - 1, 2 * J), D(I - 1, 2 * J + 1), 0.5); D(I, J) = L(J);
             R(I) = N(L(C(I)), N(L(7), L(C(3)), 1.5), -0.0);";
    let inputs = [("R(21)", true, u64::MAX), ("D(13, 1)", false, u64::MAX), ("D(13, 1)", false, 0)];
    for (input, few, counted) in inputs {
        let case = Case::new("garbage.trs", &format!("{TEXT} input {input};"));
        let kernels = case.kernels(Strategy::Innermost, Collector::None);
        let options = Options {
            strategy: Strategy::Innermost,
            collector: Collector::None,
            memory: 1 << 29,
            slots: 1 << 18,
            counted,
        };
        let job = Job {
            program: &case.program,
            system: &case.system,
            kernels: &kernels,
            plan: &case.plan,
            input: &case.input,
        };
        let done = run(job, options, &mut simulator(&kernels), &mut Control::new(Limits::default()));
        let mut outcome = done.unwrap_or_else(|_| panic!("{input} has a normal form"));
        let report = outcome.report;
        assert_eq!(outcome.normal_form.to_text(), case.expected().0, "{input}");
        assert!(report.live_slots > 1 << 15, "{} slots for {input}", report.live_slots);
        let cells = if few { 5 } else { (1 << 14) - 1 };
        assert_eq!(report.reachable_slots.map(|slots| slots < 100), (counted > 0).then_some(few), "{input}");
        assert_eq!(outcome.stats.live_cells, (counted > 0).then_some(cells), "{input}");
        assert_eq!(outcome.normal_form.count_cells(NonZeroUsize::MIN), cells, "{input}");
    }
}
