//! Files for tests, written by the libraries themselves, and what is read from them.

use std::path::Path;
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BooleanArray, DictionaryArray, Float32Array, Float64Array, Int8Array, Int64Array, RecordBatch,
    StringArray, UInt16Array,
};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use gchr_base::reading::Account;
use gchr_tables::{Error, Format, Source, Value, Values};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use rusqlite::Connection;

/// All formats with a name for a file of each.
pub const FORMATS: [(Format, &str); 4] = [
    (Format::Parquet, "t.parquet"),
    (Format::Arrow, "t.arrow"),
    (Format::ArrowStream, "t.arrows"),
    (Format::Sqlite, "t.db"),
];

/// Writes batches, packed in the way that a number says; of a database into the table `t`.
pub fn write(path: &Path, format: Format, batches: &[RecordBatch], packing: usize) {
    let file = || std::fs::File::create(path).expect("a file");
    let schema = batches[0].schema();
    let ipc = [None, Some(CompressionType::ZSTD), Some(CompressionType::LZ4_FRAME)][packing % 3];
    let options = IpcWriteOptions::default().try_with_compression(ipc).expect("known");
    match format {
        Format::Parquet => {
            let level = ZstdLevel::try_new(1).expect("a level");
            let packings = [
                Compression::UNCOMPRESSED,
                Compression::SNAPPY,
                Compression::ZSTD(level),
                Compression::GZIP(Default::default()),
                Compression::LZ4_RAW,
            ];
            let properties = WriterProperties::builder().set_compression(packings[packing % packings.len()]);
            let mut writer =
                ArrowWriter::try_new(file(), schema, Some(properties.build())).expect("a writer");
            for batch in batches {
                writer.write(batch).expect("written");
                writer.flush().expect("a row group");
            }
            writer.close().expect("closed");
        }
        Format::Arrow => {
            let mut writer = FileWriter::try_new_with_options(file(), &schema, options).expect("a writer");
            batches.iter().for_each(|batch| writer.write(batch).expect("written"));
            writer.finish().expect("finished");
        }
        Format::ArrowStream => {
            let mut writer = StreamWriter::try_new_with_options(file(), &schema, options).expect("a writer");
            batches.iter().for_each(|batch| writer.write(batch).expect("written"));
            writer.finish().expect("finished");
        }
        Format::Sqlite => write_database(path, batches),
    }
}

fn write_database(path: &Path, batches: &[RecordBatch]) {
    let _ = std::fs::remove_file(path);
    let connection = Connection::open(path).expect("a database");
    let names: Vec<String> =
        batches[0].schema().fields().iter().map(|field| format!("\"{}\"", field.name())).collect();
    connection.execute_batch(&format!("CREATE TABLE t ({}); BEGIN", names.join(", "))).expect("a table");
    let marks = vec!["?"; names.len()].join(", ");
    for batch in batches {
        for row in 0..batch.num_rows() {
            let values: Vec<rusqlite::types::Value> =
                batch.columns().iter().map(|column| sql_value(column, row)).collect();
            let insert = format!("INSERT INTO t VALUES ({marks})");
            connection.execute(&insert, rusqlite::params_from_iter(values)).expect("a row");
        }
    }
    connection.execute_batch("COMMIT").expect("stored");
}

fn sql_value(column: &ArrayRef, row: usize) -> rusqlite::types::Value {
    use rusqlite::types::Value;
    let any = column.as_any();
    if column.is_null(row) {
        Value::Null
    } else if let Some(values) = any.downcast_ref::<Int64Array>() {
        Value::Integer(values.value(row))
    } else if let Some(values) = any.downcast_ref::<Float64Array>() {
        Value::Real(values.value(row))
    } else if let Some(values) = any.downcast_ref::<StringArray>() {
        Value::Text(values.value(row).into())
    } else {
        panic!("not a column for a database: {}", column.data_type())
    }
}

/// A batch of named columns.
pub fn batch(columns: &[(&str, ArrayRef)]) -> RecordBatch {
    let columns = columns.iter().map(|(name, array)| (*name, Arc::clone(array), true));
    RecordBatch::try_from_iter_with_nullable(columns).expect("columns")
}

/// Integers, floats and texts, which every format has.
pub fn simple(ints: &[i64], floats: &[f64], texts: &[String]) -> RecordBatch {
    batch(&[
        ("n", Arc::new(Int64Array::from(ints.to_vec()))),
        ("x", Arc::new(Float64Array::from(floats.to_vec()))),
        ("s", Arc::new(StringArray::from_iter_values(texts))),
    ])
}

/// Columns of types that databases have not.
pub fn narrow(ints: &[i8], truths: &[bool], texts: &[String]) -> RecordBatch {
    let unsigned = UInt16Array::from_iter_values(ints.iter().map(|&n| u16::from(n.unsigned_abs())));
    let floats = Float32Array::from_iter_values(ints.iter().map(|&n| f32::from(n) / 2.0));
    let texts: DictionaryArray<Int32Type> = texts.iter().map(String::as_str).collect();
    batch(&[
        ("n", Arc::new(Int8Array::from(ints.to_vec()))),
        ("u", Arc::new(unsigned)),
        ("x", Arc::new(floats)),
        ("b", Arc::new(BooleanArray::from(truths.to_vec()))),
        ("s", Arc::new(texts)),
    ])
}

/// The rows of a file as texts; batches and parts must follow each other.
pub fn rows(path: &Path, format: Format, account: &Account) -> Result<Vec<Vec<String>>, Error> {
    let source = Source::open(path, format, "t")?;
    let mut rows: Vec<Vec<String>> = Vec::new();
    for part in 0..source.parts() {
        source.read::<Error>(part, account, |batch| {
            assert_eq!(batch.first, rows.len() as u64, "{format:?}, part {part}");
            let start = rows.len();
            rows.resize(start + batch.rows, Vec::new());
            for values in &batch.columns {
                let shown = shown(values);
                assert_eq!(shown.len(), batch.rows);
                rows[start..].iter_mut().zip(shown).for_each(|(row, value)| row.push(value));
            }
            Ok(())
        })?;
    }
    Ok(rows)
}

fn shown(values: &Values) -> Vec<String> {
    match values {
        Values::Int(values) => values.iter().map(|n| format!("{n:?}")).collect(),
        Values::Float(values) => values.iter().map(|x| format!("{x:?}")).collect(),
        Values::Bool(values) => values.iter().map(|b| format!("{b:?}")).collect(),
        Values::Text(texts) => {
            let mut all = Vec::new();
            let pushed = texts.try_each::<()>(|text| {
                all.push(format!("{text:?}"));
                Ok(())
            });
            assert_eq!((pushed, all.len()), (Ok(()), texts.len()));
            all
        }
        Values::Mixed(values) => {
            let one = |value: &Value| match value {
                Value::Int(n) => format!("{n:?}"),
                Value::Float(x) => format!("{x:?}"),
                Value::Text(text) => format!("{text:?}"),
            };
            values.iter().map(one).collect()
        }
    }
}
