//! Where lines come from: a terminal with editing, history and completion, or any other standard input.

use std::io::{self, BufRead, IsTerminal};
use std::path::{Path, PathBuf};

use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Context, Editor, Helper};

use gchr::base::memory::{self, Shortage};
use gchr::base::stop::StopReason;

use super::commands;
use super::text::{Scan, is_open};

/// What comes next.
pub enum Line {
    /// A goal, a term or a command, which may have several lines.
    Text(String),
    /// Ctrl-C at the prompt.
    Interrupted,
    /// The end of the input.
    End,
    /// The end of the input in the middle of this.
    Open(String),
    /// What came is no text, or cannot be read.
    Unreadable(String),
    /// There is no memory for what came.
    TooLong(StopReason),
}

/// A source of lines.
pub struct Lines(Source);

enum Source {
    Terminal { editor: Box<Editor<Words, FileHistory>>, history: Option<PathBuf> },
    Plain { is_at_end: bool },
}

impl Lines {
    /// Standard input.
    pub fn open(names: Vec<String>) -> Self {
        let plain = Self(Source::Plain { is_at_end: false });
        if !(io::stdin().is_terminal() && io::stdout().is_terminal()) {
            return plain;
        }
        let config = rustyline::Config::builder().auto_add_history(true).build();
        let Ok(mut editor) = Editor::with_config(config) else { return plain };
        editor.set_helper(Some(Words { names }));
        let history = history_file();
        if let Some(file) = &history {
            // There is none the first time.
            let _ = editor.load_history(file);
        }
        Self(Source::Terminal { editor: Box::new(editor), history })
    }

    /// Whether somebody types.
    pub fn is_terminal(&self) -> bool {
        matches!(self.0, Source::Terminal { .. })
    }

    /// Whether nothing more comes.
    pub fn is_at_end(&self) -> bool {
        matches!(self.0, Source::Plain { is_at_end: true })
    }

    /// The names that are completed.
    pub fn set_names(&mut self, names: Vec<String>) {
        if let Source::Terminal { editor, .. } = &mut self.0 {
            editor.set_helper(Some(Words { names }));
        }
    }

    /// The next goal, term or command.
    pub fn next(&mut self) -> Line {
        match &mut self.0 {
            Source::Terminal { editor, history } => match editor.readline("gchr> ") {
                Ok(text) => {
                    keep(editor, history.as_deref());
                    Line::Text(text)
                }
                Err(ReadlineError::Interrupted) => Line::Interrupted,
                Err(ReadlineError::Eof) => Line::End,
                Err(error) => Line::Unreadable(error.to_string()),
            },
            Source::Plain { is_at_end } => read(&mut io::stdin().lock(), is_at_end),
        }
    }
}

/// Writes the lines that are new to the file of the history, behind those of other sessions: a session that a signal
/// ends writes nothing any more.
fn keep(editor: &mut Editor<Words, FileHistory>, history: Option<&Path>) {
    if let Some(file) = history {
        // A history that cannot be kept is no reason to complain.
        let _ = file.parent().map(std::fs::create_dir_all);
        let _ = editor.append_history(file);
    }
}

/// Reads lines until what is open is closed. What may never end is bounded by the memory of the process.
fn read(input: &mut impl BufRead, is_at_end: &mut bool) -> Line {
    let (mut text, mut scan) = (String::new(), Scan::default());
    loop {
        let line = match read_line(input, is_at_end) {
            Ok(line) => line,
            Err(line) => return line,
        };
        if line.is_empty() {
            return if text.trim().is_empty() { Line::End } else { Line::Open(text) };
        }
        scan.read(&line);
        if text.is_empty() {
            text = line;
        } else if let Err(shortage) = memory::ask((text.len() + line.len()) as u64) {
            return too_long(shortage, is_at_end);
        } else {
            text.push_str(&line);
        }
        if commands::of_line(text.trim()).is_some() || !scan.is_open() {
            return Line::Text(text);
        }
    }
}

/// The next line with its end; an empty one at the end of the input.
fn read_line(input: &mut impl BufRead, is_at_end: &mut bool) -> Result<String, Line> {
    let mut line = Vec::new();
    loop {
        let piece = match input.fill_buf() {
            Ok(piece) => piece,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => {
                *is_at_end = true;
                return Err(Line::Unreadable(error.to_string()));
            }
        };
        let end = piece.iter().position(|&byte| byte == b'\n');
        let taken = end.map_or(piece.len(), |at| at + 1);
        if let Err(shortage) = memory::reserve(&mut line, taken) {
            return Err(too_long(shortage, is_at_end));
        }
        line.extend_from_slice(&piece[..taken]);
        input.consume(taken);
        *is_at_end = taken == 0 && line.is_empty();
        if end.is_some() || taken == 0 {
            return String::from_utf8(line).map_err(|error| Line::Unreadable(error.utf8_error().to_string()));
        }
    }
}

/// There is no memory for a line, of which nobody knows how much is to come.
fn too_long(shortage: Shortage, is_at_end: &mut bool) -> Line {
    *is_at_end = true;
    Line::TooLong(shortage.of("a line of the input"))
}

fn history_file() -> Option<PathBuf> {
    let folder = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    let state = folder("XDG_STATE_HOME").or_else(|| Some(folder("HOME")?.join(".local/state")))?;
    Some(state.join("gchr/history"))
}

/// Completes names and commands, and knows what is complete.
struct Words {
    names: Vec<String>,
}

impl Completer for Words {
    type Candidate = String;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        let before = &line[..at];
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        let start = before
            .rfind(|c| !is_part(c))
            .map_or(0, |i| i + before[i..].chars().next().map_or(1, char::len_utf8));
        if before.starts_with(':') && start <= 1 {
            return Ok((0, commands::names(before)));
        }
        let word = &before[start..];
        if before.starts_with(":set ") {
            return Ok((start, commands::settings(word)));
        }
        let mut found: Vec<String> =
            self.names.iter().filter(|name| !word.is_empty() && name.starts_with(word)).cloned().collect();
        found.sort();
        found.dedup();
        Ok((start, found))
    }
}

impl Validator for Words {
    fn validate(&self, ctx: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        let text = ctx.input();
        let is_command = commands::of_line(text.trim()).is_some();
        Ok(match is_open(text) && !is_command {
            true => ValidationResult::Incomplete,
            false => ValidationResult::Valid(None),
        })
    }
}

impl Highlighter for Words {}
impl Hinter for Words {
    type Hint = String;
}
impl Helper for Words {}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &[u8]) -> Vec<String> {
        let (mut input, mut is_at_end, mut found) = (text, false, Vec::new());
        while !is_at_end {
            found.push(match read(&mut input, &mut is_at_end) {
                Line::Text(text) => text.trim().to_string(),
                Line::Interrupted => "interrupted".into(),
                Line::End => "end".into(),
                Line::Open(text) => format!("open {}", text.trim()),
                Line::Unreadable(_) => "unreadable".into(),
                Line::TooLong(_) => "too long".into(),
            });
        }
        found
    }

    #[test]
    fn open_brackets_take_further_lines() {
        assert_eq!(all(b"p(1)\np(\n2)\n:store\nq"), ["p(1)", "p(\n2)", ":store", "q", "end"]);
        assert_eq!(all(b"p(1),\n"), ["open p(1),"]);
        assert_eq!(all(b":set (\np(1)\n"), [":set (", "p(1)", "end"]);
        assert_eq!(all(b""), ["end"]);
        assert_eq!(all(b"\xff\np(1)\n")[0], "unreadable");
    }
}
