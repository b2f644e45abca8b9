//! Strings and bytes: conversions between Python and Rust.
//!
//! A `str` becomes its UTF-8 bytes, borrowed if Python holds them; lone surrogates become the bytes
//! from which `surrogateescape` made them, otherwise their three-byte form. Bytes become a `str` by
//! `surrogateescape`, so nothing is lost either way.
//!
//! Untrusted text in messages is escaped by `verger.untrusted_text`, which is looked up when an exception is
//! raised: apart from the exceptions, it is the only upward dependency of this crate.

use std::borrow::Cow;

use pyo3::buffer::PyBuffer;
use pyo3::conversion::FromPyObjectOwned;
use pyo3::exceptions::{PyBufferError, PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyList, PyMemoryView, PyString, PyTuple, PyType};

/// The bytes of a string.
#[inline]
pub fn bytes_of<'a>(text: &'a Bound<'_, PyString>) -> PyResult<Cow<'a, [u8]>> {
    match text.to_str() {
        Ok(utf8) => Ok(Cow::Borrowed(utf8.as_bytes())),
        Err(_) => encode(text).map(Cow::Owned),
    }
}

#[cold]
fn encode(text: &Bound<'_, PyString>) -> PyResult<Vec<u8>> {
    // The method of `str` itself: a subclass may override it.
    let encode = text.py().get_type::<PyString>().getattr("encode")?;
    let by = |errors| encode.call1((text, "utf-8", errors));
    let bytes = by("surrogateescape").or_else(|_| by("surrogatepass"))?;
    Ok(bytes.cast::<PyBytes>()?.as_bytes().to_vec())
}

/// The bytes of a file: `bytes`, a buffer of bytes, or text.
pub fn body_bytes<'a>(body: &'a Bound<'_, PyAny>) -> PyResult<Cow<'a, [u8]>> {
    if let Ok(bytes) = body.cast::<PyBytes>() {
        return Ok(Cow::Borrowed(bytes.as_bytes()));
    }
    if let Ok(text) = body.cast::<PyString>() {
        return bytes_of(text);
    }
    match PyBuffer::<u8>::get(body) {
        Ok(buffer) => buffer.to_vec(body.py()).map(Cow::Owned),
        Err(error) if is_released(body, &error) => Err(error),
        Err(error) => {
            let wrong = || not_a_body(body);
            Err(unless_raised(error, body.py()).unwrap_or_else(wrong))
        }
    }
}

/// Whether a memoryview was released: Python's own error is then the clearest.
#[cold]
fn is_released(body: &Bound<'_, PyAny>, error: &PyErr) -> bool {
    body.is_instance_of::<PyMemoryView>() && error.is_instance_of::<PyValueError>(body.py())
}

#[cold]
fn not_a_body(body: &Bound<'_, PyAny>) -> PyErr {
    let expected = "bytes, bytearray, str or a memoryview of bytes";
    let is_path = body.hasattr("__fspath__").unwrap_or(false);
    match is_path {
        true => wrong_type("body", &format!("{expected} (`verger.load` reads files)"), body),
        false => wrong_type("body", expected, body),
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

/// `TypeError`: what was expected, and what was passed.
#[cold]
pub fn wrong_type(name: &str, expected: &str, value: &Bound<'_, PyAny>) -> PyErr {
    PyTypeError::new_err(format!("`{name}` must be {expected}, not {}", kind_of(value)))
}

/// The name of an object's class.
#[cold]
pub fn kind_of(value: &Bound<'_, PyAny>) -> String {
    let name = value.get_type().name();
    name.map_or_else(|_| "?".into(), |name| shorten(value.py(), name.to_string_lossy().as_bytes()))
}

/// At most 80 characters of untrusted text, as `verger.untrusted_text` shows it: on one line, with control
/// and invisible characters escaped; a byte that is not text as `\xff`, and a backtick, which would
/// end a quotation, as `\x60`.
#[cold]
pub fn shorten(py: Python<'_>, text: impl AsRef<[u8]>) -> String {
    beginning(py, text.as_ref(), 80).replace('`', "\\x60")
}

/// A message of another program, on one line, shortened to a readable length.
#[cold]
pub fn told(py: Python<'_>, text: impl AsRef<[u8]>) -> String {
    beginning(py, text.as_ref(), 1_000)
}

fn beginning(py: Python<'_>, bytes: &[u8], most: usize) -> String {
    let lengths = bytes.utf8_chunks().flat_map(|chunk| {
        let characters = chunk.valid().chars().map(char::len_utf8);
        characters.chain(chunk.invalid().iter().map(|_| 1))
    });
    let end = lengths.take(most).sum();
    let mut shown = printable(py, &bytes[..end]);
    if end < bytes.len() {
        shown.push('…');
    }
    shown
}

/// The text with every invisible character escaped. If Python cannot tell, for example because its
/// stack is full, everything except ASCII is escaped.
fn printable(py: Python<'_>, bytes: &[u8]) -> String {
    let shown =
        || py.import("verger.untrusted_text")?.getattr("printable")?.call1((text(py, bytes)?,));
    let shown = shown().and_then(|shown| shown.extract());
    shown.unwrap_or_else(|_| bytes.escape_ascii().to_string())
}

/// Bytes as a string that can be converted back.
pub fn text<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyString>> {
    match std::str::from_utf8(bytes) {
        Ok(utf8) => Ok(PyString::new(py, utf8)),
        Err(_) => {
            let decoded =
                PyBytes::new(py, bytes).call_method1("decode", ("utf-8", "surrogateescape"))?;
            Ok(decoded.cast_into()?)
        }
    }
}

/// Bytes that are text in Python.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Text(pub Vec<u8>);

impl AsRef<[u8]> for Text {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

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
        let bytes = bytes_of(string("text", &object)?)?.into_owned();
        Ok(Text(bytes))
    }
}

/// The exception that the caller's own code raised; none if an object was only of the wrong type.
#[cold]
pub fn unless_raised(error: PyErr, py: Python<'_>) -> Option<PyErr> {
    let is_kind = error.is_instance_of::<PyTypeError>(py)
        || error.is_instance_of::<PyValueError>(py)
        || error.is_instance_of::<PyOverflowError>(py)
        || error.is_instance_of::<PyBufferError>(py);
    (!is_kind).then_some(error)
}

/// The items of a sequence, whatever its length claims: that is a caller's own code, so memory is
/// not allocated by it. They are a tuple in Python.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Items<T>(pub Vec<T>);

impl<'py, T: FromPyObjectOwned<'py>> FromPyObject<'_, 'py> for Items<T> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if object.is_instance_of::<PyString>() || !is_sequence(&object)? {
            let kind = kind_of(&object);
            return Err(PyTypeError::new_err(format!("expected a sequence, not {kind}")));
        }
        let too_many =
            |_, most| PyValueError::new_err(format!("a sequence of more than {most} items"));
        let items = items(&object, too_many)?.map(|item| item?.extract::<T>().map_err(Into::into));
        Ok(Items(items.collect::<PyResult<_>>()?))
    }
}

impl<'py, T: IntoPyObject<'py>> IntoPyObject<'py> for Items<T> {
    type Target = PyTuple;
    type Output = Bound<'py, PyTuple>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        PyTuple::new(py, self.0)
    }
}

/// The class `collections.abc.Sequence`. Fails if Python can no longer import it.
pub fn sequence_class(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    CLASS.import(py, "collections.abc", "Sequence")
}

/// Whether an object is a sequence in Python.
pub fn is_sequence(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    if object.is_instance_of::<PyTuple>() || object.is_instance_of::<PyList>() {
        return Ok(true);
    }
    object.is_instance(sequence_class(object.py())?)
}

/// The most items of a caller's own class that are read; it may be endless.
const MOST_ITEMS: usize = 1 << 16;

/// The items of a sequence; the error from `too_many` if it has too many.
pub fn items<'py>(
    sequence: &Bound<'py, PyAny>,
    too_many: fn(Python<'py>, usize) -> PyErr,
) -> PyResult<impl Iterator<Item = PyResult<Bound<'py, PyAny>>>> {
    let (py, is_plain) = (
        sequence.py(),
        sequence.is_exact_instance_of::<PyList>() || sequence.is_exact_instance_of::<PyTuple>(),
    );
    let items = sequence.try_iter()?.enumerate();
    Ok(items.map(move |(number, item)| match is_plain || number < MOST_ITEMS {
        true => item,
        false => Err(too_many(py, MOST_ITEMS)),
    }))
}

/// A name between quotes, as Python writes one.
pub fn single_quoted(name: &str) -> String {
    format!("'{}'", name.escape_default())
}

/// A count of something, in English.
pub fn count(number: usize, noun: &str) -> String {
    match number {
        1 => format!("1 {noun}"),
        _ => format!("{number} {noun}s"),
    }
}

/// Python's `repr` of bytes as text.
pub fn quoted(py: Python<'_>, bytes: &[u8]) -> PyResult<String> {
    Ok(text(py, bytes)?.repr()?.to_string_lossy().into_owned())
}

/// What a notebook shows of a value, from a function of `verger.showing.notebook`.
pub fn in_notebook<'py, T>(function: &str, value: &Bound<'py, T>) -> PyResult<Bound<'py, PyAny>> {
    value.py().import("verger.showing.notebook")?.call_method1(function, (value.as_any(),))
}
