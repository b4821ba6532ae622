//! Programs at which schemes of parallel firing go wrong, on the definition and on the executor at several numbers of
//! threads.

use super::super::builder::{Builder, G, R, Ran, Rounds, T, add, n, op, v};
use super::{limits, summary};
use gchr_base::control::Limits;
use gchr_base::error::StopReason;
use gchr_base::facts::{FactColumn, Facts};
use gchr_base::op::{ArithmeticError, Op};
use gchr_base::signature::ConstraintId;

type Heads = Vec<(&'static str, Vec<T>)>;

fn rule(kept: Heads, removed: Heads, guard: Vec<G>, body: Vec<G>) -> R {
    R { kept, removed, guard, body, ..R::default() }
}

fn c(name: &'static str, args: &[&'static str]) -> (&'static str, Vec<T>) {
    (name, args.iter().map(|a| v(a)).collect())
}

/// `min(A) \ min(B) <=> A =< B | true.`
fn min() -> Builder {
    let mut b = Builder::new();
    b.con("min", &["int"]);
    let guard = vec![G::Test(op(Op::Le, [v("A"), v("B")]))];
    b.rule("min", rule(vec![c("min", &["A"])], vec![c("min", &["B"])], guard, vec![]));
    b
}

/// Runs on all executors, with classes and without, which must agree in each.
fn everywhere(b: &Builder) -> Ran {
    everywhere_within(b, limits())
}

fn everywhere_within(b: &Builder, limits: Limits) -> Ran {
    let [with, without] = [true, false].map(|classes| {
        let oracle = b.run_rounds(&Rounds::oracle(classes), limits);
        for threads in [1, 2, 5] {
            let ran = b.run_rounds(&Rounds::on(threads, classes), limits);
            assert_eq!(summary(&ran), summary(&oracle), "{threads} threads, classes: {classes}");
        }
        oracle
    });
    if with.error.is_none() {
        assert_eq!(with.text, without.text, "with and without classes");
    }
    without
}

/// For inputs that the definition is too slow for.
fn on_threads(b: &Builder, classes: bool, facts: &[Facts]) -> Ran {
    let run = |threads| {
        let how = Rounds { facts: facts.to_vec(), ..Rounds::on(threads, classes) };
        b.run_rounds(&how, Limits::default())
    };
    let one = run(1);
    assert_eq!(summary(&run(3)), summary(&one));
    one
}

fn ints(values: impl Iterator<Item = i64>) -> Vec<Facts> {
    let values: Vec<i64> = values.collect();
    let rows = values.len();
    vec![Facts { constraint: ConstraintId(0), columns: vec![FactColumn::Int(values)], rows }]
}

#[test]
fn two_equal_minima() {
    let mut b = min();
    b.query([add("min", [n(3)]), add("min", [n(3)]), add("min", [n(7)])]);
    let ran = everywhere(&b);
    assert_eq!((ran.text.as_str(), ran.stats.firings), ("min(3)\n", Some(2)));
}

#[test]
fn many_equal_minima_go_in_one_round() {
    for classes in [true, false] {
        let ran = on_threads(&min(), classes, &ints((0..100_000).map(|_| 5)));
        assert_eq!((ran.text.as_str(), ran.stats.firings), ("min(5)\n", Some(99_999)));
        assert_eq!(ran.stats.rounds, Some(if classes { 0 } else { 1 }));
    }
}

#[test]
fn a_ring_of_killers_leaves_one() {
    let mut b = Builder::new();
    b.con("a", &[]).con("b", &[]).con("c", &[]);
    for (kept, removed) in [("a", "b"), ("b", "c"), ("c", "a")] {
        b.rule(kept, rule(vec![c(kept, &[])], vec![c(removed, &[])], vec![], vec![]));
    }
    b.query([add("a", []), add("b", []), add("c", [])]);
    let ran = everywhere(&b);
    assert_eq!((ran.text.as_str(), ran.stats.firings), ("c\n", Some(2)));
}

#[test]
fn kept_by_many_and_removed_by_one_in_a_round() {
    let mut b = Builder::new();
    b.con("p", &["int"]).con("x", &[]).con("q", &["int"]).con("kill", &[]);
    b.rule("use", rule(vec![c("x", &[]), c("p", &["A"])], vec![], vec![], vec![add("q", [v("A")])]));
    b.rule("kill", rule(vec![], vec![c("kill", &[]), c("x", &[])], vec![], vec![]));
    let ps = (0..20).map(|i| add("p", [n(i)]));
    b.query([add("x", []), add("kill", [])].into_iter().chain(ps).collect::<Vec<_>>());
    let ran = everywhere(&b);
    assert_eq!(ran.stats.firings, Some(21), "all use it, then it goes");
    assert_eq!(ran.stats.rounds, Some(1));
}

#[test]
fn no_constraint_fills_two_heads() {
    let mut b = Builder::new();
    b.con("p", &["int"]).con("pair", &["int", "int"]);
    b.rule(
        "pair",
        rule(vec![c("p", &["A"]), c("p", &["B"])], vec![], vec![], vec![add("pair", [v("A"), v("B")])]),
    );
    b.query([add("p", [n(1)]), add("p", [n(2)])]);
    let ran = everywhere(&b);
    assert_eq!(ran.text, "p(1)\np(2)\npair(1,2)\npair(2,1)\n");
}

#[test]
fn duplicates_are_a_multiset() {
    let mut b = Builder::new();
    b.con("a", &[]).con("b", &[]).con("c", &[]);
    b.rule("r", rule(vec![c("a", &[]), c("b", &[])], vec![], vec![], vec![add("c", [])]));
    b.query([add("a", []), add("b", []), add("a", []), add("b", [])]);
    assert_eq!(everywhere(&b).text, "a\na\nb\nb\nc\nc\nc\nc\n");
}

fn closure(columns: &'static str) -> Builder {
    let mut b = Builder::new();
    b.con("e", &[columns, columns]).con("p", &[columns, columns]);
    b.rule("set", rule(vec![c("p", &["X", "Y"])], vec![c("p", &["X", "Y"])], vec![], vec![]));
    b.rule("base", rule(vec![c("e", &["X", "Y"])], vec![], vec![], vec![add("p", [v("X"), v("Y")])]));
    let heads = vec![c("e", &["X", "Y"]), c("p", &["Y", "Z"])];
    b.rule("step", rule(heads, vec![], vec![], vec![add("p", [v("X"), v("Z")])]));
    b
}

#[test]
fn closure_of_a_cycle_ends() {
    for columns in ["int", "dense", "any"] {
        let mut b = closure(columns);
        let edges = (0..7).map(|i| add("e", [n(i), n((i + 1) % 7)]));
        b.query(edges.chain([add("e", [n(0), n(1)])]).collect::<Vec<_>>());
        let ran = everywhere_within(&b, Limits::default());
        assert_eq!(ran.text.lines().filter(|l| l.starts_with('p')).count(), 49);
    }
}

#[test]
fn an_endless_propagation_stops_at_a_limit_with_the_store_so_far() {
    let mut b = Builder::new();
    b.con("p", &["int"]);
    b.rule("next", rule(vec![c("p", &["X"])], vec![], vec![], vec![add("p", [op(Op::Add, [v("X"), n(1)])])]));
    b.query([add("p", [n(0)])]);
    let rounds = b.run_rounds(&Rounds::on(2, true).until(3), Limits::default());
    assert_eq!(rounds.error.map(|e| e.reason), Some(StopReason::Rounds { limit: 3 }));
    assert_eq!(rounds.text, "p(0)\np(1)\np(2)\np(3)\n");
    let steps = b.run_rounds(&Rounds::on(2, true), Limits { max_steps: Some(5), ..Limits::default() });
    assert_eq!(steps.error.map(|e| e.reason), Some(StopReason::Steps { limit: 5 }));
    assert_eq!(steps.stats.live_cells, Some(6));
    let memory = b.run_rounds(&Rounds::on(2, true), Limits { memory: Some(1 << 20), ..Limits::default() });
    assert!(matches!(memory.error.map(|e| e.reason), Some(StopReason::Memory { .. })));
    let short = Limits { timeout: Some(std::time::Duration::from_millis(30)), ..Limits::default() };
    let time = b.run_rounds(&Rounds::on(2, true), short);
    assert!(matches!(time.error.map(|e| e.reason), Some(StopReason::Timeout { .. })));
    everywhere(&b);
}

fn arithmetic(ran: &Ran) -> Option<ArithmeticError> {
    match ran.error.as_ref().map(|e| &e.reason) {
        Some(StopReason::Arithmetic { error, .. }) => Some(*error),
        _ => None,
    }
}

#[test]
fn overflow_in_a_guard_and_in_a_body() {
    let mut guard = Builder::new();
    guard.con("p", &["int"]).con("q", &["int"]);
    let test = G::Test(op(Op::Gt, [op(Op::Add, [v("X"), v("Y")]), n(0)]));
    guard.rule("r", rule(vec![c("p", &["X"]), c("q", &["Y"])], vec![], vec![test], vec![]));
    guard.query([add("p", [n(1)]), add("p", [n(i64::MAX)]), add("q", [n(1)])]);
    let ran = everywhere(&guard);
    assert_eq!(arithmetic(&ran), Some(ArithmeticError::Overflow));
    assert_eq!((ran.stats.rounds, ran.error.and_then(|e| e.rule).map(|r| r.0)), (Some(0), Some(0)));

    let mut body = Builder::new();
    body.con("p", &["int"]).con("q", &["int"]);
    body.rule("r", rule(vec![], vec![c("p", &["X"])], vec![], vec![add("q", [op(Op::Mul, [v("X"), n(2)])])]));
    body.query([add("p", [n(1)]), add("p", [n(i64::MAX)])]);
    let ran = everywhere(&body);
    assert_eq!(arithmetic(&ran), Some(ArithmeticError::Overflow));
    assert_eq!(ran.text, "p(1)\np(9223372036854775807)\n", "the round is not performed");
}

#[test]
fn division_by_zero_in_one_of_many_instances() {
    let mut b = Builder::new();
    b.con("p", &["int"]).con("q", &["int"]);
    b.rule(
        "r",
        rule(vec![c("p", &["X"])], vec![], vec![], vec![add("q", [op(Op::Quot, [n(1000), v("X")])])]),
    );
    let ran = on_threads(&b, true, &ints((0..1_000_000).map(|i| (i - 777_777) * 2)));
    assert_eq!(arithmetic(&ran), Some(ArithmeticError::DivisionByZero));
    assert_eq!(ran.stats.live_cells, Some(1_000_000));
}

#[test]
fn an_empty_store_and_a_rule_that_never_fires() {
    let mut b = Builder::new();
    b.con("p", &["int"]).con("q", &["int"]);
    b.rule("never", rule(vec![c("p", &["X"]), c("q", &["X"])], vec![], vec![], vec![add("p", [n(0)])]));
    b.query([]);
    assert_eq!(everywhere(&b).text, "");
    b.query([add("p", [n(1)]), add("q", [n(2)])]);
    let ran = everywhere(&b);
    assert_eq!((ran.text.as_str(), ran.stats.firings, ran.stats.rounds), ("p(1)\nq(2)\n", Some(0), Some(0)));
}

#[test]
fn twenty_rules_over_one_symbol() {
    const NAMES: [&str; 20] = [
        "r00", "r01", "r02", "r03", "r04", "r05", "r06", "r07", "r08", "r09", "r10", "r11", "r12", "r13",
        "r14", "r15", "r16", "r17", "r18", "r19",
    ];
    let mut b = Builder::new();
    b.con("p", &["int", "int"]);
    for (i, name) in (0i64..).zip(NAMES) {
        let guard = vec![G::Test(op(Op::Gt, [v("X"), n(0)]))];
        let body = vec![add("p", [n((i + 1) % 20), op(Op::Sub, [v("X"), n(1)])])];
        let removed = ("p", vec![n(i), v("X")]);
        b.rule(name, rule(vec![], vec![removed], guard, body));
    }
    b.query((0..20).map(|i| add("p", [n(i), n(i % 3)])).collect::<Vec<_>>());
    let ran = everywhere(&b);
    assert_eq!((ran.stats.live_cells, ran.stats.firings), (Some(20), Some(19)));
}

#[test]
fn facts_with_duplicates_are_a_multiset_or_a_set() {
    let edges = || {
        let columns = vec![FactColumn::Int(vec![1, 2, 1, 1]), FactColumn::Int(vec![2, 3, 2, 2])];
        vec![Facts { constraint: ConstraintId(0), columns, rows: 4 }]
    };
    let ran = on_threads(&closure("dense"), true, &edges());
    assert_eq!(ran.text, "e(1,2)\ne(1,2)\ne(1,2)\ne(2,3)\np(1,2)\np(1,3)\np(2,3)\n");
}

#[test]
fn queries_are_batches_and_write_in_order() {
    let mut b = Builder::new();
    b.con("p", &["int"]);
    b.rule("say", rule(vec![c("p", &["X"])], vec![], vec![], vec![G::Write(v("X"))]));
    b.query([add("p", [n(3)]), G::Write(n(0)), add("p", [n(1)]), add("p", [n(2)])]);
    b.query([add("p", [n(9)])]);
    assert_eq!(everywhere(&b).output, "03129");
}

#[test]
fn a_body_that_fails_stops_the_run() {
    let mut b = Builder::new();
    b.con("p", &["int"]);
    let next = add("p", [op(Op::Add, [v("X"), n(1)])]);
    let body = vec![G::Write(v("X")), next, G::Test(op(Op::Lt, [v("X"), n(6)]))];
    b.rule("check", rule(vec![c("p", &["X"])], vec![], vec![], body));
    b.query([add("p", [n(1)]), add("p", [n(4)])]);
    let ran = everywhere(&b);
    assert_eq!(ran.error.map(|e| e.reason), Some(StopReason::Failed));
    // The third round is not performed: what its first body wrote is not written.
    assert_eq!(ran.output, "1425");
}
