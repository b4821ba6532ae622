//! Threads that share a run come to what one thread comes to, or say that it is to be repeated by one.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use gchr_base::control::{Control, Limits};
use gchr_base::error::StopReason;
use gchr_base::rule::Program;
use gchr_terms::plan::{TermOptions, TermPlan, compile};

use super::{Outcome, input};
use crate::terms::{SharedTerms, Unfinished};

pub(super) fn plan(program: &Program) -> TermPlan {
    compile(program, &TermOptions::default().shared()).unwrap_or_else(|e| panic!("{e:?}"))
}

/// What so many threads come to; `None`: to be repeated.
pub(super) fn shared(
    program: &Program,
    terms: &SharedTerms,
    threads: usize,
    (stress, beat): (bool, u32),
    limits: Limits,
) -> Option<Outcome> {
    let threads = NonZeroUsize::new(threads).expect("a number of threads");
    let mut workers = terms.workers(program, threads).stressed(stress, beat);
    match workers.run(input(program), &mut Control::new(limits)) {
        Ok(run) => run.map(|run| Outcome::of(Ok(run))),
        Err(Unfinished::Stopped(stopped)) => Some(Outcome::of(Err(stopped))),
        Err(Unfinished::Refused(why)) => panic!("{why}"),
    }
}

/// Threads come to a value where one thread does, and never to another one.
pub(super) fn agree(program: &Program, expected: &Outcome, limits: Limits, text: &str) {
    let terms = SharedTerms::new(program, Arc::new(plan(program))).expect("executable memory");
    for (threads, stress, beat) in [(1, false, 1), (3, true, 1), (3, false, 1), (2, false, 100)] {
        let found = shared(program, &terms, threads, (stress, beat), limits);
        match (&found, &expected.value) {
            (Some(found), _) => assert_eq!(found, expected, "{threads} threads, stress {stress}\n{text}"),
            (None, Ok(_)) => panic!("{threads} threads come to no value, stress {stress}\n{text}"),
            (None, Err(_)) => {}
        }
    }
}

/// Work that is worth sharing: trees, lists, numbers, holes that other threads fill, calls with many siblings.
const SHARED: [&str; 7] = [
    "map F: Int -> Int; var N: Int; eqn N < 2 -> F(N) = N; F(N) = F(N - 1) + F(N - 2); input F(17);",
    "map F: Int -> Float; var N: Int; eqn N < 2 -> F(N) = 0.5; F(N) = F(N - 1) + F(N - 2) + F(N - 2); input F(11);",
    "sort N = struct Z | S(N); T = struct L | B(T, T); map G: N -> T; M: T -> T; D: T -> N;
     map A: N # N -> N; var X, Y: N; P, Q: T;
     eqn G(Z) = L; G(S(X)) = B(G(X), G(X)); M(L) = L; M(B(P, Q)) = B(M(Q), M(P));
         A(Z, X) = X; A(S(X), Y) = S(A(X, Y)); D(L) = S(Z); D(B(P, Q)) = A(D(P), D(Q));
     input D(M(M(G(S^9(Z)))));",
    "sort N = struct Z | S(N); Q = struct L(N) | C(Q, Q, Q, Q); map G: N -> Q; M: Q # N -> Q; W: N -> N;
     var X, Y: N; A, B, E, F: Q;
     eqn G(Z) = L(Z); G(S(X)) = C(G(X), G(X), L(S(X)), G(X)); W(Z) = S(Z); W(S(X)) = S(W(X));
         M(L(X), Y) = L(W(X)); M(C(A, B, E, F), Y) = C(M(F, W(Y)), M(E, Y), M(B, W(Y)), M(A, Y));
     input M(G(S^5(Z)), Z);",
    "sort L = struct E | C(Int, L); map R: Int -> L; M: L -> L; H: Int -> Int; var N: Int; X: L;
     eqn R(0) = E; R(N) = C(H(N), R(N - 1)); N < 2 -> H(N) = N; H(N) = H(N div 2) + H(N div 3);
         M(E) = E; M(C(N, X)) = C(H(N + 100), M(X));
     input M(R(200));",
    "sort N = struct Z | S(N); T = struct L(N) | B(T, T, N); map F: N -> T; var X: N;
     eqn F(Z) = L(Z); F(S(Z)) = B(F(Z), F(Z), Z); F(S(S(X))) = B(B(F(X), F(S(X)), X), F(S(X)), S(X));
     input F(S^9(Z));",
    "sort T = struct L(Int) | B(T, T); map G: Int # Int -> T; S: T -> Int; E: T # T -> Bool; var I, J: Int; P, Q: T;
     eqn I == J -> G(I, J) = L(I); G(I, J) = B(G(I, (I + J) div 2), G((I + J) div 2 + 1, J));
         S(L(I)) = I; S(B(P, Q)) = S(P) + S(Q) * 3; E(P, Q) = P == Q;
     input E(G(0, 511), G(0, 511));",
];

#[test]
fn calls_are_handed_over_and_come_back() {
    for text in SHARED {
        let program = super::program(text);
        let expected = super::interpreted(&program, Limits::default());
        assert!(expected.value.is_ok(), "{:?}\n{text}", expected.value);
        agree(&program, &expected, Limits::default(), text);
        let terms = SharedTerms::new(&program, Arc::new(plan(&program))).expect("executable memory");
        let mut workers = terms.workers(&program, NonZeroUsize::MIN).stressed(false, 1);
        let run = workers.run(input(&program), &mut Control::default()).expect("a run").expect("a value");
        assert!(run.stats.handed_over > Some(5), "{:?}\n{text}", run.stats.handed_over);
    }
}

/// Threads whose runs of free cells are long when they collect, with little memory.
#[test]
fn collections_end_all_runs_of_free_cells() {
    let text = "sort N = struct Z | S(N); T = struct L(Int) | B(T, T); map G: N # Int -> T; M: T -> T; R: N # T -> T;
        var X: N; I: Int; P, Q: T;
        eqn G(Z, I) = L(I); G(S(X), I) = B(G(X, I * 2), G(X, I * 2 + 1)); M(L(I)) = L(I + 1); M(B(P, Q)) = B(M(Q), M(P));
            R(Z, P) = P; R(S(X), P) = R(X, M(P));
        input R(S^800(Z), G(S^12(Z), 1));";
    let program = super::program(text);
    let limits = Limits { memory: Some(16 << 20), ..Limits::default() };
    let expected = super::interpreted(&program, limits);
    let terms = SharedTerms::new(&program, Arc::new(plan(&program))).expect("executable memory");
    for threads in [1, 2, 3] {
        let mut workers =
            terms.workers(&program, NonZeroUsize::new(threads).expect("threads")).stressed(false, 200);
        let run = workers.run(input(&program), &mut Control::new(limits)).expect("a run").expect("a value");
        assert!(run.stats.collections > Some(2), "{:?}", run.stats.collections);
        assert!(Outcome::of(Ok(run)) == expected, "{threads} threads");
    }
}

/// What one thread is stopped by: time and signals stop the others, too, everything else is left to one thread.
#[test]
fn limits_and_signals_reach_all_threads() {
    let endless = "sort N = struct Z | S(N); map F: N -> N; G: N # N -> N; var X, Y: N;
        eqn F(X) = G(F(S(X)), F(X)); G(X, Y) = X; input F(Z);";
    let wide =
        "map F: Int -> Int; var N: Int; eqn N < 2 -> F(N) = N; F(N) = F(N - 1) + F(N - 2); input F(90);";
    for text in [endless, wide] {
        let program = super::program(text);
        let terms = SharedTerms::new(&program, Arc::new(plan(&program))).expect("executable memory");
        let run = |limits: Limits, flag: &AtomicBool| {
            let mut workers = terms.workers(&program, NonZeroUsize::new(3).expect("threads"));
            workers.run(input(&program), &mut Control::new(limits).interrupt(flag))
        };
        let stopped = |ended| match ended {
            Err(Unfinished::Stopped(stopped)) => Some(stopped.error.reason),
            Ok(None) => None,
            _ => panic!("it ends\n{text}"),
        };
        let never = AtomicBool::new(false);
        let limit = Duration::from_millis(30);
        let memory = Some(16 << 20);
        if text == wide {
            let found = stopped(run(Limits { timeout: Some(limit), memory, ..Limits::default() }, &never));
            assert_eq!(found, Some(StopReason::Timeout { limit }));
            let flag = AtomicBool::new(false);
            let found = std::thread::scope(|scope| {
                scope.spawn(|| {
                    std::thread::sleep(limit);
                    flag.store(true, Ordering::Relaxed);
                });
                stopped(run(Limits::default(), &flag))
            });
            assert_eq!(found, Some(StopReason::Interrupted));
        } else {
            assert_eq!(stopped(run(Limits { memory, ..Limits::default() }, &never)), None);
        }
        assert_eq!(
            stopped(run(Limits { max_steps: Some(100_000), memory, ..Limits::default() }, &never)),
            None
        );
    }
}

/// Many calls side by side in frames that are as small as can be, and deep recursion on each thread.
#[test]
fn offers_take_no_more_than_the_frames_that_they_lie_in() {
    let text = "sort N = struct Z | S(N); L = struct E | C(N, L); map F: N -> L; K: L # L # L # L -> L; T: Int -> N;
        D: Int -> L; var X, Y: N; I: Int; P, Q, R, O: L;
        eqn F(Z) = E; F(S(X)) = K(F(X), D(3), D(2), D(1)); K(P, Q, R, O) = C(Z, P); T(0) = Z; T(I) = S(T(I - 1));
            D(0) = E; D(I) = K(D(I - 1), D(I - 1), D(I - 1), E);
        input F(T(20000));";
    let program = super::program(text);
    let expected = super::interpreted(&program, Limits::default());
    assert!(expected.value.is_ok());
    let terms = SharedTerms::new(&program, Arc::new(plan(&program))).expect("executable memory");
    for (threads, how) in [(1, (false, 10_000)), (3, (false, 1000))] {
        let found = shared(&program, &terms, threads, how, Limits::default());
        assert!(found.as_ref() == Some(&expected), "{threads} threads");
    }
}
