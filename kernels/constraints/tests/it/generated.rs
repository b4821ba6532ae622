//! The code that rounds generate for a small program, without the text of the templates.

use gchr_constraints::plan::{RoundsOptions, compile_rounds};
use gchr_kernels_constraints::generate::kernels;
use gchr_kernels_constraints::templates::ALL;
use gchr_testkit::programs;
use gchr_testkit::templates::generated_functions;

/// A table of which each row is there once, and a rule with two heads, a guard and a sum that can overflow.
const SMALL: &str = ":- chr_constraint run(+int, +int), done(+int).
set  @ done(X) \\ done(X) <=> true.
pair @ run(N, A), run(N, B) <=> A < B | M is N + 1, run(M, A), done(B).
?- run(1, 2), run(1, 3).
";

#[test]
fn code_of_rounds() {
    let (sources, program) = programs::constraints("small.chr", SMALL);
    let plan = compile_rounds(&program, RoundsOptions::default()).expect("the plan compiles");
    let made = programs::made(kernels(&program, &plan, &sources), &sources);
    insta::assert_snapshot!("rounds", generated_functions(&made.module, &ALL));
}
