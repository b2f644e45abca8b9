//! Snapshots of many origins: built from results or from columns, then used for decisions.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow_schema::{ArrowError, DataType};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use verger_bulk::access::Access;
use verger_bulk::access::NotAFailure;
use verger_bulk::column::{is_bytes, Bytes};
use verger_bulk::judge::ManyFiles;
use verger_bulk::numbers::{failures, is_status, is_time, numbers, seconds, statuses};
use verger_bulk::snapshot::{Builder, NoEntry, Seen, Snapshot, NOT_COUNTED, NO_TIME};
use verger_bulk::uses::AskedUse;
use verger_cdata::Pieces;
use verger_core::internal::Binding;
use verger_core::InvalidProductToken;

use crate::bulk::access::{not_a_failure, AccessTable};
use crate::bulk::capsule::not_understood;
use crate::bulk::column::{not_text, wrong_column, ColumnOf};
use crate::bulk::kept::{Beside, Changes, Kept, KeptColumns};
use crate::bulk::opened::pieces_of_opened;
use crate::dialect::{Dialect, DialectArgument};
use crate::errors::{invalid_table, invalid_target, invalid_token};
use crate::text::{body_bytes, bytes_of, shorten, string, Text};

/// The approximate limit for the memory of the parsed files of one crawler.
const MOST_BYTES: usize = 256 << 20;

/// Takes entries, one by one or as columns.
#[pyclass(frozen, module = "verger.bulk", name = "_SnapshotBuilder")]
pub struct SnapshotBuilder {
    builder: Mutex<Option<Builder>>,
    kinds: usize,
    policies: Vec<String>,
    failures: String,
}

/// The columns of origins, bodies, statuses, times, failures, and the seconds that a store has
/// counted, of which the last four need not exist; and those that say something about bodies.
type Names = (Text, Text, Option<Text>, Option<Text>, Option<Text>, Option<Text>, Beside);

impl SnapshotBuilder {
    /// Change the snapshot. Nothing in `change` may need the GIL, not even to drop an array of
    /// another library: a thread that waits for the lock may hold it.
    fn change<E>(
        &self,
        change: impl FnOnce(&mut Builder) -> Result<(), E>,
    ) -> Option<Result<(), E>> {
        let mut builder: MutexGuard<Option<Builder>> =
            self.builder.lock().unwrap_or_else(PoisonError::into_inner);
        builder.as_mut().map(change)
    }
}

#[cold]
fn finished(py: Python<'_>) -> PyErr {
    invalid_table(py, "the snapshot is finished".into(), None)
}

#[pymethods]
impl SnapshotBuilder {
    /// `table`: what observations mean in the dialect. `now`: the time in seconds.
    #[new]
    fn new(
        py: Python<'_>,
        dialect: DialectArgument,
        table: &AccessTable,
        now: f64,
    ) -> PyResult<Self> {
        let dialect = Dialect::from_argument(&dialect, py)?;
        let builder = Builder::new(&dialect.get().core, Arc::clone(&table.table), now);
        let (kinds, policies) = (table.table.kinds(), table.reasons.clone());
        let failures = table.failures();
        Ok(SnapshotBuilder { builder: Mutex::new(Some(builder)), kinds, policies, failures })
    }

    /// Add one observation of an origin, with the number of its kind in the table; `time` in
    /// seconds; for how many seconds the file has been unreachable, if a store has counted that; and
    /// whether too little of it was kept. Raises InvalidTarget.
    #[pyo3(signature = (url, time, kind, body, unreachable_for=None, is_short=false))]
    #[expect(clippy::too_many_arguments, reason = "what is known of one observation")]
    fn add(
        &self,
        py: Python<'_>,
        url: &Bound<'_, PyAny>,
        time: Option<f64>,
        kind: u8,
        body: &Bound<'_, PyAny>,
        unreachable_for: Option<f64>,
        is_short: bool,
    ) -> PyResult<()> {
        let (url, body) = (bytes_of(string("url", url)?)?, body_bytes(body)?);
        if usize::from(kind) >= self.kinds {
            return Err(PyValueError::new_err(format!("no kind has the number {kind}")));
        }
        let time = time.filter(|time| time.is_finite()).map_or(NO_TIME, |time| time + 0.0);
        let unreachable_for = unreachable_for.unwrap_or(NOT_COUNTED);
        let seen = Seen { time, place: &*body, kind, is_short, unreachable_for };
        let added = self.change(|builder| builder.add(&url, seen));
        added.ok_or_else(|| finished(py))?.map_err(|why| refused(py, &url, why))
    }

    /// Add a table, in which the columns have these names. `judge` says which bodies are whole; see
    /// [`Kept::changes`]. Of one that goes on, `enough` bytes are. Raises InvalidTable, naming column and row.
    fn add_table(
        &self,
        py: Python<'_>,
        table: &Bound<'_, PyAny>,
        names: Names,
        judge: &Bound<'_, PyAny>,
        enough: usize,
    ) -> PyResult<()> {
        let wanted = "a table with the Arrow PyCapsule interface";
        let mut pieces = pieces_of_opened(table, "table", wanted)?;
        let (origin, body, status, time, failure, counted, beside) = names;
        let optional = [&status, &time, &failure, &counted]
            .map(|name| name.as_ref().map(|name| name.0.as_slice()));
        let columns = Columns::find(py, &pieces, [&origin.0, &body.0], optional, &beside)?;
        let mut before = 0;
        while let Some(rows) =
            py.detach(|| columns.next_rows(&mut pieces)).map_err(not_understood)?
        {
            let changes = rows.kept.changes(judge)?;
            let add = || self.change(|builder| rows.add_to(builder, before, &changes, enough));
            let added = py.detach(add).ok_or_else(|| finished(py))?;
            added.map_err(|bad| bad.into_error(py, &columns, &self.failures))?;
            before += rows.len();
            py.check_signals()?;
        }
        Ok(())
    }

    /// Return the snapshot; nothing can be added afterwards.
    fn finish(&self, py: Python<'_>) -> PyResult<SnapshotIndex> {
        let builder = self.builder.lock().unwrap_or_else(PoisonError::into_inner).take();
        let builder = builder.ok_or_else(|| finished(py))?;
        let snapshot = Arc::new(py.detach(|| builder.finish()));
        let policies = self.policies.clone();
        Ok(SnapshotIndex { snapshot, policies, last: Mutex::new(None) })
    }
}

#[cold]
pub fn refused(py: Python<'_>, url: &[u8], why: NoEntry) -> PyErr {
    match why {
        NoEntry::Origin(why) => invalid_target(py, url, why),
        NoEntry::Full => invalid_table(py, "more than 4,294,967,295 entries".into(), None),
    }
}

/// The columns that a snapshot is made of.
struct Columns {
    origin_name: Vec<u8>,
    failure_name: Vec<u8>,
    origin: ColumnOf,
    kept: KeptColumns,
    status: Option<ColumnOf>,
    time: Option<ColumnOf>,
    failure: Option<ColumnOf>,
    counted: Option<ColumnOf>,
}

impl Columns {
    fn find(
        py: Python<'_>,
        pieces: &Pieces,
        [origin, body]: [&[u8]; 2],
        [status, time, failure, counted]: [Option<&[u8]>; 4],
        beside: &Beside,
    ) -> PyResult<Columns> {
        let table = pieces.field();
        let checked = |name: Option<&[u8]>, wanted, is_one: fn(&DataType) -> bool| {
            let Some(name) = name else { return Ok(None) };
            let column = ColumnOf::any(py, table, name)?;
            match is_one(&column.data_type) {
                true => Ok(Some(column)),
                false => Err(wrong_column(py, name, wanted, &column.data_type)),
            }
        };
        let is_failure = |data_type: &DataType| is_bytes(data_type) || data_type.is_floating();
        Ok(Columns {
            origin_name: origin.to_vec(),
            failure_name: failure.unwrap_or_default().to_vec(),
            origin: ColumnOf::find(py, table, origin)?,
            kept: KeptColumns::find(py, table, body, beside)?,
            status: checked(status, "numbers", is_status)?,
            time: checked(time, "timestamps or numbers", is_time)?,
            failure: checked(failure, "text", is_failure)?,
            counted: checked(counted, "numbers", is_status)?,
        })
    }

    /// The producer's code that makes the next rows runs here.
    fn next_rows(&self, pieces: &mut Pieces) -> Result<Option<Rows>, ArrowError> {
        let Some(piece) = pieces.next()? else { return Ok(None) };
        let array =
            |column: &Option<ColumnOf>| column.as_ref().map(|column| column.of(&piece)).transpose();
        Ok(Some(Rows {
            urls: self.origin.bytes(&piece)?,
            kept: self.kept.of(&piece)?,
            statuses: array(&self.status)?.map(|array| statuses(&array)),
            times: array(&self.time)?.map(|array| seconds(&array)),
            failures: array(&self.failure)?
                .map(|array| failures(&array))
                .transpose()
                .map_err(not_text)?,
            counted: array(&self.counted)?.map(|array| numbers(&array)),
        }))
    }
}

/// Some rows of the table, with statuses, times, failures and counted seconds if there are such
/// columns.
struct Rows {
    urls: Bytes,
    kept: Kept,
    statuses: Option<Vec<Option<i64>>>,
    times: Option<Vec<Option<f64>>>,
    failures: Option<Bytes>,
    counted: Option<Vec<Option<f64>>>,
}

impl Rows {
    fn len(&self) -> usize {
        self.urls.len()
    }

    fn add_to(
        &self,
        builder: &mut Builder,
        before: usize,
        changes: &Changes,
        enough: usize,
    ) -> Result<(), BadRow> {
        let bad_at = |row, url: &[u8], why| BadRow { row: before + row, url: url.to_vec(), why };
        let bodies_number = builder
            .add_bodies(self.kept.bodies().clone())
            .map_err(|why| bad_at(0, b"", Refusal::Entry(why)))?;
        for row in 0..self.len() {
            let bad = |url: &[u8], why| bad_at(row, url, why);
            let url = self.urls.get(row).ok_or_else(|| bad(b"", Refusal::Null))?;
            let change = changes.get(&row);
            let file = change.and_then(Option::as_ref);
            let is_short = file.is_some_and(|(file, is_cut)| *is_cut && file.len() < enough);
            let change = if is_short { Some(&None) } else { change };
            let has_body = change.map_or(self.kept.bodies().get(row).is_some(), Option::is_some);
            let status = self.statuses.as_ref().and_then(|statuses| *statuses.get(row)?);
            // A body without a status is a success, also if it is broken.
            let status = status.or(change.is_some().then_some(200));
            let number = |column: &Option<Vec<Option<f64>>>| *column.as_ref()?.get(row)?;
            let time = number(&self.times).unwrap_or(NO_TIME);
            let unreachable_for = number(&self.counted).unwrap_or(NOT_COUNTED);
            let failure = self.failures.as_ref().and_then(|failures| failures.get(row));
            let kind_of = |has_body| {
                builder.table().kind_of(status, failure, has_body).map_err(|NotAFailure| {
                    bad(url, Refusal::Failure(failure.unwrap_or_default().to_vec()))
                })
            };
            let kind = kind_of(has_body)?;
            // a status such as 404 has no file, whatever is beside it
            let is_file = |kind| builder.table().kind(kind).access == Access::Successful;
            let is_short = is_short && is_file(kind_of(true)?);
            match change.and_then(Option::as_ref) {
                Some((place, _)) => {
                    let seen = Seen { time, place: &place[..], kind, is_short, unreachable_for };
                    builder.add(url, seen)
                }
                None => {
                    let seen = Seen { time, place: row, kind, is_short, unreachable_for };
                    builder.add_row(url, bodies_number, seen)
                }
            }
            .map_err(|why| bad(url, Refusal::Entry(why)))?;
        }
        Ok(())
    }
}

/// A row that cannot be added, counted over all pieces, and why.
struct BadRow {
    row: usize,
    url: Vec<u8>,
    why: Refusal,
}

enum Refusal {
    Null,
    Failure(Vec<u8>),
    Entry(NoEntry),
}

impl BadRow {
    fn into_error(self, py: Python<'_>, columns: &Columns, failures: &str) -> PyErr {
        let (row, column) = (self.row, shorten(py, &columns.origin_name));
        let (message, hint) = match self.why {
            Refusal::Null => (
                format!("the column `{column}` is null in row {row}"),
                "each row of a snapshot has an origin",
            ),
            Refusal::Failure(word) => {
                return not_a_failure(py, &columns.failure_name, row, &word, failures);
            }
            Refusal::Entry(NoEntry::Origin(why)) => (
                format!(
                    "the column `{column}` holds `{}` in row {row}, which is not an origin: {why}",
                    shorten(py, &self.url),
                ),
                "an origin looks like `https://example.com`",
            ),
            Refusal::Entry(why) => return refused(py, &self.url, why),
        };
        invalid_table(py, message, Some(hint.into()))
    }
}

/// A snapshot that decides, from any thread.
#[pyclass(frozen, module = "verger.bulk", name = "_SnapshotIndex")]
pub struct SnapshotIndex {
    snapshot: Arc<Snapshot>,
    policies: Vec<String>,
    /// The last crawler, with its parsed files: tables come in pieces.
    last: Mutex<Option<Arc<ManyFiles>>>,
}

impl SnapshotIndex {
    pub fn policies(&self) -> &[String] {
        &self.policies
    }

    pub fn dialect(&self) -> &verger_core::Dialect {
        self.snapshot.dialect()
    }

    pub fn judge(
        &self,
        py: Python<'_>,
        tokens: Vec<Vec<u8>>,
        binding: Binding,
        used: Option<AskedUse>,
    ) -> PyResult<Arc<ManyFiles>> {
        // Making an exception runs Python code: no lock may be held then.
        self.judge_of(&tokens, binding, used)
            .map_err(|(at, why)| invalid_token(py, &tokens[at], why))
    }

    fn judge_of(
        &self,
        tokens: &[Vec<u8>],
        binding: Binding,
        used: Option<AskedUse>,
    ) -> Result<Arc<ManyFiles>, (usize, InvalidProductToken)> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same = |judge: &&Arc<ManyFiles>| judge.asked() == (tokens, &binding, &used);
        if let Some(judge) = last.as_ref().filter(is_same) {
            return Ok(Arc::clone(judge));
        }
        let made = ManyFiles::new(Arc::clone(&self.snapshot), tokens.to_vec(), MOST_BYTES)?;
        let judge = Arc::new(made.bound_by(binding).asked_for(used));
        *last = Some(Arc::clone(&judge));
        Ok(judge)
    }
}

#[pymethods]
impl SnapshotIndex {
    /// Refuse to be pickled, with what to do instead.
    fn __reduce__(&self) -> PyResult<()> {
        let instead = "send its table or its path, and make a `Snapshot` in each process";
        Err(PyTypeError::new_err(format!("a `Snapshot` cannot be pickled: {instead}")))
    }

    fn __len__(&self) -> usize {
        self.snapshot.len()
    }

    /// Whether there is an entry for an origin, in canonical form.
    fn __contains__(&self, origin: &Bound<'_, PyAny>) -> PyResult<bool> {
        Ok(self.snapshot.find(&bytes_of(string("origin", origin)?)?).is_some())
    }

    /// The origins in canonical form, in the order of their first observations.
    fn origins(&self) -> Vec<String> {
        self.snapshot.origins().map(|key| String::from_utf8_lossy(key).into_owned()).collect()
    }
}
