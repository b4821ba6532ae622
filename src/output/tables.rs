//! Stores as tables: the rows of a symbol, and how many there are.

use std::io::{self, Write};

use gchr_base::signature::{ConstraintId, Signature};
use gchr_base::stats::Stats;
use gchr_constraints::exec::Store;

use super::answer::LogicAnswers;
use super::csv::{self, Style};
use super::selection::Selection;
use super::{Format, FormatError, csv_style, json, logic};

/// How the constraints of one symbol are written, without their name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TableFormat {
    /// Arguments with commas between them.
    Csv,
    /// Arguments with tabs between them.
    Tsv,
    /// An array on each line.
    JsonLines,
}

impl TableFormat {
    /// The ending of the names of its files.
    pub fn ending(self) -> &'static str {
        match self {
            TableFormat::Csv => "csv",
            TableFormat::Tsv => "tsv",
            TableFormat::JsonLines => "jsonl",
        }
    }

    fn style(self) -> Style {
        let style = if self == TableFormat::Tsv { csv::TSV } else { csv::CSV };
        Style { named: false, ..style }
    }
}

fn symbol(signature: &Signature, name: &str, arity: usize) -> Option<ConstraintId> {
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
    name: &str,
    arity: usize,
    format: TableFormat,
    out: &mut impl Write,
) -> io::Result<()> {
    let Some(id) = symbol(signature, name, arity) else { return Ok(()) };
    match format {
        TableFormat::Csv | TableFormat::Tsv => csv::write_table(store, signature, id, format.style(), out),
        TableFormat::JsonLines => json::write_table(store, signature, id, false, out),
    }
}

/// The selected constraints of all answers.
pub(super) fn write_logic_table(
    found: &LogicAnswers,
    selection: &Selection,
    format: TableFormat,
    out: &mut impl Write,
) -> io::Result<()> {
    match format {
        TableFormat::Csv | TableFormat::Tsv => {
            csv::write_logic(&found.answers, selection, format.style(), out)
        }
        TableFormat::JsonLines => {
            found.answers.iter().try_for_each(|answer| logic::write_rows(answer, selection, false, out))
        }
    }
}

/// Counts, as text `path/2 3`.
pub(super) fn write_sizes(
    sizes: &[(String, usize, usize)],
    stats: &Stats,
    format: Format,
    out: &mut impl Write,
) -> io::Result<()> {
    match format {
        Format::Text => {
            sizes.iter().try_for_each(|(name, arity, count)| writeln!(out, "{name}/{arity} {count}"))
        }
        Format::Csv | Format::Tsv => csv::write_sizes(sizes, csv_style(format), out),
        Format::Json => json::write_sizes(sizes, stats, out),
        Format::JsonLines => sizes.iter().try_for_each(|(name, arity, count)| {
            let symbol = serde_json::to_string(&format!("{name}/{arity}"))?;
            writeln!(out, "{{\"constraint\": {symbol}, \"count\": {count}}}")
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
        Format::Csv | Format::Tsv => csv::write_logic([store], selection, csv_style(format), out),
        Format::Json | Format::JsonLines => logic::write_rows(store, selection, true, out),
    };
    Ok(written?)
}
