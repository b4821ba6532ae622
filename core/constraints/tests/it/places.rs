//! Homes, copies and exchanges of programs whose answers are known, and plans with false places.

use super::support::loaded;
use gchr_base::rule::Program;
use gchr_constraints::ir::places::Place;
use gchr_constraints::plan::{ChrPlan, RoundsOptions, compile_rounds, verify};

const EDGES: &str = ":- chr_constraint e(+int, +int), p(+int, +int).\np(X, Y) \\ p(X, Y) <=> true.\n\
                     base @ e(X, Y) ==> p(X, Y).\n";

fn planned(text: &str) -> (Program, ChrPlan) {
    let program = loaded(text, "true").unwrap_or_else(|codes| panic!("{codes}\n{text}"));
    let plan = compile_rounds(&program, RoundsOptions::default()).expect("a plan");
    (program, plan)
}

#[track_caller]
fn places(text: &str, wanted: &[&str]) {
    let (_, plan) = planned(text);
    let shown = plan.explain_places().to_string();
    for line in wanted {
        assert!(shown.lines().any(|shown| shown.trim() == *line), "no line {line:?} in\n{shown}");
    }
}

/// The closure whose rules carry the end of the path through.
#[test]
fn a_variable_that_every_rule_carries_through_is_a_pivot() {
    let wanted = [
        "e/2: home by column 2, copies everywhere",
        "p/2: home by column 2",
        "step: found by head 2 by column 2, head 1 everywhere; 0 exchanges",
        "pivot: every constraint is added where it has its home",
    ];
    places(&format!("{EDGES}step @ e(X, Y), p(Y, Z) ==> p(X, Z).\n"), &wanted);
    // The other end, where edges follow paths.
    let wanted = ["p/2: home by column 1", "pivot: every constraint is added where it has its home"];
    places(&format!("{EDGES}step @ p(X, Y), e(Y, Z) ==> p(X, Z).\n"), &wanted);
}

/// Paths meet paths: one goes to its home, and from there to where it is looked for.
#[test]
fn what_meets_itself_has_a_copy() {
    let (_, plan) = planned(&format!("{EDGES}step @ p(X, Y), p(Y, Z) ==> p(X, Z).\n"));
    assert_eq!(plan.places.exchanges(), Ok(2), "{}", plan.explain_places());
    assert_eq!(plan.places.tables.as_slice()[1].copies.len(), 1);
}

/// The best distance of a node has its home by the node.
#[test]
fn best_values_have_their_home_by_their_key() {
    let text = ":- chr_constraint e(+int, +int, +int), d(+int, +int).\n\
                best @ d(X, A) \\ d(X, B) <=> A =< B | true.\n\
                step @ d(X, A), e(X, Y, L) ==> C is A + L, d(Y, C).\n";
    let wanted = [
        "e/3: home by column 1",
        "d/2: home by column 1",
        "best: at the home of d/2",
        "step: found by head 1 by column 1, head 2 by column 1; 1 exchange",
        "no pivot, as step adds d/2 by column 1, another value than that by column 1 of head 1",
    ];
    places(text, &wanted);
}

/// What workers cannot share names the rule and the reason.
#[test]
fn rules_that_workers_cannot_share_say_why() {
    let refused = |text: &str, rule: &str, reason: &str| {
        let (_, plan) = planned(text);
        let (id, why) = plan.places.exchanges().expect_err("it cannot be shared");
        assert_eq!((plan.rules[id].name.as_str(), why), (rule, reason), "{text}");
    };
    let c = ":- chr_constraint a(+int), b(+int, +int), c(+int, +int, +int), t(+any).\n";
    refused(&format!("{c}r @ a(X) <=> X > 0 | a(0).\n"), "r", "it removes constraints a/1");
    refused(&format!("{c}r @ a(X) ==> write(X).\n"), "r", "it writes output");
    refused(&format!("{c}r @ t(X) ==> t(X).\n"), "r", "t/1 has a column for values of any kind");
    let why = "which of its constraints stays depends on their age";
    refused(&format!("{c}r @ b(X, _) \\ b(X, _) <=> true.\n"), "r", why);
    let why = "it looks for two constraints b/2, equal or not, at two places";
    refused(&format!("{c}r @ b(X, Y), b(Y, Z) ==> c(X, Y, Z).\n"), "r", why);
}

#[test]
fn false_places_are_refused() {
    let (program, plan) = planned(&format!("{EDGES}step @ e(X, Y), p(Y, Z) ==> p(X, Z).\n"));
    assert!(verify(&program, &plan).is_empty());
    let refused = |change: &dyn Fn(&mut ChrPlan)| {
        let mut plan = plan.clone();
        change(&mut plan);
        assert!(!verify(&program, &plan).is_empty(), "{}", plan.explain_places());
    };
    let step = plan.rules.ids().last().expect("three rules");
    let edges = plan.tables.ids().next().expect("two tables");
    // Edges that the finder does not have, an instance that two workers find, and what is said to stay where it moves.
    refused(&|plan| plan.places.tables[edges].copies.clear());
    refused(&|plan| plan.places.rules[step].heads[1] = Place::Everywhere);
    refused(&|plan| plan.places.rules[step].heads[0] = Place::By(vec![1]));
    refused(&|plan| plan.places.rules[step].stays[0] = false);
    refused(&|plan| plan.places.rules[step].exchanges = Ok(7));
}
