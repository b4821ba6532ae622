//! Runs that are stopped: at every step, by a flag, by time, by memory; deep suspension; errors; ids, indexes and
//! columns that change while native code runs.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use gchr_base::error::StopReason;

use super::*;

const HEAD: &str = ":- use_module(library(chr)).\n";

const CLOSURE: &str = ":- chr_constraint edge(+dense_int, +dense_int), path(+dense_int, +dense_int).
    edge(X, Y) \\ edge(X, Y) <=> true.
    path(X, Y) \\ path(X, Y) <=> true.
    edge(X, Y) ==> path(X, Y).
    edge(X, Y), path(Y, Z) ==> path(X, Z).
    ?- edge(1, 2), edge(2, 3), edge(3, 1), edge(3, 4), edge(5, 1).";

const REMOVING: &str = ":- chr_constraint a(+int, +int), b(+int), c(+int, +int), go(+int).
    go(0) <=> true.
    go(N) <=> N > 0 | X is N mod 5, Y is N mod 3, a(X, Y), b(X), M is N - 1, go(M).
    a(X, Y), b(X) \\ a(X, Z) <=> Y > Z | c(Y, Z).
    c(X, Y), b(X) ==> X < 2 | Z is X + 1, b(Z), a(Z, Y).
    a(X, Y) \\ b(Y), b(X) <=> X =\\= Y | c(X, X).
    ?- go(14).";

/// Terms, a history, output, and every kind of column.
const TERMS: &str = ":- chr_constraint t(?any), n(+float, +atom), p(?any, +int), q(+int), go(+int).
    t(f(X, Y)) ==> t(X), t(Y).
    t(X) \\ t(X) <=> true.
    p(X, N) # passive, q(N) ==> t(f(X, g(N))).
    n(X, a) <=> X < 40.0 | Y is X * 1.5, n(Y, a).
    n(X, A) ==> write(X), write(' '), write(A), nl.
    go(0) <=> n(1.25, a), n(3.5, b).
    go(N) <=> N > 0 | M is N mod 4, p(h(N), M), q(M), K is N - 1, go(K).
    ?- t(f(f(1, b), \"text\")), go(9).";

fn text(of: &str) -> String {
    format!("{HEAD}{of}")
}

#[test]
fn every_step_limit_is_exact() {
    for of in [CLOSURE, REMOVING, TERMS] {
        let Some(program) = load(&text(of), None) else { panic!("{of}") };
        let whole = agree(&program, Limits::default(), of);
        let firings = whole.firings.expect("a count");
        assert!(firings > 10 && whole.error.is_none(), "{whole:?}");
        for max in 0..=firings + 1 {
            let limits = Limits { max_steps: Some(max), ..Limits::default() };
            agree(&program, limits, &format!("--max-steps {max}\n{of}"));
        }
    }
}

#[test]
fn errors_are_those_of_the_interpreter() {
    let numbers = ":- chr_constraint f(+int), g(+int, +int), h(+natural), k(?any), s(+int), w(+int).
        f(X) <=> X > 3 | Y is X * 4611686018427387904, f(Y).
        f(X) ==> X < 0, 1 =:= 7 // (X + 2) | true.
        f(X) <=> Y is X + 9223372036854775806, g(Y, X).
        g(X, Y), g(Y, Z) ==> X - Z > 5, X mod Z =:= 0 | f(X).
        g(X, 7) <=> Z is X - 100, h(Z).
        k(X) <=> number(X) | Y is X + 1, s(Y).
        s(X) <=> Y is gcd(X, 6) ** 70, w(Y).
        w(X) <=> X > 1, fail.
        w(1) <=> Y is 1 << 70, w(Y).";
    let queries = [
        "f(4)",
        "f(-2)",
        "f(2)",
        "f(-3)",
        "g(3, 7)",
        "g(300, 7)",
        "g(10, 4), g(4, 0)",
        "k(2.5)",
        "k(3)",
        "k(a)",
        "s(6)",
        "w(0)",
        "w(1)",
        "f(1), fail",
        "X is 1 // 0, f(X)",
    ];
    let mut errors = 0;
    for query in queries {
        let Some(program) = load(&text(numbers), Some(query)) else { continue };
        let came = agree(&program, Limits::default(), query);
        errors += usize::from(came.error.is_some());
    }
    assert!(errors >= 6, "{errors} errors");
}

/// Suspended activations are bounded by memory only.
#[test]
fn depth_is_bounded_by_memory() {
    let deep = ":- chr_constraint d(+int), e(+int).
        d(N) ==> N > 0 | M is N - 1, d(M), e(M).
        e(N), e(N) <=> fail.";
    let program = program(&text(deep), Some("d(100000)"));
    agree(&program, Limits::default(), deep);
    let limits = Limits { memory: Some(12 << 20), ..Limits::default() };
    let came = native(&program, limits);
    let error = came.error.expect("12 MiB do not suffice");
    assert!(matches!(error.reason, StopReason::Memory { .. }), "{error:?}");
}

/// A last call takes no memory.
#[test]
fn last_calls_take_no_memory() {
    let text =
        text(":- chr_constraint l(+int), m(+int). l(0) <=> true. l(N) <=> M is N - 1, m(M). m(N) <=> l(N).");
    let program = program(&text, Some("l(3000000)"));
    let limits = Limits { memory: Some(4 << 20), ..Limits::default() };
    let came = native(&program, limits);
    assert_eq!((came.error, came.firings), (None, Some(6_000_001)));
}

#[test]
fn an_interrupt_and_a_timeout_are_heard_at_once() {
    // One that fires, and one that searches.
    let fires = ":- chr_constraint l(+int). l(N) <=> M is N + 1, l(M). ?- l(0).";
    let searches = ":- chr_constraint a(+int), go(+int).
        go(N) <=> N > 0 | a(N), M is N - 1, go(M).
        go(0), a(X), a(Y), a(Z), a(W) ==> X + Y + Z + W < 0 | a(X).
        ?- go(3000).";
    for of in [fires, searches] {
        let program = program(&text(of), None);
        let plan = compile(&program).expect("a plan");
        let flag = AtomicBool::new(false);
        let heard = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(100));
                flag.store(true, Ordering::Relaxed);
            });
            run(&program, &plan, &[], &mut Control::new(Limits::default()).interrupt(&flag))
        });
        let Err(Unfinished::Stopped(stopped)) = heard else { panic!("the run has no end") };
        assert!(matches!(stopped.error.reason, StopReason::Interrupted), "{:?}", stopped.error);
        let limits = Limits { timeout: Some(Duration::from_millis(50)), ..Limits::default() };
        let start = Instant::now();
        assert!(native(&program, limits).error.is_some());
        assert!(start.elapsed() < Duration::from_secs(5));
    }
}

#[test]
fn memory_limits_end_runs() {
    let program = program(&text(CLOSURE), Some("edge(1, 2)"));
    agree(&program, Limits { memory: Some(1 << 30), ..Limits::default() }, "enough");
    let grows = ":- chr_constraint l(+int), k(+int). l(N) <=> k(N), M is N + 1, l(M). ?- l(0).";
    let program = self::program(&text(grows), None);
    let came = native(&program, Limits { memory: Some(32 << 20), ..Limits::default() });
    let error = came.error.expect("32 MiB do not suffice");
    assert!(matches!(error.reason, StopReason::Memory { .. }), "{error:?}");
}

/// Columns get wide, grids become hash tables, and hash tables grids, while searches stand in them.
#[test]
fn tables_change_under_searches() {
    let changing = ":- chr_constraint a(+int, +int), b(+dense_int, +dense_int), c(+int), go(+int), s(+int, +int, +int, +int).
        a(X, Y) \\ a(X, Y) <=> true.
        go(0) <=> true.
        go(N) <=> N > 0 | X is N mod 7, a(X, N), b(X, N), s(X, X, X, N), M is N - 1, go(M).
        a(X, Y), b(X, Z) ==> Y > Z, Y mod 40 =:= 0 | W is 0 - Y * 100000000, a(X, W), b(Z, X).
        b(X, Y) \\ b(X, Z) <=> Z < 0 | c(Y).
        b(X, Y), c(Y) ==> Z is Y - 300, b(Z, X), V is Y * 1000000, b(V, X).
        s(A, A, B, C), s(A, A, B, D) ==> C =:= D + 7, C mod 9 =:= 0 | c(C).
        c(X) \\ c(X) <=> true.";
    let program = program(&text(changing), Some("go(220)"));
    let limits = Limits { max_steps: Some(30_000), ..Limits::default() };
    let came = agree(&program, limits, changing);
    assert!(came.firings.is_some_and(|firings| firings > 500), "{:?}", came.firings);
}
