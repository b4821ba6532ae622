//! Constraint programs under the refined semantics on the processor.

use gchr_base::control::Control;
use gchr_base::facts::Facts;
use gchr_base::rule;
use gchr_constraints::exec::engine::{Trial, try_run};
use gchr_constraints::exec::{Outcome, Stopped, run};
use gchr_constraints::plan::ChrPlan;

use super::native;
use crate::options::Native;

/// Runs a program by its plan.
pub(crate) fn run_refined(
    rules: &rule::Program,
    plan: &ChrPlan,
    facts: &[Facts],
    wanted: Native,
    control: &mut Control<'_>,
) -> Result<Outcome, Box<Stopped>> {
    if wanted == Native::Off || control.records() || control.traces() {
        return run(rules, plan, facts, control);
    }
    if wanted == Native::Auto {
        match try_run(rules, plan, facts, control) {
            Trial::Done(done) => return *done,
            Trial::Writes => return run(rules, plan, facts, control),
            Trial::Longer => {}
        }
    }
    match native::run_constraints(rules, plan, facts, control) {
        Ok(outcome) => Ok(outcome),
        Err(Some(stopped)) => Err(stopped),
        Err(None) => run(rules, plan, facts, control),
    }
}
