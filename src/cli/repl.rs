//! `gchr repl`: goals or terms one after the other, on one store.

mod commands;
mod lines;
mod next;
mod state;
mod text;

use std::path::PathBuf;

use gchr::base::memory as limits_of_process;
use gchr::base::watch::Watch;
use gchr::{CompileOptions, Header, Language, Session};

use super::device::DeviceArgs;
use super::effects::{self, Case};
use super::exit::Exit;
use super::limits::LimitArgs;
use super::program::ProgramArgs;
use super::semantics::SemanticsArgs;
use super::streams::{check_input, no_stdin};
use super::watchdog::{self, Phase};
use super::{memory, out_file, report, values, wording};
use lines::{Line, Lines};
use next::Next;
use state::{Settings, State};

/// Arguments of `gchr repl`.
#[derive(clap::Args)]
#[command(
    after_help = "A line is a goal (.chr) or a term (.trs); brackets that are open take further lines. Lines that begin \
    with a colon are commands: `:help` lists them. The store stays from goal to goal; a goal that fails leaves it as it \
    was. With a standard input that is no terminal, lines are read from it, and the exit code is 1 when one of them \
    failed."
)]
pub struct Args {
    #[command(flatten)]
    program: ProgramArgs,
    /// Rows of constraint C from a file, added before the first goal; may be given several times (.chr)
    #[arg(long, value_name = "C=FILE", value_parser = values::facts)]
    facts: Vec<(String, PathBuf)>,
    /// Whether the first line of fact files names their columns: yes, no, auto, or C=WHEN [default: auto] (.chr)
    #[arg(long, value_name = "WHEN", value_parser = values::header)]
    header: Vec<(Option<String>, Header)>,
    /// Seed of the random numbers of a program [default: 1] (.chr)
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    #[command(flatten)]
    device: DeviceArgs,
    #[command(flatten)]
    semantics: SemanticsArgs,
    /// Run a constraint program on the logic machine from the start, for goals with variables and choices behind goals
    /// without any (.chr)
    #[arg(long)]
    logic: bool,
    /// Show every rule application on standard error
    #[arg(long)]
    trace: bool,
    /// Record what constraints are derived from, so that `:why` can show it: takes memory for every constraint and
    /// every firing, and runs are slower (.chr)
    #[arg(long)]
    why: bool,
    #[command(flatten)]
    limits: LimitArgs,
    /// Number of threads for loading facts and for rounds [default: all cores]
    #[arg(long, value_name = "N", value_parser = values::threads)]
    threads: Option<usize>,
}

impl Args {
    fn options(&self, settings: Settings) -> Result<CompileOptions, Exit> {
        let Settings { device, trace, derivations, answers } = settings;
        let options = CompileOptions {
            trace,
            inline: !trace,
            device,
            schedule: self.device.schedule()?,
            answers,
            derivations,
            seed: self.seed.unwrap_or(1),
            ..CompileOptions::default()
        };
        Ok(self.semantics.complete(options))
    }

    /// Opens a session, unless a watch stops that; what is wrong is on standard error then.
    fn open(&self, options: &CompileOptions, watch: Watch<'static>) -> Result<Session, Exit> {
        let mut input = self.program.input().memory(Some(limits_of_process::bound())).watched(watch);
        for (constraint, file) in &self.facts {
            input = input.facts_with_header(constraint, file, values::header_of(&self.header, constraint));
        }
        let opened = if self.logic { input.open_for_logic(options) } else { input.open(options) };
        let session = opened.map_err(|found| report::refuse(&found))?;
        let is_constraints = session.language() == Language::Constraints;
        effects::check(&[Case {
            language: Some(session.language()),
            is_logic: session.is_logic(),
            in_rounds: session.is_in_rounds(),
            device: options.device,
            // A line may read one.
            has_facts: is_constraints,
            has_several_terms: false,
            is_watched: options.trace,
        }])?;
        report::warnings(session.warnings(), &self.program.file);
        report::notices(session.notices());
        Ok(session)
    }
}

/// Runs the lines; what goes wrong is on standard error when this returns.
pub fn run(args: &Args) -> Exit {
    args.limits.bound_process(args.device.device());
    match loop_over(args) {
        Ok(exit) | Err(exit) => exit,
    }
}

fn loop_over(args: &Args) -> Result<Exit, Exit> {
    args.device.check_alone("gchr repl")?;
    no_stdin("gchr repl", [&args.program.file])?;
    check_input()?;
    memory::start_threads(args.threads)?;
    out_file::reads("the program", &args.program.file);
    args.facts.iter().for_each(|(_, file)| out_file::reads("a file of facts", file));
    watchdog::bound_memory();
    let mut state = State::open(args)?;
    watchdog::release_memory();
    wording::are_moved_by(commands::by_setting);
    let mut lines = Lines::open(state.names());
    if lines.is_terminal() {
        report::say(&format!("{}: {}. :help lists commands.\n", args.program.file.display(), state.kind()));
    }
    let mut failed = false;
    loop {
        watchdog::enter(Phase::Wait);
        let text = match next_text(&mut lines) {
            Ok(Some(text)) => text,
            Ok(None) => break,
            Err(Unread) if lines.is_at_end() => {
                failed = true;
                break;
            }
            Err(Unread) => {
                failed = true;
                continue;
            }
        };
        watchdog::enter(Phase::Line);
        let text = text.trim();
        if text.is_empty() || text.starts_with('%') {
            continue;
        }
        state.begin();
        let next = match commands::of_line(text) {
            Some(command) => state.command(command),
            None => state.goal(text),
        };
        // A Ctrl-C ended the goal, and is forgotten.
        watchdog::answered();
        match next {
            Next::Go => {}
            Next::Failed => failed = true,
            Next::End(Exit::Done) => break,
            Next::End(exit) => return Ok(exit),
            Next::Names => lines.set_names(state.names()),
        }
        if state.is_closed() {
            return Ok(Exit::Done);
        }
    }
    Ok(if failed && !lines.is_terminal() { Exit::Failed } else { Exit::Done })
}

/// What came could not be read, which is on standard error.
struct Unread;

/// The next text, an empty one after Ctrl-C at the prompt; nothing at the end.
fn next_text(lines: &mut Lines) -> Result<Option<String>, Unread> {
    match lines.next() {
        Line::Text(text) => return Ok(Some(text)),
        Line::Interrupted => return Ok(Some(String::new())),
        Line::End => return Ok(None),
        Line::Open(text) => {
            let message = format!("the input ends within `{}`", text::shown(&text));
            report::problem("U0118", &message, "close its brackets and quotes; nothing of it was run");
        }
        Line::Unreadable(error) => {
            report::problem("U0101", &format!("cannot read a line: {error}"), "give lines of UTF-8 text");
        }
        Line::TooLong(reason) => report::finding(&reason.to_diagnostic()),
    }
    Err(Unread)
}
