//! What options of `gchr run` may be given.

use clap::ValueEnum;
use gchr::{FactFormat, Format, Native};

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

impl From<NativeArg> for Native {
    fn from(native: NativeArg) -> Self {
        match native {
            NativeArg::On => Native::On,
            NativeArg::Off => Native::Off,
            NativeArg::Auto => Native::Auto,
        }
    }
}

impl From<FormatArg> for Format {
    fn from(format: FormatArg) -> Self {
        match format {
            FormatArg::Text => Format::Text,
            FormatArg::Json => Format::Json,
            FormatArg::Csv => Format::Csv,
            FormatArg::Tsv => Format::Tsv,
            FormatArg::Jsonl => Format::JsonLines,
        }
    }
}
