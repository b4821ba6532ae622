//! JSON lines: on each line the arguments of a constraint as an array, or an object with them under `args`.

use std::path::Path;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::reading::Account;
use gchr_base::source::{SourceMap, Span, Start};
use serde_json::Value;

use super::cell::{Cells, Fault, Shape, Stored, Want};
use super::table::MAX_SHOWN;

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
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        for (number, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
            if line.trim_ascii().is_empty() {
                continue;
            }
            match self.row(line, &mut columns) {
                Ok(()) => rows += 1,
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
        let shapes = self.wants.iter().map(Want::shape);
        let columns: Vec<Cells> = columns
            .into_iter()
            .zip(shapes)
            .map(|(cells, shape)| cells.unwrap_or(Cells::new(shape)))
            .collect();
        if !account.take(columns.iter().map(Cells::bytes).sum()) {
            let reason = account.reason(format!("the rows of {}", self.path.display()));
            diagnostics.push(reason.to_diagnostic());
            return None;
        }
        (errors == 0).then_some((columns, rows))
    }

    fn row(&self, line: &[u8], columns: &mut [Option<Cells>]) -> Result<(), Box<Diagnostic>> {
        let value: Value = serde_json::from_slice(line).map_err(|error| {
            Box::new(Diagnostic::error("C0613", "this line is no JSON").note(error.to_string()))
        })?;
        let args = match value {
            Value::Array(args) => args,
            Value::Object(mut object) => {
                if let Some(other) = object.get("constraint").filter(|name| name.as_str() != Some(self.name))
                {
                    let message = format!("the line is about {other}, not about {}", self.label);
                    return Err(Box::new(Diagnostic::error("C0612", message)));
                }
                match object.remove("args") {
                    Some(Value::Array(args)) => args,
                    _ => return Err(no_arguments()),
                }
            }
            _ => return Err(no_arguments()),
        };
        if args.len() != columns.len() {
            let message = format!("{} arguments, {} needs {}", args.len(), self.label, columns.len());
            return Err(Box::new(Diagnostic::error("C0604", message)));
        }
        for (at, ((value, cells), want)) in args.iter().zip(columns).zip(self.wants).enumerate() {
            push(value, cells, want).map_err(|fault| Box::new(self.wrong(at, value, want, fault)))?;
        }
        Ok(())
    }

    fn wrong(&self, column: usize, value: &Value, want: &Want, fault: Fault) -> Diagnostic {
        let place = format!("argument {} of {}", column + 1, self.label);
        match fault {
            Fault::Range => Diagnostic::error("C0606", format!("{place}: {value} is out of range"))
                .note("integers have 64 bits, floats must be finite"),
            Fault::Negative => Diagnostic::error("C0610", format!("{place}: {value} is below zero")),
            _ => Diagnostic::error("C0605", format!("{place}: {value} is not {}", want.name())).note(
                "arguments are numbers and strings, and those of an undeclared column are all numbers or all strings",
            ),
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

fn no_arguments() -> Box<Diagnostic> {
    Box::new(Diagnostic::error("C0613", "this line is neither an array nor an object with an array `args`"))
}

/// `[1, 2.5, "a"]`.
fn example(wants: &[Want]) -> String {
    let one = |want: &Want| match want.shape() {
        Shape::Int => "1",
        Shape::Float => "2.5",
        Shape::Text => "\"a\"",
    };
    format!("[{}]", wants.iter().map(one).collect::<Vec<_>>().join(", "))
}

/// Stores a value; the first one of an undeclared column says whether it holds numbers or texts.
fn push(value: &Value, cells: &mut Option<Cells>, want: &Want) -> Result<(), Fault> {
    let (field, is_text) = match value {
        Value::Number(number) => (number.to_string(), false),
        Value::String(text) => (text.clone(), true),
        _ => return Err(Fault::Type),
    };
    if *want != Want::Infer && is_text == want.is_numeric() {
        return Err(Fault::Type);
    }
    let shape = if is_text { Shape::Text } else { want.shape() };
    let column = cells.get_or_insert_with(|| Cells::new(shape));
    if matches!(column, Cells::Text(_)) != is_text {
        return Err(Fault::Type);
    }
    match column.push(field.as_bytes(), want) {
        Stored::Done => Ok(()),
        Stored::Wrong(fault) => Err(fault),
        Stored::Wider(Shape::Float) => {
            if let Cells::Int(values) = column {
                *column = Cells::Float(values.iter().map(|&n| n as f64).collect());
            }
            match column.push(field.as_bytes(), want) {
                Stored::Done => Ok(()),
                _ => Err(Fault::Range),
            }
        }
        // A number that no number holds.
        Stored::Wider(_) => Err(Fault::Range),
    }
}
