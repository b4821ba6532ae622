//! What every engine on the processor has of a run: the heap, the control, the count of rule applications, and its
//! errors.

use crate::exec::compare::{self, Comparison};
use crate::exec::heap::{Full, Heap};
use crate::exec::integers::MAX_TEXT;
use crate::exec::text;
use crate::plan::{ClassId, Site, TermPlan};
use gchr_base::control::{Control, Progress};
use gchr_base::error::{RunError, StopReason};
use gchr_base::ids::Id;
use gchr_base::op::{ArithmeticError, Op};
use gchr_base::rule::{Program, RuleId};
use gchr_base::signature::{Notation, SortId, SymbolId};
use gchr_base::source::Span;

/// Pairs of cells that are compared between two looks at the limits.
pub const COMPARED: usize = 1 << 16;

/// Poll interval in rule applications.
const CHUNK: u64 = 1 << 18;
/// Characters of a redex that a trace line shows.
const TRACE_WIDTH: usize = 200;

/// A run. Its engine takes fuel, one for each rule application, until there is none left, and then asks for more.
pub struct Run<'a, 'c> {
    /// The program.
    pub program: &'a Program,
    /// Its plan.
    pub plan: &'a TermPlan,
    /// All cells.
    pub heap: Heap,
    /// Limits, progress and the rest of what the caller sees.
    pub control: &'a mut Control<'c>,
    /// Values outside of the engine that the collector must keep: those of the start term.
    pub values: Vec<(SortId, u64)>,
    /// Of how many terms that are evaluated together the values are those that had one when an error ended the run; 0
    /// where it was one term.
    pub(super) terms: usize,
    /// Fuel granted last, and applications before that.
    granted: i64,
    before: u64,
    /// After so many applications the run is given up, if it is only tried.
    trial: Option<u64>,
    gave_up: bool,
}

/// Why an engine stops.
pub struct Stop {
    /// Why.
    pub reason: StopReason,
    /// In which rule, if that is known.
    pub rule: Option<RuleId>,
    /// Where, if that is known.
    pub span: Option<Span>,
}

impl From<StopReason> for Stop {
    fn from(reason: StopReason) -> Self {
        Self { reason, rule: None, span: None }
    }
}

impl<'a, 'c> Run<'a, 'c> {
    /// A run that has not begun.
    pub fn new(program: &'a Program, plan: &'a TermPlan, heap: Heap, control: &'a mut Control<'c>) -> Self {
        let values = Vec::new();
        let mut run = Self {
            program,
            plan,
            heap,
            control,
            values,
            terms: 0,
            granted: 0,
            before: 0,
            trial: None,
            gave_up: false,
        };
        run.grant();
        run.record(run.granted);
        run
    }

    /// The values that several terms had when an error ended the run, and how many terms they are of.
    pub fn results(&mut self) -> (Vec<(SortId, u64)>, usize) {
        (std::mem::take(&mut self.values), self.terms)
    }

    /// The same, given up after so many applications.
    pub(super) fn tried(mut self, trial: Option<u64>) -> Self {
        self.trial = trial;
        self.grant();
        self
    }

    fn grant(&mut self) {
        let chunk = self.trial.map_or(CHUNK, |trial| trial.saturating_sub(self.before).min(CHUNK));
        self.granted = self.control.fuel(self.before, chunk) as i64;
    }

    /// The fuel to begin with.
    pub fn granted(&self) -> i64 {
        self.granted
    }

    /// Adds rule applications that were not paid for with fuel.
    pub fn count(&mut self, applications: u64) {
        self.before += applications;
    }

    /// Whether the run was tried only, and has been given up.
    pub(super) fn gave_up(&self) -> bool {
        self.gave_up
    }

    /// Rule applications so far. What was computed beyond the step limit, up to the place where that was noticed, has
    /// not happened: the order of rule applications is fixed, and nobody has seen more of them.
    pub fn steps(&self, fuel: i64) -> u64 {
        self.progress(fuel).steps
    }

    /// Rule applications that have been computed.
    pub fn computed(&self, fuel: i64) -> u64 {
        self.before.saturating_add_signed(self.granted - fuel)
    }

    /// The step limit, if more rule applications have been computed than it allows.
    pub fn exceeded(&self, fuel: i64) -> Option<u64> {
        self.control.limits().max_steps.filter(|&limit| self.computed(fuel) > limit)
    }

    fn progress(&self, fuel: i64) -> Progress {
        let steps = self.exceeded(fuel).unwrap_or_else(|| self.computed(fuel));
        Progress { steps, bytes: self.heap.bytes(), live: self.heap.cells_in_use() }
    }

    /// Reports the progress of the run.
    pub fn record(&mut self, fuel: i64) {
        let now = self.progress(fuel);
        if let Some(recorder) = self.control.recorder() {
            recorder.collected(self.heap.collections);
            recorder.point(now);
        }
    }

    /// A run that ends with exactly as many steps as are allowed is within the limit.
    pub fn poll(&mut self, fuel: i64) -> Result<(), StopReason> {
        if let Some(recorder) = self.control.recorder() {
            recorder.collected(self.heap.collections);
        }
        let now = self.progress(fuel);
        match self.control.poll(now) {
            Err(StopReason::Steps { .. }) if self.exceeded(fuel).is_none() => Ok(()),
            result => result,
        }
    }

    /// More fuel, when there is none left.
    pub fn refuel(&mut self, fuel: i64) -> Result<i64, StopReason> {
        self.poll(fuel)?;
        self.before = self.computed(fuel);
        if self.trial.is_some_and(|trial| self.before > trial) {
            self.gave_up = true;
            return Err(StopReason::Interrupted);
        }
        self.grant();
        Ok(self.granted)
    }

    /// To be called regularly by work that applies no rules: reports progress, and stops at the limits of time and at
    /// interrupts.
    pub fn watch(&mut self, fuel: i64) -> Result<(), RunError> {
        let now = self.progress(fuel);
        match self.control.poll(now) {
            Err(reason) if !matches!(reason, StopReason::Steps { .. }) => {
                Err(self.error(fuel, reason.into()))
            }
            _ => Ok(()),
        }
    }

    /// The step limit is exceeded, even if the run is done.
    pub fn over_limit(&self, fuel: i64) -> Option<RunError> {
        let limit = self.exceeded(fuel)?;
        Some(self.error(fuel, StopReason::Steps { limit }.into()))
    }

    /// A run error from the reason to stop.
    pub fn error(&self, fuel: i64, stop: Stop) -> RunError {
        let Stop { mut reason, rule, mut span } = stop;
        // Whatever came behind the last application that is allowed.
        if let Some(limit) = self.exceeded(fuel) {
            (reason, span) = (StopReason::Steps { limit }, None);
        }
        RunError { reason, rule, span, progress: self.progress(fuel) }
    }

    /// Whether two values of a sort are structurally equal; large ones are compared with a look at limits and signals
    /// in between.
    pub fn same(&mut self, sort: SortId, a: u32, b: u32, fuel: i64) -> Result<bool, StopReason> {
        if let Some(known) = compare::at_once(&self.plan.layout, &self.heap, sort, a, b) {
            return Ok(known);
        }
        let mut comparison = Comparison::new(sort, a, b);
        loop {
            match comparison.advance(&self.plan.layout, &self.heap, COMPARED) {
                Some(same) => return Ok(same),
                None => self.poll(fuel)?,
            }
        }
    }

    /// The reason to stop when there is no cell of a class.
    pub fn full(&self, full: Full, class: usize) -> StopReason {
        self.heap.stop_reason(full, &self.plan.layout, ClassId::from_index(class))
    }

    /// The value of an operation on integers of any size.
    pub(super) fn big_integer(&mut self, op: Op, a: u64, b: u64) -> Result<u64, StopReason> {
        let size = self.heap.integers().size_of(op, a, b);
        if size.is_ok_and(|size| size > self.heap.free()) {
            let what = "integers of any size".into();
            return Err(StopReason::Memory { limit: self.heap.memory(), what });
        }
        size.and_then(|_| self.heap.compute(op, a, b)).map_err(|error| {
            let operands = self.heap.integers().shown_operands(op, [a, b]);
            StopReason::Arithmetic { op, error, operands }
        })
    }

    /// An operation on numbers without a result.
    pub fn arithmetic(
        op: Op,
        site: Site,
        float: bool,
        error: ArithmeticError,
        operands: impl IntoIterator<Item = u64>,
    ) -> Stop {
        let show = |v: u64| if float { text::float(f64::from_bits(v)) } else { v.cast_signed().to_string() };
        let operands = operands.into_iter().take(op.arity()).map(show).collect();
        let reason = StopReason::Arithmetic { op, error, operands };
        Stop { reason, rule: Some(site.rule), span: Some(site.span) }
    }

    /// An operation on a value of the wrong type.
    pub fn type_error(&self, op: Op, site: Site, sort: SortId, value: u64) -> Stop {
        let operand = text::bounded(&self.plan.layout, &self.heap, sort, value, TRACE_WIDTH);
        let reason = StopReason::Arithmetic { op, error: ArithmeticError::Type, operands: vec![operand] };
        Stop { reason, rule: Some(site.rule), span: Some(site.span) }
    }

    /// An application as text, its arguments cut when they are long.
    pub fn application(&self, symbol: SymbolId, args: impl IntoIterator<Item = (SortId, u64)>) -> String {
        self.written(symbol, args, TRACE_WIDTH)
    }

    /// The normal form that an application of the sort of integers is that no rule matches: where integers have any
    /// size, it lies in their table.
    pub(super) fn no_value(
        &mut self,
        symbol: SymbolId,
        args: impl IntoIterator<Item = (SortId, u64)>,
    ) -> Option<u64> {
        if !self.plan.layout.big_integers {
            return None;
        }
        let text = self.written(symbol, args, MAX_TEXT);
        Some(self.heap.put_application(text))
    }

    /// Why a comparison that one of its sides is no number for has no result.
    #[cold]
    pub(super) fn no_number(&self, op: Op, a: u64, b: u64) -> StopReason {
        let redex =
            self.heap.integers().no_number(op, a, b).unwrap_or_default().chars().take(TRACE_WIDTH).collect();
        StopReason::NoRule { redex, symbol: None }
    }

    /// An application as text, its arguments cut where they take more than so many characters.
    fn written(
        &self,
        symbol: SymbolId,
        args: impl IntoIterator<Item = (SortId, u64)>,
        width: usize,
    ) -> String {
        let name = &self.plan.symbol_names[symbol];
        let mut left = width;
        let args: Vec<String> = args
            .into_iter()
            .map(|(sort, value)| {
                let arg = text::bounded(&self.plan.layout, &self.heap, sort, value, left);
                left = left.saturating_sub(arg.len());
                arg
            })
            .collect();
        match (self.plan.notations[symbol], args.as_slice()) {
            (_, []) => name.clone(),
            (Notation::Infix, [a, b]) => format!("({a} {name} {b})"),
            (Notation::Applied, [function, args @ ..]) => format!("{function}({})", args.join(", ")),
            _ => format!("{name}({})", args.join(", ")),
        }
    }
}
