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

/// Runs a program as [`run`](crate::exec::run) does, for about as long as it takes until it looks at the control for
/// the first time: some thousand firings, a millisecond or a few.
pub fn try_run(program: &Program, plan: &ChrPlan, facts: &[Facts], control: &mut Control) -> Trial {
    let start = Instant::now();
    let mut heap = Heap::new();
    let (code, usable) = common::code(program, plan, &mut heap);
    if writes(&code) {
        return Trial::Writes;
    }
    let mut machine = Machine::new(program, plan, &code, heap, control);
    machine.is_trial = true;
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

/// Whether a program has goals that write.
fn writes(code: &Code) -> bool {
    code.ins.iter().any(|ins| ins.writes())
}

/// The reason of the stop of a trial.
pub(super) fn given_up() -> StopReason {
    StopReason::Internal { what: "a trial is over".into() }
}
