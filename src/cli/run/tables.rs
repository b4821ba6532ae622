//! The files of `--out-dir`: one for each constraint, which appear together when all are complete.

use std::path::Path;

use gchr::{FormatError, Outcome, Selection, TableFormat};

use super::output::limited;
use crate::cli::exit::Exit;
use crate::cli::out_file::File;
use crate::cli::report;

/// Open files, each with its constraint.
pub struct Tables {
    format: TableFormat,
    files: Vec<(String, usize, File)>,
}

impl Tables {
    /// Opens a file for each selected constraint, in a folder that is made if there is none.
    pub fn open(
        folder: &Path,
        format: TableFormat,
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
            let file = File::create("--out-dir", &folder.join(file_name(name, *arity, format, declared)))?;
            files.push((name.clone(), *arity, file));
        }
        Ok(Self { format, files })
    }

    /// Writes all tables, then lets their files appear.
    pub fn write(mut self, outcome: &Outcome<'_>, max: Option<u64>) -> Result<(), FormatError> {
        for (name, arity, file) in &mut self.files {
            outcome.write_table(name, *arity, self.format, &mut limited(file, max))?;
        }
        for (_, _, file) in self.files {
            file.finish()?;
        }
        Ok(())
    }
}

/// `path.csv`; `path.2.csv` where the program declares others of the name. Characters that file systems may not take
/// are written by their numbers: `a%2Fb.csv`.
fn file_name(name: &str, arity: usize, format: TableFormat, declared: &[(String, usize)]) -> String {
    let mut text = String::new();
    for c in name.chars() {
        match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' => text.push(c),
            c if c.is_alphanumeric() => text.push(c),
            c => c.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| text.push_str(&format!("%{byte:02X}"))),
        }
    }
    let ending = format.ending();
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
        let declared: Vec<(String, usize)> = ["p", "p", "a/b", ".", "größe"]
            .iter()
            .zip([1, 2, 2, 0, 1])
            .map(|(n, a)| ((*n).into(), a))
            .collect();
        let names: Vec<String> =
            declared.iter().map(|(n, a)| file_name(n, *a, TableFormat::Csv, &declared)).collect();
        assert_eq!(names, ["p.1.csv", "p.2.csv", "a%2Fb.csv", "%2E.csv", "größe.csv"]);
    }
}
