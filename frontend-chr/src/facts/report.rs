//! Diagnostics of fact files: each shows the line it is about.

use std::io::ErrorKind;
use std::path::Path;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::error::StopReason;
use gchr_base::source::{SourceMap, Span, Start};

use super::cell::{Fault, Want};
use super::table::{CellError, Errors, Guessed, MARK};

/// Longest part of a line that is shown.
const MAX_LINE: usize = 400;

/// A file that cannot be read.
pub(super) fn unreadable(path: &Path, error: std::io::Error) -> Diagnostic {
    let kind = error.kind();
    match StopReason::from(error) {
        StopReason::Output { message } => {
            let help = match kind {
                ErrorKind::ResourceBusy => "wait until it has ended, or read a copy of the file",
                ErrorKind::InvalidData => {
                    "write it again; --facts-format says what a file is whose ending does not tell"
                }
                _ => "check the name of the file and the right to read it",
            };
            Diagnostic::error("C0601", format!("{} cannot be read", path.display())).note(message).help(help)
        }
        reason => reason.to_diagnostic(),
    }
}

/// A file that is no text in UTF-8, as its first bytes say.
pub(super) fn no_text(path: &Path, bytes: &[u8]) -> Option<Diagnostic> {
    let shown = path.display();
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        let found = Diagnostic::error("C0607", format!("{shown} is a text in UTF-16, not in UTF-8"));
        return Some(found.help("save the file as UTF-8, or convert it: iconv -f UTF-16 -t UTF-8"));
    }
    let (what, help) = super::format::of_content(bytes)?;
    Some(Diagnostic::error("C0602", format!("{shown} is {what}, and no text")).help(help))
}

/// How the first line of a file was taken where nobody said it.
pub(super) fn guessed(path: &Path, Guessed { line, header }: Guessed) -> String {
    let path = path.display();
    match header {
        true => format!("took line {line} of {path} as the header; --header says whether it is one"),
        false => format!("took line {line} of {path} as facts; --header says whether it is a header"),
    }
}

/// That a file names its columns by itself.
#[cfg(feature = "tables")]
pub(super) fn header_without_effect(path: &Path) -> String {
    format!("--header has no effect on {}, which has names of columns", path.display())
}

/// Shows the first errors of a file and counts the others.
#[allow(clippy::too_many_arguments)]
pub(super) fn report(
    sources: &mut SourceMap,
    path: &Path,
    bytes: &[u8],
    delimiter: u8,
    constraint: &str,
    wants: &[Want],
    errors: &Errors,
    diagnostics: &mut Vec<Diagnostic>,
) {
    for error in &errors.shown {
        let (text, fields, columns) = line(bytes, delimiter, error);
        let (start, end) = fields.get(error.column).copied().unwrap_or((text.len(), text.len()));
        let field = text.get(start..end).unwrap_or("").to_string();
        let first = fields.first().and_then(|&(start, end)| text.get(start..end));
        let is_named = first.is_some_and(|first| constraint.split('/').next() == Some(first));
        let lines = usize::try_from(error.line).unwrap_or(usize::MAX).saturating_sub(1);
        let begin = Start { lines, columns };
        let source = sources.add_part(path.display().to_string(), begin, text);
        let span = Span::new(source, start, end);
        let place = format!("{}, line {}", path.display(), error.line);
        let found = describe(error, &place, &field, constraint, wants);
        diagnostics.push(of_present(found, wants).label(span, label(error.fault, wants.len())));
        if let (Fault::Width(found), true) = (error.fault, is_named)
            && found == wants.len() + 1
            && let Some(found) = diagnostics.last_mut()
        {
            let name = "the first field is the name of the constraint, as `--format csv` writes stores";
            found.notes.push(name.into());
            found.help = Some(
                "write the store with --out-dir, which makes a file without names for each constraint".into(),
            );
        }
    }
    let hidden = errors.total - errors.shown.len() as u64;
    if hidden > 0 {
        let message = format!("{}: {hidden} more errors like these", path.display());
        diagnostics.push(
            Diagnostic::error("C0608", message)
                .note(format!("{} errors in all, the first {} are shown", errors.total, errors.shown.len()))
                .help(
                    "correct the file; a wrong number of columns in most lines points at a wrong separator",
                ),
        );
    }
}

/// What is wrong with a table. Of one for a constraint without arguments this says what such a table is, in the place
/// of what can be done about columns of arguments.
pub(super) fn of_present(mut found: Diagnostic, wants: &[Want]) -> Diagnostic {
    if wants != [Want::Present] {
        return found;
    }
    found.notes.clear();
    found.help("a constraint without arguments is a row whose only value is `true`")
}

fn label(fault: Fault, columns: usize) -> &'static str {
    match fault {
        Fault::Width(found) if found > columns => "too many columns from here",
        Fault::Width(_) => "columns are missing",
        Fault::Type => "this field",
        Fault::Range => "out of range",
        Fault::Negative => "below zero",
        Fault::Encoding => "not UTF-8",
        Fault::Quote => "begins with a quote",
    }
}

fn describe(error: &CellError, place: &str, field: &str, constraint: &str, wants: &[Want]) -> Diagnostic {
    let column = format!("{place}, column {}", error.column + 1);
    let wanted = wants.get(error.column).map_or("a value", Want::name);
    match error.fault {
        Fault::Width(found) => Diagnostic::error(
            "C0604",
            format!("{place} has {found} column{}, {constraint} needs {}", if found == 1 { "" } else { "s" }, wants.len()),
        )
        .help("give each line one field for each argument; fields are separated by commas in .csv, by tabs in .tsv and .txt"),
        Fault::Type => Diagnostic::error("C0605", format!("{column}: `{field}` is not {wanted}"))
            .note("without --header a first line is taken for one only when none of its fields is a number")
            .help(format!("correct the field, or declare the column of {constraint} with a wider type, such as ?any")),
        Fault::Range => Diagnostic::error("C0606", format!("{column}: {field} is out of range"))
            .note("integers have 64 bits, floats must be finite")
            .help("use a smaller number, or read the column as text: declare it atom or string"),
        Fault::Negative => Diagnostic::error("C0610", format!("{column}: {field} is below zero"))
            .note(format!("the column of {constraint} is declared natural or dense_int"))
            .help("correct the field, or declare the column int"),
        Fault::Encoding => Diagnostic::error("C0607", format!("{column}: the text is not UTF-8"))
            .help("convert the file to UTF-8"),
        Fault::Quote => Diagnostic::error("C0617", format!("{column}: a quote is opened, and not closed until the file ends"))
            .note("in quotes a field may go on over several lines, and two quotes stand for one")
            .help("close the quote; where it is a part of the text, quote the field and write two of them"),
    }
}

/// The line of an error as text, the ranges of its fields in it, and the number of characters left out before it.
fn line(bytes: &[u8], delimiter: u8, error: &CellError) -> (String, Vec<(usize, usize)>, usize) {
    let rest = &bytes[error.byte.min(bytes.len())..];
    let rest = if error.byte == 0 { rest.strip_prefix(MARK).unwrap_or(rest) } else { rest };
    // The position of a record may lie before the end of the line above it.
    let blank = rest.iter().take_while(|&&b| b == b'\n' || b == b'\r').count();
    let rest = &rest[blank..];
    let end = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
    let raw = rest[..end].strip_suffix(b"\r").unwrap_or(&rest[..end]);
    let mut fields: Vec<(String, usize)> = Vec::new();
    let (mut start, mut quoted) = (0, false);
    for (i, &b) in raw.iter().chain(std::iter::once(&delimiter)).enumerate() {
        if b == b'"' {
            quoted = !quoted;
        } else if i == raw.len() || (b == delimiter && !quoted) {
            fields.push((String::from_utf8_lossy(&raw[start..i]).into_owned(), i));
            start = i + 1;
        }
    }
    let mut text = String::new();
    let mut ranges = Vec::new();
    for (i, (field, _)) in fields.iter().enumerate() {
        if i > 0 {
            text.push(char::from(delimiter));
        }
        ranges.push((text.len(), text.len() + field.len()));
        text.push_str(field);
    }
    shorten(text, ranges, error.column)
}

/// Cuts a long line around the field of interest.
fn shorten(text: String, ranges: Vec<(usize, usize)>, column: usize) -> (String, Vec<(usize, usize)>, usize) {
    if text.len() <= MAX_LINE {
        return (text, ranges, 0);
    }
    let (at, _) = ranges.get(column).copied().unwrap_or((0, 0));
    let boundary = |mut i: usize| {
        while !text.is_char_boundary(i) {
            i -= 1;
        }
        i
    };
    let start = boundary(at.saturating_sub(MAX_LINE / 4));
    let end = boundary((start + MAX_LINE).min(text.len()));
    let clamp = |i: usize| i.clamp(start, end) - start;
    let ranges = ranges.iter().map(|&(s, e)| (clamp(s), clamp(e))).collect();
    (text[start..end].to_string(), ranges, text[..start].chars().count())
}
