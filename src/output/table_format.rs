//! How constraints of one symbol are written: lines of text, or columns.

use super::csv::{self, Style};

/// How the constraints of one symbol are written, without their name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TableFormat {
    /// Arguments with commas between them.
    Csv,
    /// Arguments with tabs between them.
    Tsv,
    /// An array on each line.
    JsonLines,
    /// Apache Parquet.
    Parquet,
    /// An Arrow IPC file.
    Arrow,
    /// An Arrow IPC stream.
    ArrowStream,
}

impl TableFormat {
    /// The ending of the names of its files.
    pub fn ending(self) -> &'static str {
        match self {
            TableFormat::Csv => "csv",
            TableFormat::Tsv => "tsv",
            TableFormat::JsonLines => "jsonl",
            TableFormat::Parquet => "parquet",
            TableFormat::Arrow => "arrow",
            TableFormat::ArrowStream => "arrows",
        }
    }

    pub(super) fn style(self) -> Style {
        let style = if self == TableFormat::Tsv { csv::TSV } else { csv::CSV };
        Style { named: false, ..style }
    }
}
