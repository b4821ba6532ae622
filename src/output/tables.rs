//! Stores as tables: the rows of a symbol, and how many there are.

use std::io::{self, Write};

use gchr_base::signature::{ConstraintId, Signature};
use gchr_base::stats::Stats;
#[cfg(feature = "tables")]
use gchr_base::stop::StopReason;
use gchr_constraints::exec::Store;

#[cfg(feature = "tables")]
use super::answer::{Answer, Numbered};
use super::answer::{LogicAnswers, Sizes};
#[cfg(feature = "tables")]
use super::columns;
use super::csv;
use super::selection::Selection;
use super::table_format::TableFormat;
#[cfg(feature = "tables")]
use super::term_columns::TermColumns;
use super::{Format, FormatError, csv_style, json, logic};

pub(super) fn symbol(signature: &Signature, name: &str, arity: usize) -> Option<ConstraintId> {
    let mut all = signature.constraints.iter_enumerated();
    all.find(|(_, c)| c.name == name && c.columns.len() == arity).map(|(id, _)| id)
}

/// Constraints of a symbol in a store.
pub(super) fn count(store: &Store, signature: &Signature, name: &str, arity: usize) -> usize {
    symbol(signature, name, arity).map_or(0, |id| store.count(id))
}

/// Constraints of a symbol in an answer of the logic machine.
pub(crate) fn count_rows(answer: &gchr_logic::Answer, name: &str, arity: usize) -> usize {
    let is_one = |row: &&Vec<String>| row.len() == arity + 1 && row[0] == name;
    answer.text.rows.iter().filter(is_one).count()
}

/// The constraints of a symbol.
pub(super) fn write_table(
    store: &Store,
    signature: &Signature,
    (name, arity): (&str, usize),
    format: TableFormat,
    out: &mut (impl Write + Send),
) -> io::Result<()> {
    let Some(id) = symbol(signature, name, arity) else { return Ok(()) };
    match format {
        TableFormat::Csv | TableFormat::Tsv => csv::write_table(store, signature, id, format.style(), out),
        TableFormat::JsonLines => json::write_table(store, signature, id, false, out),
        #[cfg(feature = "tables")]
        _ => {
            columns::of_store(&store.rows_at_once(signature, id)?, |table| columns::write(table, format, out))
        }
        #[cfg(not(feature = "tables"))]
        _ => Err(absent()),
    }
}

/// The constraints of a symbol in all answers.
pub(super) fn write_logic_table(
    found: &LogicAnswers,
    (name, arity): (&str, usize),
    format: TableFormat,
    out: &mut (impl Write + Send),
) -> io::Result<()> {
    let selection = &Selection::of_symbols(vec![(name.into(), Some(arity))]);
    match format {
        TableFormat::Csv | TableFormat::Tsv => {
            csv::write_logic(found.numbered(), selection, format.style(), out)
        }
        TableFormat::JsonLines => {
            found.numbered().try_for_each(|answer| logic::write_table(answer, selection, out))
        }
        #[cfg(feature = "tables")]
        _ => with_logic_table(found.numbered(), (name, arity), |table| columns::write(table, format, out)),
        #[cfg(not(feature = "tables"))]
        _ => Err(absent()),
    }
}

/// Lends the constraints of a symbol of a store as a table, if it is declared.
#[cfg(feature = "tables")]
pub(crate) fn with_store_table<T>(
    store: &Store,
    signature: &Signature,
    (name, arity): (&str, usize),
    take: impl FnOnce(&gchr_tables::Table<'_>) -> T,
) -> Option<T> {
    let id = symbol(signature, name, arity)?;
    // The tables of a store are made by its first run.
    Some(match store.has_table(id) {
        true => columns::of_store(&store.rows(signature, id), take),
        false => {
            let own = signature.constraints[id].columns.iter();
            columns::of_nothing(own.map(|column| signature.kind(column.sort)), take)
        }
    })
}

/// The columns of a symbol of a store whose values have types of their own, if it is declared.
#[cfg(feature = "tables")]
pub(crate) fn store_term_columns(
    store: &Store,
    signature: &Signature,
    (name, arity): (&str, usize),
) -> Result<Option<TermColumns>, StopReason> {
    let Some(id) = symbol(signature, name, arity) else { return Ok(None) };
    match store.has_table(id) {
        true => TermColumns::of_rows(&store.rows(signature, id)).map(Some),
        false => Ok(Some(TermColumns { columns: vec![None; arity], ..TermColumns::default() })),
    }
}

/// Lends the constraints of a symbol in answers of the logic machine as a table.
#[cfg(feature = "tables")]
pub(crate) fn with_logic_table<'a, T>(
    answers: impl IntoIterator<Item = Numbered<'a>>,
    (name, arity): (&str, usize),
    take: impl FnOnce(&gchr_tables::Table<'_>) -> T,
) -> T {
    let selection = Selection::of_symbols(vec![(name.into(), Some(arity))]);
    let (mut rows, mut of_answers): (Vec<&[String]>, _) = (Vec::new(), Vec::new());
    let mut several = false;
    for (number, answer) in answers {
        several |= number.is_some();
        for row in answer.text.rows.iter().filter(|row| selection.has_row(row)) {
            rows.push(row);
            of_answers.extend(number);
        }
    }
    columns::of_logic(&rows, arity, several.then_some(&of_answers), take)
}

/// Names of the tables of a database for constraints: their own, `path.2` where there are several of a name. SQLite
/// keeps names that begin with `sqlite_` for itself, which get `_` before them, and ends a name at a zero character,
/// for which `_` stands. It does not tell capital letters from small ones; a later name gets `_` behind it then.
#[cfg(feature = "tables")]
pub(super) fn table_names(declared: &[(String, usize)]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (name, arity) in declared {
        let several = declared.iter().filter(|(other, _)| other == name).count() > 1;
        let mut table = if several { format!("{name}.{arity}") } else { name.clone() }.replace('\0', "_");
        if table.get(..7).is_some_and(|start| start.eq_ignore_ascii_case("sqlite_")) {
            table.insert(0, '_');
        }
        while names.iter().any(|other| other.eq_ignore_ascii_case(&table)) {
            table.push('_');
        }
        names.push(table);
    }
    names
}

/// Adds the constraints of a symbol to a database.
#[cfg(feature = "tables")]
pub(super) fn add_table(
    database: &mut gchr_tables::NewDatabase,
    table_name: &str,
    (answer, signature): (&Answer, &Signature),
    (name, arity): (&str, usize),
    check: &mut dyn FnMut(u64) -> io::Result<()>,
) -> Result<(), FormatError> {
    let add = |table: &gchr_tables::Table<'_>| database.add(table_name, table, check);
    match answer {
        Answer::NormalForm(_) => Err(FormatError::NotTabular),
        Answer::Sizes(_) => Err(FormatError::OnlySizes),
        Answer::Store(store) => {
            let added = with_store_table(store, signature, (name, arity), add);
            Ok(added.unwrap_or(Ok(()))?)
        }
        Answer::Logic(found) => Ok(with_logic_table(found.numbered(), (name, arity), add)?),
    }
}

/// What a build without these formats says.
#[cfg(not(feature = "tables"))]
pub(super) fn absent() -> io::Error {
    io::Error::other("this gchr was built without Parquet, Arrow and SQLite")
}

/// Counts, as text `path/2 3`, with `;` between those of answers.
pub(super) fn write_sizes(
    sizes: &Sizes,
    stats: &Stats,
    format: Format,
    out: &mut impl Write,
) -> io::Result<()> {
    match format {
        Format::Text => {
            let mut last = None;
            sizes.numbered().try_for_each(|(number, (name, arity, count))| {
                if std::mem::replace(&mut last, number).is_some_and(|before| Some(before) != number) {
                    writeln!(out, ";")?;
                }
                writeln!(out, "{name}/{arity} {count}")
            })
        }
        Format::Csv | Format::Tsv => csv::write_sizes(sizes, csv_style(format), out),
        Format::Json => json::write_sizes(sizes, stats, out),
        Format::JsonLines => sizes.numbered().try_for_each(|(number, (name, arity, count))| {
            let symbol = serde_json::to_string(&format!("{name}/{arity}"))?;
            let number = number.map_or(String::new(), |number| format!("\"answer\": {number}, "));
            writeln!(out, "{{{number}\"constraint\": {symbol}, \"count\": {count}}}")
        }),
    }
}

/// The selected constraints of a store that is no result.
pub(crate) fn write_store(
    store: &Store,
    signature: &Signature,
    selection: &Selection,
    format: Format,
    out: &mut impl Write,
) -> Result<(), FormatError> {
    // The tables of a store are made by its first run.
    let selected = selection.of(signature).filter(|&id| store.has_table(id));
    let written: io::Result<()> = match format {
        Format::Text => selected.into_iter().try_for_each(|id| store.write_rows(signature, id, out)),
        Format::Csv | Format::Tsv => selected
            .into_iter()
            .try_for_each(|id| csv::write_table(store, signature, id, csv_style(format), out)),
        Format::Json | Format::JsonLines => {
            selected.into_iter().try_for_each(|id| json::write_table(store, signature, id, true, out))
        }
    };
    Ok(written?)
}

/// The same of the logic machine.
pub(crate) fn write_logic_store(
    store: &gchr_logic::Answer,
    selection: &Selection,
    format: Format,
    out: &mut impl Write,
) -> Result<(), FormatError> {
    let written = match format {
        Format::Text => logic::write_goals(store, selection, out),
        Format::Csv | Format::Tsv => csv::write_logic([(None, store)], selection, csv_style(format), out),
        Format::Json | Format::JsonLines => logic::write_rows(store, selection, out),
    };
    Ok(written?)
}
