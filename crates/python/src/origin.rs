//! `Origin`, `origin` and `requested_url`: the origin of a URL, and the URL that clients request.

use std::borrow::Cow;

use pyo3::prelude::*;
use pyo3::types::PyString;

use verger_core::internal::canonical_end;
use verger_core::{Origin as CoreOrigin, Scope};

use crate::errors::invalid_target;
use crate::text::{bytes_of, single_quoted, string, text};

/// Scheme, host and port: what one robots.txt file governs; `str()` is `origin(url)`.
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

    /// In lower case and A-label form, as used for connections; an IPv6 address in brackets.
    #[getter]
    fn host(&self) -> &str {
        self.0.host()
    }

    /// The port, also if it is the scheme's default.
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

/// Return the origin whose robots.txt file governs a URL, as `scheme://host:port`.
///
/// The scheme is in lower case, the host in lower case and A-label form, IP addresses are by value;
/// the port is given only if it is not the scheme's default. Equal origins have one robots.txt
/// file; the result is a URL whose origin is the same text.
///
/// A host is decoded and mapped before it is checked: `ex%61mple.com` is `example.com`, `0x7f.1` is
/// 127.0.0.1. If the result is empty or contains a character that no host has, such as `/` from
/// U+FF0F, the host is invalid.
///
/// >>> origin("HTTPS://user@BÜCHER.example:443/page")
/// 'https://xn--bcher-kva.example'
///
/// Raises: InvalidTarget, also for a scheme without robots.txt: only http, https, ftp have one.
///
/// RFC 9309 section 2.3; RFC 3986 section 6.2.3; UTS 46, non-transitional; URL Standard, section
/// 3.5.
#[pyfunction]
pub fn origin(py: Python<'_>, url: &Bound<'_, PyAny>) -> PyResult<String> {
    let bytes = bytes_of(string("url", url)?)?;
    match canonical_end(&bytes) {
        Some(end) => Ok(String::from_utf8_lossy(&bytes[..end]).into_owned()),
        None => Ok(governing(py, &bytes)?.to_string()),
    }
}

/// Whether a URL is that of a robots.txt file that governs an origin.
#[pyfunction]
pub fn _is_robots_txt(url: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(Scope::is_of_file(&bytes_of(string("url", url)?)?))
}

/// Return the URL that an HTTP client requests for a URL.
///
/// It has the origin in canonical form, the path without dot segments, and the query, but no user
/// and no fragment. A path stays a path. Decide this URL before you send a request: rules are
/// compared with URLs as written, and `/x/../basket` is requested as `/basket`.
///
/// >>> requested_url("HTTPS://user@example.com/x/%2e%2e/basket#top")
/// 'https://example.com/basket'
///
/// Raises: InvalidTarget, also for a scheme without robots.txt.
///
/// RFC 3986 section 5.2.4; URL Standard, section 4.4: `%2e` is a dot.
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
