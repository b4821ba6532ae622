//! Facts in bulk: CSV, TSV and JSON-lines files, packed by gzip or not, to columns of constraints.
//!
//! [`table`] reads bytes of CSV and TSV in parallel, [`cell`] parses fields, [`json`] reads JSON lines, [`report`] shows
//! what is wrong with a line.

mod cell;
mod json;
mod report;
mod table;

use std::path::{Path, PathBuf};

use gchr_base::diagnostic::Diagnostic;
use gchr_base::facts::{FactColumn, Facts};
use gchr_base::reading::{self, Account};
use gchr_base::signature::{ConstraintId, TextId, Texts};
use gchr_base::source::SourceMap;

use crate::declare::Declarations;
use crate::types::{Expanded, Type, Types};
use cell::{Cells, Want};

/// A file of facts for one constraint.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FactFile {
    /// `edge`, or `edge/3` where the name alone is ambiguous.
    pub constraint: String,
    /// The file; `-` is standard input.
    pub path: PathBuf,
    /// Whether its first line names the columns.
    pub header: Header,
    /// How it is written; `None`: as its ending says, `.gz` apart, and standard input as CSV.
    pub format: Option<FactFormat>,
}

/// How a file of facts is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FactFormat {
    /// Fields with commas between them.
    Csv,
    /// Fields with tabs between them.
    Tsv,
    /// On each line a JSON array, or an object as results in this format have: `{"constraint": "edge", "args": [1, 2]}`.
    JsonLines,
}

impl FactFormat {
    fn delimiter(self) -> u8 {
        if self == FactFormat::Csv { b',' } else { b'\t' }
    }
}

/// Whether the first line of a file names the columns. The default decides by the line, and says how.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Header {
    /// It does: no facts are in it.
    Yes,
    /// It does not: facts are in it.
    No,
    /// It does if none of its fields is a number and some column holds numbers.
    #[default]
    Auto,
}

/// Reads a file of facts; `None` after an error, which is reported. What the facts take is
/// counted in `account`, what was guessed goes to `notices`.
pub(crate) fn load(
    sources: &mut SourceMap,
    texts: &mut Texts,
    declarations: &Declarations,
    file: &FactFile,
    account: &Account,
    diagnostics: &mut Vec<Diagnostic>,
    notices: &mut Vec<String>,
) -> Option<Facts> {
    let found = constraint(declarations, file).and_then(|c| Ok((c, format(file)?)));
    let (constraint, format) = found.map_err(|d| diagnostics.push(*d)).ok()?;
    let delimiter = format.delimiter();
    let bytes = content(&file.path, account);
    let whole = bytes.map_err(|error| diagnostics.push(report::unreadable(&file.path, error))).ok()?;
    let columns = &declarations.constraints[constraint].columns;
    let wants: Vec<Want> = columns.iter().map(|ty| want(&declarations.types, ty.as_ref())).collect();
    if format == FactFormat::JsonLines {
        let name = &declarations.constraints[constraint].name;
        let lines =
            json::Lines { path: &file.path, name, label: declarations.label(constraint), wants: &wants };
        let (cells, rows) = lines.read(&whole, account, sources, diagnostics)?;
        account.give(whole.len() as u64);
        let columns = cells.into_iter().zip(&wants).map(|(cells, want)| column(cells, want, texts)).collect();
        return Some(Facts { constraint, columns, rows });
    }
    let Some(table) = table::read(&whole, delimiter, &wants, file.header, account) else {
        let reason = account.reason(format!("the rows of {}", file.path.display()));
        diagnostics.push(reason.to_diagnostic());
        return None;
    };
    notices.extend(table.guessed.map(|guessed| report::guessed(&file.path, guessed)));
    if table.errors.total > 0 {
        let label = declarations.label(constraint);
        report::report(sources, &file.path, &whole, delimiter, &label, &wants, &table.errors, diagnostics);
        return None;
    }
    account.give(whole.len() as u64);
    drop(whole);
    let columns =
        table.columns.into_iter().zip(&wants).map(|(cells, want)| column(cells, want, texts)).collect();
    Some(Facts { constraint, columns, rows: table.rows })
}

/// How the fields of a column are read.
fn want(types: &Types, ty: Option<&Type>) -> Want {
    let Some(ty) = ty else { return Want::Infer };
    match types.expand(ty) {
        Expanded::Builtin(Type::Int) => Want::Int,
        Expanded::Builtin(Type::Natural | Type::DenseInt) => Want::Natural,
        Expanded::Builtin(Type::Float) => Want::Float,
        Expanded::Builtin(Type::Number) => Want::Number,
        Expanded::Builtin(Type::Atom) => Want::Atom,
        Expanded::Builtin(Type::Str) => Want::Str,
        Expanded::Builtin(_) | Expanded::Unknown => Want::Infer,
        Expanded::Variants(variants) => {
            let names: Vec<String> =
                variants.into_iter().filter(|v| v.args.is_empty()).map(|v| v.name).collect();
            // Numbers among the alternatives: the fields are read as what they look like.
            if names.iter().any(|n| n.parse::<f64>().is_ok()) { Want::Infer } else { Want::OneOf(names) }
        }
    }
}

fn column(cells: Cells, want: &Want, texts: &mut Texts) -> FactColumn {
    match cells {
        Cells::Int(values) => FactColumn::Int(values),
        Cells::Float(values) => FactColumn::Float(values),
        Cells::Text(text) => {
            let ids: Vec<TextId> = text.names.iter().map(|name| texts.intern(name)).collect();
            let values = text.values.iter().map(|&v| ids[v as usize]).collect();
            if *want == Want::Str { FactColumn::Str(values) } else { FactColumn::Atom(values) }
        }
    }
}

fn constraint(declarations: &Declarations, file: &FactFile) -> Result<ConstraintId, Box<Diagnostic>> {
    let (name, arity) = match file.constraint.rsplit_once('/') {
        Some((name, arity)) => (name, arity.parse::<usize>().ok()),
        None => (file.constraint.as_str(), None),
    };
    let option = format!("--facts {}={}", file.constraint, file.path.display());
    let named = declarations.named(name);
    let found = match (arity, named) {
        (Some(arity), _) => declarations.constraint(name, arity),
        (None, &[only]) => Some(only),
        (None, [_, _, ..]) => {
            let all: Vec<_> = named.iter().map(|&c| declarations.label(c)).collect();
            return Err(Box::new(
                Diagnostic::error("C0603", format!("{name} names more than one constraint"))
                    .note(format!("in {option}; declared are {}", all.join(", ")))
                    .help(format!("give the number of arguments: --facts {}=FILE", all[0])),
            ));
        }
        (None, []) => None,
    };
    match found {
        Some(id) if declarations.constraints[id].columns.is_empty() => Err(Box::new(
            Diagnostic::error(
                "C0603",
                format!("{} has no columns to read from a file", declarations.label(id)),
            )
            .note(format!("in {option}"))
            .help("add it by a query: ?- goals."),
        )),
        Some(id) => Ok(id),
        None => {
            let near =
                declarations.nearest(name).map_or(String::new(), |n| format!("did you mean {n}? Else "));
            Err(Box::new(
                Diagnostic::error("C0603", format!("the constraint {} is not declared", file.constraint))
                    .note(format!("in {option}"))
                    .help(format!("{near}declare it in the program: :- chr_constraint {name}/N.")),
            ))
        }
    }
}

/// The bytes of a file, unpacked where its name ends in `.gz`; `-` is standard input.
fn content(path: &Path, account: &Account) -> std::io::Result<Vec<u8>> {
    if path.as_os_str() == "-" {
        return reading::read_from(std::io::stdin().lock(), 0, path, account);
    }
    if ending(path) != "gz" {
        return reading::read(path, account);
    }
    let file = std::io::BufReader::new(std::fs::File::open(path)?);
    let bytes = reading::read_from(flate2::bufread::MultiGzDecoder::new(file), 0, path, account);
    bytes.map_err(|error| match error.kind() {
        std::io::ErrorKind::UnexpectedEof => std::io::Error::other("the packed data ends too early"),
        std::io::ErrorKind::InvalidInput | std::io::ErrorKind::InvalidData => {
            std::io::Error::other(format!("it is no valid gzip file: {error}"))
        }
        _ => error,
    })
}

fn ending(path: &Path) -> String {
    path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase()
}

fn format(file: &FactFile) -> Result<FactFormat, Box<Diagnostic>> {
    let path = &file.path;
    if let Some(format) = file.format {
        return Ok(format);
    }
    if path.as_os_str() == "-" {
        return Ok(FactFormat::Csv);
    }
    let of_packed = if ending(path) == "gz" { Path::new(path.file_stem().unwrap_or_default()) } else { path };
    match ending(of_packed).as_str() {
        "csv" => Ok(FactFormat::Csv),
        "tsv" | "txt" => Ok(FactFormat::Tsv),
        "jsonl" | "ndjson" => Ok(FactFormat::JsonLines),
        "parquet" => Err(Box::new(
            Diagnostic::error("C0602", format!("{}: Parquet files are not read", path.display()))
                .help("convert it to CSV, TSV or JSON lines"),
        )),
        _ => Err(Box::new(
            Diagnostic::error(
                "C0602",
                format!("{}: the ending does not say what the file holds", path.display()),
            )
            .help(
                "give --facts-format, or rename it: .csv for fields separated by commas, .tsv or .txt by tabs, .jsonl \
                 for JSON lines; each with .gz behind it when it is packed",
            ),
        )),
    }
}
