//! Integers of any size in cells, frames and conditions, while the heap is collected.

use gchr_base::control::{Control, Limits};
use gchr_base::error::StopReason;
use gchr_base::op::ArithmeticError;
use gchr_base::rule::Start;

use super::random::option_sets;
use super::{program, run_with};
use crate::plan::compile;

const TEXT: &str = "
sort L = struct N() | C(Int, L);
map Fact: Int -> Int; Facts: Int -> L; Sum: L -> Int; Count: Int # L # L -> Int; Square: Int -> Int;
    Edge: Int -> L; Half: Int -> Int; Halves: Int -> L; Least: Int # Int -> Int;
var X, Y: Int; L, M: L;
eqn Fact(0) = 1; Fact(X) = X * Fact(X - 1);
    Facts(0) = N(); Facts(X) = C(Fact(X), Facts(X - 1));
    Sum(N()) = 0; Sum(C(X, L)) = X + Sum(L);
    Count(X, N(), M) = X;
    X == Y -> Count(X, C(Y, L), C(X, M)) = Count(X + 1, L, M);
    Count(X, C(X, L), M) = Count(X * X, L, M);
    Count(X, C(Y, L), M) = Count(X - Y, L, M);
    Square(X) = Square(X * X);
    Edge(X) = C(4611686018427387903 + 1, C(-4611686018427387903 - 1 - X, N()));
    Half(0) = 0; Half(2) = 1; Half(4) = 2;
    Halves(X) = C(Half(X), C(Half(X + 1) - 1, N()));
    X < Y -> Least(X, Y) = X;
    X >= Y -> Least(X, Y) = Y;
input ";

/// The result of an input under each set of options, with a collection at each allocation and without.
fn check(input: &str, expected: &str) {
    let mut program = program(&format!("{TEXT}{input};"));
    program.signature.big_integers = true;
    let Start::Term(Some(term)) = &program.start else { panic!("an input") };
    for options in option_sets() {
        let plan = compile(&program, &options).expect("a plan");
        for stress in [false, true] {
            let done = run_with(&program, &plan, term, &mut Control::default(), stress).expect("a result");
            assert_eq!(done.normal_form.to_text(), expected, "{input}, stress {stress}, {options:?}");
        }
    }
}

#[test]
fn integers_of_any_size_are_kept_by_a_collection() {
    check("Fact(25)", "15511210043330985984000000");
    check("Sum(Facts(30))", "274410818470142134209703780940313");
    check(
        "C(Fact(21), C(-Fact(22), C(7, N())))",
        "C(51090942171709440000, C(-1124000727777607680000, C(7, N)))",
    );
    check("Edge(1)", "C(4611686018427387904, C(-4611686018427387905, N))");
    check("Count(Fact(21), Facts(23), Facts(21))", "-26978578794156696140313");
}

#[test]
fn an_application_without_a_rule_is_a_normal_form() {
    let found = "C(Half(3), C(1, C((Half(5) + 2), C(Half(3), N))))";
    check("C(Half(3), C(Half(2), C(Half(5) + 2, C(Half(2 + 1), N()))))", found);
    check("Halves(3)", "C(Half(3), C(1, N))");
    check("Halves(4)", "C(2, C((Half(5) - 1), N))");
    check("Least(Half(3), Half(1 + 2))", "Half(3)");
    check(
        "C(Sum(Facts(25)), C(Least(Fact(25), Fact(24)), C(Count(Fact(21), Facts(23), Facts(21)), Halves(3))))",
        "C(16158688114800553828940313, C(620448401733239439360000, C(-26978578794156696140313, C(Half(3), C(1, N)))))",
    );
    let mut program = program(&format!("{TEXT}Least(Half(3), 1);"));
    program.signature.big_integers = true;
    let Start::Term(Some(term)) = &program.start else { panic!("an input") };
    for options in option_sets() {
        let plan = compile(&program, &options).expect("a plan");
        let stopped = run_with(&program, &plan, term, &mut Control::default(), false);
        let found = stopped.map(|_| ()).expect_err("no result").error.reason;
        assert!(
            matches!(&found, StopReason::NoRule { redex, .. } if redex == "Half(3)"),
            "{options:?}: {found:?}"
        );
    }
}

#[test]
fn integers_without_end_meet_the_limit_of_memory_or_of_digits() {
    let mut program = program(&format!("{TEXT}Square(3);"));
    program.signature.big_integers = true;
    let Start::Term(Some(term)) = &program.start else { panic!("an input") };
    let plan = compile(&program, &option_sets()[0]).expect("a plan");
    let reason = |memory| {
        let limits = Limits { memory, ..Limits::default() };
        let stopped = run_with(&program, &plan, term, &mut Control::new(limits), false);
        stopped.map(|_| ()).expect_err("no result").error.reason
    };
    let found = reason(None);
    assert!(matches!(found, StopReason::Arithmetic { error: ArithmeticError::TooLarge, .. }), "{found:?}");
    let found = reason(Some(100_000));
    assert!(matches!(found, StopReason::Memory { .. }), "{found:?}");
}
