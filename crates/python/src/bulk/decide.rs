//! Decisions about a column of URLs that any Arrow library holds.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, DataType, Field, SchemaRef};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use verger_bulk::column::{is_octets, Octets};
use verger_bulk::decide::decide;
use verger_bulk::judge::{Judge, ManyFiles, OneFile};
use verger_bulk::row::{Row, RowColumns};

use crate::agent::Agent;
use crate::bulk::capsule::{give_stream, not_understood, Incoming, Pieces};
use crate::bulk::snapshot::SnapshotIndex;
use crate::bulk::table::Table;
use crate::errors::{invalid_table, quote_all, shorten};
use crate::robots::tokens_of;

/// One column of the pieces of a table, or the pieces themselves.
pub struct ColumnOf {
    at: Option<usize>,
    pub data_type: DataType,
}

impl ColumnOf {
    /// Find a column of octets by its name; a lone column needs none.
    pub fn find(py: Python<'_>, table: &Field, name: &str) -> PyResult<ColumnOf> {
        let column = ColumnOf::any(py, table, name)?;
        match is_octets(&column.data_type) {
            true => Ok(column),
            false => Err(wrong_column(py, name, "text or binary", &column.data_type)),
        }
    }

    /// Find a column of any type by its name.
    pub fn any(py: Python<'_>, table: &Field, name: &str) -> PyResult<ColumnOf> {
        let DataType::Struct(fields) = table.data_type() else {
            return Ok(ColumnOf { at: None, data_type: table.data_type().clone() });
        };
        match fields.find(name) {
            Some((at, field)) => {
                Ok(ColumnOf { at: Some(at), data_type: field.data_type().clone() })
            }
            None => {
                let names: Vec<&str> = fields.iter().map(|field| field.name().as_str()).collect();
                let message = format!("the table has no column `{}`", shorten(name));
                let hint = format!("it has {}; name the one to read", quote_all(&names));
                Err(invalid_table(py, message, Some(hint)))
            }
        }
    }

    /// Whether a table has a column of this name.
    pub fn has(table: &Field, name: &str) -> bool {
        matches!(table.data_type(), DataType::Struct(fields) if fields.find(name).is_some())
    }

    /// The column in one piece.
    pub fn of(&self, piece: &ArrayRef) -> Result<ArrayRef, ArrowError> {
        let Some(at) = self.at else { return Ok(Arc::clone(piece)) };
        if piece.null_count() > 0 {
            let message = "a table with rows that are null as a whole";
            return Err(ArrowError::InvalidArgumentError(message.into()));
        }
        Ok(Arc::clone(piece.as_struct().column(at)))
    }
}

/// The exception for a column of another type.
#[cold]
pub fn wrong_column(py: Python<'_>, name: &str, wanted: &str, found: &DataType) -> PyErr {
    let message = format!("the column `{}` holds {found}, not {wanted}", shorten(name));
    invalid_table(py, message, Some("cast the column, or name another".into()))
}

fn is_text(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, values) => is_text(values),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        _ => false,
    }
}

type Decide = dyn Fn(&Octets, bool, usize) -> Vec<Row> + Send;

/// Decides piece by piece, as whoever reads it asks for the next.
struct Decisions {
    pieces: Pieces,
    column: ColumnOf,
    columns: RowColumns,
    threads: usize,
    decide: Box<Decide>,
}

impl Decisions {
    fn next_batch(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        let Some(piece) = self.pieces.next()? else { return Ok(None) };
        let urls = Octets::of(&self.column.of(&piece)?)
            .map_err(|found| ArrowError::SchemaError(format!("not text or binary: {found}")))?;
        let rows = (self.decide)(&urls, is_text(&self.column.data_type), self.threads);
        self.columns.batch(&rows).map(Some)
    }
}

impl Iterator for Decisions {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_batch().transpose()
    }
}

impl RecordBatchReader for Decisions {
    fn schema(&self) -> SchemaRef {
        Arc::clone(self.columns.schema())
    }
}

/// Decisions, made while they are read; once.
#[pyclass(frozen, module = "verger.bulk")]
pub struct DecisionStream {
    decisions: Mutex<Option<Decisions>>,
}

impl DecisionStream {
    fn new<J: Judge + 'static>(
        py: Python<'_>,
        urls: &Bound<'_, PyAny>,
        column: &str,
        policies: &[String],
        threads: Option<NonZeroUsize>,
        judge: Arc<J>,
    ) -> PyResult<DecisionStream> {
        let wanted = "a table or column with the Arrow PyCapsule interface";
        let pieces = Incoming::of(urls, "urls", wanted)?.into_pieces()?;
        let decisions = Decisions {
            column: ColumnOf::find(py, &pieces.field, column)?,
            pieces,
            columns: RowColumns::new(policies),
            threads: threads.or(std::thread::available_parallelism().ok()).map_or(1, |n| n.get()),
            decide: Box::new(move |urls, is_text, threads| decide(&*judge, urls, is_text, threads)),
        };
        Ok(DecisionStream { decisions: Mutex::new(Some(decisions)) })
    }

    fn take(&self, py: Python<'_>) -> PyResult<Decisions> {
        let taken = self.decisions.lock().unwrap_or_else(PoisonError::into_inner).take();
        taken.ok_or_else(|| {
            let hint = "a stream is read once; `decide_table` makes a table".to_string();
            invalid_table(py, "these decisions were read before".into(), Some(hint))
        })
    }
}

#[pymethods]
impl DecisionStream {
    /// Decide all that is left, with the GIL released.
    fn read_all(&self, py: Python<'_>) -> PyResult<Table> {
        let decisions = self.take(py)?;
        let schema = decisions.schema();
        let batches: Result<Vec<RecordBatch>, ArrowError> = py.detach(|| decisions.collect());
        Ok(Table::new(schema, batches.map_err(not_understood)?))
    }

    /// Arrow's PyCapsule interface; the wish for another schema is not granted.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        give_stream(py, Box::new(self.take(py)?))
    }
}

/// Decide about a column of URLs by the rules of one crawler in one file.
#[pyfunction]
#[pyo3(signature = (urls, agent, *, column, threads=None))]
pub fn _decide_by_file(
    py: Python<'_>,
    urls: &Bound<'_, PyAny>,
    agent: &Bound<'_, Agent>,
    column: &str,
    threads: Option<NonZeroUsize>,
) -> PyResult<DecisionStream> {
    let robots = agent.get().robots.get();
    let (file, scope) = (Arc::clone(&robots.file), robots.scope.clone());
    let judge = OneFile { file, agent: Arc::clone(&agent.get().core), scope };
    DecisionStream::new(py, urls, column, &[], threads, Arc::new(judge))
}

/// Decide about a column of URLs by the files of a snapshot.
#[pyfunction]
#[pyo3(signature = (urls, snapshot, token, *, column, threads=None))]
pub fn _decide_by_snapshot(
    py: Python<'_>,
    urls: &Bound<'_, PyAny>,
    snapshot: &SnapshotIndex,
    token: &Bound<'_, PyAny>,
    column: &str,
    threads: Option<NonZeroUsize>,
) -> PyResult<DecisionStream> {
    let tokens = tokens_of(token)?.into_iter().map(|token| token.0).collect();
    let judge: Arc<ManyFiles> = snapshot.judge(py, tokens)?;
    DecisionStream::new(py, urls, column, snapshot.policies(), threads, judge)
}
