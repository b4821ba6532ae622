//! What a run gives, in a form in which those of all executors and of the reference can be compared.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use gchr::base::value::Value as EngineValue;
use gchr::{CompileOptions, Control, Limits, Program};
use gchr_testkit::reference::value::Value;
use gchr_testkit::reference::{End, Row};

/// How a run ended.
#[derive(Clone, PartialEq, Debug)]
pub enum Answer {
    NormalForm(String),
    Store(Vec<Row>),
    /// The code of a run-time error of the program.
    Error(String),
    /// The code of a limit that was hit, or of what else stopped the run.
    Stopped(String),
    /// The code of a diagnostic before the run.
    Refused(String),
    Panic(String),
}

impl Answer {
    /// What the reference says; `None` when it says nothing.
    pub fn expected(end: &End, done: impl FnOnce() -> Answer) -> Option<Answer> {
        match end {
            End::Done => Some(done()),
            End::Error(code) => Some(Answer::Error((*code).into())),
            End::Unknown(_) => None,
        }
    }

    /// Whether it is the program's own answer: what every executor must give.
    pub fn is_of_program(&self) -> bool {
        matches!(self, Answer::NormalForm(_) | Answer::Store(_) | Answer::Error(_))
    }

    /// What kind of answer it is, with the code of an error.
    pub fn kind(&self) -> String {
        match self {
            Answer::NormalForm(_) | Answer::Store(_) => "result".into(),
            Answer::Error(code) | Answer::Stopped(code) | Answer::Refused(code) => code.clone(),
            Answer::Panic(_) => "panic".into(),
        }
    }
}

impl std::fmt::Display for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Answer::NormalForm(text) => f.write_str(text),
            Answer::Store(rows) => {
                let row = |Row(name, args): &Row| {
                    let args: Vec<String> = args.iter().map(Value::to_string).collect();
                    format!("{name}({})", args.join(", "))
                };
                f.write_str(&rows.iter().map(row).collect::<Vec<_>>().join(" "))
            }
            Answer::Error(code) => write!(f, "run-time error {code}"),
            Answer::Stopped(code) => write!(f, "stopped by {code}"),
            Answer::Refused(code) => write!(f, "refused with {code}"),
            Answer::Panic(message) => write!(f, "panic: {message}"),
        }
    }
}

/// A run: its answer, what it wrote, and its counts.
#[derive(Clone, PartialEq, Debug)]
pub struct Ran {
    pub answer: Answer,
    pub output: String,
    /// Its result as it is shown.
    pub shown: String,
    /// Rule applications or firings; rounds.
    pub steps: Option<u64>,
    pub rounds: Option<u64>,
}

impl Ran {
    /// A run that ended before it began.
    pub fn without_run(answer: Answer) -> Self {
        Self { answer, output: String::new(), shown: String::new(), steps: None, rounds: None }
    }
}

/// Limits of a run whose end is known: the reference came to it in few steps, so that a run that reaches them does not
/// end.
pub fn limits() -> Limits {
    let timeout = Some(Duration::from_secs(20));
    Limits {
        max_steps: Some(1_000_000),
        max_rounds: Some(5_000),
        memory: Some(1 << 28),
        timeout,
        max_output: Some(1 << 24),
    }
}

/// Limits of a run of which nothing is known: it may go on for ever.
pub fn small_limits() -> Limits {
    let timeout = Some(Duration::from_millis(300));
    Limits {
        max_steps: Some(2_000),
        max_rounds: Some(50),
        memory: Some(1 << 28),
        timeout,
        max_output: Some(1 << 24),
    }
}

/// Compiles and runs a program. Nothing gets out of it, a panic neither.
pub fn run(program: &Program, options: &CompileOptions, limits: Limits) -> Ran {
    let ran = caught(|| run_here(program, options, limits));
    ran.unwrap_or_else(|message| Ran::without_run(Answer::Panic(message)))
}

thread_local! {
    /// Whether a panic of this thread is one of what is tested.
    static TESTING: Cell<bool> = const { Cell::new(false) };
}

/// Leaves panics of what is tested unsaid, as they are findings.
pub fn expect_panics() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !TESTING.get() {
            usual(panic);
        }
    }));
}

/// What a function gives; the message of a panic.
pub fn caught<T>(f: impl FnOnce() -> T) -> Result<T, String> {
    TESTING.set(true);
    let result = catch_unwind(AssertUnwindSafe(f));
    TESTING.set(false);
    result.map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("?").to_string()
    })
}

fn run_here(program: &Program, options: &CompileOptions, limits: Limits) -> Ran {
    let executable = match program.compile(options) {
        Ok(executable) => executable,
        Err(found) => return Ran::without_run(Answer::Refused(first_code(&found))),
    };
    let mut written = Vec::new();
    let ran = {
        let mut control = Control::new(limits).output(&mut written);
        if options.trace {
            control = control.trace(|_| {});
        }
        executable.run(&mut control)
    };
    let output = String::from_utf8_lossy(&written).into_owned();
    match ran {
        Ok(outcome) => {
            let (stats, steps) = (outcome.stats(), outcome.stats().rewrites.or(outcome.stats().firings));
            let rounds = stats.rounds;
            let mut room = Room(Vec::new());
            let answer = match (outcome.normal_form(), outcome.store()) {
                (Some(term), _) => {
                    let written = term.write_text(&mut room);
                    written.is_ok().then(|| Answer::NormalForm(String::from_utf8_lossy(&room.0).into_owned()))
                }
                (None, Some(store)) => rows(program, store).map(Answer::Store),
                (None, None) => None,
            };
            let Some(answer) = answer else { return Ran::without_run(Answer::Stopped("too large".into())) };
            room.0.clear();
            let shown = match outcome.write(gchr::Format::Text, &mut room) {
                Ok(()) => String::from_utf8_lossy(&room.0).into_owned(),
                Err(_) => String::new(),
            };
            Ran { answer, output, shown, steps, rounds }
        }
        Err(failure) => {
            let code = first_code(&failure.diagnostics);
            Ran { output, ..Ran::without_run(of_code(code)) }
        }
    }
}

/// The answer of a run that a diagnostic ended.
pub fn of_code(code: String) -> Answer {
    let of_program = code.starts_with("R01") || code.starts_with("R03");
    if of_program { Answer::Error(code) } else { Answer::Stopped(code) }
}

/// The code of the first error.
pub fn first_code(found: &gchr::Diagnostics) -> String {
    found.list().iter().find(|d| d.is_error()).map_or(String::new(), |d| d.code.to_string())
}

/// A text that is not too long: shared subterms are written out, which can take for ever.
struct Room(Vec<u8>);

impl std::io::Write for Room {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.0.len() > 1 << 20 {
            return Err(std::io::ErrorKind::WriteZero.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The constraints of a store, sorted; none where they are too large.
fn rows(program: &Program, store: &gchr::constraints::exec::Store) -> Option<Vec<Row>> {
    let signature = &program.rules().signature;
    let mut room = 100_000;
    let mut rows = Vec::new();
    for (id, constraint) in signature.constraints.iter_enumerated() {
        for row in store.rows(signature, id).iter() {
            let values: Option<Vec<Value>> = row.values().map(|v| value(v, &mut room)).collect();
            rows.push(Row(constraint.name.clone(), values?));
        }
    }
    rows.sort_by(Row::order);
    Some(rows)
}

fn value(of: EngineValue<'_>, room: &mut u32) -> Option<Value> {
    *room = room.checked_sub(1)?;
    Some(match of {
        EngineValue::Int(n) => Value::Int(n),
        EngineValue::Float(x) => Value::Float(x),
        EngineValue::Atom(text) => Value::Atom(text.into()),
        EngineValue::Str(text) => Value::Str(text.into()),
        EngineValue::Compound { name, args } => {
            let args: Option<Vec<Value>> = args.iter().map(|arg| value(arg, room)).collect();
            Value::Compound(name.into(), args?.into())
        }
    })
}
