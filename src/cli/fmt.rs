//! `gchr fmt`: programs in their usual layout.

use std::io::Write;
use std::path::{Path, PathBuf};

use gchr::base::reading::is_stdin;

use super::exit::Exit;
use super::out_file::File;
use super::program::{LanguageArg, ProgramArgs};
use super::streams::stdin_once;
use super::{report, sink};

/// Arguments of `gchr fmt`.
#[derive(clap::Args)]
#[command(
    after_help = "Spaces and indentation are those of one layout; where lines end, and comments, is the author's matter. \
    A file that cannot be read token by token, or whose brackets do not match, stays as it is."
)]
pub struct Args {
    /// Program files: .trs, .chr, .pl; - for standard input, whose layout goes to standard output
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Language of the files, when their endings do not tell: trs or chr
    #[arg(long, value_name = "LANGUAGE")]
    language: Option<LanguageArg>,
    /// Write nothing: say which files have another layout, and end with exit code 1 when one has
    #[arg(long)]
    check: bool,
}

/// Lays out every file; one that cannot be laid out does not keep others from it.
pub fn run(args: &Args) -> Exit {
    if let Err(exit) = stdin_once(&args.files) {
        return exit;
    }
    let (mut other, mut failed) = (0, None);
    for file in &args.files {
        match lay_out(file, args) {
            Ok(differs) => other += usize::from(differs),
            Err(exit) => failed = Some(exit),
        }
    }
    match failed {
        Some(exit) => exit,
        None if args.check && other > 0 => Exit::Failed,
        None => Exit::Done,
    }
}

/// Lays out a file; whether it was in another layout.
fn lay_out(file: &Path, args: &Args) -> Result<bool, Exit> {
    let program = ProgramArgs { file: file.to_path_buf(), language: args.language };
    let (before, after) = program.input().formatted().map_err(|found| report::refuse(&found))?;
    if is_stdin(file) && !args.check {
        return match sink::print(&after) {
            Exit::Done => Ok(false),
            exit => Err(exit),
        };
    }
    if before == after {
        return Ok(false);
    }
    if !args.check {
        let mut out = File::create("fmt", file)?;
        let written = out.write_all(after.as_bytes()).and_then(|()| out.finish());
        written.map_err(|error| {
            let shown = file.display();
            report::problem("U0107", &format!("cannot write {shown}: {error}"), "the file is as it was");
            Exit::Failed
        })?;
    }
    report::say(&format!("{}: {}\n", file.display(), if args.check { "another layout" } else { "laid out" }));
    Ok(true)
}
