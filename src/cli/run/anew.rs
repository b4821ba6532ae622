//! Runs over ground stores that stopped because an integer needs more than 64 bits begin anew where integers have any
//! size, as they have in Prolog systems.

use gchr::base::op::ArithmeticError;
use gchr::base::reading::is_stdin;
use gchr::base::rule::Semantics;
use gchr::base::stop::StopReason;
use gchr::{CompileOptions, Failure, Language, Program};

use super::args::Args;

/// Whether the logic machine runs a program anew that stopped so: nothing was shown, and all texts can be read again.
pub fn begins_anew(args: &Args, program: &Program, options: &CompileOptions, failure: &Failure) -> bool {
    let read_once = is_stdin(&args.program.file) || args.facts.iter().any(|(_, file)| is_stdin(file));
    let is_watched = args.trace || args.profile.is_some();
    let is_ground = program.language() == Language::Constraints && !program.is_logic();
    exceeds_words(failure)
        && is_ground
        && program.semantics(options) == Semantics::Refined
        && !program.writes()
        && !is_watched
        && !read_once
}

/// Whether a run stopped at a result that is an integer, and no float.
fn exceeds_words(failure: &Failure) -> bool {
    match failure.error.as_ref().map(|error| &error.reason) {
        Some(StopReason::Arithmetic { error: ArithmeticError::Overflow, operands, .. }) => {
            operands.iter().all(|operand| operand.parse::<i64>().is_ok())
        }
        _ => false,
    }
}
