//! The tasks scheduler against the interpreter: every term example on the simulator, in one thread and in many, with
//! frames split when somebody asks and whenever that is possible, and on a GPU when there is one. Same normal form,
//! same rule applications.

mod gpu;
mod random;

use gchr_base::control::{Control, Limits};
use gchr_base::diagnostic::render_all;
use gchr_base::error::StopReason;
use gchr_base::rule::{GroundTerm, Program};
use gchr_base::source::SourceMap;
use gchr_kernel::device::Device;
use gchr_kernels_terms::tasks::codegen::Pieces;
use gchr_kernels_terms::tasks::kernels::{Kernels, Tuning, kernels};
use gchr_kernels_terms::tasks::run::{
    Failure, Job, Options, Promote, Results, TasksOutcome, Uncollected, run,
};
use gchr_simulator::SimDevice;
use gchr_terms::plan::{self, TermOptions, TermPlan};
use gchr_testkit::{compiler, programs};

/// What becomes of cells that nothing refers to.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Gc {
    None,
    Queue,
    Compact,
}

struct Case {
    gc: Gc,
    sources: SourceMap,
    program: Program,
    plan: TermPlan,
    input: GroundTerm,
}

/// What the interpreter says: normal form, rule applications, live cells.
type Expected = (String, u64, u64);

impl Case {
    fn new(name: &str, text: &str) -> Self {
        Self::with(name, text, Gc::None)
    }

    fn with(name: &str, text: &str, gc: Gc) -> Self {
        let (sources, program) = programs::terms(name, text);
        let plan = plan::compile(&program, &TermOptions::tasks(gc == Gc::Queue)).expect("the plan compiles");
        let input = programs::input(&program);
        Self { gc, sources, program, plan, input }
    }

    fn kernels(&self, tuning: Tuning) -> Kernels {
        let tuning = Tuning { compact: self.gc == Gc::Compact, ..tuning };
        programs::made(kernels(&self.plan, &self.program, &self.sources, tuning), &self.sources)
    }

    fn expected(&self) -> Expected {
        let plan = plan::compile(&self.program, &TermOptions::default()).expect("the plan compiles");
        let outcome = gchr_terms::exec::run(&self.program, &plan, &self.input, &mut Control::default());
        let outcome = outcome.expect("the interpreter reaches a normal form");
        let stats = outcome.stats;
        (outcome.normal_form.to_text(), stats.rewrites.expect("counted"), stats.live_cells.expect("counted"))
    }

    fn on(
        &self,
        device: &mut dyn Device,
        kernels: &Kernels,
        options: Options,
    ) -> Result<TasksOutcome, Failure> {
        let inputs = std::slice::from_ref(&self.input);
        let job = Job { program: &self.program, plan: &self.plan, kernels, inputs };
        run(job, options, device, &mut Control::new(Limits::default()))
    }

    /// Runs on the simulator and compares.
    fn check(
        &self,
        label: &str,
        expected: &Expected,
        kernels: &Kernels,
        options: Options,
        seed: u64,
    ) -> TasksOutcome {
        let outcome = match self.on(&mut simulator(kernels, seed), kernels, options) {
            Ok(outcome) => outcome,
            Err(Failure::Device(error)) => {
                panic!("{label}: {}", render_all(&error.into_diagnostics(), &self.sources, false))
            }
            Err(failure) => panic!("{label}: {failure:?}"),
        };
        self.compare(label, expected, &outcome);
        outcome
    }

    /// Normal form, rule applications and live cells as expected; when cells are given back, none is left over.
    fn compare(&self, label: &str, expected: &Expected, outcome: &TasksOutcome) {
        let stats = &outcome.stats;
        let found = (
            outcome.normal_forms[0].to_text(),
            stats.rewrites.expect("counted"),
            stats.live_cells.expect("counted"),
        );
        assert_eq!(&found, expected, "{label}");
        let exact = self.gc != Gc::None;
        assert_eq!(outcome.report.left_over, exact.then_some(0), "{label}: cells that nobody refers to");
    }
}

fn simulator<'a>(kernels: &Kernels, seed: u64) -> SimDevice<'a> {
    let program = gchr_simulator::Program::new(&kernels.module).unwrap_or_else(|errors| panic!("{errors:?}"));
    let options = gchr_simulator::SimulatorOptions {
        seed,
        resident_blocks: 4,
        ..gchr_simulator::SimulatorOptions::default()
    };
    SimDevice::new(program, options).max_thread_steps(4_000_000_000)
}

/// A simulator on which kernels that few runs need are not compiled when a run begins.
fn compiling<'a>(kernels: &Kernels) -> SimDevice<'a> {
    let rare = kernels.units().into_iter().filter(|unit| unit.rare).flat_map(|unit| unit.kernels);
    rare.fold(simulator(kernels, 1), |device, kernel| device.late(&kernel))
}

const ONE: Options = Options {
    memory: 1 << 28,
    first_memory: 1 << 20,
    block: 32,
    blocks: 1,
    run: 16,
    batch: 4,
    report: 1 << 12,
    promote: Promote::WhenAsked,
    steps: 64,
    spare: None,
    uncollected: Uncollected::NONE,
    results: Results::Counted,
};

/// Cells that threads take between two collections.
const SPARE: Option<u32> = Some(1 << 8);

/// Ways to run: one warp that splits nothing of its own accord; several blocks; frames split whenever possible; tiny
/// stacks, and each state and resume point as a function of its own; lanes of a warp that share with each other first.
fn ways() -> [(&'static str, Tuning, Options); 6] {
    let many = Options { blocks: 3, block: 64, ..ONE };
    let pieces = Pieces { most: 0, each: 1, apart: true };
    let tiny = Tuning { stack_frames: Some(2), pieces, ..Tuning::default() };
    let phases = Tuning { phases: Some(true), ..Tuning::default() };
    [
        ("one warp", Tuning::default(), ONE),
        ("many warps", Tuning::default(), many),
        ("always split", Tuning::default(), Options { promote: Promote::Always, ..many }),
        (
            "always split, tiny stacks, tiny pieces",
            tiny,
            Options { promote: Promote::Always, blocks: 2, block: 32, ..ONE },
        ),
        ("warp by warp", phases, many),
        ("warp by warp, always split", phases, Options { promote: Promote::Always, ..many }),
    ]
}

#[test]
fn examples_on_the_simulator() {
    compare_examples(Gc::None);
}

/// The same with cells given back: none is left over.
#[test]
fn examples_with_counts_on_the_simulator() {
    compare_examples(Gc::Queue);
}

/// The same with cells that are shifted again and again.
#[test]
fn examples_with_compaction_on_the_simulator() {
    compare_examples(Gc::Compact);
}

/// Where the collector is not compiled when a run ends: what results reach is brought in pages, else all cells as they
/// are, else the collector is waited for.
#[test]
fn examples_that_end_without_a_collector() {
    let ways = [
        ("pages", Uncollected { pages: 1 << 10, bytes: u64::MAX }, None),
        ("one page", Uncollected { pages: 1, bytes: u64::MAX }, None),
        ("all cells", Uncollected { pages: 0, bytes: u64::MAX }, None),
        ("collected", Uncollected::NONE, Some(0)),
    ];
    let mut ends = [0, 0];
    for (name, text) in programs::examples("trs") {
        let case = Case::with(&name, &text, Gc::Compact);
        let (normal_form, rewrites, live) = case.expected();
        let kernels = case.kernels(Tuning::default());
        for (way, uncollected, left_over) in ways {
            let mut device = compiling(&kernels);
            let outcome = case.on(&mut device, &kernels, Options { uncollected, blocks: 2, ..ONE });
            let outcome = outcome.unwrap_or_else(|failure| panic!("{name}, {way}: {failure:?}"));
            let stats = &outcome.stats;
            assert_eq!(outcome.normal_forms[0].to_text(), normal_form, "{name}, {way}");
            assert_eq!((stats.rewrites, stats.live_cells), (Some(rewrites), Some(live)), "{name}, {way}");
            // A run that has collected before has its collector; a result without cells needs none of them.
            let has_collected = outcome.report.collections > 0;
            match left_over {
                Some(_) if live == 0 => {}
                left_over => assert_eq!(
                    outcome.report.left_over,
                    left_over.or(has_collected.then_some(0)),
                    "{name}, {way}"
                ),
            }
            ends[usize::from(outcome.report.left_over.is_some())] += 1;
        }
    }
    assert!(ends[0] > 30 && ends[1] > 5, "without and with a collection: {ends:?}");
}

/// Results are brought as they lie where the collector is there, too, if there is little to bring; those without cells
/// always.
#[test]
fn examples_that_end_without_a_collection() {
    let mut ends = [0, 0];
    for (name, text) in programs::examples("trs") {
        let case = Case::with(&name, &text, Gc::Compact);
        let (normal_form, rewrites, live) = case.expected();
        let kernels = case.kernels(Tuning::default());
        let ways = [
            ("all cells", Uncollected { pages: 0, bytes: u64::MAX }, false),
            ("pages", Uncollected { pages: 1 << 10, bytes: 0 }, false),
            ("collected", Uncollected::NONE, live > 0),
        ];
        for (way, uncollected, is_collected) in ways {
            let options = Options { uncollected, results: Results::NormalForms, ..ONE };
            let outcome = case.on(&mut simulator(&kernels, 1), &kernels, options);
            let outcome = outcome.unwrap_or_else(|failure| panic!("{name}, {way}: {failure:?}"));
            let stats = &outcome.stats;
            assert_eq!(outcome.normal_forms[0].to_text(), normal_form, "{name}, {way}");
            assert_eq!((stats.rewrites, stats.live_cells), (Some(rewrites), Some(live)), "{name}, {way}");
            assert_eq!(outcome.report.left_over, is_collected.then_some(0), "{name}, {way}");
            ends[usize::from(is_collected)] += 1;
        }
    }
    assert!(ends[0] > 30 && ends[1] > 5, "without and with a collection: {ends:?}");
}

/// What a launch leaves lying for the next one costs a run no memory that it cannot do without.
#[test]
fn waves_without_a_collector_need_no_more_memory() {
    let text = "sort Tree = struct Leaf() | Node(Tree, Tree);
        var N, M: Int; A, B: Tree; map Grow: Int # Int -> Tree; Count: Tree -> Int; Waste: Int -> Int;
        eqn N > 0 -> Grow(N, M) = Node(Grow(N - 1, 2 * M), Grow(N - 1, 2 * M + 1)); Grow(N, M) = Leaf();
            Count(Leaf()) = 0; Count(Node(A, B)) = Count(A) + Count(B);
            Waste(N) = Count(Grow(N, 1));
        input Count(Grow(Waste(9) + 9, 1));";
    let case = Case::with("waves.trs", text, Gc::Compact);
    let kernels = case.kernels(Tuning::default());
    let mut ends = [0, 0];
    for memory in (0..8).map(|k| 65_200 + 400 * k) {
        let ran = [Uncollected::NONE, Uncollected { pages: 0, bytes: u64::MAX }].map(|uncollected| {
            let mut device = compiling(&kernels);
            let options = Options { memory, first_memory: memory, uncollected, ..ONE };
            match case.on(&mut device, &kernels, options) {
                Ok(outcome) => Some(outcome.normal_forms[0].to_text()),
                Err(Failure::Stopped(stopped))
                    if matches!(stopped.error.reason, StopReason::Memory { .. }) =>
                {
                    None
                }
                Err(failure) => panic!("{memory} bytes: {failure:?}"),
            }
        });
        assert_eq!(ran[0], ran[1], "{memory} bytes");
        assert!(ran[0].as_deref().is_none_or(|text| text == "0"), "{ran:?}");
        ends[usize::from(ran[0].is_some())] += 1;
    }
    assert!(ends[0] > 1 && ends[1] > 3, "{ends:?}");
}

fn compare_examples(gc: Gc) {
    let (mut promotions, mut collections) = (0, 0);
    for (name, text) in programs::examples("trs") {
        let case = Case::with(&name, &text, gc);
        let expected = case.expected();
        for (seed, (way, tuning, options)) in ways().into_iter().enumerate() {
            let options = Options { spare: SPARE, ..options };
            let kernels = case.kernels(tuning);
            let outcome = case.check(&format!("{name}, {way}"), &expected, &kernels, options, seed as u64);
            promotions += outcome.report.promotions;
            collections += outcome.report.collections;
        }
    }
    assert!(promotions > 100, "{promotions} promotions");
    assert_eq!(gc == Gc::Compact, collections > 200, "{collections} collections");
}

/// A program of so many functions that call each other that its states and resume points are functions of their own, in
/// pieces; with each collector.
#[test]
fn a_large_program_in_pieces() {
    let text = mutual(100);
    for gc in [Gc::None, Gc::Queue, Gc::Compact] {
        let case = Case::with("mutual.trs", &text, gc);
        let expected = case.expected();
        for (seed, (way, tuning, options)) in ways().into_iter().enumerate().skip(1).step_by(2) {
            let kernels = case.kernels(tuning);
            for piece in ["enter_1", "pop_1"] {
                assert!(kernels.module.function(piece).is_some(), "{gc:?}: there is {piece}");
            }
            let options = Options { spare: SPARE, ..options };
            case.check(&format!("{gc:?}, {way}"), &expected, &kernels, options, seed as u64);
        }
    }
}

/// Functions over trees, each of which calls two others.
fn mutual(count: usize) -> String {
    let mut text =
        String::from("sort T = struct L(Int) | N(T, T) | U(T) | V(Int, T); var A, B: T; I, J: Int; map ");
    (0..count).for_each(|i| text.push_str(&format!("F{i}: T # Int -> T; ")));
    text.push_str("Gen: Int # Int -> T; eqn Gen(0, J) = L(J mod 1000);");
    text.push_str("Gen(I, J) = N(Gen(I - 1, J * 2 + 1), V(J mod 7, Gen(I - 1, J * 2 + 2)));");
    for i in 0..count {
        let (n, m) = ((i * 7 + 3) % count, (i * 5 + 1) % count);
        text.push_str(&format!("F{i}(L(I), J) = L((I * {} + J) mod 1009); ", i + 3));
        text.push_str(&format!("F{i}(N(A, B), J) = N(F{n}(A, J + 1), F{m}(B, J + 2)); "));
        text.push_str(&format!("F{i}(U(A), J) = V(J mod 5, F{m}(A, J)); "));
        text.push_str(&format!("J mod 3 == {} -> F{i}(V(I, A), J) = U(F{n}(A, I + J)); ", i % 3));
        text.push_str(&format!("F{i}(V(I, A), J) = V(I, F{m}(A, J - 1)); "));
    }
    text.push_str("input F0(Gen(6, 1), 0);");
    text
}

/// Recursion far deeper than a stack, without and with promotions: frames go to device memory and come back.
#[test]
fn deep_recursion() {
    let case = Case::new("deep.trs", &deep(6000));
    let expected = case.expected();
    assert_eq!(expected.0, "6000");
    let kernels = case.kernels(Tuning::default());
    let outcome = case.check("deep", &expected, &kernels, Options { first_memory: 1 << 16, ..ONE }, 0);
    assert!(outcome.report.spills > 150, "{:?}", outcome.report);
    assert!(outcome.report.restarts > 0, "memory for frames grows: {:?}", outcome.report);
}

fn deep(n: u32) -> String {
    let rules = "sort Nat = struct Zero() | S(Nat);
        var X : Nat;
        map Depth: Nat -> Int;
        eqn Depth(Zero()) = 0; Depth(S(X)) = 1 + Depth(X);";
    format!("{rules} input Depth(S^{n}(Zero()));")
}

/// Equality of deep and of shared terms.
#[test]
fn equality_of_deep_terms() {
    let text = "sort Nat = struct Zero() | S(Nat);
        sort Tree = struct Leaf(Nat) | Node(Tree, Tree);
        var X, Y : Nat; T : Tree;
        map Grow: Nat -> Tree; Spine: Nat # Tree -> Tree; Same: Tree # Tree -> Bool;
        eqn Grow(Zero()) = Leaf(S(Zero())); Grow(S(X)) = Node(Grow(X), Grow(X));
            Spine(Zero(), T) = T; Spine(S(X), T) = Spine(X, Node(T, Leaf(X)));
            Same(T, T) = true;
        input Same(Spine(S^1000(Zero()), Grow(S^20(Zero()))), Spine(S^1000(Zero()), Grow(S^20(Zero()))));";
    // The two trees at the ends of the spines are equal, but only the shared parts of each are the same cells.
    let text = text.replace("S^20(", "S^6(");
    let case = Case::new("equal.trs", &text);
    let expected = case.expected();
    assert_eq!(expected.0, "true");
    case.check("equal", &expected, &case.kernels(Tuning::default()), ONE, 1);
}

/// Many start terms at once: results in their order, functions inside of functions, constructors around them.
#[test]
fn start_terms_side_by_side() {
    let text = "sort Nat = struct Zero() | S(Nat) | Pair(Nat, Nat);
        var X, Y : Nat;
        map Plus: Nat # Nat -> Nat; Size: Nat -> Int;
        eqn Plus(Zero(), Y) = Y; Plus(S(X), Y) = S(Plus(X, Y));
            Size(Zero()) = 0; Size(S(X)) = 1 + Size(X); Size(Pair(X, Y)) = Size(X) + Size(Y);
        input Zero();";
    let mut case = Case::new("batch.trs", text);
    let file = case.sources.add("batch.trs", text);
    let reader = gchr_trs::load(&case.sources, file).reader.expect("the program is right");
    let mut expected = Vec::new();
    let inputs: Vec<GroundTerm> = (0..60)
        .map(|n| {
            let term = match n % 3 {
                0 => format!("Plus(S^{n}(Zero()), S(Plus(S(Zero()), S^2(Zero()))))"),
                1 => format!("Size(Pair(Plus(S(Zero()), Zero()), S^{n}(Zero()))) + 1"),
                _ => format!("Pair(Zero(), Plus(Zero(), S^{n}(Zero())))"),
            };
            let id = case.sources.add("--inputs", term);
            reader.read(&case.sources, id).expect("a term")
        })
        .collect();
    for input in &inputs {
        case.input = input.clone();
        expected.push(case.expected());
    }
    let kernels = case.kernels(Tuning::default());
    let job = Job { program: &case.program, plan: &case.plan, kernels: &kernels, inputs: &inputs };
    let many = Options { blocks: 2, block: 64, ..ONE };
    let outcome = run(job, many, &mut simulator(&kernels, 3), &mut Control::default());
    let outcome = outcome.unwrap_or_else(|failure| panic!("{failure:?}"));
    let found: Vec<String> = outcome.normal_forms.iter().map(|form| form.to_text()).collect();
    assert_eq!(found, expected.iter().map(|e| e.0.clone()).collect::<Vec<_>>());
    assert_eq!(outcome.stats.rewrites, Some(expected.iter().map(|e| e.1).sum()));
}

const FIFTY: &str = "sort Nat = struct Zero() | S(Nat);
    sort List = struct Nil() | Cons(Nat, List);
    var X, N : Nat; L : List; K : Int;
    map Upto: Nat -> List; Len: List # Int -> Int; Loop: Nat # Nat # Int -> Int;
    eqn Upto(Zero()) = Nil(); Upto(S(X)) = Cons(X, Upto(X));
        Len(Nil(), K) = K; Len(Cons(X, L), K) = Len(L, K + 1);
        Loop(Zero(), N, K) = K; Loop(S(X), N, K) = Loop(X, N, Len(Upto(N), K));
    input Loop(S^2000(Zero()), S^200(Zero()), 0);";

/// A fiftieth of what is allocated there.
const SMALL: Options = {
    let memory = 1 << 16;
    assert!(2000 * 200 * 8 > 48 * memory);
    Options { memory, first_memory: memory, ..ONE }
};

/// A run that allocates fifty times its memory, one small piece after the other.
#[test]
fn fifty_times_the_memory() {
    for gc in [Gc::Queue, Gc::Compact] {
        let case = Case::with("fifty.trs", FIFTY, gc);
        let outcome = case.check("fifty times", &case.expected(), &case.kernels(Tuning::default()), SMALL, 0);
        assert!(outcome.stats.peak_bytes.is_some_and(|bytes| bytes <= SMALL.memory), "{:?}", outcome.stats);
        assert_eq!(gc == Gc::Compact, outcome.report.collections > 20, "{:?}", outcome.report);
    }
    let reason = stopped(&Case::new("fifty.trs", FIFTY), SMALL, Limits::default());
    assert!(matches!(&reason, StopReason::Memory { what, .. } if what == "cells of sort List"), "{reason:?}");
}

const EXCHANGE: &str = "sort Nat = struct Zero() | S(Nat);
    sort Tree = struct Leaf(Nat) | Node(Tree, Nat, Tree);
    var X, Y : Nat; T, U : Tree;
    map Grow: Nat # Nat -> Tree; Sum: Tree -> Int; Both: Tree # Tree -> Int; Round: Nat -> Int; Twice: Nat # Tree -> Int;
    eqn Grow(Zero(), Y) = Leaf(S(Y)); Grow(S(X), Y) = Node(Grow(X, S(Y)), S(Y), Grow(X, Y));
        Sum(Leaf(X)) = 1; Sum(Node(T, X, U)) = Sum(T) + Sum(U);
        Both(T, U) = Sum(T) + Sum(Node(T, Zero(), U));
        Twice(Zero(), T) = 0; Twice(S(X), T) = Sum(T) + Twice(X, T);
        Round(Zero()) = 0; Round(S(X)) = Both(Grow(S^5(Zero()), Zero()), Grow(S^4(Zero()), X)) + Round(X) + Twice(S^3(Zero()), Grow(S^3(X), X));
    input Round(S^6(Zero()));";

/// Threads that only build hand on to threads that only give back, through the batches that they leave to each other;
/// cells of several fields that are shared are taken apart by the last thread that refers to them.
#[test]
fn cells_go_from_thread_to_thread() {
    for gc in [Gc::Queue, Gc::Compact] {
        let case = Case::with("exchange.trs", EXCHANGE, gc);
        let expected = case.expected();
        for (seed, (way, tuning, options)) in ways().into_iter().enumerate() {
            let options = Options { batch: 2, run: 2, spare: SPARE, ..options };
            case.check(way, &expected, &case.kernels(tuning), options, 11 + seed as u64);
        }
    }
}

/// Frames that full stacks have left behind, and cells whose hole is still to be filled, are found and changed where
/// cells are shifted.
#[test]
fn deep_recursion_with_compaction() {
    let text = "sort Nat = struct Zero() | S(Nat);
        sort List = struct Nil() | Cons(Nat, List);
        var X, Y : Nat; L : List; N : Int;
        map Keep: Nat # List -> Int; Len: List # Int -> Int; Down: Nat -> List; Sub: Nat # Nat -> Nat; Waste: Nat -> Nat;
        eqn Waste(Zero()) = Zero(); Waste(S(X)) = S(Waste(X));
            Sub(X, Zero()) = X; Sub(S(X), S(Y)) = Sub(X, Y); Sub(Zero(), S(Y)) = Zero();
            Down(Zero()) = Nil(); Down(S(X)) = Cons(Sub(Waste(S^3(X)), S^2(X)), Down(X));
            Len(Nil(), N) = N; Len(Cons(X, L), N) = Len(L, N + 1);
            Keep(Zero(), L) = Len(L, 0); Keep(S(X), L) = Len(L, 0) + Keep(X, Cons(Waste(S^2(Zero())), L));
        input Keep(S^120(Zero()), Down(S^60(Zero())));";
    let case = Case::with("deep.trs", text, Gc::Compact);
    let expected = case.expected();
    for (seed, (way, tuning, options)) in ways().into_iter().enumerate() {
        let options = Options { spare: Some(64), ..options };
        let outcome = case.check(way, &expected, &case.kernels(tuning), options, seed as u64);
        assert!(outcome.report.collections > 10, "{way}: {:?}", outcome.report);
    }
}

/// Long chains are cut into pieces to be marked: lists, what their cells hold, lists with a tail in common, chains by
/// the first field of their cells, chains that take turns between several kinds of cells, lists of lists.
#[test]
fn long_chains_with_compaction() {
    let text = "sort Nat = struct Zero() | S(Nat);
        sort List = struct Nil() | Cons(Int, List);
        sort Lists = struct None() | More(List, Lists);
        sort Left = struct Bottom() | Top(Left, Nat);
        sort Even = struct None0() | Even(Odd) | Skip(Even);
        sort Odd = struct Odd(Int, Even);
        var N, M, K : Int; L, T : List; LL : Lists; D : Left; X : Nat; E : Even; O : Odd;
        map Down: Int # List -> List; Sum: List # Int -> Int; Peano: Int # Nat -> Nat; Size: Nat # Int -> Int;
            Rows: Int # List # Lists -> Lists; Sums: Lists # Int -> Int; Deep: Int # Left -> Left; Depth: Left # Int -> Int;
            Turns: Int # Even -> Even; Evens: Even # Int -> Int; Odds: Odd # Int -> Int;
            Waste: Int # Int -> Int; All: List # List # Nat # Lists # Left # Even # Int -> Int; Fork: List -> Int;
        eqn N == 0 -> Turns(N, E) = E; N mod 3 == 0 -> Turns(N, E) = Turns(N - 1, Skip(E));
            Turns(N, E) = Turns(N - 1, Even(Odd(N, E)));
            Evens(None0(), N) = N; Evens(Skip(E), N) = Evens(E, N + 1); Evens(Even(O), N) = Odds(O, N);
            Odds(Odd(M, E), N) = Evens(E, N + M);
            N == 0 -> Down(N, L) = L; Down(N, L) = Down(N - 1, Cons(N, L));
            Sum(Nil(), N) = N; Sum(Cons(M, L), N) = Sum(L, N + M);
            N == 0 -> Peano(N, X) = X; Peano(N, X) = Peano(N - 1, S(X));
            Size(Zero(), N) = N; Size(S(X), N) = Size(X, N + 1);
            N == 0 -> Rows(N, L, LL) = LL; Rows(N, L, LL) = Rows(N - 1, L, More(Down(N mod 7, L), LL));
            Sums(None(), N) = N; Sums(More(L, LL), N) = Sums(LL, Sum(L, 0) + N);
            N == 0 -> Deep(N, D) = D; Deep(N, D) = Deep(N - 1, Top(D, Peano(N mod 5, Zero())));
            Depth(Bottom(), N) = N; Depth(Top(D, X), N) = Depth(D, Size(X, N + 1));
            N == 0 -> Waste(N, K) = K; Waste(N, K) = Waste(N - 1, Sum(Down(40, Nil()), K));
            All(L, T, X, LL, D, E, N) = Waste(N, 0) + Sum(L, 0) + Sum(T, 0) + Size(X, 0) + Sums(LL, 0) + Depth(D, 0) + Evens(E, 0)
                + Waste(N, 0);
            Fork(T) = All(Down(2500, T), Down(1500, T), Peano(3000, Zero()), Rows(900, Nil(), None()), Deep(2000, Bottom()),
                Turns(2500, None0()), 400);
        input Fork(Down(2000, Nil()));";
    let case = Case::with("chains.trs", text, Gc::Compact);
    let options = Options { spare: Some(4000), blocks: 2, ..ONE };
    let outcome = case.check("chains", &case.expected(), &case.kernels(Tuning::default()), options, 3);
    assert!(outcome.report.collections >= 4, "{:?}", outcome.report);
}

/// A start term that is given stays where it is; what an earlier wave has made is there for a later one.
#[test]
fn waves_with_compaction() {
    let text = "sort Nat = struct Zero() | S(Nat);
        sort List = struct Nil() | Cons(Nat, List);
        var X, Y : Nat; L, M : List;
        map Upto: Nat -> List; App: List # List -> List; Rev: List # List -> List;
        eqn Upto(Zero()) = Nil(); Upto(S(X)) = Cons(X, Upto(X));
            App(Nil(), M) = M; App(Cons(X, L), M) = Cons(X, App(L, M));
            Rev(Nil(), M) = M; Rev(Cons(X, L), M) = Rev(L, Cons(X, M));
        input App(Rev(Upto(S^100(Zero())), Upto(S^90(Zero()))), Rev(App(Upto(S^50(Zero())), Cons(S^30(Zero()), Nil())), Nil()));";
    let case = Case::with("waves.trs", text, Gc::Compact);
    let options = Options { spare: SPARE, blocks: 2, ..ONE };
    case.check("waves", &case.expected(), &case.kernels(Tuning::default()), options, 5);
}

fn stopped(case: &Case, options: Options, limits: Limits) -> StopReason {
    stopped_with(case, Tuning::default(), options, limits)
}

fn stopped_with(case: &Case, tuning: Tuning, options: Options, limits: Limits) -> StopReason {
    let kernels = case.kernels(tuning);
    let inputs = std::slice::from_ref(&case.input);
    let job = Job { program: &case.program, plan: &case.plan, kernels: &kernels, inputs };
    match run(job, options, &mut simulator(&kernels, 0), &mut Control::new(limits)) {
        Err(Failure::Stopped(stopped)) => stopped.error.reason,
        Err(Failure::Device(error)) => {
            panic!("{}", render_all(&error.into_diagnostics(), &case.sources, false))
        }
        Ok(outcome) => panic!("{:?}", outcome.normal_forms),
    }
}

#[test]
fn limits_are_told() {
    let endless = "sort Nat = struct Zero() | S(Nat); var X : Nat; map Loop: Nat -> Nat; Grow: Nat -> Nat;
        eqn Loop(X) = Loop(X); Grow(X) = S(Grow(X)); input ";
    let case = |input: &str| Case::new("endless.trs", &format!("{endless}{input};"));
    let none = Limits::default();
    let steps = Limits { max_steps: Some(50_000), ..none };
    let reason = stopped(&case("Loop(Zero())"), ONE, steps);
    assert!(matches!(reason, StopReason::Steps { limit: 50_000 }), "{reason:?}");
    let small = Options { memory: 1 << 22, ..ONE };
    let reason = stopped(&case("Grow(Zero())"), small, none);
    assert!(matches!(&reason, StopReason::Memory { what, .. } if what == "cells of sort Nat"), "{reason:?}");
    let failing = "map F: Int -> Int; G: Int -> Int; var N : Int; eqn F(N) = 100 div N; G(0) = 1; input ";
    let case = |input: &str| Case::new("failing.trs", &format!("{failing}{input};"));
    let reason = stopped(&case("F(0)"), ONE, none);
    assert!(matches!(reason, StopReason::Arithmetic { .. }), "{reason:?}");
    let reason = stopped(&case("G(7)"), ONE, none);
    assert!(matches!(&reason, StopReason::NoRule { redex, .. } if redex == "G(7)"), "{reason:?}");
}

/// Nothing is remembered of pairs that are compared, so a comparison that would look at some of them again and again is
/// refused: of terms that are small, and exponentially large when they are written out.
#[test]
fn comparisons_that_repeat_themselves_are_refused() {
    let text = "sort Fib = struct Z | Pair(Fib, Int, Fib); var A, B: Fib; N: Int;
        map Grow: Int # Fib # Fib -> Fib; Made: Int -> Fib; Same: Fib # Fib -> Bool;
        eqn N > 0 -> Grow(N, A, B) = Grow(N - 1, Pair(A, N, B), A); Grow(N, A, B) = A;
            Made(N) = Grow(N, Z, Z); Same(A, B) = A == B; input ";
    let case = |input: &str| Case::new("shared.trs", &format!("{text}{input};"));
    let tuning = Tuning { compared: Some(1 << 14), ..Tuning::default() };
    let reason = stopped_with(&case("Same(Made(60), Made(60))"), tuning, ONE, Limits::default());
    assert!(matches!(&reason, StopReason::Comparison { sort } if sort == "Fib"), "{reason:?}");
}
