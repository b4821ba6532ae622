//! What is said of a limit that was reached: what moves it.

use std::sync::OnceLock;

use clap::Command;
use gchr::base::limit::{Limit, Wording};

/// The limits that the command of this process has options for.
static OPTIONS: OnceLock<Vec<Limit>> = OnceLock::new();
/// How limits are moved in a session, once it is open.
static IN_SESSION: OnceLock<Wording> = OnceLock::new();

/// Notes which options a command has.
pub fn note(command: &Command) {
    let has = |limit: &Limit| command.get_arguments().any(|argument| argument.get_id() == option(*limit));
    let _ = OPTIONS.set(Limit::ALL.into_iter().filter(has).collect());
}

fn option(limit: Limit) -> &'static str {
    match limit {
        Limit::Steps => "max_steps",
        Limit::Rounds => "max_rounds",
        Limit::Memory => "memory",
        Limit::Time => "timeout",
        Limit::Output => "max_output",
        Limit::Integers => "logic",
    }
}

/// From now on limits are moved by something else than options.
pub fn are_moved_by(wording: Wording) {
    let _ = IN_SESSION.set(wording);
}

/// What is said of a limit that was reached.
pub fn wording() -> Wording {
    IN_SESSION.get().copied().unwrap_or(by_options)
}

fn by_options(limit: Limit) -> &'static str {
    let has_option = OPTIONS.get().is_some_and(|options| options.contains(&limit));
    match limit {
        Limit::Memory if !has_option => {
            "end other programs, or raise the limit of the process (ulimit -v) or of its container"
        }
        Limit::Steps => "raise it with --max-steps N, or leave it out for no limit",
        Limit::Rounds => "raise it with --max-rounds N, or leave it out for no limit",
        Limit::Memory => "raise it with --memory SIZE, e.g. --memory 16G",
        Limit::Time => "raise it with --timeout T, e.g. --timeout 10m",
        Limit::Output => "raise it with --max-output SIZE, or leave it out for no limit",
        Limit::Integers if !has_option => {
            "integers have 64 bits over ground stores, and floats must stay finite: use smaller numbers; `gchr run \
             --logic` runs the program where integers have any size"
        }
        Limit::Integers => {
            "integers have 64 bits over ground stores, and floats must stay finite: use smaller numbers, or the logic \
             machine (--logic, without --semantics rounds and --device), where integers have any size"
        }
    }
}
