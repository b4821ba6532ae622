//! In the place of native code, where there is none for the processor: all runs are interpreted.

use std::convert::Infallible;
use std::marker::PhantomData;
use std::num::NonZeroUsize;
use std::sync::Arc;

use gchr_base::control::Control;
use gchr_base::facts::Facts;
use gchr_base::rule::{self, GroundTerm};
use gchr_constraints::exec::Outcome;
use gchr_constraints::plan::ChrPlan;
use gchr_terms::exec::{Evaluation, NormalForm, Stopped};
use gchr_terms::plan::TermPlan;

/// Why there is no native code.
pub(super) struct Absent {
    pub why: String,
    /// Whether it was to be expected: nothing is said then, unless native code was asked for.
    pub expected: bool,
}

pub(super) fn refused() -> Option<Absent> {
    Some(Absent { why: "this gchr has no native code for the processor".into(), expected: true })
}

/// There is none.
pub(super) struct Code(Infallible);

impl Code {
    pub fn new(_: &rule::Program, _: Arc<TermPlan>) -> Result<Self, Absent> {
        refused().map_or_else(|| unreachable!("always refused"), Err)
    }

    pub fn evaluator<'a>(&'a self, _: &'a rule::Program) -> Evaluator<'a> {
        match self.0 {}
    }

    pub fn compile_ms(&self) -> f64 {
        match self.0 {}
    }
}

/// There is none.
pub(super) struct SharedCode(Infallible);

impl SharedCode {
    pub fn new(_: &rule::Program, _: Arc<TermPlan>) -> Result<Self, Absent> {
        refused().map_or_else(|| unreachable!("always refused"), Err)
    }

    pub fn run(
        &self,
        _: &rule::Program,
        _: NonZeroUsize,
        _: &GroundTerm,
        _: &mut Control<'_>,
    ) -> Result<Option<Evaluation>, Unfinished> {
        match self.0 {}
    }
}

/// There is none.
pub(super) struct Evaluator<'a>(Infallible, PhantomData<&'a ()>);

/// Why there is no normal form.
#[expect(dead_code, reason = "the interpreter names its own; nothing is evaluated here")]
pub(super) enum Unfinished {
    Stopped(Box<Stopped>),
    Refused(Infallible),
}

impl Evaluator<'_> {
    pub fn run(&mut self, _: &GroundTerm, _: &mut Control<'_>) -> Result<Evaluation, Unfinished> {
        match self.0 {}
    }

    pub fn recycle(&mut self, _: NormalForm) {
        match self.0 {}
    }
}

/// Constraint programs are interpreted.
pub(super) fn run_constraints(
    _: &rule::Program,
    _: &ChrPlan,
    _: &[Facts],
    _: &mut Control<'_>,
) -> Result<Outcome, Option<Box<gchr_constraints::exec::Stopped>>> {
    Err(None)
}
