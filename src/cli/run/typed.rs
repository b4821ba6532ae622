//! Results as tables of typed columns: files of one constraint, and databases of all.

use gchr::base::error::StopReason;
use gchr::{FormatError, Language, Outcome, Program, Selection};

use super::args::Args;
use super::choices::FormatArg;
use super::output::limited;
use crate::cli::exit::Exit;
use crate::cli::out_file::File;
use crate::cli::{report, watchdog};

/// The selected constraints, each with its number of arguments.
fn selected(args: &Args, program: &Program) -> Vec<(String, usize)> {
    let selection = args.selection();
    program.constraints().into_iter().filter(|(name, arity)| selection.has(name, *arity)).collect()
}

/// Refuses what a format of tables cannot hold.
pub fn check(args: &Args, program: &Program) -> Result<(), Exit> {
    if args.format().text().is_some() {
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
    if args.sizes || args.partial {
        let option = if args.sizes { "--sizes" } else { "--partial" };
        let message = format!("{option} does not go with a format of tables");
        return refuse("U0105", &message, "give --format text, json, csv, tsv or jsonl");
    }
    if args.out_dir.is_some() {
        return Ok(());
    }
    if args.out.is_none() {
        let message = "a result in this format is written to a file";
        return refuse("U0105", message, "give --out FILE, or --out-dir DIR for a file of each constraint");
    }
    if args.format().table().is_some() && selected(args, program).len() != 1 {
        let help = "give --show NAME/ARITY for one of them, or --out-dir DIR for a file of each";
        return refuse(
            "U0105",
            "a file in this format holds one constraint, and the result has several",
            help,
        );
    }
    Ok(())
}

/// Refuses a database where there is no file that SQLite could write.
pub fn check_file(args: &Args, file: Option<&File>) -> Result<(), Exit> {
    match (args.format(), file) {
        (FormatArg::Sqlite, Some(file)) => check_database(file),
        _ => Ok(()),
    }
}

/// The same for a file that is to be a database.
pub fn check_database(file: &File) -> Result<(), Exit> {
    match file.aside() {
        Some(_) => Ok(()),
        None => {
            let message = "a database cannot be written to a pipe or a device";
            report::problem("U0107", message, "give --out the name of a file");
            Err(Exit::Usage)
        }
    }
}

/// Writes a result to a file, which appears then.
pub fn write(
    args: &Args,
    outcome: &Outcome<'_>,
    mut file: File,
    max: Option<u64>,
) -> Result<(), FormatError> {
    match args.format().table() {
        Some(format) => {
            for (name, arity) in selected(args, outcome.program()) {
                outcome.write_table(&name, arity, format, &mut limited(&mut file, max))?;
            }
        }
        None => write_database(outcome, &args.selection(), &file, max)?,
    }
    Ok(file.finish()?)
}

/// Writes the selected constraints to a file that becomes a database.
pub fn write_database(
    outcome: &Outcome<'_>,
    selection: &Selection,
    file: &File,
    max: Option<u64>,
) -> Result<(), FormatError> {
    let Some(aside) = file.aside() else { return Err(FormatError::NotTabular) };
    let watch = watchdog::limits();
    let mut check = |bytes: u64| {
        watch.look()?;
        match max {
            Some(limit) if bytes > limit => Err(StopReason::OutputSize { limit }.into()),
            _ => Ok(()),
        }
    };
    outcome.write_database(selection, aside, &mut check)
}
