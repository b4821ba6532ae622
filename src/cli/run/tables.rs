//! The files of `--out-dir`: one for each constraint, which appear together when all are complete.

use std::path::Path;

use gchr::{FormatError, Outcome, Selection};

use super::choices::FileFormat;
use super::typed;
use crate::cli::exit::Exit;
use crate::cli::out_file::File;
use crate::cli::{report, watchdog};

/// Open files, each with its constraint.
pub struct Tables {
    format: FileFormat,
    files: Vec<(String, usize, File)>,
}

impl Tables {
    /// Opens a file for each selected constraint, in a folder that is made if there is none.
    pub fn open(
        folder: &Path,
        format: FileFormat,
        selection: &Selection,
        declared: &[(String, usize)],
    ) -> Result<Self, Exit> {
        if let Err(error) = std::fs::create_dir_all(folder) {
            let message = format!("cannot make the folder {}: {error}", folder.display());
            report::problem("U0107", &message, "give --out-dir a folder that you may write to");
            return Err(Exit::Usage);
        }
        let mut files = Vec::new();
        for (name, arity) in declared.iter().filter(|(name, arity)| selection.has(name, *arity)) {
            let path = folder.join(file_name(name, *arity, format.ending(), declared));
            let file = File::create("--out-dir", &path)?;
            if format == FileFormat::Database {
                typed::check_database(&file)?;
            }
            files.push((name.clone(), *arity, file));
        }
        Ok(Self { format, files })
    }

    /// Writes all tables, then lets their files appear.
    pub fn write(mut self, outcome: &Outcome<'_>, max: Option<u64>) -> Result<(), FormatError> {
        for (name, arity, file) in &mut self.files {
            match self.format {
                FileFormat::Table(format) => {
                    outcome.write_table(name, *arity, format, &mut watchdog::limited(file, max))?;
                }
                FileFormat::Database => {
                    let own = Selection::of_symbols(vec![(name.clone(), Some(*arity))]);
                    typed::write_database(outcome, &own, file, max)?;
                }
            }
        }
        for (_, _, file) in self.files {
            file.finish()?;
        }
        Ok(())
    }
}

/// `path.csv`; `path.2.csv` where the program declares others of the name. Characters that file systems may not take
/// are written by their numbers: `a%2Fb.csv`; so are large letters where the program declares another name that differs
/// in them only, since some file systems take such names for one. The empty name is `%`.
fn file_name(name: &str, arity: usize, ending: &str, declared: &[(String, usize)]) -> String {
    let mut text = String::new();
    let small = name.to_lowercase();
    let is_like_another = declared.iter().any(|(other, _)| other != name && other.to_lowercase() == small);
    if name.is_empty() {
        text.push('%');
    }
    for c in name.chars() {
        match c {
            '_' => text.push(c),
            c if c.is_alphanumeric() && !(is_like_another && c.is_uppercase()) => text.push(c),
            c => c.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| text.push_str(&format!("%{byte:02X}"))),
        }
    }
    match declared.iter().filter(|(other, _)| other == name).count() {
        0 | 1 => format!("{text}.{ending}"),
        _ => format!("{text}.{arity}.{ending}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_constraint_has_a_file_name_of_its_own() {
        let declared: Vec<(String, usize)> = ["p", "p", "a/b", ".", "größe", "Ab", "aB", "", "C"]
            .iter()
            .zip([1, 2, 2, 0, 1, 1, 1, 1, 1])
            .map(|(n, a)| ((*n).into(), a))
            .collect();
        let names: Vec<String> = declared.iter().map(|(n, a)| file_name(n, *a, "csv", &declared)).collect();
        assert_eq!(
            names,
            [
                "p.1.csv",
                "p.2.csv",
                "a%2Fb.csv",
                "%2E.csv",
                "größe.csv",
                "%41b.csv",
                "a%42.csv",
                "%.csv",
                "C.csv"
            ]
        );
    }
}
