//! Each class against the general path: random programs of its form, with and without classes, on all executors.

use proptest::prelude::*;

use super::super::builder::{Builder, G, R, Rounds, T, add, n, op, v};
use super::summary;
use gchr_base::control::Limits;
use gchr_base::op::Op;

/// What kind of program.
#[derive(Clone, Copy, Debug)]
enum Form {
    /// Sets of edges and paths.
    Closure,
    /// The oldest of each key.
    First,
    /// The least, or greatest, value of each key, with or without a column that does not count.
    Best { least: bool, payload: bool },
    /// The least, or greatest, of all.
    Extreme { least: bool },
    /// The greatest common divisor of each key, or of all.
    Divisor { step: Op, keyed: bool },
    /// Distances as best per key, propagated along edges.
    Distances,
    /// Distances as replaced values.
    Relaxation,
    /// Values that go down a step at a time, of which the step is no class: it depends on the value itself.
    Cooling { least: bool },
    /// Floyd and Warshall.
    Floyd { dense: bool },
}

fn head(name: &'static str, args: &[&'static str]) -> (&'static str, Vec<T>) {
    (name, args.iter().map(|a| v(a)).collect())
}

fn build(form: Form) -> Builder {
    let mut b = Builder::new();
    let compare = |least: bool| if least { Op::Le } else { Op::Ge };
    let test = |least, a, c| vec![G::Test(op(compare(least), [v(a), v(c)]))];
    match form {
        Form::Closure => {
            b.con("in", &["int", "int", "int"]).con("p", &["int", "int"]);
            let p = || vec![head("p", &["X", "Y"])];
            b.rule("set", R { kept: p(), removed: p(), ..R::default() });
            b.rule(
                "load",
                R {
                    removed: vec![head("in", &["X", "Y", "_"])],
                    body: vec![add("p", [v("X"), v("Y")])],
                    ..R::default()
                },
            );
            let kept = vec![head("p", &["X", "Y"]), head("p", &["Y", "Z"])];
            b.rule("step", R { kept, body: vec![add("p", [v("X"), v("Z")])], ..R::default() });
        }
        Form::First => {
            b.con("in", &["int", "int", "int"]);
            let (kept, removed) = (vec![head("in", &["X", "_", "A"])], vec![head("in", &["X", "_", "B"])]);
            b.rule("first", R { kept, removed, ..R::default() });
        }
        Form::Best { least, payload } => {
            b.con("in", &["int", "int", "int"]);
            let [x, y] = if payload { ["_", "_"] } else { ["Y", "Y"] };
            let (kept, removed) = (vec![head("in", &["X", x, "A"])], vec![head("in", &["X", y, "B"])]);
            b.rule("best", R { kept, removed, guard: test(least, "A", "B"), ..R::default() });
        }
        Form::Extreme { least } => {
            b.con("in", &["int", "int", "int"]);
            let (kept, removed) = (vec![head("in", &["_", "_", "A"])], vec![head("in", &["_", "_", "B"])]);
            b.rule("best", R { kept, removed, guard: test(!least, "B", "A"), ..R::default() });
        }
        Form::Divisor { step, keyed } => {
            b.con("in", &["int", "int", "int"]).con("g", if keyed { &["int", "int"] } else { &["int"] });
            let args = |value: T| if keyed { vec![v("X"), value] } else { vec![value] };
            let g = |value: T| vec![("g", args(value))];
            b.rule("zero", R { removed: g(n(0)), ..R::default() });
            let guard = vec![G::Test(op(Op::Lt, [n(0), v("N")])), G::Test(op(Op::Le, [v("N"), v("M")]))];
            let body = vec![G::Is("L", op(step, [v("M"), v("N")])), add("g", args(v("L")))];
            b.rule("step", R { kept: g(v("N")), removed: g(v("M")), guard, body, ..R::default() });
            // Zeros and negative numbers are among them.
            let value = op(Op::Sub, [op(Op::Mul, [v("Y"), v("Z")]), n(6)]);
            let body = vec![G::Is("W", value), add("g", args(v("W")))];
            b.rule("load", R { removed: vec![head("in", &["X", "Y", "Z"])], body, ..R::default() });
        }
        Form::Distances => {
            b.con("in", &["int", "int", "int"]).con("d", &["int", "int"]);
            let (kept, removed) = (vec![head("d", &["X", "A"])], vec![head("d", &["X", "B"])]);
            b.rule("best", R { kept, removed, guard: test(true, "A", "B"), ..R::default() });
            let kept = vec![head("in", &["X", "Y", "C"]), head("d", &["X", "A"])];
            b.rule(
                "go",
                R { kept, body: vec![add("d", [v("Y"), op(Op::Add, [v("A"), v("C")])])], ..R::default() },
            );
        }
        Form::Relaxation => {
            b.con("in", &["int", "int", "int"]).con("d", &["int", "int"]);
            let sum = || op(Op::Add, [v("A"), v("C")]);
            b.rule(
                "relax",
                R {
                    kept: vec![head("in", &["X", "Y", "C"]), head("d", &["X", "A"])],
                    removed: vec![head("d", &["Y", "B"])],
                    guard: vec![G::Test(op(Op::Lt, [sum(), v("B")]))],
                    body: vec![add("d", [v("Y"), sum()])],
                    ..R::default()
                },
            );
        }
        Form::Cooling { least } => {
            b.con("in", &["int", "int", "int"]).con("d", &["int", "int"]);
            let (step, bound, than) =
                if least { (Op::Sub, Op::Max, Op::Gt) } else { (Op::Add, Op::Min, Op::Lt) };
            let next = || op(bound, [op(step, [v("B"), n(1)]), v("C")]);
            b.rule(
                "cool",
                R {
                    kept: vec![head("in", &["X", "_", "C"])],
                    removed: vec![head("d", &["X", "B"])],
                    guard: vec![G::Test(op(than, [v("B"), next()]))],
                    body: vec![add("d", [v("X"), next()])],
                    ..R::default()
                },
            );
        }
        Form::Floyd { dense } => {
            let key = if dense { "dense" } else { "int" };
            b.con("in", &[key, key, "int"]);
            b.rule(
                "floyd",
                R {
                    kept: vec![head("in", &["I", "K", "A"]), head("in", &["K", "J", "B"])],
                    removed: vec![head("in", &["I", "J", "C"])],
                    guard: vec![G::Test(op(Op::Gt, [v("C"), op(Op::Add, [v("A"), v("B")])]))],
                    body: vec![
                        G::Is("D", op(Op::Add, [v("A"), v("B")])),
                        add("in", [v("I"), v("J"), v("D")]),
                    ],
                    ..R::default()
                },
            );
        }
    }
    b
}

fn forms() -> impl Strategy<Value = Form> {
    prop_oneof![
        Just(Form::Closure),
        Just(Form::First),
        (any::<bool>(), any::<bool>()).prop_map(|(least, payload)| Form::Best { least, payload }),
        any::<bool>().prop_map(|least| Form::Extreme { least }),
        (prop::sample::select(vec![Op::Mod, Op::Rem, Op::Sub]), any::<bool>())
            .prop_map(|(step, keyed)| Form::Divisor { step, keyed }),
        Just(Form::Distances),
        Just(Form::Relaxation),
        any::<bool>().prop_map(|least| Form::Cooling { least }),
        any::<bool>().prop_map(|dense| Form::Floyd { dense }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn classes_agree_with_the_general_path(
        form in forms(),
        rows in prop::collection::vec([0i64..5, 0i64..5, 1i64..9], 0..14),
        once in any::<bool>(),
        later in prop::collection::vec([0i64..5, 0i64..5, 1i64..9], 0..4),
    ) {
        let mut b = build(form);
        let mut seen = std::collections::HashSet::new();
        let fact = |row: &[i64; 3]| add("in", row.iter().map(|&x| n(x)).collect::<Vec<_>>());
        let mut goals: Vec<G> = rows.iter().filter(|r| !once || seen.insert((r[0], r[1]))).map(fact).collect();
        if matches!(form, Form::Distances | Form::Relaxation | Form::Cooling { .. }) {
            goals.extend((0..5).map(|x| add("d", [n(x), n(if x == 0 { 0 } else { 50 })])));
        }
        b.query(goals);
        b.query(later.iter().map(fact).collect::<Vec<_>>());
        let [with, without] = [true, false].map(|classes| {
            let oracle = b.run_rounds(&Rounds::oracle(classes), Limits::default());
            for threads in [1, 3] {
                let ran = b.run_rounds(&Rounds::on(threads, classes), Limits::default());
                assert_eq!(summary(&ran), summary(&oracle), "{}", b.program);
            }
            oracle
        });
        prop_assert_eq!(with.error, None);
        prop_assert_eq!(without.error, None);
        prop_assert_eq!(with.text, without.text, "{}", b.program);
        let plan = b.rounds_plan(Rounds::on(1, true).plan);
        let has_one = !matches!(form, Form::Cooling { .. });
        prop_assert_eq!(!plan.classes.is_empty(), has_one, "{}", plan.explain());
    }
}
