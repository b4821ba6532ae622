//! Confluence of systems that are known from the literature.

use gchr_base::watch::Watch;
use gchr_properties::{Confluence, Joining, Outside, Reason, Verdict, confluence};

use crate::{naturals, program};

fn found(functions: &str, rules: &str) -> Confluence {
    confluence(&naturals(functions, rules), &Watch::new()).expect("no limit")
}

#[test]
fn addition_is_orthogonal() {
    let sum = found(" | Add(N, N)", "Add(Z, Y) = Y; Add(S(X), Y) = S(Add(X, Y));");
    assert_eq!((sum.verdict, sum.overlaps.len()), (Verdict::Confluent(Reason::Orthogonal), 0));
    // It needs no proof that rewriting ends: this one does not.
    let endless = found(" | From(N)", "From(X) = S(From(S(X)));");
    assert_eq!(endless.verdict, Verdict::Confluent(Reason::Orthogonal));
}

#[test]
fn parallel_or_is_weakly_orthogonal() {
    let or = found(" | Or(N, N)", "Or(S(X), Y) = S(Z); Or(X, S(Y)) = S(Z); Or(Z, Z) = Z;");
    assert_eq!(or.verdict, Verdict::Confluent(Reason::WeaklyOrthogonal));
    assert_eq!(or.overlaps.len(), 1);
    assert_eq!(or.overlaps[0].peak, "Or(S(X), S(Y'))");
}

/// The three axioms of groups and the seven rules that completion adds, of Knuth and Bendix.
#[test]
fn the_complete_system_of_groups_is_confluent() {
    let rules = "M(One, X) = X; M(I(X), X) = One; M(M(X, Y), V) = M(X, M(Y, V)); M(I(X), M(X, Y)) = Y;
        M(X, One) = X; I(One) = One; I(I(X)) = X; M(X, I(X)) = One; M(X, M(I(X), Y)) = Y;
        I(M(X, Y)) = M(I(Y), I(X));";
    let group = found(" | One | M(N, N) | I(N)", rules);
    assert!(group.overlaps.iter().all(|o| matches!(o.joining, Joining::Equal | Joining::Joins { .. })));
    assert_eq!(group.verdict, Verdict::Confluent(Reason::Terminating), "{:?}", group.termination);
    // The axioms alone are not: (1 * x) * y and the like join, inverses do not.
    let axioms =
        found(" | One | M(N, N) | I(N)", "M(One, X) = X; M(I(X), X) = One; M(M(X, Y), V) = M(X, M(Y, V));");
    assert!(matches!(axioms.verdict, Verdict::NotConfluent(_)));
}

#[test]
fn two_results_are_shown_with_ground_terms() {
    let choice = found(" | Any(N, N)", "Any(X, Y) = X; Any(X, Y) = Y;");
    assert_eq!(choice.verdict, Verdict::NotConfluent(0));
    let Joining::Differs { outer, inner, ground } = &choice.overlaps[0].joining else { panic!("{choice:?}") };
    assert_eq!((outer.normal.as_str(), inner.normal.as_str()), ("X'", "Y'"));
    let ground = ground.as_ref().expect("a ground term");
    assert_eq!(ground, &["Any(Z, S(Z))", "Z", "S(Z)"].map(str::to_string));
}

/// The example of Newman's diagram: locally confluent, and two normal forms that are reached through a circle.
#[test]
fn local_confluence_is_not_confluence() {
    let circle = found(" | A | B", "A = B; B = A; A = Z; B = S(Z);");
    assert!(!matches!(circle.verdict, Verdict::Confluent(_)), "{circle:?}");
    // Of Huet: no overlaps, but a variable twice; c has the results a and b of F.
    let huet = found(" | F(N, N) | G(N) | C", "F(X, X) = Z; F(X, G(X)) = S(Z); C = G(C);");
    assert_eq!((huet.verdict, huet.left_linear), (Verdict::LocallyConfluent, false));
    assert!(!huet.termination.expect("it was looked for").is_shown());
}

/// What comes from the ends is finite and has nothing in common, though there are no normal forms.
#[test]
fn circles_that_never_meet_are_told_apart() {
    let circles = found(" | A | B | C", "A = B; A = C; B = S(B); C = S(Z);");
    assert!(!matches!(circles.verdict, Verdict::Confluent(_)));
    let apart = found(" | A | B | B2 | C | C2", "A = B; A = C; B = B2; B2 = B; C = C2; C2 = C;");
    assert_eq!(apart.verdict, Verdict::NotConfluent(0));
    assert_eq!(apart.overlaps[0].joining, Joining::Apart(2, 2));
}

#[test]
fn conditions_and_operators_are_not_covered() {
    let text = "map F: Int -> Int; G: Int -> Int; var X: Int; eqn F(X) = X + 1; X > 0 -> G(X) = X; G(0) = 1;";
    let found = confluence(&program(text), &Watch::new()).expect("no limit");
    assert_eq!(found.verdict, Verdict::NotCovered);
    let why: Vec<Outside> = found.outside.iter().map(|(_, why)| *why).collect();
    assert_eq!(why, [Outside::Operator, Outside::Condition]);
}
