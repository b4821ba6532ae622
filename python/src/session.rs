//! Sessions: a program that is compiled once, and takes facts, goals or terms one after the other.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use gchr::base::logic::LogicTermId;
use gchr::base::rule::Semantics;
use gchr::tables::{Source, record_batches};
use gchr::terms::exec::NormalForm;
use gchr::{Answers, CompileOptions, Device, Format, Input, Language, Limits, Selection, Syntax, WhyOptions};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::{Diagnostic, Findings, Refusal, stats_dict};
use crate::runner::{Runner, Shown, Watcher};
use crate::tables::Table;
use crate::terms::{AnswerTerms, of_answer, of_normal_form};

/// A program between runs.
#[pyclass(frozen, module = "gchr._gchr")]
pub struct Session {
    runner: Runner,
    language: &'static str,
    warnings: Vec<Diagnostic>,
}

/// What a run gave.
#[pyclass(frozen, module = "gchr")]
pub struct Reply {
    term: Option<Arc<NormalForm>>,
    answers: Option<Vec<Arc<AnswerData>>>,
    stats: gchr::Stats,
    /// Whether there may be more answers.
    #[pyo3(get)]
    more: bool,
    /// The code with which the program called `halt/1`.
    #[pyo3(get)]
    halted: Option<u8>,
}

/// An answer of a program with logical variables.
#[pyclass(frozen, module = "gchr")]
pub struct Answer(Arc<AnswerData>);

struct AnswerData {
    terms: Arc<AnswerTerms>,
    bindings: Vec<(Vec<Arc<str>>, LogicTermId)>,
    goals: Vec<String>,
    text: String,
}

#[pymethods]
impl Answer {
    /// What the variables of the goals are, by their names.
    #[getter]
    fn bindings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for (names, id) in &self.0.bindings {
            for name in names {
                all.set_item(&**name, of_answer(py, &self.0.terms, *id)?)?;
            }
        }
        Ok(all)
    }

    /// Goals that variables wait for, then constraints in the store, as texts.
    #[getter]
    fn goals(&self) -> Vec<String> {
        self.0.goals.clone()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let found = self.0.bindings.iter().find(|(names, _)| names.iter().any(|n| &**n == name));
        match found {
            Some((_, id)) => of_answer(py, &self.0.terms, *id),
            None => Err(PyKeyError::new_err(name.to_string())),
        }
    }

    fn __str__(&self) -> String {
        self.0.text.clone()
    }

    fn __repr__(&self) -> String {
        format!("<Answer {}>", self.0.text.replace('\n', ", "))
    }
}

#[pymethods]
impl Reply {
    /// The normal form of a term: a number, a truth value or a `Term`.
    #[getter]
    fn value<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.term.as_ref().map(|whole| of_normal_form(py, whole, whole.root().key())).transpose()
    }

    /// The answers of a program with logical variables; `None` where the store is the result.
    #[getter]
    fn answers(&self) -> Option<Vec<Answer>> {
        Some(self.answers.as_ref()?.iter().map(|answer| Answer(Arc::clone(answer))).collect())
    }

    /// What the run did and cost, under the keys of `gchr run --stats`.
    #[getter]
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        stats_dict(py, &self.stats)
    }
}

impl From<gchr::Reply> for Reply {
    fn from(reply: gchr::Reply) -> Self {
        let halted = reply.halted();
        let mut made = Self { term: None, answers: None, stats: reply.stats, more: false, halted };
        match reply.answer {
            Some(gchr::Answer::NormalForm(term)) => made.term = Some(Arc::new(term)),
            Some(gchr::Answer::Logic(found)) => {
                made.more = found.more;
                made.answers =
                    Some(found.answers.into_iter().map(|answer| Arc::new(answer_data(answer))).collect());
            }
            Some(gchr::Answer::Store(_) | gchr::Answer::Sizes(_)) | None => {}
        }
        made
    }
}

/// What Python sees of an answer.
fn answer_data(answer: gchr::LogicAnswer) -> AnswerData {
    let goals = answer.text.goals.clone();
    let text = answer.text.bindings.iter().chain(&goals).cloned().collect::<Vec<_>>().join("\n");
    let terms = Arc::new(AnswerTerms { terms: answer.terms, names: answer.names });
    AnswerData { terms, bindings: answer.bindings, goals, text }
}

/// A wrong value of an argument of Python.
fn wrong(what: &str, given: &str, known: &str) -> PyErr {
    PyValueError::new_err(format!("{what} is one of {known}, not {given}"))
}

fn input(
    path: Option<PathBuf>,
    text: Option<String>,
    name: Option<String>,
    language: Option<&str>,
) -> PyResult<Input> {
    let known = "trs, chr, maude, mcrl2, rec, ari";
    let of = |ending: &str| Syntax::of_path(Path::new(&format!("x.{ending}")));
    let syntax =
        language.map(|l| of(l).ok_or_else(|| wrong("language", &format!("{l:?}"), known))).transpose()?;
    match (path, text) {
        (Some(path), None) => {
            let input = Input::file(path);
            Ok(match syntax {
                Some(syntax) => input.syntax(syntax),
                None => input,
            })
        }
        (None, Some(text)) => {
            let syntax = syntax.unwrap_or(Syntax::Chr);
            let ending = language.unwrap_or("chr");
            let name = name.unwrap_or_else(|| format!("program.{ending}"));
            Ok(Input::text(syntax.language(), name, text).syntax(syntax))
        }
        _ => Err(PyValueError::new_err("give the path of a program, or its text")),
    }
}

fn device(name: &str) -> PyResult<Device> {
    match name.split_once(':') {
        None if name == "cpu" => Ok(Device::Cpu),
        None if name == "gpu" => Ok(Device::Gpu(0)),
        None if name == "sim" => Ok(Device::Sim),
        Some(("gpu", number)) => number
            .parse()
            .map(Device::Gpu)
            .map_err(|_| wrong("device", &format!("{name:?}"), "cpu, gpu, gpu:N, sim")),
        _ => Err(wrong("device", &format!("{name:?}"), "cpu, gpu, gpu:N, sim")),
    }
}

fn answers(py: Python<'_>, wanted: Option<Py<PyAny>>) -> PyResult<Answers> {
    let Some(wanted) = wanted else { return Ok(Answers::First(1)) };
    match (wanted.extract::<u64>(py), wanted.extract::<String>(py)) {
        (Ok(number @ 1..), _) => Ok(Answers::First(number)),
        (_, Ok(all)) if all == "all" => Ok(Answers::All),
        _ => Err(wrong("answers", &wanted.bind(py).repr()?.to_string(), "1, a larger number, \"all\"")),
    }
}

#[pymethods]
impl Session {
    #[new]
    #[pyo3(signature = (path=None, *, text=None, name=None, language=None, semantics=None, device="cpu", logic=false,
                        threads=None, memory=None, derivations=false))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        path: Option<PathBuf>,
        text: Option<String>,
        name: Option<String>,
        language: Option<&str>,
        semantics: Option<&str>,
        device: &str,
        logic: bool,
        threads: Option<NonZeroUsize>,
        memory: Option<u64>,
        derivations: bool,
    ) -> PyResult<Self> {
        let semantics = match semantics {
            None => None,
            Some("refined") => Some(Semantics::Refined),
            Some("rounds") => Some(Semantics::Rounds),
            Some(other) => return Err(wrong("semantics", &format!("{other:?}"), "refined, rounds")),
        };
        let input = input(path, text, name, language)?.memory(memory);
        let device = self::device(device)?;
        let options = CompileOptions { device, semantics, threads, derivations, ..CompileOptions::default() };
        let open = move |watch| {
            let input = input.watched(watch);
            if logic { input.open_for_logic(&options) } else { input.open(&options) }
        };
        let runner = Runner::open(py, open)?;
        let (language, warnings) = runner.call(py, &Watcher::default(), |session, _| {
            let language = match session.language() {
                Language::Terms => "terms",
                Language::Constraints => "constraints",
            };
            Ok((language, Findings::from(session.warnings()).list))
        })?;
        Ok(Self { runner, language, warnings })
    }

    /// `terms` or `constraints`.
    #[getter]
    fn language(&self) -> &'static str {
        self.language
    }

    /// What the author of the program probably wants to know.
    #[getter]
    fn warnings(&self) -> Vec<Diagnostic> {
        self.warnings.clone()
    }

    /// Name and number of arguments of the constraints that the program declares.
    fn constraints(&self, py: Python<'_>) -> PyResult<Vec<(String, usize)>> {
        self.quietly(py, |session| Ok(session.constraints()))
    }

    /// How many constraints of a symbol are in the store.
    fn count(&self, py: Python<'_>, name: String, arity: usize) -> PyResult<Option<usize>> {
        self.quietly(py, move |session| Ok(session.count(&name, arity)))
    }

    /// Adds goals for the next run.
    fn add_goals(&self, py: Python<'_>, text: String) -> PyResult<()> {
        self.quietly(py, move |session| Ok(session.add_goals(&text)?))
    }

    /// Adds the queries of the program's own text for the next run; how many they are.
    fn add_own_queries(&self, py: Python<'_>) -> PyResult<usize> {
        self.quietly(py, |session| Ok(session.add_own_queries()?))
    }

    /// Adds the rows of a file for the next run; what was guessed about it, one line each.
    fn add_file(&self, py: Python<'_>, constraint: String, path: PathBuf) -> PyResult<Vec<String>> {
        self.quietly(py, move |session| Ok(session.add_facts(&constraint, &path, gchr::Header::Auto)?))
    }

    /// Adds the rows of a table that an object lends by `__arrow_c_stream__`.
    fn add_table(&self, py: Python<'_>, constraint: String, table: &Bound<'_, PyAny>) -> PyResult<()> {
        let (schema, batches) = Table::lent(table)?;
        let name = table.get_type().name()?.to_string();
        self.quietly(py, move |session| {
            Ok(session.add_table(&constraint, &name, Source::memory(&schema, batches))?)
        })
    }

    /// Forgets the pending input of the next run.
    fn drop_pending(&self, py: Python<'_>) -> PyResult<()> {
        self.quietly(py, |session| {
            session.drop_pending();
            Ok(())
        })
    }

    /// Runs what was added, and goals behind it. With a wrong argument nothing is added.
    #[pyo3(signature = (goals=None, *, device=None, answers=None, max_steps=None, max_rounds=None, memory=None, timeout=None,
                        progress=None, output=None))]
    #[allow(clippy::too_many_arguments)]
    fn run(
        &self,
        py: Python<'_>,
        goals: Option<String>,
        device: Option<&str>,
        answers: Option<Py<PyAny>>,
        max_steps: Option<u64>,
        max_rounds: Option<u64>,
        memory: Option<u64>,
        timeout: Option<f64>,
        progress: Option<&Bound<'_, PyAny>>,
        output: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Reply> {
        let limits = limits(max_steps, max_rounds, memory, timeout)?;
        let wanted = self::answers(py, answers)?;
        let device = device.map(self::device).transpose()?;
        self.runner.call(py, &Watcher { progress, output }, move |session, shown: &Arc<Shown>| {
            session.set_answers(wanted);
            // Goals wait where there is no such device.
            goals.map_or(Ok(()), |goals| session.add_goals(&goals))?;
            device.map_or(Ok(()), |device| session.set_device(device))?;
            Ok(Reply::from(session.run(&mut shown.control(limits))?))
        })
    }

    /// Evaluates a term, or the one that the program itself names.
    #[pyo3(signature = (term=None, *, device=None, max_steps=None, memory=None, timeout=None, progress=None))]
    #[allow(clippy::too_many_arguments)]
    fn evaluate(
        &self,
        py: Python<'_>,
        term: Option<String>,
        device: Option<&str>,
        max_steps: Option<u64>,
        memory: Option<u64>,
        timeout: Option<f64>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Reply> {
        let limits = limits(max_steps, None, memory, timeout)?;
        let device = device.map(self::device).transpose()?;
        self.runner.call(py, &Watcher { progress, output: None }, move |session, shown: &Arc<Shown>| {
            device.map_or(Ok(()), |device| session.set_device(device))?;
            let control = &mut shown.control(limits);
            let reply = match term {
                Some(term) => session.evaluate(&term, control)?,
                None => session.evaluate_own(control)?,
            };
            Ok(Reply::from(reply))
        })
    }

    /// Takes back the last run; whether there was one.
    fn undo(&self, py: Python<'_>) -> PyResult<bool> {
        self.quietly(py, |session| Ok(session.undo()?))
    }

    /// The store as bytes.
    fn save(&self, py: Python<'_>) -> PyResult<Vec<u8>> {
        self.quietly(py, |session| Ok(session.save()?))
    }

    /// Makes the store that of bytes, with this name in messages.
    fn restore(&self, py: Python<'_>, name: String, bytes: Vec<u8>) -> PyResult<()> {
        self.quietly(py, move |session| Ok(session.restore(&name, &bytes)?))
    }

    /// The constraints of a symbol as a table.
    fn table(&self, py: Python<'_>, name: String, arity: usize) -> PyResult<Option<Table>> {
        let made = self.quietly(py, move |session| {
            let Some(made) = session.with_table(&name, arity, record_batches)? else { return Ok(None) };
            let terms = session.term_columns(&name, arity)?.unwrap_or_default();
            made.map(|made| Some((made, terms))).map_err(|error| Refusal::Other(error.into()))
        })?;
        Ok(made.map(|(made, terms)| Table::of_store(made, terms)))
    }

    /// The store as text, a constraint a line.
    fn store_text(&self, py: Python<'_>) -> PyResult<String> {
        self.quietly(py, |session| {
            let mut text = Vec::new();
            let written = session.write_store(&Selection::all(), Format::Text, &mut text);
            written?;
            Ok(String::from_utf8_lossy(&text).into_owned())
        })
    }

    /// What led to a constraint in the store, or to a place of the last normal form, as text.
    #[pyo3(signature = (of, *, depth=None))]
    fn why(&self, py: Python<'_>, of: String, depth: Option<usize>) -> PyResult<String> {
        let mut options = WhyOptions::default();
        if let Some(depth) = depth {
            options.depth = depth;
        }
        self.runner.call(py, &Watcher::default(), move |session, shown: &Arc<Shown>| {
            let explanation = session.why(&of, &options, &mut shown.control(Limits::default()))?;
            let mut text = Vec::new();
            explanation.write_text(&mut text).map_err(|error| Refusal::Other(error.into()))?;
            Ok(String::from_utf8_lossy(&text).into_owned())
        })
    }
}

impl Session {
    /// Does something that runs nothing.
    fn quietly<T: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut gchr::Session) -> Result<T, Refusal> + Send + 'static,
    ) -> PyResult<T> {
        self.runner.call(py, &Watcher::default(), |session, _| work(session))
    }
}

fn limits(
    max_steps: Option<u64>,
    max_rounds: Option<u64>,
    memory: Option<u64>,
    timeout: Option<f64>,
) -> PyResult<Limits> {
    let seconds = |s: f64| {
        let time = Duration::try_from_secs_f64(s).ok().filter(|time| !time.is_zero());
        time.ok_or_else(|| {
            PyValueError::new_err("timeout is a number of seconds above 0, or None for no limit")
        })
    };
    let timeout = timeout.map(seconds).transpose()?;
    Ok(Limits { max_steps, max_rounds, memory, timeout, max_output: None })
}
