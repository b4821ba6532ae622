//! Run-time errors: why a run stopped before its result, where, and how far it got.

use crate::diagnostic::Diagnostic;
use crate::op::ArithmeticError;
use crate::rule::{Program, RuleId};
use crate::source::Span;
use crate::stop::Progress;
use crate::units::bytes;

pub use crate::stop::StopReason;

/// A run that stopped before its result.
#[derive(Clone, PartialEq, Debug)]
pub struct RunError {
    /// Why.
    pub reason: StopReason,
    /// In which rule; `None` in the query or the input, or when it does not matter.
    pub rule: Option<RuleId>,
    /// Where in the source.
    pub span: Option<Span>,
    /// How far it got.
    pub progress: Progress,
}

impl RunError {
    /// Exit code and diagnostics treat a failed derivation as an answer of the program, all else as an error.
    pub fn is_failure(&self) -> bool {
        self.reason == StopReason::Failed
    }

    /// The error as a diagnostic: code `R...`, place, how far the run got, which flag moves the limit.
    pub fn to_diagnostic(&self, program: &Program) -> Diagnostic {
        let step = if program.is_term_program() { "rule application" } else { "firing" };
        let plural = if self.progress.steps == 1 { "" } else { "s" };
        let far = format!("stopped after {} {step}{plural}", self.progress.steps);
        let (_, _, label, _) = self.reason.describe();
        let mut d = self.reason.to_diagnostic().note(far);
        if let Some(rule) = self.rule {
            d = d.note(format!("in {}", program.rule_name(rule)));
        }
        if let Some(span) = self.span.or_else(|| self.rule.map(|r| program.rules[r].span)) {
            d = d.label(span, label);
        }
        d
    }
}

impl StopReason {
    /// The reason as a diagnostic without a place: code `R...`, and which flag moves a limit.
    pub fn to_diagnostic(&self) -> Diagnostic {
        let (code, message, _, help) = self.describe();
        let diagnostic = Diagnostic::error(code, message);
        match help {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        }
    }

    fn describe(&self) -> (&'static str, String, &'static str, Option<String>) {
        let some = |s: &str| Some(s.to_string());
        match self {
            StopReason::Arithmetic { op, error, operands } => {
                let (code, what, help) = match error {
                    ArithmeticError::Overflow => (
                        "R0101",
                        "overflow",
                        "integers have 64 bits and floats must stay finite; use smaller numbers or reduce them (mod)",
                    ),
                    ArithmeticError::TooLarge => (
                        "R0101",
                        "overflow",
                        "integers have at most 4194304 bits; use smaller numbers or reduce them (mod)",
                    ),
                    ArithmeticError::DivisionByZero => {
                        ("R0102", "division by zero", "guard the rule against a zero divisor")
                    }
                    ArithmeticError::Type => (
                        "R0103",
                        "operand of the wrong type",
                        "guard the rule with a type test such as integer(X)",
                    ),
                    ArithmeticError::Undefined => {
                        ("R0104", "undefined result", "guard the rule against these operands")
                    }
                    ArithmeticError::Unevaluated => (
                        "R0106",
                        "a term is not evaluated on this device",
                        "evaluate it where it is built (X is ...), or run the program with --device cpu",
                    ),
                };
                let call = format!("{}({})", op.name(), operands.join(", "));
                (code, format!("{what} in {call}"), "evaluated here", some(help))
            }
            StopReason::NoRule { redex } => (
                "R0105",
                format!("no rule matches {redex}"),
                "the last rule applied before",
                some("its sort has only numbers as values: add a rule for this case"),
            ),
            StopReason::Steps { limit } => (
                "R0201",
                format!("step limit of {limit} reached"),
                "the last step was here",
                some("raise it with --max-steps N, or leave it out for no limit"),
            ),
            StopReason::Rounds { limit } => (
                "R0206",
                format!("limit of {limit} rounds reached"),
                "the last rule to fire was this one",
                some("raise it with --max-rounds N, or leave it out for no limit"),
            ),
            StopReason::Memory { limit, what } => (
                "R0202",
                format!("memory limit of {} reached by {what}", bytes(*limit)),
                "the last step was here",
                some("raise it with --memory SIZE, e.g. --memory 16G"),
            ),
            StopReason::NoMemory { what } => (
                "R0202",
                format!("the system gives no more memory for {what}"),
                "the last step was here",
                some("end other programs, or raise the limit of the process (ulimit -v) or of its container"),
            ),
            StopReason::Indices { what, limit } => (
                "R0203",
                format!("all {limit} indices for {what} are in use"),
                "the last step was here",
                some("split the input: a value has 32 bits, so --memory cannot move this limit"),
            ),
            StopReason::Timeout { limit } => (
                "R0204",
                format!("time limit of {:.3} s reached", limit.as_secs_f64()),
                "the last step was here",
                some("raise it with --timeout T, e.g. --timeout 10m"),
            ),
            StopReason::Interrupted => ("R0205", "interrupted".into(), "the last step was here", None),
            StopReason::Failed => (
                "R0301",
                "the derivation failed".into(),
                "this goal does not hold",
                some("a body goal must hold for every firing; put a condition of the rule in its guard"),
            ),
            StopReason::Column { column, value } => (
                "R0302",
                format!("{value} cannot be stored in {column}"),
                "added here",
                some("declare the column with a wider type, e.g. ?any"),
            ),
            StopReason::Thrown { message } => (
                "R0304",
                message.clone(),
                "while this ran",
                some("catch/3 catches errors; --trace shows which rules fired before"),
            ),
            StopReason::Internal { what } => (
                "I0401",
                format!("internal error: {what}"),
                "in this run",
                some("this is a bug of gchr, not of the program; please report it with the program"),
            ),
            StopReason::OutputSize { limit } => (
                "R0207",
                format!("output limit of {} reached", bytes(*limit)),
                "written here",
                some("raise it with --max-output SIZE, or leave it out for no limit"),
            ),
            StopReason::Lost { what } => (
                "R0305",
                format!("workers are lost: {what}"),
                "the last step was here",
                some("look at what ended them, and run the job again"),
            ),
            StopReason::Checkpoint { what } => {
                ("R0306", format!("the checkpoint fails: {what}"), "the last step was here", None)
            }
            StopReason::Output { message } => {
                ("R0303", format!("output cannot be written: {message}"), "written here", None)
            }
        }
    }
}
