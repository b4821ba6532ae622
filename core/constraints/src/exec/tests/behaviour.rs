//! Single behaviours of plan and executor: order, limits, errors, memory, printed plans.

use insta::assert_snapshot;

use super::builder::{Builder, G, R, T, add, f, n, op, v};
use crate::exec::run;
use gchr_base::control::{Control, Limits};
use gchr_base::error::StopReason;
use gchr_base::facts::{FactColumn, Facts};
use gchr_base::op::{ArithmeticError, Op};
use gchr_base::signature::ConstraintId;
use gchr_base::value::Value;

fn floyd() -> Builder {
    let mut b = Builder::new();
    b.con("edge", &["dense", "dense", "int"]);
    b.rule(
        "floydw",
        R {
            kept: vec![("edge", vec![v("I"), v("K"), v("D1")]), ("edge", vec![v("K"), v("J"), v("D2")])],
            removed: vec![("edge", vec![v("I"), v("J"), v("D3")])],
            guard: vec![G::Test(op(Op::Gt, [v("D3"), op(Op::Add, [v("D1"), v("D2")])]))],
            body: vec![G::Is("D4", op(Op::Add, [v("D1"), v("D2")])), add("edge", [v("I"), v("J"), v("D4")])],
            ..R::default()
        },
    );
    b
}

fn fib() -> Builder {
    let mut b = Builder::new();
    b.con("upto", &["int"]).con("f", &["int", "int"]);
    b.rule(
        "up",
        R {
            kept: vec![
                ("upto", vec![v("Max")]),
                ("f", vec![v("N1"), v("M1")]),
                ("f", vec![v("N2"), v("M2")]),
            ],
            guard: vec![
                G::Test(op(Op::Gt, [v("Max"), v("N2")])),
                G::Test(op(Op::Eq, [v("N2"), op(Op::Add, [v("N1"), n(1)])])),
            ],
            body: vec![
                G::Is("N", op(Op::Add, [v("N2"), n(1)])),
                G::Is("M", op(Op::Mod, [op(Op::Add, [v("M1"), v("M2")]), n(1_000_000_007)])),
                add("f", [v("N"), v("M")]),
            ],
            ..R::default()
        },
    );
    b
}

/// `count(I) <=> I < N | count(I + 1)`.
fn count(limit: i64, start: i64) -> Builder {
    let mut b = Builder::new();
    b.con("count", &["int"]);
    b.rule(
        "step",
        R {
            removed: vec![("count", vec![v("I")])],
            guard: vec![G::Test(op(Op::Lt, [v("I"), n(limit)]))],
            body: vec![add("count", [op(Op::Add, [v("I"), n(1)])])],
            ..R::default()
        },
    );
    b.query([add("count", [n(start)])]);
    b
}

#[test]
fn plan_of_floyd() {
    assert_snapshot!(floyd().plan_text());
}

#[test]
fn plan_of_fibonacci_has_keys_from_the_guard() {
    assert_snapshot!(fib().plan_text());
}

#[test]
fn plan_of_transitive_closure_drops_the_symmetric_head() {
    let mut b = Builder::new();
    b.con("e", &["int", "int"]).con("p", &["int", "int"]);
    let p = || ("p", vec![v("X"), v("Y")]);
    b.rule("dup", R { kept: vec![p()], removed: vec![p()], ..R::default() });
    b.rule(
        "step",
        R {
            kept: vec![("e", vec![v("X"), v("Y")]), ("p", vec![v("Y"), v("Z")])],
            body: vec![add("p", [v("X"), v("Z")])],
            ..R::default()
        },
    );
    assert_snapshot!(b.plan_text());
}

/// `s, s \\ r <=> r` with `r` passive: what the body adds is found by the second head, though the first one is like it.
#[test]
fn a_symmetric_head_finds_passive_constraints_that_the_body_added() {
    let mut b = Builder::new();
    b.con("r", &["int"]).con("s", &[]);
    b.rule(
        "again",
        R {
            kept: vec![("s", vec![]), ("s", vec![])],
            removed: vec![("r", vec![v("X")])],
            passive: vec![2],
            body: vec![add("r", [v("X")])],
            ..R::default()
        },
    );
    b.query([add("r", [n(0)]), add("s", []), add("s", [])]);
    assert_eq!(b.run().stats.firings, Some(2));
}

#[test]
fn conditions_that_can_fail_with_an_error_prune_early_and_decide_late() {
    let mut b = Builder::new();
    b.con("a", &["int"]).con("b", &["int", "any"]);
    b.rule(
        "r",
        R {
            kept: vec![("a", vec![v("X")]), ("b", vec![v("X"), f("g", [v("Y"), f("h", [n(1)])])])],
            guard: vec![G::Test(op(Op::Gt, [op(Op::Quot, [n(10), v("X")]), n(1)]))],
            body: vec![G::Write(v("Y"))],
            ..R::default()
        },
    );
    assert_snapshot!(b.plan_text());
    // No partner: no error, as the guard is never asked.
    b.query([add("a", [n(0)])]);
    assert_eq!(b.run().error, None);
    b.query([add("b", [n(0), f("g", [n(7), f("h", [n(1)])])])]);
    let error = b.run().error.expect("division by zero");
    let reason = StopReason::Arithmetic {
        op: Op::Quot,
        error: ArithmeticError::DivisionByZero,
        operands: vec!["10".into(), "0".into()],
    };
    assert_eq!((error.reason, error.rule.map(|r| r.0)), (reason, Some(0)));
}

#[test]
fn occurrences_and_partners_in_the_order_of_swi_prolog() {
    // SWI-Prolog 9 prints for these rules: ra(2,1) ra(1,2) / rd(2,1,3) / rf(1,3,2) / re(3,2,1) re(3,1,2) re(2,3,1)
    // re(1,3,2) ...
    let mut b = Builder::new();
    for name in ["p", "c", "t", "k"] {
        b.con(name, &["int"]);
    }
    let heads = |c: &'static str, vars: &[&'static str]| -> Vec<(&'static str, Vec<T>)> {
        vars.iter().map(|x| (c, vec![v(x)])).collect()
    };
    b.rule("ra", R { kept: heads("p", &["X", "Y"]), ..R::default() });
    b.rule("rd", R { kept: heads("c", &["X", "Y"]), removed: heads("c", &["Z"]), ..R::default() });
    b.rule("rf", R { kept: heads("t", &["X"]), removed: heads("t", &["Y", "Z"]), ..R::default() });
    b.rule("re", R { kept: heads("k", &["X", "Y", "Z"]), ..R::default() });
    let adds = |c: &'static str, k: i64| (1..=k).map(|i| add(c, [n(i)])).collect::<Vec<_>>();
    b.query([adds("p", 2), adds("c", 3), adds("t", 3), adds("k", 3)].concat());
    assert_snapshot!(b.run().trace.join("\n"), @r"
    ra: p(2)#1 p(1)#0
    ra: p(1)#0 p(2)#1
    rd: c(2)#3 c(1)#2 \ c(3)#4
    rf: t(1)#5 \ t(3)#7 t(2)#6
    re: k(3)#10 k(2)#9 k(1)#8
    re: k(3)#10 k(1)#8 k(2)#9
    re: k(2)#9 k(3)#10 k(1)#8
    re: k(1)#8 k(3)#10 k(2)#9
    re: k(2)#9 k(1)#8 k(3)#10
    re: k(1)#8 k(2)#9 k(3)#10
    ");
}

#[test]
fn a_chain_of_last_calls_runs_in_constant_memory() {
    let ran = count(1_000_000, 0).run_with(Limits { memory: Some(64 << 10), ..Limits::default() });
    assert_eq!((ran.error, ran.text.as_str()), (None, "count(1000000)\n"));
    assert_eq!(ran.stats.firings, Some(1_000_000));
}

#[test]
fn a_deep_chain_of_propagations_does_not_overflow() {
    let mut b = Builder::new();
    b.con("up", &["int"]);
    b.rule(
        "step",
        R {
            kept: vec![("up", vec![v("I")])],
            guard: vec![G::Test(op(Op::Lt, [v("I"), n(300_000)]))],
            body: vec![add("up", [op(Op::Add, [v("I"), n(1)])])],
            ..R::default()
        },
    );
    b.query([add("up", [n(0)])]);
    let ran = b.run();
    assert_eq!(ran.error, None);
    assert_eq!(ran.store.count(ConstraintId(0)), 300_001);
}

#[test]
fn guard_keys_make_fibonacci_linear() {
    let mut b = fib();
    b.query([add("f", [n(0), n(0)]), add("f", [n(1), n(1)]), add("upto", [n(20_000)])]);
    let ran = b.run();
    assert_eq!(ran.stats.firings, Some(19_999));
    assert!(ran.text.contains("f(10,55)\n"));
    // A quadratic search would try 2*10^8 rows.
    assert!(ran.stats.run_ms.unwrap() < 5_000.0);
}

#[test]
fn steps_are_counted_exactly() {
    let limits = |steps| Limits { max_steps: Some(steps), ..Limits::default() };
    assert_eq!(count(5, 0).run_with(limits(5)).error, None);
    let ran = count(5, 0).run_with(limits(4));
    let error = ran.error.expect("stopped");
    assert_eq!(error.reason, StopReason::Steps { limit: 4 });
    assert_eq!((error.progress.steps, ran.stats.firings, ran.trace.len()), (4, Some(4), 4));
    assert_eq!(count(5, 0).run_with(limits(0)).error.map(|e| e.progress.steps), Some(0));
}

#[test]
fn errors_name_rule_and_operands() {
    let mut b = count(i64::MAX, i64::MAX - 1);
    b.con("x", &["int"]).con("y", &["any"]);
    assert_eq!(b.run().error, None, "the guard stops before the overflow");
    b.rule(
        "over",
        R {
            removed: vec![("count", vec![v("I")])],
            body: vec![add("x", [op(Op::Add, [v("I"), n(1)])])],
            ..R::default()
        },
    );
    let error = b.run().error.expect("overflow");
    assert_snapshot!(error.to_diagnostic(&b.program).message, @"overflow in +(9223372036854775807, 1)");
    assert_eq!(error.rule.map(|r| b.program.rule_name(r)), Some("over".into()));
}

#[test]
fn a_value_of_the_wrong_type_is_not_stored() {
    let mut b = Builder::new();
    b.con("any", &["any"]).con("int", &["int"]);
    b.rule(
        "move",
        R { removed: vec![("any", vec![v("X")])], body: vec![add("int", [v("X")])], ..R::default() },
    );
    b.query([add("any", [n(3)]), add("any", [f("g", [T::Atom("a b"), T::Float(0.5)])])]);
    let ran = b.run();
    assert_eq!(ran.text, "int(3)\n");
    let column = "argument 1 of int/1 (int)".into();
    assert_eq!(ran.error.unwrap().reason, StopReason::Column { column, value: "g('a b',0.5)".into() });
}

#[test]
fn a_failing_body_stops_with_the_store_so_far() {
    let mut b = Builder::new();
    b.con("a", &["int"]).con("b", &["int"]);
    b.rule(
        "r",
        R {
            kept: vec![("a", vec![v("X")])],
            body: vec![add("b", [v("X")]), G::Test(op(Op::Gt, [v("X"), n(1)])), add("b", [n(9)])],
            ..R::default()
        },
    );
    b.rule("f", R { removed: vec![("b", vec![n(9)])], body: vec![G::Fail], ..R::default() });
    b.query([add("a", [n(1)])]);
    let ran = b.run();
    let error = ran.error.unwrap();
    assert!(error.is_failure());
    assert_eq!((error.rule.map(|r| r.0), ran.text.as_str()), (Some(0), "a(1)\nb(1)\n"));
    b.query([]);
    let mut b2 = Builder::new();
    b2.con("b", &["int"]);
    b2.rule("f", R { removed: vec![("b", vec![n(9)])], body: vec![G::Fail], ..R::default() });
    b2.query([add("b", [n(9)])]);
    assert!(b2.run().error.unwrap().is_failure());
}

#[test]
fn memory_limit_names_the_constraint() {
    let mut b = Builder::new();
    b.con("c", &["int"]);
    b.rule(
        "more",
        R {
            kept: vec![("c", vec![v("X")])],
            body: vec![add("c", [op(Op::Add, [v("X"), n(1)])])],
            ..R::default()
        },
    );
    b.query([add("c", [n(0)])]);
    let ran = b.run_with(Limits { memory: Some(1 << 20), ..Limits::default() });
    let StopReason::Memory { limit, what } = ran.error.unwrap().reason else { panic!("memory") };
    assert_eq!(limit, 1 << 20);
    assert!(what == "constraints c/1" || what == "suspended activations", "{what}");
    assert!(!ran.store.is_empty());
    assert!(ran.stats.peak_bytes.unwrap() < 3 << 20);
}

#[test]
fn endless_propagation_is_stopped_by_the_limit() {
    let mut b = Builder::new();
    b.con("p", &["int"]);
    b.rule(
        "next",
        R {
            kept: vec![("p", vec![v("X")])],
            body: vec![add("p", [op(Op::Add, [v("X"), n(1)])])],
            ..R::default()
        },
    );
    b.query([add("p", [n(0)])]);
    let ran = b.run_with(Limits { max_steps: Some(1000), ..Limits::default() });
    assert_eq!(ran.error.unwrap().reason, StopReason::Steps { limit: 1000 });
    // The constraint that was about to fire is in the store, too.
    assert_eq!(ran.store.len(), 1001);
}

#[test]
fn duplicates_are_never_stored() {
    let mut b = Builder::new();
    b.con("c", &["int"]);
    let c = || ("c", vec![v("X")]);
    b.rule("dup", R { kept: vec![c()], removed: vec![c()], ..R::default() });
    b.query((0..5000).map(|i| add("c", [n(i % 7)])).collect::<Vec<_>>());
    let ran = b.run();
    assert_eq!((ran.store.len(), ran.stats.firings), (7, Some(4993)));
    assert!(ran.stats.peak_bytes.unwrap() < 64 << 10);
}

#[test]
fn two_conditions_that_give_one_variable_leave_its_columns_compared() {
    let mut b = Builder::new();
    b.con("p", &["int"]).con("q", &["int", "int"]);
    let sum = |k| G::Test(op(Op::Eq, [v("W"), op(Op::Add, [v("X"), n(k)])]));
    b.rule(
        "r",
        R {
            kept: vec![("q", vec![v("W"), v("W")]), ("p", vec![v("X")])],
            guard: vec![sum(2), sum(0)],
            ..R::default()
        },
    );
    b.query([add("q", [n(2), n(0)]), add("p", [n(0)])]);
    assert_eq!(b.run().stats.firings, Some(0));
}

#[test]
fn instances_are_multisets() {
    let mut b = Builder::new();
    b.con("a", &[]).con("b", &[]).con("c", &[]);
    b.rule("r", R { kept: vec![("a", vec![]), ("b", vec![])], body: vec![add("c", [])], ..R::default() });
    b.query([add("a", []), add("a", []), add("b", []), add("b", [])]);
    assert_eq!(b.run().text, "a\na\nb\nb\nc\nc\nc\nc\n");
}

#[test]
fn the_history_keeps_two_suspended_searches_from_one_instance() {
    // When c is added, a and b are both suspended and c itself is passive: b finds the instance first, then a finds it
    // again.
    let mut b = Builder::new();
    b.con("a", &[]).con("b", &[]).con("c", &[]).con("d", &[]);
    let adds = |head: &'static str, goal: &'static str| R {
        kept: vec![(head, vec![])],
        body: vec![add(goal, [])],
        ..R::default()
    };
    b.rule("r0", adds("a", "b")).rule("r1", adds("b", "c"));
    b.rule(
        "r2",
        R {
            kept: vec![("a", vec![]), ("b", vec![]), ("c", vec![])],
            passive: vec![2],
            body: vec![add("d", [])],
            ..R::default()
        },
    );
    b.query([add("a", [])]);
    assert!(b.plan_text().contains("fire, unless the history has it"));
    let ran = b.run();
    assert_eq!(ran.text, "a\nb\nc\nd\n");
    assert_eq!(ran.trace, ["r0: a#0", "r1: b#1", "r2: a#0 b#1 c#2"]);
}

#[test]
fn partners_removed_while_searches_are_suspended() {
    // Each new t kills the k that the suspended search stands on, and the one behind it.
    let mut b = Builder::new();
    b.con("k", &["int"]).con("s", &[]).con("t", &["int"]);
    b.rule(
        "visit",
        R {
            kept: vec![("s", vec![]), ("k", vec![v("X")])],
            body: vec![add("t", [v("X")]), add("k", [op(Op::Add, [v("X"), n(100)])])],
            ..R::default()
        },
    );
    b.rule(
        "kill",
        R {
            removed: vec![("t", vec![v("X")]), ("k", vec![v("X")]), ("k", vec![v("Y")])],
            guard: vec![G::Test(op(Op::Eq, [v("Y"), op(Op::Sub, [v("X"), n(1)])]))],
            ..R::default()
        },
    );
    let mut goals: Vec<G> = (1..=6).map(|i| add("k", [n(i)])).collect();
    goals.push(add("s", []));
    b.query(goals);
    let ran = b.run_with(Limits { max_steps: Some(30), ..Limits::default() });
    assert_snapshot!(ran.trace[..6].join("\n"), @r"
    visit: s#6 k(6)#5
    kill: \ t(6)#7 k(6)#5 k(5)#4
    visit: s#6 k(106)#8
    visit: s#6 k(206)#10
    visit: s#6 k(306)#12
    visit: s#6 k(406)#14
    ");
}

#[test]
fn deep_terms_are_built_collected_and_written() {
    let mut b = Builder::new();
    b.con("p", &["int", "any"]).con("done", &["any"]);
    b.rule(
        "grow",
        R {
            removed: vec![("p", vec![v("I"), v("X")])],
            guard: vec![G::Test(op(Op::Gt, [v("I"), n(0)]))],
            body: vec![add("p", [op(Op::Sub, [v("I"), n(1)]), f("s", [v("X")])])],
            ..R::default()
        },
    );
    b.query([add("p", [n(400_000), T::Atom("z")])]);
    let ran = b.run_traced(Limits::default(), false);
    assert_eq!(ran.error, None);
    assert_eq!(ran.text.len(), "p(0,".len() + 400_000 * 3 + "z)\n".len());
    assert!(ran.stats.collections.unwrap() > 0);
    // Each step drops the term before it: the collector keeps the heap small.
    let mut b = Builder::new();
    b.con("p", &["int", "any"]);
    b.rule(
        "spin",
        R {
            removed: vec![("p", vec![v("I"), f("t", [v("X"), T::Wild])])],
            guard: vec![G::Test(op(Op::Gt, [v("I"), n(0)]))],
            body: vec![add("p", [op(Op::Sub, [v("I"), n(1)]), f("t", [v("X"), f("n", [v("I")])])])],
            ..R::default()
        },
    );
    b.query([add("p", [n(300_000), f("t", [T::Atom("a"), n(0)])])]);
    let ran = b.run_traced(Limits { memory: Some(16 << 20), ..Limits::default() }, false);
    assert_eq!((ran.error, ran.text.as_str()), (None, "p(0,t(a,n(1)))\n"));
    assert!(ran.stats.collections.unwrap() > 3);
}

#[test]
fn facts_come_first_and_rows_are_sorted() {
    let mut b = Builder::new();
    b.con("e", &["int", "any"]);
    b.query([add("e", [n(-1), T::Atom("b")])]);
    let facts = Facts {
        constraint: ConstraintId(0),
        columns: vec![FactColumn::Int(vec![5, -3, 5]), FactColumn::Float(vec![1.5, 1e300, -0.0])],
        rows: 3,
    };
    let plan = b.plan();
    let outcome = run(&b.program, &plan, &[facts], &mut Control::default()).expect("runs");
    let rows = outcome.store.rows(&b.program.signature, ConstraintId(0));
    let first: Vec<String> = rows.iter().map(|r| r.get(0).unwrap().to_string()).collect();
    assert_eq!(first, ["-3", "-1", "5", "5"]);
    assert_eq!(rows.iter().nth(2).unwrap().get(1), Some(Value::Float(-0.0)));
    let bad = Facts {
        constraint: ConstraintId(0),
        columns: vec![FactColumn::Float(vec![1.0]), FactColumn::Float(vec![1.0])],
        rows: 1,
    };
    let stopped = run(&b.program, &plan, &[bad], &mut Control::default()).expect_err("a float for an int");
    assert!(matches!(stopped.error.reason, StopReason::Column { .. }));
}

#[test]
fn output_is_written_in_order() {
    let mut b = Builder::new();
    b.con("a", &["any"]);
    b.rule(
        "r",
        R {
            removed: vec![("a", vec![v("X")])],
            body: vec![G::Write(v("X")), G::Newline, G::Match(v("X"), f("g", [v("Y")])), G::Write(v("Y"))],
            ..R::default()
        },
    );
    b.query([add("a", [f("g", [T::Atom("B c")])]), add("a", [n(1)])]);
    let ran = b.run();
    assert_eq!(ran.output, "g(B c)\nB c1\n");
    assert!(ran.error.unwrap().is_failure(), "1 is no g(Y)");
}

#[test]
fn interrupted_in_a_long_fruitless_search() {
    let mut b = Builder::new();
    b.con("a", &["int"]).con("b", &["int"]).con("c", &["int"]);
    b.rule(
        "never",
        R {
            kept: vec![("a", vec![v("X")]), ("b", vec![v("Y")]), ("c", vec![v("Z")])],
            guard: vec![G::Test(op(Op::Lt, [op(Op::Mul, [v("X"), v("Y")]), v("Z")]))],
            ..R::default()
        },
    );
    let mut goals: Vec<G> = (1000..3000).flat_map(|i| [add("b", [n(i)]), add("c", [n(0)])]).collect();
    goals.extend((0..1000).map(|i| add("a", [n(i)])));
    b.query(goals);
    let limit = std::time::Duration::from_millis(50);
    let ran = b.run_with(Limits { timeout: Some(limit), ..Limits::default() });
    assert_eq!(ran.error.map(|e| e.reason), Some(StopReason::Timeout { limit }));
}

#[test]
fn the_verifier_finds_broken_plans() {
    use crate::plan::{ChrPlan, DropReason, Dropped, Step, verify};
    let b = floyd();
    let good = b.plan();
    assert!(verify(&b.program, &good).is_empty());
    let broken = |what: &str, change: &dyn Fn(&mut ChrPlan)| {
        let mut plan = b.plan();
        change(&mut plan);
        assert!(verify(&b.program, &plan).iter().any(|d| d.code == "I0101"), "{what}");
    };
    broken("a head both tried and dropped", &|p| {
        let occurrence = p.occurrences.iter().next().expect("an occurrence");
        let (rule, head) = (occurrence.rule, occurrence.head);
        p.dropped.push(Dropped { rule, head, reason: DropReason::Passive });
    });
    broken("an order of tries", &|p| p.tables.iter_mut().for_each(|t| t.occurrences.reverse()));
    for o in good.occurrences.ids() {
        broken("a partner is missing", &|p| drop(p.occurrences[o].joins.pop()));
        broken("another partner", &|p| p.occurrences[o].joins[0].head = p.occurrences[o].head);
        broken("a column more in the key", &|p| {
            let key = p.occurrences[o].joins[0].keys[0].clone();
            p.occurrences[o].joins[0].keys.push(key);
        });
        broken("another index", &|p| p.occurrences[o].joins[0].index = 99);
        broken("one constraint twice", &|p| p.occurrences[o].joins[1].distinct.clear());
        broken("no condition", &|p| {
            let not_test = |s: &Step| !matches!(s, Step::Test { .. });
            p.occurrences[o].commit.retain(not_test);
            p.occurrences[o].joins.iter_mut().for_each(|j| j.steps.retain(not_test));
        });
        broken("no value", &|p| p.occurrences[o].entry.clear());
        broken("other removals", &|p| p.occurrences[o].removed = vec![0, 1, 2]);
    }
}
