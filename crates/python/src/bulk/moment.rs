//! Times as tables write them.

use pyo3::prelude::*;

use verger_bulk::numbers::moment;

/// Return a time as a number in microseconds since the epoch: whole units since then, which its
/// size tells, or its digits in a row (`20230615123456`).
#[pyfunction]
pub fn _moment(number: f64) -> Option<i64> {
    moment(number)
}
