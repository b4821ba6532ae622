//! What options of `gchr run` may be given.

use clap::ValueEnum;
use gchr::{FactFormat, Format, KernelTier, Native, TableFormat};

/// How a result is written.
#[derive(Clone, Copy, ValueEnum)]
pub enum FormatArg {
    /// A term on one line, or one constraint a line
    Text,
    /// One JSON object with the result and the statistics
    Json,
    /// One constraint a line: its name, then its arguments (.chr)
    Csv,
    /// The same with tabs between them (.chr)
    Tsv,
    /// A JSON object on each line: a constraint, a normal form, or an answer
    Jsonl,
    /// An Apache Parquet file of one constraint, with --out or --out-dir (.chr)
    Parquet,
    /// The same as an Arrow IPC file (.chr)
    Arrow,
    /// The same as an Arrow IPC stream (.chr)
    Arrows,
    /// An SQLite database with a table for each constraint, with --out (.chr)
    Sqlite,
}

impl FormatArg {
    /// The format of a result of any kind, unless it is one of tables with types.
    pub fn text(self) -> Option<Format> {
        match self {
            FormatArg::Text => Some(Format::Text),
            FormatArg::Json => Some(Format::Json),
            FormatArg::Csv => Some(Format::Csv),
            FormatArg::Tsv => Some(Format::Tsv),
            FormatArg::Jsonl => Some(Format::JsonLines),
            FormatArg::Parquet | FormatArg::Arrow | FormatArg::Arrows | FormatArg::Sqlite => None,
        }
    }

    /// The format of a file of one constraint.
    pub fn table(self) -> Option<TableFormat> {
        match self {
            FormatArg::Csv => Some(TableFormat::Csv),
            FormatArg::Tsv => Some(TableFormat::Tsv),
            FormatArg::Jsonl => Some(TableFormat::JsonLines),
            FormatArg::Parquet => Some(TableFormat::Parquet),
            FormatArg::Arrow => Some(TableFormat::Arrow),
            FormatArg::Arrows => Some(TableFormat::ArrowStream),
            FormatArg::Text | FormatArg::Json | FormatArg::Sqlite => None,
        }
    }
}

/// How a file of facts is written.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FactsFormatArg {
    /// Fields with commas between them
    Csv,
    /// Fields with tabs between them
    Tsv,
    /// An array of arguments on each line
    Jsonl,
    /// Apache Parquet
    Parquet,
    /// An Arrow IPC file (Feather)
    Arrow,
    /// An Arrow IPC stream
    Arrows,
    /// A table of an SQLite database
    Sqlite,
}

impl From<FactsFormatArg> for FactFormat {
    fn from(format: FactsFormatArg) -> Self {
        match format {
            FactsFormatArg::Csv => FactFormat::Csv,
            FactsFormatArg::Tsv => FactFormat::Tsv,
            FactsFormatArg::Jsonl => FactFormat::JsonLines,
            FactsFormatArg::Parquet => FactFormat::Parquet,
            FactsFormatArg::Arrow => FactFormat::Arrow,
            FactsFormatArg::Arrows => FactFormat::ArrowStream,
            FactsFormatArg::Sqlite => FactFormat::Sqlite,
        }
    }
}

/// When native code runs.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum NativeArg {
    /// From the start
    On,
    /// Never
    Off,
    /// When the run is not over after a moment
    Auto,
}

/// Which kernels are compiled.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum KernelsArg {
    /// Those that are ready soon
    Soon,
    /// Those that run fastest
    Fast,
}

impl From<KernelsArg> for KernelTier {
    fn from(kernels: KernelsArg) -> Self {
        match kernels {
            KernelsArg::Soon => KernelTier::Soon,
            KernelsArg::Fast => KernelTier::Fast,
        }
    }
}

impl From<NativeArg> for Native {
    fn from(native: NativeArg) -> Self {
        match native {
            NativeArg::On => Native::On,
            NativeArg::Off => Native::Off,
            NativeArg::Auto => Native::Auto,
        }
    }
}

/// What a file of one constraint is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum FileFormat {
    /// A table.
    Table(TableFormat),
    /// A SQLite database with one table.
    Database,
}

impl FileFormat {
    /// The one that an argument asks for, if it is one of files of one constraint.
    pub fn of(format: FormatArg) -> Option<Self> {
        match format {
            FormatArg::Sqlite => Some(FileFormat::Database),
            other => other.table().map(FileFormat::Table),
        }
    }

    /// How the names of such files end.
    pub fn ending(self) -> &'static str {
        match self {
            FileFormat::Table(format) => format.ending(),
            FileFormat::Database => "db",
        }
    }
}
