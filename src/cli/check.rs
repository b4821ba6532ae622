//! `gchr check`: all diagnostics of programs.

use gchr::{CompileOptions, Diagnostics, Input, Language};

use super::exit::Exit;
use super::program::{LanguageArg, ProgramArgs};
use super::report;
use super::semantics::SemanticsArgs;

/// Arguments of `gchr check`.
#[derive(clap::Args)]
pub struct Args {
    /// Program files: .trs (term rewriting) or .chr, .pl (Constraint Handling Rules)
    #[arg(value_name = "FILE", required = true)]
    files: Vec<std::path::PathBuf>,
    /// Language of the files, when their endings do not tell
    #[arg(long, value_name = "LANGUAGE")]
    language: Option<LanguageArg>,
    /// Show what rounds make of each rule: its class, or why it has none (.chr)
    #[arg(long)]
    explain: bool,
    #[command(flatten)]
    semantics: SemanticsArgs,
}

/// Checks every file, and ends with an error when one of them has errors.
pub fn run(args: &Args) -> Exit {
    let mut exit = Exit::Done;
    for file in &args.files {
        let program = ProgramArgs { file: file.clone(), language: args.language };
        let (errors, warnings) = check(&program.input(), args);
        report::say(&format!(
            "{}: {}, {}\n",
            file.display(),
            count(errors, "error"),
            count(warnings, "warning")
        ));
        if errors > 0 {
            exit = Exit::Usage;
        }
    }
    exit
}

/// Shows what is found in one program; returns how many errors and warnings that are.
fn check(input: &Input, args: &Args) -> (usize, usize) {
    let show = |found: &Diagnostics| {
        report::diagnostics(found);
        found.counts()
    };
    match input.parse() {
        Err(found) => show(&found),
        Ok(program) => {
            let (_, mut warnings) = show(program.warnings());
            let options = args.semantics.complete(CompileOptions::default());
            let errors = match program.compile(&options) {
                Ok(executable) => {
                    warnings += show(&executable.warnings()).1;
                    0
                }
                Err(found) => show(&found).0,
            };
            if args.explain && errors == 0 && program.language() == Language::Constraints {
                match program.explain() {
                    Ok(text) => report::say(&text),
                    Err(found) => return (show(&found).0, warnings),
                }
            }
            (errors, warnings)
        }
    }
}

fn count(n: usize, what: &str) -> String {
    match n {
        0 => format!("no {what}s"),
        1 => format!("1 {what}"),
        n => format!("{n} {what}s"),
    }
}
