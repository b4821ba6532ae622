//! Exceptions with the diagnostics that led to them.

use gchr::base::error::StopReason;
use gchr::base::limit::Limit;
use gchr::{Diagnostics, Failure, FormatError, Severity, Stats};
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyKeyboardInterrupt};
use pyo3::prelude::*;
use pyo3::types::PyDict;

create_exception!(gchr, GchrError, PyException, "What gchr refuses or cannot do; `diagnostics` says why.");
create_exception!(gchr, ProgramError, GchrError, "A program, a goal, a term or a table is wrong.");
create_exception!(gchr, TableError, ProgramError, "Data of Python is no table of values.");
create_exception!(gchr, RunError, GchrError, "A run stopped before its end; `stats` says how far it got.");

/// A finding, with the place in the text that it is about.
#[pyclass(frozen, get_all, module = "gchr")]
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// Such as `C0202`.
    code: String,
    /// `error` or `warning`.
    severity: &'static str,
    message: String,
    notes: Vec<String>,
    help: Option<String>,
    /// File, line and column from 1, and what is said of the place, the first one first.
    labels: Vec<(String, usize, usize, String)>,
}

#[pymethods]
impl Diagnostic {
    fn __repr__(&self) -> String {
        format!("<Diagnostic {}: {}>", self.code, self.message)
    }
    fn __str__(&self) -> String {
        format!("[{}] {}: {}", self.code, self.severity, self.message)
    }
}

/// Why data of Python is no table: an exception with one finding.
pub fn table_error(py: Python<'_>, code: &str, message: String, help: Option<String>) -> PyErr {
    let error = TableError::new_err(match &help {
        Some(help) => format!("[{code}] Error: {message}\n  Help: {help}"),
        None => format!("[{code}] Error: {message}"),
    });
    let (code, notes, labels) = (code.to_string(), Vec::new(), Vec::new());
    let found = Diagnostic { code, severity: "error", message, notes, help, labels };
    match error.value(py).setattr("diagnostics", vec![found]) {
        Ok(()) => error,
        Err(other) => other,
    }
}

/// The same for the half of the package that is written in Python.
#[pyfunction]
#[pyo3(name = "table_error", signature = (code, message, help=None))]
pub fn made_table_error(py: Python<'_>, code: &str, message: String, help: Option<String>) -> PyErr {
    table_error(py, code, message, help)
}

/// How a limit is moved from Python.
fn by_arguments(limit: Limit) -> &'static str {
    match limit {
        Limit::Steps => "give a larger `max_steps`, or leave it out for no limit",
        Limit::Rounds => "give a larger `max_rounds`, or leave it out for no limit",
        Limit::Memory => "give a larger `memory`, to `session(...)` for facts and to the run for its store",
        Limit::Time => "give a larger `timeout`, or leave it out for no limit",
        Limit::Output => "let the program write less",
        Limit::Integers => {
            "use smaller numbers, or a session with `logic=True`, where integers have any size"
        }
    }
}

/// Findings without the texts that they point into, so that they can leave the thread of a session.
#[derive(Clone, Debug)]
pub struct Findings {
    pub list: Vec<Diagnostic>,
    rendered: String,
}

impl From<&Diagnostics> for Findings {
    fn from(found: &Diagnostics) -> Self {
        let found = found.in_words(by_arguments);
        let one = |d: &gchr::Diagnostic| {
            let label = |label: &gchr::base::diagnostic::Label| {
                let (line, column) = found.sources().line_column(label.span);
                let file = found.sources().get(label.span.source).name.clone();
                (file, line, column, label.text.clone())
            };
            Diagnostic {
                code: d.code.to_string(),
                severity: if d.severity == Severity::Error { "error" } else { "warning" },
                message: d.message.clone(),
                notes: d.notes.clone(),
                help: d.help.clone(),
                labels: d.labels.iter().map(label).collect(),
            }
        };
        Self { list: found.list().iter().map(one).collect(), rendered: found.render(false) }
    }
}

/// Why something was not done.
#[derive(Debug)]
pub enum Refusal {
    /// Nothing ran.
    Program(Findings),
    /// A run stopped; the last one: somebody interrupted it.
    Run(Findings, Box<Stats>, bool),
    /// Something else about a store.
    Other(StopReason),
}

impl From<Diagnostics> for Refusal {
    fn from(found: Diagnostics) -> Self {
        Refusal::Program((&found).into())
    }
}

impl From<FormatError> for Refusal {
    fn from(error: FormatError) -> Self {
        match error {
            FormatError::Unfetched(found) => found.into(),
            FormatError::Io(error) => Refusal::Other(error.into()),
            other => Refusal::Other(StopReason::Output { message: other.to_string() }),
        }
    }
}

impl From<Box<Failure>> for Refusal {
    fn from(failure: Box<Failure>) -> Self {
        let findings = Findings::from(&failure.diagnostics);
        match &failure.error {
            None => Refusal::Program(findings),
            Some(error) => {
                let interrupted = error.reason == StopReason::Interrupted;
                Refusal::Run(findings, Box::new(failure.stats.clone()), interrupted)
            }
        }
    }
}

impl Refusal {
    /// The exception.
    pub fn raise(self, py: Python<'_>) -> PyErr {
        let (findings, stats) = match self {
            Refusal::Run(_, _, true) => return PyKeyboardInterrupt::new_err("the run was interrupted"),
            Refusal::Run(findings, stats, false) => (findings, Some(stats)),
            Refusal::Program(findings) => (findings, None),
            Refusal::Other(reason) => ((&Diagnostics::from(reason.to_diagnostic())).into(), None),
        };
        let error = match stats {
            Some(_) => RunError::new_err(findings.rendered),
            None => ProgramError::new_err(findings.rendered),
        };
        let complete = || -> PyResult<()> {
            let value = error.value(py);
            value.setattr("diagnostics", findings.list)?;
            if let Some(stats) = stats {
                value.setattr("stats", stats_dict(py, &stats)?)?;
            }
            Ok(())
        };
        match complete() {
            Ok(()) => error,
            Err(other) => other,
        }
    }
}

/// Statistics under the keys of `--stats`.
pub fn stats_dict<'py>(py: Python<'py>, stats: &Stats) -> PyResult<Bound<'py, PyAny>> {
    let text = serde_json::to_string(stats).map_err(|error| GchrError::new_err(error.to_string()))?;
    let read = py.import("json")?.call_method1("loads", (text,))?;
    Ok(read.cast_into::<PyDict>().map_err(PyErr::from)?.into_any())
}
