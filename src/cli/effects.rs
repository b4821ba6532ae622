//! Which options have an effect on what: one that was given and has none is refused, never passed over in silence.
//!
//! [`RULES`] names each option that depends on the program, its semantics or the device, with what it needs. All
//! commands share it; an option without a rule has an effect on every run of its command.

use std::sync::OnceLock;

use clap::ArgMatches;
use clap::parser::ValueSource;
use gchr::base::rule::Semantics;
use gchr::{CompileOptions, Device, Language, Program};

use super::exit::Exit;
use super::report;

/// What a command does with one program.
#[derive(Clone, Copy, Default, Debug)]
pub struct Case {
    pub language: Option<Language>,
    pub is_logic: bool,
    /// Whether a constraint program runs in rounds.
    pub in_rounds: bool,
    pub device: Device,
    /// Whether files of facts are read.
    pub has_facts: bool,
    /// Whether a term program has several terms to evaluate.
    pub has_several_terms: bool,
    /// Whether applications are traced or recorded.
    pub is_watched: bool,
}

/// What an option needs to have an effect.
struct Rule {
    options: &'static [&'static str],
    /// The commands that it is about; none: all.
    commands: &'static [&'static str],
    /// The only value that needs it.
    value: Option<&'static str>,
    needs: fn(&Case) -> bool,
    /// Behind the option in a message.
    otherwise: &'static str,
    help: &'static str,
}

impl Case {
    /// A program that is run in this way.
    pub fn of(program: &Program, options: &CompileOptions) -> Self {
        let language = program.language();
        let is_logic = program.is_logic();
        let in_rounds =
            language == Language::Constraints && !is_logic && program.semantics(options) == Semantics::Rounds;
        let device = options.device;
        Self {
            language: Some(language),
            is_logic,
            in_rounds,
            device,
            has_several_terms: program.terms() > 1,
            is_watched: options.trace,
            ..Self::default()
        }
    }

    fn is_terms(&self) -> bool {
        self.language == Some(Language::Terms)
    }

    fn is_constraints(&self) -> bool {
        self.language == Some(Language::Constraints)
    }

    /// Whether the processor could run machine code of the rules.
    fn is_native(&self) -> bool {
        matches!(self.device, Device::Cpu | Device::Auto)
            && !self.is_logic
            && !self.in_rounds
            && !self.is_watched
    }

    /// Whether a GPU may run it.
    fn may_use_gpu(&self) -> bool {
        match self.device {
            Device::Gpu(_) => true,
            Device::Auto => self.is_terms() || self.in_rounds,
            Device::Cpu | Device::Sim => false,
        }
    }
}

const FOR_TERMS: &str = "does not apply to a constraint program";
const FOR_CONSTRAINTS: &str = "does not apply to a term program";

/// A rule that says nothing yet: about all commands and values.
const ANY: Rule = Rule { options: &[], commands: &[], value: None, needs: |_| true, otherwise: "", help: "" };

/// The options that depend on something.
const RULES: &[Rule] = &[
    Rule {
        options: &["semantics"],
        needs: Case::is_constraints,
        otherwise: FOR_CONSTRAINTS,
        help: "leave it out: terms are rewritten innermost",
        ..ANY
    },
    Rule {
        options: &["semantics"],
        commands: &["emit"],
        value: Some("refined"),
        needs: |case| !case.in_rounds,
        otherwise: "refined does not apply to kernels",
        help: "leave it out: devices run rounds; --stage plan shows what the processor executes",
    },
    Rule {
        options: &["firing"],
        needs: Case::is_constraints,
        otherwise: FOR_CONSTRAINTS,
        help: "leave it out: it says how rounds find what can fire",
        ..ANY
    },
    Rule {
        options: &["firing"],
        needs: |case| case.in_rounds,
        otherwise: "does not apply without rounds",
        help: "leave it out, or give --semantics rounds with a .chr program over ground stores",
        ..ANY
    },
    Rule {
        options: &["max-rounds"],
        needs: |case| case.in_rounds,
        otherwise: "does not apply without rounds",
        help: "leave it out, or give --semantics rounds with a .chr program; --max-steps bounds every run",
        ..ANY
    },
    Rule {
        options: &["gc"],
        needs: Case::is_terms,
        otherwise: FOR_TERMS,
        help: "leave it out: the CPU uses rows of removed constraints again at once, a device compacts a table \
               when half of its rows are dead; --memory says how far tables grow (docs/rounds.md)",
        ..ANY
    },
    Rule {
        options: &["scheduler", "strategy"],
        needs: Case::is_terms,
        otherwise: FOR_TERMS,
        help: "leave it out: it says how terms are rewritten; --firing says how rounds find instances",
        ..ANY
    },
    Rule {
        options: &["kernels"],
        commands: &["run"],
        needs: Case::may_use_gpu,
        otherwise: "has no effect: no GPU is used",
        help: "leave it out, or give --device gpu or --device auto",
        ..ANY
    },
    Rule {
        options: &["native"],
        value: Some("on"),
        needs: Case::is_native,
        otherwise: "on has no effect: this run is interpreted, or kernels do it",
        help: "leave it out: machine code runs terms and constraints under the refined semantics on the processor, \
               and is not traced or recorded (docs/native.md)",
        ..ANY
    },
    Rule {
        options: &["all", "answers"],
        needs: |case| case.is_logic,
        otherwise: "has no effect: the program has no choices and no random numbers",
        help: "leave it out: there is one answer",
        ..ANY
    },
    Rule {
        options: &["seed"],
        commands: &["run"],
        needs: |case| case.is_logic,
        otherwise: "has no effect: the program has no choices and no random numbers",
        help: "leave it out: there is one answer",
        ..ANY
    },
    Rule {
        // Goals of a session may need the logic machine later.
        options: &["seed", "why"],
        commands: &["repl"],
        needs: Case::is_constraints,
        otherwise: FOR_CONSTRAINTS,
        help: "leave it out, or give a constraint program (.chr)",
        ..ANY
    },
    Rule {
        options: &["logic"],
        needs: Case::is_constraints,
        otherwise: FOR_CONSTRAINTS,
        help: "leave it out, or give a constraint program (.chr)",
        ..ANY
    },
    Rule {
        options: &["header", "facts-format"],
        needs: |case| case.has_facts,
        otherwise: "has no effect: there is no fact file",
        help: "leave it out, or give the files: --facts C=FILE",
        ..ANY
    },
    Rule {
        options: &["show", "sizes", "out-dir"],
        commands: &["run"],
        needs: Case::is_constraints,
        otherwise: FOR_CONSTRAINTS,
        help: "leave it out: the result is a normal form, no store",
        ..ANY
    },
    Rule {
        options: &["partial"],
        commands: &["run"],
        needs: |case| case.is_constraints() || case.has_several_terms,
        otherwise: "has no effect: there are not several terms",
        help: "leave it out: a term has no form to show until it is a normal form",
        ..ANY
    },
    Rule {
        options: &["input"],
        commands: &["compare"],
        needs: Case::is_terms,
        otherwise: "has no effect: there is no term program",
        help: "leave it out, or start constraint programs with --query GOALS",
        ..ANY
    },
    Rule {
        options: &["query"],
        commands: &["compare"],
        needs: Case::is_constraints,
        otherwise: "has no effect: there is no constraint program",
        help: "leave it out, or start term programs with --input TERM",
        ..ANY
    },
    Rule {
        options: &["device"],
        commands: &["repl"],
        value: Some("auto"),
        needs: |_| false,
        otherwise: "auto has no effect: a session stays on one device",
        help: "give --device cpu, gpu or sim",
    },
    Rule {
        options: &["limit"],
        commands: &["why"],
        needs: Case::is_constraints,
        otherwise: FOR_CONSTRAINTS,
        help: "leave it out: one place of the result is explained",
        ..ANY
    },
    Rule {
        options: &["explain"],
        commands: &["check"],
        needs: Case::is_constraints,
        otherwise: FOR_CONSTRAINTS,
        help: "leave it out, or give --confluence, --termination or --complete",
        ..ANY
    },
    Rule {
        options: &["after"],
        commands: &["emit"],
        needs: Case::is_terms,
        otherwise: FOR_TERMS,
        help: "leave it out: the plan of a constraint program is made in one step",
        ..ANY
    },
];

/// The options that were given to a command, with their values.
#[derive(Debug)]
pub struct GivenOptions {
    command: String,
    options: Vec<(String, Vec<String>)>,
}

/// Those of the command line of this process.
static GIVEN: OnceLock<GivenOptions> = OnceLock::new();

/// Notes the options of the command line of this process.
pub fn note(command: &str, matches: &ArgMatches) {
    let _ = GIVEN.set(GivenOptions::of(command, matches));
}

/// Refuses the options of the command line that have no effect on any of these programs; all of them are told.
pub fn check(cases: &[Case]) -> Result<(), Exit> {
    GIVEN.get().map_or(Ok(()), |given| given.check("", cases))
}

impl GivenOptions {
    /// What a parser of options has found.
    pub fn of(command: &str, matches: &ArgMatches) -> Self {
        let is_given = |id: &&clap::Id| matches.value_source(id.as_str()) == Some(ValueSource::CommandLine);
        let options = matches.ids().filter(is_given).filter_map(|id| {
            let values = matches.try_get_raw(id.as_str()).ok()??;
            let values = values.map(|value| value.to_string_lossy().into_owned()).collect();
            Some((id.as_str().replace('_', "-"), values))
        });
        Self { command: command.into(), options: options.collect() }
    }

    /// Refuses those that have no effect on any of these programs; `place` stands before each in messages.
    pub fn check(&self, place: &str, cases: &[Case]) -> Result<(), Exit> {
        let mut done = Ok(());
        for (option, values) in &self.options {
            let idle = RULES.iter().find(|rule| {
                rule.is_about(&self.command, option)
                    && rule.value.is_none_or(|value| values.iter().all(|given| given == value))
                    && !cases.iter().any(rule.needs)
            });
            if let Some(rule) = idle {
                report::problem("U0105", &format!("{place}--{option} {}", rule.otherwise), rule.help);
                done = Err(Exit::Usage);
            }
        }
        done
    }
}

impl Rule {
    fn is_about(&self, command: &str, option: &str) -> bool {
        self.options.contains(&option) && (self.commands.is_empty() || self.commands.contains(&command))
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    /// Each rule is about an option that there is.
    #[test]
    fn rules_are_about_options() {
        let commands = crate::cli::Cli::command();
        let has = |command: &clap::Command, option: &str| {
            command.get_arguments().any(|arg| {
                arg.get_long() == Some(option) && arg.get_id().as_str().replace('_', "-") == option
            })
        };
        for rule in RULES {
            for option in rule.options {
                let mut of =
                    commands.get_subcommands().filter(|c| has(c, option)).map(clap::Command::get_name);
                match rule.commands {
                    [] => assert!(of.next().is_some(), "{option}"),
                    named => assert!(
                        named
                            .iter()
                            .all(|name| commands.find_subcommand(name).is_some_and(|c| has(c, option))),
                        "{option}"
                    ),
                }
            }
        }
    }
}
