//! What a file of facts is: by its ending, or as it was said.

use std::path::Path;

use gchr_base::diagnostic::Diagnostic;
use gchr_base::reading;

use super::FactFile;

/// How a file of facts is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FactFormat {
    /// Fields with commas between them.
    Csv,
    /// Fields with tabs between them.
    Tsv,
    /// On each line a JSON array, or an object as results in this format have: `{"constraint": "edge", "args": [1,
    /// 2]}`.
    JsonLines,
    /// Apache Parquet.
    Parquet,
    /// An Arrow IPC file (Feather).
    Arrow,
    /// An Arrow IPC stream.
    ArrowStream,
    /// A table of an SQLite database.
    Sqlite,
}

impl FactFormat {
    /// What stands between fields.
    pub(super) fn delimiter(self) -> u8 {
        if self == FactFormat::Csv { b',' } else { b'\t' }
    }

    /// The format of tables of typed columns that it is, if it is one.
    #[cfg(feature = "tables")]
    pub(super) fn of_tables(self) -> Option<gchr_tables::Format> {
        match self {
            FactFormat::Csv | FactFormat::Tsv | FactFormat::JsonLines => None,
            FactFormat::Parquet => Some(gchr_tables::Format::Parquet),
            FactFormat::Arrow => Some(gchr_tables::Format::Arrow),
            FactFormat::ArrowStream => Some(gchr_tables::Format::ArrowStream),
            FactFormat::Sqlite => Some(gchr_tables::Format::Sqlite),
        }
    }

    /// Whether it is one of lines of text.
    fn is_text(self) -> bool {
        matches!(self, FactFormat::Csv | FactFormat::Tsv | FactFormat::JsonLines)
    }

    fn of_ending(ending: &str) -> Option<Self> {
        match ending {
            "csv" => Some(FactFormat::Csv),
            "tsv" | "txt" => Some(FactFormat::Tsv),
            "jsonl" | "ndjson" => Some(FactFormat::JsonLines),
            "parquet" => Some(FactFormat::Parquet),
            "arrow" | "feather" | "ipc" => Some(FactFormat::Arrow),
            "arrows" => Some(FactFormat::ArrowStream),
            "db" | "sqlite" | "sqlite3" => Some(FactFormat::Sqlite),
            _ => None,
        }
    }
}

/// How a file of text is packed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Packing {
    None,
    Gzip,
    Zstd,
}

impl Packing {
    fn of(path: &Path) -> Self {
        match ending(path).as_str() {
            "gz" => Packing::Gzip,
            "zst" => Packing::Zstd,
            _ => Packing::None,
        }
    }

    /// By the first bytes, with which no text in UTF-8 begins.
    pub(super) fn of_content(first: &[u8]) -> Self {
        match first {
            [0x1f, 0x8b, ..] => Packing::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Packing::Zstd,
            _ => Packing::None,
        }
    }
}

/// What a file is that begins as no text does, and how it is read.
pub(super) fn of_content(bytes: &[u8]) -> Option<(&'static str, &'static str)> {
    let known: [(&[u8], _, _); 6] = [
        (b"PAR1", "a Parquet file", "give --facts-format parquet, or rename it: .parquet"),
        (b"ARROW1\0\0", "an Arrow IPC file", "give --facts-format arrow, or rename it: .arrow"),
        (b"\xff\xff\xff\xff", "an Arrow IPC stream", "give --facts-format arrows, or rename it: .arrows"),
        (b"SQLite format 3\0", "an SQLite database", "give --facts-format sqlite, or rename it: .db"),
        (b"\x1f\x8b", "packed by gzip", "rename it, with .gz at the end"),
        (b"\x28\xb5\x2f\xfd", "packed by zstd", "rename it, with .zst at the end"),
    ];
    let (_, what, help) = known.into_iter().find(|(start, ..)| bytes.starts_with(start))?;
    Some((what, help))
}

/// A file and the table of it that is named behind it: `roads.db:edge`. A file that has such a name itself is one.
pub fn split_table(path: &Path, format: Option<FactFormat>) -> (&Path, Option<&str>) {
    let split = path.to_str().and_then(|text| text.rsplit_once(':')).filter(|(_, table)| !table.is_empty());
    let Some((file, table)) = split else { return (path, None) };
    let of_ending = || FactFormat::of_ending(&ending(Path::new(file)));
    match format.or_else(of_ending) {
        Some(FactFormat::Sqlite) if !path.exists() => (Path::new(file), Some(table)),
        _ => (path, None),
    }
}

/// How a file is written, and packed.
pub(super) fn of(file: &FactFile) -> Result<(FactFormat, Packing), Box<Diagnostic>> {
    let (path, _) = split_table(&file.path, file.format);
    let packing = Packing::of(path);
    let of_packed =
        if packing == Packing::None { path } else { Path::new(path.file_stem().unwrap_or_default()) };
    let is_stdin = reading::is_stdin(path);
    let found = file.format.or_else(|| match is_stdin {
        true => Some(FactFormat::Csv),
        false => FactFormat::of_ending(&ending(of_packed)),
    });
    let shown = path.display();
    let refused = |message: String, help: &str| Err(Box::new(Diagnostic::error("C0602", message).help(help)));
    match found {
        None if ending(of_packed) == "json" => refused(
            format!("{shown}: a JSON document is not read, JSON lines are"),
            "write the arguments of each constraint on a line of a .jsonl file: [1, \"a\"]",
        ),
        None => refused(
            format!("{shown}: the ending does not say what the file holds"),
            "give --facts-format, or rename it: .csv for fields separated by commas, .tsv or .txt by tabs, .jsonl for \
             JSON lines, each with .gz or .zst behind it when it is packed; .parquet, .arrow, .arrows, .db",
        ),
        Some(format) if !format.is_text() && !cfg!(feature = "tables") => {
            refused(format!("{shown}: {}", absent()), "convert it to CSV, TSV or JSON lines")
        }
        Some(format) if !format.is_text() && packing != Packing::None => {
            refused(format!("{shown}: only files of text are read packed"), "unpack it")
        }
        Some(FactFormat::Parquet | FactFormat::Arrow | FactFormat::Sqlite) if is_stdin => refused(
            "standard input cannot be read from its end, as this format is".into(),
            "give the name of a file; an Arrow IPC stream can be piped: --facts-format arrows",
        ),
        Some(format) => Ok((format, packing)),
    }
}

/// What is said of a format that this program was built without.
pub(super) fn absent() -> std::io::Error {
    std::io::Error::other("this gchr was built without Parquet, Arrow, SQLite and zstd")
}

fn ending(path: &Path) -> String {
    path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase()
}
