//! Whole runs of small systems, compared with a naive rewriter.

mod limits;
mod peers;
mod random;
mod reference;

use super::*;
use crate::plan::term::testing::program;
use crate::plan::term::{TermOptions, compile};
use crate::rule::Start;

/// Runs the input of a program with given options.
fn run_text(text: &str, options: TermOptions, stress: bool) -> (String, Stats) {
    let program = program(text);
    let plan = compile(&program, &options).unwrap_or_else(|e| panic!("{e:?}"));
    let Start::Term(Some(input)) = &program.start else { panic!("no input") };
    let mut control = Control::default();
    let out = run_with(&program, &plan, input, &mut control, stress)
        .unwrap_or_else(|e| panic!("{:?}\n{plan}", e.error));
    (out.normal_form.to_text(), out.stats)
}
