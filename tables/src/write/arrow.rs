//! Columns to arrays of Arrow, and these to Arrow IPC files and streams.

use std::io::{self, Write};
use std::sync::Arc;

use arrow_array::builder::LargeStringBuilder;
use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use rayon::prelude::*;

use super::{ROWS, Table, of_arrow, wrong_kind};
use crate::{Column, Kind, Values};

/// The schema of a table. A text may be longer than 2 GiB.
pub fn schema(columns: &[Column]) -> io::Result<SchemaRef> {
    let field = |column: &Column| {
        let ty = match column.kind {
            Kind::Int => DataType::Int64,
            Kind::Float => DataType::Float64,
            Kind::Bool => DataType::Boolean,
            Kind::Text => DataType::LargeUtf8,
            Kind::Mixed => return Err(wrong_kind()),
        };
        Ok(Field::new(&column.name, ty, false))
    };
    Ok(Arc::new(Schema::new(columns.iter().map(field).collect::<io::Result<Vec<_>>>()?)))
}

/// The array of a column that is no text.
pub fn numbers(values: Values) -> Option<ArrayRef> {
    Some(match values {
        Values::Int(values) => Arc::new(Int64Array::from(values)),
        Values::Float(values) => Arc::new(Float64Array::from(values)),
        Values::Bool(values) => Arc::new(BooleanArray::from(values)),
        Values::Text(_) | Values::Mixed(_) => return None,
    })
}

/// The values of a batch as arrays of a schema: a file has one dictionary for a column, so texts are written out.
fn arrays(values: Vec<Values>, schema: &SchemaRef) -> io::Result<RecordBatch> {
    let array = |values: Values| -> io::Result<ArrayRef> {
        let Values::Text(texts) = &values else { return numbers(values).ok_or_else(wrong_kind) };
        let mut all = LargeStringBuilder::with_capacity(texts.len(), 0);
        texts.try_each::<io::Error>(|text| {
            all.append_value(text);
            Ok(())
        })?;
        Ok(Arc::new(all.finish()))
    };
    let arrays = values.into_iter().map(array).collect::<io::Result<Vec<_>>>()?;
    RecordBatch::try_new(Arc::clone(schema), arrays).map_err(of_arrow)
}

/// Makes the batches of a table side by side, and writes them one after the other.
fn each(
    table: &Table<'_>,
    schema: &SchemaRef,
    mut write: impl FnMut(&RecordBatch) -> io::Result<()>,
) -> io::Result<()> {
    let make = |range: &std::ops::Range<usize>| arrays((table.batch)(range.clone())?, schema);
    for wave in table.ranges(ROWS).chunks(rayon::current_num_threads()) {
        let batches: Vec<io::Result<RecordBatch>> = wave.par_iter().map(make).collect();
        batches.into_iter().try_for_each(|batch| write(&batch?))?;
    }
    Ok(())
}

/// A table as batches in memory, for another program.
pub fn record_batches(table: &Table<'_>) -> io::Result<(SchemaRef, Vec<RecordBatch>)> {
    let schema = schema(&table.columns)?;
    let mut batches = Vec::new();
    each(table, &schema, |batch| {
        batches.push(batch.clone());
        Ok(())
    })?;
    Ok((schema, batches))
}

/// Writes an Arrow IPC file.
pub fn write_arrow(table: &Table<'_>, out: &mut impl Write) -> io::Result<()> {
    let schema = schema(&table.columns)?;
    let mut writer = FileWriter::try_new(out, &schema).map_err(of_arrow)?;
    each(table, &schema, |batch| writer.write(batch).map_err(of_arrow))?;
    writer.finish().map_err(of_arrow)
}

/// Writes an Arrow IPC stream.
pub fn write_arrow_stream(table: &Table<'_>, out: &mut impl Write) -> io::Result<()> {
    let schema = schema(&table.columns)?;
    let mut writer = StreamWriter::try_new(out, &schema).map_err(of_arrow)?;
    each(table, &schema, |batch| writer.write(batch).map_err(of_arrow))?;
    writer.finish().map_err(of_arrow)
}
