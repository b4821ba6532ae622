//! The session behind the lines: what goals and commands do with it.

use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use gchr::base::escape;
use gchr::base::limited::Limited;
use gchr::base::reading::{self, Account};
use gchr::base::stop::StopReason;
use gchr::base::units::bytes;
use gchr::base::watch::Watch;
use gchr::{
    Answers, Control, Device, Diagnostics, Failure, Format, Language, Limits, Recorder, Reply, Selection,
    Session, WhyOptions,
};

use super::Args;
use super::next::Next;
use crate::cli::exit::Exit;
use crate::cli::out_file::{self, File};
use crate::cli::sink::Stdout;
use crate::cli::watchdog::{self, Phase};
use crate::cli::{interrupt, limits, profile, progress, report, values};

/// Constraints that are shown behind a goal; a larger store is counted.
const SHOWN: usize = 20;

/// A session with its settings.
pub struct State<'a> {
    args: &'a Args,
    session: Session,
    settings: Settings,
    stats: bool,
    /// Where the profile of the next run goes.
    profile: Option<profile::Output>,
    pub limits: Limits,
    /// When the work on the line at hand began: from then on its limit of time counts.
    start: Instant,
    out: Stdout,
}

/// What the program is opened with.
#[derive(Clone, Copy)]
pub struct Settings {
    pub device: Device,
    pub trace: bool,
    /// Whether derivations are recorded.
    pub derivations: bool,
    pub answers: Answers,
}

/// Runs one thing of a session.
type Work<'w> = dyn FnMut(&mut Session, &mut Control<'_>) -> Result<Reply, Box<Failure>> + 'w;

impl<'a> State<'a> {
    /// Opens the program.
    pub fn open(args: &'a Args) -> Result<Self, Exit> {
        watchdog::enter(Phase::Compile);
        let (device, trace, derivations) = (args.device.device(), args.trace, args.why);
        let settings = Settings { device, trace, derivations, answers: Answers::First(1) };
        // The watchdog ends what has not begun.
        let session = args.open(&args.options(settings)?, Watch::new())?;
        out_file::reads_texts(session.texts());
        let limits = args.limits.limits(device);
        let (start, out) = (Instant::now(), Stdout::new());
        Ok(Self { args, session, settings, stats: false, profile: None, limits, start, out })
    }

    /// What the lines are about.
    pub fn kind(&self) -> &'static str {
        match (self.session.language(), self.session.is_logic()) {
            (Language::Terms, _) => "type a term to evaluate it",
            (Language::Constraints, false) => "type goals to add constraints",
            (Language::Constraints, true) => "type goals to look for an answer",
        }
    }

    /// Names for completion.
    pub fn names(&self) -> Vec<String> {
        self.session.names()
    }

    /// Whether nobody reads the results any more.
    pub fn is_closed(&self) -> bool {
        self.out.is_closed()
    }

    /// Begins the work on a line: the limit of time holds for all that it does.
    pub fn begin(&mut self) {
        self.start = Instant::now();
        watchdog::limit(self.limits.timeout, self.start);
        self.session.set_watch(watchdog::limits());
    }

    /// A control under the limits of the line.
    fn control<'c>(&self) -> Control<'c> {
        Control::new(self.limits).since(self.start).interrupt(interrupt::flag())
    }

    /// Runs goals, or evaluates a term.
    pub fn goal(&mut self, text: &str) -> Next {
        if self.session.language() == Language::Terms {
            let term = text.trim_end_matches([';', '.']);
            return self.run(&mut |session, control| session.evaluate(term, control));
        }
        let added = self.session.add_goals(text);
        match added {
            Ok(()) => self.run(&mut |session, control| session.run(control)),
            Err(found) => failed(&found),
        }
    }

    /// Runs the queries or the input of the program itself.
    pub fn run_own(&mut self) -> Next {
        if self.session.language() == Language::Terms {
            return self.run(&mut |session, control| session.evaluate_own(control));
        }
        match self.session.add_own_queries() {
            Ok(0) => {
                report::say("gchr: the program has no queries of its own\n");
                Next::Go
            }
            Ok(_) => self.run(&mut |session, control| session.run(control)),
            Err(found) => failed(&found),
        }
    }

    /// Adds the rows of a file.
    pub fn add_facts(&mut self, constraint: &str, file: &Path) -> Next {
        match self.session.add_facts(constraint, file, values::header_of(&self.args.header, constraint)) {
            Ok(notices) => {
                report::notices(&notices);
                self.run(&mut |session, control| session.run(control))
            }
            Err(found) => failed(&found),
        }
    }

    /// Keeps the store in a file, which appears when it is complete.
    pub fn save(&mut self, path: &Path) -> Next {
        let bytes = match self.session.save() {
            Ok(bytes) => bytes,
            Err(found) => return failed(&found),
        };
        watchdog::enter(Phase::Write);
        let Ok(mut file) = File::create(":save", path) else { return Next::Failed };
        let written = watchdog::limited(&mut file, None).write_all(&bytes);
        match written.and_then(|()| file.finish()) {
            Ok(()) => Next::Go,
            Err(error) => {
                watchdog::heard();
                match StopReason::from(error) {
                    StopReason::Output { message } => {
                        let message = format!("cannot write {}: {message}", path.display());
                        report::problem("U0107", &message, "another path");
                    }
                    stopped => report::finding(&stopped.to_diagnostic()),
                }
                Next::Failed
            }
        }
    }

    /// Makes the store that of a file.
    pub fn restore(&mut self, path: &Path) -> Next {
        let account = Account::new(Some(gchr::base::memory::left())).watched(watchdog::limits());
        let bytes = match reading::read(path, &account) {
            Ok(bytes) => bytes,
            Err(error) => {
                watchdog::heard();
                report::finding(&reading::unread(error, "U0101", path, "give a file that :save has written"));
                return Next::Failed;
            }
        };
        match self.session.restore(&path.display().to_string(), &bytes) {
            Ok(()) => Next::Go,
            Err(found) => failed(&found),
        }
    }

    /// Records the next run for a profile, whose file is opened now.
    pub fn record(&mut self, target: &profile::ProfileFile) -> Next {
        if self.session.is_logic() {
            let help = "`:stats` counts what it does";
            report::problem("U0119", "runs of the logic machine have no profile", help);
            return Next::Failed;
        }
        match profile::Output::open_for(":profile", target, self.settings.device) {
            Ok(output) => {
                self.profile = Some(output);
                Next::Go
            }
            Err(_) => Next::Failed,
        }
    }

    /// Writes the profile of a run that was recorded.
    fn write_profile(&mut self, recorded: profile::Output, ran: &Result<Reply, Box<Failure>>) -> bool {
        let (stats, stopped) = match ran {
            Ok(reply) => (&reply.stats, None),
            // What did not begin has no course.
            Err(failure) if failure.error.is_none() => return true,
            Err(failure) => (&failure.stats, failure.diagnostics.list().first()),
        };
        let make = |recorder: &Recorder| self.session.profile(recorder, stats);
        recorded.write(&make, None, stopped.map(|found| found.message.as_str())).is_ok()
    }

    fn run(&mut self, work: &mut Work<'_>) -> Next {
        watchdog::enter(Phase::Goal);
        let mut recorded = self.profile.take();
        let ran = self.under_control(work, recorded.as_mut().map(profile::Output::begin));
        let next = self.show(&ran);
        // What comes now does not take the result back.
        watchdog::heard();
        let is_kept = recorded.is_none_or(|recorded| self.write_profile(recorded, &ran));
        match next {
            Next::Go if !is_kept => Next::Failed,
            next => next,
        }
    }

    /// Shows what a run came to.
    fn show(&mut self, ran: &Result<Reply, Box<Failure>>) -> Next {
        match ran {
            Ok(reply) => {
                if let Some(code) = reply.halted() {
                    let _ = self.out.flush();
                    return Next::End(if code == 0 { Exit::Done } else { Exit::Halted(code) });
                }
                let written = self.write(|state, mut out| {
                    reply.write(&mut out)?;
                    state.show_small_store(out)
                });
                if self.stats {
                    report::stats(&reply.stats);
                }
                if written { Next::Go } else { Next::Failed }
            }
            Err(failure) => {
                let _ = self.out.flush();
                let next = failed(&failure.diagnostics);
                if self.stats {
                    report::stats(&failure.stats);
                }
                next
            }
        }
    }

    fn under_control(
        &mut self,
        work: &mut Work<'_>,
        recorder: Option<&mut Recorder>,
    ) -> Result<Reply, Box<Failure>> {
        let unit = match self.session.language() {
            Language::Terms => "rule applications",
            Language::Constraints => "firings",
        };
        let mut line = progress::Line::new(unit);
        let mut control = self.control();
        let out = Limited::new(&mut self.out, control.watch().clone()).max_output(self.limits.max_output);
        control = control.output(out);
        if let Some(recorder) = recorder {
            control = control.profile(recorder);
        }
        if line.enabled() && !self.settings.trace {
            control = control.progress(move |now| line.update(now));
        }
        if self.settings.trace {
            let mut log = BufWriter::new(io::stderr());
            control = control.trace(move |text| drop(writeln!(log, "{}", escape::lines(text))));
        }
        work(&mut self.session, &mut control)
    }

    /// Writes to standard output under the limits; says what went wrong, and whether nothing did.
    fn write(&mut self, write: impl FnOnce(&mut Self, &mut dyn Write) -> io::Result<()>) -> bool {
        watchdog::enter(Phase::Write);
        let mut stdout = std::mem::replace(&mut self.out, Stdout::new());
        let mut out = Limited::new(&mut stdout, watchdog::limits()).max_output(self.limits.max_output);
        let written = write(self, &mut out);
        drop(out);
        let written = written.and_then(|()| stdout.flush());
        self.out = stdout;
        match written {
            Err(error) if !self.out.is_closed() => {
                let _ = self.out.flush();
                crate::cli::unwritten::unwritten("the result", error.into());
                false
            }
            _ => true,
        }
    }

    /// A small store as it is, a larger one counted; none for programs whose answers show it.
    fn show_small_store(&mut self, mut out: &mut dyn Write) -> io::Result<()> {
        if !self.session.is_ground() {
            return Ok(());
        }
        let sizes = self.sizes();
        let size: usize = sizes.iter().map(|(_, count)| count).sum();
        if size <= SHOWN {
            let written = self.session.write_store(&Selection::all(), Format::Text, &mut out);
            return written.map_err(io_error);
        }
        let sizes: Vec<String> = sizes.iter().map(|(symbol, count)| format!("{symbol} {count}")).collect();
        writeln!(out, "{size} constraints: {}", sizes.join(", "))
    }

    fn sizes(&mut self) -> Vec<(String, usize)> {
        let constraints = self.session.constraints();
        let sizes = constraints
            .into_iter()
            .map(|(name, arity)| (format!("{name}/{arity}"), self.session.count(&name, arity).unwrap_or(0)));
        sizes.filter(|(_, count)| *count > 0).collect()
    }

    /// Writes the selected constraints.
    pub fn show_store(&mut self, selection: &Selection) -> Next {
        if self.session.language() == Language::Terms {
            return no_store();
        }
        if let Err(found) = selection.check(&self.session.constraints()) {
            report::finding(&found);
            return Next::Failed;
        }
        let written = self.write(|state, mut out| {
            state.session.write_store(selection, Format::Text, &mut out).map_err(io_error)
        });
        if written { Next::Go } else { Next::Failed }
    }

    /// Writes how many there are of each constraint.
    pub fn show_sizes(&mut self) -> Next {
        if self.session.language() == Language::Terms {
            return no_store();
        }
        let sizes = self.sizes();
        let written = self
            .write(|_, out| sizes.iter().try_for_each(|(symbol, count)| writeln!(out, "{symbol} {count}")));
        if written { Next::Go } else { Next::Failed }
    }

    /// Shows what led to a constraint.
    pub fn show_why(&mut self, of: &str) -> Next {
        watchdog::enter(Phase::Run);
        let mut control = self.control();
        match self.session.why(of, &WhyOptions::default(), &mut control) {
            Ok(explanation) => {
                let written = self.write(|_, mut out| explanation.write_text(&mut out));
                if written { Next::Go } else { Next::Failed }
            }
            Err(failure) => failed(&failure.diagnostics),
        }
    }

    /// Records derivations from now on, or no longer: at once while the store is empty, else when it is empty again.
    pub fn set_derivations(&mut self, on: bool) -> Next {
        if on == self.settings.derivations {
            return Next::Go;
        }
        if self.session.language() == Language::Constraints && !self.session.is_ground() {
            // It says that such a session has none.
            return self.show_why("");
        }
        let settings = Settings { derivations: on, ..self.settings };
        // A session of terms has no store, and sizes of nothing.
        if self.sizes().is_empty() {
            return self.reopen(settings);
        }
        self.settings = settings;
        report::say("gchr: this begins when the store is empty: `:clear` empties it\n");
        Next::Go
    }

    /// Takes back the last run.
    pub fn undo(&mut self) -> Next {
        watchdog::enter(Phase::Goal);
        match self.session.undo() {
            Ok(true) => {
                // It is done: what came meanwhile stops nothing any more.
                watchdog::answered();
                self.write(|state, out| state.show_small_store(out));
                Next::Go
            }
            Ok(false) if self.session.language() == Language::Constraints => {
                report::say("gchr: there is nothing to take back\n");
                Next::Go
            }
            Ok(false) => no_store(),
            Err(found) => failed(&found),
        }
    }

    /// Opens the program again; the store begins anew. With a mistake in it, the session goes on as it was.
    pub fn begin_anew(&mut self) -> Next {
        self.reopen(self.settings)
    }

    /// Brings a program to another device, with its store.
    pub fn set_device(&mut self, device: Device) -> Next {
        self.compile();
        match self.session.set_device(device) {
            Ok(()) => {
                self.settings.device = device;
                Next::Go
            }
            Err(found) => failed(&found),
        }
    }

    /// What is compiled has no limit of time, as when the session began: the session would end with it.
    fn compile(&self) {
        watchdog::limit(None, self.start);
    }

    fn reopen(&mut self, settings: Settings) -> Next {
        self.compile();
        let options = self.args.options(settings);
        match options.and_then(|options| self.args.open(&options, watchdog::limits())) {
            Ok(session) => {
                (self.session, self.settings) = (session, settings);
                Next::Names
            }
            Err(_) => Next::Failed,
        }
    }

    /// How much memory goals, and this process, may take; nothing: what the system leaves. With less than it has, the
    /// process could not even read the next line.
    pub fn set_memory(&mut self, limit: Option<u64>) -> Result<(), String> {
        let in_use = gchr::base::memory::in_use();
        if limit.is_some_and(|limit| limit <= in_use) && !matches!(self.settings.device, Device::Gpu(_)) {
            return Err(format!("the process has {} in use already", bytes(in_use)));
        }
        limits::bound_process(limit, self.settings.device);
        self.session.set_memory(Some(gchr::base::memory::bound()));
        self.limits.memory = limit;
        Ok(())
    }

    /// How many answers are looked for.
    pub fn set_answers(&mut self, answers: Answers) {
        self.settings.answers = answers;
        self.session.set_answers(answers);
    }

    /// Whether a switch is on.
    pub fn is_on(&self, name: &str) -> bool {
        if name == ":trace" { self.settings.trace } else { self.stats }
    }

    /// Turns a switch. Term programs are compiled in another way for traces.
    pub fn turn(&mut self, name: &str, on: bool) -> Next {
        match (name, self.session.language()) {
            (":trace", Language::Terms) if on != self.settings.trace => {
                return self.reopen(Settings { trace: on, ..self.settings });
            }
            (":trace", _) => self.settings.trace = on,
            _ => self.stats = on,
        }
        Next::Go
    }
}

/// Shows why there is no result.
fn failed(found: &Diagnostics) -> Next {
    watchdog::heard();
    report::diagnostics(found);
    Next::Failed
}

fn no_store() -> Next {
    report::problem("U0119", "a term program has no store", "type a term to evaluate it");
    Next::Failed
}

fn io_error(error: gchr::FormatError) -> io::Error {
    match error {
        gchr::FormatError::Io(error) => error,
        other => io::Error::other(other),
    }
}
