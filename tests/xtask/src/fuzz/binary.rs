//! The command line of a gchr, beside the library: what it prints for a program must be what the library gives.

use std::path::{Path, PathBuf};
use std::process::Command;

use gchr::base::rule::Semantics;
use gchr::{CompileOptions, Input};

use super::answer::{self, Answer};
use super::case::Case;
use super::findings::Findings;

/// A gchr to be run.
pub struct Binary {
    pub path: PathBuf,
    /// For the programs that it is given.
    pub folder: PathBuf,
}

impl Binary {
    /// Compares what it prints for a case with the library.
    pub fn check(&self, case: &Case, found: &mut Findings) {
        let file = self.folder.join(format!("program.{}", case.ending()));
        let written = std::fs::write(&file, &case.text);
        let input = Input::file(&file).parse();
        let (Ok(()), Ok(program)) = (written, input) else { return };
        let semantics = Some(Semantics::Refined);
        let options = CompileOptions { semantics, ..CompileOptions::default() };
        let ran = answer::run(&program, &options, answer::small_limits());
        if ran.answer.is_of_program() {
            let mut arguments = vec!["run", "--device", "cpu"];
            if case.ending() == "chr" {
                arguments.extend(["--semantics", "refined"]);
            }
            let ended = !matches!(ran.answer, Answer::Error(_));
            let expected = if ended { ran.output + &ran.shown } else { ran.output };
            self.compare("gchr run", &arguments, &file, ended, &expected, found);
        }
        let printed = program.ast().to_string();
        self.compare("gchr emit", &["emit", "--stage", "ast"], &file, true, &printed, found);
    }

    fn compare(
        &self,
        name: &str,
        arguments: &[&str],
        file: &Path,
        succeeds: bool,
        expected: &str,
        found: &mut Findings,
    ) {
        found.runs += 1;
        let output = match Command::new(&self.path).args(arguments).arg(file).output() {
            Ok(output) => output,
            Err(error) => return found.differ(name, "not run", error.to_string()),
        };
        let text = String::from_utf8_lossy(&output.stdout);
        if output.status.success() != succeeds {
            let said = String::from_utf8_lossy(&output.stderr);
            found.differ(name, "exit status", format!("{}\n{said}", output.status));
        } else if text.trim_end() != expected.trim_end() {
            found.differ(name, "text", format!("the library {expected}\nthe command {text}"));
        }
    }
}
