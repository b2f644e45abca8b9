//! Decisions about a column of URLs that any Arrow library holds.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use verger_bulk::column::Bytes;
use verger_bulk::decide::{decide_by_file, decide_by_snapshot};
use verger_bulk::judge::OneFile;
use verger_bulk::row::{Row, RowColumns};
use verger_bulk::uses::AskedUse;
use verger_cdata::Pieces;
use verger_core::internal::Binding;
use verger_core::Dialect;

use crate::agent::Agent;
use crate::bulk::capsule::{
    give_schema, give_stream, given_by, in_callback, not_understood, pieces_of, Given, Requested,
};
use crate::bulk::column::{is_text, ColumnOf};
use crate::bulk::scan::names_of;
use crate::bulk::snapshot::SnapshotIndex;
use crate::bulk::table::Table;
use crate::errors::invalid_table;
use crate::robots::{check_token, tokens_of};
use crate::text::{bytes_of, string, told, Items, Text};
use crate::uses::purpose_of;

/// Decides a column; whether it is text, and on how many threads.
type Decide = Box<dyn Fn(&Bytes, bool, usize) -> Vec<Row> + Send>;

/// Decides piece by piece, when the consumer requests the next.
struct Decisions {
    pieces: Pieces,
    column: ColumnOf,
    columns: RowColumns,
    threads: usize,
    decide: Decide,
}

impl Decisions {
    fn next_batch(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        let Some(piece) = self.pieces.next()? else { return Ok(None) };
        let urls = self.column.bytes(&piece)?;
        let rows = (self.decide)(&urls, is_text(&self.column.data_type), self.threads);
        self.columns.batch(&rows).map(Some)
    }
}

impl Iterator for Decisions {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_batch().map_err(retold).transpose()
    }
}

/// The same error for another library, with the producer's message shortened.
#[cold]
fn retold(error: ArrowError) -> ArrowError {
    let ended = || "the source of the URLs failed".to_string();
    let told = |what: String| in_callback(|py| told(py, what)).unwrap_or_else(ended);
    match error {
        ArrowError::CDataInterface(what) => ArrowError::CDataInterface(told(what)),
        other => ArrowError::ComputeError(told(other.to_string())),
    }
}

impl RecordBatchReader for Decisions {
    fn schema(&self) -> SchemaRef {
        Arc::clone(self.columns.schema())
    }
}

/// Decisions that are computed as they are read: once, and batch by batch.
#[pyclass(frozen, module = "verger.bulk")]
pub struct DecisionStream {
    schema: Announced,
    decisions: Mutex<Option<Source>>,
}

/// The names and types of the columns.
enum Announced {
    Own(SchemaRef),
    Kept(Py<PyAny>),
}

enum Source {
    Own(Box<Decisions>),
    /// A reader of pyarrow, of decisions and of other columns.
    Kept(Py<PyAny>),
}

impl DecisionStream {
    fn new(
        py: Python<'_>,
        urls: &Bound<'_, PyAny>,
        column: &Bound<'_, PyAny>,
        (policies, used): (&[String], Option<String>),
        threads: Option<NonZeroUsize>,
        decide: Decide,
    ) -> PyResult<DecisionStream> {
        let wanted = "a table or column with the Arrow PyCapsule interface";
        let column = bytes_of(string("column", column)?)?;
        let pieces = pieces_of(urls, "urls", wanted)?;
        let decisions = Decisions {
            column: ColumnOf::find(py, pieces.field(), &column)?,
            pieces,
            columns: RowColumns::new(policies, used),
            threads: threads.or(std::thread::available_parallelism().ok()).map_or(1, |n| n.get()),
            decide,
        };
        let schema = Announced::Own(decisions.schema());
        Ok(DecisionStream { schema, decisions: Mutex::new(Some(Source::Own(Box::new(decisions)))) })
    }

    fn take(&self, py: Python<'_>) -> PyResult<Source> {
        let taken = self.decisions.lock().unwrap_or_else(PoisonError::into_inner).take();
        taken.ok_or_else(|| {
            let hint = "a stream is read once; `decide_table` makes a table".to_string();
            invalid_table(py, "these decisions were read before".into(), Some(hint))
        })
    }
}

#[pymethods]
impl DecisionStream {
    /// Decide all remaining rows. Raises InvalidTable if the source fails.
    fn read_all(&self, py: Python<'_>) -> PyResult<Table> {
        let mut decisions = match self.take(py)? {
            Source::Own(decisions) => decisions,
            Source::Kept(reader) => {
                let table = reader.bind(py).call_method0("read_all");
                return table.map(Table::kept).map_err(|error| failed(py, &error));
            }
        };
        let mut batches = Vec::new();
        while let Some(batch) = py.detach(|| decisions.next_batch()).map_err(not_understood)? {
            batches.push(batch);
            py.check_signals()?;
        }
        Ok(Table::new(decisions.schema(), batches))
    }

    /// The names and types of the columns, which are known before the first row is decided.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> Given<'py> {
        match &self.schema {
            Announced::Own(schema) => give_schema(py, schema),
            Announced::Kept(schema) => given_by(schema.bind(py), "__arrow_c_schema__"),
        }
    }

    /// Refuse to be pickled, with what to do instead.
    fn __reduce__(&self) -> PyResult<()> {
        let instead = "decide in the other process, and send `pyarrow.table(stream)`";
        Err(PyTypeError::new_err(format!("a stream cannot be pickled: {instead}")))
    }

    /// Arrow's PyCapsule interface; a requested schema is ignored.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(slf: &Bound<'py, Self>, requested_schema: Requested) -> Given<'py> {
        let _ = requested_schema;
        match slf.get().take(slf.py())? {
            Source::Own(decisions) => give_stream(slf.py(), decisions),
            Source::Kept(reader) => given_by(reader.bind(slf.py()), "__arrow_c_stream__"),
        }
    }
}

/// The exception for a source that failed while pyarrow read it.
#[cold]
fn failed(py: Python<'_>, error: &PyErr) -> PyErr {
    not_understood(ArrowError::ComputeError(told(py, error.value(py).to_string())))
}

/// The stream that a reader of pyarrow is, which has decisions and other columns.
#[pyfunction]
pub fn _stream_kept(reader: &Bound<'_, PyAny>) -> PyResult<DecisionStream> {
    let schema = Announced::Kept(reader.getattr("schema")?.unbind());
    let source = Source::Kept(reader.clone().unbind());
    Ok(DecisionStream { schema, decisions: Mutex::new(Some(source)) })
}

/// The judge for one crawler and one file.
pub fn judge_of(agent: &Agent, used: Option<&AskedUse>) -> OneFile {
    let tokens: Vec<&[u8]> = agent.tokens.0.iter().map(|token| &token.0[..]).collect();
    let uses = used.map(|used| used.of(&agent.core, &tokens));
    OneFile { agent: Arc::clone(&agent.core), scope: agent.source.scope.clone(), uses }
}

/// A use, the product tokens that stand for it, and whether the groups of `*` speak for the crawler.
pub type GivenUse<'py> = Option<(Bound<'py, PyAny>, Items<Text>, bool)>;

/// The use that is asked about.
pub fn use_of(py: Python<'_>, given: GivenUse, dialect: &Dialect) -> PyResult<Option<AskedUse>> {
    let Some((purpose, tokens, by_star)) = given else { return Ok(None) };
    let policy_tokens: Vec<Vec<u8>> = tokens.0.into_iter().map(|token| token.0).collect();
    policy_tokens.iter().try_for_each(|token| check_token(py, token, dialect))?;
    Ok(Some(AskedUse { purpose: purpose_of(py, &purpose)?, policy_tokens, by_star }))
}

/// Decide a column of URLs by the rules of one crawler in one file.
#[pyfunction]
#[pyo3(signature = (urls, agent, *, column, threads=None, used=None))]
pub fn _decide_by_file(
    py: Python<'_>,
    urls: &Bound<'_, PyAny>,
    agent: &Bound<'_, Agent>,
    column: &Bound<'_, PyAny>,
    threads: Option<NonZeroUsize>,
    used: GivenUse<'_>,
) -> PyResult<DecisionStream> {
    let used = use_of(py, used, agent.get().core.file().dialect())?;
    let judge = judge_of(agent.get(), used.as_ref());
    let decide =
        move |urls: &Bytes, is_text, threads| decide_by_file(&judge, urls, is_text, threads);
    let columns = (&[][..], used.map(|used| used.column()));
    DecisionStream::new(py, urls, column, columns, threads, Box::new(decide))
}

/// Decide a column of URLs by the files of a snapshot.
#[pyfunction]
#[pyo3(signature = (urls, snapshot, token, binding, *, column, threads=None, used=None))]
#[allow(clippy::too_many_arguments)]
pub fn _decide_by_snapshot(
    py: Python<'_>,
    urls: &Bound<'_, PyAny>,
    snapshot: &SnapshotIndex,
    token: &Bound<'_, PyAny>,
    binding: (Items<Text>, bool),
    column: &Bound<'_, PyAny>,
    threads: Option<NonZeroUsize>,
    used: GivenUse<'_>,
) -> PyResult<DecisionStream> {
    let tokens = tokens_of(token)?.into_iter().map(|token| token.0).collect();
    let binding = Binding { follows: names_of(py, binding.0)?, by_star: binding.1 };
    let used = use_of(py, used, snapshot.dialect())?;
    let columns = (snapshot.policies(), used.as_ref().map(AskedUse::column));
    let judge = snapshot.judge(py, tokens, binding, used)?;
    let decide =
        move |urls: &Bytes, is_text, threads| decide_by_snapshot(&judge, urls, is_text, threads);
    DecisionStream::new(py, urls, column, columns, threads, Box::new(decide))
}
