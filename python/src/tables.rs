//! Tables of Arrow, which other libraries lend and borrow by the C stream interface of Arrow and capsules of Python;
//! and tables of plain columns of Python.

use std::sync::Arc;

use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Float64Array, Int64Array, LargeStringArray, RecordBatch,
    RecordBatchIterator, RecordBatchReader, cast::AsArray,
};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use gchr::TermColumns;
use gchr::base::logic::{LogicTermId, Terms};
use pyo3::IntoPyObjectExt;
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyCapsule, PyFloat, PyInt, PyList, PyString, PyTuple};

use crate::errors::table_error;
use crate::terms::{AnswerTerms, of_answer};

/// What a capsule with a stream is called.
const STREAM: &std::ffi::CStr = c"arrow_array_stream";

/// A table of typed columns, in memory as Arrow has it.
#[pyclass(frozen, module = "gchr")]
pub struct Table {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
    /// Terms of columns for which the batches have texts.
    terms: Arc<AnswerTerms>,
    /// For each column these terms by row; nothing, or no column, where the batches have the values.
    typed: Vec<Option<Vec<LogicTermId>>>,
}

impl Table {
    /// The constraints of a store.
    pub fn of_store((schema, batches): (SchemaRef, Vec<RecordBatch>), terms: TermColumns) -> Self {
        let TermColumns { terms, names, columns } = terms;
        Self { schema, batches, terms: Arc::new(AnswerTerms { terms, names }), typed: columns }
    }

    fn cell<'py>(
        &self,
        py: Python<'py>,
        batch: &RecordBatch,
        (column, row, at): (usize, usize, usize),
    ) -> PyResult<Bound<'py, PyAny>> {
        match self.typed.get(column) {
            Some(Some(terms)) => of_answer(py, &self.terms, terms[at]),
            _ => cell(py, batch.column(column), row),
        }
    }

    /// Takes the table that an object of Python lends by `__arrow_c_stream__`.
    pub fn lent(object: &Bound<'_, PyAny>) -> PyResult<(SchemaRef, Vec<RecordBatch>)> {
        if let Ok(own) = object.cast::<Table>() {
            let own = own.get();
            return Ok((Arc::clone(&own.schema), own.batches.clone()));
        }
        let capsule = object.call_method0("__arrow_c_stream__")?;
        let capsule = capsule.cast::<PyCapsule>()?;
        let stream = capsule.pointer_checked(Some(STREAM))?.cast::<FFI_ArrowArrayStream>();
        // SAFETY: a capsule of this name points to a stream of the C interface of Arrow, and lives as long as
        // `capsule`.
        // `from_raw` moves the stream out and leaves a released one, which is what the interface asks of a consumer.
        let reader = unsafe { RecordBatchStreamReader::from_raw(stream.as_ptr()) };
        let damaged = |why: String| {
            let message = format!("the table is damaged: {why}");
            table_error(object.py(), "C0615", message, Some("correct it where it is made".into()))
        };
        let reader = reader.map_err(|error| damaged(error.to_string()))?;
        let schema = reader.schema();
        let batches = reader.collect::<Result<Vec<_>, _>>().map_err(|error| damaged(error.to_string()))?;
        batches.iter().try_for_each(are_sound).map_err(damaged)?;
        Ok((schema, batches))
    }
}

/// Whether texts are UTF-8 and places lie within what they are places of: whoever lends a table may be wrong, and all
/// that reads it relies on that.
fn are_sound(batch: &RecordBatch) -> Result<(), String> {
    batch.columns().iter().zip(batch.schema().fields()).try_for_each(|(column, field)| {
        let checked = column.to_data().validate_full();
        checked.map_err(|error| format!("column {}: {error}", field.name()))
    })
}

#[pymethods]
impl Table {
    /// Lends the table to another library.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A consumer that wants other types converts them: a producer may ignore the wish.
        let _ = requested_schema;
        let batches = self.batches.clone().into_iter().map(Ok);
        let reader = RecordBatchIterator::new(batches, Arc::clone(&self.schema));
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), STREAM)
    }

    /// Names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// The rows as tuples.
    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let (rows, mut at) = (PyList::empty(py), 0);
        for batch in &self.batches {
            for row in 0..batch.num_rows() {
                let cells = (0..batch.num_columns()).map(|column| self.cell(py, batch, (column, row, at)));
                rows.append(PyTuple::new(py, cells.collect::<PyResult<Vec<_>>>()?)?)?;
                at += 1;
            }
        }
        Ok(rows)
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.rows(py)?.try_iter()?.into_any())
    }

    fn __repr__(&self) -> String {
        format!("<Table of {} rows: {}>", self.__len__(), self.column_names().join(", "))
    }
}

fn cell<'py>(py: Python<'py>, column: &ArrayRef, row: usize) -> PyResult<Bound<'py, PyAny>> {
    match column.data_type() {
        DataType::Int64 => column.as_primitive::<Int64Type>().value(row).into_bound_py_any(py),
        DataType::Float64 => column.as_primitive::<Float64Type>().value(row).into_bound_py_any(py),
        DataType::Boolean => column.as_boolean().value(row).into_bound_py_any(py),
        DataType::LargeUtf8 => column.as_string::<i64>().value(row).into_bound_py_any(py),
        other => Err(PyTypeError::new_err(format!("a column of type {other} has no values of Python"))),
    }
}

/// Makes a table of columns: buffers of 64-bit integers or floats, and sequences of numbers, truth values or texts.
#[pyfunction]
pub fn table_of_columns(py: Python<'_>, columns: Vec<(String, Bound<'_, PyAny>)>) -> PyResult<Table> {
    let arrays = columns.iter().map(|(name, values)| array(name, values)).collect::<PyResult<Vec<_>>>()?;
    let fields = columns.iter().zip(&arrays);
    let fields = fields.map(|((name, _), array)| Field::new(name, array.data_type().clone(), false));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let batch = RecordBatch::try_new(Arc::clone(&schema), arrays);
    let batch = batch.map_err(|_| {
        let help = "give a value for each row in each column".to_string();
        table_error(py, "C0604", "the columns have different lengths".into(), Some(help))
    })?;
    let terms = Arc::new(AnswerTerms { terms: Terms::default(), names: Vec::new() });
    Ok(Table { schema, batches: vec![batch], terms, typed: Vec::new() })
}

fn array(name: &str, values: &Bound<'_, PyAny>) -> PyResult<ArrayRef> {
    let py = values.py();
    if let Ok(buffer) = PyBuffer::<i64>::get(values) {
        return Ok(Arc::new(Int64Array::from(buffer.to_vec(py)?)));
    }
    if let Ok(buffer) = PyBuffer::<f64>::get(values) {
        return Ok(Arc::new(Float64Array::from(buffer.to_vec(py)?)));
    }
    let values: Vec<Bound<'_, PyAny>> = values.try_iter()?.collect::<PyResult<_>>()?;
    let all = |is: fn(&Bound<'_, PyAny>) -> bool| values.iter().all(is);
    let is_bool = |value: &Bound<'_, PyAny>| value.is_instance_of::<PyBool>();
    Ok(match values.first() {
        None => Arc::new(Int64Array::from(Vec::<i64>::new())),
        Some(_) if all(is_bool) => Arc::new(BooleanArray::from(extracted::<bool>(&values)?)),
        Some(_) if all(|v| v.is_instance_of::<PyInt>() && !v.is_instance_of::<PyBool>()) => {
            Arc::new(Int64Array::from(integers(name, &values)?))
        }
        Some(_) if all(|v| v.is_instance_of::<PyFloat>()) => {
            Arc::new(Float64Array::from(extracted::<f64>(&values)?))
        }
        Some(_) if all(|v| v.is_instance_of::<PyString>()) => {
            Arc::new(LargeStringArray::from_iter_values(extracted::<String>(&values)?))
        }
        Some(first) => {
            let other = |v: &Bound<'_, PyAny>| v.is_none() || !v.get_type().is(first.get_type());
            let other = values.iter().position(other).unwrap_or(0);
            let place = format!("row {} of column {name}", other + 1);
            if values[other].is_none() {
                let help = "leave such rows out, or give them a value".to_string();
                return Err(table_error(py, "C0614", format!("{place} has no value (None)"), Some(help)));
            }
            let (found, first) = (values[other].get_type().name()?, first.get_type().name()?);
            let message = format!("{place} is of type {found}, the first one of type {first}");
            let help = "give each column values of one type: int, float, bool or str".to_string();
            return Err(table_error(py, "C0605", message, Some(help)));
        }
    })
}

fn integers(name: &str, values: &[Bound<'_, PyAny>]) -> PyResult<Vec<i64>> {
    let one = |(row, value): (usize, &Bound<'_, PyAny>)| {
        value.extract::<i64>().map_err(|_| {
            let message = format!("row {} of column {name} is an integer of more than 64 bits", row + 1);
            table_error(value.py(), "C0606", message, Some("give the column as texts".into()))
        })
    };
    values.iter().enumerate().map(one).collect()
}

fn extracted<'py, T: for<'a> FromPyObject<'a, 'py>>(values: &[Bound<'py, PyAny>]) -> PyResult<Vec<T>> {
    values.iter().map(|value| value.extract::<T>().map_err(Into::into)).collect()
}
