//! Runs that are given up after a moment.

use std::time::Instant;

use super::Machine;
use crate::exec::code::Code;
use crate::exec::common::{self, End};
use crate::exec::{Outcome, Stopped, Store, execute};
use crate::ir::ChrPlan;
use gchr_base::control::Control;
use gchr_base::error::StopReason;
use gchr_base::facts::Facts;
use gchr_base::rule::{Program, Semantics};
use gchr_base::stats::Stats;
use gchr_base::value::Heap;

/// What came of a run that was only tried.
#[derive(Debug)]
pub enum Trial {
    /// It came to its end.
    Done(Box<Result<Outcome, Box<Stopped>>>),
    /// It takes longer. Nobody has seen anything of it.
    Longer,
    /// It cannot be tried: it writes output.
    Writes,
}

/// Firings that are tried for each occurrence of a plan: about half the time that compiling it takes.
const FIRINGS_OF_OCCURRENCE: u64 = 1 << 8;
/// The most of them for a plan, some tenths of a second.
const MOST_FIRINGS: u64 = 1 << 21;

/// Runs a program as [`run`](crate::exec::run) does, until it has looked at the control some times: for some ten
/// thousand firings, a millisecond or a few, and longer for a plan of many occurrences, which take long to compile.
pub fn try_run(program: &Program, plan: &ChrPlan, facts: &[Facts], control: &mut Control) -> Trial {
    let start = Instant::now();
    let mut heap = Heap::new();
    let (code, usable) = common::code(program, plan, &mut heap);
    if writes(&code) {
        return Trial::Writes;
    }
    let mut machine = Machine::new(program, plan, &code, heap, control);
    machine.trial = Some(looks(plan));
    let result = match usable {
        Ok(()) => execute(&mut machine, facts),
        Err(reason) => Err(machine.stop(reason)),
    };
    if result.as_ref().is_err_and(|stop| stop.reason == given_up()) {
        return Trial::Longer;
    }
    let (progress, peak) = (machine.progress(), machine.peak);
    let store = Store { tables: machine.tables, heap: machine.heap };
    let end = End { start, semantics: Semantics::Refined, progress, peak, store };
    Trial::Done(Box::new(end.outcome(result, Stats::default())))
}

/// How often a trial looks at the control before it is over.
fn looks(plan: &ChrPlan) -> u32 {
    let firings = (plan.occurrences.len() as u64 * FIRINGS_OF_OCCURRENCE).min(MOST_FIRINGS);
    firings.div_ceil(super::FIRINGS).max(1) as u32
}

/// Whether a program has goals that write.
fn writes(code: &Code) -> bool {
    code.ins.iter().any(|ins| ins.writes())
}

/// The reason of the stop of a trial.
pub(super) fn given_up() -> StopReason {
    StopReason::Internal { what: "a trial is over".into() }
}
