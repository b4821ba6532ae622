//! Parquet files: row groups are encoded side by side.

use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;

use ::parquet::arrow::ArrowSchemaConverter;
use ::parquet::arrow::arrow_writer::{ArrowColumnChunk, ArrowRowGroupWriterFactory, compute_leaves};
use ::parquet::basic::Compression;
use ::parquet::file::properties::{EnabledStatistics, WriterProperties};
use ::parquet::file::writer::SerializedFileWriter;
use ::parquet::schema::types::ColumnPath;
use arrow_array::ArrayRef;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use rayon::prelude::*;

use super::{ROWS, Table, arrow, of_parquet, wrong_kind};
use crate::{Kind, Values};

/// Rows of a row group: what a thread encodes at a time.
const GROUP: usize = 1 << 19;

/// Writes a Parquet file.
pub fn write_parquet(table: &Table<'_>, out: &mut (impl Write + Send)) -> io::Result<()> {
    let schema = schema(table)?;
    let parquet = ArrowSchemaConverter::new().convert(&schema).map_err(of_parquet)?;
    let properties = Arc::new(properties(table));
    let mut writer =
        SerializedFileWriter::new(out, parquet.root_schema_ptr(), properties).map_err(of_parquet)?;
    let factory = ArrowRowGroupWriterFactory::new(&writer, Arc::clone(&schema));
    let groups: Vec<(usize, Range<usize>)> = table.ranges(GROUP).into_iter().enumerate().collect();
    for wave in groups.chunks(rayon::current_num_threads()) {
        let encode =
            |(index, rows): &(usize, Range<usize>)| group(table, &schema, &factory, *index, rows.clone());
        let encoded: Vec<io::Result<Vec<ArrowColumnChunk>>> = wave.par_iter().map(encode).collect();
        for columns in encoded {
            let mut group = writer.next_row_group().map_err(of_parquet)?;
            for column in columns? {
                column.append_to_row_group(&mut group).map_err(of_parquet)?;
            }
            group.close().map_err(of_parquet)?;
        }
    }
    writer.close().map_err(of_parquet)?;
    Ok(())
}

/// The encoded columns of a row group.
fn group(
    table: &Table<'_>,
    schema: &SchemaRef,
    factory: &ArrowRowGroupWriterFactory,
    index: usize,
    rows: Range<usize>,
) -> io::Result<Vec<ArrowColumnChunk>> {
    let mut writers = factory.create_column_writers(index).map_err(of_parquet)?;
    for from in rows.clone().step_by(ROWS) {
        let values = (table.batch)(from..(from + ROWS).min(rows.end))?;
        if values.len() != writers.len() {
            return Err(wrong_kind());
        }
        for ((values, field), writer) in values.into_iter().zip(schema.fields()).zip(&mut writers) {
            let array = array(values)?;
            if array.data_type() != field.data_type() {
                return Err(wrong_kind());
            }
            for leaf in compute_leaves(field, &array).map_err(of_parquet)? {
                writer.write(&leaf).map_err(of_parquet)?;
            }
        }
    }
    writers.into_iter().map(|writer| writer.close().map_err(of_parquet)).collect()
}

/// The schema of a table, whose texts come by dictionaries.
fn schema(table: &Table<'_>) -> io::Result<SchemaRef> {
    let plain = arrow::schema(&table.columns)?;
    let field = |field: &Arc<Field>| match field.data_type() {
        DataType::LargeUtf8 => Arc::new(field.as_ref().clone().with_data_type(of_texts())),
        _ => Arc::clone(field),
    };
    Ok(Arc::new(Schema::new(plain.fields().iter().map(field).collect::<Vec<_>>())))
}

fn of_texts() -> DataType {
    DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::LargeUtf8))
}

fn array(values: Values) -> io::Result<ArrayRef> {
    match &values {
        Values::Text(texts) => Ok(Arc::clone(texts.array())),
        _ => arrow::numbers(values).ok_or_else(wrong_kind),
    }
}

/// Numbers are written as they are, which is what takes the least time; texts of which there are many alike once.
fn properties(table: &Table<'_>) -> WriterProperties {
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_statistics_enabled(EnabledStatistics::Chunk);
    let numbers = table.columns.iter().filter(|column| column.kind != Kind::Text);
    let plain = |properties: ::parquet::file::properties::WriterPropertiesBuilder, column: &crate::Column| {
        properties.set_column_dictionary_enabled(ColumnPath::new(vec![column.name.clone()]), false)
    };
    numbers.fold(properties, plain).build()
}
