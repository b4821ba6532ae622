//! Options about results as tables of typed columns.

use gchr::{Language, Program};

use super::Args;
use crate::cli::exit::Exit;
use crate::cli::report;

impl Args {
    /// The selected constraints, each with its number of arguments.
    pub fn selected(&self, program: &Program) -> Vec<(String, usize)> {
        let selection = self.selection();
        program.constraints().into_iter().filter(|(name, arity)| selection.has(name, *arity)).collect()
    }

    /// Refuses what a format of tables cannot hold.
    pub(super) fn check_typed(&self, program: &Program) -> Result<(), Exit> {
        if self.format().text().is_some() {
            return Ok(());
        }
        let refuse = |code, message: &str, help: &str| {
            report::problem(code, message, help);
            Err(Exit::Usage)
        };
        if !cfg!(feature = "tables") {
            let message = "this gchr was built without Parquet, Arrow and SQLite";
            return refuse("U0105", message, "give another --format");
        }
        if program.language() == Language::Terms {
            let help = "use --format text, --format json or --format jsonl";
            return refuse("U0109", "a normal form has no rows and columns to write as a table", help);
        }
        if self.sizes || self.partial {
            let option = if self.sizes { "--sizes" } else { "--partial" };
            let message = format!("{option} does not go with a format of tables");
            return refuse("U0105", &message, "give --format text, json, csv, tsv or jsonl");
        }
        if self.out_dir.is_some() {
            return Ok(());
        }
        if self.out.is_none() {
            let message = "a result in this format is written to a file";
            return refuse(
                "U0105",
                message,
                "give --out FILE, or --out-dir DIR for a file of each constraint",
            );
        }
        if self.format().table().is_some() && self.selected(program).len() != 1 {
            let help = "give --show NAME/ARITY for one of them, or --out-dir DIR for a file of each";
            return refuse(
                "U0105",
                "a file in this format holds one constraint, and the result has several",
                help,
            );
        }
        Ok(())
    }
}
