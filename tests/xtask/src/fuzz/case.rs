//! A program with everything to start it on, and the file that keeps one that failed.

use std::path::Path;

use gchr::Language;
use gchr_testkit::generate::{constraints, terms};
use gchr_testkit::{rules, systems};

/// What is run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    pub language: Language,
    /// The program, with its own start.
    pub text: String,
    /// Further starts: input terms, or queries in place of the program's.
    pub starts: Vec<String>,
}

impl Case {
    /// The case of a seed. Most are of the generators of the whole languages, some of those that look for less, and
    /// deeper.
    pub fn of_seed(seed: u64) -> Self {
        let of = |language, text| Self { language, text, starts: Vec::new() };
        match seed % 10 {
            0..4 => {
                let case = terms::program(seed);
                Self { language: Language::Terms, text: case.text, starts: case.terms }
            }
            4 => of(Language::Terms, systems::Generator::program(seed)),
            5..9 => {
                let case = constraints::program(seed);
                Self { language: Language::Constraints, text: case.text, starts: case.queries }
            }
            _ => {
                let writes = seed % 20 == 9;
                let whole = seed % 30 < 20;
                let text = if whole { rules::program(seed, writes) } else { rules::terms(seed, writes) };
                of(Language::Constraints, text)
            }
        }
    }

    /// The ending of a file with such a program.
    pub fn ending(&self) -> &'static str {
        match self.language {
            Language::Terms => "trs",
            Language::Constraints => "chr",
        }
    }

    /// The case of a file: a program, whose first lines may be comments with further starts, `% start: ...`.
    pub fn read(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        let language = Language::of_path(path).ok_or_else(|| format!("{}: no program", path.display()))?;
        let starts = text.lines().filter_map(|line| line.strip_prefix(START)).map(String::from).collect();
        Ok(Self { language, text, starts })
    }

    /// The text of a file with the case, and what is to be said of it.
    pub fn to_file(&self, remarks: &[String]) -> String {
        let remarks = remarks.iter().flat_map(|r| r.lines()).map(|line| format!("% {line}\n"));
        let starts = self.starts.iter().map(|start| format!("{START}{start}\n"));
        let lines: String = remarks.chain(starts).collect();
        let own = self.text.lines().filter(|line| !line.starts_with(START)).map(|line| format!("{line}\n"));
        lines + &own.collect::<String>()
    }
}

const START: &str = "% start: ";
