//! Base cases of small systems in which cells wait: between one call and the next a cell is built of what the first one
//! gives, matched by the second one, and lent, shared, opened or dropped there.

use super::random::agree_on;
use super::*;

/// Normal form, rule applications and account of references are right; the base case is there and is one that is taken.
#[track_caller]
fn check(rules: &str, input: &str) {
    let text = format!(
        "sort T = struct L | M | N(T, T) | Put(T, T) | Turn(T, Bool) | Sort(T) | Flow(T) | All(T, Bool);
        map Sum: T -> Int; Only: T # Int -> Int; var A, B, C : T; X : Bool; eqn {rules} input {input};"
    );
    assert!(agree_on(&text, "this").unwrap_or_else(|e| panic!("{e}")), "no answer: {text}");
    let program = program(&text);
    let plan = compile(&program, &TermOptions::tasks(true)).expect("a plan");
    let Start::Term(Some(input)) = &program.start else { panic!("no input") };
    let run = crate::testing::counted::run(&program, &plan, input, u64::MAX).expect("a normal form");
    assert!(run.base_cases > 0 && plan.functions.iter().any(|f| f.base.is_some()), "{plan}");
}

const FLOW: &str = "Put(L, C) = L; Put(M, C) = M; Put(N(A, B), C) = Flow(N(Put(A, B), C));
    Flow(N(M, C)) = M; Flow(N(N(A, B), C)) = Flow(N(A, C));";

#[test]
fn a_field_of_a_cell_that_waits_is_matched_again() {
    check(&format!("{FLOW} Flow(N(L, L)) = M; Flow(N(L, C)) = C;"), "Put(N(L, M), N(M, N(L, L)))");
    check(
        &format!("{FLOW} Flow(N(L, L)) = M; Flow(N(L, N(A, B))) = N(B, A);"),
        "Put(N(L, M), N(M, N(L, L)))",
    );
}

#[test]
fn a_field_of_a_cell_that_waits_is_shared_with_another_cell() {
    check(&format!("{FLOW} Flow(N(L, C)) = N(C, N(L, C));"), "Put(N(L, M), N(M, N(L, L)))");
}

#[test]
fn a_field_of_a_cell_that_waits_is_compared() {
    check(
        &format!("{FLOW} (C == N(M, M)) -> Flow(N(L, C)) = N(L, C); Flow(N(L, C)) = N(C, C);"),
        "N(Put(N(L, M), N(M, N(L, L))), Put(N(L, M), N(M, M)))",
    );
}

const TURN: &str = "All(L, X) = L; All(M, X) = M; All(N(A, B), X) = Turn(N(All(A, X), B), X);
    Turn(N(M, C), X) = C; Turn(N(N(A, B), C), X) = Turn(N(A, C), X);";

#[test]
fn a_cell_that_waits_is_opened_on_some_ways_of_a_choice() {
    check(
        &format!("{TURN} Turn(N(L, C), true) = N(C, L); Turn(N(L, C), false) = N(M, C);"),
        "N(All(N(L, N(M, M)), true), All(N(L, M), false))",
    );
    check(
        &format!("{TURN} Turn(N(L, C), true) = N(C, L); Turn(N(L, C), false) = N(M, N(L, C));"),
        "N(All(N(L, N(M, M)), true), All(N(L, M), false))",
    );
}

#[test]
fn a_cell_that_waits_is_dropped() {
    check(&format!("{TURN} Turn(N(L, C), X) = L;"), "All(N(N(L, N(M, M)), N(L, L)), true)");
}

#[test]
fn a_cell_that_waits_for_the_memory_of_another_one_is_opened() {
    let rules = "Sort(L) = L; Sort(M) = M; Sort(N(A, B)) = Flow(N(Sort(A), Sort(B)));
        Flow(N(L, C)) = N(C, L); Flow(N(M, C)) = N(C, C); Flow(N(N(A, B), C)) = N(Flow(N(A, B)), C);";
    check(rules, "Sort(N(N(L, M), N(N(M, L), M)))");
    let rules = "Sort(L) = L; Sort(M) = M; Sort(N(A, B)) = Flow(N(Sort(A), Sort(B)));
        Flow(N(L, C)) = C; Flow(N(M, C)) = N(M, C); Flow(N(N(A, B), C)) = Flow(N(B, C));";
    check(rules, "Sort(N(N(L, N(M, L)), N(N(M, L), M)))");
}

#[test]
fn an_application_that_no_rule_matches_is_no_base_case() {
    // What would come behind it names a cell that is dropped before.
    let rules = "Sum(M) = 1; Sum(L) = (Only(N(L, L), Only(N(M, L), 1)) + 1); Sum(N(A, B)) = (Sum(A) + Sum(B)); Only(L, 1) = 1;";
    check(rules, "Sum(N(M, N(M, M)))");
}
