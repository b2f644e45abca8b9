//! The access rules of one dialect, for the kernels.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use verger_bulk::access::{self, Access, AccessTable as BulkTable, Kind, Ruling, Step};
use verger_bulk::row::MOST_POLICIES;

use crate::errors::{invalid_table, quote_all};
use crate::text::{shorten, Items};

/// For how many seconds a file has been unreachable after one more failure.
#[pyfunction]
pub fn _period_after(period: f64, before: f64, time: f64, now: f64) -> f64 {
    access::period_after(period, before, time, now)
}

/// A kind of observation: the name of its access, whether it is a failure, and its steps.
type NamedKind = (String, bool, bool, Items<CodedStep>);

/// Seconds, and what applies until then, without a copy or with one: -1 for the rules of the file,
/// otherwise twice the number of the policy's reason, plus one if it allows.
type CodedStep = (f64, i16, i16);

/// What every observation means in one dialect.
#[pyclass(frozen, module = "verger.access", name = "_AccessTable")]
pub struct AccessTable {
    pub table: Arc<BulkTable>,
    /// The reasons of policies, by number.
    pub reasons: Vec<String>,
}

#[pymethods]
impl AccessTable {
    #[new]
    fn new(
        py: Python<'_>,
        reasons: Items<String>,
        kinds: Items<NamedKind>,
        places: Items<u8>,
        failures: Items<(String, u8)>,
    ) -> PyResult<Self> {
        let reasons = reasons.0;
        if reasons.len() > MOST_POLICIES {
            return Err(PyValueError::new_err(format!("more than {MOST_POLICIES} policies")));
        }
        let kinds = kinds.0.into_iter().map(|kind| kind_of(py, kind, reasons.len()));
        let table = BulkTable::new(kinds.collect::<PyResult<_>>()?, places.0, failures.0);
        let table = table.ok_or_else(|| PyValueError::new_err("the table has a hole"))?;
        Ok(AccessTable { table: Arc::new(table), reasons })
    }
}

impl AccessTable {
    /// The names of the failures, for people.
    pub fn failures(&self) -> String {
        quote_all(&self.table.failures().collect::<Vec<_>>())
    }
}

/// The exception for a row whose failure is not one of the known names.
#[cold]
pub fn not_a_failure(
    py: Python<'_>,
    column: &[u8],
    row: usize,
    word: &[u8],
    failures: &str,
) -> PyErr {
    let (column, word) = (shorten(py, column), shorten(py, word));
    let message =
        format!("the column `{column}` holds `{word}` in row {row}, which is not a failure");
    invalid_table(py, message, Some(format!("it is null, or one of {failures}")))
}

fn kind_of(
    py: Python<'_>,
    (access, is_failure, has_answered, steps): NamedKind,
    reasons: usize,
) -> PyResult<Kind> {
    let unknown =
        || PyValueError::new_err(format!("`{}` is not a kind of access", shorten(py, &access)));
    let steps = steps.0.into_iter().map(|(until, alone, beside_copy)| {
        let (alone, beside_copy) = (ruling_of(alone, reasons)?, ruling_of(beside_copy, reasons)?);
        Ok(Step { until, alone, beside_copy })
    });
    let steps = steps.collect::<PyResult<_>>()?;
    let access = Access::named(&access).ok_or_else(unknown)?;
    Ok(Kind { access, is_failure, has_answered, steps })
}

fn ruling_of(code: i16, reasons: usize) -> PyResult<Ruling> {
    if code == -1 {
        return Ok(Ruling::Rules);
    }
    let known = u8::try_from(code).ok().filter(|code| usize::from(code >> 1) < reasons);
    let code =
        known.ok_or_else(|| PyValueError::new_err(format!("no ruling has the code {code}")))?;
    Ok(Ruling::Policy { allowed: code & 1 == 1, reason: code >> 1 })
}
