//! The scanner of captures: batches in, rows and records out.

use std::num::NonZeroUsize;

use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch};
use arrow_schema::{ArrowError, DataType};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use verger_bulk::scan::{
    Access, Effect, Meaning, ScanError, Scanned, Scanner as BulkScanner, Statuses,
};

use crate::bulk::capsule::{not_understood, Incoming};
use crate::bulk::table::Table;
use crate::dialect::{Dialect, DialectArgument};
use crate::errors::{invalid_table, invalid_token};

/// What a status means: the kind of access, and the effect of the policy, if it has one.
type NamedMeaning = (String, Option<String>);

/// Scans captures in one dialect, with one list of crawlers in mind.
#[pyclass(frozen, module = "verger.bulk", name = "_CaptureScanner")]
pub struct CaptureScanner {
    scanner: BulkScanner,
}

#[pymethods]
impl CaptureScanner {
    #[new]
    fn new(
        py: Python<'_>,
        dialect: DialectArgument,
        crawlers: Vec<String>,
        statuses: Vec<NamedMeaning>,
        without: NamedMeaning,
    ) -> PyResult<CaptureScanner> {
        let dialect = Dialect::from_argument(&dialect, py)?;
        let meanings = statuses.iter().map(meaning).collect::<PyResult<Vec<_>>>()?;
        let statuses = Statuses::new(meanings, meaning(&without)?);
        let scanner = BulkScanner::new(&dialect.get().core, &crawlers, statuses)
            .map_err(|(index, why)| invalid_token(py, crawlers[index].as_bytes(), why))?;
        Ok(CaptureScanner { scanner })
    }

    /// How many bodies were told from what was known of an equal one.
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

    /// Scan a table of captures with the GIL released.
    #[pyo3(signature = (captures, *, threads, with_records))]
    fn scan(
        &self,
        py: Python<'_>,
        captures: &Bound<'_, PyAny>,
        threads: NonZeroUsize,
        with_records: bool,
    ) -> PyResult<(Table, Option<Table>)> {
        let wanted = "a table with the Arrow PyCapsule interface";
        let mut pieces = Incoming::of(captures, "captures", wanted)?.into_pieces()?;
        if !matches!(pieces.field.data_type(), DataType::Struct(_)) {
            let message =
                format!("a column of {} is no table of captures", pieces.field.data_type());
            return Err(invalid_table(
                py,
                message,
                Some("pass a table with a column `url`".into()),
            ));
        }
        let scanned = py.detach(|| {
            let mut all = Scanned::default();
            while let Some(piece) = pieces.next().map_err(Problem::Data)? {
                let batch = batch_of(&*piece).map_err(Problem::Data)?;
                let scanned = self.scanner.scan(&batch, threads.get(), with_records);
                let scanned = scanned.map_err(Problem::Column)?;
                all.rows.extend(scanned.rows);
                all.records.extend(scanned.records);
            }
            Ok(all)
        });
        let scanned = scanned.map_err(|problem: Problem| problem.into_error(py))?;
        let records = Table::new(self.scanner.records_schema(), scanned.records);
        Ok((Table::new(self.scanner.schema(), scanned.rows), with_records.then_some(records)))
    }
}

enum Problem {
    Data(ArrowError),
    Column(ScanError),
}

impl Problem {
    #[cold]
    fn into_error(self, py: Python<'_>) -> PyErr {
        match self {
            Problem::Data(error) => not_understood(error),
            Problem::Column(error) => {
                let hint = "name the columns, or cast them".to_string();
                invalid_table(py, error.to_string(), Some(hint))
            }
        }
    }
}

fn batch_of(piece: &dyn Array) -> Result<RecordBatch, ArrowError> {
    if piece.null_count() > 0 {
        let message = "a table with rows that are null as a whole";
        return Err(ArrowError::InvalidArgumentError(message.into()));
    }
    Ok(RecordBatch::from(piece.as_struct()))
}

fn meaning((access, effect): &NamedMeaning) -> PyResult<Meaning> {
    let unknown = || PyValueError::new_err(format!("`{access}`, {effect:?} mean nothing"));
    Ok(Meaning {
        access: Access::named(access).ok_or_else(unknown)?,
        effect: Effect::named(effect.as_deref()).ok_or_else(unknown)?,
    })
}
