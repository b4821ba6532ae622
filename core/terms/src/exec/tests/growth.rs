//! Time to compile a program to a plan and to bytecode, in proportion to its rules.

use super::*;
use gchr_testkit::growth::{TERM_PROGRAMS, ratio};

/// Eight times the rules take at most so many times as long; by the square it would be 64 times.
const MOST: f64 = 24.0;

fn compiled(program: &Program) -> usize {
    let plan = compile(program, &TermOptions::default()).expect("a plan");
    let prepared = Prepared::new(program, &plan, false);
    assert!(prepared.is_ok());
    plan.functions.len()
}

#[test]
fn large_programs_take_time_in_proportion() {
    for (name, text) in TERM_PROGRAMS {
        let found = ratio([500, 4000], |n| program(&text(n)), compiled);
        assert!(found < MOST, "{name}: {found}");
    }
}
