//! Runs that are stopped: by a number of steps, by memory, by an interrupt; deep recursion; errors.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use gchr_base::error::StopReason;

use super::*;

const NAT: &str = "sort N = struct Z | S(N); L = struct Nil | C(N, L);
    map Plus, Fib, Even, Ack : N # N -> N; From : N -> L; Len, Sum : L -> N; Loop, Last, Deep : N -> N;
    var X, Y : N; T : L;
    eqn Plus(Z, Y) = Y; Plus(S(X), Y) = S(Plus(X, Y));
        Fib(Z, Y) = Y; Fib(S(Z), Y) = S(Y); Fib(S(S(X)), Y) = Plus(Fib(S(X), Y), Fib(X, Y));
        Even(Z, Y) = S(Z); Even(S(Z), Y) = Z; Even(S(S(X)), Y) = Even(X, S(Y));
        Ack(Z, Y) = S(Y); Ack(S(X), Z) = Ack(X, S(Z)); Ack(S(X), S(Y)) = Ack(X, Ack(S(X), Y));
        From(Z) = Nil; From(S(X)) = C(X, From(X));
        Len(Nil) = Z; Len(C(X, T)) = S(Len(T));
        Sum(Nil) = Z; Sum(C(X, T)) = Plus(X, Sum(T));
        Loop(X) = Loop(S(X));
        Last(Z) = S(Z); Last(S(X)) = Z; Deep(Z) = Z; Deep(S(X)) = Last(Deep(X));";

fn nat(input: &str) -> Program {
    program(&text(input))
}

fn text(input: &str) -> String {
    format!("{NAT} input {input};")
}

#[test]
fn every_step_limit_is_exact() {
    for input in
        ["Fib(S^9(Z), Z)", "Sum(From(S^12(Z)))", "Ack(S(S(Z)), S^3(Z))", "Len(From(Even(S^40(Z), Z)))"]
    {
        let program = nat(input);
        let whole = interpreted(&program, Limits::default());
        let terms = terms(&program);
        for max in 0..=whole.rewrites.expect("a count") + 1 {
            let limits = Limits { max_steps: Some(max), ..Limits::default() };
            let (expected, found) =
                (interpreted(&program, limits), native(&program, &terms, limits, max % 7 == 0));
            let bare = |outcome: &Outcome| {
                let reason = outcome.value.as_ref().map_err(|e| (e.reason.clone(), e.span, e.progress));
                format!("{reason:?} {:?} {:?}", outcome.rewrites, outcome.live_cells)
            };
            assert_eq!(bare(&found), bare(&expected), "{input} --max-steps {max}");
        }
    }
}

#[test]
fn recursion_is_bounded_by_memory_only() {
    let deep = nat("Deep(S^1000000(Z))");
    let terms = terms(&deep);
    assert_eq!(native(&deep, &terms, Limits::default(), false), interpreted(&deep, Limits::default()));
    let limits = Limits { memory: Some(16 << 20), ..Limits::default() };
    let found = native(&deep, &terms, limits, false);
    let Err(error) = found.value else { panic!("16 MiB suffice for 10^6 calls") };
    assert!(matches!(error.reason, StopReason::Memory { .. }), "{error:?}");
}

#[test]
fn an_interrupt_and_a_timeout_are_heard_at_once() {
    let endless = nat("Loop(Z)");
    let calls = nat("Ack(S^4(Z), S^4(Z))");
    for program in [&endless, &calls] {
        let terms = terms(program);
        let flag = AtomicBool::new(false);
        let heard = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(100));
                flag.store(true, Ordering::Relaxed);
            });
            let limits = Limits { memory: Some(1 << 30), ..Limits::default() };
            let mut control = Control::new(limits).interrupt(&flag);
            terms.evaluator(program).run(input(program), &mut control)
        });
        let Err(Unfinished::Stopped(stopped)) = heard else { panic!("the run has no end") };
        // Where memory is small and the machine fast, memory may end first.
        let reason = &stopped.error.reason;
        assert!(matches!(reason, StopReason::Interrupted | StopReason::Memory { .. }), "{reason:?}");
        let limits =
            Limits { timeout: Some(Duration::from_millis(50)), memory: Some(1 << 30), ..Limits::default() };
        let start = Instant::now();
        let found = native(program, &terms, limits, false);
        assert!(found.value.is_err());
        assert!(start.elapsed() < Duration::from_secs(5));
    }
}

#[test]
fn memory_limits_end_runs_as_the_interpreter_ends_them() {
    let program = nat("Sum(From(S^500(Z)))");
    let terms = terms(&program);
    let mut enough = 0;
    for memory in [1 << 12, 1 << 16, 1 << 20, 1 << 22, 1 << 24, 1 << 26] {
        let limits = Limits { memory: Some(memory), ..Limits::default() };
        match native(&program, &terms, limits, false).value {
            Ok(_) => enough += 1,
            Err(error) => {
                assert!(matches!(error.reason, StopReason::Memory { .. }), "{error:?}");
                assert_eq!(enough, 0, "{memory} bytes");
            }
        }
    }
    assert!(enough > 1);
}

/// Errors of operators and of functions without a rule, with their texts and places, wherever base cases are in the
/// way.
#[test]
fn errors_are_those_of_the_interpreter() {
    let numbers = "map F, G, H, K, Down : Int -> Int; P : Float -> Float; var X : Int; Y : Float;
        eqn F(0) = 0; F(1) = 1; F(X) = F(X - 1) + F(X - 2) * 1000000000;
            G(X) = X div (X - 3) + G(X - 1);
            H(0) = 1; H(1) = 7;
            X > 3 -> K(X) = 9223372036854775807 + X; K(X) = K(X + 1) - K(X + 2);
            X mod 4 == 3 -> Down(X) = H(X); Down(X) = Down(X - 1) + Down(X - 2);
            Y > 1000.0 -> P(Y) = Y / (Y - Y); P(Y) = P(Y * Y + 1.5);";
    for input in ["F(30)", "G(10)", "H(2)", "K(0)", "Down(9)", "P(2.0)"] {
        let text = format!("{numbers} input {input};");
        let program = program(&text);
        let expected = interpreted(&program, Limits::default());
        assert!(expected.value.is_err(), "{input}: {expected:?}");
        agree(&text);
    }
}

/// Operators on all kinds of operands, so that none is lowered wrongly.
#[test]
fn operators_agree() {
    let numbers = [0i64, 1, 2, 3, 7, 8, 63, 64, -1, -2, -7, -8, i64::MAX, i64::MIN + 1];
    let text = "map D, M, A, T, L, R : Int # Int -> Int; M8, D8, M7, D7 : Int -> Int; var X, Y : Int;
        eqn D(X, Y) = X div Y; M(X, Y) = X mod Y; A(X, Y) = min(X, Y) - abs(X) + max(Y, -X); T(X, Y) = X * Y;
            L(X, Y) = X << Y; R(X, Y) = X >> Y;
            M8(X) = X mod 8; D8(X) = X div 8; M7(X) = X mod -7; D7(X) = X div -7;";
    let mut inputs = Vec::new();
    for a in numbers {
        inputs.extend(["M8", "D8", "M7", "D7"].map(|name| format!("{name}({a})")));
        for b in numbers {
            inputs.extend(["D", "M", "A", "T", "L", "R"].map(|name| format!("{name}({a}, {b})")));
        }
    }
    let terms = terms(&program(text));
    for input in inputs {
        // The same program, but for the input.
        let program = program(&format!("{text} input {input};"));
        let expected = interpreted(&program, Limits::default());
        assert_eq!(native(&program, &terms, Limits::default(), false), expected, "{input}");
    }
}
