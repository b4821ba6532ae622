//! JSON lines: on each line the arguments of a constraint as an array, or an object with them under `args`.

mod values;

use std::path::Path;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::reading::Account;
use gchr_base::source::{SourceMap, Span, Start};

use super::cell::{Cells, Fault, Node, Shape, Stored, TermCells, Want};
use super::table::{COUNTED, MAX_SHOWN};
use values::{Item, NoArguments};

/// Longest part of a line that is shown.
const MAX_LINE: usize = 200;

/// What is read.
pub(super) struct Lines<'a> {
    pub path: &'a Path,
    /// Name of the constraint, and with its number of arguments.
    pub name: &'a str,
    pub label: String,
    pub wants: &'a [Want],
}

impl Lines<'_> {
    /// The columns and the number of rows; `None` after errors, which are reported.
    pub fn read(
        &self,
        bytes: &[u8],
        account: &Account,
        sources: &mut SourceMap,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Option<(Vec<Cells>, usize)> {
        let mut columns: Vec<Option<Cells>> = self.wants.iter().map(|_| None).collect();
        let (mut rows, mut errors) = (0, 0);
        let mut counted = 0;
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        for (number, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
            if line.trim_ascii().is_empty() {
                continue;
            }
            if number.is_multiple_of(COUNTED) && !self.count(&columns, &mut counted, account, diagnostics) {
                return None;
            }
            match self.row(line, &mut columns) {
                Ok(()) => rows += 1,
                Err(_) if rows + errors == 0 && values::is_document(bytes) => {
                    let found = Diagnostic::error("C0613", "this is a JSON document, and no JSON lines")
                        .help(format!("write a line for each constraint: {}", example(self.wants)));
                    diagnostics.push(self.at_line(found, number, line, sources));
                    return None;
                }
                Err(found) if errors < MAX_SHOWN => {
                    diagnostics.push(self.at_line(*found, number, line, sources));
                    errors += 1;
                }
                Err(_) => errors += 1,
            }
        }
        if errors > MAX_SHOWN {
            let message = format!("{}: {} more errors like these", self.path.display(), errors - MAX_SHOWN);
            diagnostics.push(Diagnostic::error("C0608", message).help("correct the file"));
        }
        if !self.count(&columns, &mut counted, account, diagnostics) {
            return None;
        }
        let shapes = self.wants.iter().map(Want::shape);
        let columns = columns.into_iter().zip(shapes);
        let columns = columns.map(|(cells, shape)| cells.unwrap_or(Cells::new(shape))).collect();
        (errors == 0).then_some((columns, rows))
    }

    /// Counts what the columns have grown by; whether that is allowed, which is said where it is not.
    fn count(
        &self,
        columns: &[Option<Cells>],
        counted: &mut u64,
        account: &Account,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> bool {
        let bytes = columns.iter().flatten().map(Cells::bytes).sum();
        let more = u64::saturating_sub(bytes, std::mem::replace(counted, bytes));
        let fits = account.take(more);
        if !fits {
            let reason = account.reason(format!("the rows of {}", self.path.display()));
            diagnostics.push(reason.to_diagnostic());
        }
        fits
    }

    fn row(&self, line: &[u8], columns: &mut [Option<Cells>]) -> Result<(), Box<Diagnostic>> {
        let read = values::read(line).map_err(|wrong| Box::new(self.no_arguments(wrong)))?;
        if let Some(other) = read.constraint.filter(|name| name != self.name) {
            let message = format!("the line is about {other:?}, not about {}", self.label);
            let help = format!(
                "write the constraints alone: --show {}, or --out-dir for a file of each",
                self.label
            );
            return Err(Box::new(Diagnostic::error("C0612", message).help(help)));
        }
        let args = read.args;
        if args.len() != columns.len() {
            let s = if args.len() == 1 { "" } else { "s" };
            let message = format!("{} argument{s}, {} needs {}", args.len(), self.label, columns.len());
            return Err(Box::new(Diagnostic::error("C0604", message)));
        }
        for (at, (cells, want)) in columns.iter_mut().zip(self.wants).enumerate() {
            let value = args.value(at);
            push(value, cells, want).map_err(|fault| Box::new(self.wrong(at, value, want, fault)))?;
        }
        Ok(())
    }

    fn no_arguments(&self, wrong: NoArguments) -> Diagnostic {
        match wrong {
            NoArguments::Syntax(why) => Diagnostic::error("C0613", "this line is no JSON").note(why),
            NoArguments::Missing => {
                Diagnostic::error("C0613", "this line is neither an array nor an object with an array `args`")
                    .note(
                        "arguments of constraints have no names: members of an object are not taken for them",
                    )
            }
            NoArguments::Value { column, what } => {
                let message = format!("argument {} of {} holds {what}", column + 1, self.label);
                Diagnostic::error("C0605", message).note(FORMS)
            }
        }
    }

    fn wrong(&self, column: usize, value: &[Item<'_>], want: &Want, fault: Fault) -> Diagnostic {
        let place = format!("argument {} of {}", column + 1, self.label);
        let value = values::shown(value);
        match fault {
            Fault::Range => Diagnostic::error("C0606", format!("{place}: {value} is out of range"))
                .note("integers have 64 bits, floats must be finite"),
            Fault::Negative => Diagnostic::error("C0610", format!("{place}: {value} is below zero")),
            _ => {
                let found = Diagnostic::error("C0605", format!("{place}: {value} is not {}", want.name()));
                if *want == Want::Infer { found.note(FORMS) } else { found }
            }
        }
    }

    fn at_line(&self, found: Diagnostic, number: usize, line: &[u8], sources: &mut SourceMap) -> Diagnostic {
        let text = String::from_utf8_lossy(line);
        let text: String = text.trim_end().chars().take(MAX_LINE).collect();
        let length = text.len();
        let start = Start { lines: number, columns: 0 };
        let source = sources.add_part(self.path.display().to_string(), start, text);
        let help = format!("write an array for each constraint: {}", example(self.wants));
        let found = if found.help.is_some() { found } else { found.help(help) };
        found.label(Span::new(source, 0, length), "this line")
    }
}

/// How values are written.
const FORMS: &str = "values are numbers, texts (atoms), {\"string\": \"text\"}, lists as arrays, and \
                     {\"functor\": \"f\", \"args\": [...]}";

/// `[1, 2.5, "a"]`.
fn example(wants: &[Want]) -> String {
    let one = |want: &Want| match want.shape() {
        Shape::Int => "1",
        Shape::Float => "2.5",
        Shape::Text => "\"a\"",
    };
    format!("[{}]", wants.iter().map(one).collect::<Vec<_>>().join(", "))
}

/// Stores a value. Those of a column without a type of its own keep theirs.
fn push(value: &[Item<'_>], cells: &mut Option<Cells>, want: &Want) -> Result<(), Fault> {
    match (value, want) {
        ([Item::Number(number)], Want::Int | Want::Natural | Want::Float) => {
            let cells = cells.get_or_insert_with(|| Cells::new(want.shape()));
            match cells.push(number.as_bytes(), want) {
                Stored::Done => Ok(()),
                Stored::Wrong(fault) => Err(fault),
                Stored::Wider(_) => Err(Fault::Type),
            }
        }
        ([Item::Number(number)], Want::Number | Want::Infer) => {
            let node = values::number(number)?;
            let shape = if matches!(node, Node::Float(_)) { Shape::Float } else { Shape::Int };
            cells.get_or_insert_with(|| Cells::new(shape)).add(node);
            Ok(())
        }
        ([Item::Atom(text)], Want::Atom | Want::OneOf(_) | Want::Infer)
        | ([Item::Atom(text) | Item::Str(text)], Want::Str) => {
            match cells.get_or_insert_with(|| Cells::new(Shape::Text)) {
                Cells::Text(all) => all.add(text, want)?,
                other => {
                    let terms = other.any();
                    let text = terms.texts.intern(text, want)?;
                    terms.push(Node::Atom(text));
                }
            }
            Ok(())
        }
        (_, Want::OneOf(_) | Want::Infer) => {
            let terms = cells.get_or_insert_with(|| Cells::Any(TermCells::default())).any();
            values::store(value, terms)
        }
        _ => Err(Fault::Type),
    }
}
