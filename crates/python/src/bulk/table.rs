//! Tables that verger made: batches of one schema, exported any number of times.

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchIterator};
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::prelude::*;

use crate::bulk::capsule::{give_schema, give_stream, Given, Requested};
use crate::text::count;

/// A table in memory, for any library that reads the Arrow PyCapsule interface.
///
/// `pyarrow.table(table)`, `polars.DataFrame(table)`, `pandas.DataFrame.from_arrow(table)`.
#[pyclass(frozen, module = "verger.bulk")]
pub struct Table {
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
}

impl Table {
    pub fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Table {
        Table { schema, batches }
    }
}

#[pymethods]
impl Table {
    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> Given<'py> {
        give_schema(py, &self.schema)
    }

    /// Arrow's PyCapsule interface; a requested schema is ignored.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(slf: &Bound<'py, Self>, requested_schema: Requested) -> Given<'py> {
        let _ = requested_schema;
        let Table { schema, batches } = slf.get();
        let batches: Vec<Result<RecordBatch, ArrowError>> =
            batches.iter().cloned().map(Ok).collect();
        let reader = RecordBatchIterator::new(batches, Arc::clone(schema));
        give_stream(slf.py(), Box::new(reader))
    }

    /// Return it as a `polars.DataFrame`. Raises MissingExtra.
    fn to_polars<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("verger.bulk.frames")?.call_method1("to_polars", (slf,))
    }

    /// Return it as a `pandas.DataFrame`; texts of the same few values are categories. Raises
    /// MissingExtra.
    fn to_pandas<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("verger.bulk.frames")?.call_method1("to_pandas", (slf,))
    }

    fn __repr__(&self) -> String {
        let rows = count(self.__len__(), "row");
        format!("Table({rows}, columns={})", self.column_names().join(", "))
    }
}
