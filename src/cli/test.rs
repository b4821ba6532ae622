//! `gchr test`: what comments of programs expect of goals and terms.
//!
//! `%> GOALS` or `%> TERM` begins an expectation; each `%=` line behind it is a line of the result, and `%= error CODE`
//! says that there is none. What the program itself writes is a part of the result. In place of `%` stands what begins
//! a comment in the format of the program.

use std::path::{Path, PathBuf};

use gchr::base::escape;
use gchr::base::memory as limits_of_process;
use gchr::base::reading::{self, Account, read_text};
use gchr::base::source::SourceMap;
use gchr::{CompileOptions, Control, Diagnostics, Input, Language, Syntax};

use super::device::DeviceArgs;
use super::effects::{self, Case};
use super::exit::Exit;
use super::limits::LimitArgs;
use super::program::{LanguageArg, ProgramArgs};
use super::semantics::SemanticsArgs;
use super::streams::no_stdin;
use super::watchdog::{self, Phase};
use super::{interrupt, memory, report};

/// Arguments of `gchr test`.
#[derive(clap::Args)]
#[command(
    after_help = "In a program:\n  %> gcd(9), gcd(6)\n  %= gcd(3)\nA line `%= error R0301` expects that the run ends \
    with this error. The exit code is 0 when all expectations hold, 1 when one does not, 2 when a program has none."
)]
pub struct Args {
    /// Program files: .trs, .rec, .ari (term rewriting) or .chr, .pl (Constraint Handling Rules); a folder stands for
    /// all programs in it that expect something
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Language of the files, when their endings do not tell
    #[arg(long, value_name = "LANGUAGE")]
    language: Option<LanguageArg>,
    #[command(flatten)]
    device: DeviceArgs,
    #[command(flatten)]
    semantics: SemanticsArgs,
    #[command(flatten)]
    limits: LimitArgs,
}

impl Args {
    /// The program in a file.
    fn program(&self, file: &Path) -> Input {
        let program = ProgramArgs { file: file.to_path_buf(), language: self.language };
        program.input().for_rounds(self.semantics.rounds())
    }
}

/// What a text expects.
#[derive(PartialEq, Eq, Debug)]
struct Expectation {
    /// One-based.
    line: usize,
    input: String,
    result: Vec<String>,
}

/// Tests every file.
pub fn run(args: &Args) -> Exit {
    args.limits.bound_process(args.device.device());
    match all(args) {
        Ok(exit) | Err(exit) => exit,
    }
}

fn all(args: &Args) -> Result<Exit, Exit> {
    args.device.check_alone("gchr test")?;
    no_stdin("gchr test", &args.files)?;
    memory::start_threads(None)?;
    let options = CompileOptions {
        device: args.device.device(),
        schedule: args.device.schedule()?,
        ..Default::default()
    };
    let options = args.semantics.complete(options);
    let mut tested = Vec::new();
    for file in &args.files {
        tested.extend(if file.is_dir() { in_folder(file)? } else { vec![(file.clone(), of_file(file)?)] });
    }
    // A program with errors may be of any kind: what it expects says so.
    let programs = tested.iter().map(|(file, _)| args.program(file).parse());
    let cases = programs.map(|program| program.map(|program| Case::of(&program, &options)));
    if let Ok(cases) = cases.collect::<Result<Vec<_>, _>>() {
        effects::check(&cases)?;
    }
    let (mut passed, mut failed) = (0, 0);
    for (file, expected) in &tested {
        for one in expected {
            if interrupt::requested() {
                return Ok(Exit::Failed);
            }
            let found = result(args, file, &one.input, &options)?;
            if found == one.result {
                passed += 1;
                continue;
            }
            failed += 1;
            let input = one.input.lines().map(str::trim).collect::<Vec<_>>().join(" ");
            let place = format!("{}:{}: {}", file.display(), one.line, escape::line(&input));
            report::say(&format!("FAILED {place}\n{}", difference(&one.result, &found)));
        }
    }
    report::say(&format!("{passed} passed, {failed} failed\n"));
    Ok(if failed == 0 { Exit::Done } else { Exit::Failed })
}

/// What a file expects, which must be something.
fn of_file(file: &Path) -> Result<Vec<Expectation>, Exit> {
    let expected = read(file)?;
    if expected.is_empty() {
        return Err(expects_nothing(file));
    }
    Ok(expected)
}

fn expects_nothing(path: &Path) -> Exit {
    let message = format!("{} expects nothing", path.display());
    report::problem("U0120", &message, "write `%> input` and `%= result` in comments of the program");
    Exit::Usage
}

/// The programs of a folder and of those in it that expect something, by their names. Others may be parts of programs.
fn in_folder(folder: &Path) -> Result<Vec<(PathBuf, Vec<Expectation>)>, Exit> {
    let unread = |path: &Path, error: std::io::Error| {
        report::finding(&reading::unread(
            error,
            "U0101",
            path,
            "give the path of a folder or of a program file",
        ));
        Exit::Usage
    };
    let (mut found, mut open) = (Vec::new(), vec![folder.to_path_buf()]);
    while let Some(path) = open.pop() {
        // A link may lead to where it stands.
        if path == folder || (path.is_dir() && !path.is_symlink()) {
            let entries = std::fs::read_dir(&path).and_then(|entries| {
                let paths = entries.map(|entry| entry.map(|entry| entry.path()));
                paths.collect::<Result<Vec<PathBuf>, _>>()
            });
            let mut paths = entries.map_err(|error| unread(&path, error))?;
            paths.retain(|path| {
                path.file_name().is_some_and(|name| !name.as_encoded_bytes().starts_with(b"."))
            });
            paths.sort();
            open.extend(paths.into_iter().rev());
        } else if path.is_file() && Syntax::of_path(&path).is_some() {
            let expected = read(&path)?;
            found.push((path, expected));
        }
    }
    found.retain(|(_, expected)| !expected.is_empty());
    if found.is_empty() { Err(expects_nothing(folder)) } else { Ok(found) }
}

fn read(file: &Path) -> Result<Vec<Expectation>, Exit> {
    let account = Account::new(Some(limits_of_process::bound()));
    let text = read_text(file, &mut SourceMap::new(), "give the path of a program file", &account);
    let text = text.map_err(|found| {
        report::finding(&found);
        Exit::Usage
    })?;
    expectations(&text).map_err(|line| {
        let message = format!("{}:{line}: `%=` without an input before it", file.display());
        report::problem("U0120", &message, "write `%> input` before it");
        Exit::Usage
    })
}

/// What begins a comment in the formats of programs.
const COMMENTS: [&str; 3] = ["%", ";", "***"];

/// What is behind a mark at the beginning of a comment.
fn in_comment(line: &str, mark: char) -> Option<&str> {
    COMMENTS.iter().find_map(|comment| line.strip_prefix(comment)?.strip_prefix(mark))
}

/// What a text expects; the line of a result without an input.
fn expectations(text: &str) -> Result<Vec<Expectation>, usize> {
    let mut found: Vec<Expectation> = Vec::new();
    // An input may go on over several lines that begin with `%>`.
    let mut in_input = false;
    for (line, content) in (1..).zip(text.lines()) {
        let content = content.trim();
        if let Some(input) = in_comment(content, '>') {
            match found.last_mut().filter(|_| in_input) {
                Some(last) => last.input.push_str(&format!("\n{}", input.trim())),
                None => found.push(Expectation { line, input: input.trim().into(), result: Vec::new() }),
            }
            in_input = true;
        } else if let Some(result) = in_comment(content, '=') {
            let result = result.strip_prefix(' ').unwrap_or(result).trim_end();
            found.last_mut().ok_or(line)?.result.push(result.to_string());
            in_input = false;
        } else {
            in_input = false;
        }
    }
    Ok(found)
}

/// The lines that an input gives; the code of the error that ends its run.
fn result(args: &Args, file: &Path, input: &str, options: &CompileOptions) -> Result<Vec<String>, Exit> {
    watchdog::enter(Phase::Compile);
    let program = args.program(file);
    let plain = program.parse().map_err(|found| report::refuse(&found))?;
    let program = match plain.language() {
        Language::Terms => program.term(input),
        Language::Constraints => program.query(input),
    };
    let program = match program.parse() {
        Ok(program) => program,
        Err(found) => return Ok(error(&found)),
    };
    let executable = program.compile(options).map_err(|found| report::refuse(&found))?;
    watchdog::enter(Phase::Run);
    let mut written = Vec::new();
    let limits = args.limits.limits(args.device.device());
    let mut control = Control::new(limits).interrupt(interrupt::flag()).output(&mut written);
    let ran = executable.run(&mut control);
    let text = match ran.map(|outcome| outcome.text_under(&control)) {
        Ok(Ok(text)) => text,
        Ok(Err(stopped)) => return Ok(vec![format!("error {}", stopped.code)]),
        Err(failure) if failure.error.is_none() => return Err(report::refuse(&failure.diagnostics)),
        Err(failure) => return Ok(error(&failure.diagnostics)),
    };
    drop(control);
    let text = format!("{}{text}", String::from_utf8_lossy(&written));
    Ok(text.lines().map(|line| line.trim_end().to_string()).collect())
}

fn error(found: &Diagnostics) -> Vec<String> {
    let first = found.list().iter().find(|found| found.is_error());
    vec![first.map_or("error".into(), |found| format!("error {}", found.code))]
}

/// Lines of which one side has none on the other side, as a comparison of sorted results shows them.
fn difference(expected: &[String], found: &[String]) -> String {
    let mut text = String::new();
    let only = |these: &[String], those: &[String], mark: &str, text: &mut String| {
        for line in these.iter().filter(|line| !those.contains(line)).take(SHOWN) {
            text.push_str(&format!("  {mark} {}\n", escape::line(line)));
        }
    };
    only(expected, found, "expected", &mut text);
    only(found, expected, "found   ", &mut text);
    if text.is_empty() {
        text.push_str(&format!(
            "  the same lines, in another order or number: {} and {}\n",
            expected.len(),
            found.len()
        ));
    }
    text
}

/// Lines of each side that are shown.
const SHOWN: usize = 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expectations_are_comments() {
        let text = "a.\n%> p(1),\n%> p(2)\n%= p(1)\n%=  x\n% other\n  %> q\n%> r\nb.\n%> s\n";
        let expected = |line, input: &str, result: &[&str]| Expectation {
            line,
            input: input.into(),
            result: result.iter().map(|line| line.to_string()).collect(),
        };
        let found = expectations(text).expect("expectations");
        assert_eq!(
            found,
            [expected(2, "p(1),\np(2)", &["p(1)", " x"]), expected(7, "q\nr", &[]), expected(10, "s", &[])]
        );
        assert_eq!(expectations("a\n%= b\n"), Err(2));
        let other = expectations("; one\n;> (f x)\n;= a\n***> g\n***= b\n--> c\n").expect("expectations");
        assert_eq!(other, [expected(2, "(f x)", &["a"]), expected(4, "g", &["b"])]);
    }
}
