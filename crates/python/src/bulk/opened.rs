//! Tables whose columns are looked at before anything is read.

use std::sync::{Mutex, PoisonError};

use arrow_schema::DataType;
use pyo3::prelude::*;

use verger_cdata::{FFI_ArrowArrayStream, Pieces};

use crate::bulk::capsule::{give_raw_stream, pieces_of, Given, Requested};
use crate::errors::invalid_table;

/// A table that can be read once.
#[pyclass(frozen, module = "verger.bulk", name = "_OpenedTable")]
pub struct OpenedTable {
    pieces: Mutex<Option<Pieces>>,
}

impl OpenedTable {
    fn take(&self) -> Option<Pieces> {
        self.pieces.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

#[pymethods]
impl OpenedTable {
    /// Arrow's PyCapsule interface, if the table came as a stream.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(slf: &Bound<'py, Self>, requested_schema: Requested) -> Given<'py> {
        let _ = requested_schema;
        // A released stream says that it was read before.
        let stream = slf.get().take().and_then(Pieces::into_stream);
        give_raw_stream(slf.py(), stream.unwrap_or_else(FFI_ArrowArrayStream::empty))
    }
}

/// The names of the columns of a table, and the table, from which nothing was read. `name` is that
/// of the argument. Raises InvalidTable for a lone column.
#[pyfunction]
pub fn _opened(table: &Bound<'_, PyAny>, name: &str) -> PyResult<(Vec<String>, OpenedTable)> {
    let pieces = pieces_of(table, name, "a table with the Arrow PyCapsule interface")?;
    let DataType::Struct(fields) = pieces.field().data_type() else {
        let message = format!("`{name}` is a column of {}", pieces.field().data_type());
        return Err(invalid_table(table.py(), message, Some("pass a table with columns".into())));
    };
    let names = fields.iter().map(|field| field.name().clone()).collect();
    Ok((names, OpenedTable { pieces: Mutex::new(Some(pieces)) }))
}

/// The data of an opened table, or of another object; see [`pieces_of`].
pub fn pieces_of_opened(value: &Bound<'_, PyAny>, name: &str, wanted: &str) -> PyResult<Pieces> {
    match value.cast::<OpenedTable>() {
        Ok(opened) => opened
            .get()
            .take()
            .ok_or_else(|| invalid_table(value.py(), format!("`{name}` was read before"), None)),
        Err(_) => pieces_of(value, name, wanted),
    }
}
