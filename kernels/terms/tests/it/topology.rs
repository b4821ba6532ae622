//! The topology scheduler against the interpreter: every term example on the simulator, and in every configuration on a GPU when there is
//! one. Same normal form, same rule applications; with a collector no slot is lost. The other configurations on the simulator are run with
//! the benchmarks.

use gchr_base::control::{Control, Limits};
use gchr_base::diagnostic::render_all;
use gchr_base::rule::{GroundTerm, Program};
use gchr_base::source::SourceMap;
use gchr_kernel::device::Device;
use gchr_kernels_terms::topology::codegen::Strategy;
use gchr_kernels_terms::topology::kernels::{Collector, Kernels, kernels};
use gchr_kernels_terms::topology::run::{Failure, Job, Options, Report, run};
use gchr_kernels_terms::topology::system::System;
use gchr_simulator::SimDevice;
use gchr_terms::plan::{self, TermOptions, TermPlan};
use gchr_testkit::{compiler, programs};

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
        let outcome = gchr_terms::exec::run(&self.program, &self.plan, &self.input, &mut Control::default());
        let outcome = outcome.expect("the interpreter reaches a normal form");
        (outcome.normal_form.to_text(), outcome.stats.rewrites.expect("a term program"))
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
    let options = gchr_simulator::Options { resident_blocks: 2, ..gchr_simulator::Options::default() };
    SimDevice::new(program, options).max_thread_steps(400_000_000)
}

fn check(case: &Case, name: &str, slots: u64, which: Which) {
    let expected = case.expected();
    for &strategy in which.strategies() {
        for &collector in which.collectors() {
            let label = format!("{name}, {}, {}", strategy.name(), collector.name());
            let kernels = case.kernels(strategy, collector);
            let options = Options { strategy, collector, memory: 1 << 29, slots };
            let result = case.on(&mut simulator(&kernels), &kernels, options);
            let (text, rewrites, _, report) = match result {
                Ok(result) => result,
                Err(Failure::Device(error)) => {
                    panic!("{label}: {}", render_all(&error.into_diagnostics(), &case.sources, false))
                }
                Err(failure) => panic!("{label}: {failure:?}"),
            };
            assert_eq!((&text, rewrites), (&expected.0, expected.1), "{label}");
            if collector != Collector::None {
                assert_eq!(report.live_slots, report.reachable_slots, "{label}");
            }
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
        let options = Options { strategy: Strategy::Innermost, collector, memory: 1 << 29, slots: 1 << 16 };
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
    let options =
        Options { strategy: Strategy::Innermost, collector: Collector::None, memory: 600, slots: 1 };
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
            let options = Options { strategy, collector: Collector::Queue, memory: 1 << 24, slots: 64 };
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
                    let options = Options { strategy, collector, memory: 1 << 30, slots: 1 << 10 };
                    let (text, rewrites, _, report) = case.on(&mut gpu, &kernels, options).expect(&label);
                    assert_eq!((&text, rewrites), (&expected.0, expected.1), "{label}");
                    if collector != Collector::None {
                        assert_eq!(report.live_slots, report.reachable_slots, "{label}");
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
                let options = Options { strategy, collector, memory: 1 << 32, slots: 1 << 10 };
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
