//! Snapshots of many origins: built from results or from columns, then asked.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float32Type, Float64Type, Int16Type, Int32Type, Int64Type, Int8Type, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt16Type, UInt32Type,
    UInt64Type, UInt8Type,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{ArrowError, DataType, TimeUnit};
use pyo3::prelude::*;

use verger_bulk::column::Octets;
use verger_bulk::judge::ManyFiles;
use verger_bulk::snapshot::{NoEntry, Ruling, Snapshot};

use crate::bulk::capsule::{not_understood, Incoming, Pieces};
use crate::bulk::decide::{wrong_column, ColumnOf};
use crate::dialect::{Dialect, DialectArgument};
use crate::errors::{invalid_table, invalid_target, invalid_token, shorten};
use crate::text::{octets_of, string};

/// What the parsed files of one crawler may take in memory, roughly.
const MOST_OCTETS: usize = 256 << 20;

/// Takes entries, one by one or as columns.
#[pyclass(frozen, module = "verger.bulk", name = "_SnapshotBuilder")]
pub struct SnapshotBuilder {
    snapshot: Mutex<Option<Snapshot>>,
    policies: Vec<String>,
}

/// How Python writes a ruling: -1 for the rules of the file, else twice the number of the policy's
/// reason, and one more where it allows.
fn ruling_of(code: i16) -> Ruling {
    match u8::try_from(code) {
        Err(_) => Ruling::Rules,
        Ok(code) => Ruling::Policy { allowed: code & 1 == 1, reason: code >> 1 },
    }
}

impl SnapshotBuilder {
    /// Change the snapshot. Nothing in `change` may need the GIL but what gives it back at once:
    /// whoever waits for the lock may hold it.
    fn change<E>(
        &self,
        change: impl FnOnce(&mut Snapshot) -> Result<(), E>,
    ) -> Option<Result<(), E>> {
        let mut snapshot: MutexGuard<Option<Snapshot>> =
            self.snapshot.lock().unwrap_or_else(PoisonError::into_inner);
        snapshot.as_mut().map(change)
    }
}

#[cold]
fn finished(py: Python<'_>) -> PyErr {
    invalid_table(py, "the snapshot is finished".into(), None)
}

#[pymethods]
impl SnapshotBuilder {
    /// `policies`: the reasons of access policies, whose places are their numbers.
    #[new]
    fn new(py: Python<'_>, dialect: DialectArgument, policies: Vec<String>) -> PyResult<Self> {
        let dialect = Dialect::from_argument(&dialect, py)?;
        let snapshot = Mutex::new(Some(Snapshot::new(&dialect.get().core)));
        Ok(SnapshotBuilder { snapshot, policies })
    }

    /// Take one origin. Raises InvalidTarget.
    fn add(
        &self,
        py: Python<'_>,
        url: &Bound<'_, PyAny>,
        time: i64,
        ruling: i16,
        body: &[u8],
    ) -> PyResult<()> {
        let url = octets_of(string("url", url)?)?;
        let added = self.change(|snapshot| snapshot.add(&url, time, ruling_of(ruling), body));
        added.ok_or_else(|| finished(py))?.map_err(|why| refused(py, &url, why))
    }

    /// Take a table; `rulings` has one for each status below 1,000 and a last one for none, `names`
    /// are those of the columns: origin, body, status, time. Columns named `status` and `time` are used where there are any, unless others are named.
    /// Raises InvalidTable, naming column and row.
    fn add_table(
        &self,
        py: Python<'_>,
        table: &Bound<'_, PyAny>,
        rulings: Vec<i16>,
        names: (String, String, Option<String>, Option<String>),
    ) -> PyResult<()> {
        let wanted = "a table with the Arrow PyCapsule interface";
        let mut pieces = Incoming::of(table, "table", wanted)?.into_pieces()?;
        let (origin, body, status, time) = names;
        let named = |name: Option<String>, usual: &str| {
            name.or_else(|| ColumnOf::has(&pieces.field, usual).then(|| usual.to_string()))
        };
        let (status, time) = (named(status, "status"), named(time, "time"));
        let optional = [status.as_deref(), time.as_deref()];
        let columns = Columns::find(py, &pieces, [&origin, &body], optional)?;
        let add = || self.change(|snapshot| columns.add_all(&mut pieces, &rulings, snapshot));
        py.detach(add).ok_or_else(|| finished(py))?.map_err(|bad| bad.into_error(py, &columns))
    }

    /// Make the snapshot; nothing can be added then.
    fn finish(&self, py: Python<'_>) -> PyResult<SnapshotIndex> {
        let snapshot = self.snapshot.lock().unwrap_or_else(PoisonError::into_inner).take();
        let snapshot = Arc::new(snapshot.ok_or_else(|| finished(py))?);
        let policies = self.policies.clone();
        Ok(SnapshotIndex { snapshot, policies, last: Mutex::new(None) })
    }
}

#[cold]
fn refused(py: Python<'_>, url: &[u8], why: NoEntry) -> PyErr {
    match why {
        NoEntry::Origin(why) => invalid_target(py, url, why),
        NoEntry::Full => invalid_table(py, "more than 4,294,967,295 entries".into(), None),
    }
}

/// The columns that a snapshot is made of.
struct Columns {
    origin_name: String,
    origin: ColumnOf,
    body: ColumnOf,
    status: Option<ColumnOf>,
    time: Option<ColumnOf>,
}

impl Columns {
    fn find(
        py: Python<'_>,
        pieces: &Pieces,
        [origin, body]: [&str; 2],
        [status, time]: [Option<&str>; 2],
    ) -> PyResult<Columns> {
        let table = &pieces.field;
        if !matches!(table.data_type(), DataType::Struct(_)) {
            let message = "a snapshot needs a table with columns, not one column".to_string();
            return Err(invalid_table(py, message, None));
        }
        let checked = |name: Option<&str>, wanted, is_one: fn(&DataType) -> bool| {
            let Some(name) = name else { return Ok(None) };
            let column = ColumnOf::any(py, table, name)?;
            match is_one(&column.data_type) {
                true => Ok(Some(column)),
                false => Err(wrong_column(py, name, wanted, &column.data_type)),
            }
        };
        Ok(Columns {
            origin_name: origin.to_string(),
            origin: ColumnOf::find(py, table, origin)?,
            body: ColumnOf::find(py, table, body)?,
            status: checked(status, "whole numbers", is_status)?,
            time: checked(time, "timestamps or whole numbers", is_time)?,
        })
    }

    fn add_all(
        &self,
        pieces: &mut Pieces,
        rulings: &[i16],
        snapshot: &mut Snapshot,
    ) -> Result<(), BadRow> {
        let mut before = 0;
        while let Some(piece) = pieces.next().map_err(|error| BadRow::of(before, error))? {
            self.add_piece(&piece, before, rulings, snapshot)?;
            before += piece.len();
        }
        Ok(())
    }

    fn add_piece(
        &self,
        piece: &ArrayRef,
        before: usize,
        rulings: &[i16],
        snapshot: &mut Snapshot,
    ) -> Result<(), BadRow> {
        let arrow = |error| BadRow::of(before, error);
        let octets = |column: &ColumnOf| {
            let array = column.of(piece)?;
            Octets::of(&array)
                .map_err(|found| ArrowError::SchemaError(format!("not text or binary: {found}")))
        };
        let numbers = |column: &Option<ColumnOf>| {
            column.as_ref().map(|column| column.of(piece).map(|array| whole_numbers(&array)))
        };
        let urls = octets(&self.origin).map_err(arrow)?;
        let bodies = octets(&self.body).map_err(arrow)?;
        let statuses = numbers(&self.status).transpose().map_err(arrow)?;
        let times = numbers(&self.time).transpose().map_err(arrow)?;
        let bodies_number = snapshot.add_bodies(bodies.clone());
        for row in 0..urls.len() {
            let bad = |url: &[u8], why| BadRow { row: before + row, url: url.to_vec(), why };
            let url = urls.get(row).ok_or_else(|| bad(b"", Refusal::Null))?;
            let status = match &statuses {
                Some(statuses) => statuses[row],
                None => bodies.get(row).map(|_| 200),
            };
            let ruling = ruling_for(rulings, status, bodies.get(row).is_some());
            let time = times.as_ref().and_then(|times| times[row]).unwrap_or(i64::MIN);
            snapshot
                .add_row(url, time, ruling, bodies_number, row)
                .map_err(|why| bad(url, Refusal::Entry(why)))?;
        }
        Ok(())
    }
}

/// A row that cannot be taken, counted over all pieces, and why.
struct BadRow {
    row: usize,
    url: Vec<u8>,
    why: Refusal,
}

enum Refusal {
    Null,
    Entry(NoEntry),
    Arrow(ArrowError),
}

impl BadRow {
    fn of(row: usize, error: ArrowError) -> BadRow {
        BadRow { row, url: Vec::new(), why: Refusal::Arrow(error) }
    }

    fn into_error(self, py: Python<'_>, columns: &Columns) -> PyErr {
        let (row, column) = (self.row, shorten(&columns.origin_name));
        let (message, hint) = match self.why {
            Refusal::Null => (
                format!("the column `{column}` is null in row {row}"),
                "each row of a snapshot has an origin",
            ),
            Refusal::Entry(NoEntry::Origin(why)) => (
                format!(
                    "the column `{column}` holds `{}` in row {row}, which is no origin: {why}",
                    shorten(&self.url),
                ),
                "an origin looks like `https://example.com`",
            ),
            Refusal::Entry(why) => return refused(py, &self.url, why),
            Refusal::Arrow(error) => return not_understood(error),
        };
        invalid_table(py, message, Some(hint.into()))
    }
}

/// A file whose octets nobody kept is one that was not received.
fn ruling_for(rulings: &[i16], status: Option<i64>, has_body: bool) -> Ruling {
    let unknown = rulings.len() - 1;
    let at = status.and_then(|status| usize::try_from(status).ok()).unwrap_or(unknown);
    match ruling_of(rulings[at.min(unknown)]) {
        Ruling::Rules if !has_body => ruling_of(rulings[unknown]),
        ruling => ruling,
    }
}

fn is_status(data_type: &DataType) -> bool {
    data_type.is_numeric() && !matches!(data_type, DataType::Float16) && !data_type.is_decimal()
        || matches!(data_type, DataType::Null)
}

fn is_time(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Timestamp(_, _)) || is_status(data_type)
}

/// Whole numbers of any width; microseconds of timestamps. A fraction, or NaN, is none.
fn whole_numbers(array: &ArrayRef) -> Vec<Option<i64>> {
    macro_rules! of {
        ($kind:ty, $convert:expr) => {
            array.as_primitive::<$kind>().iter().map(|n| n.and_then($convert)).collect()
        };
    }
    let of_float = |n: f64| (n.fract() == 0.0).then_some(n as i64);
    match array.data_type() {
        DataType::Int8 => of!(Int8Type, |n| Some(n.into())),
        DataType::Int16 => of!(Int16Type, |n| Some(n.into())),
        DataType::Int32 => of!(Int32Type, |n| Some(n.into())),
        DataType::Int64 => of!(Int64Type, Some),
        DataType::UInt8 => of!(UInt8Type, |n| Some(n.into())),
        DataType::UInt16 => of!(UInt16Type, |n| Some(n.into())),
        DataType::UInt32 => of!(UInt32Type, |n| Some(n.into())),
        DataType::UInt64 => of!(UInt64Type, |n| i64::try_from(n).ok()),
        DataType::Float32 => of!(Float32Type, |n| of_float(n.into())),
        DataType::Float64 => of!(Float64Type, of_float),
        DataType::Timestamp(TimeUnit::Second, _) => {
            of!(TimestampSecondType, |n| n.checked_mul(1_000_000))
        }
        DataType::Timestamp(TimeUnit::Millisecond, _) => {
            of!(TimestampMillisecondType, |n| n.checked_mul(1_000))
        }
        DataType::Timestamp(TimeUnit::Microsecond, _) => of!(TimestampMicrosecondType, Some),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => {
            of!(TimestampNanosecondType, |n| Some(n.div_euclid(1_000)))
        }
        _ => vec![None; array.len()],
    }
}

/// A snapshot that can be asked, from any thread.
#[pyclass(frozen, module = "verger.bulk", name = "_SnapshotIndex")]
pub struct SnapshotIndex {
    snapshot: Arc<Snapshot>,
    policies: Vec<String>,
    /// The crawler asked for last, with its parsed files: tables come in pieces.
    last: Mutex<Option<Arc<ManyFiles>>>,
}

impl SnapshotIndex {
    pub fn policies(&self) -> &[String] {
        &self.policies
    }

    pub fn judge(&self, py: Python<'_>, tokens: Vec<Vec<u8>>) -> PyResult<Arc<ManyFiles>> {
        // Making an exception runs Python code: no lock may be held then.
        for token in &tokens {
            verger_core::token::check(token, self.snapshot.dialect())
                .map_err(|why| invalid_token(py, token, why))?;
        }
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(judge) = last.as_ref().filter(|judge| judge.tokens() == tokens) {
            return Ok(Arc::clone(judge));
        }
        let made = ManyFiles::new(Arc::clone(&self.snapshot), tokens, MOST_OCTETS);
        let judge = Arc::new(made.map_err(|why| invalid_token(py, b"", why))?);
        *last = Some(Arc::clone(&judge));
        Ok(judge)
    }
}

#[pymethods]
impl SnapshotIndex {
    fn __len__(&self) -> usize {
        self.snapshot.len()
    }

    /// Whether there is an entry for an origin, in canonical form.
    fn __contains__(&self, origin: &str) -> bool {
        self.snapshot.find(origin.as_bytes()).is_some()
    }

    /// The origins in canonical form, in the order in which they first came.
    fn origins(&self) -> Vec<String> {
        self.snapshot.origins().map(|key| String::from_utf8_lossy(key).into_owned()).collect()
    }
}
