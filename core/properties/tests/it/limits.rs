//! Bounds, limits and terms of any depth.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use gchr_base::stop::StopReason;
use gchr_base::watch::Watch;
use gchr_properties::{Verdict, completeness, confluence, termination};

use crate::{naturals, program};

#[test]
fn a_watch_stops_each_of_them() {
    let sum = naturals(" | Add(N, N)", "Add(Z, Y) = Y; Add(S(X), Y) = S(Add(X, Y));");
    let flag = AtomicBool::new(true);
    let watch = Watch::new().interrupt(&flag);
    assert_eq!(confluence(&sum, &watch), Err(StopReason::Interrupted));
    assert_eq!(termination(&sum, &watch), Err(StopReason::Interrupted));
    assert_eq!(completeness(&sum, &watch), Err(StopReason::Interrupted));
}

/// Systems that would take for ever are given up, and the clock is heard meanwhile.
#[test]
fn hard_systems_end_in_time() {
    // Each step doubles the term, and the ends of the overlap never meet.
    let doubling =
        naturals(" | D(N) | P(N, N)", "D(X) = P(D(P(X, X)), X); D(X) = P(X, D(X)); P(Z, X) = D(X);");
    // Rules that all overlap each other, at many places.
    let many: String = (0..60).map(|n| format!("F(F(F(S^{n}(X)))) = S^{}(F(X)); ", n % 7)).collect();
    let overlapping = naturals(" | F(N)", &many);
    // A component with many functions that no order takes apart.
    let names: Vec<String> = (0..40).map(|n| format!(" | H{n}(N, N, N)")).collect();
    let calls: String = (0..40)
        .map(|n| format!("H{n}(X, Y, V) = H{}(V, S(X), H{}(Y, X, V)); ", (n + 1) % 40, (n + 7) % 40))
        .collect();
    let circle = naturals(&names.concat(), &calls);
    for hard in [&doubling, &overlapping, &circle] {
        let limit = Duration::from_millis(300);
        let start = Instant::now();
        let watch = Watch::new().timeout(Some(limit), start);
        drop((confluence(hard, &watch), termination(hard, &watch), completeness(hard, &watch)));
        assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    }
    let found = confluence(&doubling, &Watch::new()).expect("no limit");
    assert_eq!(found.verdict, Verdict::Open);
    assert!(!termination(&circle, &Watch::new()).expect("no limit").is_shown());
}

#[test]
fn deep_terms_are_no_deep_recursion() {
    let deep = program(
        "sort N = struct Z | S(N) | F(N) | G(N); var X: N;
        eqn F(S^4000(X)) = S^4000(F(X)); G(S^3000(X)) = G(S^2999(X)); F(S^4000(F(X))) = F(X);",
    );
    let on_small_stack = std::thread::Builder::new().stack_size(256 << 10);
    let thread = on_small_stack.spawn(move || {
        let watch = Watch::new();
        (confluence(&deep, &watch), termination(&deep, &watch).expect("no limit").is_shown())
    });
    let (found, ends) = thread.expect("a thread").join().expect("no panic");
    assert!(ends && found.is_ok());
}
