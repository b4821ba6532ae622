//! `gchr emit`: a program as one of the stages it goes through.

use std::io::Write;

use clap::ValueEnum;
use gchr::core::plan::term::PASSES;
use gchr::{CompileOptions, Diagnostics, Language};

use super::sink::Stdout;
use super::{Exit, ProgramArgs, report};

/// Arguments of `gchr emit`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    program: ProgramArgs,
    /// Which form to show
    #[arg(long, value_name = "STAGE", default_value = "rules")]
    stage: Stage,
    /// Show the plan of a term program as it is after this pass of the compiler
    #[arg(long, value_name = "PASS", value_parser = pass_names())]
    after: Option<String>,
}

/// `lower`, which makes the first plan, and the passes over it.
fn pass_names() -> clap::builder::PossibleValuesParser {
    let mut names = vec!["lower"];
    for pass in PASSES {
        if !names.contains(&pass.name) {
            names.push(pass.name);
        }
    }
    names.into()
}

#[derive(Clone, Copy, ValueEnum)]
enum Stage {
    /// The program text as it was understood: it parses back to the same program
    Ast,
    /// Signature and rules in the form common to both languages
    Rules,
    /// What is executed
    Plan,
}

/// Writes the stage to standard output.
pub fn run(args: &Args) -> Exit {
    if args.after.is_some() && !matches!(args.stage, Stage::Plan) {
        report::problem("U0105", "--after is for --stage plan", "give --stage plan as well");
        return Exit::Usage;
    }
    match stage(args) {
        Err(found) => {
            report::diagnostics(&found);
            Exit::Usage
        }
        Ok(text) => {
            let mut out = Stdout::new();
            match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
                Err(error) if !out.is_closed() => {
                    report::problem(
                        "U0107",
                        &format!("cannot write: {error}"),
                        "check where the output goes",
                    );
                    Exit::Failed
                }
                _ => Exit::Done,
            }
        }
    }
}

fn stage(args: &Args) -> Result<String, Diagnostics> {
    let program = args.program.input().parse()?;
    let after = args.after.as_deref().filter(|_| program.language() == Language::Terms);
    report::warnings(program.warnings(), &args.program.file);
    let mut text = match args.stage {
        Stage::Ast => program.ast().to_string(),
        Stage::Rules => program.rules().to_string(),
        Stage::Plan if after.is_some() => program.term_plan_after(after.unwrap_or_default())?,
        Stage::Plan => program.compile(&CompileOptions::default())?.plan().to_string(),
    };
    if !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(text)
}
