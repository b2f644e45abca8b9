//! The origins of a column of URLs.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use pyo3::prelude::*;

use verger_bulk::origin_key::{origins, origins_of_sites};

use crate::bulk::capsule::{not_understood, pieces_of};
use crate::bulk::column::ColumnOf;
use crate::bulk::table::Table;
use crate::text::{bytes_of, string};

/// The origins of a column of URLs, as a table of one column.
#[pyfunction]
#[pyo3(signature = (urls, column, *, with_hosts = false))]
pub fn _origins(
    py: Python<'_>,
    urls: &Bound<'_, PyAny>,
    column: &Bound<'_, PyAny>,
    with_hosts: bool,
) -> PyResult<Table> {
    let column = bytes_of(string("column", column)?)?;
    let wanted = "a table or column with the Arrow PyCapsule interface";
    let mut pieces = pieces_of(urls, "urls", wanted)?;
    let column = ColumnOf::find(py, pieces.field(), &column)?;
    let origins_of = if with_hosts { origins_of_sites } else { origins };
    let schema = Arc::new(Schema::new(vec![Field::new("origin", DataType::Utf8, true)]));
    let batches = py.detach(|| -> Result<Vec<RecordBatch>, ArrowError> {
        let mut batches = Vec::new();
        while let Some(piece) = pieces.next()? {
            for origins in origins_of(&column.bytes(&piece)?) {
                let origins: ArrayRef = Arc::new(origins);
                batches.push(RecordBatch::try_new(Arc::clone(&schema), vec![origins])?);
            }
        }
        Ok(batches)
    });
    Ok(Table::new(schema, batches.map_err(not_understood)?))
}
