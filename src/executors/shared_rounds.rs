//! Constraint programs in rounds, on the processor, by workers that each keep a part of the store.

use std::fmt::Display;
use std::num::NonZeroUsize;

use gchr_base::control::Control;
use gchr_base::diagnostic::Diagnostic;
use gchr_base::rule::{self, Semantics};
use gchr_base::signature::ConstraintId;
use gchr_constraints::exec::Stopped;
use gchr_constraints::plan::{ChrPlan, compile_rounds, differences};
use gchr_constraints::rounds::checkpoint::Checkpoints;
use gchr_constraints::rounds::workers::{Job, Ran, Undividable, WorkerProgram, run_local, run_over};

use crate::executor::{Compiled, Executor, Finished, StoppedRun, Unfinished};
use crate::options::{CompileOptions, Device, Firing, Workers};
use crate::output::Answer;
use crate::program::{Language, Program};
use crate::team;

/// Workers in one process, or in several.
pub(crate) struct SharedRounds;

struct SharedRoundsProgram {
    plan: ChrPlan,
    shared: WorkerProgram,
    workers: Workers,
}

impl Executor for SharedRounds {
    fn runs(&self, program: &Program, options: &CompileOptions) -> bool {
        program.language() == Language::Constraints
            && program.semantics(options) == Semantics::Rounds
            && options.device == Device::Cpu
            && options.workers != Workers::Alone
    }

    fn compile(
        &self,
        program: &Program,
        options: &CompileOptions,
    ) -> Result<Box<dyn Compiled>, Vec<Diagnostic>> {
        let (plan, shared) = divide(program, options, WorkerProgram::new)?;
        Ok(Box::new(SharedRoundsProgram { plan, shared, workers: options.workers }))
    }
}

/// The plan of a program for rounds, and what each worker runs of it, which `written` writes.
pub(super) fn divide(
    program: &Program,
    options: &CompileOptions,
    written: impl FnOnce(&rule::Program, &ChrPlan) -> Result<WorkerProgram, Undividable>,
) -> Result<(ChrPlan, WorkerProgram), Vec<Diagnostic>> {
    if options.trace || options.record || options.firing != Firing::Indexed {
        let message = "workers share neither traced nor recorded runs, nor those without indexes or classes";
        let help = "leave out --trace, --profile and --firing";
        return Err(vec![Diagnostic::error("U0110", message).help(help)]);
    }
    let plan = compile_rounds(&program.rules, options.firing.plan_options())?;
    let shared = written(&program.rules, &plan).map_err(|why| undividable(&program.rules, &plan, why))?;
    Ok((plan, shared))
}

/// Programs that workers do not share.
fn undividable(rules: &rule::Program, plan: &ChrPlan, why: Undividable) -> Vec<Diagnostic> {
    let (rule, why) = match why {
        Undividable::Plan(found) => return found,
        Undividable::Rule(rule, why) => (rule, why),
    };
    let name = &plan.rules[rule].name;
    let mut heads = plan.rules[rule].heads.iter().map(|head| head.constraint);
    let why = match heads.any(|id| rules.signature.constraints[id].is_made) {
        true => "a choice in a rule makes constraints for its branches, and removes them".into(),
        false => why,
    };
    let message = format!("workers cannot share this program: {name}: {why}");
    let help = "leave out --workers and mpiexec; `gchr check --explain` shows where constraints would be";
    vec![Diagnostic::error("U0110", message).label(plan.rules[rule].span, "this rule").help(help)]
}

impl Compiled for SharedRoundsProgram {
    fn plan<'a>(&'a self, program: &'a Program) -> Box<dyn Display + 'a> {
        Box::new(self.plan.display(&program.rules))
    }

    fn warnings(&self, program: &Program) -> Vec<Diagnostic> {
        differences(&program.rules, &self.plan)
    }

    fn run(&self, program: &Program, control: &mut Control<'_>) -> Result<Finished, Unfinished> {
        self.share(program, None, control)
    }

    fn run_kept(
        &self,
        program: &Program,
        checkpoints: &dyn Checkpoints,
        control: &mut Control<'_>,
    ) -> Result<Finished, Unfinished> {
        self.share(program, Some(checkpoints), control)
    }
}

impl SharedRoundsProgram {
    fn share(
        &self,
        program: &Program,
        checkpoints: Option<&dyn Checkpoints>,
        control: &mut Control<'_>,
    ) -> Result<Finished, Unfinished> {
        if !program.has_goals() {
            return Err(Unfinished::NothingToRun);
        }
        let all = rayon::current_num_threads();
        let job = |threads| Job {
            program: &program.rules,
            plan: &self.plan,
            shared: &self.shared,
            facts: &program.facts,
            threads,
            checkpoints,
            only_sizes: false,
        };
        let run = match self.workers {
            Workers::Alone | Workers::Here(NonZeroUsize::MIN) => job(all).alone(control)?,
            Workers::Here(workers) => {
                run_local(job((all / workers).max(1)), workers, control).map_err(unfinished)?
            }
            Workers::Team => match team::on_wire(|wire| run_over(job(all), wire, control)) {
                None => return Err(Unfinished::Program(vec![team::not_joined()])),
                Some(ran) => match ran.map_err(unfinished)? {
                    Ran::Whole(whole) => whole.outcome,
                    Ran::Part => return Err(Unfinished::Elsewhere { done: true }),
                    Ran::Elsewhere => return Err(Unfinished::Elsewhere { done: false }),
                },
            },
        };
        Ok(Finished { answer: Answer::Store(run.store), stats: run.stats, report: None })
    }
}

/// A run that stopped. Where each worker has but a part of the store, there is none to show.
pub(super) fn unfinished(stopped: Box<Stopped>) -> Unfinished {
    let has_store = stopped.store.has_table(ConstraintId(0));
    match Unfinished::from(stopped) {
        Unfinished::Stopped(run) if !has_store => {
            Unfinished::Stopped(Box::new(StoppedRun { left: None, ..*run }))
        }
        other => other,
    }
}
