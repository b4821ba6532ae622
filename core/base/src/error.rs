//! Run-time errors: why a run stopped before its result, where, and how far it got.

use crate::diagnostic::Diagnostic;
use crate::limit::Limit;
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

    /// The error as a diagnostic: code `R...`, place, how far the run got, which limit was reached.
    pub fn to_diagnostic(&self, program: &Program) -> Diagnostic {
        let step = if program.is_term_program() { "rule application" } else { "firing" };
        let plural = if self.progress.steps == 1 { "" } else { "s" };
        let far = format!("stopped after {} {step}{plural}", self.progress.steps);
        let label = self.reason.words().label;
        let mut d = self.reason.to_diagnostic().note(far);
        match self.reason {
            StopReason::Arithmetic { error: ArithmeticError::Overflow, .. } if !program.is_term_program() => {
                d = d.limit(Limit::Integers);
            }
            StopReason::Failed if self.rule.is_none() => {
                d = d.help(
                    "all goals of a query must hold together: leave out the one that does not, or correct it",
                );
            }
            _ => {}
        }
        if let Some(rule) = self.rule {
            d = d.note(format!("in {}", program.rule_name(rule)));
        }
        if let Some(span) = self.span.or_else(|| self.rule.map(|r| program.rules[r].span)) {
            d = d.label(span, label);
        }
        if let StopReason::NoRule { symbol: Some(symbol), .. } = self.reason
            && let Some(span) = program.signature.symbols[symbol].span
        {
            d = d.label(span, "none of its equations matches");
        }
        d
    }
}

/// What is said of a reason to stop beside its message.
struct Words {
    code: &'static str,
    /// At the place of the last step.
    label: &'static str,
    way_out: WayOut,
}

/// What can be done about it.
enum WayOut {
    /// Nothing: it was asked for, or the message says it.
    None,
    Help(&'static str),
    /// To move a limit.
    Move(Limit),
}

fn words(code: &'static str, label: &'static str, help: &'static str) -> Words {
    Words { code, label, way_out: WayOut::Help(help) }
}

fn limit(code: &'static str, label: &'static str, limit: Limit) -> Words {
    Words { code, label, way_out: WayOut::Move(limit) }
}

/// The place of most reasons: that of the last step.
const LAST: &str = "the last step was here";

impl StopReason {
    /// The device of a worker has failed.
    pub fn device_lost(rank: usize) -> Self {
        StopReason::Lost { what: format!("the device of worker {rank} has failed") }
    }

    /// The reason as a diagnostic without a place: code `R...`, and which limit was reached.
    pub fn to_diagnostic(&self) -> Diagnostic {
        let Words { code, way_out, .. } = self.words();
        let diagnostic = Diagnostic::error(code, self.message());
        match way_out {
            WayOut::None => diagnostic,
            WayOut::Help(help) => diagnostic.help(help),
            WayOut::Move(limit) => diagnostic.limit(limit),
        }
    }

    fn message(&self) -> String {
        match self {
            StopReason::Arithmetic { op, error, operands } => {
                format!("{} in {}({})", error.what(), op.name(), operands.join(", "))
            }
            StopReason::NoRule { redex, .. } => format!("no rule matches {redex}"),
            StopReason::Comparison { sort } => {
                format!("terms of sort {sort} share so many subterms that comparing them takes too long here")
            }
            StopReason::Steps { limit } => format!("step limit of {limit} reached"),
            StopReason::Rounds { limit } => format!("limit of {limit} rounds reached"),
            StopReason::Memory { limit, what } => {
                format!("memory limit of {} reached by {what}", bytes(*limit))
            }
            StopReason::NoMemory { what } => format!("the system gives no more memory for {what}"),
            StopReason::Indices { what, limit } => format!("all {limit} indices for {what} are in use"),
            StopReason::Timeout { limit } => format!("time limit of {:.3} s reached", limit.as_secs_f64()),
            StopReason::Interrupted => "interrupted".into(),
            StopReason::Failed => "the derivation failed".into(),
            StopReason::Column { column, value } => format!("{value} cannot be stored in {column}"),
            StopReason::Thrown { message } => message.clone(),
            StopReason::Internal { what } => format!("internal error: {what}"),
            StopReason::OutputSize { limit } => format!("output limit of {} reached", bytes(*limit)),
            StopReason::Lost { what } => format!("workers are lost: {what}"),
            StopReason::Checkpoint { what } => format!("the checkpoint fails: {what}"),
            StopReason::Output { message } => format!("output cannot be written: {message}"),
        }
    }

    fn words(&self) -> Words {
        match self {
            StopReason::Arithmetic { op, error: ArithmeticError::Overflow, .. } if op.is_of_texts() => words(
                "R0101",
                "evaluated here",
                "on a GPU a text has at most 7 bytes, or is one of the program; run it with --device cpu",
            ),
            StopReason::Arithmetic { op, error: ArithmeticError::TooLarge, .. } if op.is_of_texts() => {
                words("R0101", "evaluated here", "a text has at most 67108864 bytes; use smaller ones")
            }
            StopReason::Arithmetic { error, .. } => error.words(),
            StopReason::NoRule { .. } => words(
                "R0105",
                "the last rule applied before",
                "its sort has only numbers as values: add a rule for this case",
            ),
            StopReason::Comparison { .. } => words(
                "R0107",
                "the last rule applied before",
                "run it with --device cpu, which compares the same two subterms once",
            ),
            StopReason::Steps { .. } => limit("R0201", LAST, Limit::Steps),
            StopReason::Rounds { .. } => limit("R0206", "the last rule to fire was this one", Limit::Rounds),
            StopReason::Memory { .. } => limit("R0202", LAST, Limit::Memory),
            StopReason::NoMemory { .. } => words(
                "R0202",
                LAST,
                "end other programs, or raise the limit of the process (ulimit -v) or of its container",
            ),
            StopReason::Indices { .. } => words(
                "R0203",
                LAST,
                "split the input: a value has 32 bits, so more memory does not move this limit",
            ),
            StopReason::Timeout { .. } => limit("R0204", LAST, Limit::Time),
            StopReason::Interrupted => Words { code: "R0205", label: LAST, way_out: WayOut::None },
            StopReason::Failed => words(
                "R0301",
                "this goal does not hold",
                "a body goal must hold for every firing; put a condition of the rule in its guard",
            ),
            StopReason::Column { .. } => {
                words("R0302", "added here", "declare the column with a wider type, e.g. ?any")
            }
            StopReason::Thrown { .. } => words(
                "R0304",
                "while this ran",
                "catch/3 catches errors; --trace shows which rules fired before",
            ),
            StopReason::Internal { .. } => words(
                "I0401",
                "in this run",
                "this is a bug of gchr, not of the program; please report it with the program",
            ),
            StopReason::OutputSize { .. } => limit("R0207", "written here", Limit::Output),
            StopReason::Lost { .. } => words("R0305", LAST, "look at what ended them, and run the job again"),
            StopReason::Checkpoint { .. } => Words { code: "R0306", label: LAST, way_out: WayOut::None },
            StopReason::Output { .. } => {
                Words { code: "R0303", label: "written here", way_out: WayOut::None }
            }
        }
    }
}

impl ArithmeticError {
    /// The error of a call that is named behind it.
    fn what(self) -> &'static str {
        match self {
            ArithmeticError::Overflow | ArithmeticError::TooLarge => "overflow",
            ArithmeticError::DivisionByZero => "division by zero",
            ArithmeticError::Type => "operand of the wrong type",
            ArithmeticError::Undefined => "undefined result",
            ArithmeticError::Unevaluated => "a term is not evaluated on this device",
        }
    }

    fn words(self) -> Words {
        let (code, help) = match self {
            ArithmeticError::Overflow => (
                "R0101",
                "integers have 64 bits and floats must stay finite; use smaller numbers or reduce them (mod)",
            ),
            ArithmeticError::TooLarge => {
                ("R0101", "integers have at most 4194304 bits; use smaller numbers or reduce them (mod)")
            }
            ArithmeticError::DivisionByZero => ("R0102", "guard the rule against a zero divisor"),
            ArithmeticError::Type => ("R0103", "guard the rule with a type test such as integer(X)"),
            ArithmeticError::Undefined => ("R0104", "guard the rule against these operands"),
            ArithmeticError::Unevaluated => {
                ("R0106", "evaluate it where it is built (X is ...), or run the program with --device cpu")
            }
        };
        words(code, "evaluated here", help)
    }
}
