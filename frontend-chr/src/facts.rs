//! Facts in bulk: CSV, TSV and JSON-lines files, packed or not, and tables of typed columns, to columns of constraints.
//!
//! [`format`](mod@format) says what a file is. [`table`] reads bytes of CSV and TSV in parallel, [`cell`] parses
//! fields,
//! [`json`] reads JSON lines, `typed` tables of typed columns; [`report`] shows what is wrong with a line.

mod cell;
mod format;
mod json;
mod report;
mod table;
#[cfg(feature = "tables")]
mod typed;

use std::path::{Path, PathBuf};

use gchr_base::diagnostic::Diagnostic;
use gchr_base::facts::{FactColumn, FactNode, FactTerms, Facts};
use gchr_base::reading::{self, Account};
use gchr_base::signature::{ConstraintId, Functors, Signature, SortKind, TextId, TypeId, TypeKind};
use gchr_base::source::SourceMap;
use gchr_base::value::heap::HeapFull;
use gchr_base::value::{Heap, Terms};

use crate::declare::Declarations;
use crate::types::{Expanded, Type, Types};
use cell::{Cells, Node, TermCells, Want};
use format::Packing;

pub use format::{FactFormat, split_table};

/// A file of facts for one constraint.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FactFile {
    /// `edge`, or `edge/3` where the name alone is ambiguous.
    pub constraint: String,
    /// The file; `-` is standard input. Behind a database its table may be named: `roads.db:edge`.
    pub path: PathBuf,
    /// Whether its first line names the columns.
    pub header: Header,
    /// How it is written; `None`: as its ending says, `.gz` apart, and standard input as CSV.
    pub format: Option<FactFormat>,
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

/// Whether a text of a fact file is taken for a number where nothing says what it is.
pub fn is_number_of_facts(text: &str) -> bool {
    cell::is_number(text.as_bytes())
}

/// Reads a file of facts; `None` after an error, which is reported. What the facts take is
/// counted in `account`, what was guessed goes to `notices`.
pub(crate) fn load(
    sources: &mut SourceMap,
    signature: &mut Signature,
    declarations: &Declarations,
    file: &FactFile,
    account: &Account,
    diagnostics: &mut Vec<Diagnostic>,
    notices: &mut Vec<String>,
) -> Option<Facts> {
    let place = || format!("--facts {}={}", file.constraint, file.path.display());
    let found = constraint(declarations, &file.constraint, &place).and_then(|c| Ok((c, format::of(file)?)));
    let (constraint, (format, packing)) = found.map_err(|d| diagnostics.push(*d)).ok()?;
    let mut wants = wants(declarations, constraint);
    if format != FactFormat::JsonLines {
        wants = cell::of_table(wants);
    }
    #[cfg(feature = "tables")]
    if let Some(tables) = format.of_tables() {
        let (path, table) = split_table(&file.path, file.format);
        if file.header != Header::Auto {
            notices.push(report::header_without_effect(path));
        }
        let table = table.unwrap_or(&declarations.constraints[constraint].name);
        let label = &declarations.label(constraint);
        let typed = typed::TypedTable { path, format: Some(tables), label, wants: &wants };
        let read = typed.read_file(tables, table, account).map_err(|found| diagnostics.push(*found)).ok()?;
        return checked(facts(constraint, read, &wants, signature), &wants, signature, path, diagnostics);
    }
    let delimiter = format.delimiter();
    let bytes = content(&file.path, packing, account);
    let whole = bytes.map_err(|error| diagnostics.push(report::unreadable(&file.path, error))).ok()?;
    if let Some(found) = report::no_text(&file.path, &whole) {
        diagnostics.push(found);
        return None;
    }
    if format == FactFormat::JsonLines {
        let name = &declarations.constraints[constraint].name;
        let lines =
            json::Lines { path: &file.path, name, label: declarations.label(constraint), wants: &wants };
        let read = lines.read(&whole, account, sources, diagnostics)?;
        account.give(whole.len() as u64);
        return checked(
            facts(constraint, read, &wants, signature),
            &wants,
            signature,
            &file.path,
            diagnostics,
        );
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
    let facts = facts(constraint, (table.columns, table.rows), &wants, signature);
    checked(facts, &wants, signature, &file.path, diagnostics)
}

/// Reads a table that is in memory, as [`load`] reads a file; it is called `name` in messages.
#[cfg(feature = "tables")]
pub(crate) fn load_table(
    signature: &mut Signature,
    declarations: &Declarations,
    (constraint_name, name, source): (&str, &str, &gchr_tables::Source),
    account: &Account,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Facts> {
    let place = || format!("the {name} for {constraint_name}");
    let found = constraint(declarations, constraint_name, &place);
    let constraint = found.map_err(|d| diagnostics.push(*d)).ok()?;
    let wants = cell::of_table(wants(declarations, constraint));
    let label = &declarations.label(constraint);
    let typed = typed::TypedTable { path: Path::new(name), format: None, label, wants: &wants };
    let read = typed.read(source, account).map_err(|found| diagnostics.push(*found)).ok()?;
    checked(facts(constraint, read, &wants, signature), &wants, signature, Path::new(name), diagnostics)
}

/// Why a table in memory cannot be read; it is called `name` in messages.
#[cfg(feature = "tables")]
pub fn refused_table(name: &str, error: gchr_tables::Error) -> Diagnostic {
    let typed = typed::TypedTable { path: Path::new(name), format: None, label: "", wants: &[] };
    *typed.unopened(error)
}

/// Columns that were read, as facts.
fn facts(
    constraint: ConstraintId,
    (cells, rows): (Vec<Cells>, usize),
    wants: &[Want],
    signature: &mut Signature,
) -> Facts {
    let arguments = cells.into_iter().zip(wants).filter(|(_, want)| **want != Want::Present);
    let columns = arguments.map(|(cells, want)| column(cells, want, signature)).collect();
    Facts { constraint, columns, rows }
}

/// The facts, unless one of them is not of the declared type of its column, which only its value as a whole shows.
fn checked(
    facts: Facts,
    wants: &[Want],
    signature: &Signature,
    path: &Path,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Facts> {
    for (at, (column, want)) in facts.columns.iter().zip(wants).enumerate() {
        let Some(ty) = signature.column_types.of(facts.constraint, at) else { continue };
        let found = first_of_another_type(column, want, ty, facts.rows, signature);
        let found = found.map_err(|full| diagnostics.push(full.reason().to_diagnostic())).ok()?;
        if let Some((row, value)) = found {
            let label = signature.constraint_name(facts.constraint);
            let place = format!("{}, row {}, argument {} of {label}", path.display(), row + 1, at + 1);
            let name = &signature.column_types.types[ty].name;
            let help = "correct the value, or declare the column with a wider type, such as ?any";
            let found = Diagnostic::error("C0605", format!("{place}: {value} is not of type {name}"));
            diagnostics.push(found.help(help));
            return None;
        }
    }
    Some(facts)
}

/// The first value of a column that is not of a type, with its row.
fn first_of_another_type(
    column: &FactColumn,
    want: &Want,
    ty: TypeId,
    rows: usize,
    signature: &Signature,
) -> Result<Option<(usize, String)>, HeapFull> {
    // Texts and numbers of these types were looked at one by one.
    let is_known = match &signature.column_types.types[ty].kind {
        TypeKind::Variants(_) => matches!((column, want), (FactColumn::Atom(_), Want::OneOf(_))),
        TypeKind::Number | TypeKind::Natural => !matches!(column, FactColumn::Any(_)),
        _ => true,
    };
    if is_known {
        return Ok(None);
    }
    let mut heap = Heap::new();
    for row in 0..rows {
        // Nothing of a row is looked at again.
        if heap.wants_collection() {
            heap = Heap::new();
        }
        let Some(word) = column.word(row, SortKind::Any, &mut heap) else { continue };
        let (word, terms) = (word?, Terms { signature, heap: &heap });
        if !terms.has_type(word, ty) {
            return Ok(Some((row, terms.value(SortKind::Any, word).shown())));
        }
    }
    Ok(None)
}

/// How the fields of each column of a constraint are read.
fn wants(declarations: &Declarations, constraint: ConstraintId) -> Vec<Want> {
    let columns = &declarations.constraints[constraint].columns;
    columns.iter().map(|ty| want(&declarations.types, ty.as_ref())).collect()
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

fn column(cells: Cells, want: &Want, signature: &mut Signature) -> FactColumn {
    match cells {
        Cells::Int(values) => FactColumn::Int(values),
        Cells::Float(values) => FactColumn::Float(values),
        Cells::Text(text) => {
            let ids: Vec<TextId> = text.names.iter().map(|name| signature.texts.intern(name)).collect();
            let values = text.values.iter().map(|&v| ids[v as usize]).collect();
            if *want == Want::Str { FactColumn::Str(values) } else { FactColumn::Atom(values) }
        }
        Cells::Any(terms) => of_terms(&terms, signature),
    }
}

/// A column of values of several types; one of strings alone where there is nothing else.
fn of_terms(terms: &TermCells, signature: &mut Signature) -> FactColumn {
    let ids: Vec<TextId> = terms.texts.names.iter().map(|name| signature.texts.intern(name)).collect();
    let strings = terms.nodes.iter().map(|node| match node {
        Node::Str(text) => Some(ids[*text as usize]),
        _ => None,
    });
    if let Some(strings) = strings.collect::<Option<Vec<_>>>() {
        return FactColumn::Str(strings);
    }
    let Some(any) = signature.sort_of_kind(SortKind::Any) else {
        return FactColumn::Any(FactTerms::default());
    };
    let mut functors = Functors::of(signature, any);
    let nodes = terms.nodes.iter().map(|node| match *node {
        Node::Int(n) => FactNode::Int(n),
        Node::Float(x) => FactNode::Float(x),
        Node::Atom(text) => FactNode::Atom(ids[text as usize]),
        Node::Str(text) => FactNode::Str(ids[text as usize]),
        Node::Compound { name, arity } => {
            let name = &terms.texts.names[name as usize];
            FactNode::Compound { symbol: functors.functor(signature, name, arity, None), arity }
        }
    });
    let nodes = nodes.collect();
    FactColumn::Any(FactTerms::new(nodes, terms.ends.clone()))
}

/// The constraint with a name, `edge` or `edge/3`; `place` says where it was named.
fn constraint(
    declarations: &Declarations,
    wanted: &str,
    place: &dyn Fn() -> String,
) -> Result<ConstraintId, Box<Diagnostic>> {
    let (name, arity) = match wanted.rsplit_once('/') {
        Some((name, arity)) => (name, arity.parse::<usize>().ok()),
        None => (wanted, None),
    };
    let option = place();
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
        Some(id) => Ok(id),
        None => {
            let near =
                declarations.nearest(name).map_or(String::new(), |n| format!("did you mean {n}? Else "));
            Err(Box::new(
                Diagnostic::error("C0603", format!("the constraint {wanted} is not declared"))
                    .note(format!("in {option}"))
                    .help(format!("{near}declare it in the program: :- chr_constraint {name}/N.")),
            ))
        }
    }
}

/// The bytes of a file, unpacked; `-` is standard input.
fn content(path: &Path, packing: Packing, account: &Account) -> std::io::Result<Vec<u8>> {
    if reading::is_stdin(path) {
        // Nothing but its first bytes says whether it is packed.
        let mut input = std::io::stdin().lock();
        let packing = Packing::of_content(std::io::BufRead::fill_buf(&mut input)?);
        return unpacked(input, packing, path, account);
    }
    if packing == Packing::None {
        return reading::read(path, account);
    }
    unpacked(std::io::BufReader::new(std::fs::File::open(path)?), packing, path, account)
}

/// All bytes of what is packed.
fn unpacked(
    mut input: impl std::io::BufRead,
    packing: Packing,
    path: &Path,
    account: &Account,
) -> std::io::Result<Vec<u8>> {
    let (name, bytes) = match packing {
        Packing::None => return reading::read_from(input, 0, path, account),
        // The library takes what is none for one that is cut off.
        Packing::Gzip if !input.fill_buf()?.starts_with(b"\x1f") => {
            return Err(damaged("it is no gzip file"));
        }
        Packing::Gzip => {
            ("gzip", reading::read_from(flate2::bufread::MultiGzDecoder::new(input), 0, path, account))
        }
        #[cfg(feature = "tables")]
        Packing::Zstd => ("zstd", reading::read_from(gchr_tables::unpack_zstd(input)?, 0, path, account)),
        #[cfg(not(feature = "tables"))]
        Packing::Zstd => return Err(format::absent()),
    };
    bytes.map_err(|error| match error.kind() {
        std::io::ErrorKind::UnexpectedEof => damaged("the packed data ends too early"),
        std::io::ErrorKind::InvalidInput | std::io::ErrorKind::InvalidData => {
            damaged(&format!("it is no valid {name} file: {error}"))
        }
        _ => error,
    })
}

/// What is packed is not what the name of the file says.
fn damaged(message: &str) -> std::io::Error {
    std::io::Error::new(std::io::ErrorKind::InvalidData, message)
}
