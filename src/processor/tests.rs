//! When runs go to native code.

use gchr_base::control::{Control, Limits};
use gchr_base::rule::Start;

use super::CpuTerms;
use crate::Input;
use crate::options::CompileOptions;

/// A program that counts down from a number, with so many functions that do not run.
fn program(from: u64, others: usize) -> String {
    let others: String =
        (0..others).map(|k| format!("map F{k}: Int -> Int; eqn F{k}(N) = N * {k} + 1;\n")).collect();
    format!(
        "var N: Int; map Down: Int -> Int; eqn N > 0 -> Down(N) = Down(N - 1); Down(N) = 0;
        {others} input Down({from});"
    )
}

/// Whether runs of a program use native code, one after the other.
fn are_native(from: u64, others: usize, runs: usize) -> Vec<bool> {
    let program = Input::terms(program(from, others)).parse().expect("the program is right");
    let terms = CpuTerms::new(program.rules(), &CompileOptions::default()).expect("the plan compiles");
    let Start::Term(Some(term)) = &program.rules().start else { panic!("the program has an input") };
    let run = |_| {
        let mut control = Control::new(Limits::default());
        let done = terms.run(program.rules(), term, &mut control).expect("a normal form");
        assert_eq!(done.stats.rewrites, Some(from + 1));
        done.stats.native_ms.is_some()
    };
    (0..runs).map(run).collect()
}

#[test]
fn runs_that_take_less_time_than_their_code_are_interpreted() {
    if super::native::refused().is_some() {
        return;
    }
    assert_eq!(are_native(10_000, 0, 1), [false]);
    assert_eq!(are_native(400_000, 0, 1), [true], "a small program is compiled soon");
    assert_eq!(are_native(400_000, 200, 1), [false], "a large one later");
    assert_eq!(are_native(4_000_000, 200, 1), [true]);
    // What runs have been interpreted for counts together; then there is code.
    let together = are_native(400_000, 200, 10);
    assert!(!together[0] && together[9], "{together:?}");
    assert!(together.is_sorted(), "code that is there is used: {together:?}");
}
