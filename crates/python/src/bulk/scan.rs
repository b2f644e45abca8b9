//! The scanner of captures: batches in, rows and records out.

use std::num::NonZeroUsize;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{ArrowError, DataType, Field, Fields, Schema};
use pyo3::prelude::*;

use verger_bulk::scan::{
    AskingCrawler, ScanError, Scanned, ScannedUse, Scanner as BulkScanner, COLUMNS,
};
use verger_cdata::{is_importable, Piece};
use verger_core::internal::Binding;
use verger_core::InvalidProductToken;

use crate::bulk::access::{not_a_failure, AccessTable};
use crate::bulk::capsule::not_understood;
use crate::bulk::kept::{changed, Changes, KeptColumns};
use crate::bulk::opened::pieces_of_opened;
use crate::bulk::table::Table;
use crate::dialect::{Dialect, DialectArgument};
use crate::errors::{invalid_table, invalid_token};
use crate::text::{Items, Text};
use crate::uses::purpose_of;

/// Scans captures in one dialect, for one list of crawlers.
#[pyclass(frozen, module = "verger.bulk", name = "_CaptureScanner")]
pub struct CaptureScanner {
    scanner: BulkScanner,
    failures: String,
}

#[pymethods]
impl CaptureScanner {
    #[new]
    #[pyo3(signature = (dialect, crawlers, table, bindings, uses, fingerprints=false))]
    fn new(
        py: Python<'_>,
        dialect: DialectArgument,
        crawlers: Items<Text>,
        table: &AccessTable,
        bindings: Items<(Items<Text>, bool)>,
        uses: Items<GivenUse<'_>>,
        fingerprints: bool,
    ) -> PyResult<CaptureScanner> {
        let dialect = Dialect::from_argument(&dialect, py)?;
        let (crawlers, access) = (names_of(py, crawlers)?, Arc::clone(&table.table));
        let binding = |(follows, by_star): (Items<Text>, bool)| {
            Ok(Binding { follows: names_of(py, follows)?, by_star })
        };
        let bindings: Vec<Binding> =
            bindings.0.into_iter().map(binding).collect::<PyResult<_>>()?;
        let uses = uses.0.into_iter().map(|given| use_of(py, given));
        let uses = uses.collect::<PyResult<_>>()?;
        let dialect = &dialect.get().core;
        let scanner = BulkScanner::new(dialect, &crawlers, &bindings, uses, access, fingerprints);
        let scanner = scanner.map_err(|(token, why)| invalid_token(py, token.as_bytes(), why))?;
        Ok(CaptureScanner { scanner, failures: table.failures() })
    }

    /// The number of bodies whose facts were known from an equal one.
    #[getter]
    fn recalled(&self) -> u64 {
        self.scanner.recalled()
    }

    /// The columns of the rows, as an empty table.
    fn rows_schema(&self) -> Table {
        Table::new(self.scanner.schema(), Vec::new())
    }

    /// The columns of the records, as an empty table.
    fn records_schema(&self) -> Table {
        Table::new(self.scanner.records_schema(), Vec::new())
    }

    /// Scan a table of captures with the GIL released. `judge` says which bodies are whole; see
    /// [`Kept::changes`].
    #[pyo3(signature = (captures, judge, *, threads, with_records))]
    fn scan(
        &self,
        py: Python<'_>,
        captures: &Bound<'_, PyAny>,
        judge: Py<PyAny>,
        threads: NonZeroUsize,
        with_records: bool,
    ) -> PyResult<(Table, Option<Table>)> {
        let wanted = "a table with the Arrow PyCapsule interface";
        let mut pieces = pieces_of_opened(captures, "captures", wanted)?;
        let DataType::Struct(fields) = pieces.field().data_type().clone() else {
            let message =
                format!("a column of {} is not a table of captures", pieces.field().data_type());
            return Err(invalid_table(
                py,
                message,
                Some("pass a table with a column `url`".into()),
            ));
        };
        let kept = KeptColumns::by_roles(py, pieces.field())?;
        let changes = |piece: &Piece| match &kept {
            Some(kept) => {
                let rows = kept.of(piece).map_err(Problem::Data)?;
                Python::attach(|py| rows.changes(judge.bind(py))).map_err(Problem::Judge)
            }
            None => Ok(Changes::new()),
        };
        let scanned = py.detach(|| {
            let (mut all, mut before) = (Scanned::default(), 0);
            let columns = columns_of(&fields).map_err(Problem::Column)?;
            while let Some(piece) = pieces.next().map_err(Problem::Data)? {
                let mut batch = batch_of(&piece, &columns).map_err(Problem::Data)?;
                let changes = changes(&piece)?;
                if !changes.is_empty() {
                    batch = changed(&batch, &changes).map_err(Problem::Data)?;
                }
                let scanned = self.scanner.scan(&batch, threads.get(), with_records);
                let scanned =
                    scanned.map_err(|error| Problem::Column(told(error, &fields, before)))?;
                before += piece.len();
                all.rows.extend(scanned.rows);
                all.records.extend(scanned.records);
            }
            Ok(all)
        });
        let scanned = scanned.map_err(|problem: Problem| problem.into_error(py, &self.failures))?;
        let records = Table::new(self.scanner.records_schema(), scanned.records);
        Ok((Table::new(self.scanner.schema(), scanned.rows), with_records.then_some(records)))
    }
}

/// A use, the product tokens that stand for it whoever asks, and the crawlers that fetch for it, each
/// by its place, whether it follows any groups, and the tokens that stand for the use of what it
/// fetches.
type GivenUse<'py> = (Bound<'py, PyAny>, Items<Text>, Items<(usize, bool, Items<Text>)>);

fn use_of(py: Python<'_>, (purpose, tokens, crawlers): GivenUse) -> PyResult<ScannedUse> {
    let crawler = |(place, follows, tokens): (usize, bool, Items<Text>)| {
        let place = Some(place).filter(|_| follows);
        Ok(AskingCrawler { place, policy_tokens: names_of(py, tokens)? })
    };
    Ok(ScannedUse {
        purpose: purpose_of(py, &purpose)?,
        policy_tokens: names_of(py, tokens)?,
        crawlers: crawlers.0.into_iter().map(crawler).collect::<PyResult<_>>()?,
    })
}

/// Product tokens that may name columns: those of any dialect are UTF-8 here.
pub(super) fn names_of(py: Python<'_>, tokens: Items<Text>) -> PyResult<Vec<String>> {
    let name = |Text(token)| {
        String::from_utf8(token).map_err(|error| {
            let offset = error.utf8_error().valid_up_to();
            let byte = error.as_bytes()[offset];
            invalid_token(py, error.as_bytes(), InvalidProductToken::BadByte { byte, offset })
        })
    };
    tokens.0.into_iter().map(name).collect()
}

enum Problem {
    Data(ArrowError),
    Judge(PyErr),
    Column(ScanError),
}

impl Problem {
    #[cold]
    fn into_error(self, py: Python<'_>, failures: &str) -> PyErr {
        match self {
            Problem::Data(error) => not_understood(error),
            Problem::Judge(error) => error,
            Problem::Column(ScanError::NotAFailure(row, word)) => {
                not_a_failure(py, b"failure", row, &word, failures)
            }
            Problem::Column(error) => {
                let hint = "name the columns, or cast them".to_string();
                invalid_table(py, error.to_string(), Some(hint))
            }
        }
    }
}

/// The columns of captures among those of a table, by place and name.
fn columns_of(fields: &Fields) -> Result<Vec<(usize, &'static str)>, ScanError> {
    let mut columns = Vec::new();
    for name in COLUMNS {
        match fields.find(name) {
            None => {}
            Some((at, field)) if is_importable(field.data_type()) => columns.push((at, name)),
            Some((_, field)) => return Err(ScanError::WrongType(name, field.data_type().clone())),
        }
    }
    Ok(columns)
}

fn batch_of(piece: &Piece, columns: &[(usize, &str)]) -> Result<RecordBatch, ArrowError> {
    let arrays = columns.iter().map(|(at, _)| piece.column(Some(*at)));
    let arrays = arrays.collect::<Result<Vec<ArrayRef>, _>>()?;
    let field = |((_, name), array): (&(usize, &str), &ArrayRef)| {
        Field::new(*name, array.data_type().clone(), true)
    };
    let schema = Schema::new(columns.iter().zip(&arrays).map(field).collect::<Fields>());
    let options = RecordBatchOptions::new().with_row_count(Some(piece.len()));
    RecordBatch::try_new_with_options(Arc::new(schema), arrays, &options)
}

/// The error with the type as the table announced it, for text arrives as binary data, and with the
/// row as it is counted over all pieces.
fn told(error: ScanError, fields: &Fields, before: usize) -> ScanError {
    match error {
        ScanError::WrongType(name, found) => {
            let announced = fields.find(name).map(|(_, field)| field.data_type().clone());
            ScanError::WrongType(name, announced.unwrap_or(found))
        }
        ScanError::NotAFailure(row, word) => ScanError::NotAFailure(before + row, word),
        other => other,
    }
}
