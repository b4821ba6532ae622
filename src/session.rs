//! Sessions: a program that is compiled once, and takes goals, facts or terms one after the other.
//!
//! A constraint program keeps its store from run to run: [`Session::add_goals`] and [`Session::add_facts`] say what
//! comes next, [`Session::run`] runs it, and the store can be read in between. A run that fails, is interrupted or hits
//! a limit leaves the store as it was before the run. A term program evaluates one term after the other.
//!
//! ```
//! use gchr::{CompileOptions, Control, Input};
//!
//! let mut session = Input::constraints(
//!     ":- chr_constraint edge(+int, +int), path(+int, +int).
//!      path(X, Y) \\ path(X, Y) <=> true.
//!      edge(X, Y) ==> path(X, Y).
//!      edge(X, Y), path(Y, Z) ==> path(X, Z).",
//! )
//! .open(&CompileOptions::default())?;
//! session.add_goals("edge(1, 2)")?;
//! session.run(&mut Control::default()).map_err(|stopped| stopped.diagnostics)?;
//! assert_eq!(session.count("path", 2), Some(1));
//! session.add_goals("edge(2, 3)")?;
//! session.run(&mut Control::default()).map_err(|stopped| stopped.diagnostics)?;
//! assert_eq!(session.count("path", 2), Some(3));
//! # Ok::<(), gchr::Diagnostics>(())
//! ```

mod ground;
mod logic;
mod on_device;
mod reading;
mod saved;
mod terms;
#[cfg(test)]
mod tests;
mod why;

use std::io::{self, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use gchr_base::control::Control;
use gchr_base::diagnostic::Diagnostic;
use gchr_base::profile::Recorder;
use gchr_base::reading::Account;
use gchr_base::rule::Semantics;
use gchr_base::signature::Signature;
use gchr_base::source::{SourceId, SourceMap};
use gchr_base::stats::Stats;
use gchr_base::watch::Watch;
use gchr_chr::{Addition, FactFile, Header};

use gchr_logic::Answers;

use crate::diagnostics::Diagnostics;
use crate::executor::StoppedRun;
use crate::input::{Input, written_while_reading};
use crate::options::{CompileOptions, Device};
use crate::output::{Answer, Failure, Selection};
use crate::program::{Language, Syntax};
use crate::report::profile::{Profile, RunSubject};
use crate::stack::with_large_stack;
use ground::GroundRuns;
use logic::LogicRuns;
use terms::TermSession;

/// A program between runs. [`Input::open`] makes one.
pub struct Session {
    /// The program's own texts.
    texts: SourceMap,
    /// These, and the pending input of the next run.
    sources: SourceMap,
    syntax: Syntax,
    memory: Option<u64>,
    /// What stops the reading of what is added.
    watch: Watch<'static>,
    warnings: Diagnostics,
    notices: Vec<String>,
    kind: Kind,
    parse_time: Duration,
}

enum Kind {
    Terms(Box<TermSession>),
    Ground(Box<GroundRuns>),
    Logic(Box<LogicRuns>),
}

/// What a run of a session gave.
#[derive(Debug)]
pub struct Reply {
    /// The normal form of a term, or the answers of the logic machine. The store of a program over ground terms is read
    /// from the session.
    pub answer: Option<Answer>,
    /// What the run did and cost.
    pub stats: Stats,
}

impl Reply {
    /// Writes the answer as text; nothing where there is none.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        match &self.answer {
            Some(answer) => {
                let none = Signature::with_builtin_bool();
                crate::output::write_text(answer, &none, &Selection::all(), out)
            }
            None => Ok(()),
        }
    }

    /// The exit code that the program asked for by `halt/1`.
    pub fn halted(&self) -> Option<u8> {
        self.answer.as_ref().and_then(Answer::halted)
    }
}

impl Input {
    /// Reads and compiles the program for a session. Its own term or queries are not run, and neither are those of the
    /// input; facts of the input wait for the first run.
    pub fn open(&self, options: &CompileOptions) -> Result<Session, Diagnostics> {
        self.open_session(options, false)
    }

    /// The same for a constraint program that is to take goals with logical variables and choices, also behind goals
    /// without any: the logic machine runs it from the start.
    pub fn open_for_logic(&self, options: &CompileOptions) -> Result<Session, Diagnostics> {
        self.open_session(options, true)
    }

    fn open_session(&self, options: &CompileOptions, logic: bool) -> Result<Session, Diagnostics> {
        with_large_stack(|| {
            let start = Instant::now();
            let mut texts = SourceMap::new();
            let account = self.account();
            let opened = self.open_kind(&mut texts, &account, options, logic);
            match opened {
                Ok((syntax, Opened { kind, warnings, notices })) => {
                    let warnings = Diagnostics::new(Arc::new(texts.clone()), warnings);
                    let (sources, memory) = (texts.clone(), self.memory_limit());
                    let (watch, parse_time) = (self.watch().clone(), start.elapsed());
                    let mut session = Session {
                        texts,
                        sources,
                        syntax,
                        memory,
                        watch,
                        warnings,
                        notices,
                        kind,
                        parse_time,
                    };
                    for file in self.fact_files() {
                        let notices = session.add_fact_file(file.clone())?;
                        session.notices.extend(notices);
                    }
                    Ok(session)
                }
                Err(found) => Err(Diagnostics::new(Arc::new(texts), found)),
            }
        })
    }

    fn open_kind(
        &self,
        texts: &mut SourceMap,
        account: &Account,
        options: &CompileOptions,
        logic: bool,
    ) -> Result<(Syntax, Opened), Vec<Diagnostic>> {
        let (id, syntax) = self.program_text(texts, account).map_err(|d| vec![*d])?;
        self.check_language(syntax.language())?;
        if syntax.language() == Language::Terms {
            let program = self.parse().map_err(|found| {
                *texts = found.sources().clone();
                found.list().to_vec()
            })?;
            *texts = program.sources().clone();
            let warnings = program.warnings().list().to_vec();
            let kind = Kind::Terms(Box::new(TermSession::new(program, options)?));
            return Ok((syntax, Opened { kind, warnings, notices: Vec::new() }));
        }
        Ok((syntax, open_constraints(texts, id, logic, account, options)?))
    }
}

/// A program that is ready for its first input.
struct Opened {
    kind: Kind,
    warnings: Vec<Diagnostic>,
    notices: Vec<String>,
}

fn open_constraints(
    texts: &mut SourceMap,
    id: SourceId,
    logic: bool,
    account: &Account,
    options: &CompileOptions,
) -> Result<Opened, Vec<Diagnostic>> {
    let rounds = options.semantics == Some(Semantics::Rounds);
    let mut evaluator = gchr_logic::MachineEvaluator::new(&gchr_chr::TermReader, account.limit());
    let (opened, warnings) = gchr_chr::open(texts, id, (logic, rounds), account, &mut evaluator);
    let kind = match opened {
        None => return Err(warnings),
        Some(gchr_chr::Opened::Ground(program)) => {
            Kind::Ground(Box::new(GroundRuns::new(*program, texts, options)?))
        }
        Some(gchr_chr::Opened::Logic(program)) => Kind::Logic(Box::new(LogicRuns::new(*program, options)?)),
    };
    Ok(Opened { kind, warnings, notices: written_while_reading(&mut evaluator) })
}

impl Session {
    /// The texts of the program, with all that they include.
    pub fn texts(&self) -> &SourceMap {
        &self.texts
    }
    /// What the program is made of.
    pub fn language(&self) -> Language {
        self.syntax.language()
    }
    /// Whether the rules of a constraint program fire in rounds.
    pub fn is_in_rounds(&self) -> bool {
        match &self.kind {
            Kind::Ground(session) => session.is_in_rounds(),
            Kind::Terms(_) | Kind::Logic(_) => false,
        }
    }
    /// Whether the logic machine runs it.
    pub fn is_logic(&self) -> bool {
        matches!(self.kind, Kind::Logic(_))
    }
    /// What its author probably wants to know.
    pub fn warnings(&self) -> &Diagnostics {
        &self.warnings
    }

    /// What was guessed about files of facts when it was opened, one line each.
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// Bytes that what is added from now on may take.
    pub fn set_memory(&mut self, limit: Option<u64>) {
        self.memory = limit;
    }

    /// What stops, from now on, the reading of what is added, saving and restoring, and the reading of the store of a
    /// logic program: all is as it was then.
    pub fn set_watch(&mut self, watch: Watch<'static>) {
        self.watch = watch;
    }

    /// Adds goals for the next run, with or without `?-` and a full stop. What is wrong with them is told at once, and
    /// nothing is added then. In a store of the logic machine [`run`](Self::run) gives the answers of the last goals.
    pub fn add_goals(&mut self, text: &str) -> Result<(), Diagnostics> {
        let id = self.sources.add("goal", text);
        self.add(&Addition::Goals(vec![id])).map(drop)
    }

    /// Adds the queries of the program's own text for the next run; how many they are.
    pub fn add_own_queries(&mut self) -> Result<usize, Diagnostics> {
        self.add(&Addition::OwnQueries).map(|added| added.queries)
    }

    /// Adds the rows of a file as constraints for the next run. Gives what was guessed about it, one line each.
    pub fn add_facts(
        &mut self,
        constraint: &str,
        file: &std::path::Path,
        header: Header,
    ) -> Result<Vec<String>, Diagnostics> {
        self.add_fact_file(FactFile {
            constraint: constraint.into(),
            path: file.into(),
            header,
            format: None,
        })
    }

    /// The same of a file of which more is said.
    pub fn add_fact_file(&mut self, file: FactFile) -> Result<Vec<String>, Diagnostics> {
        self.add(&Addition::Facts(file)).map(|added| added.notices)
    }

    /// Adds the rows of a table in memory as constraints for the next run, in its order of columns; `name` is what it
    /// is called in messages. A table that could not be opened is refused with the reason.
    #[cfg(feature = "tables")]
    pub fn add_table(
        &mut self,
        constraint: &str,
        name: &str,
        source: Result<gchr_tables::Source, gchr_tables::Error>,
    ) -> Result<(), Diagnostics> {
        let source = source.map_err(|error| self.refused(vec![gchr_chr::refused_table(name, error)]))?;
        let table = gchr_chr::FactTable { constraint: constraint.into(), name: name.into(), source };
        self.add(&Addition::Table(table)).map(drop)
    }

    fn add(&mut self, addition: &Addition) -> Result<gchr_chr::Added, Diagnostics> {
        let account = Account::new(self.memory).watched(self.watch.clone());
        let added = with_large_stack(|| match &mut self.kind {
            Kind::Terms(_) => {
                let message = "a term program takes terms, no goals and no facts";
                let mut added = gchr_chr::Added::default();
                added.diagnostics.push(
                    Diagnostic::error("U0105", message).help("evaluate a term over the program's symbols"),
                );
                added
            }
            Kind::Ground(session) => session.add(&mut self.sources, addition, &account),
            Kind::Logic(session) => session.add(&mut self.sources, addition, &account),
        });
        if added.is_done() {
            return Ok(added);
        }
        if !added.beyond.is_empty()
            && let Kind::Ground(session) = &self.kind
        {
            return match session.is_untouched() {
                true => self.become_logic(addition, &account),
                false => Err(self.refused(beyond_ground(added.beyond))),
            };
        }
        Err(self.refused(added.diagnostics))
    }

    /// Opens the program for the logic machine: nothing has run so far.
    fn become_logic(
        &mut self,
        addition: &Addition,
        account: &Account,
    ) -> Result<gchr_chr::Added, Diagnostics> {
        let Kind::Ground(session) = &self.kind else { return self.add(addition) };
        let options = *session.options();
        let first = self.texts.iter().next().map(|(id, _)| id);
        let Some(first) = first else { return self.add(addition) };
        let mut texts = self.texts.clone();
        let opened = with_large_stack(|| open_constraints(&mut texts, first, true, account, &options));
        match opened {
            Ok(opened) => self.kind = opened.kind,
            Err(found) => return Err(Diagnostics::new(Arc::new(texts), found)),
        }
        self.add(addition)
    }

    /// Why something was not added; its text is not kept.
    fn refused(&self, found: Vec<Diagnostic>) -> Diagnostics {
        Diagnostics::new(Arc::new(self.sources.clone()), found)
    }

    /// Whether something waits for a run.
    pub fn is_pending(&self) -> bool {
        match &self.kind {
            Kind::Terms(_) => false,
            Kind::Ground(session) => session.is_pending(),
            Kind::Logic(session) => session.is_pending(),
        }
    }

    /// Forgets the pending input of the next run.
    pub fn drop_pending(&mut self) {
        match &mut self.kind {
            Kind::Terms(_) => {}
            Kind::Ground(session) => session.drop_pending(),
            Kind::Logic(session) => session.drop_pending(),
        }
        self.sources = self.texts.clone();
    }

    /// Runs pending facts and goals: facts first, then goals, each in the order in which they were added. When it stops
    /// before its end, the store is what it was, and nothing is pending any more. Under rounds the facts and the first
    /// goals are one batch, and further goals are one each; a round looks only at what is new.
    pub fn run(&mut self, control: &mut Control<'_>) -> Result<Reply, Box<Failure>> {
        let start = Instant::now();
        let ran = with_large_stack(|| match &mut self.kind {
            Kind::Terms(_) => Ok(Reply { answer: None, stats: Stats::default() }),
            Kind::Ground(session) => session.run(control),
            Kind::Logic(session) => session.run(control),
        });
        let sources = std::mem::replace(&mut self.sources, self.texts.clone());
        self.ended(ran, sources, start)
    }

    /// Evaluates a term; a session of a term program has no other runs.
    pub fn evaluate(&mut self, term: &str, control: &mut Control<'_>) -> Result<Reply, Box<Failure>> {
        let start = Instant::now();
        let id = self.sources.add("term", term);
        let ran = with_large_stack(|| match &mut self.kind {
            Kind::Terms(session) => session.evaluate(&self.sources, id, control),
            Kind::Ground(_) | Kind::Logic(_) => {
                let message = "a constraint program takes goals, no terms";
                let help = "add constraints: name(arguments), ...";
                Err(Ended::Refused(vec![Diagnostic::error("U0105", message).help(help)]))
            }
        });
        let sources = std::mem::replace(&mut self.sources, self.texts.clone());
        self.ended(ran, sources, start)
    }

    /// Evaluates the term that the program itself names.
    pub fn evaluate_own(&mut self, control: &mut Control<'_>) -> Result<Reply, Box<Failure>> {
        let start = Instant::now();
        let ran = with_large_stack(|| match &mut self.kind {
            Kind::Terms(session) => session.evaluate_own(control),
            Kind::Ground(_) | Kind::Logic(_) => Ok(Reply { answer: None, stats: Stats::default() }),
        });
        self.ended(ran, self.texts.clone(), start)
    }

    /// Runs goals, or evaluates terms, on another device from now on; the store goes there, and what is pending
    /// stays. Where that fails, all is as it was.
    pub fn set_device(&mut self, device: Device) -> Result<(), Diagnostics> {
        let moved = with_large_stack(|| match &mut self.kind {
            Kind::Terms(session) => session.set_device(device),
            Kind::Ground(session) => session.set_device(device, &self.texts),
            Kind::Logic(_) if device.runs_kernels() => Err(vec![LogicRuns::on_no_device()]),
            Kind::Logic(_) => Ok(()),
        });
        moved.map_err(|found| Diagnostics::new(Arc::new(self.texts.clone()), found))
    }

    /// The profile of a run that was recorded ([`Control::profile`]), with its statistics. The logic machine has none.
    pub fn profile(&self, recorder: &Recorder, stats: &Stats) -> Option<Profile> {
        let rules = match &self.kind {
            Kind::Terms(session) => session.rules(),
            Kind::Ground(session) => session.rules(),
            Kind::Logic(_) => return None,
        };
        Some(Profile::of(
            RunSubject { language: self.language(), rules, sources: &self.texts },
            recorder,
            stats,
        ))
    }

    /// How many answers of a program with choices further runs look for.
    pub fn set_answers(&mut self, answers: Answers) {
        if let Kind::Logic(session) = &mut self.kind {
            session.set_answers(answers);
        }
    }

    fn ended(
        &self,
        ran: Result<Reply, Ended>,
        sources: SourceMap,
        start: Instant,
    ) -> Result<Reply, Box<Failure>> {
        let ms = |d: Duration| Some(d.as_secs_f64() * 1e3);
        let complete = |stats: Stats| Stats {
            parse_ms: ms(self.parse_time),
            run_ms: ms(start.elapsed()),
            wall_ms: ms(start.elapsed()),
            ..stats
        };
        let (error, list, stats) = match ran {
            Ok(Reply { answer, stats }) => return Ok(Reply { answer, stats: complete(stats) }),
            Err(Ended::Refused(list)) => (None, list, Stats::default()),
            Err(Ended::Stopped(stopped, found)) => {
                let mut found = *found;
                for &place in &stopped.places {
                    found = found.label(place, "called from here");
                }
                if !matches!(self.kind, Kind::Terms(_)) {
                    found = found.note("the store is what it was before");
                }
                (Some(stopped.error), vec![found], stopped.stats)
            }
        };
        let diagnostics = Diagnostics::new(Arc::new(sources), list);
        Err(Box::new(Failure { error, diagnostics, stats: complete(stats), left: None, elsewhere: None }))
    }

    /// Takes back the last run that is not taken back; whether there was one. A store on a device or of the logic
    /// machine knows what it was before the last run only; of a run of the logic machine it takes back what
    /// backtracking does: neither clauses that were asserted nor values of `nb_setval/2`. Term programs have nothing to
    /// take back.
    pub fn undo(&mut self) -> Result<bool, Diagnostics> {
        match &mut self.kind {
            Kind::Terms(_) => Ok(false),
            Kind::Logic(session) => Ok(session.undo()),
            Kind::Ground(session) => {
                let undone = session.undo();
                undone.map_err(|found| Diagnostics::new(Arc::new(self.texts.clone()), found))
            }
        }
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("syntax", &self.syntax).finish_non_exhaustive()
    }
}

/// Why a run has no reply.
enum Ended {
    /// It did not begin.
    Refused(Vec<Diagnostic>),
    /// The program or a limit stopped it: told so.
    Stopped(Box<StoppedRun>, Box<Diagnostic>),
}

/// What to say of goals for which a ground store is not enough.
fn beyond_ground(beyond: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let told = |found: Diagnostic| {
        found.note("a store that began with ground terms stays one without variables and choices").note(
            "begin anew on the logic machine for such goals: gchr repl --logic, or Input::open_for_logic",
        )
    };
    beyond.into_iter().map(told).collect()
}
