//! Reads text files; what is wrong with one is a diagnostic.

use std::path::Path;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::error::StopReason;
use gchr_base::reading::{self, Account};
use gchr_base::source::{SourceMap, Span};

/// What to do about a file that is not there.
pub(crate) const PROGRAM_FILE: &str = "give the path of a program file, e.g. examples/mergesort.trs";
pub(crate) const KERNEL_FILE: &str =
    "give the path of a file in the kernel language, e.g. examples/simd/rows.cu";

/// Reads a whole text file; what is wrong with it is said with the place where it can be, and `wanted` when it cannot
/// be read at all. The text is counted in `account`.
pub(crate) fn read_text(
    path: &Path,
    sources: &mut SourceMap,
    wanted: &str,
    account: &Account,
) -> Result<String, Box<Diagnostic>> {
    let shown = path.display();
    let bytes = reading::read(path, account).map_err(|error| {
        let cause = match StopReason::from(error) {
            _ if path.is_dir() => "it is a folder".to_string(),
            StopReason::Output { message } => message,
            reason => return Box::new(reason.to_diagnostic()),
        };
        Box::new(Diagnostic::error("U0101", format!("cannot read {shown}: {cause}")).help(wanted))
    })?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let id = sources.add(shown.to_string(), String::from_utf8_lossy(error.as_bytes()));
        Box::new(
            Diagnostic::error("U0102", format!("{shown} is not a UTF-8 text"))
                .label(
                    Span::new(id, at, at + char::REPLACEMENT_CHARACTER.len_utf8()),
                    "this byte is no UTF-8",
                )
                .note(format!("byte {at} of the file"))
                .help("save the file as UTF-8"),
        )
    })
}
