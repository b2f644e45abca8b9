//! Tables that verger made: batches of one schema, exported any number of times, or a table of
//! pyarrow that has other columns as well.

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchIterator};
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::bulk::capsule::{give_schema, give_stream, given_by, Given, Requested};
use crate::text::count;

/// A table in memory, for any library that reads the Arrow PyCapsule interface.
///
/// `pyarrow.table(table)`, `polars.DataFrame(table)`, `pandas.DataFrame.from_arrow(table)`.
#[pyclass(frozen, module = "verger.bulk")]
pub struct Table(Source);

enum Source {
    Own { schema: SchemaRef, batches: Vec<RecordBatch> },
    Kept(Py<PyAny>),
}

impl Table {
    pub fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Table {
        Table(Source::Own { schema, batches })
    }

    /// A table of pyarrow.
    pub fn kept(table: Bound<'_, PyAny>) -> Table {
        Table(Source::Kept(table.unbind()))
    }
}

#[pymethods]
impl Table {
    #[getter]
    fn column_names(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        match &self.0 {
            Source::Own { schema, .. } => {
                Ok(schema.fields().iter().map(|field| field.name().clone()).collect())
            }
            Source::Kept(table) => table.bind(py).getattr("column_names")?.extract(),
        }
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        match &self.0 {
            Source::Own { batches, .. } => Ok(batches.iter().map(RecordBatch::num_rows).sum()),
            Source::Kept(table) => table.bind(py).len(),
        }
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> Given<'py> {
        match &self.0 {
            Source::Own { schema, .. } => give_schema(py, schema),
            Source::Kept(table) => {
                given_by(&table.bind(py).getattr("schema")?, "__arrow_c_schema__")
            }
        }
    }

    /// Refuse to be pickled, with what to do instead.
    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "a `Table` cannot be pickled: send `pyarrow.table(table)` instead",
        ))
    }

    /// Arrow's PyCapsule interface; a requested schema is ignored.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(slf: &Bound<'py, Self>, requested_schema: Requested) -> Given<'py> {
        let _ = requested_schema;
        let (schema, batches) = match &slf.get().0 {
            Source::Own { schema, batches } => (schema, batches),
            Source::Kept(table) => return given_by(table.bind(slf.py()), "__arrow_c_stream__"),
        };
        let batches: Vec<Result<RecordBatch, ArrowError>> =
            batches.iter().cloned().map(Ok).collect();
        let reader = RecordBatchIterator::new(batches, Arc::clone(schema));
        give_stream(slf.py(), Box::new(reader))
    }

    /// Return it as a `polars.DataFrame`. Raises MissingExtra.
    fn to_polars<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("verger.bulk.frames")?.call_method1("to_polars", (slf,))
    }

    /// Return it as a `pandas.DataFrame` with dtypes that have nulls: `boolean`, `Int32`.
    ///
    /// Texts of the same few values are categories. Raises MissingExtra.
    fn to_pandas<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("verger.bulk.frames")?.call_method1("to_pandas", (slf,))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let rows = count(self.__len__(py)?, "row");
        Ok(format!("Table({rows}, columns={})", self.column_names(py)?.join(", ")))
    }
}
