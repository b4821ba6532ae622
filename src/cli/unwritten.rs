//! What is said of a result that was not written to its end.

use gchr::FormatError;
use gchr::base::error::StopReason;

use super::sink::half_written;
use super::{report, watchdog};

/// Tells why something was not written to its end.
pub fn unwritten(what: &str, error: FormatError) {
    watchdog::heard();
    let message = match error {
        FormatError::NotTabular | FormatError::OnlySizes | FormatError::Unfetched(_) => error.to_string(),
        FormatError::Io(error) => match StopReason::from(error) {
            StopReason::Output { message } => message,
            reason => {
                let mut found = reason.to_diagnostic().note(format!("while {what} was written"));
                found.notes.extend(half_written());
                return report::finding(&found);
            }
        },
    };
    let help = "check the free space and where the output goes";
    report::problem("U0107", &format!("cannot write {what}: {message}"), help);
}
