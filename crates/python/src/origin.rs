//! `Origin`, `origin` and `requested_url`: what a URL belongs to, and what is sent for it.

use std::borrow::Cow;

use pyo3::prelude::*;
use pyo3::types::PyString;

use verger_core::internal::canonical_end;
use verger_core::Origin as CoreOrigin;

use crate::errors::invalid_target;
use crate::text::{bytes_of, single_quoted, string, text};

/// Scheme, host and port: what one robots.txt file speaks for.
#[pyclass(frozen, eq, hash, module = "verger", skip_from_py_object)]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Origin(CoreOrigin);

#[pymethods]
impl Origin {
    #[new]
    fn new(py: Python<'_>, url: &Bound<'_, PyAny>) -> PyResult<Self> {
        governing(py, &bytes_of(string("url", url)?)?).map(Origin)
    }

    /// `http`, `https` or `ftp`.
    #[getter]
    fn scheme(&self) -> &str {
        self.0.scheme()
    }

    /// The host, in lower case and A-label form; an IPv6 address in brackets.
    #[getter]
    fn host(&self) -> &str {
        self.0.host()
    }

    /// The port, also where it is the scheme's own.
    #[getter]
    fn port(&self) -> Option<u16> {
        self.0.port()
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("Origin({})", single_quoted(&self.0.to_string()))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyAny>, (String,)) {
        (py.get_type::<Origin>().into_any(), (self.0.to_string(),))
    }
}

/// The origin of a URL, in canonical form.
#[pyfunction]
pub fn origin(py: Python<'_>, url: &Bound<'_, PyAny>) -> PyResult<String> {
    let bytes = bytes_of(string("url", url)?)?;
    match canonical_end(&bytes) {
        Some(end) => Ok(String::from_utf8_lossy(&bytes[..end]).into_owned()),
        None => Ok(governing(py, &bytes)?.to_string()),
    }
}

/// The URL that an HTTP client requests for a URL.
#[pyfunction]
pub fn requested_url<'py>(
    py: Python<'py>,
    url: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyString>> {
    let given = string("url", url)?;
    let bytes = bytes_of(given)?;
    match verger_core::requested_url(&bytes).map_err(|why| invalid_target(py, &bytes, why))? {
        Cow::Borrowed(same) if same.len() == bytes.len() => Ok(given.clone()),
        other => text(py, &other),
    }
}

fn governing(py: Python<'_>, url: &[u8]) -> PyResult<CoreOrigin> {
    CoreOrigin::governed(url).map_err(|why| invalid_target(py, url, why))
}
