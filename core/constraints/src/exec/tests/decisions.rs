//! What the plan decides for all backends: it is printed, and a plan with a false decision is refused.

use super::builder::{Builder, G, R, T, add, n, op, v};
use crate::plan::{ChrPlan, RoundsOptions, Step, verify};
use gchr_base::ids::IdVec;
use gchr_base::op::Op;
use gchr_base::rule::RuleId;

/// `s(X) ==> sign(X) =:= 1 | t(Y)` with `Y is sign(X)`, a rule that removes, one that can fail, and shortest paths in
/// two tables.
fn program() -> Builder {
    let mut b = Builder::new();
    b.con("s", &["int"]).con("t", &["int"]).con("r", &["int"]);
    let head = |name: &'static str, args: &[&'static str]| (name, args.iter().map(|a| v(a)).collect());
    b.rule(
        "signs",
        R {
            kept: vec![head("s", &["X"])],
            guard: vec![G::Test(op(Op::Eq, [op(Op::Sign, [v("X")]), n(1)]))],
            body: vec![G::Is("Y", op(Op::Sign, [v("X")])), add("t", [v("Y")])],
            ..R::default()
        },
    );
    b.rule(
        "down",
        R {
            removed: vec![head("r", &["X"])],
            guard: vec![G::Test(op(Op::Gt, [v("X"), n(0)]))],
            body: vec![G::Is("Y", op(Op::Sub, [v("X"), n(1)])), add("r", [v("Y")])],
            ..R::default()
        },
    );
    for (name, table) in [("near", "a"), ("far", "b")] {
        b.con(table, &["dense", "dense", "int"]);
        let shorter = if name == "near" { Op::Gt } else { Op::Lt };
        let sum = || op(Op::Add, [v("D"), v("E")]);
        b.rule(
            name,
            R {
                kept: vec![head(table, &["I", "K", "D"]), head(table, &["K", "J", "E"])],
                removed: vec![head(table, &["I", "J", "F"])],
                guard: vec![G::Test(op(shorter, [v("F"), sum()]))],
                body: vec![G::Is("G", sum()), add(table, [v("I"), v("J"), v("G")])],
                ..R::default()
            },
        );
    }
    b
}

fn plan(b: &Builder) -> ChrPlan {
    b.rounds_plan(RoundsOptions::default())
}

#[test]
fn the_plan_prints_what_it_decides() {
    let b = program();
    insta::assert_snapshot!(plan(&b).display(&b.program).to_string());
}

#[test]
fn the_sign_of_an_integer_is_total() {
    let b = program();
    let plan = plan(&b);
    let signs = RuleId(0);
    assert_eq!(plan.rules[signs].can_fail, [vec![false], vec![false]]);
    let tests = plan.occurrences.iter().filter(|o| o.rule == signs).flat_map(|o| &o.entry);
    assert!(tests.clone().any(|s| matches!(s, Step::Test { can_fail: false, .. })));
    let monotone = plan.monotone.as_ref().expect("signs only adds");
    let names = |wanted: &IdVec<_, bool>| -> Vec<String> {
        let tables = plan.tables.iter_enumerated().filter(|(t, _)| wanted[*t]);
        tables.map(|(_, table)| table.name.clone()).collect()
    };
    assert_eq!(names(&monotone.tables), ["s/1", "t/1"]);
    assert_eq!(names(&monotone.added), ["t/1"]);
}

#[test]
fn each_of_two_replacements_is_a_product() {
    let plan = plan(&program());
    let products: Vec<bool> = plan.classes.replacements.iter().map(|r| r.product.is_ok()).collect();
    assert_eq!(products, [true, true]);
}

#[test]
fn two_replacements_of_one_table_are_no_products() {
    let mut b = Builder::new();
    b.con("a", &["dense", "dense", "int"]);
    let head = |args: [&'static str; 3]| ("a", args.map(v).to_vec());
    for name in ["one", "two"] {
        let sum = || op(Op::Add, [v("D"), v("E")]);
        b.rule(
            name,
            R {
                kept: vec![head(["I", "K", "D"]), head(["K", "J", "E"])],
                removed: vec![head(["I", "J", "F"])],
                guard: vec![G::Test(op(Op::Gt, [v("F"), sum()]))],
                body: vec![G::Is("G", sum()), add("a", [v("I"), v("J"), v("G")])],
                ..R::default()
            },
        );
    }
    let plan = plan(&b);
    assert_eq!(plan.classes.replacements.len(), 2);
    let why: Vec<_> = plan.classes.replacements.iter().map(|r| r.product.clone()).collect();
    assert_eq!(why, [Err("two replaces its values too".into()), Err("one replaces its values too".into())]);
}

/// What the verifier says of a plan with one decision changed.
fn refused(change: impl FnOnce(&mut ChrPlan)) -> Vec<String> {
    let b = program();
    let mut plan = plan(&b);
    assert!(verify(&b.program, &plan).is_empty());
    change(&mut plan);
    let found = verify(&b.program, &plan);
    found.iter().flat_map(|d| d.labels.iter().map(|l| l.text.clone())).collect()
}

fn table(plan: &ChrPlan, name: &str) -> gchr_base::signature::ConstraintId {
    plan.tables.iter_enumerated().find(|(_, t)| t.name == name).expect("it is declared").0
}

#[test]
fn the_verifier_refuses_false_rules_that_remove() {
    let found = refused(|plan| {
        let r = table(plan, "r/1");
        plan.tables[r].removed_by.clear();
        plan.rules[RuleId(1)].fires_where_found = true;
    });
    assert!(found.iter().any(|text| text.contains("the rules that remove r/1")), "{found:?}");
    let found = refused(|plan| plan.rules[RuleId(1)].fires_where_found = true);
    assert!(found.iter().any(|text| text.contains("fires where it is found")), "{found:?}");
}

#[test]
fn the_verifier_refuses_false_failures() {
    let found = refused(|plan| plan.rules[RuleId(1)].can_fail[0][0] = false);
    assert!(found.iter().any(|text| text.contains("a goal of the body can fail")), "{found:?}");
    let found = refused(|plan| {
        for occurrence in plan.occurrences.iter_mut() {
            for step in occurrence.entry.iter_mut().chain(&mut occurrence.commit) {
                if let Step::Test { can_fail, .. } = step {
                    *can_fail = !*can_fail;
                }
            }
        }
    });
    assert!(found.iter().any(|text| text.contains("a condition of the guard can fail")), "{found:?}");
}

#[test]
fn the_verifier_refuses_false_monotone_tables() {
    let found = refused(|plan| {
        let r = table(plan, "r/1");
        if let Ok(monotone) = &mut plan.monotone {
            monotone.tables[r] = true;
        }
    });
    assert!(found.iter().any(|text| text.contains("the table r/1 is not monotone")), "{found:?}");
    let found = refused(|plan| {
        let t = table(plan, "t/1");
        if let Ok(monotone) = &mut plan.monotone {
            monotone.added[t] = false;
        }
    });
    assert!(found.iter().any(|text| text.contains("to which monotone rules add")), "{found:?}");
    let found = refused(|plan| {
        let t = table(plan, "t/1");
        if let Ok(monotone) = &mut plan.monotone {
            monotone.linked[t] = true;
        }
    });
    assert!(found.iter().any(|text| text.contains("look by key")), "{found:?}");
}

#[test]
fn the_verifier_refuses_false_products() {
    let found = refused(|plan| {
        if let Ok(product) = &mut plan.classes.replacements[0].product {
            product.row = product.column;
        }
    });
    assert!(found.iter().any(|text| text.contains("product of matrices")), "{found:?}");
}

#[test]
fn a_value_that_may_not_fit_its_variable_can_fail() {
    let mut b = Builder::new();
    b.con("p", &["any"]).con("q", &["int"]);
    let kept: Vec<(&'static str, Vec<T>)> = vec![("p", vec![v("X")])];
    b.rule("copy", R { kept, body: vec![add("q", [v("X")])], ..R::default() });
    let plan = plan(&b);
    assert_eq!(plan.rules[RuleId(0)].can_fail, [vec![true]]);
    assert!(plan.monotone.is_err());
}
