//! Strings and octets: how they cross the border.
//!
//! A `str` becomes its UTF-8 octets, borrowed where Python holds them; lone surrogates become the
//! octets that `surrogateescape` made them of, or else their three-octet form. Octets become a
//! `str` by `surrogateescape`, so that nothing is lost either way.

use std::borrow::Cow;

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

/// The octets of a string.
#[inline]
pub fn octets_of<'a>(text: &'a Bound<'_, PyString>) -> PyResult<Cow<'a, [u8]>> {
    match text.to_str() {
        Ok(utf8) => Ok(Cow::Borrowed(utf8.as_bytes())),
        Err(_) => encode(text).map(Cow::Owned),
    }
}

#[cold]
fn encode(text: &Bound<'_, PyString>) -> PyResult<Vec<u8>> {
    let by = |errors| text.call_method1("encode", ("utf-8", errors));
    let octets = by("surrogateescape").or_else(|_| by("surrogatepass"))?;
    octets.extract()
}

/// The octets of a file: `bytes`, a buffer of octets, or text.
pub fn body_octets<'a>(body: &'a Bound<'_, PyAny>) -> PyResult<Cow<'a, [u8]>> {
    if let Ok(bytes) = body.cast::<PyBytes>() {
        return Ok(Cow::Borrowed(bytes.as_bytes()));
    }
    if let Ok(text) = body.cast::<PyString>() {
        return octets_of(text);
    }
    match PyBuffer::<u8>::get(body) {
        Ok(buffer) => buffer.to_vec(body.py()).map(Cow::Owned),
        Err(_) => Err(wrong_type("body", "bytes, bytearray, memoryview or str", body)),
    }
}

/// A string argument.
#[inline]
pub fn string<'a, 'py>(
    name: &str,
    value: &'a Bound<'py, PyAny>,
) -> PyResult<&'a Bound<'py, PyString>> {
    value.cast::<PyString>().map_err(|_| wrong_type(name, "str", value))
}

/// `TypeError`: what was expected, and what came.
#[cold]
pub fn wrong_type(name: &str, expected: &str, value: &Bound<'_, PyAny>) -> PyErr {
    let kind = value.get_type().name().map_or_else(|_| "?".into(), |name| name.to_string());
    PyTypeError::new_err(format!("`{name}` must be {expected}, not {kind}"))
}

/// Octets as a string that gives them back.
pub fn text<'py>(py: Python<'py>, octets: &[u8]) -> PyResult<Bound<'py, PyString>> {
    match std::str::from_utf8(octets) {
        Ok(utf8) => Ok(PyString::new(py, utf8)),
        Err(_) => {
            let decoded =
                PyBytes::new(py, octets).call_method1("decode", ("utf-8", "surrogateescape"))?;
            Ok(decoded.cast_into()?)
        }
    }
}

/// Octets that Python sees as text.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Text(pub Vec<u8>);

impl<'py> IntoPyObject<'py> for Text {
    type Target = PyString;
    type Output = Bound<'py, PyString>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        text(py, &self.0)
    }
}

impl<'py> FromPyObject<'_, 'py> for Text {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let object = object.to_owned();
        let octets = octets_of(string("text", &object)?)?.into_owned();
        Ok(Text(octets))
    }
}

/// A name between quotes, as Python writes one.
pub fn single_quoted(name: &str) -> String {
    format!("'{}'", name.escape_default())
}

/// So many of something, in English.
pub fn count(number: usize, noun: &str) -> String {
    match number {
        1 => format!("1 {noun}"),
        _ => format!("{number} {noun}s"),
    }
}

/// Python's `repr` of octets as text.
pub fn quoted(py: Python<'_>, octets: &[u8]) -> PyResult<String> {
    Ok(text(py, octets)?.repr()?.to_string())
}
