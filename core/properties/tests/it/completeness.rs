//! Completeness of definitions.

use gchr_base::rule::Program;
use gchr_base::watch::Watch;
use gchr_properties::{Cases, completeness};

use crate::{naturals, program};

fn only(program: &Program) -> Cases {
    let found = completeness(program, &Watch::new()).expect("no limit");
    assert_eq!(found.functions.len(), 1);
    assert_eq!(found.is_shown(), found.functions[0].cases == Cases::Complete);
    found.functions[0].cases.clone()
}

fn missing(patterns: &[&str]) -> Cases {
    Cases::Missing { patterns: patterns.iter().map(ToString::to_string).collect(), more: false }
}

#[test]
fn all_missing_patterns_are_listed() {
    assert_eq!(only(&naturals(" | F(N, N)", "F(Z, Y) = Y; F(S(X), Y) = X;")), Cases::Complete);
    let some = only(&naturals(" | F(N, N)", "F(S(Z), Z) = Z;"));
    assert_eq!(some, missing(&["F(Z, _)", "F(S(S(_)), _)", "F(S(Z), S(_))"]));
    // Functions inside of patterns match no constructors.
    assert_eq!(only(&naturals(" | F(N)", "F(Z) = Z; F(F(X)) = X;")), missing(&["F(S(_))"]));
}

#[test]
fn numbers_that_no_rule_has_stand_for_each_other() {
    let text = "map F: Int # Bool -> Int; eqn F(0, true) = 1; F(1, true) = 2;";
    assert_eq!(only(&program(text)), missing(&["F(2, _)"]));
    let text = "map F: Bool # Int -> Int; var B: Bool; eqn F(true, 0) = 1; F(true, 1) = 2;";
    let Cases::Missing { patterns, more: false } = only(&program(text)) else { panic!() };
    assert_eq!(patterns, ["F(false, _)", "F(true, 2)"]);
}

/// Giving variables values keeps no rule from applying; patterns of conditions may.
#[test]
fn values_of_variables_are_no_conditions() {
    let rules = naturals(" | F(N)", "F(Z) = Z; F(S(X)) = S(Y) whr Y = F(X) end;");
    assert_eq!(only(&rules), Cases::Complete);
    let rules = naturals(" | F(N)", "F(Z) = Z; Y := X -> F(S(X)) = Y;");
    assert!(!matches!(only(&rules), Cases::Complete));
}

#[test]
fn conditions_and_repeated_variables_leave_it_open() {
    let rules = "map F: Int -> Int; var X: Int; eqn X > 0 -> F(X) = X; X <= 0 -> F(X) = 0;";
    let Cases::Conditional { patterns, rules, more: false } = only(&program(rules)) else { panic!() };
    assert_eq!((patterns.as_slice(), rules.len()), (&["F(_)".to_string()][..], 2));
    let twice = only(&naturals(" | F(N, N)", "F(X, X) = X; F(Z, Y) = Y;"));
    let Cases::Conditional { patterns, rules, .. } = twice else { panic!("{twice:?}") };
    assert_eq!((patterns.as_slice(), rules.len()), (&["F(S(_), _)".to_string()][..], 1));
    assert_eq!(only(&naturals(" | F(N, N)", "F(X, X) = X; F(X, Y) = Y;")), Cases::Complete);
}

/// A sort without terms has nothing to be matched, neither at the root nor below a constructor.
#[test]
fn what_has_no_terms_is_not_missing() {
    let text = "sort E = struct Loop(E); N = struct Z | Hold(E) | F(N) | G(E);
        var X: E; eqn F(Z) = Z; G(Loop(Loop(X))) = Z;";
    let found = completeness(&program(text), &Watch::new()).expect("no limit");
    assert!(found.is_shown() && found.functions.len() == 2, "{found:?}");
}
