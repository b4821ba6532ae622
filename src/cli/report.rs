//! What goes to standard error: diagnostics, statistics, short notices.

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use gchr::base::diagnostic::render_all;
use gchr::base::escape;
use gchr::base::source::SourceMap;
use gchr::{Diagnostic, Diagnostics, Stats};

use super::exit::Exit;
use super::wording;

/// Whether standard error takes colours.
pub fn colored() -> bool {
    let wanted = std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
        && std::env::var_os("TERM").is_none_or(|t| t != "dumb");
    wanted && std::io::stderr().is_terminal()
}

/// Writes a text, of which a terminal obeys nothing; a closed standard error is no reason to stop.
pub fn say(text: &str) {
    put(&escape::lines(text));
}

fn put(text: &str) {
    let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
    match &mut *held {
        Some(held) => held.push_str(text),
        None => drop(std::io::stderr().lock().write_all(text.as_bytes())),
    }
}

/// What is not said yet, while it is held.
static HELD: Mutex<Option<String>> = Mutex::new(None);

/// Holds what would be said: another process may say the same.
pub fn hold() {
    HELD.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default();
}

/// Says what was held, if it is wanted, and whatever follows.
pub fn let_go(is_wanted: bool) {
    let held = HELD.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let (true, Some(text)) = (is_wanted, held) {
        put(&text);
    }
}

/// Shows findings.
pub fn diagnostics(found: &Diagnostics) {
    if !found.list().is_empty() {
        put(&found.in_words(wording::wording()).render(colored()));
    }
}

/// Shows why there is no result; how the process ends for these reasons.
pub fn refuse(found: &Diagnostics) -> Exit {
    diagnostics(found);
    Exit::for_want_of(found)
}

/// Shows a finding that has no place in a source text, as it is shown beside those that have one.
pub fn finding(found: &Diagnostic) {
    let mut found = found.clone();
    found.in_words(wording::wording());
    say(&render_all(&[found], &SourceMap::new(), colored()));
}

/// Shows what is wrong with parts of a program that are left out, and says that it has warnings; `gchr check` shows
/// them.
pub fn warnings(found: &Diagnostics, file: &Path) {
    let errors = found.adjusted(|found| found.is_error());
    if !errors.list().is_empty() {
        diagnostics(&errors);
        say("gchr: what could not be read is left out, the rest of the program runs\n");
    }
    let (_, warnings) = found.counts();
    let plural = match warnings {
        0 => return,
        1 => "",
        _ => "s",
    };
    say(&format!("gchr: {warnings} warning{plural}, shown by `gchr check {}`\n", file.display()));
}

/// Says what was guessed where a program was read.
pub fn notices(notices: &[String]) {
    for notice in notices {
        say(&format!("gchr: {notice}\n"));
    }
}

/// Says that compiled kernels will not be kept, where that is known before.
pub fn cache() {
    if let Some(refusal) = gchr::device::cache_refusal() {
        say(&format!("gchr: {refusal}\n"));
    }
}

/// Says that compiled kernels were not kept, where that was not known before.
pub fn cache_failure() {
    if let Some(failure) = gchr::device::cache_failure()
        && gchr::device::cache_refusal().is_none()
    {
        say(&format!(
            "gchr: {failure}; the next run compiles its kernels again (GCHR_CACHE_DIR names another folder)\n"
        ));
    }
}

/// Says that a program may mean something else in rounds; `gchr check` shows where.
pub fn differences(found: &Diagnostics, file: &Path) {
    if !found.list().is_empty() {
        let file = file.display();
        say(&format!(
            "gchr: rounds may differ from refined, shown by `gchr check --semantics rounds {file}`\n"
        ));
    }
}

/// Shows a finding that has no place in a source text.
pub fn problem(code: &str, message: &str, help: &str) {
    say(&format!("[{code}] Error: {message}\n  Help: {help}\n"));
}

/// Shows the statistics that apply, each on a line.
pub fn stats(stats: &Stats) {
    let Ok(serde_json::Value::Object(keys)) = serde_json::to_value(stats) else { return };
    let lines = keys.iter().filter(|(_, value)| !value.is_null()).map(|(key, value)| match value {
        serde_json::Value::String(text) => format!("{key:<12} {text}\n"),
        serde_json::Value::Number(n) if n.is_f64() => format!("{key:<12} {:.3}\n", n.as_f64().unwrap_or(0.0)),
        other => format!("{key:<12} {other}\n"),
    });
    say(&lines.collect::<String>());
}

/// Shows what a scheduler counts beside the statistics.
pub fn figures<N: std::fmt::Display>(figures: &[(N, u64)]) {
    let line = |(name, value): &(N, u64)| format!("{:<12} {value}\n", name.to_string());
    say(&figures.iter().map(line).collect::<String>());
}
