//! Commands of the interactive session: lines that begin with a colon.

use std::path::Path;

use gchr::base::limit::Limit;
use gchr::{Answers, Device, Selection};

use crate::cli::exit::Exit;
use crate::cli::{profile, report, values};

use super::next::Next;
use super::state::State;

/// A command, and what is behind its name.
pub struct Command<'a> {
    name: &'a str,
    rest: &'a str,
}

/// Names of commands with what they take and do.
const COMMANDS: [(&str, &str, &str); 17] = [
    (":store", "[NAME/ARITY ...]", "the constraints in the store, all or those of these symbols"),
    (":sizes", "", "how many there are of each constraint"),
    (":facts", "C=FILE", "add the rows of a file"),
    (":save", "FILE", "keep the store in a file, for another session of the same program"),
    (":open", "FILE", "make the store what it was when the file was saved"),
    (":run", "", "run the program's own queries, or evaluate its own input"),
    (
        ":why",
        "WHAT",
        "the rule instances that led to a constraint (`:set why on` or --why records them), or to 1.2 of a result",
    ),
    (":trace", "[on|off]", "show every rule application"),
    (":stats", "[on|off]", "show statistics behind each result"),
    (":profile", "FILE", "record the next goal or term, and write its profile: .html, .svg or .json"),
    (
        ":set",
        "OPTION VALUE",
        "max-steps, max-rounds, memory, timeout, max-output (off: no limit), answers (N or all), why (on or off)",
    ),
    (":undo", "", "take back the last goal that changed the store"),
    (":clear", "", "begin anew with an empty store"),
    (":reload", "", "read the program again; the store begins anew"),
    (
        ":device",
        "DEVICE",
        "what runs goals and terms from now on: cpu, gpu, gpu:N, sim; the store goes there",
    ),
    (":help", "", "this list"),
    (":quit", "", "leave; so does Ctrl-D"),
];

const SETTINGS: [&str; 7] = ["answers", "max-output", "max-rounds", "max-steps", "memory", "timeout", "why"];

/// How a limit is moved in a session.
pub fn by_setting(limit: Limit) -> &'static str {
    match limit {
        Limit::Steps => "raise it with :set max-steps N, or :set max-steps off for no limit",
        Limit::Rounds => "raise it with :set max-rounds N, or :set max-rounds off for no limit",
        Limit::Memory => "raise it with :set memory SIZE, e.g. :set memory 16G",
        Limit::Time => {
            "raise it with :set timeout T, e.g. :set timeout 10m, or :set timeout off for no limit"
        }
        Limit::Output => "raise it with :set max-output SIZE, or :set max-output off for no limit",
        Limit::Integers => {
            "integers have 64 bits over ground stores, and floats must stay finite: use smaller numbers, or begin the \
             session with `gchr repl --logic`, where integers have any size"
        }
    }
}

/// The command of a line, if it is one: `:-` and `::` begin none.
pub fn of_line(text: &str) -> Option<Command<'_>> {
    let rest = text.strip_prefix(':')?;
    if !rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    Some(Command { name: &text[..end], rest: text[end..].trim() })
}

/// Commands that begin so.
pub fn names(start: &str) -> Vec<String> {
    let all = COMMANDS.iter().map(|(name, ..)| *name);
    all.filter(|name| name.starts_with(start)).map(String::from).collect()
}

/// Settings that begin so.
pub fn settings(start: &str) -> Vec<String> {
    SETTINGS.iter().filter(|name| name.starts_with(start)).map(|name| name.to_string()).collect()
}

fn wrong(message: &str, help: &str) -> Next {
    report::problem("U0119", message, help);
    Next::Failed
}

impl State<'_> {
    /// Does what a command says.
    pub fn command(&mut self, Command { name, rest }: Command<'_>) -> Next {
        match (name, rest) {
            (":store", symbols) => {
                let symbols: Result<Vec<_>, String> =
                    symbols.split_whitespace().map(values::symbol).collect();
                match symbols {
                    Ok(symbols) => self.show_store(&Selection::of_symbols(symbols)),
                    Err(error) => wrong(&error, ":store path/2"),
                }
            }
            (":sizes", "") => self.show_sizes(),
            (":facts", file) => match values::facts(file) {
                Ok((constraint, file)) => self.add_facts(&constraint, &file),
                Err(error) => wrong(&error, ":facts edge=roads.csv"),
            },
            (":save", "") => wrong(":save takes a file", ":save roads.session"),
            (":save", file) => self.save(Path::new(file)),
            (":open", "") => wrong(":open takes a file", ":open roads.session"),
            (":open", file) => self.restore(Path::new(file)),
            (":run", "") => self.run_own(),
            (":why", "") => wrong(":why takes a constraint", ":why path(1,4)"),
            (":why", of) => self.show_why(of),
            (":profile", "") => wrong(":profile takes a file", ":profile out.html"),
            (":profile", file) => match profile::target(file) {
                Ok(target) => self.record(&target),
                Err(error) => wrong(&error, ":profile out.html"),
            },
            (":trace", value) => self.switch(value, ":trace"),
            (":stats", value) => self.switch(value, ":stats"),
            (":set", rest) => self.set(rest),
            (":undo", "") => self.undo(),
            (":clear", "") => self.begin_anew(),
            (":reload", "") => self.begin_anew(),
            (":device", device) => match crate::cli::device::device(device) {
                Ok(Device::Auto) => {
                    wrong("a session has one device", ":device cpu, :device gpu or :device sim")
                }
                Ok(device) => self.set_device(device),
                Err(error) => wrong(&error, ":device cpu, :device gpu or :device sim"),
            },
            (":help" | ":h", "") => {
                for (name, takes, does) in COMMANDS {
                    report::say(&format!("{:<26} {does}\n", format!("{name} {takes}")));
                }
                Next::Go
            }
            (":quit" | ":q" | ":exit", "") => Next::End(Exit::Done),
            _ => match COMMANDS.iter().find(|(known, ..)| *known == name) {
                Some((name, ..)) => wrong(&format!("{name} takes nothing behind it"), ":help lists commands"),
                None => {
                    let near = gchr::base::suggest::nearest(name, COMMANDS.iter().map(|(known, ..)| *known));
                    let help =
                        near.map_or(":help lists commands".into(), |near| format!("did you mean {near}?"));
                    wrong(&format!("there is no command {name}"), &help)
                }
            },
        }
    }

    fn set(&mut self, text: &str) -> Next {
        let (option, value) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let (value, is_off) = (value.trim(), value.trim() == "off");
        let number = |value: &str| value.parse::<u64>().map_err(|_| "expected a number".to_string());
        fn limit<T>(
            is_off: bool,
            read: impl FnOnce(&str) -> Result<T, String>,
            value: &str,
        ) -> Result<Option<T>, String> {
            if is_off { Ok(None) } else { read(value).map(Some) }
        }
        let limits = &mut self.limits;
        if let ("why", "on" | "off") = (option, value) {
            return self.set_derivations(value == "on");
        }
        let set = match option {
            "why" => Err("why is on or off".into()),
            "max-steps" => limit(is_off, number, value).map(|limit| limits.max_steps = limit),
            "max-rounds" => limit(is_off, number, value).map(|limit| limits.max_rounds = limit),
            "memory" => limit(is_off, values::size, value).and_then(|limit| self.set_memory(limit)),
            "max-output" => limit(is_off, values::size, value).map(|limit| limits.max_output = limit),
            "timeout" => limit(is_off, values::duration, value).map(|limit| limits.timeout = limit),
            "answers" => {
                let answers = match value {
                    "all" => Ok(Answers::All),
                    "0" => Err("answers is 1, more, or all".into()),
                    n => number(n).map(Answers::First),
                };
                answers.map(|answers| self.set_answers(answers))
            }
            other => Err(format!("there is no option `{other}`")),
        };
        match set {
            Ok(()) => Next::Go,
            Err(error) => wrong(
                &error,
                &format!("one of {} with a value, e.g. :set max-steps 1000", SETTINGS.join(", ")),
            ),
        }
    }

    fn switch(&mut self, value: &str, name: &str) -> Next {
        let on = match value {
            "on" => true,
            "off" => false,
            "" => !self.is_on(name),
            _ => return wrong(&format!("{name} is on or off"), &format!("{name} on")),
        };
        report::say(&format!("{} is {}\n", &name[1..], if on { "on" } else { "off" }));
        self.turn(name, on)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_begin_with_a_colon_and_a_letter() {
        let parts = |text| of_line(text).map(|command| (command.name, command.rest));
        assert_eq!(parts(":store path/2  q "), Some((":store", "path/2  q")));
        assert_eq!(parts(":quit"), Some((":quit", "")));
        for other in ["p(1)", ":- p", "::", ":", "?- p", ""] {
            assert_eq!(parts(other), None, "{other}");
        }
        assert_eq!(names(":s"), [":store", ":sizes", ":save", ":stats", ":set"]);
        assert_eq!(settings("max-"), ["max-output", "max-rounds", "max-steps"]);
    }
}
