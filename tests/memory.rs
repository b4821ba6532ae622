//! Every executor with an allocator that fails on purpose, and under a bound of the process. In a binary of its own,
//! for its global allocator.

use std::alloc::{GlobalAlloc, Layout, System};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use gchr::base::memory::{self, Allocator};
use gchr::base::rule::Semantics;
use gchr::{
    BatchLine, BatchOptions, CompileOptions, Control, Device, Diagnostics, Executable, Input, Limits,
};
use gchr::{Language, Program, Schedule, Scheduler};

#[global_allocator]
static ALLOCATOR: Allocator<Failing> = Allocator::over(Failing);

/// The system's allocator, but for the requests that are to fail.
struct Failing;

/// Requests until one fails, when they are counted.
static UNTIL: AtomicI64 = AtomicI64::new(i64::MAX);
static COUNTS: AtomicBool = AtomicBool::new(false);
/// Whether all after it fail, too.
static FOR_EVER: AtomicBool = AtomicBool::new(false);
/// The most that the process ever had in use.
static PEAK: AtomicU64 = AtomicU64::new(0);

fn fails() -> bool {
    PEAK.fetch_max(memory::in_use(), Ordering::Relaxed);
    if !COUNTS.load(Ordering::Relaxed) {
        return false;
    }
    let left = UNTIL.fetch_sub(1, Ordering::Relaxed);
    left == 0 || left < 0 && FOR_EVER.load(Ordering::Relaxed)
}

// SAFETY: the system's allocator, or no memory.
unsafe impl GlobalAlloc for Failing {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        if fails() { std::ptr::null_mut() } else { unsafe { System.alloc(layout) } }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        if fails() { std::ptr::null_mut() } else { unsafe { System.alloc_zeroed(layout) } }
    }
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as the caller promises.
        if fails() { std::ptr::null_mut() } else { unsafe { System.realloc(block, layout, size) } }
    }
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(block, layout) }
    }
}

/// Requests of all threads are counted, so one test runs at a time.
fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does something while the request after so many fails; says how many there were.
fn failing<T>(after: i64, for_ever: bool, work: impl FnOnce() -> T) -> (T, i64) {
    FOR_EVER.store(for_ever, Ordering::Relaxed);
    UNTIL.store(after, Ordering::Relaxed);
    COUNTS.store(true, Ordering::Relaxed);
    let done = work();
    COUNTS.store(false, Ordering::Relaxed);
    (done, after - UNTIL.load(Ordering::Relaxed))
}

const TERMS: &str = "
sort List = struct Nil() | Cons(Int, List);
map Sort: List -> List; Even: List -> List; Odd: List -> List; Merge: List # List -> List; Down: Int -> List;
var X, Y, N: Int; L, M: List;
eqn Sort(Nil()) = Nil(); Sort(Cons(X, Nil())) = Cons(X, Nil()); Sort(L) = Merge(Sort(Even(L)), Sort(Odd(L)));
    Even(Nil()) = Nil(); Even(Cons(X, L)) = Cons(X, Odd(L)); Odd(Nil()) = Nil(); Odd(Cons(X, L)) = Even(L);
    Merge(Nil(), L) = L; Merge(L, Nil()) = L;
    X <= Y -> Merge(Cons(X, L), Cons(Y, M)) = Cons(X, Merge(L, Cons(Y, M)));
    Merge(Cons(X, L), Cons(Y, M)) = Cons(Y, Merge(Cons(X, L), M));
    Down(0) = Nil(); Down(N) = Cons(N, Down(N - 1));
input Sort(Down(40));
";

/// Terms in the store, a join, a rule with a history, and enough constraints for several threads.
const CONSTRAINTS: &str = "
:- chr_constraint make(+int), pair(+int, ?any), seen(+int), met(+int, +int).
double @ pair(N, f(X)) <=> N > 300 | pair(N, X).
once   @ pair(N, _), seen(N) ==> met(N, N).
make(0) <=> true.
make(N) <=> N > 0 | M is N - 1, pair(N, f(g(N, 0.5))), seen(N), make(M).
?- make(600).
";

fn terms() -> Program {
    Input::text(Language::Terms, "terms.trs", TERMS).parse().expect("a program")
}

fn constraints() -> Program {
    Input::text(Language::Constraints, "constraints.chr", CONSTRAINTS).parse().expect("a program")
}

fn rounds(device: Device) -> CompileOptions {
    CompileOptions { device, semantics: Some(Semantics::Rounds), ..CompileOptions::default() }
}

/// What goes wrong for want of memory says so, and nothing else goes wrong.
fn named(found: &Diagnostics) {
    assert!(!found.list().is_empty());
    for d in found.list() {
        assert!(d.code == "R0202" || d.code == "D0401", "{}: {}", d.code, d.message);
        assert!(d.help.is_some(), "{}", d.message);
    }
}

/// Runs a program with each request failing in turn, alone and with all behind it, but in at most `most` places.
fn each_request_fails(program: &Program, options: &CompileOptions, most: i64) {
    let _turn = turn();
    let executable = program.compile(options).expect("a plan");
    let run = || executable.run(&mut Control::default()).map(|outcome| outcome.to_string());
    let expected = run().expect("a result");
    let requests = failing(i64::MAX - 1, false, run).1;
    assert!(requests > 0, "nothing is allocated");
    let step = (requests / most).max(1);
    for for_ever in [false, true] {
        let mut stopped = 0;
        for after in (0..requests).step_by(step as usize) {
            match failing(after, for_ever, run).0 {
                Ok(text) => assert_eq!(text, expected, "request {after} of {requests}"),
                Err(failure) => {
                    named(&failure.diagnostics);
                    stopped += 1;
                }
            }
        }
        assert!(stopped > 0, "no run was stopped");
    }
}

#[test]
fn the_interpreter_of_terms_names_a_failed_request() {
    each_request_fails(&terms(), &CompileOptions::default(), 200);
}

#[test]
fn the_refined_executor_names_a_failed_request() {
    let options = CompileOptions { semantics: Some(Semantics::Refined), ..CompileOptions::default() };
    each_request_fails(&constraints(), &options, 200);
}

#[test]
fn rounds_name_a_failed_request() {
    each_request_fails(&constraints(), &rounds(Device::Cpu), 200);
}

#[test]
fn rounds_on_the_simulator_name_a_failed_request() {
    let program = Input::text(Language::Constraints, "small.chr", CONSTRAINTS.replace("600", "12"));
    each_request_fails(&program.parse().expect("a program"), &rounds(Device::Sim), 12);
}

#[test]
fn schedulers_of_terms_on_the_simulator_name_a_failed_request() {
    let program = Input::text(Language::Terms, "small.trs", TERMS.replace("40", "6"));
    let program = program.parse().expect("a program");
    for scheduler in [Scheduler::Tasks, Scheduler::Topology] {
        let schedule = Schedule::of(scheduler);
        let options = CompileOptions { device: Device::Sim, schedule, ..CompileOptions::default() };
        each_request_fails(&program, &options, 12);
    }
}

/// Lines of a batch by their numbers, and whether the batch ended with an error.
fn batch(executable: &Executable<'_>, terms: &str, limits: Limits) -> (Vec<BatchLine>, bool) {
    let mut lines = Vec::with_capacity(terms.len());
    let threads = NonZeroUsize::new(2).expect("two");
    let options = BatchOptions { limits, threads, ..BatchOptions::default() };
    let ran = executable.run_batch(terms.as_bytes(), "terms", &options, &mut |line| {
        lines.push(line);
        Ok(())
    });
    (lines, ran.is_err())
}

#[test]
fn a_batch_names_a_failed_request_and_goes_on() {
    let _turn = turn();
    let program = terms();
    let executable = program.compile(&CompileOptions::default()).expect("a plan");
    let text: String = (0..60).map(|n| format!("Sort(Down({}))\n", n % 20)).collect();
    let run = || batch(&executable, &text, Limits::default());
    let expected: Vec<_> =
        run().0.into_iter().map(|line| line.result.expect("a result").to_string()).collect();
    let requests = failing(i64::MAX - 1, false, run).1;
    let mut failed = 0;
    for after in (0..requests).step_by((requests / 100).max(1) as usize) {
        for for_ever in [false, true] {
            let ((lines, _), _) = failing(after, for_ever, run);
            for line in lines {
                match line.result {
                    Ok(text) => assert_eq!(text.to_string(), expected[line.number as usize - 1]),
                    Err(found) => {
                        named(&found);
                        failed += 1;
                    }
                }
            }
        }
    }
    assert!(failed > 0);
}

const MEGABYTE: u64 = 1 << 20;

/// Runs an endless program in a process that may have so much more in use than it has now; says how much it had in use
/// at most.
fn peak_under_bound(program: &Program, options: &CompileOptions, more: u64) -> u64 {
    let _turn = turn();
    let executable = program.compile(options).expect("a plan");
    let before = memory::in_use();
    memory::set_bound(before + more);
    PEAK.store(0, Ordering::Relaxed);
    let limits = Limits { memory: Some(before + more), ..Limits::default() };
    let ran = executable.run(&mut Control::new(limits));
    let peak = PEAK.load(Ordering::Relaxed).max(memory::in_use());
    memory::set_bound(u64::MAX);
    match ran {
        Ok(_) => panic!("an endless program has an end"),
        Err(failure) => named(&failure.diagnostics),
    }
    peak.saturating_sub(before)
}

/// Programs that grow in ways of their own: cells, calls that wait, rows, terms in rows, candidates of a round.
const GROWING: [(Language, &str); 6] = [
    (
        Language::Terms,
        "sort L = struct Nil() | C(L) | Grow(L); var X: L; eqn Grow(X) = Grow(C(X)); input Grow(Nil());",
    ),
    (Language::Terms, "map F: Int -> Int; var N: Int; eqn F(N) = 1 + F(N + 1); input F(0);"),
    (Language::Constraints, ":- chr_constraint c(+int). c(N) ==> M is N + 1, c(M). ?- c(0)."),
    (
        Language::Constraints,
        ":- chr_constraint c(+int, ?any). c(N, T) ==> M is N + 1, c(M, f(T, M)). ?- c(0, a).",
    ),
    (
        Language::Constraints,
        ":- chr_constraint d(+int, +int). d(N, K) ==> N > 0 | M is N - 1, A is 2 * K, B is A + 1, d(M, A), d(M, B).\n\
         ?- d(60, 1).",
    ),
    (
        Language::Constraints,
        ":- chr_constraint e(+int), p(+int, +int), n(+int). n(N) <=> N > 0 | M is N - 1, e(N), n(M).\n\
         e(X), e(Y) ==> p(X, Y). ?- n(100000).",
    ),
];

/// Programs of the logic machine that grow: constraints, cells, choices. What is told of their stores counts, too.
const GROWING_LOGIC: [&str; 3] = [
    ":- chr_constraint a(?any, ?any), b(?any, ?any). a(N, X) ==> M is N + 1, b(N, f(X, Y)), a(M, Y). ?- a(0, X).",
    ":- chr_constraint a(?any). p(N, L, X) :- M is N + 1, p(M, [Y|L], Y). ?- a(X), p(0, [], X).",
    ":- chr_constraint a(?any). p(N) :- M is N + 1, p(M). p(_). q(_) :- fail. ?- a(X), p(0), q(X).",
];

#[test]
fn a_bound_of_the_process_holds_for_the_logic_machine() {
    for (number, text) in GROWING_LOGIC.into_iter().enumerate() {
        let program = Input::text(Language::Constraints, "grows", text).parse().expect("a program");
        for more in [8, 48].map(|n| n * MEGABYTE) {
            let peak = peak_under_bound(&program, &CompileOptions::default(), more);
            let most = more + more / 10 + MEGABYTE;
            assert!(peak <= most, "program {number}: {peak} of {more}");
        }
    }
}

#[test]
fn a_bound_of_the_process_holds_for_every_executor() {
    for (number, (language, text)) in GROWING.into_iter().enumerate() {
        let program = Input::text(language, "grows", text).parse().expect("a program");
        let all = match language {
            Language::Terms => vec![CompileOptions::default()],
            Language::Constraints => {
                let refined =
                    CompileOptions { semantics: Some(Semantics::Refined), ..CompileOptions::default() };
                vec![refined, rounds(Device::Cpu)]
            }
        };
        for options in all {
            for more in [1, 24].map(|n| n * MEGABYTE) {
                let peak = peak_under_bound(&program, &options, more);
                let most = more + more / 10 + MEGABYTE;
                assert!(peak <= most, "program {number}, {options:?}: {peak} of {more}");
            }
        }
    }
}

#[test]
fn a_bound_of_the_process_holds_on_the_simulator() {
    for (number, (language, text)) in GROWING.into_iter().enumerate().filter(|(n, _)| [0, 2].contains(n)) {
        let program = Input::text(language, "grows", text).parse().expect("a program");
        let options = match language {
            Language::Terms => CompileOptions { device: Device::Sim, ..CompileOptions::default() },
            Language::Constraints => rounds(Device::Sim),
        };
        let more = 16 * MEGABYTE;
        let peak = peak_under_bound(&program, &options, more);
        // The simulator keeps all kernels of a program, those too that only a run short of memory needs.
        let kernels = 2 * MEGABYTE;
        assert!(peak <= more + more / 10 + kernels, "program {number}: {peak} of {more}");
    }
}
