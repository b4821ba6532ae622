//! The code that `tasks` generates for a small program, without the text of the templates.

use gchr_kernels_terms::tasks::kernels::{Tuning, kernels};
use gchr_kernels_terms::templates::ALL;
use gchr_terms::plan::{TermOptions, compile};
use gchr_testkit::programs;
use gchr_testkit::templates::generated_functions;

/// A call that another waits for, a loop, numbers that can overflow, cells that are built and taken apart.
const SMALL: &str = "sort Nat = struct Zero() | S(Nat);
    map Sum: Nat -> Int; Plus: Nat # Nat -> Nat;
    var X, Y: Nat;
    eqn Sum(Zero()) = 0; Sum(S(X)) = Sum(X) + 1;
        Plus(Zero(), Y) = Y; Plus(S(X), Y) = Plus(X, S(Y));
    input Sum(Plus(S(Zero()), S(Zero())));";

#[test]
fn code_of_tasks() {
    for (name, counts) in [("tasks_compact", false), ("tasks_queue", true)] {
        let (sources, program) = programs::terms("small.trs", SMALL);
        let plan = compile(&program, &TermOptions::tasks(counts)).expect("the plan compiles");
        let tuning = Tuning { compact: !counts, ..Tuning::default() };
        let made = programs::made(kernels(&plan, &program, &sources, tuning), &sources);
        insta::assert_snapshot!(name, generated_functions(&made.module, &ALL));
    }
}
