//! Arrays of Arrow to values of columns.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Schema};
use arrow_select::take::take;

use crate::batch::is_text;
use crate::{Batch, CellFault, Column, Error, Kind, Texts, Values};

/// The columns of a schema, if there are constants of all their types.
pub fn columns(schema: &Schema) -> Result<Vec<Column>, Error> {
    let column = |(column, field): (usize, &Arc<arrow_schema::Field>)| match kind(field.data_type()) {
        Some(kind) => Ok(Column { name: field.name().clone(), kind }),
        None => Err(Error::Type { column, name: field.name().clone(), ty: field.data_type().to_string() }),
    };
    schema.fields().iter().enumerate().map(column).collect()
}

fn kind(ty: &DataType) -> Option<Kind> {
    match ty {
        ty if ty.is_integer() => Some(Kind::Int),
        DataType::Float16 | DataType::Float32 | DataType::Float64 => Some(Kind::Float),
        DataType::Boolean => Some(Kind::Bool),
        ty if is_text(ty) => Some(Kind::Text),
        // A value is stored once, whatever it is.
        DataType::Dictionary(_, of) => kind(of),
        _ => None,
    }
}

/// The values of a batch whose first row is `first`.
pub fn batch(batch: &RecordBatch, first: u64) -> Result<Batch, Error> {
    let mut columns = Vec::with_capacity(batch.num_columns());
    for (column, array) in batch.columns().iter().enumerate() {
        let found =
            values(array).map_err(|(row, fault)| Error::Cell { row: first + row as u64, column, fault });
        columns.push(found?);
    }
    Ok(Batch { first, rows: batch.num_rows(), columns })
}

/// A fault with its row in the array.
type Faulty = (usize, CellFault);

fn values(array: &ArrayRef) -> Result<Values, Faulty> {
    if let Some(nulls) = array.logical_nulls().filter(|nulls| nulls.null_count() > 0) {
        let row = (0..nulls.len()).find(|&row| nulls.is_null(row)).unwrap_or(0);
        return Err((row, CellFault::Null));
    }
    Ok(match array.data_type() {
        DataType::Dictionary(_, of) if !is_text(of) => {
            let entries = array.as_any_dictionary();
            let rows = take(entries.values(), entries.keys(), None);
            values(&rows.map_err(|_| (0, CellFault::Type("a dictionary without values")))?)?
        }
        DataType::Int8 => narrow::<Int8Type>(array),
        DataType::Int16 => narrow::<Int16Type>(array),
        DataType::Int32 => narrow::<Int32Type>(array),
        DataType::Int64 => Values::Int(array.as_primitive::<Int64Type>().values().to_vec()),
        DataType::UInt8 => narrow::<UInt8Type>(array),
        DataType::UInt16 => narrow::<UInt16Type>(array),
        DataType::UInt32 => narrow::<UInt32Type>(array),
        DataType::UInt64 => unsigned(array.as_primitive::<UInt64Type>().values())?,
        DataType::Float16 => finite(array.as_primitive::<Float16Type>().values().iter().map(|x| x.to_f64()))?,
        DataType::Float32 => {
            finite(array.as_primitive::<Float32Type>().values().iter().copied().map(f64::from))?
        }
        DataType::Float64 => finite(array.as_primitive::<Float64Type>().values().iter().copied())?,
        DataType::Boolean => {
            let bits = array.as_boolean();
            Values::Bool((0..bits.len()).map(|row| bits.value(row)).collect())
        }
        _ => Values::Text(Texts::new(Arc::clone(array))),
    })
}

/// Integers that always fit.
fn narrow<T: ArrowPrimitiveType>(array: &ArrayRef) -> Values
where
    i64: From<T::Native>,
{
    Values::Int(array.as_primitive::<T>().values().iter().map(|&n| i64::from(n)).collect())
}

fn unsigned(values: &[u64]) -> Result<Values, Faulty> {
    let one = |(row, &n): (usize, &u64)| i64::try_from(n).map_err(|_| (row, CellFault::Range(n.to_string())));
    Ok(Values::Int(values.iter().enumerate().map(one).collect::<Result<_, _>>()?))
}

fn finite(values: impl Iterator<Item = f64>) -> Result<Values, Faulty> {
    let one = |(row, x): (usize, f64)| match x.is_finite() {
        true => Ok(x),
        false => Err((row, CellFault::Range(x.to_string()))),
    };
    Ok(Values::Float(values.enumerate().map(one).collect::<Result<_, _>>()?))
}
