//! `gchr check`: all diagnostics of programs.

mod machine;
mod properties;

use std::collections::BTreeMap;
use std::time::Instant;

use gchr::properties::Properties;
use gchr::{CompileOptions, Diagnostic, Diagnostics, Input, Language, Program};

use clap::ValueEnum;

use self::properties::PropertyArgs;
use super::effects::{self, Case};
use super::exit::Exit;
use super::program::{LanguageArg, ProgramArgs};
use super::semantics::SemanticsArgs;
use super::streams::stdin_once;
use super::{report, sink, watchdog, wording};

/// Arguments of `gchr check`.
#[derive(clap::Args)]
#[command(
    after_help = "The exit code is 2 when a program has errors, and 1 when a property that is asked for is not shown."
)]
pub struct Args {
    /// Program files: .trs, .rec, .ari, .xml, .mcrl2, .maude (term rewriting) or .chr, .pl (Constraint Handling Rules)
    #[arg(value_name = "FILE", required = true)]
    files: Vec<std::path::PathBuf>,
    /// Language of the files, when their endings do not tell
    #[arg(long, value_name = "LANGUAGE")]
    language: Option<LanguageArg>,
    /// Show what rounds make of each rule: its class, or why it has none (.chr)
    #[arg(long)]
    explain: bool,
    /// How findings are shown: text on standard error, or json and sarif on standard output
    #[arg(long, value_name = "FORMAT", default_value = "text", conflicts_with = "explain")]
    format: FormatArg,
    /// Leave out warnings with this code, such as T0502; may be given several times
    #[arg(long, value_name = "CODE", value_parser = code)]
    allow: Vec<String>,
    /// Take warnings for errors: `warnings` for all, or a code; may be given several times
    #[arg(short = 'D', long, value_name = "WHAT", value_parser = denied)]
    deny: Vec<String>,
    #[command(flatten)]
    properties: PropertyArgs,
    #[command(flatten)]
    semantics: SemanticsArgs,
}

/// Warnings of one code that are shown of a program; the others are counted.
const MOST_OF_CODE: usize = 100;

/// How findings are shown.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FormatArg {
    /// As they are read by people
    Text,
    /// One object with all findings
    Json,
    /// SARIF 2.1.0, which services that show findings read
    Sarif,
}

/// `T0502`.
fn code(text: &str) -> Result<String, String> {
    let is_code = text.len() == 5
        && text.starts_with(|c: char| c.is_ascii_uppercase())
        && text[1..].bytes().all(|b| b.is_ascii_digit());
    if is_code { Ok(text.to_string()) } else { Err("expected a code of a warning, e.g. T0502".into()) }
}

fn denied(text: &str) -> Result<String, String> {
    if text == "warnings" {
        Ok(text.to_string())
    } else {
        code(text).map_err(|e| format!("{e}, or `warnings`"))
    }
}

/// What is found in one file.
struct Checked {
    file: String,
    found: Vec<Diagnostics>,
    errors: usize,
    warnings: usize,
    /// How many warnings of each code, those among them that are taken for errors.
    warned: BTreeMap<&'static str, usize>,
    /// What it is, where it can be read.
    case: Option<Case>,
    /// What `--explain` shows.
    explained: Option<String>,
    /// The program with what is known of its properties, where some are asked for.
    properties: Option<(Program, Properties)>,
}

/// Checks every file, and ends with an error when one of them has errors.
pub fn run(args: &Args, start: Instant) -> Exit {
    watchdog::limit(args.properties.timeout(), start);
    if args.format == FormatArg::Sarif && args.properties.is_given() {
        report::problem("U0105", "SARIF has no place for properties of programs", "take --format json");
        return Exit::Usage;
    }
    match check_all(args) {
        Ok(exit) | Err(exit) => exit,
    }
}

fn check_all(args: &Args) -> Result<Exit, Exit> {
    stdin_once(&args.files)?;
    let mut all = Vec::new();
    let mut cases = Vec::new();
    for file in &args.files {
        let program = ProgramArgs { file: file.clone(), language: args.language };
        let checked =
            check(file.display().to_string(), &program.input().for_rounds(args.semantics.rounds()), args)?;
        cases.push(checked.case);
        if args.format == FormatArg::Text {
            checked.show();
            checked.explained.iter().for_each(|text| report::say(text));
            report::say(&format!(
                "{}: {}, {}\n",
                checked.file,
                count(checked.errors, "error"),
                count(checked.warnings, "warning")
            ));
            if let Some((program, known)) = &checked.properties {
                done(sink::print(&properties::text(&checked.file, program, known)))?;
            }
        }
        all.push(checked);
    }
    done(match args.format {
        FormatArg::Text => Exit::Done,
        FormatArg::Json => sink::print(&machine::json(&all)),
        FormatArg::Sarif => sink::print(&machine::sarif(&all)),
    })?;
    // A program with errors may be of any kind.
    if let Some(cases) = cases.into_iter().collect::<Option<Vec<_>>>() {
        effects::check(&cases)?;
    }
    let is_shown = |checked: &Checked| checked.properties.as_ref().is_none_or(|(_, known)| known.are_shown());
    Ok(if all.iter().any(|checked| checked.errors > 0) {
        Exit::Usage
    } else if all.iter().all(is_shown) {
        Exit::Done
    } else {
        Exit::Failed
    })
}

fn done(exit: Exit) -> Result<(), Exit> {
    if exit == Exit::Done { Ok(()) } else { Err(exit) }
}

/// All findings of a program, in the order of the steps that they are of, and the program where it can be read.
pub fn examine(input: &Input, options: &CompileOptions) -> (Vec<Diagnostics>, Option<Program>) {
    match input.parse() {
        Err(found) => (vec![found.in_words(wording::wording())], None),
        Ok(program) => {
            let compiled = match program.compile(options) {
                Ok(executable) => executable.warnings(),
                Err(found) => found,
            };
            (vec![program.warnings().clone(), compiled.in_words(wording::wording())], Some(program))
        }
    }
}

fn check(file: String, input: &Input, args: &Args) -> Result<Checked, Exit> {
    let mut checked = Checked {
        file,
        found: Vec::new(),
        errors: 0,
        warnings: 0,
        warned: BTreeMap::new(),
        case: None,
        explained: None,
        properties: None,
    };
    let options = args.semantics.complete(CompileOptions::default());
    let (found, program) = examine(input, &options);
    checked.case = program.as_ref().map(|program| Case::of(program, &options));
    found.iter().for_each(|found| checked.take(found, args));
    let Some(program) = program else { return Ok(checked) };
    if args.explain && checked.errors == 0 && program.language() == Language::Constraints {
        match program.explain() {
            Ok(text) => checked.explained = Some(text),
            Err(found) => checked.take(&found, args),
        }
    }
    if args.properties.is_given() {
        match args.properties.look_at(&program) {
            Ok(known) => checked.properties = Some((program, known)),
            Err(found) if found.blame_the_run() => return Err(report::refuse(&found)),
            Err(found) => checked.take(&found, args),
        }
    }
    Ok(checked)
}

impl Checked {
    /// Shows what is found: errors, which the readers bound, and the first warnings of each code.
    fn show(&self) {
        let mut left: BTreeMap<&str, usize> = self.warned.keys().map(|code| (*code, MOST_OF_CODE)).collect();
        for found in &self.found {
            let shown = found.adjusted(|found| {
                let Some(left) = left.get_mut(found.code) else { return true };
                let is_shown = *left > 0;
                *left = left.saturating_sub(1);
                is_shown
            });
            report::diagnostics(&shown);
        }
        for (code, &count) in self.warned.iter().filter(|(_, count)| **count > MOST_OF_CODE) {
            let more = count - MOST_OF_CODE;
            report::say(&format!(
                "{}: {more} more of {code} are not shown, --format json has all\n",
                self.file
            ));
        }
    }

    /// Takes findings as the options have them.
    fn take(&mut self, found: &Diagnostics, args: &Args) {
        let is_in = |list: &[String], found: &Diagnostic| list.iter().any(|code| code == found.code);
        let found = found.adjusted(|found| {
            if found.is_error() {
                return true;
            }
            if is_in(&args.allow, found) {
                return false;
            }
            *self.warned.entry(found.code).or_default() += 1;
            if is_in(&args.deny, found) || args.deny.iter().any(|what| what == "warnings") {
                found.severity = gchr::Severity::Error;
                found.notes.push("a warning that -D makes an error".into());
            }
            true
        });
        let (errors, warnings) = found.counts();
        self.errors += errors;
        self.warnings += warnings;
        self.found.push(found);
    }
}

fn count(n: usize, what: &str) -> String {
    match n {
        0 => format!("no {what}s"),
        1 => format!("1 {what}"),
        n => format!("{n} {what}s"),
    }
}
