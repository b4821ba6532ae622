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
    Edge: Int -> L;
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
