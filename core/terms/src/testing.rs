//! Oracles for the tests of this workspace, behind the feature `testing`: slow, obvious, and separate from what they
//! check.

pub mod counted;

use gchr_base::control::Control;
use gchr_base::rule::{Program, Start, verify};

use crate::exec;
use crate::plan::{TermOptions, compile};

/// The normal form of the start term of a program as text, or why there is none. Panics where the program is not
/// well-formed or has no start term.
pub fn normal_form(program: &Program) -> String {
    assert_eq!(verify(program), []);
    let Start::Term(Some(start)) = &program.start else { panic!("no term") };
    let plan = compile(program, &TermOptions::default()).expect("a plan");
    match exec::run(program, &plan, start, &mut Control::default()) {
        Ok(found) => found.normal_form.to_text(),
        Err(error) => format!("{:?}", error.error.reason),
    }
}
