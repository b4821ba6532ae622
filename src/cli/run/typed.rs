//! Results as tables of typed columns: files of one constraint, and databases of all.

use gchr::base::error::StopReason;
use gchr::{FormatError, Outcome, Selection};

use super::args::Args;
use super::choices::FormatArg;
use crate::cli::exit::Exit;
use crate::cli::out_file::File;
use crate::cli::{report, watchdog};

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
            for (name, arity) in args.selected(outcome.program()) {
                outcome.write_table(&name, arity, format, &mut watchdog::limited(&mut file, max))?;
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
