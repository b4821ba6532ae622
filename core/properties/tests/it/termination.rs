//! Termination of systems that are known from the literature.

use gchr_base::watch::Watch;
use gchr_properties::{Order, Termination, termination};

use crate::{naturals, program};

fn found(functions: &str, rules: &str) -> Termination {
    termination(&naturals(functions, rules), &Watch::new()).expect("no limit")
}

#[test]
fn functions_without_calls_need_no_order() {
    let plain = found(" | Pred(N) | Two", "Pred(S(X)) = X; Pred(Z) = Z; Two = Pred(S(S(S(Z))));");
    assert!(plain.is_shown() && plain.components.is_empty() && plain.pairs.len() == 1);
}

#[test]
fn ackermann_ends_by_its_arguments() {
    let ackermann =
        found(" | A(N, N)", "A(Z, Y) = S(Y); A(S(X), Z) = A(X, S(Z)); A(S(X), S(Y)) = A(X, A(S(X), Y));");
    assert!(ackermann.is_shown() && ackermann.any_order);
    assert!(matches!(ackermann.components[0].order, Some(Order::Subterm(_))));
    // The first argument leaves one pair, which makes the second one smaller.
    assert_eq!(ackermann.components.len(), 2);
    assert_eq!(ackermann.components[1].part_of, Some(0));
}

/// Neither argument gets smaller each time, nor does one of them in each pair: of Lee, Jones and Ben-Amram.
#[test]
fn permuted_arguments_end_by_size_change() {
    let permuted =
        found(" | P(N, N, N)", "P(X, Y, Z) = Z; P(X, S(Y), S(V)) = P(S(Y), X, V); P(S(X), Y, Z) = Y;");
    assert!(permuted.is_shown());
    let swapped = found(" | F(N, N)", "F(S(X), Y) = F(Y, X);");
    assert!(swapped.is_shown(), "{swapped:?}");
    assert!(matches!(swapped.components[0].order, Some(Order::SizeChange { .. })), "{swapped:?}");
}

/// Of Arts and Giesl: what is subtracted first is no part of the argument.
#[test]
fn division_ends_by_a_polynomial() {
    let division = found(
        " | Minus(N, N) | Div(N, N)",
        "Minus(X, Z) = X; Minus(S(X), S(Y)) = Minus(X, Y);
        Div(Z, S(Y)) = Z; Div(S(X), S(Y)) = S(Div(Minus(X, Y), S(Y)));",
    );
    assert!(division.is_shown(), "{division:?}");
    let by_polynomial = |order: &Option<Order>| matches!(order, Some(Order::Polynomial { .. }));
    assert_eq!(division.components.iter().filter(|c| by_polynomial(&c.order)).count(), 1);
}

#[test]
fn quicksort_ends() {
    let sort = program(
        "sort N = struct Z | S(N); B = struct T | F | Le(N, N);
        L = struct E | C(N, L) | App(L, L) | Low(N, L) | High(N, L) | IfLow(B, N, L) | IfHigh(B, N, L) | Sort(L);
        var X, Y: N; U, V: L;
        eqn Le(Z, Y) = T; Le(S(X), Z) = F; Le(S(X), S(Y)) = Le(X, Y);
        App(E, V) = V; App(C(X, U), V) = C(X, App(U, V));
        Low(X, E) = E; Low(X, C(Y, U)) = IfLow(Le(Y, X), X, C(Y, U));
        IfLow(T, X, C(Y, U)) = C(Y, Low(X, U)); IfLow(F, X, C(Y, U)) = Low(X, U);
        High(X, E) = E; High(X, C(Y, U)) = IfHigh(Le(Y, X), X, C(Y, U));
        IfHigh(T, X, C(Y, U)) = High(X, U); IfHigh(F, X, C(Y, U)) = C(Y, High(X, U));
        Sort(E) = E; Sort(C(X, U)) = App(Sort(Low(X, U)), C(X, Sort(High(X, U))));",
    );
    let found = termination(&sort, &Watch::new()).expect("no limit");
    assert!(found.is_shown(), "{found:?}");
}

/// Of Toyama: both parts end, together they do not.
#[test]
fn what_does_not_end_is_not_shown() {
    for (functions, rules) in [
        (" | F(N, N, N) | G(N, N)", "F(Z, S(Z), X) = F(X, X, X); G(X, Y) = X; G(X, Y) = Y;"),
        (" | A", "A = S(A);"),
        (" | A | B", "A = B; B = A;"),
        (" | F(N)", "F(X) = F(X);"),
        (" | F(N, N)", "F(S(X), Y) = F(X, S(Y)); F(X, S(Y)) = F(S(X), Y);"),
        (" | F(N) | G(N)", "F(G(X)) = F(G(G(X)));"),
    ] {
        let found = found(functions, rules);
        assert!(!found.is_shown(), "{rules}: {found:?}");
        assert!(found.components.iter().any(|component| component.order.is_none()));
    }
}

/// Calls of conditions count, and values that they bind or that operators have may be anything.
#[test]
fn conditions_and_operators_are_followed() {
    let shown = |rules: &str| {
        let text = format!(
            "sort N = struct Z | S(N); map F: N -> N; G: N -> Bool; H: N # Int -> Int;
            var X, Y: N; I: Int; eqn {rules}"
        );
        let found = termination(&program(&text), &Watch::new()).expect("no limit");
        assert!(!found.any_order);
        found.is_shown()
    };
    assert!(shown("G(Z) = true; G(S(X)) = true; G(X) -> F(S(X)) = F(X); F(X) = X;"));
    assert!(!shown("G(F(X)) -> F(X) = X; G(X) = true;"));
    assert!(!shown("F(S(X)) == X -> F(S(X)) = Z; F(F(X)) == Z -> F(X) = Z;"));
    assert!(shown("H(S(X), I) = H(X, I + 1) * 2; H(Z, I) = I;"));
    assert!(!shown("H(X, I) = H(X, I - 1); H(X, 0) = 0;"));
}
